"""Neighbours by densities: what little is known of does not come first, and categories answer for themselves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vbn
from vbn.inference import by_cosine, read_out
from vbn.inference.neighbours import _not_above_kth
from vbn.model import Gaussians, expected_lengths

READOUTS = ("entity", "both", "smoothed")
SEEN, ALL = 8, 60  # films of each director: those that people saw, and all


@pytest.fixture(scope="module")
def films():
    """Six directors, each with a public of their own; most of their films were never seen."""
    rng = np.random.default_rng(1)
    users, items = [], []
    for user in range(180):
        director = user % 6
        chosen = director if rng.random() < 0.9 else int(rng.integers(6))
        for film in rng.choice(SEEN, 4, replace=False):
            users.append(f"u{user}")
            items.append(f"film {chosen}.{film}")
    parents = {f"film {d}.{n}": [f"director {d}"] for d in range(6) for n in range(ALL)}
    genres = {f"director {d}": ["comedy" if d < 3 else "drama"] for d in range(6)}
    data = vbn.Dataset.from_interactions(users, items).with_taxonomy(parents | genres)
    return vbn.VBN(dim=8, epochs=20, negatives=3, alpha=5.0, beta=5.0, n_threads=1, verbose=False).fit(data)


@pytest.fixture(scope="module")
def words():
    """Words that are rows and columns, one of them seen and a parent ("dog"), some parents only."""
    rng = np.random.default_rng(0)
    patterns = [["a", "dog", "barks"], ["the", "cat", "purrs"], ["the", "dog", "sleeps"], ["a", "cat", "sleeps"]]
    text = [patterns[i] for i in rng.integers(0, 4, 200)] + [["the", "poodle", "barks"], ["a", "beagle", "barks"]] * 9
    parents = {"poodle": ["dog"], "beagle": ["dog"], "dog": ["animal"], "cat": ["animal"], "cow": ["animal"]}
    data = vbn.Dataset.from_sequences(text, window=2).with_taxonomy({**parents, "purrs": ["sound"], "barks": ["sound"]})
    return vbn.VBN(dim=6, epochs=20, n_threads=1, verbose=False).fit(data)


def expected(a, b):
    """The expected cosine of two densities, as written."""
    lengths = [float(z.mean.astype(float) @ z.mean + z.variance.astype(float).sum()) for z in (a, b)]
    return float(a.mean.astype(float) @ b.mean) / np.sqrt(lengths[0] * lengths[1])


def counts(model, names):
    known = model.trained_.columns
    return known.counts[known.ids(names)]


def test_what_was_never_seen_does_not_come_first(films):
    """The cosine of the means does put it first: its mean has the direction of its parents and hardly any length."""
    never = {
        by: [(counts(films, films.similar(f"film {d}.0", SEEN - 1, by=by).entities) == 0).mean() for d in range(6)]
        for by in ("cosine", "mean")
    }
    assert max(never["cosine"]) == 0.0
    assert np.mean(never["mean"]) > 0.3


def test_a_score_is_the_expected_cosine(films):
    for row in films.similar("film 0.0", 400):
        assert row.score == pytest.approx(expected(films.posterior("film 0.0"), films.posterior(row.entity)), abs=1e-6)


def test_the_more_is_known_the_higher_the_score(films):
    seen, never = (films.similar("film 0.0", 1, candidates=[name])[0] for name in ("film 0.1", "film 0.59"))
    assert seen.score > never.score
    assert seen.std < never.std


@pytest.mark.parametrize("readout", READOUTS)
@pytest.mark.parametrize("by", ["cosine", "mean"])
def test_all_readouts_are_ranked_by_all_cosines(words, readout, by):
    trained = words.trained_
    found = read_out(trained, readout, "column", 3.0)
    mean, variance = found.mean.astype(float), found.variance.astype(float)
    length = np.maximum(np.sqrt((mean**2).sum(1) + (variance.sum(1) if by == "cosine" else 0.0)), 1e-30)
    i = trained.rows.id("poodle")
    scores = mean @ mean[i] / length / length[i]
    allowed = trained.profile.candidates("column").copy()
    allowed[i] = False
    ids = np.flatnonzero(allowed)
    ids = ids[np.argsort(-scores[ids], kind="stable")][:5]
    table = words.similar("poodle", 5, by=by, readout=readout)
    assert table.entities == [trained.rows[int(j)] for j in ids]
    np.testing.assert_allclose(table.scores, scores[ids], atol=1e-6)


@st.composite
def densities(draw):
    """Some densities, among them equal ones and ones without a direction, in either precision."""
    n, dim = draw(st.integers(1, 60)), draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    mean = rng.standard_normal((n, dim)) * rng.lognormal(0.0, 2.0, (n, 1))
    mean[rng.random(n) < 0.1] = 0.0
    variance = rng.lognormal(0.0, 2.0, (n, dim))
    again = rng.random(n) < 0.3
    mean[again], variance[again] = mean[0], variance[0]
    return Gaussians(mean.astype(dtype), variance.astype(dtype)), rng.random(n) < 0.8


@settings(max_examples=150, deadline=None)
@given(densities(), st.integers(1, 70))
def test_the_nearest_are_those_of_brute_force(made, k):
    """Exactly, whatever the precision of the first selection; equal densities come in the order of their ids."""
    found, allowed = made
    mean, variance = found.mean.astype(float), found.variance.astype(float)
    query = Gaussians(mean[:1] + 0.1, variance[:1])
    norms = expected_lengths(found)
    known = float(np.linalg.norm(query.mean) / expected_lengths(query)[0])
    best, scores, std = by_cosine(found, norms, query, known, k, allowed)
    asked = Gaussians(query.mean[0], query.variance[0])
    exact = np.array([expected(Gaussians(*one), asked) for one in zip(mean, variance, strict=True)])
    assert len(best) == min(k, allowed.sum())
    assert allowed[best].all()
    np.testing.assert_allclose(scores, exact[best], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(scores, np.sort(exact[allowed])[::-1][:k], rtol=1e-9, atol=1e-12)
    assert (np.diff(scores) <= 0).all()
    ties = np.diff(scores) == 0
    assert (np.diff(best)[ties] > 0).all()
    assert np.isfinite(std).all()


def test_an_analogy_is_the_expected_cosine_with_a_sum(words):
    asked = {"dog": 1.0, "purrs": 1.0, "barks": -1.0}
    mean, variance = 0.0, 0.0
    for name, sign in asked.items():
        density = words.posterior(name)
        length = np.sqrt((density.mean.astype(float) ** 2).sum() + density.variance.sum())
        mean, variance = mean + sign * density.mean / length, variance + density.variance / length**2
    table = words.similar(positive=["dog", "purrs"], negative=["barks"], k=3, readout="entity")
    for row in table:
        assert row.score == pytest.approx(expected(Gaussians(mean, variance), words.posterior(row.entity)), abs=1e-6)


def test_a_name_given_twice_counts_as_itself(words):
    several, named = words.similar(["dog", "purrs"], 3), words.similar(positive=["dog", "purrs"], k=3)
    assert (several.entities, list(several.scores)) == (named.entities, list(named.scores))
    once, twice = words.similar("dog", 4), words.similar(positive=["dog", "dog"], k=4)
    assert once.entities == twice.entities
    np.testing.assert_allclose(once.scores, twice.scores, rtol=1e-6)


def test_a_category_is_asked_by_its_own_density(films):
    for d in range(6):
        table = films.similar(f"director {d}", 5)
        assert all(name.startswith(f"film {d}.") for name in table.entities)
        assert (counts(films, table.entities) > 0).all()
        category = films.posterior(f"director {d}", role="category")
        assert table[0].score == pytest.approx(expected(category, films.posterior(table[0].entity)), abs=1e-6)


def test_the_root_of_a_taxonomy_has_neighbours(films):
    """As an entity it has a mean of 0, and a cosine of 0 with everything."""
    assert films.similar("comedy", 3).scores.min() > 0.1
    assert {name[5] for name in films.similar("comedy", 10).entities} <= set("012")
    assert films.similar("comedy", 3, role="entity").scores.max() == 0.0


def test_categories_can_be_the_answers(films):
    table = films.similar("director 0", 100, candidates="categories")
    assert set(table.entities) == {*(f"director {d}" for d in range(1, 6)), "comedy", "drama"}
    for row in table:
        both = (films.posterior(name, role="category") for name in ("director 0", row.entity))
        assert row.score == pytest.approx(expected(*both), abs=1e-6)
    assert "director 0" in films.similar("film 0.0", 2, candidates="categories").entities


def test_an_entity_with_data_is_asked_as_such_unless_its_role_is_given(words):
    own, category = (
        words.similar("dog", 1, candidates=["poodle"], role=role, readout="entity") for role in (None, "category")
    )
    poodle = words.posterior("poodle")
    assert own[0].score == pytest.approx(expected(words.posterior("dog", role="entity"), poodle), abs=1e-6)
    assert category[0].score == pytest.approx(expected(words.posterior("dog", role="category"), poodle), abs=1e-6)
    assert own[0].score != pytest.approx(category[0].score, abs=1e-3)
    assert "dog" not in words.similar("dog", 50, role="category").entities


@pytest.mark.parametrize("readout", READOUTS)
def test_a_category_has_both_densities_where_entities_have(words, readout):
    u, v = (words.posterior("animal", role="category", part=part) for part in "uv")
    asked = u if readout == "entity" else Gaussians(u.mean + v.mean, u.variance + v.variance)
    found = read_out(words.trained_, readout, "column", 3.0)
    for row in words.similar("animal", 20, readout=readout):
        i = words.trained_.rows.id(row.entity)
        assert row.score == pytest.approx(expected(asked, Gaussians(found.mean[i], found.variance[i])), abs=1e-6)


def test_what_occurs_near_a_category_is_what_occurs_near_a_new_child(words):
    table = words.similar("sound", 3, by="context")
    assert "sound" not in table.entities
    assert table.scores.max() > words.similar("sound", 3, by="context", role="entity").scores.max()


def test_the_density_of_a_category_is_that_of_its_role(films, words):
    for model, name in ((films, "comedy"), (words, "animal")):
        default, category, entity = (model.posterior(name, role=role) for role in (None, "category", "entity"))
        np.testing.assert_array_equal(default.mean, category.mean)
        np.testing.assert_array_equal(default.variance, category.variance)
        assert category.std.mean() < entity.std.mean()
    np.testing.assert_array_equal(words.posterior("dog").mean, words.posterior("dog", role="entity").mean)
    v = words.posterior("animal", part="v")
    np.testing.assert_array_equal(v.mean, words.posterior("animal", role="category", part="v").mean)


def test_candidates_and_least_counts(films):
    names = ["film 0.1", "film 3.1", "director 1", "film 0.59"]
    table = films.similar("film 0.0", 10, candidates=names)
    assert sorted(table.entities) == sorted(names)
    row = next(row for row in table if row.entity == "director 1")
    both = films.posterior("film 0.0"), films.posterior("director 1", role="category")
    assert row.score == pytest.approx(expected(*both), abs=1e-6)
    assert films.similar("film 0.0", 10, candidates=[*names, "film 0.0"]).entities == table.entities
    least = float(np.median(counts(films, [f"film 0.{n}" for n in range(SEEN)])))
    often = films.similar("film 0.0", 400, min_count=least).entities
    everything = films.similar("film 0.0", 400).entities
    assert often == [name for name in everything if counts(films, [name])[0] >= least]
    assert films.similar("film 0.0", 3, candidates="entities").entities == everything[:3]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"candidates": "films"}, "must be a list of names, 'entities' or 'categories'"),
        ({"candidates": 3}, "must be a list of names"),
        ({"candidates": "categories", "min_count": 2}, "omit min_count"),
        ({"min_count": -1}, "min_count=-1 must be"),
        ({"min_count": True}, "min_count=True must be"),
        ({"role": "parent"}, "role='parent' must be"),
        ({"by": "context", "candidates": "categories"}, "categories do not occur"),
    ],
)
def test_bad_options_are_refused(words, options, message):
    with pytest.raises(vbn.ParameterError, match=message):
        words.similar("dog", **options)


def test_wrong_names_are_refused(words):
    with pytest.raises(vbn.UnknownEntityError):
        words.similar("dog", candidates=["unicorn"])
    with pytest.raises(vbn.DataError, match="'cat' has no children"):
        words.similar("cat", role="category")


def test_a_pair_keeps_the_cosine_of_the_means(words):
    a, b = words.vectors(["poodle", "beagle"], readout="smoothed")[1].astype(float)
    cosine = float(a @ b) / np.linalg.norm(a) / np.linalg.norm(b)
    found = words.similarity("poodle", "beagle")
    assert isinstance(found, vbn.Similarity)
    assert float(found) == found.score == pytest.approx(cosine, abs=1e-6)
    assert found.score > words.similar("poodle", 1, candidates=["beagle"])[0].score
    listed = words.similar("poodle", 1, by="mean", candidates=["beagle"])[0]
    assert (found.score, found.std) == (pytest.approx(listed.score), pytest.approx(listed.std))
    assert words.similarity([("poodle", "beagle"), ("dog", "dog")]) == [found, vbn.Similarity(1.0, 0.0)]
    assert words.similarity("beagle", "poodle").score == pytest.approx(found.score)


@pytest.mark.parametrize("readout", READOUTS)
def test_a_pair_is_compared_by_the_readout(words, readout):
    vectors = words.vectors(["poodle", "cat"], readout=readout)[1].astype(float)
    cosine = vectors[0] @ vectors[1] / np.prod(np.linalg.norm(vectors, axis=1))
    assert words.similarity("poodle", "cat", readout=readout).score == pytest.approx(cosine, abs=1e-6)


def test_a_pair_with_a_category(films):
    own, other = (films.similarity("director 0", f"film {d}.0") for d in (0, 3))
    assert own.score > 0.5 > other.score
    with pytest.raises(vbn.UnknownEntityError, match="pass side='row'"):
        films.similarity("director 0", "u1")
    assert films.similarity("u0", "u6", side="row").score > films.similarity("u0", "u3", side="row").score


def test_names_and_membership(films, words):
    assert films.names == films.trained_.columns.names
    assert "director 0" in films
    assert "u0" not in films
    assert "unicorn" not in words
    with pytest.raises(vbn.NotFittedError):
        _ = "dog" in vbn.VBN()


def test_a_saved_model_answers_the_same(films, tmp_path):
    again = vbn.load(films.save(tmp_path / "model"))
    for options in ({}, {"candidates": "categories"}, {"min_count": 3}):
        found, before = again.similar("director 2", 5, **options), films.similar("director 2", 5, **options)
        assert found.to_dicts() == before.to_dicts()


@given(st.integers(1, 3000), st.integers(1, 40), st.integers(0, 1000))
def test_no_fewer_than_k_scores_reach_the_bound_of_the_kth_and_hardly_more(n, k, seed):
    scores = np.random.default_rng(seed).normal(size=n + k)
    bound = _not_above_kth(scores, k)
    reached = np.count_nonzero(scores >= bound)
    assert k <= reached <= 2 * k + 20
