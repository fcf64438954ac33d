"""Columns as further rows: users x items and items x items in one data set."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vbn
from vbn import Dataset

PAIRS = st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("uvwxyz")), min_size=1, max_size=25, unique=True)


def cells(data):
    counts = data.counts
    return {
        (data.rows[i], data.columns[j]): value
        for i, j, value in zip(counts.row_ids().tolist(), counts.indices.tolist(), counts.values.tolist(), strict=True)
    }


@given(pairs=PAIRS, weight=st.floats(0.01, 100))
def test_what_users_have_stays_and_what_goes_together_comes_on_top(pairs, weight):
    users, items = zip(*pairs, strict=True)
    data = Dataset.from_interactions(list(users), list(items))
    both = data.with_co_occurrences(weight)
    lists = [sorted({i for u, i in pairs if u == user}) for user in sorted(set(users))]
    if any(len(one) > 1 for one in lists):
        beside = {pair: weight * count for pair, count in cells(Dataset.from_baskets(lists)).items()}
    else:
        beside = {}
    assert cells(both) == pytest.approx(cells(data) | beside)
    assert both.rows.names[: len(data.rows)] == data.rows.names
    assert both.columns is data.columns
    assert set(both.rows.names) == set(users) | {row for row, _ in beside}
    for name in both.rows.names[len(data.rows) :]:
        assert both.rows.counts[both.rows.id(name)] == data.columns.counts[data.columns.id(name)]


def test_weights_of_users_do_not_count_twice():
    data = Dataset.from_interactions(["ann", "ann"], ["tea", "milk"], [5.0, 3.0])
    assert cells(data.with_co_occurrences()) == {
        ("ann", "tea"): 5.0,
        ("ann", "milk"): 3.0,
        ("tea", "milk"): 1.0,
        ("milk", "tea"): 1.0,
    }


def test_taxonomies_stay_and_may_come_later():
    data = Dataset.from_interactions(["ann", "ann"], ["tea", "milk"]).with_taxonomy({"tea": "drink", "milk": "drink"})
    data = data.with_taxonomy({"ann": "people"}, side="row")
    both = data.with_co_occurrences()
    assert "drink" not in both.rows  # a category is in no basket
    assert both.column_taxonomy.n_edges == 2
    assert both.row_taxonomy.n_edges == 1
    later = both.with_taxonomy({"tea": "drink", "milk": "drink"}, side="row")
    model = vbn.VBN(dim=2, epochs=2, verbose=False).fit(later)
    assert np.isfinite(model.posterior("tea", side="row").mean).all()


def test_names_must_tell_users_from_items():
    with pytest.raises(vbn.DataError, match=r"2 names of columns.*'user 1'"):
        Dataset.from_interactions(["1", "1", "2"], ["1", "2", "3"]).with_co_occurrences()
    with pytest.raises(vbn.DataError, match="same entities"):
        Dataset.from_baskets([["a", "b"]]).with_co_occurrences()


@pytest.mark.parametrize("weight", [0, -1, float("nan"), float("inf"), True, "much", None])
def test_weights_are_positive_numbers(weight):
    with pytest.raises(vbn.ParameterError, match="weight"):
        Dataset.from_interactions(["ann", "ann"], ["tea", "milk"]).with_co_occurrences(weight)
