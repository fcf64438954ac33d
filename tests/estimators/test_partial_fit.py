"""Going on without the counts of the first fit: close to a fit on all data, and nothing old is lost."""

import numpy as np
import pytest

import vbn

N, GROUPS = 90, 6


def world():
    """How likely each pair of entities is: groups that like each other more or less, and popularity."""
    rng = np.random.default_rng(7)
    places = rng.normal(size=(GROUPS, 4))[np.arange(N) % GROUPS] + 0.4 * rng.normal(size=(N, 4))
    popularity = 1 / np.arange(1, N + 1) ** 0.6
    likely = np.exp(np.clip(1.2 * places @ places.T, -4, 4)) * np.outer(popularity, popularity)
    np.fill_diagonal(likely, 0)
    return likely


WORLD = world()


def draw(n, seed, rows=(0, N), columns=(0, N)):
    mask = np.zeros((N, N))
    mask[slice(*rows), slice(*columns)] = 1
    likely = WORLD * mask / (WORLD * mask).sum()
    pairs = np.random.default_rng(seed).choice(N * N, n, p=likely.ravel())
    return pairs // N, pairs % N


def names(ids, letter="e"):
    return [f"{letter}{i}" for i in ids]


def taxonomy(letter="e"):
    return {f"{letter}{i}": [f"group{i % GROUPS}"] for i in range(N)} | {f"group{g}": ["all"] for g in range(GROUPS)}


def entities(pairs):
    return vbn.Dataset.from_pairs(names(pairs[0]), names(pairs[1])).with_taxonomy(taxonomy())


def customers(pairs):
    data = vbn.Dataset.from_interactions(names(pairs[0], "u"), names(pairs[1], "i"))
    data = data.with_taxonomy({f"u{i}": [f"segment{i % GROUPS}"] for i in range(N)}, side="row")
    return data.with_taxonomy(taxonomy("i"), side="column")


def model(**options):
    return vbn.VBN(**({"dim": 6, "verbose": False, "relation_rank": 2} | options))


def without_counts(fitted, folder):
    loaded = vbn.load(fitted.save(folder, counts=False))
    assert loaded.data_ is None
    return loaded


def logits(fitted, pairs=None, letters=("e", "e")):
    every = np.divmod(np.arange(N * N), N) if pairs is None else pairs
    p = fitted.predict_proba(list(zip(names(every[0], letters[0]), names(every[1], letters[1]), strict=True)))
    return np.log(p / (1 - p))


def score(fitted, pairs, letters=("e", "e")):
    """Mean log-likelihood of held-out pairs against as many random ones."""
    random = np.random.default_rng(1).integers(0, N, len(pairs[1]))
    positive, negative = logits(fitted, pairs, letters), logits(fitted, (pairs[0], random), letters)
    return -np.logaddexp(0, -positive).mean() - np.logaddexp(0, negative).mean()


def correlation(one, other, letters=("e", "e")):
    return np.corrcoef(logits(one, None, letters), logits(other, None, letters))[0, 1]


def bits(fitted):
    return {path: array.tobytes() for path, array in fitted.trained_.posterior.arrays().items()}


@pytest.mark.parametrize("kind", ["entities", "users x items"])
def test_it_comes_close_to_a_fit_on_all_data(kind, tmp_path):
    """The new data has new entities, and entities 0..19 of the old are not in it."""
    make, letters = (entities, ("e", "e")) if kind == "entities" else (customers, ("u", "i"))
    old, new = {"rows": (0, 70), "columns": (0, 70)}, {"rows": (20, N), "columns": (20, N)}
    first, more = draw(9000, 1, **old), draw(4000, 2, **new)
    before, alone = model().fit(make(first)), model().fit(make(more))
    whole = model().fit(make(first).merge(make(more)))
    streamed = without_counts(before, tmp_path / "model").partial_fit(make(more))
    assert streamed.data_ is None
    assert correlation(streamed, whole, letters) > 0.94
    assert correlation(streamed, whole, letters) > correlation(before, whole, letters) + 0.02
    old_pairs, new_pairs = draw(4000, 3, **old), draw(4000, 4, **new)
    assert score(streamed, old_pairs, letters) > score(alone, old_pairs, letters) + 0.03
    assert score(streamed, new_pairs, letters) > score(before, new_pairs, letters) + 0.03
    assert abs(logits(streamed, None, letters).mean() - logits(whole, None, letters).mean()) < 0.2


def test_what_the_new_data_does_not_mention_stays_nearly_as_it_was(tmp_path):
    before = model().fit(entities(draw(9000, 1, rows=(0, 70), columns=(0, 70))))
    after = without_counts(before, tmp_path / "model")
    after.partial_fit(entities(draw(200, 2, rows=(20, 70), columns=(20, 70))))
    moves = []
    for role in ("entity", "context"):
        for name in names(range(20)):
            old, new = before.posterior(name, role=role), after.posterior(name, role=role)
            moves.append(np.abs(new.mean - old.mean).max() / old.std.mean())
            np.testing.assert_allclose(new.variance, old.variance, rtol=0.1)
    assert np.median(moves) < 0.05  # of a standard deviation
    assert np.max(moves) < 0.4
    busy = [
        before.posterior(name).variance.sum() - after.posterior(name).variance.sum() for name in names(range(20, 70))
    ]
    assert np.mean(busy) > 0


