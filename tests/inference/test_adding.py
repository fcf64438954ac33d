"""Entities added after training: the prior of their parents, and contexts folded in as training would."""

import numpy as np
import pytest

import vbn


def fit(**options):
    rng = np.random.default_rng(0)
    patterns = [["a", "dog", "barks"], ["the", "cat", "purrs"], ["the", "dog", "sleeps"], ["a", "cat", "sleeps"]]
    data = vbn.Dataset.from_sequences([patterns[i] for i in rng.integers(0, 4, 400)], window=2)
    data = data.with_taxonomy({"dog": ["animal"], "cat": ["animal"], "animal": ["thing"], "cow": ["animal"]})
    return vbn.VBN(**({"dim": 6, "epochs": 20, "verbose": False} | options)).fit(data)


def test_a_new_entity_is_what_a_cold_one_of_training_is():
    model = fit().add("horse", parents=["animal"])
    for role in ("entity", "context"):
        horse, cow = model.posterior("horse", role=role), model.posterior("cow", role=role)
        np.testing.assert_array_equal(horse.mean, cow.mean)
        np.testing.assert_array_equal(horse.variance, cow.variance)
    assert model.predict_proba([("horse", "barks")]) == model.predict_proba([("cow", "barks")])


def test_adding_leaves_everything_else_as_it_was():
    model = fit()
    before = {name: model.posterior(name) for name in model._trained.rows}
    model.add({"horse": {"parents": ["animal"]}, "wolf": {"parents": "dog", "contexts": {"barks": 5}}})
    for name, density in before.items():
        np.testing.assert_array_equal(model.posterior(name).mean, density.mean)
        np.testing.assert_array_equal(model.posterior(name).variance, density.variance)


def test_contexts_move_it_and_make_it_surer():
    model = fit().add("horse", parents=["animal"])
    model.add("wolf", parents=["animal"], contexts={"barks": 20, "a": 20})
    assert model.posterior("wolf").std.mean() < model.posterior("horse").std.mean()
    p = model.predict_proba([("wolf", "barks"), ("wolf", "purrs")])
    assert p[0] > p[1]
    assert model.similar("wolf", k=1)[0].entity in {"dog", "horse", "cow"}


def test_fold_in_is_a_fixed_point_of_the_block_update():
    """One more sweep over the same cells changes nothing: the rest held fixed, this is what training gives."""
    short, long = fit(), fit()
    contexts = {"barks": 8.0, "the": 3.0}
    short.add("wolf", parents=["animal"], contexts=contexts)
    from vbn.inference import _adding

    original = _adding._SWEEPS
    try:
        _adding._SWEEPS = 100
        long.add("wolf", parents=["animal"], contexts=contexts)
    finally:
        _adding._SWEEPS = original
    np.testing.assert_allclose(short.posterior("wolf").mean, long.posterior("wolf").mean, atol=0.05)


def test_a_parent_that_had_no_children_becomes_a_category():
    model = fit().add("poodle", parents=["dog"])
    assert model.posterior("dog", role="category").dim == 6
    np.testing.assert_array_equal(
        model.posterior("poodle").mean, model.posterior("dog", role="category").mean.astype(np.float32)
    )


def test_new_entities_may_be_parents_of_new_ones():
    model = fit().add({"canine": {"parents": ["animal"]}, "wolf": {"parents": {"canine": 2.0, "dog": 1.0}}})
    assert model._trained.column_taxonomy.parents("wolf") == [
        ("dog", pytest.approx(1 / 3)),
        ("canine", pytest.approx(2 / 3)),
    ]


def test_added_entities_are_saved(tmp_path):
    model = fit().add("wolf", parents=["dog"], contexts={"barks": 3})
    again = vbn.load(model.save(tmp_path / "model"))
    np.testing.assert_array_equal(again.posterior("wolf").mean, model.posterior("wolf").mean)
    assert [row.entity for row in again.similar("wolf")] == [row.entity for row in model.similar("wolf")]
    again.add("fox", parents=["dog"])
    assert again.posterior("fox").dim == 6


def test_adding_to_one_side_of_users_and_items():
    rng = np.random.default_rng(0)
    data = vbn.Dataset.from_interactions(rng.integers(0, 20, 300), rng.integers(0, 15, 300))
    model = vbn.VBN(dim=4, epochs=10, verbose=False).fit(data)
    model.add("new item", contexts={"0": 1, "3": 1})
    model.add("new user", contexts={"1": 1, "2": 1}, side="row")
    assert model.posterior("new item").dim == model.posterior("new user", side="row").dim == 4
    assert 0 < model.predict_proba([("new user", "new item")])[0] < 1


def test_without_parents_or_contexts_it_is_the_prior():
    model = fit().add("nothing")
    assert (model.posterior("nothing").mean == 0).all()
    np.testing.assert_allclose(model.posterior("nothing").variance, 1.0)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"name": "dog"}, vbn.DataError, "has an entity 'dog' already"),
        ({"name": "x", "parents": ["animl"]}, vbn.UnknownEntityError, "Did you mean 'animal'"),
        ({"name": "x", "contexts": {"bark": 1}}, vbn.UnknownEntityError, "Did you mean 'barks'"),
        ({"name": "x", "contexts": {"barks": -1}}, vbn.DataError, "of .x. is negative: -1"),
        ({"name": "x", "parents": {"animal": 0.0}}, vbn.DataError, "weight of the parent"),
    ],
)
def test_bad_additions_change_nothing(options, error, message):
    model = fit()
    before = model._trained
    with pytest.raises(error, match=message):
        model.add(**options)
    assert model._trained is before
