"""A model through its days: updated, asked what it is, calibrated, and made to forget, all from the shell."""

import json
import tomllib

import numpy as np
import pytest

import vbn
from tests.cli.conftest import write_csv

FAST = ("--dim", 4, "--epochs", 5, "-q")
TITLES = ("user", "item", "stars", "day")


def rows(seed, number, days, users=15):
    """Users with an odd number like items with an odd number, mostly."""
    rng = np.random.default_rng(seed)
    made = []
    for day in rng.integers(*days, number):
        user, like = rng.integers(users), rng.random() < 0.9
        item = 2 * rng.integers(4) + (user + 1 - like) % 2
        made.append((f"user {user}", f"item {item}", int(rng.integers(1, 6)), f"2024-03-{day:02d}"))
    return [*made, ("user 1", "item 1", 5, f"2024-03-{days[1] - 1:02d}")]


@pytest.fixture
def shop(tmp_path, called):
    """A folder with two days of a shop and its catalogue, and a function that runs the command line in it."""
    first, second = rows(1, 250, (1, 11)), rows(2, 40, (11, 16), users=18)
    write_csv(tmp_path / "first.csv", [TITLES, *first])
    write_csv(tmp_path / "second.csv", [TITLES, *second, ("user 3", "item 99", 5, "2024-03-15")])
    write_csv(tmp_path / "both.csv", [TITLES, *first, *second, ("user 3", "item 99", 5, "2024-03-15")])
    named = [(f"item {j}", f"kind {j % 2}|all", f"Item No. {j}") for j in range(8)]
    write_csv(tmp_path / "items.csv", [("item", "group", "title"), *named])
    write_csv(tmp_path / "more.csv", [("item", "group", "title"), ("item 99", "kind 1|all", "The new one")])

    def run(*arguments, code=0):
        result = called(*arguments, cwd=tmp_path)
        assert result.returncode == code, result.stderr
        return result

    run.folder = tmp_path
    return run


def cells(model):
    data = model.data_
    pairs = zip(data.counts.row_ids().tolist(), data.counts.indices.tolist(), strict=True)
    names = [(data.rows[i], data.columns[j]) for i, j in pairs]
    return dict(zip(names, data.counts.values.tolist(), strict=True))


PLAIN = ("--kind", "interactions", "--columns", "user,item")
READING = ("--kind", "interactions", "--min-weight", 3, "--time", "day", "--half-life", "5d")
READING += ("--catalogue", "items.csv")


def test_an_update_counts_as_if_all_had_been_read_at_once(shop):
    shop("train", "first.csv", *READING, *FAST, "--out", "m")
    said = shop("update", "m", "second.csv", "--catalogue", "more.csv", "--epochs", 3)
    assert "updated:" in said.stderr
    assert "epoch 3/3" in said.stderr
    assert said.stdout.strip() == "m"
    shop("train", "both.csv", *READING, *FAST, "--out", "whole")
    model, whole = vbn.load(shop.folder / "m"), vbn.load(shop.folder / "whole")
    assert cells(model).keys() == cells(whole).keys()
    for pair, value in cells(whole).items():
        assert cells(model)[pair] == pytest.approx(value)
    for side in ("row", "column"):
        mine, theirs = model.trained_.vocabulary(side), whole.trained_.vocabulary(side)
        known = [name for name in theirs if theirs.counts[theirs.id(name)] > 0]
        np.testing.assert_allclose(mine.counts[mine.ids(known)], theirs.counts[theirs.ids(known)])
    assert model.trained_.columns.label(model.trained_.columns.id("item 99")) == "The new one"
    assert dict(model.trained_.column_taxonomy.parents("item 99")) == {"kind 1": 0.5, "all": 0.5}
    assert model.epochs == 5  # a parameter of the model, not of this run


def test_a_new_training_can_have_the_coordinates_of_an_old_one(shop):
    options = (*PLAIN, *FAST[:2], "--epochs", 20, "-q", "--out")
    shop("train", "first.csv", *options, "old")
    shop("train", "first.csv", "--seed", 2, *options, "other")
    shop("train", "first.csv", "--seed", 2, "--like", "old", *options, "like")
    old, other, like = (vbn.load(shop.folder / name) for name in ("old", "other", "like"))
    items = [name for name in old.names if name.startswith("item")]

    def agreement(model):
        a, b = old.vectors(items)[1], model.vectors(items)[1]
        return float((a * b).sum() / np.linalg.norm(a) / np.linalg.norm(b))

    assert agreement(like) > 0.9 > agreement(other)
    assert "like" not in tomllib.loads((shop.folder / "like" / "train.toml").read_text())  # it is of this run


