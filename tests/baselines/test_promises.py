"""Every baseline keeps the promises of the interface, on words and on users x items."""

import pytest

from tests.baselines import promises
from vbn import baselines

MODELS = {
    "SkipGram": baselines.SkipGram(dim=4, epochs=2),
    "SkipGram by dot": baselines.SkipGram(dim=4, epochs=2, rank_by="dot", window=3),
    "BayesianSkipGram": baselines.BayesianSkipGram(dim=3, epochs=2, verbose=False),
    "Popularity": baselines.Popularity(),
    "EASE": baselines.EASE(regularization=2.0),
}


def model_named(name):
    return type(MODELS[name])(**MODELS[name].get_params())


@pytest.mark.parametrize("name", MODELS)
def test_every_baseline_passes_the_checks_on_words(name):
    promises.passes_the_checks_on_words(model_named(name))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("check", promises.ON_USERS_AND_ITEMS, ids=lambda check: check.__name__)
def test_every_baseline_passes_the_checks_on_users_and_items(name, check):
    promises.passes_on_users_and_items(model_named(name), check)


@pytest.mark.parametrize("name", MODELS)
def test_rows_lists_and_nothing_at_all_are_scored_for_every_column(name):
    promises.scores_rows_lists_and_nothing_at_all(model_named(name))


@pytest.mark.parametrize("name", ["ALS", "BPR", "CMF", "FastText", "ItemKNN", "LightFM"])
def test_a_rival_that_moved_says_where_it_went(name):
    with pytest.raises(AttributeError, match=f"reproduction.rivals.{name}"):
        getattr(baselines, name)
