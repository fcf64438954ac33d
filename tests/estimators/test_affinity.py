"""Ranking by what occurs together: when, with what result, and through the life of a model."""

import copy

import numpy as np
import pytest

import vbn
from tests.storage.making import rewrite
from vbn.baselines import as_scorer
from vbn.engines import ThreadEngine
from vbn.estimators import choices
from vbn.model import Affinity

PAIRS = 30


def bought(users=400, seed=0):
    """Users with three pairs of items each: first and second part of something, of the same kind as all others."""
    rng = np.random.default_rng(seed)
    who, what = [], []
    for user in range(users):
        for pair in rng.choice(PAIRS, 3, replace=False):
            who += [f"u{user}"] * 2
            what += [f"first {pair}", f"second {pair}"]
    return vbn.Dataset.from_interactions(who, what).with_taxonomy({name: ["thing"] for name in (*set(what), "new")})


def fitted(data=None, **options):
    given = {"dim": 2, "epochs": 5, "company": False, "verbose": False} | options
    return vbn.VBN(**given).fit(bought() if data is None else data)


@pytest.fixture(scope="module")
def model():
    return fitted()


def second_parts_found(model, number=PAIRS):
    lists = model.recommend([[f"first {pair}"] for pair in range(number)], k=1)
    return sum(one.entities == [f"second {pair}"] for pair, one in enumerate(lists))


def test_it_finds_what_two_dimensions_cannot_tell(model):
    assert second_parts_found(model) >= 0.9 * PAIRS
    assert second_parts_found(fitted(affinity=False)) <= 0.5 * PAIRS


def test_probabilities_are_those_of_the_densities_alone(model):
    plain = fitted(affinity=False)
    pairs = [("u1", "first 2"), ("u7", "second 3")]
    np.testing.assert_array_equal(model.predict_proba(pairs), plain.predict_proba(pairs))
    assert model.settings_["popularity"] == plain.settings_["popularity"]


def test_the_bits_do_not_depend_on_threads():
    counts = bought().counts
    one, two = (Affinity.learned(counts, ThreadEngine(n)) for n in (1, 2))
    np.testing.assert_array_equal(one.columns, two.columns)
    np.testing.assert_array_equal(one.weights, two.weights)


def test_how_often_a_row_has_something_does_not_matter():
    data = bought()
    often = copy.copy(data.counts.to_scipy())
    often.data = often.data * 7
    more = vbn.Dataset.from_matrix(often, rows=data.rows.names, columns=data.columns.names)
    once = Affinity.learned(data.counts, ThreadEngine(1))
    np.testing.assert_array_equal(once.weights, Affinity.learned(more.counts, ThreadEngine(1)).weights)


def test_rows_that_are_too_many_are_represented_by_some(monkeypatch):
    counts = bought(4000).counts
    monkeypatch.setattr("vbn.model.affinity._PRODUCTS", 40_000)
    some = fitted(bought(4000))
    assert isinstance(some.trained_.affinity, Affinity)
    assert second_parts_found(some) >= 0.9 * PAIRS
    np.testing.assert_array_equal(some.trained_.affinity.weights, Affinity.learned(counts, ThreadEngine(2)).weights)


def test_users_and_their_lists_are_ranked_alike(model):
    """A user who was seen in training and a new one with the same items get the same lift."""
    trained, data = model.trained_, model.data_
    row = data.rows.id("u5")
    mine = data.counts.indices[data.counts.indptr[row] : data.counts.indptr[row + 1]].astype(np.int64)
    lifts = trained.lifts(np.array([0, len(mine), len(mine)]), mine).dense()
    assert (lifts[1] == 0).all()  # a user with no history
    plain = as_scorer(fitted(affinity=False))
    lifted = as_scorer(model)
    for query in ("u5", [data.columns[j] for j in mine.tolist()]):
        added = lifted.scores([query]) - plain.scores([query])
        np.testing.assert_allclose(added[0], lifts[0], atol=1e-4)


def test_what_comes_twice_counts_once(model):
    once = model.trained_.lifts(np.array([0, 2]), np.array([3, 5])).dense()
    twice = model.trained_.lifts(np.array([0, 4]), np.array([3, 5, 5, 3])).dense()
    np.testing.assert_array_equal(once, twice)


def test_what_is_added_and_forgotten(model, tmp_path):
    grown = vbn.load(model.save(tmp_path / "m"))
    before = grown.recommend(["first 3"], k=3)
    grown.add("third 3", parents=["thing"])
    assert grown.recommend(["first 3"], k=3).entities == before.entities
    assert len(grown.recommend(["third 3"], k=3)) == 3  # nothing is known of what it occurs with
    grown.forget("second 3")
    assert "second 3" not in grown.recommend(["first 3"], k=60).entities
    found = grown.recommend([["first 4"], ["first 5"]], k=1)
    assert [one.entities for one in found] == [["second 4"], ["second 5"]]


