"""`vbn tune`: the model of the best trial in a folder, with what was tried beside it."""

import csv
import json
import signal

import numpy as np
import pytest

import vbn
from tests.cli.running import start

GIVEN = ["--kind", "interactions", "--columns", "who,what,times", "--dim", 4, "--epochs", 8, "--threads", 1]


@pytest.fixture
def tuned(shop, called, tmp_path):
    def tune(*options, out=tmp_path / "tuned"):
        return called("tune", shop.folder / "bought.csv", *GIVEN, *options, "--out", out)

    return tune


def test_the_folder_holds_the_best_model_and_the_trials(tuned, tmp_path, called):
    result = tuned("--trials", 3)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[0].split()[:2] == ["trial", "settings"]
    assert len(result.stdout.splitlines()) == 4
    assert "trial 0: defaults" in result.stderr
    folder = tmp_path / "tuned"
    with (folder / "trials.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    (best,) = (row for row in rows if row["best"] == "True")
    model = vbn.load(folder)
    assert (len(rows), model.dim, model.settings_["negatives"]) == (3, 4, float(best["negatives"]))
    assert (folder / "trials.png").read_bytes().startswith(b"\x89PNG")
    again = called("train", "--config", folder / "train.toml", "--out", tmp_path / "again", "--quiet")
    assert again.returncode == 0, again.stderr
    np.testing.assert_array_equal(vbn.load(tmp_path / "again").posterior("tea 1").mean, model.posterior("tea 1").mean)
    trained = called("train", "--config", folder / "train.toml", "--out", folder, "--quiet")
    assert trained.returncode == 0, trained.stderr
    assert not list(folder.glob("trials.*"))  # they were of the model that was replaced


def test_json_and_a_study_that_goes_on(tuned, tmp_path):
    study = ["--study", tmp_path / "study.log", "--quiet", "--json"]
    first = tuned("--trials", 2, *study)
    assert (first.returncode, first.stderr) == (0, "")
    assert [row["number"] for row in json.loads(first.stdout)] == [0, 1]
    more = json.loads(tuned("--trials", 3, *study).stdout)
    assert more[:2] == [
        row | {"best": after["best"]} for row, after in zip(json.loads(first.stdout), more, strict=False)
    ]
    assert {"settings", "figures", "objective", "popularity", "seconds", "state", "best"} <= set(more[2])
    other = tuned("--trials", 3, "--favour", "rare", *study)
    assert other.returncode == 1
    assert "another favour: choose another --study" in other.stderr


def test_parameters_that_are_given_are_kept(tuned):
    rows = json.loads(tuned("--negatives", 1, "--alpha", 1, "--noise-power", 0.75, "--json", "--quiet").stdout)
    assert [row["settings"] for row in rows] == [{}]


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--minutes", 0], 2, "minutes=0"),
        (["--trials", 0], 2, "--trials: must be at least 1"),
        (["--favour", "few"], 2, "--favour"),
        (["--hold-out", 0.1], 2, "no option --hold-out"),
        (["--taxonomy", "none.csv"], 1, "none.csv"),
    ],
)
def test_wrong_usage_and_bad_input(tuned, options, code, said):
    result = tuned(*options)
    assert result.returncode == code
    assert said in result.stderr
    assert result.stderr.splitlines()[-1].startswith("error: ")


def test_ctrl_c_saves_the_best_so_far(shop, tmp_path):
    given = ["--kind", "interactions", "--columns", "who,what,times", "--dim", 4, "--epochs", 3000, "--trials", 500]
    process = start("tune", shop.folder / "bought.csv", *given, "--negatives", 1, "--out", tmp_path / "model")
    seen = ""
    for line in process.stderr:
        seen += line
        if line.startswith("trial 0"):
            process.send_signal(signal.SIGINT)
            break
    out, rest = process.communicate(timeout=240)
    assert process.returncode == 130, seen + rest
    assert "interrupted: fitting the best so far" in rest
    assert "saved trial 0 in" in rest
    assert "defaults" in out
    assert vbn.load(tmp_path / "model").n_iter_ == 3000
