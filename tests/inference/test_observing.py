"""Events observed after training: the densities they touch, and nothing else; everything counts them from then on."""

import copy

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vbn
from tests.twin.twin import jaakkola_lambda
from vbn.engines.threads import ThreadEngine
from vbn.estimators.training import prepare
from vbn.inference.folding import SWEEPS
from vbn.inference.observing import _NEGATIVES as NOISE
from vbn.model import Cooccurrence
from vbn.model.epoch import GivenSample

SHELVES = {"tea": "drinks", "milk": "drinks", "beer": "drinks", "cola": "drinks", "nuts": "snacks", "crisps": "snacks"}


def shop(shelves=True, **options):
    """Users with one of two tastes; nobody ever had cola."""
    rng = np.random.default_rng(0)
    tastes = [["tea", "milk", "honey", "rusk"], ["beer", "nuts", "crisps", "olives"]]
    pairs = [(f"u{i}", item) for i in range(40) for item in rng.choice(tastes[i % 2], 3, replace=False)]
    pairs += [(f"u{i}", rng.choice(tastes[1 - i % 2])) for i in range(0, 40, 5)]
    data = vbn.Dataset.from_interactions(pairs)
    data = data.with_taxonomy(SHELVES) if shelves else data
    return vbn.VBN(**({"dim": 4, "epochs": 15, "favour": None, "verbose": False} | options)).fit(data)


@pytest.fixture(scope="module")
def trained():
    return shop()


@pytest.fixture
def model(trained):
    return copy.copy(trained)


@pytest.fixture(scope="module")
def words():
    text = [["a", "dog", "barks"], ["the", "cat", "purrs"], ["the", "dog", "sleeps"], ["a", "cat", "sleeps"]] * 20
    data = vbn.Dataset.from_sequences(text, window=2).with_taxonomy({"dog": "animal", "cat": "animal", "cow": "animal"})
    return vbn.VBN(dim=4, epochs=10, verbose=False).fit(data)


def arrays(model):
    return model.trained_.posterior.arrays()


def changed(before, after, path):
    one, other = before[path], after[path]
    rows = (one != other[: len(one)]).reshape(len(one), -1).any(axis=1)
    return set(np.flatnonzero(rows).tolist())


def same_bits(one, other):
    first, second = arrays(one), arrays(other)
    return all(np.array_equal(first[path], second[path]) for path in first)


def test_only_what_events_touch_changes(model):
    before, names = arrays(model), model.trained_
    model.observe([("u3", "tea"), ("u3", "honey"), ("u7", "honey")])
    after = arrays(model)
    rows = {names.rows.id(name) for name in ("u3", "u7")}
    columns = {names.columns.id(name) for name in ("tea", "honey")}
    for path in before:
        block = path.partition(".")[0]
        wanted = {"u": rows, "v": columns, "bias": columns}[block] if path.count(".") == 1 else set()
        assert changed(before, after, path) == wanted, path


def test_a_new_user_or_a_cold_item_changes_nothing_else_either(model):
    before, names = arrays(model), model.trained_
    model.observe([("zoe", "tea"), ("u3", "cola")])
    after = arrays(model)
    assert changed(before, after, "u.mean") == {names.rows.id("u3")}
    assert changed(before, after, "v.mean") == {names.columns.id(name) for name in ("tea", "cola")}
    assert not any(changed(before, after, path) for path in before if path.count(".") > 1)


def test_the_given_model_is_not_written_to(trained):
    before = {path: array.copy() for path, array in arrays(trained).items()}
    copy.copy(trained).observe([("u3", "tea"), ("zoe", "cola")])
    assert all(np.array_equal(before[path], array) for path, array in arrays(trained).items())
    assert "zoe" not in trained.trained_.rows


def test_events_raise_the_probability_of_more_of_the_same(model):
    odd = "u1"  # likes beer
    before = model.predict_proba([(odd, "tea"), (odd, "milk"), (odd, "rusk")])
    model.observe([(odd, "tea"), (odd, "milk"), (odd, "honey")])
    after = model.predict_proba([(odd, "tea"), (odd, "milk"), (odd, "rusk")])
    assert (after > before).all()


