"""Top-k by pruning is exactly what sorting all predictive logits gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vbn
from vbn.inference import Dial, Hidden, rank, ranking
from vbn.model import Affinity, Gaussians


@pytest.fixture(scope="module")
def trained():
    rng = np.random.default_rng(3)
    users, items = rng.integers(0, 40, 900), rng.zipf(1.3, 900) % 60
    data = vbn.Dataset.from_interactions(users.tolist(), items.tolist())
    return vbn.VBN(dim=6, epochs=3, verbose=False).fit(data).trained_


def brute_force(trained, queries, k, candidates, hidden, dial, rank_by, lifted=0.0):
    q, base = trained.posterior, -np.log(trained.negatives)
    u, s = queries.mean.astype(float), queries.variance.astype(float)
    v, w = q.v.mean.astype(float), q.v.variance.astype(float)
    mean = u @ v.T + q.bias.mean
    variance = u**2 @ w.T + s @ (v**2 + w).T + q.bias.variance
    scores = {
        "probability": base + (mean - base) / np.sqrt(1 + np.pi * variance / 8),
        "mean": mean,
        "lower": mean - np.sqrt(variance),
    }[rank_by]
    scores = scores + added(trained, dial) + lifted
    found = []
    for row, hide in zip(scores, hidden, strict=True):
        ids = np.setdiff1d(candidates, hide)
        found.append((ids[np.argsort(-row[ids], kind="stable")][:k], np.sort(row[ids])[::-1][:k]))
    return found


def added(trained, dial):
    """What the dial adds: 0 on average over noise pairs, and nothing below 0 for what was never seen."""
    counts = trained.columns.counts
    popular = np.log(np.maximum(counts, counts[counts > 0].min()) + dial.floor * counts[counts > 0].mean())
    extra = dial.weight * (popular - trained.noise() @ popular)
    return np.where((counts == 0) & (dial.weight < 0), np.minimum(extra, 0.0), extra)


def lifts_of(has, n_columns, rng, strength):
    """What columns add to others for queries that have some, and the same written out."""
    places = np.array([rng.choice(n_columns, 5, replace=False) for _ in range(n_columns)], np.int32)
    places[rng.random(places.shape) < 0.2] = -1
    places[rng.random(n_columns) < 0.1] = -1
    weights = rng.normal(0, strength, places.shape).astype(np.float32)
    indptr = np.concatenate(([0], np.cumsum([len(one) for one in has])))
    lifts = Affinity(places, weights).lifts(indptr, np.concatenate(has), n_columns)
    lifted = np.zeros((len(has), n_columns))
    for q, mine in enumerate(has):
        for j in range(n_columns):
            lifted[q, j] = 4.0 * weights[j][(places[j] >= 0) & np.isin(places[j], mine)].sum()
    silent = (places < 0).all(axis=1)
    lifted[:, silent] = lifted[:, ~silent].mean(axis=1)[:, None]
    return lifts, lifted


@given(
    rank_by=st.sampled_from(sorted(ranking.RANK_BY)),
    seed=st.integers(0, 10_000),
    n=st.integers(1, 7),
    k=st.integers(1, 70),
    scale=st.sampled_from([0.0, 0.3, 3.0, 30.0]),
    shift=st.sampled_from([-20.0, 0.0, 20.0]),
    dial=st.sampled_from([Dial(), Dial(-0.5), Dial(2.0), Dial(2.0, 3.0)]),
    block=st.sampled_from([1, 17, 1 << 20]),
    strength=st.sampled_from([None, 0.1, 3.0]),
)
def test_equals_sorting_everything(trained, rank_by, seed, n, k, scale, shift, dial, block, strength):
    rng = np.random.default_rng(seed)
    shifted = trained.with_posterior(trained.posterior.copy())
    shifted.posterior.bias.mean += np.float32(shift)  # all negative, mixed, all positive: the bound differs
    queries = Gaussians(
        rng.normal(0, scale, (n, 6)).astype(np.float32), rng.uniform(0.01, 2, (n, 6)).astype(np.float32)
    )
    total = len(trained.columns)
    candidates = np.sort(rng.choice(total, rng.integers(1, total + 1), replace=False))
    hidden = [rng.choice(total, rng.integers(0, total), replace=False) for _ in range(n)]
    lifts, lifted = (None, 0.0) if strength is None else lifts_of(hidden, total, rng, strength)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "_SCORES", block)
        ranked = rank(shifted, queries, k, candidates, Hidden.of(hidden), dial, rank_by=rank_by, lifts=lifts)
    for q, (ids, scores) in enumerate(brute_force(shifted, queries, k, candidates, hidden, dial, rank_by, lifted)):
        got = ranked.columns[q][ranked.columns[q] >= 0]
        assert len(got) == len(ids)
        np.testing.assert_allclose(ranked.logits[q][: len(ids)], scores, rtol=1e-4, atol=1e-4)
        assert not np.isin(got, hidden[q]).any()
        assert np.isin(got, candidates).all()
        assert len(set(got.tolist())) == len(got)


def test_an_answer_does_not_depend_on_the_batch(trained):
    queries = trained.posterior.u
    everything = np.arange(len(trained.columns))
    none = Hidden.of([np.empty(0, np.int64)] * len(queries.mean))
    batch = rank(trained, queries, 9, everything, none)
    for q in (0, 7, 39):
        one = Gaussians(queries.mean[q : q + 1], queries.variance[q : q + 1])
        single = rank(trained, one, 9, everything, Hidden.of([np.empty(0, np.int64)]))
        np.testing.assert_array_equal(single.columns[0], batch.columns[q])
        np.testing.assert_array_equal(single.logits[0], batch.logits[q])


def test_equal_scores_come_in_the_order_of_their_ids(trained):
    flat = trained.with_posterior(trained.posterior.copy())
    q = flat.posterior
    for array, value in ((q.v.mean, 1.0), (q.v.variance, 0.5), (q.bias.mean, 0.1), (q.bias.variance, 0.1)):
        array[:] = value
    query = Gaussians(np.ones((1, 6), np.float32), np.ones((1, 6), np.float32))
    ranked = rank(flat, query, 5, np.arange(2, len(flat.columns)), Hidden.of([np.array([3])]))
    assert ranked.columns[0].tolist() == [2, 4, 5, 6, 7]


def test_no_candidates_give_no_answers(trained):
    ranked = rank(trained, trained.posterior.u, 5, np.empty(0, np.int64), Hidden.of([np.empty(0, np.int64)] * 40))
    assert ranked.columns.shape == (40, 0)
