"""Content in the shell: --features and --text of training, and of adding."""

from __future__ import annotations

import itertools
import tomllib

import numpy as np
import pytest

import vbn
from tests.cli.conftest import write_csv
from vbn.cli.content import content_entries, content_files

FAST = ("--dim", 4, "--epochs", 4, "--favour", "all", "-q")
ITEMS = [
    ("item", "price", "year", "about"),
    ("tea", 2.5, 2020, "hot drink with leaves"),
    ("coffee", 3.5, 2021, "hot drink of beans"),
    ("beer", 4.5, 2010, "cold bitter alcohol"),
    ("wine", 9.5, 2012, "alcohol of grapes"),
]


@pytest.fixture
def shop(tmp_path):
    pairs = [
        (f"u{user}", item)
        for user, item in itertools.product(range(20), ("tea", "coffee", "beer", "wine"))
        if (user % 2 == 0) == (item in ("tea", "coffee"))
    ]
    write_csv(tmp_path / "sales.csv", [("user", "item"), *pairs])
    write_csv(tmp_path / "items.csv", ITEMS)
    return tmp_path


def train(called, *options, cwd, kind="interactions"):
    return called("train", "sales.csv", "--kind", kind, *FAST, "--out", "model", *options, cwd=cwd)


def sources(folder):
    features = vbn.load(folder).trained_.column_side.features
    return {source.name: source.columns for source in features.sources}


def test_columns_of_numbers(shop, called):
    result = train(called, "--features", "items.csv:price,year", cwd=shop)
    assert result.returncode == 0, result.stderr
    assert sources(shop / "model") == {"features": ("price", "year")}
    settings = tomllib.loads((shop / "model" / "train.toml").read_text())
    assert settings["features"] == {"features": ["../items.csv", "price", "year"]}


def test_several_sources_by_name(shop, called):
    np.save(shop / "images.npy", np.eye(4, 3, dtype=np.float32))
    (shop / "images.ids.txt").write_text("tea\ncoffee\nbeer\nwine\n")
    result = train(called, "--features", "facts=items.csv:price", "--features", "image=images.npy", cwd=shop)
    assert result.returncode == 0, result.stderr
    assert sources(shop / "model") == {"facts": ("price",), "image": None}


def test_the_written_settings_repeat_the_run_to_the_bit(shop, called):
    pytest.importorskip("wordllama")
    options = (
        "--features",
        "items.csv:price",
        "--text",
        "items.csv:about",
        "--id",
        "item",
        "--content-strength",
        "text=0.5",
    )
    assert train(called, *options, cwd=shop).returncode == 0
    before = [file.name for file in (shop / "model").glob("model-*")]
    (shop / "elsewhere").mkdir()
    again = called("train", "--config", "../model/train.toml", "--out", "again", "-q", cwd=shop / "elsewhere")
    assert again.returncode == 0, again.stderr
    assert [file.name for file in (shop / "elsewhere" / "again").glob("model-*")] == before


def test_texts_of_training_and_of_a_new_item(shop, called):
    pytest.importorskip("wordllama")
    assert train(called, "--text", "items.csv:about", "--dim", 8, "--epochs", 20, cwd=shop).returncode == 0
    added = called("add", "model", "mate", "--text", "a hot brew of leaves", "--out", "more", cwd=shop)
    assert added.returncode == 0, added.stderr
    added = called("add", "more", "gin", "--text", "text=strong alcohol = fun", cwd=shop)
    assert added.returncode == 0, added.stderr
    warm, cold = vbn.load(shop / "more").predict_proba([("u0", "mate"), ("u0", "gin")])
    assert warm > cold
    told = called("explain", "more", "mate", cwd=shop)
    assert told.returncode == 0
    assert "text" in told.stdout


def test_texts_of_many_new_items(shop, called):
    pytest.importorskip("wordllama")
    taxonomy = [("item", "parent"), *((item, "drink") for item in ("tea", "coffee", "beer", "wine"))]
    write_csv(shop / "kinds.csv", taxonomy)
    options = ("--taxonomy", "kinds.csv", "--text", "items.csv:about", "--dim", 8, "--epochs", 20)
    assert train(called, *options, cwd=shop).returncode == 0
    new = [("name", "parent", "about"), ("mate", "drink", "a hot brew of leaves"), ("gin", "drink", "strong alcohol")]
    write_csv(shop / "new.csv", new)
    added = called("add", "model", "--from", "new.csv", "--text", "about", "--out", "more", cwd=shop)
    assert added.returncode == 0, added.stderr
    grown, model = vbn.load(shop / "more"), vbn.load(shop / "model")
    model.add({name: {"parents": [parent], "text": text} for name, parent, text in new[1:]})
    for name in ("mate", "gin"):
        ours, theirs = (one.posterior(name, role="context").mean for one in (grown, model))
        np.testing.assert_array_equal(ours, theirs)
    write_csv(shop / "twice.csv", [*new, ("rum", "drink", "strong"), ("rum", "drink", "weak")])
    refused = called("add", "model", "--from", "twice.csv", "--text", "about", cwd=shop)
    assert refused.returncode == 1
    assert "two things about 'rum'" in " ".join(refused.stderr.split())


