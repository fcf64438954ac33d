"""What a training keeps beside its model goes with that model, and nobody evaluates or resumes another one by it."""

import hashlib
import re
import tomllib

import pytest

import vbn
from tests.cli.conftest import write_csv

FAST = ("--dim", 2, "--epochs", 2, "-q", "--out", "m")


@pytest.fixture
def train(tmp_path, called):
    """Train on some pairs in a folder of its own; returns what was said."""
    names = [f"n{i}" for i in range(8)]
    write_csv(tmp_path / "pairs.csv", [("left", "right"), *((a, b) for a in names for b in names if a < b)])

    def run(*options, code=0):
        result = called("train", "pairs.csv", "--kind", "pairs", *FAST, *options, cwd=tmp_path)
        assert result.returncode == code, result.stderr
        return result.stderr

    return run


def kept(folder):
    return {name for name in ("train.toml", "held_out.csv", "checkpoint") if (folder / "m" / name).exists()}


def test_a_new_model_leaves_nothing_of_the_old_one(train, tmp_path, called):
    train("--hold-out", 0.2, "--checkpoint-every", 1)
    assert kept(tmp_path) == {"train.toml", "held_out.csv", "checkpoint"}
    train()
    assert kept(tmp_path) == {"train.toml"}
    assert called("evaluate", "m", "--task", "pairs", cwd=tmp_path).returncode == 2  # no data any more
    said = train("--hold-out", 0.2, "--checkpoint-every", 1, "--resume", code=1)
    assert "omit --resume" in said
    assert "--checkpoint-every" in said


def test_what_others_keep_in_a_folder_of_that_name_stays(train, tmp_path):
    train("--checkpoint-every", 1)
    (tmp_path / "m" / "checkpoint" / "notes.txt").write_text("mine")
    train()
    assert [file.name for file in (tmp_path / "m" / "checkpoint").iterdir()] == ["notes.txt"]


def test_pairs_held_out_from_another_model_are_not_evaluated_on(train, tmp_path, called):
    train("--hold-out", 0.2)
    vbn.VBN(dim=2, epochs=1, verbose=False).fit(vbn.Dataset.from_pairs(tmp_path / "pairs.csv")).save(tmp_path / "m")
    result = called("evaluate", "m", "--task", "pairs", cwd=tmp_path)
    assert result.returncode == 1
    assert "may not be of this model" in result.stderr
    assert "--data" in result.stderr
    given = ["--data", "m/held_out.csv"]
    assert called("evaluate", "m", "--task", "pairs", *given, cwd=tmp_path).returncode == 0


def test_a_failed_training_leaves_the_old_model_and_all_of_its_own(train, tmp_path, called):
    train("--hold-out", 0.2, "--checkpoint-every", 1)
    train("--hold-out", 0.2, "--alpha", "entity=-1", code=2)
    assert kept(tmp_path) == {"train.toml", "held_out.csv", "checkpoint"}
    assert called("evaluate", "m", "--task", "pairs", cwd=tmp_path).returncode == 0


def test_entities_added_since_are_not_lost_by_resuming(train, tmp_path, called):
    train("--hold-out", 0.2, "--checkpoint-every", 1)
    for name in ("new", "newer"):
        assert called("add", "m", name, "--context", "n1", cwd=tmp_path).returncode == 0
    assert called("evaluate", "m", "--task", "pairs", cwd=tmp_path).returncode == 0  # still the model held out from
    more = ["--hold-out", 0.2, "--epochs", 4, "--resume"]
    said = train(*more, code=1)
    assert "2 entities were added" in said
    assert "--force" in said
    assert "newer" in vbn.load(tmp_path / "m").trained_.rows
    train(*more, "--force")
    assert vbn.load(tmp_path / "m").n_iter_ == 4
    train(*more, "--epochs", 5)  # the model is that of its training again


def test_a_checkpoint_beside_a_model_from_elsewhere_is_not_resumed_from(train, tmp_path):
    train("--checkpoint-every", 1)
    vbn.VBN(dim=2, epochs=1, verbose=False).fit(vbn.Dataset.from_pairs(tmp_path / "pairs.csv")).save(tmp_path / "m")
    assert "replaced or changed" in train("--epochs", 4, "--resume", code=1)


def test_a_checkpoint_alone_is_resumed_from(train, tmp_path):
    """As after a power cut in the first training."""
    train("--checkpoint-every", 1)
    for file in (tmp_path / "m").iterdir():
        if file.is_file():
            file.unlink()
    train("--epochs", 4, "--resume")
    assert vbn.load(tmp_path / "m").n_iter_ == 4


def test_adding_to_another_folder_leaves_nothing_of_the_model_there(train, tmp_path, called):
    train("--hold-out", 0.2, "--checkpoint-every", 1)
    assert called("train", "pairs.csv", "--kind", "pairs", *FAST[:-1], "other", cwd=tmp_path).returncode == 0
    assert called("add", "other", "new", "--context", "n1", "--out", "m", cwd=tmp_path).returncode == 0
    assert kept(tmp_path) == set()


def test_the_report_of_a_resumed_run_tells_its_own_epochs_and_all(train, tmp_path, called):
    train("--checkpoint-every", 1)
    told = ["--epochs", 5, "--resume", "--dim", 2, "--out", "m"]
    result = called("train", "pairs.csv", "--kind", "pairs", *told, cwd=tmp_path)
    assert "trained: 3 epochs more in" in result.stderr
    assert "s, 5 in all" in result.stderr


