"""Every baseline keeps the promises of the interface, on words and on users x items."""

import importlib.util

import numpy as np
import pytest

import vbn
from vbn import baselines, checks

MODELS = {
    "SkipGram": baselines.SkipGram(dim=4, epochs=2),
    "SkipGram by dot": baselines.SkipGram(dim=4, epochs=2, rank_by="dot", window=3),
    "FastText": baselines.FastText(dim=4, epochs=2, buckets=200),
    "BayesianSkipGram": baselines.BayesianSkipGram(dim=3, epochs=2, verbose=False),
    "Popularity": baselines.Popularity(),
    "ALS": baselines.ALS(dim=3, epochs=2),
    "BPR": baselines.BPR(dim=3, epochs=2),
    "ItemKNN": baselines.ItemKNN(weighting="bm25"),
    "EASE": baselines.EASE(regularization=2.0),
    "LightFM": baselines.LightFM(dim=3, epochs=2),
    "CMF": baselines.CMF(dim=3, epochs=2),
}
PACKAGES = {"LightFM": "lightfm", "CMF": "cmfrec"}


def interactions():
    rng = np.random.default_rng(0)
    users, items = rng.integers(0, 20, 200), rng.integers(0, 15, 200)
    data = vbn.Dataset.from_interactions([f"user {i}" for i in users], [f"item {i}" for i in items])
    return data.with_taxonomy({"item 0": ["first"], "item 1": ["first"], "new item": ["first"]})


def model_named(name):
    package = PACKAGES.get(name)
    if package and importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed: it is compiled when installed, in the extra 'hybrids'")
    return type(MODELS[name])(**MODELS[name].get_params())


@pytest.mark.parametrize("name", MODELS)
def test_every_baseline_passes_the_checks_on_words(name):
    assert not checks.check_estimator(model_named(name)).failed


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "check",
    [checks.check_seeding, checks.check_tables, checks.check_unknown_entity, checks.check_save_and_load],
    ids=lambda check: check.__name__,
)
def test_every_baseline_passes_the_checks_on_users_and_items(name, check):
    model = model_named(name)
    assert check(model, interactions()) or not hasattr(model, "save")


@pytest.mark.parametrize("name", MODELS)
def test_rows_lists_and_nothing_at_all_are_scored_for_every_column(name):
    data = interactions()
    scorer = baselines.as_scorer(model_named(name).fit(data))
    assert isinstance(scorer, baselines.Scorer)
    assert scorer.columns.names == data.columns.names
    queries = ["user 3", ["item 1", "item 2"], {"item 1": 2.0}, [], "user 4", ["new item"]]
    scores = scorer.scores(queries)
    assert scores.shape == (6, len(data.columns))
    assert np.isfinite(scores).all()
    alone = np.concatenate([scorer.scores([query]) for query in queries])
    np.testing.assert_allclose(alone, scores, rtol=1e-5, atol=1e-7)
