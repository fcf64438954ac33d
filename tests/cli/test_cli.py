"""The command line as a whole: help, exit codes, the demo."""

import json
import os
import re
import signal
import subprocess
import time
import urllib.request

import pytest

import vbn
from tests.cli.running import COMMAND, interrupt_in_first_training, run, start
from vbn.cli import MOVED, VERBS, debug_first


def test_version_and_help():
    assert run("--version").stdout.strip() == f"vbn {vbn.__version__}"
    result = run("--help")
    assert result.returncode == 0
    for verb in VERBS:
        assert f"\n  {verb} " in result.stdout


@pytest.mark.parametrize("verb", MOVED)
def test_a_verb_that_moved_says_where_it_went(verb, called):
    for arguments in ((), ("--help",), ("movies", "--data", "data")):
        result = called(verb, *arguments)
        assert result.returncode == 2
        assert result.stderr.count("\n") == 1
        assert f"make {verb}" in result.stderr


@pytest.mark.parametrize("verb", [*(verb for verb in VERBS if verb != "data"), "data example"])
def test_every_verb_has_an_example_in_its_help(verb, called):
    result = called(*verb.split(), "--help")
    assert result.returncode == 0
    assert "Example" in result.stdout
    assert f"  vbn {verb}" in result.stdout


def test_help_imports_nothing_heavy():
    result = run("--help", env={"PYTHONPROFILEIMPORTTIME": "1"})
    imported = {line.rpartition("|")[2].strip() for line in result.stderr.splitlines()}
    assert "typer" in imported
    heavy = {"numpy", "numba", "scipy", "pandas", "rich", "vbn.data", "vbn.model", "vbn.estimators.vbn", "vbn.datasets"}
    assert not imported & heavy