def test_the_summary_is_of_what_is_trained_on(train, tmp_path, called):
    given = ["train", "pairs.csv", "--kind", "pairs", "--hold-out", 0.25, "--dry-run"]
    shown = called(*given, cwd=tmp_path).stdout
    assert "cells      21," in shown  # of 28
    assert "held out   7 cells beside these" in shown


def patients(folder):
    rows = [(f"patient {p}", f"illness {d}", 1) for p in range(24) for d in range(9) if (p * 5 + d * 3) % 4]
    write_csv(folder / "records.csv", [("user", "item", "count"), *rows])
    write_csv(folder / "kinds.csv", [("child", "parent"), *((f"illness {d}", f"kind {d % 2}") for d in range(9))])
    return ["records.csv", "--kind", "interactions", "--taxonomy", "kinds.csv", "--no-counts", *FAST]


def records_in(folder):
    """Which files hold the names of a patient and of an illness side by side."""
    held = re.compile(rb"patient \d+\W{1,3}illness \d")
    return [str(file) for file in folder.rglob("*") if file.is_file() and held.search(file.read_bytes())]


@pytest.mark.parametrize("by", ["random", "user"])
def test_without_counts_no_record_lies_in_the_folder(tmp_path, called, by):
    given = [*patients(tmp_path), "--hold-out", 0.2, "--hold-out-by", by, "--checkpoint-every", 1]
    kept = [option for option in given if option not in ("--no-counts", "-q")]
    assert called("train", *kept, cwd=tmp_path).returncode == 0
    assert records_in(tmp_path / "m")  # they lie there with counts, and go with the next model
    loud = [option for option in given if option != "-q"]
    said = called("train", *loud, cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    assert "not written" in said.stderr
    assert "--held-out FILE" in said.stderr
    assert records_in(tmp_path / "m") == []
    card = (tmp_path / "m" / "README.md").read_text()
    assert "contains no training records; it contains the names of" in card
    assert called("evaluate", "m", "--task", "recommendation", cwd=tmp_path).returncode == 2


@pytest.mark.parametrize("by", ["random", "user"])
def test_held_out_pairs_go_to_a_file_that_the_user_names(tmp_path, called, by):
    given = [*patients(tmp_path), "--hold-out", 0.2, "--hold-out-by", by, "--held-out", "pairs.csv"]
    assert called("train", *given, cwd=tmp_path).returncode == 0
    assert records_in(tmp_path / "m") == []
    assert (tmp_path / "pairs.csv").read_text().startswith("user,item,weight\n")
    assert (tmp_path / "pairs_known.csv").exists() == (by == "user")
    asked = "evaluate", "m", "--task", "recommendation", "--json"
    assert called(*asked, "--include-seen", cwd=tmp_path).returncode == 0  # found through train.toml
    (tmp_path / "pairs.csv").write_text("user,item\npatient 1,illness 1\n")
    assert "may not be of this model" in called(*asked, cwd=tmp_path).stderr


def test_a_bad_place_for_held_out_pairs_is_refused_before_the_training(tmp_path, called):
    given = patients(tmp_path)
    for options, told in [
        (["--held-out", "p.csv"], "give --hold-out"),
        (["--hold-out", 0.2, "--held-out", "m/p.csv"], "outside of it"),
        (["--hold-out", 0.2, "--held-out", "records.csv"], "is an input"),
        (["--hold-out", 0.2, "--held-out", "kinds.csv"], "is an input"),
        (["--hold-out", 0.2, "--held-out", "nowhere/p.csv"], "no folder"),
    ]:
        result = called("train", *given, *options, cwd=tmp_path)
        assert result.returncode == 2
        assert told in result.stderr
    assert not (tmp_path / "m").exists()


def test_settings_and_card_have_the_checksum_of_every_input(tmp_path, called):
    given = patients(tmp_path)
    write_csv(tmp_path / "sees.csv", [("left", "right"), ("patient 1", "illness 1")])
    write_csv(tmp_path / "ages.csv", [("id", "age"), ("illness 1", 30), ("illness 2", 70)])
    given += ["--relation", "sees=sees.csv", "--features", "ages.csv"]
    assert called("train", *given, cwd=tmp_path).returncode == 0
    stated = tomllib.loads((tmp_path / "m" / "train.toml").read_text())["sha256"]
    files = ["records.csv", "kinds.csv", "sees.csv", "ages.csv"]
    assert stated == {f"../{name}": hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in files}
    assert all(digest in (tmp_path / "m" / "README.md").read_text() for digest in stated.values())
    assert called("add", "m", "illness 77", "--parent", "kind 1", cwd=tmp_path).returncode == 0
    assert all(digest in (tmp_path / "m" / "README.md").read_text() for digest in stated.values())
    assert called("train", "--config", "m/train.toml", "--out", "n", "-q", cwd=tmp_path).returncode == 0


def test_the_card_tells_of_records_that_lie_beside_the_model(train, tmp_path):
    train("--hold-out", 0.2)
    assert "training records (counts)" in (tmp_path / "m" / "README.md").read_text()
    vbn.load(tmp_path / "m").save(tmp_path / "m", counts=False)
    assert "training records (held_out.csv)" in (tmp_path / "m" / "README.md").read_text()
