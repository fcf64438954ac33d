"""Recommenders: the same numbers as their libraries give, or as a slow reference; columns and users without data."""

import importlib.util
import sys

import numpy as np
import pytest
from implicit.cpu.als import AlternatingLeastSquares
from implicit.cpu.bpr import BayesianPersonalizedRanking
from implicit.nearest_neighbours import BM25Recommender
from scipy.sparse import csr_matrix
from threadpoolctl import threadpool_limits

import vbn
from reproduction.rivals import ALS, BPR, CMF, FastText, ItemKNN, LightFM
from reproduction.rivals.factors import counts_matrix
from reproduction.rivals.hybrids import ancestor_shares
from tests.baselines import promises
from tests.baselines.test_word_vectors import ITEM2VEC, TEXT, two_shops

MODELS = {
    "FastText": FastText(dim=4, epochs=2, buckets=200),
    "ALS": ALS(dim=3, epochs=2),
    "BPR": BPR(dim=3, epochs=2),
    "ItemKNN": ItemKNN(weighting="bm25"),
    "LightFM": LightFM(dim=3, epochs=2),
    "CMF": CMF(dim=3, epochs=2),
}
PACKAGES = {"LightFM": "lightfm", "CMF": "cmfrec"}
USERS = ["ALS", "BPR", "ItemKNN", "LightFM", "CMF"]
SETTINGS = {
    "ALS": {"dim": 4, "epochs": 10},
    "BPR": {"dim": 4, "epochs": 300, "learning_rate": 0.05},
    "LightFM": {"dim": 4, "epochs": 30},
    "CMF": {"dim": 4, "epochs": 10},
}


def weighted(seed=0):
    rng = np.random.default_rng(seed)
    data = two_shops(60, seed)
    counts = rng.integers(1, 5, data.counts.nnz)
    rows = [data.rows[i] for i in data.counts.row_ids()]
    return vbn.Dataset.from_interactions(rows, [data.columns[j] for j in data.counts.indices], counts)


def model_named(name):
    package = PACKAGES.get(name)
    if package and importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed: it is compiled when installed, in the extra 'hybrids'")
    return type(MODELS[name])(**MODELS[name].get_params())


@pytest.mark.parametrize("name", MODELS)
def test_every_rival_passes_the_checks_on_words(name):
    promises.passes_the_checks_on_words(model_named(name))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("check", promises.ON_USERS_AND_ITEMS, ids=lambda check: check.__name__)
def test_every_rival_passes_the_checks_on_users_and_items(name, check):
    promises.passes_on_users_and_items(model_named(name), check)


@pytest.mark.parametrize("name", MODELS)
def test_rows_lists_and_nothing_at_all_are_scored_for_every_column(name):
    promises.scores_rows_lists_and_nothing_at_all(model_named(name))


@pytest.mark.parametrize("name", USERS)
def test_each_finds_the_half_of_the_shop(name):
    model = model_named(name).set_params(**SETTINGS.get(name, {})).fit(two_shops())
    first = {f"i{i}" for i in range(10)}
    assert set(model.recommend(user="u0", k=6).entities) <= first
    assert set(model.recommend(["i0", "i1", "i2"], k=6).entities) <= first
    batch = model.recommend(user=["u0", "u1"], k=3)
    assert [table.query for table in batch] == ["u0", "u1"]
    assert not set(batch[1].entities) & first


@pytest.mark.parametrize("name", USERS)
def test_what_a_user_has_is_left_out_unless_wanted(name):
    data = two_shops(40)
    model = model_named(name).fit(data)
    has = {data.columns[j] for j in data.counts.indices[: data.counts.indptr[1]]}
    user = data.rows[0]
    assert not has & set(model.recommend(user=user, k=20).entities)
    assert has <= set(model.recommend(user=user, k=20, exclude_seen=False).entities)
    assert model.recommend(user=user, k=3, candidates=["i1"], exclude_seen=False).entities == ["i1"]