def test_a_stream_of_small_batches_ends_where_one_fit_does(tmp_path):
    """Levels, for popular and for rare columns, and variances: nothing adds up that should not."""
    batches = [draw(4000, 1), *(draw(200, 10 + k) for k in range(10))]
    streamed = without_counts(model(epochs=20).fit(entities(batches[0])), tmp_path / "model")
    for batch in batches[1:]:
        streamed.partial_fit(vbn.Dataset.from_pairs(names(batch[0]), names(batch[1])))
    whole = model().fit(entities(tuple(np.concatenate(part) for part in zip(*batches, strict=True))))
    assert correlation(streamed, whole) > 0.94
    ours, theirs = logits(streamed).reshape(N, N), logits(whole).reshape(N, N)
    for columns in (slice(0, 15), slice(15, 45), slice(45, N)):
        assert abs(ours[:, columns].mean() - theirs[:, columns].mean()) < 0.2
    ours, theirs = streamed.trained_.posterior, whole.trained_.posterior
    ratios = [np.median((a.variance / b.variance)[a.active]) for a, b in ((ours.u, theirs.u), (ours.v, theirs.v))]
    assert 0.7 < np.sqrt(np.prod(ratios)) < 1.1  # together: what u gains in scale, v loses
    assert all(0.7 < ratio < 1.3 for ratio in ratios)
    totals = streamed.trained_.row_totals.sum()
    assert totals == pytest.approx(4000 + 10 * 200, rel=1e-6)
    assert streamed.trained_.rows.counts.sum() == pytest.approx(whole.trained_.rows.counts.sum())


def test_a_new_entity_does_not_outrank_all_others(tmp_path):
    """The old positives count as having not met it; else three sightings in a small batch would be a sensation."""
    first = entities(draw(9000, 1))
    batch = entities(draw(60, 2)).merge(vbn.Dataset.from_pairs(names([0, 6, 12]), ["new"] * 3))
    batch = batch.with_taxonomy(taxonomy() | {"new": ["group0"]})
    after = without_counts(model().fit(first), tmp_path / "model").partial_fit(batch)
    whole = model().fit(first.merge(batch))
    ours, theirs = (m.trained_.posterior.bias.mean[m.trained_.columns.id("new")] for m in (after, whole))
    assert ours == pytest.approx(theirs, abs=0.3)


def test_new_entities_learn_from_parents_that_the_old_data_taught(tmp_path):
    before = without_counts(model().fit(entities(draw(9000, 1, rows=(0, 70), columns=(0, 70)))), tmp_path / "model")
    parent = before.posterior("group3", role="category").mean
    more = vbn.Dataset.from_pairs(["e1", "e2"], ["e2", "e1"])
    more = more.with_taxonomy({"silent": ["group3"], "child": ["silent"]})
    after = before.partial_fit(more)
    assert np.linalg.norm(after.posterior("silent").mean - parent) < 0.2 * np.linalg.norm(parent)
    assert after.posterior("child").std.mean() >= after.posterior("silent").std.mean() * 0.9
    assert after.trained_.column_taxonomy.parents("e4") == [("group4", 1.0)]


def related(pairs, relation):
    return entities(pairs).with_relation("same", relation, symmetric=True)


def test_relations_are_remembered_and_may_grow(tmp_path):
    groups = [(f"e{i}", f"e{i + GROUPS}") for i in range(60)]
    settings = {"relation_space": "joint", "relation_weight": 5.0}
    before = without_counts(model(**settings).fit(related(draw(6000, 1), groups)), tmp_path / "model")
    wrong = [(f"e{i}", f"e{i + GROUPS + 1}") for i in range(60)]

    def gap(fitted):
        return fitted.relation_proba("same", groups).mean() - fitted.relation_proba("same", wrong).mean()

    learned = gap(before)
    assert learned > 0.15
    after = before.partial_fit(entities(draw(500, 2)))
    assert gap(after) == pytest.approx(learned, abs=0.1)
    other = [(f"e{i}", f"e{i + 1}") for i in range(20)]
    third = after.partial_fit(
        entities(draw(500, 3)).with_relation("next", other).with_relation("same", groups[-3:], True)
    )
    assert [relation.name for relation in third.trained_.relations] == ["same", "next"]
    assert gap(third) > 0.6 * learned
    assert third.relation_proba("next", other).mean() > 0.5


def test_symmetry_of_a_relation_cannot_change(tmp_path):
    before = without_counts(model(epochs=3).fit(related(draw(500, 1), [("e0", "e6")])), tmp_path / "model")
    with pytest.raises(vbn.RelationError, match="symmetric in one data set only"):
        before.partial_fit(entities(draw(500, 2)).with_relation("same", [("e0", "e6")]))