def test_items_of_a_catalogue_need_no_data_yet(shop):
    shop("train", "first.csv", *READING, *FAST, "--out", "m")
    write_csv(shop.folder / "cold.csv", [("item", "group", "title"), ("item 50", "kind 0", "Soon")])
    said = shop("update", "m", "second.csv", "--catalogue", "cold.csv", "-q", "--epochs", 1)
    assert "warning" not in said.stderr
    model = vbn.load(shop.folder / "m")
    assert model.trained_.column_taxonomy.parents("item 50") == [("kind 0", 1.0)]
    assert model.trained_.columns.counts[model.trained_.columns.id("Soon")] == 0


def test_rows_that_come_late_count_as_if_they_had_come_in_time(shop):
    shop("train", "second.csv", *READING[:-2], *FAST, "--out", "m")
    shop("update", "m", "first.csv", "-q", "--epochs", 1)
    shop("train", "both.csv", *READING[:-2], *FAST, "--out", "whole")
    whole = cells(vbn.load(shop.folder / "whole"))
    assert cells(vbn.load(shop.folder / "m")) == pytest.approx(whole)


def test_settings_that_are_behind_their_model_fade_nothing_twice(shop):
    shop("train", "first.csv", *READING, *FAST, "--out", "m")
    settings = (shop.folder / "m" / "train.toml").read_text()
    shop("update", "m", "second.csv", "--epochs", 1, "-q")
    (shop.folder / "m" / "train.toml").write_text(settings)  # as if it had been killed before they were written
    before = cells(vbn.load(shop.folder / "m"))
    write_csv(shop.folder / "third.csv", [TITLES, ("user 3", "item 3", 5, "2024-03-25")])
    said = shop("update", "m", "third.csv", "--epochs", 1, "-q").stderr
    assert "old counts do not fade" in said
    after = cells(vbn.load(shop.folder / "m"))
    assert all(after[pair] == value for pair, value in before.items() if pair != ("user 3", "item 3"))


def test_the_card_and_the_settings_tell_what_was_added(shop):
    shop("train", "first.csv", *READING, *FAST, "--out", "m")
    shop("update", "m", "second.csv", "--epochs", 1, "-q")
    settings = tomllib.loads((shop.folder / "m" / "train.toml").read_text())
    facts = json.loads(shop("info", "m", "--json").stdout)
    from vbn.cli.run_files import sha256

    digest = sha256(shop.folder / "second.csv")
    assert settings["sha256"]["../second.csv"] == digest
    assert settings["updates"] == ["../second.csv"]
    assert facts["inputs"]["../second.csv"] == digest
    assert facts["inputs"].keys() == settings["sha256"].keys()
    assert facts["trained_here"] is True
    assert digest in (shop.folder / "m" / "README.md").read_text()
    before = (shop.folder / "m" / "config.json").read_bytes()
    told = shop("update", "m", "second.csv", code=1)
    assert "added to this model already" in told.stderr
    assert (shop.folder / "m" / "config.json").read_bytes() == before
    shop("update", "m", "second.csv", "--again", "-q", "--epochs", 1, "--out", "elsewhere/twice")
    moved = tomllib.loads((shop.folder / "elsewhere" / "twice" / "train.toml").read_text())
    assert moved["updates"] == ["../../second.csv", "../../second.csv"]
    assert moved["input"] == "../../first.csv"
    assert (shop.folder / "m" / "config.json").read_bytes() == before


def test_without_counts_the_posterior_becomes_the_prior(shop):
    shop("train", "first.csv", *PLAIN, "--no-counts", *FAST, "--out", "m")
    told = shop("update", "m", "second.csv", "--epochs", 2)
    assert "its posterior becomes the prior" in told.stderr
    model = vbn.load(shop.folder / "m")
    assert model.data_ is None
    assert "item 99" in model
    assert "contains no training records" in (shop.folder / "m" / "README.md").read_text()


def test_a_model_that_python_saved_is_updated_too(shop):
    data = vbn.Dataset.from_sequences([["a", "dog", "barks"], ["a", "cat", "purrs"]] * 5)
    vbn.VBN(dim=3, epochs=3, verbose=False).fit(data).save(shop.folder / "m")
    (shop.folder / "new.txt").write_text("a wolf howls\n")
    told = shop("update", "m", "new.txt", "--epochs", 2)
    assert "new.txt is read as --kind sequences" in told.stderr
    assert "wolf" in vbn.load(shop.folder / "m")
    wrong = shop("update", "m", "second.csv", *PLAIN, code=1)
    assert "say --kind" in wrong.stderr
    assert not (shop.folder / "m" / "train.toml").exists()


