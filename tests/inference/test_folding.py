"""Fold-in is training's own update of a row."""

import numpy as np
import pytest

import vbn
from tests.twin.moments import jaakkola_lambda
from vbn.inference import average, fold_in
from vbn.kernels import ContextArrays


def likes(seed=0, users=80, items=30):
    """Two groups of users with their own items."""
    rng = np.random.default_rng(seed)
    group = np.arange(users) % 2
    chosen = [(u, 2 * i + group[u]) for u in range(users) for i in rng.choice(items // 2, 8, replace=False)]
    return [f"u{u}" for u, _ in chosen], [f"i{i}" for _, i in chosen]


@pytest.fixture(scope="module")
def model():
    data = vbn.Dataset.from_interactions(*likes())
    return vbn.VBN(dim=5, epochs=30, negatives=2, dtype="float64", average_epochs=1, company=False, verbose=False).fit(
        data
    )


def contexts_of(*rows):
    indptr = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
    ids = np.concatenate([np.array([i for i, _ in row], dtype=np.int64) for row in rows])
    return ContextArrays(indptr, ids, np.array([w for row in rows for _, w in row], dtype=np.float64))


def block_updates(trained, row, sweeps):
    """The row update of docs/maths.md, again and again, on the same positives and negatives."""
    q, t, n = trained.posterior, trained.posterior.dim, 512
    ids = np.concatenate([[i for i, _ in row], trained.profile.negatives(n)]).astype(int)
    counts = np.array([w for _, w in row])
    positive = np.concatenate([counts, np.zeros(n)])
    negative = np.concatenate([np.zeros(len(row)), np.full(n, trained.negatives * counts.sum() / n)])
    v, v_variance = q.v.mean[ids], q.v.variance[ids]
    gamma = trained.hyperpriors.of("entity", t, counts.sum())
    tau = trained.profile.row_precision
    mean, variance = np.zeros(t), np.full(t, 1 / tau)
    for _ in range(sweeps):
        square = v_variance @ (mean**2 + variance) + v**2 @ variance + q.bias.variance[ids]
        xi = np.sqrt((v @ mean + q.bias.mean[ids]) ** 2 + square)
        slope = 2 * jaakkola_lambda(xi) * (positive + negative)
        for d in range(t):
            others = v @ mean + q.bias.mean[ids] - v[:, d] * mean[d]
            precision = tau + slope @ (v[:, d] ** 2 + v_variance[:, d])
            mean[d] = v[:, d] @ (0.5 * (positive - negative) - slope * others) / precision
            variance[d] = 1 / precision
        tau = gamma.shape / (gamma.beta + 0.5 * (mean**2 + variance).sum())
    return mean, variance


@pytest.mark.parametrize("sweeps", [1, 4])
def test_equals_the_block_update_of_training(model, sweeps):
    row = [(0, 1.0), (3, 2.5), (7, 1.0)]
    mean, variance = block_updates(model.trained_, row, sweeps)
    got = fold_in(model.trained_, contexts_of([(1, 1.0)], row, [(2, 1.0), (4, 1.0)]), sweeps)
    np.testing.assert_allclose(got.mean[1], mean, rtol=1e-9)
    np.testing.assert_allclose(got.variance[1], variance, rtol=1e-9)


def test_a_row_of_training_is_found_again(model):
    """Folding in what a user has gives nearly the density that training gave to the user."""
    counts, trained = model.data_.counts, model.trained_
    rows = [list(zip(*counts_row(counts, i), strict=True)) for i in range(len(trained.rows))]
    got = fold_in(trained, contexts_of(*rows), sweeps=30)
    scores = got.mean @ trained.posterior.v.mean.T
    expected = trained.posterior.u.mean @ trained.posterior.v.mean.T
    assert np.corrcoef(scores.ravel(), expected.ravel())[0, 1] > 0.98


def counts_row(counts, i):
    part = slice(counts.indptr[i], counts.indptr[i + 1])
    return counts.indices[part].tolist(), counts.values[part].tolist()


def test_nothing_known_gives_the_prior(model):
    got = fold_in(model.trained_, contexts_of([]))
    assert (got.mean == 0).all()
    assert np.ptp(got.variance) == 0


def test_more_contexts_make_it_surer(model):
    got = fold_in(model.trained_, contexts_of([(0, 1.0)], [(0, 1.0), (2, 1.0)], [(0, 9.0), (2, 9.0)]))
    spread = got.variance.mean(axis=1)
    assert spread[0] > spread[1] > spread[2]


def test_long_lists_of_contexts(model):
    many = [(i % 30, 0.5) for i in range(5000)]
    once = [(i, sum(w for j, w in many if j == i)) for i in range(30)]
    got = fold_in(model.trained_, contexts_of(many, once))
    np.testing.assert_allclose(got.mean[0], got.mean[1], rtol=1e-6)
    np.testing.assert_allclose(got.variance[0], got.variance[1], rtol=1e-6)


def test_average_is_the_mean_of_the_random_variables():
    data = vbn.Dataset.from_baskets([["tea", "milk", "rum"], ["tea", "milk"], ["rum", "cola"]] * 4)
    model = vbn.VBN(dim=4, epochs=4, verbose=False).fit(data)
    trained, names = model.trained_, model.trained_.rows
    query = contexts_of([(names.id("tea"), 1.0), (names.id("rum"), 3.0)], [(names.id("milk"), 2.0)])
    got = average(trained, query)
    tea, rum, milk = (model.posterior(name) for name in ("tea", "rum", "milk"))
    np.testing.assert_allclose(got.mean[0], 0.25 * tea.mean + 0.75 * rum.mean, rtol=1e-5)
    np.testing.assert_allclose(got.variance[0], tea.variance / 16 + 9 * rum.variance / 16, rtol=1e-5)
    np.testing.assert_allclose(got.mean[1], milk.mean, rtol=1e-6)