def test_everything_counts_the_events(model):
    seen = model.data_.counts.total
    assert "tea" in model.recommend(user="u1", k=20).entities
    model.observe([("u1", "tea"), ("u1", "tea", 2.0)])
    assert "tea" not in model.recommend(user="u1", k=20).entities
    assert model.data_.counts.total == seen + 3
    assert "tea (3x)" in str(model.explain("u1", side="row"))
    assert "seen 6 times" in str(model.explain("u1", side="row"))
    np.testing.assert_array_equal(model.data_.rows.counts, model.trained_.rows.counts)
    np.testing.assert_array_equal(model.data_.counts.row_sums(), model.trained_.rows.counts)
    seen_columns = model.trained_.columns.counts
    np.testing.assert_array_equal(model.data_.counts.column_sums(), seen_columns)
    np.testing.assert_allclose(model.trained_.noise_counts, seen_columns)


def test_a_new_user_gets_about_what_fold_in_gives(model):
    events = [("zoe", "tea"), ("zoe", "honey")]
    folded = {row.entity: row.score for row in model.recommend(["tea", "honey"], k=20, popularity=0.0)}
    model.observe(events)
    found = {row.entity: row.score for row in model.recommend(user="zoe", k=20, popularity=0.0)}
    assert set(found) == set(folded)
    assert max(found, key=found.get) in ("milk", "rusk")
    assert max(abs(found[name] - folded[name]) for name in found) < 0.12


def test_a_cold_item_becomes_known(model):
    assert model.explain("cola").to_dict()["count"] == 0
    wide = model.posterior("cola").std.mean()
    model.observe([(f"u{i}", "cola") for i in range(1, 30, 2)])
    assert model.posterior("cola").std.mean() < wide
    p = model.predict_proba([("u31", "cola"), ("u30", "cola")])
    assert p[0] > p[1], "who has the taste of those who had it"


def test_an_unknown_item_is_an_error_that_names_add_and_changes_nothing(model):
    before = model.trained_
    with pytest.raises(vbn.UnknownEntityError, match=r"'kefir'; give it a density first with add\(\).*missing='skip'"):
        model.observe([("u1", "tea"), ("u1", "kefir")])
    assert model.trained_ is before
    model.observe([("u1", "tea"), ("nobody", "kefir")], missing="skip")
    assert model.data_.counts.total == before.row_totals.sum() + 1
    assert "nobody" not in model.trained_.rows
    model.add("kefir", parents=["drinks"]).observe([("u1", "kefir")])
    assert model.explain("kefir").to_dict()["count"] == 1


def test_pairs_the_wrong_way_round_are_told(model):
    with pytest.raises(vbn.UnknownEntityError, match="'u1'; it is the name of a row: events go from a row to a column"):
        model.observe([("tea", "u1")])


@pytest.mark.parametrize("wrong", [[("u1", "tea", -1.0)], [("u1", "tea", float("inf"))], [("u1", "")], [("u1",)]])
def test_what_is_no_event_is_refused(model, wrong):
    with pytest.raises(vbn.DataError):
        model.observe(wrong)


def test_missing_must_be_known(model):
    with pytest.raises(vbn.ParameterError, match="missing"):
        model.observe([("u1", "tea")], missing="never")


def test_cells_with_several_items_are_taken_apart(model, tmp_path):
    (tmp_path / "day.csv").write_text("user;item\nu1;tea, milk\nzoe;milk\n;tea\n", encoding="utf-8")
    expected = copy.copy(model).observe([("u1", "tea"), ("u1", "milk"), ("zoe", "milk")])
    with pytest.warns(UserWarning, match="1 row without a name is left out, at line 4"):
        assert same_bits(model.observe(tmp_path / "day.csv", split_items=","), expected)


def test_no_events_change_nothing(model):
    before = model.trained_
    assert model.observe([]).trained_ is before
    assert model.observe([("u1", "tea", 0.0)]).trained_ is before


def test_an_unfitted_model_says_so():
    with pytest.raises(vbn.NotFittedError):
        vbn.VBN().observe([("a", "b")])


@pytest.mark.parametrize("form", ["pandas", "polars", "dict", "csv", "columns", "numbers"])
def test_events_come_in_any_form(model, tmp_path, form):
    table = {"user": ["u1", "zoe"], "item": ["tea", "milk"], "weight": [2.0, 1.0]}
    expected = copy.copy(model).observe([("u1", "tea", 2.0), ("zoe", "milk")])
    if form == "csv":
        file = tmp_path / "events.csv"
        pd.DataFrame(table).to_csv(file, index=False)
        model.observe(file)
    elif form == "columns":
        model.observe(table["user"], table["item"], table["weight"])
    elif form == "numbers":
        model.observe({"who": table["user"], "what": table["item"], "n": table["weight"]}, "who", "what", "n")
    else:
        model.observe({"pandas": pd.DataFrame, "polars": pl.DataFrame, "dict": dict}[form](table))
    assert same_bits(model, expected)