def test_rare_strangers_stay_out_as_in_the_training(shop):
    shop("train", "first.csv", *PLAIN, "--min-count", 2, *FAST, "--out", "m")
    shop("update", "m", "second.csv", "-q", "--epochs", 1)
    model = vbn.load(shop.folder / "m")
    assert "item 99" not in model  # seen once
    assert cells(model)["user 1", "item 1"] >= 2
    write_csv(shop.folder / "strange.csv", [TITLES, ("x", "y", 5, "2024-03-15")])
    assert "nothing new is left" in shop("update", "m", "strange.csv", code=1).stderr


def test_held_out_pairs_that_were_learned_from_are_no_longer_held_out(shop):
    shop("train", "first.csv", *PLAIN, "--hold-out", 0.3, *FAST, "--out", "m")
    held = (shop.folder / "m" / "held_out.csv").read_text().splitlines()
    seen = held[1].split(",")
    write_csv(shop.folder / "new.csv", [("user", "item"), seen[:2], ("user 1", "item 99")])
    shop("update", "m", "new.csv", "-q", "--epochs", 1)
    assert (shop.folder / "m" / "held_out.csv").read_text().splitlines() == [held[0], *held[2:]]
    assert shop("evaluate", "m", "--task", "pairs").stdout


def test_a_changed_model_says_so_and_goes_on(shop):
    shop("train", "first.csv", *PLAIN, *FAST, "--out", "m")
    vbn.load(shop.folder / "m").add("item 50", parents=[], contexts={"user 1": 1}).save(shop.folder / "m")
    told = shop("update", "m", "second.csv", "--epochs", 1)
    assert "changed since its training" in told.stderr
    assert {"item 50", "item 99"} <= set(vbn.load(shop.folder / "m").names)


def test_ctrl_c_leaves_the_old_model(shop, monkeypatch):
    shop("train", "first.csv", *PLAIN, *FAST, "--out", "m")
    before = (shop.folder / "m" / "config.json").read_bytes()
    taken = vbn.VBN.partial_fit

    def interrupted(self, data):
        taken(self, data).interrupted_ = True
        return self

    monkeypatch.setattr(vbn.VBN, "partial_fit", interrupted)
    told = shop("update", "m", "second.csv", "-q", code=130)
    assert "is as it was" in told.stderr
    assert (shop.folder / "m" / "config.json").read_bytes() == before


def test_texts_of_new_items_are_read_from_their_catalogue(shop):
    shop("train", "first.csv", *READING, "--features", "items.csv:size", *FAST, "--out", "m", code=1)  # no such column
    write_csv(shop.folder / "items.csv", [("item", "group", "size"), *((f"item {j}", "g", j) for j in range(8))])
    write_csv(shop.folder / "more.csv", [("item", "group", "size"), ("item 99", "g", 4)])
    shop("train", "first.csv", *READING, "--features", "items.csv:size", *FAST, "--out", "m")
    shop("update", "m", "second.csv", "--catalogue", "more.csv", "-q", "--epochs", 1)
    model = vbn.load(shop.folder / "m")
    place = model.trained_.columns.id("item 99")
    assert place in model.data_.column_features.sources[0].rows.tolist()


def test_info_of_a_baseline_and_of_a_damaged_model(shop):
    vbn.Popularity().fit(vbn.Dataset.from_interactions(shop.folder / "first.csv", "user", "item")).save(
        shop.folder / "p"
    )
    facts = json.loads(shop("info", "p", "--json").stdout)
    assert (facts["model"], facts["epochs"]) == ("Popularity", 0)
    assert "cannot go on learning" in shop("update", "p", "second.csv", code=1).stderr
    (file,) = (shop.folder / "p").glob("*.safetensors")
    file.write_bytes(file.read_bytes()[:-8])
    assert "truncated" in shop("info", "p", code=1).stderr


