"""Entities added after training: the prior of their parents, and contexts folded in as training would."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
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
    before = {name: model.posterior(name) for name in model.trained_.rows}
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


def test_fold_in_is_a_fixed_point_of_the_block_update(monkeypatch):
    """More sweeps over the same cells change next to nothing: the rest held fixed, this is what training gives."""
    from vbn.inference import adding

    contexts = {"barks": 8.0, "the": 3.0}
    settled = fit().add("wolf", parents=["animal"], contexts=contexts)
    monkeypatch.setattr(adding, "_SWEEPS", 2000)
    monkeypatch.setattr(adding, "_SETTLED", 0.0)
    forever = fit().add("wolf", parents=["animal"], contexts=contexts)
    for role in ("entity", "context"):
        one, other = settled.posterior("wolf", role=role), forever.posterior("wolf", role=role)
        assert (np.abs(one.mean - other.mean) < 0.25 * other.std).all()


def test_a_parent_that_had_no_children_becomes_a_category():
    model = fit().add("poodle", parents=["dog"])
    assert model.posterior("dog", role="category").dim == 6
    np.testing.assert_array_equal(
        model.posterior("poodle").mean, model.posterior("dog", role="category").mean.astype(np.float32)
    )


def test_new_entities_may_be_parents_of_new_ones():
    model = fit().add({"canine": {"parents": ["animal"]}, "wolf": {"parents": {"canine": 2.0, "dog": 1.0}}})
    assert model.trained_.column_taxonomy.parents("wolf") == [
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
    with pytest.warns(UserWarning, match="nothing is known of 'nothing': neither parents nor contexts"):
        model = fit().add("nothing")
    assert (model.posterior("nothing").mean == 0).all()
    u = model.trained_.posterior.u
    variance = np.average(1.0 / u.tau[u.active], weights=u.gamma.alpha[u.active])
    np.testing.assert_allclose(model.posterior("nothing").variance, variance, rtol=1e-6)


@pytest.fixture(scope="module")
def trained():
    return fit().trained_


def model_of(trained):
    return vbn.VBN(verbose=False).with_trained(trained)


NAN = float("nan")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"name": "dog"}, vbn.DataError, "already has an entity 'dog'"),
        ({"name": None}, vbn.DataError, r"missing name \(None\) at what to add"),
        ({"name": NAN}, vbn.DataError, r"missing name \(NaN\)"),
        ({"name": ""}, vbn.DataError, "empty name"),
        ({"name": 1.5}, vbn.DataError, "cannot be an entity's name"),
        ({"name": b"wolf"}, vbn.DataError, "type bytes"),
        ({"name": True}, vbn.DataError, "type bool"),
        ({"name": object()}, vbn.DataError, "type object"),
        (
            {"name": ["wolf", "fox"]},
            vbn.DataError,
            r"what to add: row 0 .* is 'wolf'; expected a tuple \(name, parent\)",
        ),
        ({"name": [("wolf",)]}, vbn.DataError, "row 0 .* has 1 entries"),
        ({"name": [("wolf", "dog")], "parents": ["cat"]}, vbn.DataError, "what is known of each goes with it"),
        ({"name": {"wolf": {}}, "contexts": {"a": 1}}, vbn.DataError, "what is known of each goes with it"),
        ({"name": "wolves.csv"}, vbn.DataError, "no such file: 'wolves.csv'"),
        ({"name": {"wolf": {"parent": "dog"}}}, vbn.DataError, "comes with 'parent'.* Did you mean 'parents'"),
        ({"name": {"wolf": {"parents": "dog", "context": {}}}}, vbn.DataError, "Did you mean 'contexts'"),
        ({"name": {"wolf": {"dog": 2.0}}}, vbn.DataError, "comes with 'dog'; what may be known"),
        ({"name": {5: ["dog"], "5": ["cat"]}}, vbn.DataError, "'5' appears twice"),
        ({"name": {"wolf": 1.5}}, vbn.DataError, "the parents of 'wolf'"),
        ({"name": "x", "side": "zz"}, vbn.ParameterError, "side must be 'row' or 'column', got 'zz'"),
        ({"name": {}, "side": "zz"}, vbn.ParameterError, "side must be 'row' or 'column', got 'zz'"),
        ({"name": "x", "parents": ["animl"]}, vbn.UnknownEntityError, "Did you mean 'animal'"),
        ({"name": "x", "parents": "Animal"}, vbn.UnknownEntityError, "Did you mean 'animal'"),
        ({"name": {"wolf": [], "x": "Wolf"}}, vbn.UnknownEntityError, "Did you mean 'wolf'"),
        ({"name": "x", "parents": [None]}, vbn.DataError, r"missing name \(None\) at the parents of 'x'"),
        ({"name": "x", "parents": 1.5}, vbn.DataError, "the parents of 'x'"),
        ({"name": "x", "parents": b"dog"}, vbn.DataError, "type bytes"),
        ({"name": "x", "parents": "x"}, vbn.TaxonomyError, "'x' is its own parent"),
        (
            {"name": {"x": "y", "y": "z", "z": ["dog", "x"]}},
            vbn.TaxonomyError,
            "cycle .*: x -> y -> z -> x; remove one",
        ),
        (
            {"name": "x", "parents": {"animal": 0.0}},
            vbn.DataError,
            "weight of the parent 'animal' of 'x' is not positive",
        ),
        ({"name": "x", "parents": {"animal": "1"}}, vbn.DataError, "is '1', not a number"),
        ({"name": "x", "parents": {"animal": NAN}}, vbn.DataError, "not a finite number"),
        ({"name": "x", "parents": {"animal": 10**400}}, vbn.DataError, "not a finite number"),
        ({"name": "x", "parents": {"animal": 1e300, "dog": 1e-300}}, vbn.TaxonomyError, "of 'x' is negligible"),
        ({"name": [("x", "animal", -1)]}, vbn.DataError, r"parent 'animal' of 'x' \(row 0 .* not positive"),
        ({"name": "x", "contexts": {"bark": 1}}, vbn.UnknownEntityError, "Did you mean 'barks'"),
        ({"name": "x", "contexts": {"x": 1}}, vbn.UnknownEntityError, "unknown entity 'x'"),
        ({"name": "x", "contexts": {"barks": -1}}, vbn.DataError, "'barks' of 'x' is negative: -1"),
        ({"name": "x", "contexts": {"barks": "3"}}, vbn.DataError, "is '3', not a number"),
        ({"name": "x", "contexts": {"barks": NAN}}, vbn.DataError, "not a finite number"),
        ({"name": "x", "contexts": {"barks": True}}, vbn.DataError, "is True, not a number"),
        ({"name": "x", "contexts": {"barks": None}}, vbn.DataError, "is None, not a number"),
        ({"name": "x", "contexts": {"barks": 1e308, "a": 1e308}}, vbn.DataError, "add up to more"),
        ({"name": "x", "contexts": [("barks", 3)]}, vbn.DataError, "type tuple"),
        ({"name": "x", "contexts": 1.5}, vbn.DataError, "the contexts of 'x'"),
    ],
)
def test_bad_additions_change_nothing(trained, options, error, message):
    model = model_of(trained)
    with pytest.raises(error, match=message):
        model.add(**options)
    assert model.trained_ is trained


def test_a_failed_addition_leaves_the_counts_too():
    model = fit()
    data = model.data_
    with pytest.raises(vbn.UnknownEntityError):
        model.add({"wolf": {"parents": "dog", "contexts": {"barks": 3}}, "fox": ["canine"]})
    assert model.data_ is data
    assert "wolf" not in model.trained_.rows


def parents_of(model, name):
    return dict(model.trained_.column_taxonomy.parents(name))


ROWS = [("wolf", "dog", 3.0), ("wolf", "cat", 1.0), ("pup", "wolf", 1.0)]
FRAME = pd.DataFrame(ROWS, columns=["name", "parent", "weight"])


@pytest.mark.parametrize(
    "many",
    [
        {"wolf": {"parents": {"dog": 3, "cat": 1}}, "pup": {"parents": "wolf"}},
        {"pup": "wolf", "wolf": {"parents": {"dog": 3, "cat": 1}}},
        ROWS,
        ROWS[::-1],
        iter(ROWS),
        FRAME,
        FRAME.rename(columns={"name": "child"})[["weight", "parent", "child"]],
        pd.DataFrame(ROWS),
        pl.from_pandas(FRAME),
        pl.from_pandas(FRAME).lazy(),
        pa.Table.from_pandas(FRAME),
    ],
    ids=[
        "dict",
        "child first",
        "rows",
        "rows reversed",
        "iterator",
        "pandas",
        "renamed",
        "numbered",
        "polars",
        "lazy",
        "arrow",
    ],
)
def test_many_at_once_in_any_form_and_order(trained, many):
    model = model_of(trained).add(many)
    assert parents_of(model, "wolf") == pytest.approx({"dog": 0.75, "cat": 0.25})
    assert parents_of(model, "pup") == {"wolf": 1.0}
    assert np.isfinite(model.posterior("pup").mean).all()


def test_many_from_a_file(trained, tmp_path):
    FRAME.to_csv(tmp_path / "new.csv", index=False)
    FRAME[["name", "parent"]].to_parquet(tmp_path / "new.parquet")
    for path in (tmp_path / "new.csv", str(tmp_path / "new.csv")):
        assert parents_of(model_of(trained).add(path), "wolf") == pytest.approx({"dog": 0.75, "cat": 0.25})
    assert parents_of(model_of(trained).add(tmp_path / "new.parquet"), "wolf") == {"dog": 0.5, "cat": 0.5}
    (tmp_path / "bad.csv").write_text("name,parent\nwolf,dog\nfox\n")
    with pytest.raises(vbn.DataError, match=r"what to add: line 3 of bad\.csv"):
        model_of(trained).add(tmp_path / "bad.csv")


@pytest.mark.parametrize("nothing", [{}, [], FRAME[:0], iter(())])
def test_nothing_to_add(trained, nothing):
    assert model_of(trained).add(nothing).trained_ is trained


def same(one, other, name):
    for role in ("entity", "context"):
        np.testing.assert_array_equal(one.posterior(name, role=role).mean, other.posterior(name, role=role).mean)
        np.testing.assert_array_equal(
            one.posterior(name, role=role).variance, other.posterior(name, role=role).variance
        )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"parents": "dog"}, {"parents": ["dog", "dog"]}),
        ({"parents": ["dog", "cat"]}, {"parents": {"dog": 1e308, "cat": 1e308}}),
        ({"parents": ["dog", "cat"]}, {"parents": (name for name in ("cat", "dog"))}),
        ({"contexts": {"barks": 2, "a": 1}}, {"contexts": ["barks", "a", "barks"]}),
        ({"contexts": {"barks": 1}}, {"contexts": "barks"}),
        ({"contexts": {"barks": 1, "a": 0}}, {"contexts": ["barks"]}),
        ({"parents": "cat", "contexts": {"a": 0.0}}, {"parents": "cat"}),
        ({"contexts": {"barks": np.float32(2)}}, {"contexts": {"barks": 2}}),
    ],
)
def test_ways_to_say_the_same(trained, one, other):
    same(model_of(trained).add("x", **one), model_of(trained).add("x", **other), "x")


def test_numbers_are_names_as_in_data():
    data = vbn.Dataset.from_pairs([1, 2, 3], [2, 3, 1]).with_taxonomy({1: [10], 2: [10]})
    model = vbn.VBN(dim=2, epochs=2, verbose=False).fit(data)
    model.add(4, parents=10, contexts={1: 2}).add({np.int64(5): {"parents": [4.0], "contexts": [2.0, 3]}})
    assert model.trained_.rows.names[-2:] == ("4", "5")
    assert model.data_.counts.total == 3 + 2 * 2 + 2 * 2


def test_contexts_of_an_item_are_users():
    data = vbn.Dataset.from_interactions(["ann", "bob"], ["Heat", "Casino"])
    model = vbn.VBN(dim=2, epochs=2, verbose=False).fit(data)
    with pytest.raises(vbn.UnknownEntityError, match="unknown row 'Heat'"):
        model.add("Ronin", contexts=["Heat"])
    with pytest.raises(vbn.UnknownEntityError, match="unknown column 'ann'"):
        model.add("cid", contexts=["ann"], side="row")
    model.add("ann", contexts=["ann"])
    assert model.data_.counts.total == 3


def test_thousands_at_once(trained):
    many = {f"new{i}": {"parents": [f"new{i + 1}" if i % 10 < 9 else "animal"]} for i in range(3000)}
    many |= {f"seen{i}": {"contexts": {"barks": 1 + i % 3, "a": 2}} for i in range(1500)}
    model = model_of(trained).add(many)
    one = model_of(trained).add({name: many[name] for name in ("seen0", "seen1499")})
    for name in ("seen0", "seen1499"):
        np.testing.assert_allclose(model.posterior(name).mean, one.posterior(name).mean, rtol=1e-5)
    assert model.trained_.column_taxonomy.ancestors("new0")[-2:] == ["animal", "thing"]


def test_a_new_entity_is_as_popular_as_its_siblings():
    """Its bias follows the taxonomy, unless all biases are drawn to one mean."""
    rng = np.random.default_rng(0)
    users = [f"user {i}" for i in range(60)]
    pairs = [(user, f"hit {rng.integers(6)}") for user in users for _ in range(6)]
    pairs += [(user, f"flop {rng.integers(6)}") for user in users[::10]]
    tree = {f"{kind} {i}": [kind] for kind in ("hit", "flop") for i in range(6)}
    data = vbn.Dataset.from_interactions(*zip(*pairs, strict=True)).with_taxonomy(tree, side="column")

    def lead(**options):
        model = vbn.VBN(dim=2, epochs=60, verbose=False, **options).fit(data)
        model.add("new hit", parents=["hit"], side="column")
        model.add("new flop", parents=["flop"], side="column")
        bias, names = model.trained_.posterior.bias.mean, model.trained_.columns
        return bias[names.id("new hit")] - bias[names.id("new flop")]

    assert lead() > 0.5
    assert lead(bias_prior="common") == 0.0


def test_entities_without_data_can_be_equally_sure(tmp_path):
    """With the precision of the prior, whatever their parents are; in a model that was saved, too."""

    def variances(model):
        model.add({"horse": {"parents": ["animal"]}, "poodle": {"parents": ["dog"]}})
        return [model.posterior(name).variance[0] for name in ("horse", "poodle", "cow")]

    animal, poodle, cow = variances(fit(alpha=3.0, beta=1.5))
    assert animal == cow < 0.9 * poodle
    model = fit(alpha=3.0, beta=1.5, cold_precision="prior")
    model.save(tmp_path / "model")
    for one in (model, vbn.load(tmp_path / "model")):
        np.testing.assert_allclose(variances(one), 0.5, rtol=1e-6)