def test_ratings_need_a_choice(model):
    table = {"user": ["u1", "u1"], "item": ["tea", "milk"], "stars": [5, 1]}
    expected = copy.copy(model).observe([("u1", "tea")])
    assert same_bits(model.observe(table, min_weight=3.5), expected)


EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["u1", "u2", "u3", "zoe", "yan"]),
        st.sampled_from(["tea", "milk", "cola", "nuts"]),
        st.sampled_from([0.1, 0.3, 1.0, 2.5]),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=25, deadline=None)
@given(events=EVENTS, order=st.randoms(use_true_random=False))
def test_the_order_of_events_does_not_matter(trained, events, order):
    shuffled = list(events)
    order.shuffle(shuffled)
    assert same_bits(copy.copy(trained).observe(events), copy.copy(trained).observe(shuffled))


@settings(max_examples=25, deadline=None)
@given(events=EVENTS, at=st.integers(0, 12))
def test_two_batches_are_about_one(trained, events, at):
    events = [event for event in events if event[1] != "cola"]  # of which nothing is known: the first batch counts most
    one = copy.copy(trained).observe(events)
    two = copy.copy(trained).observe(events[:at]).observe(events[at:])
    assert two.trained_.rows.counts.sum() == pytest.approx(one.trained_.rows.counts.sum())
    for name in {row for row, _, _ in events}:
        near(two.posterior(name, side="row"), one.posterior(name, side="row"), 0.5)
    for name in {column for _, column, _ in events}:
        near(two.posterior(name), one.posterior(name), 0.3)


def near(one, other, deviations):
    assert (np.abs(one.mean - other.mean) < deviations * other.std).all()
    np.testing.assert_allclose(one.std, other.std, rtol=0.15)


def test_observing_is_about_what_partial_fit_learns():
    model = shop(dim=3, epochs=30)
    events = [("u1", "tea"), ("u1", "milk"), ("u2", "rusk")]
    observed = copy.copy(model).observe(events)
    fitted = copy.copy(model).partial_fit(vbn.Dataset.from_interactions(events))
    np.testing.assert_array_equal(observed.trained_.rows.counts, fitted.trained_.rows.counts)
    pairs = [(user, item) for user in ("u1", "u2") for item in ("tea", "milk", "rusk", "beer", "nuts")]
    before, ours, theirs = (each.predict_proba(pairs) for each in (model, observed, fitted))
    assert np.abs(ours - theirs).mean() < 0.5 * np.abs(before - theirs).mean() + 0.02


class PreparedError(Exception):
    """Ends a fit before its first epoch."""


def prepared(model, events, monkeypatch):
    """The training that `partial_fit` would run on all counts and some events."""
    found = []

    def stop(*given):
        found.append(prepare(*given))
        raise PreparedError

    with monkeypatch.context() as patch:
        patch.setattr("vbn.estimators.vbn.prepare", stop)
        with pytest.raises(PreparedError):
            copy.copy(model).partial_fit(vbn.Dataset.from_interactions(events))
    return found[0]