def test_features_of_many_new_items(shop, called):
    assert train(called, "--features", "items.csv:price,year", cwd=shop).returncode == 0
    write_csv(shop / "new.csv", [("name", "parent", "price", "year"), ("mate", "tea", 2.5, 2020)])
    options = ("--features", "price,year", "--columns", "name,parent", "--out", "more")
    added = called("add", "model", "--from", "new.csv", *options, cwd=shop)
    assert added.returncode == 0, added.stderr
    same = vbn.load(shop / "model").add("mate", parents=["tea"], features=[2.5, 2020.0])
    ours = vbn.load(shop / "more").posterior("mate", role="context").mean
    np.testing.assert_array_equal(ours, same.posterior("mate", role="context").mean)


def test_features_of_a_new_item(shop, called):
    assert train(called, "--features", "items.csv:price,year", cwd=shop).returncode == 0
    added = called("add", "model", "mate", "--features", "2.5,2020", cwd=shop)
    assert added.returncode == 0, added.stderr
    named = called("add", "model", "cocoa", "--features", "features=2.5,2020", cwd=shop)
    assert named.returncode == 0, named.stderr
    model = vbn.load(shop / "model")
    assert (model.posterior("mate", role="context").mean == model.posterior("cocoa", role="context").mean).all()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--features", "2.5,x"], "--features takes numbers"),
        (["--features", "2.5"], "have 1 numbers; the model was trained with 2"),
        (["--text", "hot"], "trained without texts; add it without, or train again with vbn train --text"),
        (["--features", "1,2", "--features", "3,4"], "give each source once"),
    ],
)
def test_mistakes_in_adding(shop, called, options, told):
    assert train(called, "--features", "items.csv:price,year", cwd=shop).returncode == 0
    result = called("add", "model", "mate", *options, cwd=shop)
    assert result.returncode in (1, 2)
    assert told in result.stderr.replace("\n", " ")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            ["--features", "items.csv"],
            "Choose the columns of numbers with --features FILE:COLUMN,..., and give text to --text",
        ),
        (["--features", "items.csv:prise"], "no column 'prise'"),
        (["--features", "items.csv:price", "--features", "items.csv:year"], "give each source a name of its own"),
        (["--features", "a=items.csv:price", "--text", "a=items.csv:about"], "both have a source 'a'"),
        (["--features", "nothing.csv"], "no such file"),
        (["--features", "items.csv:price", "--id", "about"], "none of the 4 ids"),
        (["--features", "=items.csv"], "--features takes [NAME=]FILE[:COLUMN,...]"),
        (["--content-side", "row"], "give --features or --text, too"),
        (["--features", "gaps.csv"], "pass --drop-missing to leave out such rows"),
    ],
)
def test_mistakes(shop, called, options, told):
    write_csv(shop / "gaps.csv", [("item", "price"), ("tea", 1), ("beer", "")])
    result = train(called, *options, cwd=shop)
    assert result.returncode in (1, 2)
    assert told in " ".join(result.stderr.split())


def test_gaps_may_be_dropped_and_rows_may_have_features(shop, called):
    write_csv(shop / "gaps.csv", [("item", "price"), ("tea", 1), ("beer", ""), ("wine", 3)])
    assert train(called, "--features", "gaps.csv", "--drop-missing", cwd=shop).returncode == 0
    write_csv(shop / "users.csv", [("user", "age"), ("u0", 30), ("u1", 40)])
    result = train(called, "--features", "users.csv", "--content-side", "row", cwd=shop)
    assert result.returncode == 0, result.stderr
    assert vbn.load(shop / "model").trained_.row_side.features.widths == {"features": 1}


def test_a_damaged_toml(shop, called):
    (shop / "bad.toml").write_text(
        'input = "sales.csv"\nkind = "interactions"\nout = "m"\n[features]\nx = "items.csv"\n'
    )
    result = called("train", "--config", "bad.toml", cwd=shop)
    assert result.returncode == 1
    assert "[features] must give [file, columns...] for 'x'" in result.stderr


def test_tuning_takes_content_too(shop, called):
    pytest.importorskip("optuna")
    options = ("--trials", 1, "--dim", 4, "--epochs", 3, "-q", "--features", "items.csv:price", "--out", "tuned")
    result = called("tune", "sales.csv", "--kind", "interactions", *options, cwd=shop)
    assert result.returncode == 0, result.stderr
    assert sources(shop / "tuned") == {"features": ("price",)}


def test_entries():
    assert content_entries("features", ["a.csv:0,2"]) == {"features": ["a.csv", "0", "2"]}
    assert content_entries("text", ["description"], catalogue="items.csv") == {"text": ["items.csv", "description"]}
    assert content_entries("text", ["other.csv"], catalogue="items.csv") == {"text": ["other.csv"]}
    assert content_files({"text": {"a": ["x.csv", "b"]}, "features": {"c": ["y.npy"]}}) == ["y.npy", "x.csv"]