def test_it_is_saved_and_read(model, tmp_path):
    again = vbn.load(model.save(tmp_path / "m"))
    np.testing.assert_array_equal(again.trained_.affinity.weights, model.trained_.affinity.weights)
    assert str(again.recommend(user="u3")) == str(model.recommend(user="u3"))
    bare = vbn.load(model.save(tmp_path / "bare", counts=False))
    assert second_parts_found(bare) >= 0.9 * PAIRS  # lists of items need no counts
    assert len(bare.recommend(user="u3", exclude_seen=False)) == 10


def test_more_data_is_learned_from_where_all_of_it_is_there(model, tmp_path):
    more = vbn.Dataset.from_interactions([f"x{user}" for user in range(200) for _ in "ab"], ["new", "first 1"] * 200)
    grown = vbn.load(model.save(tmp_path / "m")).partial_fit(more)
    assert grown.recommend(["new"], k=1).entities == ["first 1"]
    bare = vbn.load(model.save(tmp_path / "bare", counts=False)).partial_fit(more)
    assert second_parts_found(bare) >= 0.8 * PAIRS  # what was known before stays


def test_reasons_name_it_and_add_up(model):
    why = model.explain(["first 2"], "second 2", popularity="auto")
    together = {term.kind: term.value for term in why.terms}["together"]
    assert together > 1.0
    assert sum(term.value for term in why.terms) == pytest.approx(why.logit, abs=1e-5)
    assert "occurs together" in str(why)
    listed = model.recommend(["first 2"], k=1)
    assert why.probability == pytest.approx(next(iter(listed)).score, abs=1e-4)
    assert "together" not in {term.kind for term in model.explain(["first 2"], "second 2").terms}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (bought(), True),
        (vbn.Dataset.from_baskets([["a", "b"], ["b", "c"]]), False),
        (vbn.Dataset.from_sequences([["a", "b", "c"]]), False),
        (bought().with_co_occurrences(), False),
    ],
)
def test_it_is_for_users_and_items(data, expected):
    choice = choices({"affinity": "auto"}, data)["affinity"]
    assert choice.value is expected
    assert choice.reason


def test_what_is_new_gets_what_a_column_gets_on_average(model, tmp_path):
    data, new = model.data_, model.trained_.columns.id("new")
    rows = np.array([3, 8])
    lists = [data.counts.indices[data.counts.indptr[row] : data.counts.indptr[row + 1]] for row in rows]
    indptr, has = np.array([0, len(lists[0]), len(lists[0]) + len(lists[1])]), np.concatenate(lists).astype(np.int64)
    lifts = model.trained_.lifts(indptr, has)
    found, seen = lifts.dense(), np.flatnonzero(data.columns.counts > 0)
    np.testing.assert_allclose(found[:, new], found[:, seen].mean(axis=1), rtol=1e-4)
    np.testing.assert_array_equal(lifts.at(np.array([[new, 0], [1, -1]])), [found[0, [new, 0]], [found[1, 1], 0.0]])
    grown = vbn.load(model.save(tmp_path / "m")).add("newer", parents=["thing"])
    larger = grown.trained_.lifts(indptr, has).dense()
    np.testing.assert_allclose(larger[:, grown.trained_.columns.id("newer")], found[:, new], rtol=1e-5)


def test_no_weights_belong_to_columns_that_nobody_has(model):
    new = model.trained_.columns.id("new")
    assert not (model.trained_.affinity.columns == new).any()
    assert (model.trained_.affinity.weights[new] == 0).all()


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays: arrays["affinity.columns"].__setitem__((0, 0), 9999),
        lambda arrays: arrays["affinity.columns"].__setitem__((0, 0), -2),
        lambda arrays: arrays["affinity.weights"].__setitem__((0, 0), np.nan),
        lambda arrays: arrays.update({"affinity.weights": arrays["affinity.weights"][:-1]}),
        lambda arrays: arrays.pop("affinity.weights"),
        lambda arrays: arrays.update(
            {name: np.repeat(arrays[name], 2, axis=0) for name in ("affinity.columns", "affinity.weights")}
        ),
    ],
    ids=["beyond the columns", "below none", "NaN", "too few weights", "no weights", "too many columns"],
)
def test_damaged_files_are_refused(model, tmp_path, change):
    folder = model.save(tmp_path / "m")
    rewrite(folder, change)
    with pytest.raises(vbn.ModelFileError):
        vbn.load(folder)
