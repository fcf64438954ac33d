"""Content as a prior, in the library: cold entities, add, explain, files, partial_fit, resuming, threads and Ray."""

import json

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import vbn
from vbn.model import Linear

ITEMS, COLD, WIDTH, TRUE = 80, 12, 6, 3


def world(seed=0):
    """Users who like items for what their features say, and items that nobody has had yet."""
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((ITEMS + COLD, WIDTH))
    items = features @ (0.7 * rng.standard_normal((WIDTH, TRUE))) + 0.3 * rng.standard_normal((ITEMS + COLD, TRUE))
    users = rng.standard_normal((120, TRUE))
    likes = rng.random((120, ITEMS + COLD)) < 0.4 / (1 + np.exp(1.5 - 1.5 * users @ items.T))
    return features, likes


def names(numbers):
    return [f"i{number}" for number in numbers]


def data(seed=0, taxonomy=True, content=True):
    features, likes = world(seed)
    user, item = np.nonzero(likes[:, :ITEMS])
    found = vbn.Dataset.from_interactions([f"u{each}" for each in user], names(item))
    if taxonomy:
        found = found.with_taxonomy({f"i{each}": [f"g{each % 3}"] for each in range(ITEMS + COLD)} | {"g1": ["g0"]})
    if not content:
        return found
    known = {f"i{each}": features[each] for each in range(ITEMS + COLD) if f"i{each}" in found.columns}
    known |= {"g1": features[1]} if taxonomy else {}
    return found.with_features(known, name="text")


def settings(**more):
    return {"dim": 4, "epochs": 8, "dtype": "float64", "seed": 3, "verbose": False, "favour": None} | more


def fitted(**more):
    return vbn.VBN(**settings(**more)).fit(data())


def bits(model):
    return {path: array.tobytes() for path, array in model.trained_.posterior.arrays().items()}


def linear(model, part="v"):
    found = model.trained_.posterior.blocks()[part].parts()["linear"]
    assert isinstance(found, Linear)
    return found


@pytest.fixture(scope="module")
def model():
    return fitted()


def test_it_is_summed_with_the_taxonomy_for_vectors_and_biases(model):
    q = model.trained_.posterior
    assert list(q.u.parts()) == []
    assert list(q.v.parts()) == ["hierarchy", "linear"]
    assert list(q.bias.parts()) == ["hierarchy", "linear", "centre"]
    assert np.abs(linear(model).weights).max() > 0.1


def test_words_have_it_on_both_sides():
    words = vbn.Dataset.from_pairs(["a", "b", "c"], ["b", "c", "a"], [9, 5, 7]).with_features([[1, 2], [0, 3], [2, 2]])
    q = vbn.VBN(**settings(epochs=2)).fit(words).trained_.posterior
    assert list(q.u.parts()) == list(q.v.parts()) == ["linear"]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_bound_never_falls_on_a_fixed_sample(dtype):
    bounds = fitted(resample=False, epochs=30, dtype=dtype).lower_bounds_
    assert (np.diff(bounds) >= -(1e-10 if dtype == "float64" else 1e-6) * np.abs(bounds[:-1])).all()


def cold_rank(model):
    """Mean percentile of the cold items that users like, among cold items."""
    likes = world()[1][:, ITEMS:]
    users = [user for user in range(len(likes)) if f"u{user}" in model.trained_.rows]
    pairs = [(f"u{user}", name) for user in users for name in names(range(ITEMS, ITEMS + COLD))]
    scores = model.predict_proba(pairs).reshape(len(users), COLD)
    ranks = (scores[:, :, None] > scores[:, None, :]).sum(axis=2) / (COLD - 1)
    return ranks[likes[users]].mean()


def test_cold_items_are_found_by_their_content(model):
    assert cold_rank(model) > 0.68
    assert cold_rank(vbn.VBN(**settings()).fit(data(content=False))) < 0.6


def test_strength_zero_is_the_model_without_features():
    assert bits(fitted(content_strength=0)) == bits(vbn.VBN(**settings()).fit(data(content=False)))
    assert bits(fitted(content_strength={"text": 0})) == bits(fitted(content_strength=0.0))