def test_als_has_the_factors_of_implicit_and_folds_in_as_it_does():
    data = weighted()
    model = ALS(dim=5, alpha=3.0, regularization=0.2, seed=4).fit(data)
    with threadpool_limits(1, "blas"):
        theirs = AlternatingLeastSquares(factors=5, alpha=3.0, regularization=0.2, random_state=4, num_threads=1)
        theirs.fit(counts_matrix(data), show_progress=False)
        basket = {"i1": 2.0, "i7": 1.0}
        row = np.zeros((1, 20), np.float32)
        row[0, data.columns.ids(basket)] = list(basket.values())
        new = theirs.recalculate_user(0, csr_matrix(row))
    expected = theirs.user_factors[data.rows.id("u3")] @ theirs.item_factors.T
    np.testing.assert_allclose(model.scores(["u3"])[0], expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(model.scores([basket])[0], new @ theirs.item_factors.T, rtol=1e-3, atol=1e-4)


def test_bpr_has_the_scores_of_implicit():
    data = two_shops(60)
    model = BPR(dim=5, epochs=20, seed=4).fit(data)
    with threadpool_limits(1, "blas"):
        theirs = BayesianPersonalizedRanking(factors=5, iterations=20, random_state=4, num_threads=1)
        theirs.fit(counts_matrix(data), show_progress=False)
    expected = theirs.user_factors[data.rows.id("u3")] @ theirs.item_factors.T
    np.testing.assert_allclose(model.scores(["u3"])[0], expected, rtol=1e-4, atol=1e-6)


@pytest.mark.filterwarnings("ignore::implicit.utils.ParameterWarning")
def test_item_neighbours_have_the_scores_of_implicit():
    data = weighted()
    model = ItemKNN(weighting="bm25", neighbours=7, k1=1.5, b=0.5).fit(data)
    theirs = BM25Recommender(K=7, K1=1.5, B=0.5, num_threads=1)
    matrix = counts_matrix(data, float)
    theirs.fit(matrix, show_progress=False)
    user = data.rows.id("u3")
    ids, scores = theirs.recommend(user, matrix[user], N=5, filter_already_liked_items=True)
    ours = model.recommend(user="u3", k=5)
    assert ours.entities == [data.columns[j] for j in ids]
    np.testing.assert_allclose(ours.scores, scores, rtol=1e-6)


def catalogue():
    """Two halves of a shop under two departments, each with an item that nobody has bought yet."""
    departments = {f"i{i}": ["first" if i < 10 else "second"] for i in range(20)}
    above = {"first": ["shop"], "second": ["shop"]}
    return two_shops().with_taxonomy({**departments, "new 1": ["first"], "new 2": ["second"], **above, "odd": ["else"]})


@pytest.mark.parametrize("name", ["ALS", "BPR", "ItemKNN"])
def test_columns_without_data_score_0(name):
    model = model_named(name).fit(catalogue())
    scores = model.scores(["u0", ["i1"], ["new 1"]])
    assert not scores[:, model.columns.ids(["new 1", "new 2", "odd", "shop"])].any()
    assert "shop" not in model.recommend(user="u0", k=50).entities
    assert "new 1" in model.recommend(user="u0", k=50).entities


@pytest.mark.parametrize("kind", [LightFM, CMF])
def test_hybrids_place_new_columns_by_their_ancestors(kind):
    model = model_named(kind.__name__).set_params(dim=8, epochs=30).fit(catalogue())
    at = model.columns.ids(["new 1", "new 2"])
    first, second = model.scores(["u0", "u1"])[:, at]
    assert first[0] > first[1]
    assert second[1] > second[0]
    assert not model.scores(["u0"])[0, model.columns.id("odd")]


def test_hybrids_do_without_a_taxonomy():
    for kind in (LightFM, CMF):
        assert np.isfinite(model_named(kind.__name__).fit(two_shops(30)).scores(["u1"])).all()


def test_cmf_folds_in_as_it_trains():
    data = two_shops(80)
    model = model_named("CMF").set_params(dim=4, epochs=40, alpha=2.0, exact=True).fit(data)
    has = {data.columns[j]: 1.0 for j in data.counts.indices[: data.counts.indptr[1]]}
    trained, folded = model.scores([data.rows[0], has])
    np.testing.assert_allclose(folded, trained, atol=1e-4)
    trained, folded = model.set_params(exact=False).fit(data).scores([data.rows[0], has])
    assert np.corrcoef(folded, trained)[0, 1] > 0.99


@pytest.mark.parametrize("name", ["BPR", "LightFM"])
def test_a_training_that_diverges_is_not_kept(name):
    model = model_named(name).fit(two_shops(40))
    before = model.scores(["u0"])
    with pytest.raises(vbn.NumericalError, match="learning rate"):
        model.set_params(learning_rate=1e30).fit(two_shops(40))
    assert (model.scores(["u0"]) == before).all()


def test_shares_of_ancestors_follow_every_way_up():
    taxonomy = vbn.Taxonomy.from_edges([("a", "b", 3), ("a", "c", 1), ("b", "d", 1), ("c", "d", 1), ("c", "e", 1)])
    shares = ancestor_shares(taxonomy).toarray()[taxonomy.vocabulary.id("a")]
    found = dict(zip(taxonomy.vocabulary.names, shares, strict=True))
    assert found == {"a": 0.0, "b": 0.75, "c": 0.25, "d": 0.75 + 0.125, "e": 0.125}


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (ALS(dim=0), "dim=0"),
        (ALS(alpha=-1), "alpha=-1"),
        (ALS(regularization=float("nan")), "regularization"),
        (BPR(learning_rate="fast"), "learning_rate"),
        (BPR(workers=0), "workers"),
        (ItemKNN(weighting="jaccard"), "weighting"),
        (ItemKNN(neighbours=None), "neighbours"),
        (LightFM(loss="hinge"), "loss"),
        (CMF(taxonomy_weight=0), "taxonomy_weight"),
    ],
)
def test_bad_parameters_are_named(model, message):
    with pytest.raises(vbn.ParameterError, match=message):
        model.fit(two_shops(10))


