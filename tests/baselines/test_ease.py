"""EASE against the regressions that it solves, and what all baselines refuse."""

import sys

import numpy as np
import pytest

import vbn
from tests.baselines.test_word_vectors import two_shops
from vbn.baselines import EASE


def weighted(seed=0):
    rng = np.random.default_rng(seed)
    data = two_shops(60, seed)
    counts = rng.integers(1, 5, data.counts.nnz)
    rows = [data.rows[i] for i in data.counts.row_ids()]
    return vbn.Dataset.from_interactions(rows, [data.columns[j] for j in data.counts.indices], counts)


@pytest.mark.parametrize("binary", [True, False])
def test_ease_solves_the_regression_of_every_column_on_the_others(binary):
    data = weighted()
    x = data.counts.to_scipy().toarray()
    x = (x > 0).astype(float) if binary else x
    model = EASE(regularization=3.0, binary=binary).fit(data)
    for j in (0, 7):
        others = np.delete(np.arange(x.shape[1]), j)
        gram = x[:, others].T @ x[:, others] + 3.0 * np.eye(len(others))
        weights = np.linalg.solve(gram, x[:, others].T @ x[:, j])
        user = data.rows.id("u5")
        assert model.scores(["u5"])[0, j] == pytest.approx(x[user, others] @ weights, rel=1e-8)


def test_it_finds_the_half_of_the_shop_and_leaves_out_what_a_user_has():
    data = two_shops()
    model = EASE(regularization=10.0).fit(data)
    first = {f"i{i}" for i in range(10)}
    has = {data.columns[j] for j in data.counts.indices[: data.counts.indptr[1]]}
    assert set(model.recommend(user="u0", k=6).entities) <= first - has
    assert set(model.recommend(["i0", "i1", "i2"], k=6).entities) <= first
    assert has <= set(model.recommend(user="u0", k=20, exclude_seen=False).entities)
    assert model.recommend(user="u0", k=3, candidates=["i1"], exclude_seen=False).entities == ["i1"]
    assert [table.query for table in model.recommend(user=["u0", "u1"], k=3)] == ["u0", "u1"]


def test_columns_without_data_score_0():
    departments = {f"i{i}": ["first" if i < 10 else "second"] for i in range(20)}
    data = two_shops().with_taxonomy({**departments, "new": ["first"], "first": ["shop"], "second": ["shop"]})
    model = EASE().fit(data)
    assert not model.scores(["u0", ["i1"], ["new"]])[:, model.columns.ids(["new", "shop"])].any()
    assert "shop" not in model.recommend(user="u0", k=50).entities
    assert "new" in model.recommend(user="u0", k=50).entities


@pytest.mark.parametrize(
    ("model", "message"), [(EASE(regularization=0), "regularization"), (EASE(binary="no"), "binary")]
)
def test_bad_parameters_are_named(model, message):
    with pytest.raises(vbn.ParameterError, match=message):
        model.fit(two_shops(10))


@pytest.mark.parametrize("model", [EASE(), vbn.Popularity(), vbn.BayesianSkipGram()])
def test_what_is_no_data_set_is_refused(model):
    with pytest.raises(vbn.DataError, match="Dataset"):
        model.fit([["a", "b"]])


def test_a_missing_package_names_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(vbn.MissingExtraError, match=r"pip install 'vbn\[baselines\]'"):
        vbn.SkipGram().fit(two_shops(10))
