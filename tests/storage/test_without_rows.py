"""A model that is saved without its rows knows nothing of users, and answers all else as before."""

import json

import numpy as np
import pytest

import vbn

FAST = {"dim": 4, "epochs": 6, "negatives": 2, "verbose": False}


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    users, items = [f"patient-{i}" for i in rng.integers(0, 20, 200)], [f"d{j}" for j in rng.integers(0, 10, 200)]
    data = vbn.Dataset.from_interactions(users, items)
    data = data.with_taxonomy({f"patient-{i}": [f"ward {i % 2}"] for i in range(20)}, side="row")
    data = data.with_taxonomy({f"d{j}": [f"chapter {j % 2}"] for j in range(10)})
    return vbn.VBN(**FAST).fit(data)


@pytest.fixture
def small(model, tmp_path):
    return vbn.load(model.save(tmp_path / "m", rows=False))


def test_no_name_of_a_row_is_in_the_folder(model, tmp_path):
    folder = model.save(tmp_path / "m")
    (folder / "held_out.csv").write_text("user,item,weight\npatient-3,d1,1\n")
    model.save(folder, rows=False)
    assert not [file.name for file in folder.iterdir() if b"patient-" in file.read_bytes()]
    card = (folder / "README.md").read_text()
    assert "contains no training records" in card
    assert "20 rows (users, patients) were left out" in card
    assert "2 groups" in card  # the wards
    kept = json.loads((folder / "config.json").read_text())["model"]["left_out"]
    assert kept["rows"] == 20


def test_items_are_answered_as_before(model, small, tmp_path):
    basket = ["d1", "d4"]
    assert small.recommend(basket, k=4).to_dicts() == model.recommend(basket, k=4).to_dicts()
    assert small.similar("d1", k=4).to_dicts() == model.similar("d1", k=4).to_dicts()
    assert small.explain("d1").to_dict()["entity"] == "d1"
    names, vectors = small.vectors()
    np.testing.assert_array_equal(vectors, model.vectors()[1])
    assert len(names) == 12
    assert small.export(tmp_path / "v.txt").read_text().startswith("12 4\n")


def test_all_of_nobody_is_an_error(small):
    with pytest.raises(vbn.DataError, match=r"nobody is there to ask.*rows=True"):
        small.recommend_all()


def test_entities_can_be_added(model, small, tmp_path):
    one = small.add("d99", parents=["chapter 1"]).posterior("d99")
    np.testing.assert_allclose(
        one.mean, model.with_trained(model.trained_).add("d99", ["chapter 1"]).posterior("d99").mean
    )
    small.add("zoe", parents=["ward 1"], contexts={"d1": 2}, side="row")
    again = vbn.load(small.save(tmp_path / "more"))
    assert len(again.recommend(user="zoe", k=2, exclude_seen=False)) == 2
    assert again.forget("d99").similar("d1", k=3).entities


def test_asking_for_a_user_says_why_not(small):
    for ask in (
        lambda: small.recommend(user="patient-3"),
        lambda: small.posterior("patient-3", side="row"),
        lambda: small.predict_proba([("patient-3", "d1")]),
        lambda: small.similar("patient-3", side="row"),
    ):
        with pytest.raises(vbn.UnknownEntityError, match=r"saved without its rows.*rows=True"):
            ask()
    with pytest.raises(vbn.UnknownEntityError, match="Did you mean 'd1'"):
        small.similar("d1x")
    with pytest.raises(vbn.DataError, match=r"saved without its rows.*fit it to all data again"):
        small.partial_fit(vbn.Dataset.from_interactions(["a"], ["d1"]))
    for exclude_seen in (True, False):
        with pytest.raises(vbn.DataError, match=r"saved without its rows.*nobody is there to ask.*rows=True"):
            small.audience("d1", exclude_seen=exclude_seen)


def test_where_rows_are_columns_there_is_nothing_to_leave_out(tmp_path):
    words = vbn.VBN(**FAST).fit(vbn.Dataset.from_pairs(["a", "b"], ["b", "a"]))
    with pytest.raises(vbn.ParameterError, match="same entities"):
        words.save(tmp_path / "m", rows=False)
    assert not (tmp_path / "m").exists()
    with pytest.raises(vbn.ParameterError, match="rows=2"):
        words.save(tmp_path / "m", rows=2)


@pytest.mark.parametrize("told", [{"rows": -1, "total": 1.0, "precision": 1.0}, {"rows": 2}, "none", {}])
def test_damaged_facts_are_refused(small, tmp_path, told):
    file = tmp_path / "m" / "config.json"
    config = json.loads(file.read_text())
    config["model"]["left_out"] = told
    file.write_text(json.dumps(config))
    with pytest.raises(vbn.ModelFileError):
        vbn.load(tmp_path / "m")
