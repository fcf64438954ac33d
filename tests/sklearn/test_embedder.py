"""EntityEmbedder: scikit-learn's own checks, and what users of pipelines and grid searches rely on."""

import importlib
import sys

import numpy as np
import pandas
import pytest
from scipy.sparse import coo_matrix, csr_array, csr_matrix
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import vbn
from vbn.sklearn import EntityEmbedder

SMALL = {"dim": 4, "epochs": 12, "n_threads": 1}


# scikit-learn may skip a check by itself (array API), but none is expected to fail.
@parametrize_with_checks([EntityEmbedder(dim=3, epochs=2)], expected_failed_checks=lambda _: {})
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def shoppers(n=120, items=24, seed=0):
    """Two kinds of users, each with its own half of the items, and what kind they are."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 2, n)
    taste = np.where((np.arange(items) >= items // 2)[None, :] == kind[:, None], 0.4, 0.02)
    return rng.poisson(taste).astype(float), kind


def test_users_of_one_kind_lie_together_and_new_ones_join_them():
    X, kind = shoppers()
    embedder = EntityEmbedder(**SMALL).fit(X)
    new, new_kind = shoppers(seed=1)
    new, new_kind = new[new.sum(axis=1) > 0], new_kind[new.sum(axis=1) > 0]
    centres = np.stack([embedder.transform(X[kind == k]).mean(axis=0) for k in (0, 1)])
    distance = ((embedder.transform(new)[:, None] - centres) ** 2).sum(axis=2)
    assert (distance.argmin(axis=1) == new_kind).mean() > 0.9


@pytest.mark.parametrize("form", [np.asarray, csr_array, csr_matrix, coo_matrix, np.asfortranarray])
def test_all_forms_of_a_matrix_give_the_same_bits(form):
    X, _ = shoppers(40)
    expected = EntityEmbedder(**SMALL).fit(X).transform(X)
    np.testing.assert_array_equal(EntityEmbedder(**SMALL).fit_transform(form(X)), expected)


def test_zeros_and_cells_stored_twice_are_what_they_mean():
    X = csr_array((np.array([1.0, 2.0, 0.0, 1.0]), np.array([0, 0, 1, 2]), np.array([0, 3, 4])), shape=(2, 3))
    embedder = EntityEmbedder(**SMALL).fit(X)
    np.testing.assert_array_equal(embedder.transform(X), embedder.transform([[3, 0, 0], [0, 0, 1]]))
    assert X.nnz == 4  # left as it was


def test_a_square_matrix_has_users_and_items_too():
    X, _ = shoppers(24, 24)
    embedder = EntityEmbedder(**SMALL).fit(X)
    assert not embedder.model_.trained_.shared
    assert embedder.item_embeddings_.shape == (24, 4)


def test_fitted_attributes_follow_the_columns_of_the_input():
    X, _ = shoppers(50)
    names = [f"item {i}" for i in range(X.shape[1])]
    embedder = EntityEmbedder(**SMALL).fit(pandas.DataFrame(X, columns=names))
    assert embedder.feature_names_in_.tolist() == names
    for i in (0, 7, 23):
        density = embedder.model_.posterior(names[i])
        np.testing.assert_array_equal(embedder.item_embeddings_[i], density.mean)
        np.testing.assert_array_equal(embedder.item_variances_[i], density.variance)
        np.testing.assert_array_equal(embedder.components_[:, i], density.mean)
    assert embedder.model_.recommend(["item 3"], k=3).entities


def test_transform_is_the_fold_in_of_recommend_and_surer_with_more_items():
    X, _ = shoppers(50)
    embedder = EntityEmbedder(**SMALL).fit(X)
    mean, variance = embedder.densities(np.vstack([np.zeros(24), X[0] * 0 + np.eye(24)[2], np.ones(24)]))
    assert mean[0].tolist() == [0.0] * 4
    assert variance[0].mean() > variance[1].mean() > variance[2].mean()
    # Scores of a fold-in are u.v + b; the embeddings must rank the items as `recommend` does.
    bias = embedder.model_.trained_.posterior.bias
    score = embedder.item_embeddings_ @ mean[1] + bias.mean[embedder._item_ids]
    spread = embedder.item_variances_ @ (mean[1] ** 2 + variance[1]) + embedder.item_embeddings_**2 @ variance[1]
    logit = score / np.sqrt(1 + np.pi / 8 * (spread + bias.variance[embedder._item_ids]))
    logit[2] = -np.inf
    best = embedder.model_.recommend(["2"], k=5, popularity=0.0).entities
    assert [str(i) for i in np.argsort(-logit)[:5]] == best


def test_the_taxonomy_reaches_items_without_counts():
    X, _ = shoppers()
    X[:, 0] = 0
    plain = EntityEmbedder(**SMALL).fit(X)
    assert np.abs(plain.item_embeddings_[0]).max() == 0
    parents = {str(i): ["first"] for i in range(12)} | {i: ["second"] for i in range(12, 24)}
    placed = EntityEmbedder(**SMALL, taxonomy=parents).fit(X)
    first, second = placed.item_embeddings_[1:12].mean(axis=0), placed.item_embeddings_[12:].mean(axis=0)
    assert placed.item_embeddings_[0] @ first > placed.item_embeddings_[0] @ second


def test_same_seed_same_bits():
    X, _ = shoppers(40)
    first = EntityEmbedder(**SMALL, random_state=3).fit_transform(X)
    np.testing.assert_array_equal(first, EntityEmbedder(**SMALL, random_state=3).fit_transform(X))
    assert not np.array_equal(first, EntityEmbedder(**SMALL, random_state=4).fit_transform(X))
    state = np.random.RandomState(0)
    one, two = (EntityEmbedder(**SMALL, random_state=state).fit_transform(X) for _ in range(2))
    assert not np.array_equal(one, two)
    assert EntityEmbedder(**SMALL, random_state=None).fit(X).item_embeddings_.any()


def test_in_a_pipeline_and_a_grid_search():
    X, kind = shoppers()
    pipeline = make_pipeline(EntityEmbedder(**SMALL), LogisticRegression())
    assert cross_val_score(pipeline, csr_matrix(X), kind, cv=3).mean() > 0.85
    parents = {str(i): ["first" if i < 12 else "second"] for i in range(24)}
    grid = {"entityembedder__dim": [2, 4], "entityembedder__taxonomy": [None, parents]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(X, kind)
    assert len(search.cv_results_["params"]) == 4
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_estimator_[0].item_embeddings_.shape == (24, search.best_params_["entityembedder__dim"])


def test_set_output_gives_named_columns():
    X, _ = shoppers(30)
    frame = EntityEmbedder(**SMALL).set_output(transform="pandas").fit_transform(X)
    assert frame.columns.tolist() == [f"entityembedder{i}" for i in range(4)]


def test_every_parameter_reaches_the_model():
    own = EntityEmbedder().get_params()
    assert set(own) - {"taxonomy", "random_state"} <= set(vbn.VBN().get_params())


def test_clone_keeps_parameters_and_forgets_the_fit():
    X, _ = shoppers(30)
    embedder = EntityEmbedder(**SMALL, alpha={"entity": 2.0}).fit(X)
    twin = clone(embedder)
    assert twin.get_params() == embedder.get_params()
    with pytest.raises(NotFittedError):
        twin.transform(X)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1, -1], [1, 2]], "Negative"),
        ([[np.nan, 1]], "NaN"),
        ([[0, 0], [0, 0]], "there is no data"),
        ([["a", "b"]], "convert string"),
    ],
)
def test_bad_input_is_a_value_error(X, message):
    with pytest.raises(ValueError, match=message):
        EntityEmbedder(**SMALL).fit(X)


def test_bad_parameters_are_refused_in_fit():
    X, _ = shoppers(10)
    with pytest.raises(vbn.ParameterError, match="dim"):
        EntityEmbedder(dim=0).fit(X)
    with pytest.raises(vbn.ParameterError, match="seed"):
        EntityEmbedder(random_state="x").fit(X)
    with pytest.raises(vbn.TaxonomyError):
        EntityEmbedder(taxonomy={"0": ["0"]}).fit(X)


def test_without_scikit_learn_the_extra_is_named(monkeypatch):
    for name in [name for name in sys.modules if name == "sklearn" or name.startswith("sklearn.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "vbn.sklearn")
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(vbn.MissingExtraError, match=r"vbn\[sklearn\]"):
        importlib.import_module("vbn.sklearn")