@pytest.mark.parametrize("make", [entities, customers])
def test_same_bits_for_any_number_of_threads(make, tmp_path, monkeypatch):
    monkeypatch.setattr("vbn.sampling.sampler._CELLS_PER_TASK", 16)
    monkeypatch.setattr("vbn.model.epoch._CELLS_PER_TASK", 16)
    folder = model(epochs=4).fit(make(draw(800, 1))).save(tmp_path / "model", counts=False)
    one, four = (vbn.load(folder).set_params(n_threads=n).partial_fit(make(draw(300, 2))) for n in (1, 4))
    assert bits(one) == bits(four)
    assert one.lower_bounds_.tolist() == four.lower_bounds_.tolist()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_bound_never_falls_on_a_fixed_sample(dtype, tmp_path):
    settings = {"resample": False, "dtype": dtype, "epochs": 25}
    data = entities(draw(1500, 1)).with_relation("next", [(f"e{i}", f"e{i + 1}") for i in range(20)])
    before = without_counts(model(**settings).fit(data), tmp_path / "model")
    bounds = before.partial_fit(entities(draw(400, 2))).lower_bounds_
    tolerance = 1e-10 if dtype == "float64" else 1e-6
    assert (np.diff(bounds) >= -tolerance * np.abs(bounds[:-1])).all()
    assert bounds[-1] > bounds[0]


def test_the_model_can_be_saved_and_grown_and_go_on_again(tmp_path):
    before = without_counts(model(epochs=5).fit(entities(draw(800, 1))), tmp_path / "one")
    before.partial_fit(entities(draw(200, 2)))
    here, there = before, vbn.load(before.save(tmp_path / "two"))
    for each in (here, there):
        each.add("fox", parents=["group1"], contexts={"e1": 4})
        each.partial_fit(entities(draw(200, 3)))
        assert each.data_ is None
        assert each.posterior("fox").dim == 6
        assert each.trained_.rows.counts[each.trained_.rows.id("fox")] > 0
    assert bits(here) == bits(there)


def test_a_rough_first_fit_does_not_run_away(tmp_path):
    """After one or two epochs the precisions do not fit the densities yet."""
    for epochs in (1, 2):
        before = without_counts(model(epochs=epochs, dim=20).fit(entities(draw(2000, 1))), tmp_path / f"{epochs}")
        before.set_params(epochs=40).partial_fit(entities(draw(100, 2)))
        assert np.abs(before.trained_.posterior.u.mean).max() < 5
        assert np.isfinite(before.lower_bounds_).all()


def test_callbacks_and_validation_see_the_streamed_model(tmp_path):
    before, seen = without_counts(model(epochs=4).fit(entities(draw(800, 1))), tmp_path / "model"), []
    before.partial_fit(
        entities(draw(200, 2)),
        validation=entities(draw(300, 3)),
        callbacks=[lambda fitted, epoch: seen.append((fitted.data_, epoch.validation))],
    )
    assert [data for data, _ in seen] == [None] * 4
    assert [value for _, value in seen] == before.validation_.tolist()


def test_a_failed_fit_leaves_the_model_as_it_was(tmp_path):
    before = without_counts(model(epochs=4).fit(entities(draw(800, 1))), tmp_path / "model")
    old = bits(before)

    def explode(fitted, epoch):
        raise RuntimeError("stop here")

    with pytest.raises(RuntimeError, match="stop here"):
        before.partial_fit(entities(draw(200, 2)), callbacks=[explode])
    assert bits(before) == old


@pytest.mark.parametrize(
    ("change", "data", "error", "message"),
    [
        ({"dim": 4}, entities(draw(50, 2)), vbn.ParameterError, "dim=4 differs from the 6"),
        ({}, customers(draw(50, 2)), vbn.DataError, "cannot merge"),
        ({}, [["e1", "e2"]], vbn.DataError, "Dataset"),
        ({}, None, vbn.DataError, "Dataset"),
    ],
)
def test_what_does_not_fit_the_model_is_refused(change, data, error, message, tmp_path):
    before = without_counts(model(epochs=2).fit(entities(draw(400, 1))), tmp_path / "model").set_params(**change)
    with pytest.raises(error, match=message):
        before.partial_fit(data)


def test_another_rank_is_refused(tmp_path):
    before = without_counts(
        model(epochs=2, relation_space="joint").fit(related(draw(400, 1), [("e0", "e6")])), tmp_path / "model"
    )
    with pytest.raises(vbn.ParameterError, match="relation_rank=3 of the relation 'same'"):
        before.set_params(relation_rank=3).partial_fit(entities(draw(50, 2)))


def test_another_dtype_is_fine(tmp_path):
    before = without_counts(model(epochs=3).fit(entities(draw(400, 1))), tmp_path / "model")
    after = before.set_params(dtype="float64").partial_fit(entities(draw(50, 2)))
    assert after.trained_.posterior.u.mean.dtype == np.float64
