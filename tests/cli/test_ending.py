"""How a command ends: closed pipes, full disks, errors within, tracebacks only on demand."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import COMMAND, run, start
from vbn.cli import entry

BROKEN = """
import sys, vbn
def load(folder):
    raise RuntimeError("the cheese\\nis gone")
vbn.load = load
sys.argv = ["vbn", *sys.argv[1:]]
from vbn.cli import main
main()
"""


PRESSED = """
import signal, sys
module = sys.argv.pop(1)
class Press:
    def find_spec(name, path=None, target=None):
        if name == module:
            sys.meta_path.remove(Press)
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Press)
from vbn.cli import main
main()
"""


def broken(*arguments):
    return subprocess.run([sys.executable, "-c", BROKEN, *arguments], capture_output=True, text=True, check=False)


def test_an_unexpected_error_is_one_line_unless_debugged():
    result = broken("similar", "m", "x")
    assert result.returncode == 1
    assert result.stderr == "internal error: RuntimeError: the cheese is gone; run with --debug and report it\n"
    for arguments in (["--debug", "similar", "m", "x"], ["similar", "m", "x", "--debug"]):
        result = broken(*arguments)
        assert result.returncode == 1
        assert "Traceback" in result.stderr
        assert "RuntimeError: the cheese" in result.stderr


@pytest.mark.parametrize("module", ["typer", "vbn.cli.manage", "vbn.estimators", "vbn.model", "numpy"])
def test_an_interrupt_while_modules_are_imported_is_one_line(module, words):
    given = [module, "similar", str(words.model), "brie"]
    result = subprocess.run(
        [sys.executable, "-c", PRESSED, *given],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "interrupted\n")


def test_an_interrupt_while_arguments_are_parsed_is_one_line(monkeypatch, called):
    def press(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("typer.core.TyperGroup.make_context", press)
    result = called("similar", "m", "x")
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "interrupted\n")


def test_an_interrupt_that_an_extension_module_turned_into_another_error_is_one(monkeypatch):
    assert entry.was_interrupted(KeyboardInterrupt())
    assert not entry.was_interrupted(ImportError("no such module"))
    monkeypatch.setattr(entry, "_pressed", True)
    assert entry.was_interrupted(ImportError("numpy.core.multiarray failed to import"))
    assert not entry.was_interrupted(ValueError("something else"))


def test_an_expected_error_has_a_traceback_on_demand_only(tmp_path):
    assert run("similar", tmp_path, "x").stderr.startswith("error: ")
    assert "Traceback" in run("--debug", "similar", tmp_path, "x").stderr


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of Unix")
def test_a_closed_pipe_ends_a_command_quietly(words):
    process = start("similar", words.model, "brie")
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(timeout=60) == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
def test_a_full_disk_is_an_error(words):
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [*COMMAND, "similar", str(words.model), "brie"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert result.returncode == 1
    assert result.stderr.startswith("error: ")
    assert "No space left" in result.stderr


@pytest.mark.parametrize("file", ["damaged", "absent"])
def test_a_damaged_model_is_told_in_one_line(words, tmp_path, file):
    folder = tmp_path / file
    if file == "damaged":
        folder.mkdir()
        (folder / "config.json").write_text("{")
    result = run("similar", folder, "brie")
    assert result.returncode == 1
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1


IN_FIT = """
import signal, sys
from vbn.estimators.training import Training
take = Training.take
def press(self, info):
    signal.raise_signal(signal.SIGINT)
    take(self, info)
Training.take = press
from vbn.cli import main
main()
"""


def test_an_interrupt_in_training_says_how_many_epochs_there_would_have_been(tmp_path):
    (tmp_path / "in.csv").write_text("user,item\nu,a\nu,b\nv,a\n")
    given = ["train", "in.csv", "--dim", "2", "--out", "a model"]
    result = subprocess.run(
        [sys.executable, "-c", IN_FIT, *given], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert result.returncode == 130
    assert "interrupted after 1 of 40 epochs, which are kept" in result.stderr
    assert "saved the model after 1 of 40 epochs in a model; without --checkpoint-every it is final" in result.stderr