def test_strength_may_differ_by_source():
    features = world()[0]
    known = dict(zip(names(range(ITEMS)), features[:ITEMS, :2], strict=True))
    both = data().with_features(known, name="numbers")
    model = vbn.VBN(**settings(content_strength={"text": 0.5, "numbers": 1e-6})).fit(both)
    own = linear(model)
    assert own.features.widths == {"text": WIDTH, "numbers": 2}
    assert np.abs(own.weights[WIDTH:]).max() < 0.01 * np.abs(own.weights[:WIDTH]).max()
    assert model.trained_.sources == {"text": 0.5, "numbers": 1e-6}
    assert "0.5  strength of the features 'text', as given" in model.describe()


def test_wrong_strengths_are_refused():
    with pytest.raises(vbn.ParameterError, match="the data has no features 'txt'; it has 'text'"):
        fitted(content_strength={"txt": 1.0})
    with pytest.raises(vbn.ParameterError, match="content_strength=-1 must be a finite number of at least 0"):
        fitted(content_strength=-1)


def test_what_is_kept_of_entities_is_what_the_map_says(model):
    """Also after averages over epochs, and for entities without data."""
    for part in ("v", "bias"):
        own = linear(model, part)
        rows = np.flatnonzero(own.features.known)
        phi = own.features.scaled(rows, own.centre, own.factor)
        np.testing.assert_allclose(own.shift[rows], phi @ own.weights, atol=1e-12)
        np.testing.assert_allclose(own.leverage[rows], ((phi @ own.covariance) * phi).sum(axis=1), rtol=1e-9)
        others = np.setdiff1d(np.arange(len(own.shift)), rows)
        assert not own.shift[others].any()
        assert not own.leverage[others].any()


def test_a_cold_item_lies_where_parents_and_content_say(model):
    block, at = model.trained_.posterior.v, model.trained_.columns.id(f"i{ITEMS + 1}")
    parents, content = block.parts()["hierarchy"], linear(model)
    row = np.array([at])
    np.testing.assert_allclose(block.mean[at], (parents.means(row) + content.means(row))[0], rtol=1e-10)
    expected = 1 / block.tau[at] + parents.variances(row)[0] + content.variances(row)[0]
    np.testing.assert_allclose(block.variance[at], expected, rtol=1e-10)


@pytest.mark.parametrize("loaded", [False, True])
@pytest.mark.parametrize("counts", [False, True])
def test_an_added_entity_has_the_density_that_the_fit_gives_to_one_like_it(tmp_path, loaded, counts):
    model, features = fitted(), world()[0]
    if loaded:
        model = vbn.load(model.save(tmp_path / "model", counts=counts))
    old, number = f"i{ITEMS + 1}", ITEMS + 1
    model.add("new", parents=[f"g{number % 3}"], features=features[number])
    model.add({"again": {"parents": [f"g{number % 3}"], "features": {"text": features[number]}}})
    for name in ("new", "again"):
        np.testing.assert_allclose(model.posterior(name).mean, model.posterior(old).mean, rtol=1e-9)
        np.testing.assert_allclose(model.posterior(name).variance, model.posterior(old).variance, rtol=1e-9)
    at = model.trained_.columns.ids([old, "new"])
    np.testing.assert_allclose(*model.trained_.posterior.bias.mean[at], rtol=1e-9)


def test_adding_does_not_change_what_was_there():
    model = fitted()
    before = {path: array.copy() for path, array in model.trained_.posterior.arrays().items()}
    n = len(before["v.linear.shift"])
    model.add("new", features=world()[0][0])
    after = model.trained_.posterior.arrays()
    for path in before:
        np.testing.assert_array_equal(after[path][: len(before[path])], before[path], err_msg=path)
    assert len(after["v.linear.shift"]) == n + 1


@pytest.mark.parametrize(
    ("features", "told"),
    [
        ([1.0, 2.0], "have 2 numbers; the model was trained with 6"),
        ({"image": [1.0]}, "comes with features of 'image'; give them as a dict by source: 'text'"),
        ([1.0, 2.0, 3.0, 4.0, 5.0, float("nan")], "must be a vector of finite numbers"),
        ("words", "must be a vector of numbers"),
    ],
)
def test_wrong_features_of_an_added_entity_are_refused(model, features, told):
    before = len(model.trained_.columns)
    with pytest.raises(vbn.DataError, match=told):
        model.add("wrong", parents=["g1"], features=features)
    assert len(model.trained_.columns) == before