def settled(training, of_rows, entity, epochs=200):
    """Mean and variance of one entity, and the mean of its bias, on average over updates with all else fixed."""
    q, engine = training.network.posterior, ThreadEngine(1)
    own, pairs, found = q.u if of_rows else q.v, Cooccurrence.of(q), []
    only = np.arange(len(own)) == entity
    for epoch in range(epochs):
        sample = GivenSample(training.sampler.sample(epoch, engine), q)
        entities = pairs.entity_inputs(own, sample.relations, only)
        if of_rows:
            sample.update_rows(entities, engine)
        else:
            sample.update_columns(entities, pairs.bias_inputs(only), engine)
        for block in [own] if of_rows else [own, q.bias]:
            block.gamma.update(block.rate, only, block.measured(np.array([entity])))
        found.append((own.mean[entity].copy(), own.variance[entity].copy(), 0.0 if of_rows else q.bias.mean[entity]))
    return [np.mean(values, axis=0) for values in zip(*found[epochs // 3 :], strict=True)]


def test_an_entity_agrees_with_partial_fit_with_all_else_fixed(monkeypatch):
    model = shop(dim=3, epochs=60, dtype="float64", company=False)
    events = [("u1", "tea"), ("u1", "milk"), ("u2", "rusk")]
    before, after = model.trained_.posterior, copy.copy(model).observe(events).trained_.posterior
    names = model.trained_
    first = names.rows.id("u1")
    assert (np.abs(after.u.mean[first] - before.u.mean[first]) / np.sqrt(before.u.variance[first])).max() > 0.7, "moved"
    for row in ("u1", "u2"):
        i = names.rows.id(row)
        mean, variance, _ = settled(prepared(model, events, monkeypatch), True, i)
        assert (np.abs(after.u.mean[i] - mean) < 0.1 * np.sqrt(variance)).all(), row
        np.testing.assert_allclose(np.sqrt(after.u.variance[i]), np.sqrt(variance), rtol=0.05)
    for column in ("tea", "milk", "rusk"):
        j, training = names.columns.id(column), prepared(model, events, monkeypatch)
        q = training.network.posterior
        q.u.mean[...], q.u.variance[...] = after.u.mean, after.u.variance  # rows come first
        mean, variance, bias = settled(training, False, j)
        assert (np.abs(after.v.mean[j] - mean) < 0.25 * np.sqrt(variance)).all(), column
        np.testing.assert_allclose(np.sqrt(after.v.variance[j]), np.sqrt(variance), rtol=0.05)
        assert abs(after.bias.mean[j] - bias) < 0.3 * np.sqrt(after.bias.variance[j])


def test_partial_fit_learns_from_events_again(model):
    model.observe([("u1", "tea"), ("zoe", "milk")])
    assert model.set_params(epochs=2).partial_fit(vbn.Dataset.from_interactions([("u2", "tea")])).data_ is not None
    assert "tea" not in model.recommend(user="u1", k=20).entities
    assert model.trained_.rows.counts[model.trained_.rows.id("zoe")] == 1


def test_events_are_saved(model, tmp_path):
    model.observe([("u1", "tea"), ("zoe", "cola")])
    again = vbn.load(model.save(tmp_path / "model"))
    assert same_bits(again, model)
    assert same_bits(again.observe([("zoe", "tea")]), model.observe([("zoe", "tea")]))
    assert again.data_.counts.total == model.data_.counts.total


def test_a_model_without_counts_observes_too(trained, tmp_path):
    model = vbn.load(trained.save(tmp_path / "model", counts=False))
    before = model.predict_proba([("u1", "tea")])
    model.observe([("u1", "tea"), ("zoe", "milk")])
    assert model.predict_proba([("u1", "tea")]) > before
    assert model.data_ is None
    assert len(model.recommend(user="zoe", k=2, exclude_seen=False)) == 2


def test_many_events_are_merged_on_the_way(model, monkeypatch):
    monkeypatch.setattr("vbn.inference.observing._SINCE", 2)
    apart = copy.copy(model)
    for event in [("u1", "tea"), ("u1", "milk"), ("zoe", "tea"), ("zoe", "rusk"), ("u2", "nuts")]:
        model.observe([event])
        apart.observe([event])
        assert apart.data_ is not None  # merges at once
    assert same_bits(model, apart)
    assert model.data_.counts.nnz == apart.data_.counts.nnz


def test_entities_may_be_the_same_on_both_sides(words):
    model, names = copy.copy(words), words.trained_.rows
    before = arrays(model)
    model.observe([("cat", "barks", 3.0)])
    touched = {names.id("cat"), names.id("barks")}
    assert changed(before, arrays(model), "u.mean") == changed(before, arrays(model), "v.mean") == touched
    assert (model.predict_proba([("cat", "barks")]) > words.predict_proba([("cat", "barks")])).all()
    more = model.data_.counts.total - words.data_.counts.total
    assert more == 6, "counted in both directions"
    with pytest.raises(vbn.UnknownEntityError, match="'horse'; give it a density"):
        model.observe([("horse", "barks")])


def test_pairs_have_a_direction():
    data = vbn.Dataset.from_pairs(["a", "b", "c", "a"], ["b", "c", "a", "c"], [9, 9, 9, 2])
    model = vbn.VBN(dim=2, epochs=5, favour=None, verbose=False).fit(data)
    seen = model.data_.counts.total
    model.observe([("a", "b")])
    assert model.data_.counts.total == seen + 1
    np.testing.assert_allclose(
        model.trained_.columns.counts, data.merge(vbn.Dataset.from_pairs(["a"], ["b"])).columns.counts
    )


@pytest.mark.parametrize("options", [{"parents": "mixture"}, {"bias_prior": "zero"}, {"dtype": "float64"}], ids=str)
def test_other_models_observe_too(options, tmp_path):
    model = shop(**options).observe([("u1", "tea"), ("zoe", "cola")])
    assert same_bits(vbn.load(model.save(tmp_path / "model")), model)
    assert np.isfinite(model.posterior("zoe", side="row").mean).all()


def test_features_of_items_stay(tmp_path):
    rng = np.random.default_rng(0)
    data = vbn.Dataset.from_interactions([(f"u{i % 9}", f"i{j}") for i, j in rng.integers(0, 12, (150, 2))])
    data = data.with_features({f"i{j}": rng.normal(size=3) for j in range(12)}, name="text")
    model = vbn.VBN(dim=3, epochs=5, favour=None, verbose=False).fit(data).observe([("zoe", "i1"), ("u1", "i2")])
    assert same_bits(vbn.load(model.save(tmp_path / "model")), model)
    assert model.data_.sources == ("text",)


def test_a_title_of_several_items_and_a_misspelt_one_are_told(tmp_path):
    catalogue = pd.DataFrame({"item": [1, 2, 3], "title": ["Heat", "Heat", "Casino"], "genre": ["a", "a", "b"]})
    data = vbn.Dataset.from_interactions(["ann", "ann", "ben"], [1, 2, 3]).with_catalogue(catalogue, levels=["genre"])
    model = vbn.VBN(dim=2, epochs=2, favour=None, verbose=False).fit(data)
    assert "3" not in model.observe([("ann", "Casino")]).recommend(user="ann", k=3).entities
    with pytest.raises(vbn.UnknownEntityError, match=r"'Heat'; it is the label of 2 entities: '1', '2'"):
        model.observe([("ben", "Heat")])
    with pytest.raises(vbn.UnknownEntityError, match=r"did you mean 'Casino'\? If it is new, give .*missing='skip'"):
        model.observe([("ben", "Cassino")])


def test_a_model_without_rows_says_so(model, tmp_path):
    small = vbn.load(model.save(tmp_path / "m", rows=False))
    with pytest.raises(vbn.DataError, match=r"saved without its rows.*rows=True"):
        small.observe([("u1", "tea")])
    assert same_bits(small.observe([("u1", "tea")], missing="skip"), vbn.load(tmp_path / "m"))


def test_weights_that_are_too_large_are_an_error_and_change_nothing(model):
    before = model.trained_
    with pytest.raises(vbn.NumericalError, match="would no longer be finite"), np.errstate(all="ignore"):
        model.observe([("u1", "tea", 1e300)])
    assert model.trained_ is before


def one_by_one(prior, evidence, cells, start, bias=None):
    """The updates of one entity in plain numpy: vectors of the others, their weights, and biases; `SWEEPS` times.

    `prior` is mean, variance of the mean, E[tau], shape and rate; `bias` the same of the entity's own bias, with its
    evidence and start.
    """
    others, spread, positive, negative, shift, shift_variance = cells
    mean, variance = (value.copy() for value in start)
    tau, weight, pull = prior[2], positive + negative, (positive - negative) / 2
    if bias is not None:
        (b_mean, b_spread, b_tau, b_shape, b_rate), b_evidence, (b, b_variance) = bias

    def slopes():
        by, by_variance = (shift, shift_variance) if bias is None else (b, b_variance)
        x = others @ mean + by
        square = x**2 + spread @ (mean**2 + variance) + others**2 @ variance + by_variance
        return 2 * jaakkola_lambda(np.sqrt(square)) * weight, x

    for sweep in range(SWEEPS):
        if sweep:
            tau = prior[3] / (prior[4] + (prior[1] + ((mean - prior[0]) ** 2 + variance).sum()) / 2)
        (slope, x), before = slopes(), mean.copy()
        for d in range(len(mean)):
            old, mu = mean[d], others[:, d]
            precision = tau + evidence[0][d] + (slope * (mu**2 + spread[:, d])).sum()
            mean[d] = (tau * prior[0][d] + evidence[1][d] + (mu * (pull - slope * (x - old * mu))).sum()) / precision
            variance[d], x = 1 / precision, x + (mean[d] - old) * mu
        moved = (np.abs(mean - before) / np.sqrt(variance)).max()
        if bias is not None:
            if sweep:
                b_tau = b_shape / (b_rate + (b_spread + (b - b_mean) ** 2 + b_variance) / 2)
            slope, x = slopes()
            precision, old = b_tau + b_evidence[0] + slope.sum(), b
            b = (b_tau * b_mean + b_evidence[1] + (pull - slope * (x - b)).sum()) / precision
            b_variance = 1 / precision
            moved = max(moved, abs(b - old) / np.sqrt(b_variance))
        if moved < 0.02:
            break
    return (mean, variance, tau) if bias is None else (mean, variance, tau, b, b_variance, b_tau)


def prior_and_evidence(block, after, i):
    """The prior of an entity, with the counts after its events, and its density divided by the prior before."""
    moments, sites = block.moments(np.array([i])), block.as_sites()
    gamma, dim = after.gamma.at(np.array([i])), block.gamma.dim
    shape, rate = (float(np.broadcast_to(value, 1)[0]) for value in (gamma.shape, gamma.beta))
    prior = moments.mean[0], dim * moments.variance[0], block.tau[i], shape, rate
    return prior, (sites.precision[i], sites.linear[i])


@pytest.mark.parametrize("rejects", [True, False])
def test_densities_are_those_of_the_equations(rejects):
    model = shop(dtype="float64", reject_positives=rejects, company=False)
    before, data, q = model.trained_, model.data_.counts.to_scipy().toarray(), model.trained_.posterior
    events = {("u1", "tea"): 2.0, ("u1", "rusk"): 1.0, ("u4", "tea"): 1.0}
    model.observe([(*pair, weight) for pair, weight in events.items()])
    after, new = model.trained_, model.trained_.posterior
    i, j = before.rows.id("u1"), before.columns.id("tea")

    # the row: its two columns, and the noise
    columns = before.columns.ids(["tea", "rusk"])
    noise = before.profile.negatives(NOISE)
    seen = set(np.flatnonzero(data[i]).tolist()) | set(columns.tolist())
    noise = np.array([k for k in noise.tolist() if not (rejects and k in seen)])
    places = np.r_[columns, noise]
    positive = np.r_[[2.0, 1.0], np.zeros(len(noise))]
    negative = np.r_[[0.0, 0.0], np.full(len(noise), before.negatives * 3.0 / len(noise))]
    cells = q.v.mean[places], q.v.variance[places], positive, negative, q.bias.mean[places], q.bias.variance[places]
    found = one_by_one(*prior_and_evidence(q.u, new.u, i), cells, (q.u.mean[i], q.u.variance[i]))
    for ours, theirs in zip((new.u.mean[i], new.u.variance[i], new.u.tau[i]), found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)

    # the column: its two rows as they are now, and the rows that draw it as noise
    rows = before.rows.ids(["u1", "u4"])
    shares = np.cumsum(before.row_totals) / before.row_totals.sum()
    drawing = np.searchsorted(shares, (np.arange(NOISE) + 0.5) / NOISE)
    seen = set(np.flatnonzero(data[:, j]).tolist()) | set(rows.tolist())
    drawing = np.array([k for k in drawing.tolist() if not (rejects and k in seen)])
    places = np.r_[rows, drawing]
    positive = np.r_[[2.0, 1.0], np.zeros(len(drawing))]
    weight = before.negatives * after.row_totals.sum() * after.noise()[j] * 3.0 / after.columns.counts[j]
    negative = np.r_[[0.0, 0.0], np.full(len(drawing), weight / NOISE)]
    zero = np.zeros(len(places))
    cells = new.u.mean[places], new.u.variance[places], positive, negative, zero, zero
    bias, evidence = prior_and_evidence(q.bias, new.bias, j)
    bias = (bias[0][0], *bias[1:]), evidence, (q.bias.mean[j], q.bias.variance[j])
    found = one_by_one(*prior_and_evidence(q.v, new.v, j), cells, (q.v.mean[j], q.v.variance[j]), bias)
    ours = new.v.mean[j], new.v.variance[j], new.v.tau[j], new.bias.mean[j], new.bias.variance[j], new.bias.tau[j]
    for one, other in zip(ours, found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
