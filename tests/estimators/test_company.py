"""Rows that learn from what occurs together: when they do, with what result, and through the life of a model."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vbn
from vbn.data import has_short_rows, with_company
from vbn.inference import fold_in
from vbn.kernels import ContextArrays
from vbn.model import Company, Gaussians


def _short(seed: int = 0, users: int = 150, groups: int = 4, each: int = 8, length: int = 3) -> vbn.Dataset:
    """Users with three items of one group each, and groups as taxonomy."""
    rng = np.random.default_rng(seed)
    who, what = [], []
    for user in range(users):
        group = user % groups
        who += [str(user)] * length
        what += [str(group * each + item) for item in rng.choice(each, length, replace=False)]
    edges = {str(item): [f"group {item // each}"] for item in range(groups * each)}
    return vbn.Dataset.from_interactions(who, what).with_taxonomy(edges)


@pytest.fixture(scope="module")
def model() -> vbn.VBN:
    return vbn.VBN(dim=8, epochs=10, verbose=False).fit(_short())


def test_short_rows_have_company_and_long_ones_not() -> None:
    assert has_short_rows(_short())
    long = vbn.Dataset.from_interactions(np.repeat(np.arange(50), 60), np.tile(np.arange(60), 50))
    assert not has_short_rows(long)
    single = vbn.Dataset.from_interactions(["a", "b"], ["x", "y"])
    assert not has_short_rows(single)  # nothing occurs together
    wide = vbn.Dataset.from_interactions(["a", "a", "b", "b"], ["x", "y", "x", "z"])
    assert not has_short_rows(wide)  # columns are known no better than rows
    words = vbn.Dataset.from_sequences([["a", "b", "c"]])
    assert not has_short_rows(words)


def test_rows_of_company_count_what_occurs_together_once_for_each_pair_of_the_data() -> None:
    data = vbn.Dataset.from_interactions(["a", "a", "a", "b", "b"], ["x", "y", "z", "x", "y"])
    data = data.with_taxonomy({"x": ["kind"], "y": ["kind"]})
    larger = with_company(data)
    counts = larger.counts.to_scipy().toarray()
    x, y, z = (len(data.rows) + data.columns.id(name) for name in "xyz")
    assert counts[x][data.columns.ids(list("xyz"))].tolist() == [0.0, 1.5, 0.5]
    assert counts[z][data.columns.ids(list("xyz"))].tolist() == [0.5, 0.5, 0.0]
    assert counts[y].sum() == 2.0  # as often as it is in the data
    assert np.array_equal(counts[: len(data.rows)], data.counts.to_scipy().toarray())
    assert larger.row_taxonomy is not None
    assert larger.row_taxonomy.parents(larger.rows[x]) == [(larger.rows[len(data.rows) + data.columns.id("kind")], 1.0)]


def test_names_of_rows_and_columns_may_be_the_same(model: vbn.VBN) -> None:
    assert model.settings_["company"] is True
    assert "company      True  rows are short" in model.describe()
    assert "1" in model.trained_.rows
    assert "1" in model.trained_.columns
    assert len(model.trained_.rows) == len(model.data_.rows)
    assert len(model.trained_.company) == len(model.trained_.columns)
    odd = vbn.Dataset.from_interactions(["with x", "with x", "b", "b"], ["x", "y", "x", "y"])
    assert len(set(with_company(odd).rows.names)) == 4


def test_a_row_is_the_mean_of_its_own_density_and_that_of_its_columns() -> None:
    rng = np.random.default_rng(1)
    company = Company(rng.normal(size=(4, 3)), rng.uniform(0.5, 1, (4, 3)), np.array([True, True, False, True]))
    own = Gaussians(rng.normal(size=(3, 3)), rng.uniform(0.5, 1, (3, 3)))
    joined = company.joined(own, np.array([0, 3, 3, 4]), np.array([0, 2, 3, 9]))
    mean = (own.mean[0] + (company.mean[0] + company.mean[3]) / 2) / 2
    variance = ((np.sqrt(own.variance[0]) + np.sqrt(company.variance[0] + company.variance[3]) / 2) / 2) ** 2
    np.testing.assert_allclose(joined.mean[0], mean)
    np.testing.assert_allclose(joined.variance[0], variance)
    np.testing.assert_array_equal(joined.mean[1:], own.mean[1:])  # no columns, and one that came later
    np.testing.assert_array_equal(joined.variance[1:], own.variance[1:])
    alone = company.apart(joined, np.array([0, 3, 3, 4]), np.array([0, 2, 3, 9]))
    np.testing.assert_allclose(alone.mean, own.mean)
    np.testing.assert_allclose(alone.variance, own.variance)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.integers(0, 9), max_size=6), min_size=1, max_size=6), st.randoms())
def test_the_order_of_columns_and_of_rows_does_not_matter(baskets: list[list[int]], random: object) -> None:
    rng = np.random.default_rng(len(baskets))
    company = Company(rng.normal(size=(10, 2)), rng.uniform(0.5, 1, (10, 2)), rng.random(10) < 0.7)
    own = Gaussians(rng.normal(size=(len(baskets), 2)), rng.uniform(0.5, 1, (len(baskets), 2)))

    def joined(lists: list[list[int]], rows: list[int]) -> np.ndarray:
        indptr = np.concatenate([[0], np.cumsum([len(lists[row]) for row in rows])]).astype(np.int64)
        flat = np.array([item for row in rows for item in lists[row]], dtype=np.int64)
        return company.joined(Gaussians(own.mean[rows], own.variance[rows]), indptr, flat).mean

    order = list(range(len(baskets)))
    random.shuffle(order)  # type: ignore[attr-defined]
    backwards = [basket[::-1] for basket in baskets]
    np.testing.assert_allclose(joined(baskets, list(range(len(baskets))))[order], joined(backwards, order), atol=1e-12)


def test_company_finds_the_group_of_a_row_with_one_item(model: vbn.VBN) -> None:
    alone = vbn.VBN(dim=8, epochs=10, company=False, verbose=False).fit(_short())
    assert alone.trained_.company is None
    ranks = []
    for each in (model, alone):
        found = [each.recommend([str(item)], k=7, popularity=0.0) for item in range(32)]
        ranks.append(np.mean([int(row.entity) // 8 == item // 8 for item, rows in enumerate(found) for row in rows]))
    assert ranks[0] >= ranks[1] - 0.01
    assert ranks[0] > 0.9


def test_a_saved_model_keeps_its_company(model: vbn.VBN, tmp_path: object) -> None:
    model.save(tmp_path / "model")  # type: ignore[operator]
    loaded = vbn.load(tmp_path / "model")  # type: ignore[operator]
    assert loaded.trained_.company is not None
    for name in ("mean", "variance", "known"):
        np.testing.assert_array_equal(getattr(loaded.trained_.company, name), getattr(model.trained_.company, name))
    assert list(loaded.recommend(["1"], k=3)) == list(model.recommend(["1"], k=3))


def test_the_density_of_a_row_that_is_added_is_near_that_of_a_query(model: vbn.VBN) -> None:
    grown = vbn.VBN(dim=8, epochs=10, verbose=False).fit(_short())
    grown.add("new", contexts={"1": 1, "2": 1}, side="row")
    best = {row.entity for row in grown.recommend(user="new", k=5, popularity=0.0, exclude_seen=False)}
    asked = {row.entity for row in grown.recommend(["1", "2"], k=5, popularity=0.0, exclude_seen=False)}
    assert len(best & asked) >= 4


@pytest.mark.parametrize("basket", [["1"], ["1", "2"], ["9", "10", "11"], ["1", "30"]])
def test_a_new_row_of_events_is_near_a_query_of_the_same_items(model: vbn.VBN, basket: list[str]) -> None:
    seen = copy.copy(model).observe([("new", item) for item in basket])
    trained, u = model.trained_, seen.trained_.posterior.u
    at = seen.trained_.rows.id("new")
    columns = trained.columns.ids(basket)
    asked = fold_in(trained, ContextArrays(np.array([0, len(basket)]), columns, np.ones(len(basket))))
    std = np.sqrt(asked.variance[0])
    assert (np.abs(u.mean[at] - asked.mean[0]) < 0.2 * std).all()  # two samples of the noise, one without the basket
    np.testing.assert_allclose(np.sqrt(u.variance[at]), std, rtol=0.15)
    one, other = (
        {row.entity: row.score for row in each.recommend(**what, k=40, exclude_seen=False, popularity=0.0)}
        for each, what in ((seen, {"user": "new"}), (model, {"entities": basket}))
    )
    assert one.keys() == other.keys()
    assert max(abs(one[item] - other[item]) for item in one) < 0.025


def test_company_comes_to_rows_with_each_event(model: vbn.VBN, tmp_path: object) -> None:
    together = copy.copy(model).observe([("new", item) for item in ("9", "10", "11")])
    apart = copy.copy(model)
    for item in ("9", "10", "11"):
        apart.observe([("new", item)])
    at = apart.trained_.rows.id("new")
    one, other = (each.trained_.posterior.u for each in (apart, together))
    assert (np.abs(one.mean[at] - other.mean[at]) < 0.2 * np.sqrt(other.variance[at])).all()
    known = copy.copy(model).observe([("0", "30")])  # of another group
    before, after = (each.predict_proba([("0", "31")])[0] for each in (model, known))
    assert after > before + 0.01
    why = known.explain("0", "31")
    assert abs(next(term.value for term in why.terms if term.kind == "rest")) < 0.1
    small = vbn.load(model.save(tmp_path / "m", counts=False))  # type: ignore[operator]
    small.observe([("new", item) for item in ("9", "10", "11")])
    at = small.trained_.rows.id("new")
    close = np.abs(small.trained_.posterior.u.mean[at] - other.mean[at]) < 0.3 * np.sqrt(other.variance[at])
    assert close.all()


def test_items_added_later_have_no_company_and_do_no_harm() -> None:
    model = vbn.VBN(dim=8, epochs=10, verbose=False).fit(_short())
    model.add("fresh", parents=["group 0"])
    assert len(model.trained_.company) == len(model.trained_.columns) - 1
    assert len(model.recommend(["1", "fresh"], k=3)) == 3
    assert len(model.recommend(["fresh"], k=3)) == 3


def test_more_data_goes_on_from_the_company_that_was_learned() -> None:
    model = vbn.VBN(dim=8, epochs=6, verbose=False).fit(_short())
    before = model.trained_.company
    model.partial_fit(vbn.Dataset.from_interactions(["0", "new"], ["9", "brand new"]))
    after = model.trained_.company
    assert len(after) == len(model.trained_.columns) == len(before) + 1
    there = np.flatnonzero(before.known & (before.mean != 0).any(axis=1))
    one, two = before.mean[there], after.mean[there]
    cosine = (one * two).sum(1) / np.linalg.norm(one, axis=1) / np.linalg.norm(two, axis=1)
    assert np.median(cosine) > 0.95


def test_same_bits_for_any_number_of_threads() -> None:
    fits = [vbn.VBN(dim=8, epochs=4, n_threads=n, verbose=False).fit(_short()) for n in (1, 2)]
    one, two = (fit.trained_ for fit in fits)
    np.testing.assert_array_equal(one.posterior.u.mean, two.posterior.u.mean)
    np.testing.assert_array_equal(one.company.mean, two.company.mean)


def test_a_fit_resumes_to_the_same_bits(tmp_path: object) -> None:
    folder = tmp_path / "checkpoint"  # type: ignore[operator]
    whole = vbn.VBN(dim=8, epochs=6, verbose=False).fit(_short())
    vbn.VBN(dim=8, epochs=6, verbose=False, checkpoint=folder, checkpoint_every=3).fit(
        _short(), callbacks=[lambda model, _: model.n_iter_ == 3]
    )
    resumed = vbn.VBN(dim=8, epochs=6, verbose=False).fit(_short(), resume_from=folder)
    np.testing.assert_array_equal(whole.trained_.posterior.u.mean, resumed.trained_.posterior.u.mean)
    np.testing.assert_array_equal(whole.trained_.company.mean, resumed.trained_.company.mean)


def test_columns_that_are_rows_already_get_no_company() -> None:
    data = vbn.Dataset.from_interactions(["ann", "ann", "ben", "cem"], ["tea", "milk", "tea", "tea"])
    assert has_short_rows(data)
    assert not has_short_rows(data.with_co_occurrences())


def test_data_on_disk_stays_there(tmp_path: object) -> None:
    data = vbn.Dataset.from_interactions(["ann", "ann", "ben", "cem"], ["tea", "milk", "tea", "tea"])
    assert not has_short_rows(data.to_folder(tmp_path / "counts"))  # type: ignore[operator]
