"""content_strength="auto": what held-out cold entities choose."""

import numpy as np
import pytest

import vbn
from tests.model.test_content import bits, data, names, settings, world

ITEMS = 80


def wide(useful=True, seed=0, n=150, users=200):
    """More items; their features say what users like, or nothing."""
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((n, 5))
    items = features @ (0.8 * rng.standard_normal((5, 3))) + 0.2 * rng.standard_normal((n, 3))
    likes = rng.random((users, n)) < 0.4 / (1 + np.exp(1.5 - 1.5 * rng.standard_normal((users, 3)) @ items.T))
    user, item = np.nonzero(likes)
    found = vbn.Dataset.from_interactions([f"u{each}" for each in user], names(item))
    found = found.with_taxonomy({f"i{each}": [f"g{each % 4}"] for each in range(n)})
    told = features if useful else rng.standard_normal((n, 60))
    return found.with_features({name: told[int(name[1:])] for name in found.columns if name[0] == "i"}, name="text")


def fitted(given, **more):
    return vbn.VBN(**settings(content_strength="auto", **more)).fit(given)


def test_useful_features_are_used():
    model = fitted(wide())
    chosen = model.settings_["content_strength"]["text"]
    assert chosen >= 0.25
    tried = {trial.strengths["text"]: trial.percentile for trial in model.content_trials_}
    assert set(tried) == {0.25, 1.0, 4.0, 0.06, 0.0}
    assert tried[chosen] > tried[0.0] + 0.1
    assert model.trained_.sources == {"text": chosen}
    assert f"{chosen:g}  strength of the features 'text', what held-out cold entities chose" in model.describe()


def test_features_that_say_nothing_gain_nothing():
    """They are mostly turned down; what is kept of them must not be behind what is left out."""
    model = fitted(wide(useful=False))
    tried = {trial.strengths["text"]: trial.percentile for trial in model.content_trials_}
    chosen = model.settings_["content_strength"]["text"]
    assert chosen <= 0.25
    assert tried[chosen] >= max(tried.values()) - 0.03


def test_the_choice_is_the_same_for_any_number_of_threads():
    one, three = (fitted(wide(), n_threads=n) for n in (1, 3))
    assert one.settings_["content_strength"] == three.settings_["content_strength"]
    assert bits(one) == bits(three)


def test_a_model_with_the_chosen_strength_given_is_the_same():
    model = fitted(wide())
    assert bits(vbn.VBN(**settings(content_strength=model.settings_["content_strength"])).fit(wide())) == bits(model)


def test_too_few_entities_take_the_default():
    few = data(taxonomy=False, content=False)
    few = few.with_features({name: world()[0][int(name[1:])] for name in list(few.columns)[:20]}, name="text")
    model = fitted(few)
    assert model.settings_["content_strength"] == {"text": 0.25}
    assert model.content_trials_ == ()
    assert "the default: too few entities with features to ask" in model.describe()


def test_sources_are_chosen_one_by_one_and_given_ones_are_kept():
    both = wide()
    noise = np.random.default_rng(5).standard_normal((len(both.columns), 30))
    both = both.with_features(noise, name="noise").with_features(noise[:, :2] ** 2, name="fixed")
    model = vbn.VBN(**settings(content_strength={"text": "auto", "noise": "auto", "fixed": 0.1})).fit(both)
    chosen = model.settings_["content_strength"]
    assert chosen["fixed"] == 0.1
    assert chosen["text"] >= 0.25
    assert chosen["noise"] <= chosen["text"]
    assert {trial.strengths["fixed"] for trial in model.content_trials_} == {0.1}


def test_features_of_rows_are_chosen_too():
    rng = np.random.default_rng(1)
    plain = wide()
    rows = plain.with_features(rng.standard_normal((len(plain.rows), 3)), side="row", name="age")
    model = vbn.VBN(**settings(content_strength={"text": 0.25, "age": "auto"})).fit(rows)
    assert {trial.strengths["text"] for trial in model.content_trials_} == {0.25}
    assert len({trial.strengths["age"] for trial in model.content_trials_}) == 5


def test_partial_fit_keeps_the_choice(tmp_path):
    model = fitted(wide())
    chosen, more = model.settings_["content_strength"], vbn.Dataset.from_interactions(["u1"], ["i1"])
    again = vbn.load(model.save(tmp_path / "model"))
    assert again.settings_["content_strength"] == chosen
    assert again.partial_fit(more).settings_["content_strength"] == chosen


def test_a_fit_is_resumed_to_the_same_bits(tmp_path):
    fitted(wide(), checkpoint=tmp_path / "c", epochs=3)
    resumed = vbn.VBN(**settings(content_strength="auto", epochs=5)).fit(wide(), resume_from=tmp_path / "c")
    assert bits(resumed) == bits(fitted(wide(), epochs=5))


def test_without_features_there_is_nothing_to_choose():
    plain = data(content=False)
    assert bits(fitted(plain)) == bits(vbn.VBN(**settings()).fit(plain))


def test_words_hide_entities_on_both_sides():
    rng = np.random.default_rng(0)
    left, right = rng.integers(0, 70, 3000), rng.integers(0, 70, 3000)
    words = vbn.Dataset.from_pairs([f"w{n}" for n in left], [f"w{n}" for n in right])
    model = fitted(words.with_features(rng.standard_normal((len(words.columns), 2))))
    assert len(model.content_trials_) == 5


@pytest.mark.parametrize("wrong", ["automatic", {"text": "yes"}])
def test_other_words_are_refused(wrong):
    with pytest.raises(vbn.ParameterError, match="content_strength"):
        vbn.VBN(**settings(content_strength=wrong)).fit(wide())