def test_a_model_without_features_takes_none():
    plain = vbn.VBN(**settings(epochs=2)).fit(data(content=False))
    with pytest.raises(vbn.DataError, match="the model was trained without"):
        plain.add("new", features=[1.0])


def test_explain_tells_parents_content_and_data(model):
    told = model.explain("i3").parts[0]
    assert [each.source for each in told.content] == ["text"]
    shares = sum(parent.share for parent in told.parents) + sum(each.share for each in told.content)
    assert shares == pytest.approx(1.0)
    assert "content" in repr(model.explain("i3"))
    assert told.outlying < 2
    cold = model.explain(f"i{ITEMS + 1}")
    assert "no data: its density is what its parents and content say" in repr(cold)
    assert cold.parts[0].content_std > 0
    assert "content" in cold.to_dict()["parts"][0]
    assert "content" not in model.explain("u3", side="row").to_dict()["parts"][0]


def test_explain_says_that_an_entity_is_unlike_what_training_saw():
    model = fitted().add("odd", parents=["g1"], features=30 * np.ones(WIDTH))
    told = model.explain("odd")
    assert told.parts[0].outlying > 10
    assert "unlike what training saw" in repr(told)


def test_a_category_may_have_content(model):
    q, at = model.trained_.posterior, model.trained_.columns.id("g1")
    hierarchy, content = q.v.parts()["hierarchy"], linear(model)
    assert content.leverage[at] > 0
    assert hierarchy.others == (content,)
    assert [each.source for each in model.explain("g1").parts[0].content] == ["text"]


@pytest.mark.parametrize("counts", [True, False])
def test_it_is_saved_loaded_and_fitted_further(tmp_path, counts):
    model, features = fitted(), world()[0]
    again = vbn.load(model.save(tmp_path / "model", counts=counts))
    assert bits(again) == bits(model)
    more = vbn.Dataset.from_interactions(["u1", "u2", "u3", "u3"], ["late", "late", "late", "i1"])
    more = more.with_features({"late": features[3]}, name="text")
    further = again.partial_fit(more)
    assert list(further.trained_.posterior.v.parts()) == ["hierarchy", "linear"]
    assert linear(further).leverage[further.trained_.columns.id("late")] > 0
    if counts:
        assert bits(further) == bits(model.partial_fit(more))


def test_without_the_features_what_was_learned_stands(tmp_path):
    model = fitted()
    loaded = vbn.load(model.save(tmp_path / "model", counts=False))
    more = vbn.Dataset.from_interactions(["u1", "u2", "u3"], ["late", "late", "i1"])
    more = more.with_features({"late": world()[0][3]}, name="text")
    loaded.set_params(resample=False, epochs=12)
    loaded.partial_fit(more)
    assert (np.diff(loaded.lower_bounds_) >= -1e-10 * np.abs(loaded.lower_bounds_[:-1])).all()
    old, new = linear(model), linear(loaded)
    before = np.flatnonzero(old.leverage)
    np.testing.assert_array_equal(new.shift[before], old.shift[before])
    np.testing.assert_allclose(new.weights, old.weights, atol=0.2)
    assert np.trace(new.covariance) < np.trace(old.covariance)


def test_new_data_may_bring_the_features_of_all(tmp_path):
    model = vbn.load(fitted().save(tmp_path / "model", counts=False))
    model.partial_fit(data(seed=0).merge(vbn.Dataset.from_interactions(["u1"], ["late"])))
    assert linear(model).base is None
    assert linear(model).features.known[model.trained_.columns.id("i5")]


def test_partial_fit_may_bring_a_further_source():
    features = world()[0]
    more = vbn.Dataset.from_interactions(["u1", "u2"], ["i1", "i2"])
    more = more.with_features({"i1": features[1, :2], "i2": features[2, :2]}, name="image")
    own = linear(fitted().partial_fit(more))
    assert own.features.widths == {"text": WIDTH, "image": 2}
    assert own.weights.shape == (WIDTH + 2, 4)


def test_a_warm_start_takes_the_new_strength():
    model = fitted(warm_start=True)
    strong = np.abs(linear(model).shift).mean()
    model.set_params(content_strength=1e-4)
    model.fit(data())
    assert np.abs(linear(model).shift).mean() < 0.2 * strong