def test_completion_is_offered():
    result = run(env={"_VBN_COMPLETE": "complete_bash", "COMP_WORDS": "vbn rec", "COMP_CWORD": "1"})
    assert result.stdout.split() == ["recommend"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["no-such-verb"],
        ["demo", "--epochs", "0"],
        ["demo", "--no-such-option"],
        ["similar", "model"],
        ["similar", "model", "x", "-k", "0"],
        ["similar", "model", "x", "--by", "chance"],
        ["recommend", "model"],
        ["recommend", "model", "x", "--user", "u"],
        ["add", "model"],
        ["evaluate", "model", "--task", "relation"],
        ["evaluate", "model", "--task", "pairs"],
    ],
)
def test_wrong_usage_exits_with_2(arguments, tmp_path, called):
    result = called(*arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert "--help" in result.stderr
    assert "Input should" not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["similr", "m", "x"], "'similar'? See vbn --help"),
        (["similar", "m", "x", "-k", "0"], "-k: must be at least 1. See vbn similar --help"),
        (["similar", "m", "x", "-k", "many"], "-k: must be a whole number."),
        (["similar", "m", "x", "-k"], "See vbn similar --help"),
        (["similar", "m", "x", "--by", "chance"], "--by: 'chance' is not one of 'cosine', 'mean', 'context'."),
        (["similar", "m", "-x-"], "a name that begins with a dash goes after --."),
        (["similar", "m", "x", "--positiv", "y"], "did you mean --positive?"),
        (["similar", "m", "two", "words"], "too much: words (a name of several words needs quotes)"),
        (["similar"], "MODEL is missing."),
        (["evaluate", "m"], "--task is missing; choose from pairs, recommendation, similarity, relation."),
        (["--no-such"], "there is no option --no-such. See vbn --help"),
        (["train", "x.csv", "--kind", "pairs", "--out", "m", "--hold-out", "1"], "above 0 and below 1"),
        (["train", "x.csv", "--kind", "pairs", "--out", "m", "--hold-out", "nan"], "above 0 and below 1"),
    ],
)
def test_wrong_usage_is_told_in_plain_words(arguments, said, tmp_path, called):
    result = called(*arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_group_without_a_verb_shows_its_verbs(called):
    result = called("data")
    assert "Commands:" in result.stdout + result.stderr


def test_usage_names_arguments_without_braces(called):
    assert "Usage: vbn related [OPTIONS] MODEL RELATION ENTITY\n" in called("related", "--help").stdout


def test_wrong_usage_of_the_process_itself():
    result = run("similar", "model", "x", "-k", "0")
    assert result.returncode == 2
    assert "Traceback" not in result.stderr


def test_train_has_an_option_for_every_parameter_of_the_model(called):
    elsewhere = {"warm_start", "checkpoint", "verbose", "n_threads"}
    options = {name.replace("-", "_") for name in re.findall(r"--([a-z][a-z-]*)", called("train", "--help").stdout)}
    assert set(vbn.VBN().get_params()) - elsewhere <= options
    assert {"threads", "checkpoint_every", "resume", "quiet"} <= options


def test_train_shows_its_options_by_group_and_those_that_matter_first(called):
    shown = called("train", "--help").stdout
    titles = ["What matters most", "Input", "Taxonomy and relations", "Model", "Prior", "Relations", "Run"]
    places = [shown.index(f"\n{title}:\n") for title in titles]
    assert places == sorted(places)
    assert shown[places[0] : places[1]].count("\n  --") == 10
    assert "  --dim" in shown[places[0] : places[1]]
    assert "  --alpha" in shown[places[4] : places[5]]
    assert "  --seed" in shown[places[6] :]


def test_debug_may_stand_anywhere_but_after_the_separator():
    assert debug_first(["similar", "m", "x", "--debug"]) == ["--debug", "similar", "m", "x"]
    assert debug_first(["similar", "m", "--", "--debug"]) == ["similar", "m", "--", "--debug"]
    assert debug_first(["similar", "m", "x"]) == ["similar", "m", "x"]


def test_demo_tells_the_story_and_saves_a_model(tmp_path):
    result = run("demo", "--epochs", "2", "--out", "my [model]", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    for part in ("Rare words", "How sure it is", "halloumi", "antonyms", "Held-out", "vbn similar 'my [model]' gouda"):
        assert part in result.stdout
    assert result.stdout.rstrip().endswith("vbn serve 'my [model]' --open")
    assert "epoch 2/2" in result.stderr
    assert vbn.load(tmp_path / "my [model]").similar("gouda", k=3)[0].score > 0


def test_demo_fails_at_once_where_it_could_not_save(tmp_path):
    (tmp_path / "taken").write_text("a file, not a folder")
    result = run("demo", "--out", "taken", cwd=tmp_path)
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.startswith("error:")
    assert result.stderr.count("\n") == 1


def test_one_interrupt_ends_the_demo_and_not_only_its_first_training(tmp_path):
    process = start("demo", cwd=tmp_path)
    out, err = interrupt_in_first_training(process)
    assert process.returncode == 130
    assert "Rare words" not in out
    assert err.count("epoch 1/") == 1
    assert "Traceback" not in err
    assert not (tmp_path / "vbn-demo-model").exists()


def test_without_arguments_three_things_to_do_first_are_shown():
    result = run()
    assert result.returncode == 0, result.stderr
    for part in ("vbn demo --open", "vbn train orders.csv", "vbn serve my-model --open", "vbn --help"):
        assert part in result.stdout
    assert len(result.stdout.splitlines()) < 12
    assert run("data").returncode == 2


def test_demo_ends_in_the_browser_if_asked(tmp_path):
    noted = tmp_path / "opened"
    opener = tmp_path / "browser"
    opener.write_text(f'#!/bin/sh\nprintf %s "$1" > "{noted}"\n')
    opener.chmod(0o755)
    environment = os.environ | {"BROWSER": str(opener)}
    command = [*COMMAND, "demo", "--epochs", "1", "--open"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, **quiet) as demo:
        try:
            end = time.monotonic() + 200
            while not (noted.exists() and noted.read_text()) and time.monotonic() < end and demo.poll() is None:
                time.sleep(0.1)
            with urllib.request.urlopen(f"{noted.read_text()}/api/v1/health", timeout=60) as answer:
                assert json.load(answer)["entities"] > 25_000
        finally:
            demo.send_signal(signal.SIGINT)
            demo.wait(timeout=60)
    assert (tmp_path / "vbn-demo-model").is_dir()
