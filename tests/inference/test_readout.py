"""Readouts: sums of densities of the posterior, on the scale of the plain ones, and refused where senseless."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vbn
from vbn.evaluation import evaluate_similarity
from vbn.inference import read_out


@pytest.fixture(scope="module")
def words():
    rng = np.random.default_rng(0)
    patterns = [["a", "dog", "barks"], ["the", "cat", "purrs"], ["the", "dog", "sleeps"], ["a", "cat", "sleeps"]]
    text = [patterns[i] for i in rng.integers(0, 4, 300)] + [["the", "poodle", "purrs"]]
    edges = [("poodle", "dog", 3.0), ("poodle", "pet", 1.0), ("dog", "animal", 1.0), ("cat", "animal", 1.0)]
    data = vbn.Dataset.from_sequences(text, window=2).with_taxonomy([*edges, ("cow", "animal", 1.0)])
    return vbn.VBN(dim=6, epochs=20, verbose=False).fit(data)


@pytest.fixture(scope="module")
def shop():
    users, items = ["ann", "ann", "ben", "ben"] * 5, ["tea", "milk", "beer", "nuts"] * 5
    data = vbn.Dataset.from_interactions(users, items).with_taxonomy({"tea": ["drink"], "beer": ["drink"]})
    return vbn.VBN(dim=3, epochs=10, verbose=False).fit(data)


def parents_say(model, name, part):
    """The mean that the parents give, from the public densities of categories."""
    taxonomy = model.trained_.row_taxonomy
    return sum(w * model.posterior(p, role="category", part=part).mean for p, w in taxonomy.parents(name))


def test_the_readouts_are_the_sums_that_they_promise(words):
    u, v = words.posterior("poodle").mean, words.posterior("poodle", role="context").mean
    for readout, expected in (("entity", u), ("both", u + v)):
        names, vectors = words.vectors(["poodle"], readout=readout)
        assert names == ["poodle"]
        np.testing.assert_allclose(vectors[0], expected, rtol=1e-5)
    prior = parents_say(words, "poodle", "u") + parents_say(words, "poodle", "v")
    smooth = words.vectors(["poodle"], readout="smoothed", smoothing=2.0)[1][0]
    np.testing.assert_allclose(smooth, (u + v + 2.0 * prior) / 3.0, rtol=1e-4, atol=1e-6)


def test_without_parents_the_smoothed_vector_is_the_plain_sum(words):
    for name in ("the", "animal"):
        both, smooth = (words.vectors([name], readout=readout)[1] for readout in ("both", "smoothed"))
        np.testing.assert_array_equal(both, smooth)


def test_an_entity_without_data_reads_the_same_smoothed_or_not(words):
    """It is its prior mean already, so the scale of the smoothed vectors is that of the plain ones."""
    both, smooth = (words.vectors(["cow"], readout=readout)[1] for readout in ("both", "smoothed"))
    np.testing.assert_allclose(both, smooth, rtol=1e-4, atol=1e-6)


@settings(max_examples=25, deadline=None)
@given(st.floats(0.0, 1e6))
def test_smoothing_goes_from_the_sum_to_the_parents(words, smoothing):
    trained = words.trained_
    both = read_out(trained, "both", "column", 0.0).mean.astype(float)
    found = read_out(trained, "smoothed", "column", smoothing)
    zero = np.zeros(trained.posterior.dim)
    prior = np.array([zero + sum(parents_say(words, name, part) for part in "uv") for name in trained.rows.names])
    inner = np.diff(trained.row_taxonomy.indptr) > 0
    share = smoothing / (1.0 + smoothing)
    expected = np.where(inner[:, None], (1.0 - share) * both + share * prior, both)
    np.testing.assert_allclose(found.mean, expected, rtol=1e-3, atol=1e-5)
    assert (found.variance > 0).all()


def test_variances_are_those_of_samples(words):
    trained, rng, n = words.trained_, np.random.default_rng(3), 200_000
    i = trained.rows.id("poodle")
    total = np.zeros((n, 6))
    for letter in ("u", "v"):
        part = trained.half(letter).block
        total += rng.normal(part.mean[i], np.sqrt(part.variance[i]), (n, 6))
        for parent, weight in trained.row_taxonomy.parents("poodle"):
            density = words.posterior(parent, role="category", part=letter)
            total += 3.0 * weight * rng.normal(density.mean, density.std, (n, 6))
    found = read_out(trained, "smoothed", "column", 3.0)
    np.testing.assert_allclose(found.variance[i], (total / 4.0).var(axis=0), rtol=0.03)
    np.testing.assert_allclose(found.mean[i], (total / 4.0).mean(axis=0), atol=0.02)


def test_similar_ranks_by_the_vectors_of_the_readout(words):
    for readout in ("entity", "both", "smoothed"):
        names, vectors = words.vectors(readout=readout)
        unit = vectors.astype(float) / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-30)
        cosines = dict(zip(names, unit @ unit[names.index("poodle")], strict=True))
        for row in words.similar("poodle", k=3, by="mean", readout=readout):
            assert row.score == pytest.approx(cosines[row.entity], abs=1e-5)
    plain, smooth = (
        {row.entity: row.score for row in words.similar("poodle", k=20, readout=readout)}["dog"]
        for readout in ("both", "smoothed")
    )
    assert smooth > plain  # the one context of "poodle" was a cat's


def test_posterior_and_default_stay_as_they_are(words):
    before = words.posterior("dog").mean
    words.similar("dog", readout="smoothed")
    np.testing.assert_array_equal(before, words.posterior("dog").mean)
    np.testing.assert_array_equal(words.vectors(["dog"])[1][0], before)


def test_what_vectors_returns_is_a_copy(words):
    words.vectors()[1][:] = 0.0
    words.vectors(readout="both")[1][:] = 0.0
    assert words.posterior("dog").mean.any()


def test_columns_that_are_no_rows_have_one_density_to_smooth(shop):
    v, parent = shop.posterior("tea").mean, shop.posterior("drink", role="category").mean
    np.testing.assert_allclose(
        shop.vectors(["tea"], readout="smoothed", smoothing=1.0)[1][0], (v + parent) / 2, rtol=1e-4
    )
    assert shop.vectors(side="row")[0] == ["ann", "ben"]
    with pytest.raises(vbn.ParameterError, match="rows and columns are different"):
        shop.similar("tea", readout="both")


def test_bad_readouts_are_refused(words):
    with pytest.raises(vbn.ParameterError, match="must be 'entity', 'both' or 'smoothed'"):
        words.vectors(readout="prior")
    for smoothing in (-1.0, np.nan, "much", True):
        with pytest.raises(vbn.ParameterError, match="smoothing="):
            words.similar("dog", readout="smoothed", smoothing=smoothing)
    with pytest.raises(vbn.ParameterError, match="by='context' ranks"):
        words.similar("dog", by="context", readout="both")
    with pytest.raises(vbn.ParameterError, match="list of names"):
        words.vectors("dog")
    with pytest.raises(vbn.UnknownEntityError):
        words.vectors(["unicorn"])
    with pytest.raises(vbn.NotFittedError):
        vbn.VBN().vectors()


def test_added_entities_have_all_readouts(words, tmp_path):
    words.save(tmp_path / "model")
    grown = vbn.load(tmp_path / "model").add("terrier", parents=["dog"])
    for readout in ("entity", "both", "smoothed"):
        assert np.isfinite(grown.vectors(["terrier"], readout=readout)[1]).all()
    assert grown.similar("terrier", k=1, readout="smoothed").entities


def test_similarity_is_judged_by_the_readout(words):
    """The judgements are the cosines of one readout: that one gets a correlation of 1, another less."""
    left, right = ["poodle", "poodle", "dog", "cat", "a"], ["dog", "the", "cat", "purrs", "sleeps"]
    vectors = words.vectors([*left, *right], readout="smoothed")[1].astype(float)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    judged = (unit[:5] * unit[5:]).sum(axis=1).tolist()
    assert evaluate_similarity(words, left, right, judged, readout="smoothed")["spearman"] == pytest.approx(1.0)
    assert evaluate_similarity(words, left, right, judged, readout="entity")["spearman"] < 1.0
    assert evaluate_similarity(words, left, right, judged)["spearman"] == pytest.approx(1.0)  # what text has by itself


def test_words_of_text_are_compared_smoothed_unless_told_otherwise(words):
    for options in ({}, {"by": "mean"}):
        default, smoothed = (words.similar("poodle", 5, **options, **more) for more in ({}, {"readout": "smoothed"}))
        assert default.to_dicts() == smoothed.to_dicts()
    assert words.similarity("poodle", "cat") == words.similarity("poodle", "cat", readout="smoothed")
    assert words.similar("poodle", 5, by="context").entities  # by u and v themselves
    np.testing.assert_array_equal(words.vectors(["poodle"])[1][0], words.posterior("poodle").mean)


def test_what_auto_stands_for_is_saved(words, tmp_path):
    names, smoothed = words.vectors(readout="smoothed")
    loaded = vbn.load(words.save(tmp_path / "model"))
    np.testing.assert_array_equal(loaded.vectors(names, readout="auto")[1], smoothed)
    shop = vbn.Dataset.from_interactions(["ann", "ben"], ["tea", "tea"])
    model = vbn.VBN(dim=2, epochs=2, verbose=False).fit(shop)
    np.testing.assert_array_equal(model.vectors(readout="auto")[1], model.vectors(readout="entity")[1])
