"""The command line, through real processes."""

import subprocess
import sys

import pytest

import vbn


def run(*arguments, cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "vbn", *arguments], capture_output=True, text=True, cwd=cwd, check=False, timeout=300
    )


def test_version_and_help():
    assert run("--version").stdout.strip() == f"vbn {vbn.__version__}"
    result = run("--help")
    assert result.returncode == 0
    assert "demo" in result.stdout
    assert "Example" in run("demo", "--help").stdout


@pytest.mark.parametrize("arguments", [["no-such-verb"], ["demo", "--epochs", "0"], ["demo", "--no-such-option"]])
def test_wrong_usage_exits_with_2(arguments):
    result = run(*arguments)
    assert result.returncode == 2
    assert "Traceback" not in result.stderr


def test_demo_tells_the_story_and_saves_a_model(tmp_path):
    result = run("demo", "--epochs", "2", "--out", "my model", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    for part in ("Rare words", "How sure it is", "halloumi", "antonyms", "Held-out", "my model"):
        assert part in result.stdout
    assert "epoch 2/2" in result.stderr
    assert vbn.load(tmp_path / "my model").similar("gouda", k=3)[0].score > 0


def test_failure_exits_with_1_and_no_traceback(tmp_path):
    (tmp_path / "taken").write_text("a file, not a folder")
    result = run("demo", "--epochs", "1", "--out", "taken", cwd=tmp_path)
    assert result.returncode == 1
    assert "error:" in result.stderr
    assert "Traceback" not in result.stderr