def test_a_fit_is_resumed_to_the_same_bits(tmp_path):
    vbn.VBN(**settings(checkpoint=tmp_path / "c")).fit(data(), callbacks=[lambda _, epoch: epoch.epoch == 2])
    assert bits(vbn.VBN(**settings()).fit(data(), resume_from=tmp_path / "c")) == bits(fitted())
    other = data().with_features({"i1": [1.0], "i2": [2.0]}, name="more")
    with pytest.raises(vbn.DataError, match="the column features differ"):
        vbn.VBN(**settings()).fit(other, resume_from=tmp_path / "c")


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_any_number_of_threads_gives_the_same_bits(monkeypatch, threads, dtype):
    monkeypatch.setattr("vbn.model.priors.linear.ROWS_AT_ONCE", 16)
    assert bits(fitted(n_threads=threads, dtype=dtype)) == bits(fitted(n_threads=2, dtype=dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_threads_of_blas_do_not_matter(dtype):
    rng = np.random.default_rng(0)
    n = 600
    left, right = rng.integers(0, n, 4000), rng.integers(0, n, 4000)
    words = vbn.Dataset.from_pairs([f"w{each}" for each in left], [f"w{each}" for each in right])
    words = words.with_features(rng.standard_normal((len(words.columns), 150)))
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, "blas"):
            found.append(bits(vbn.VBN(**settings(epochs=3, dtype=dtype)).fit(words)))
    assert found[0] == found[1]


def test_blocks_of_rows_change_nothing_but_rounding(monkeypatch, model):
    monkeypatch.setattr("vbn.model.priors.linear.ROWS_AT_ONCE", 7)
    np.testing.assert_allclose(linear(fitted()).weights, linear(model).weights, rtol=1e-6)


def test_wide_features_are_not_mapped_anew_in_every_epoch(monkeypatch):
    updated = []
    monkeypatch.setattr("vbn.model.priors.linear._CHEAP", 1e-9)
    sums = Linear._sums
    monkeypatch.setattr(Linear, "_sums", lambda self, *given: updated.append(1) or sums(self, *given))
    bounds = fitted(resample=False, epochs=12).lower_bounds_
    assert (np.diff(bounds) >= -1e-10 * np.abs(bounds[:-1])).all()
    assert len(updated) == 2 * 2  # vectors and biases, in the epochs 1 and 9


def test_mapped_features_give_the_same_bits(tmp_path, model):
    plain = data(taxonomy=False)
    mapped = plain.to_folder(tmp_path / "folder")
    assert isinstance(mapped.column_features.sources[0].values, np.memmap)
    alone = settings(company=False)  # what "auto" chooses for counts in a file
    assert bits(vbn.VBN(**alone).fit(mapped)) == bits(vbn.VBN(**alone).fit(plain))


def test_a_damaged_folder_is_refused(tmp_path, model):
    folder = model.save(tmp_path / "model")
    text = json.loads((folder / "config.json").read_text())
    for damage in ({"columns": [{"name": "text", "width": 5}]}, {"columns": "all"}, {"columns": []}, {"columns": [1]}):
        (folder / "config.json").write_text(json.dumps(text | {"model": text["model"] | {"features": damage}}))
        with pytest.raises(vbn.ModelFileError):
            vbn.load(folder)


def test_constant_features_do_no_harm():
    with pytest.warns(UserWarning, match="constant"):
        flat = data(content=False).with_features(np.ones((len(data(content=False).columns), 2)))
    model = vbn.VBN(**settings()).fit(flat)
    assert not linear(model).shift.any()


def test_more_columns_than_entities_work():
    wide = data(content=False)
    values = np.random.default_rng(0).standard_normal((len(wide.columns), 300))
    bounds = vbn.VBN(**settings(resample=False)).fit(wide.with_features(values)).lower_bounds_
    assert (np.diff(bounds) >= -1e-10 * np.abs(bounds[:-1])).all()


def test_the_dial_can_be_chosen_beside_content():
    assert fitted(favour="all").trained_.dials


def test_a_cluster_gives_the_same_bits():
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'vbn[ray]'")
    if not ray.is_initialized():
        ray.init(address="local", num_cpus=2, log_to_driver=False, include_dashboard=False)
    try:
        engine = vbn.engines.RayEngine(workers=2, threads=1)
        assert bits(fitted(engine=engine)) == bits(fitted())
    finally:
        ray.shutdown()