def test_info_tells_what_is_in_the_folder(shop):
    shop("train", "first.csv", *READING, "--hold-out", 0.2, *FAST, "--out", "m")
    facts = json.loads(shop("info", "m", "--json").stdout)
    assert facts["data"]["columns"] == 11
    assert facts["parameters"]["dim"] == 4
    assert facts["chosen"]["negatives"] == 4
    assert facts["records"] == ["counts", "held_out.csv"]
    assert facts["names_of_rows"] == facts["data"]["rows"]
    assert facts["dial"] == json.loads((shop.folder / "m" / "config.json").read_text())["model"].get("dials", {})
    assert facts["checksum"] == json.loads((shop.folder / "m" / "config.json").read_text())["tensors"]["sha256"]
    text = shop("info", "m").stdout
    assert "negatives 4" in text
    assert "held_out.csv" in text
    assert "names of rows" in text
    shop("train", "first.csv", *READING, "--no-rows", "--hold-out", 0.2, *FAST, "--out", "m")
    facts = json.loads(shop("info", "m", "--json").stdout)
    assert (facts["records"], facts["names_of_rows"], facts["counts"]) == ([], 0, False)
    assert facts["rows_left_out"] > 10
    assert not [file for file in (shop.folder / "m").iterdir() if b"user 1" in file.read_bytes()]
    told = shop("recommend", "m", "--user", "user 1", code=1)
    assert "without its rows" in told.stderr
    assert "--no-rows" in told.stderr
    assert shop("recommend", "m", "item 1", "item 2", "-k", 2).stdout
    assert "without its rows" in shop("update", "m", "second.csv", code=1).stderr


@pytest.mark.filterwarnings("default:.*of the pairs are observed ones")
def test_calibrate_with_labels_and_without(shop):
    shop(
        "train",
        "first.csv",
        "--kind",
        "interactions",
        "--columns",
        "user,item",
        "--hold-out",
        0.2,
        *FAST,
        "--epochs",
        20,
        "--out",
        "m",
    )
    rng = np.random.default_rng(0)
    asked = [(rng.integers(15), rng.integers(8)) for _ in range(400)]
    shown = [(f"user {a}", f"item {b}", int(rng.random() < (0.02, 0.2)[(a + b + 1) % 2])) for a, b in asked]
    write_csv(shop.folder / "shown.csv", [("user", "item", "bought"), *shown])
    found = json.loads(shop("calibrate", "m", "shown.csv", "--json", "--out", "c").stdout)
    assert (found["slope"], found["intercept"]) != (1.0, 0.0)
    assert vbn.load(shop.folder / "c").trained_.intercept == found["intercept"]
    assert vbn.load(shop.folder / "m").trained_.intercept == 0.0
    more = ("update", "c", "second.csv", "--columns", "user,item", "--again")
    assert "as trained again; vbn calibrate" in shop(*more).stderr
    assert "calibrate" not in shop(*more).stderr
    held_out = (shop.folder / "m" / "held_out.csv").read_text().splitlines()[1:]
    rows = [tuple(line.split(",")[:2]) for line in held_out]
    write_csv(shop.folder / "named.csv", [("customer", "product"), *rows])  # names as vbn train knows them
    assert "slope" in shop("calibrate", "m", "named.csv", "--out", "d").stderr
    said = shop("calibrate", "m", "m/held_out.csv", "--columns", "user,item").stderr
    assert "slope" in said
    assert json.loads(shop("info", "m", "--json").stdout)["trained_here"] is True  # it is still the model of its run


def test_without_rows_no_checkpoint_keeps_them(shop):
    shop("train", "first.csv", *PLAIN, "--no-rows", "--checkpoint-every", 1, *FAST, "--out", "m")
    files = [file for file in (shop.folder / "m").rglob("*") if file.is_file()]
    assert len(files) == 4
    assert not any(b"user 1" in file.read_bytes() for file in files)


def test_forget_leaves_no_byte(shop):
    options = ("--hold-out", 0.3, "--held-out", "out.csv", "--checkpoint-every", 2)
    shop("train", "first.csv", *PLAIN, *options, *FAST, "--out", "m")
    told = shop("forget", "m", "user 1", "--side", "row").stderr
    assert "out.csv lies outside" in told
    assert "forgot 1 entity" in told
    files = [file for file in (shop.folder / "m").rglob("*") if file.is_file()]
    names = {str(name) for name in vbn.load(shop.folder / "m").trained_.rows}
    assert "user 1" not in names
    assert not any(b"user 1\x00" in file.read_bytes() or b"user 1," in file.read_bytes() for file in files)
    assert not (shop.folder / "m" / "checkpoint").exists()
    assert "Did you mean" in shop("forget", "m", "user 1", "--side", "row", code=1).stderr
    assert shop("update", "m", "second.csv", "-q", "--epochs", 1).stdout
