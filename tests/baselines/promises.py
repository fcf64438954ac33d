"""What every baseline promises, on words and on users x items: shared with the rivals of the reproduction."""

import numpy as np

import vbn
from vbn import baselines, testing

ON_USERS_AND_ITEMS = [
    testing.check_seeding,
    testing.check_tables,
    testing.check_unknown_entity,
    testing.check_save_and_load,
]


def interactions():
    rng = np.random.default_rng(0)
    users, items = rng.integers(0, 20, 200), rng.integers(0, 15, 200)
    data = vbn.Dataset.from_interactions([f"user {i}" for i in users], [f"item {i}" for i in items])
    return data.with_taxonomy({"item 0": ["first"], "item 1": ["first"], "new item": ["first"]})


def passes_the_checks_on_words(model):
    assert not testing.check_estimator(model).failed


def passes_on_users_and_items(model, check):
    assert check(model, interactions()) or not hasattr(model, "save")


def scores_rows_lists_and_nothing_at_all(model):
    data = interactions()
    scorer = baselines.as_scorer(model.fit(data))
    assert isinstance(scorer, baselines.Scorer)
    assert scorer.columns.names == data.columns.names
    queries = ["user 3", ["item 1", "item 2"], {"item 1": 2.0}, [], "user 4", ["new item"]]
    scores = scorer.scores(queries)
    assert scores.shape == (6, len(data.columns))
    assert np.isfinite(scores).all()
    alone = np.concatenate([scorer.scores([query]) for query in queries])
    np.testing.assert_allclose(alone, scores, rtol=1e-5, atol=1e-7)