def test_what_is_no_data_set_is_refused():
    with pytest.raises(vbn.DataError, match="Dataset"):
        ALS().fit([["a", "b"]])


@pytest.mark.parametrize(
    ("kind", "package", "extra"),
    [
        (ALS, "implicit.cpu.als", "reproduce"),
        (BPR, "implicit.cpu.bpr", "reproduce"),
        (ItemKNN, "implicit.nearest_neighbours", "reproduce"),
        (LightFM, "lightfm", "hybrids"),
        (CMF, "cmfrec", "hybrids"),
    ],
)
def test_a_missing_package_names_its_extra(kind, package, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(vbn.MissingExtraError, match=rf"pip install 'vbn\[{extra}\]'"):
        kind().fit(two_shops(10))


@pytest.mark.parametrize("rank_by", ["cosine", "dot"])
def test_fast_text_of_items_finds_the_half_of_the_shop(rank_by):
    model = FastText(**ITEM2VEC, buckets=500, rank_by=rank_by).fit(two_shops())
    first = {f"i{i}" for i in range(10)}
    assert set(model.recommend(["i0", "i1"], k=6).entities) <= first
    assert set(model.recommend(user="u0", k=6).entities) <= first
    assert set(model.similar("i3", k=5).entities) <= first


def test_words_without_data_are_their_letters_for_fast_text():
    data = vbn.Dataset.from_sequences(TEXT).with_taxonomy({"doggish": ["dog"]})
    letters = FastText(dim=4, buckets=500).fit(data)
    assert letters.vectors(["doggish"])[1].any()
    assert "doggish" in letters.similar("dog", k=20).entities
