"""The kernel of events agrees with the twin, block by block, with the evidence of earlier data beside the events."""

from dataclasses import replace

import numpy as np
import pytest

from tests.twin import twin
from tests.twin.bridge import make_twins
from vbn.kernels import DensityArrays, EventArrays, EvidenceArrays, TouchedPrior
from vbn.kernels.observing import observe

SEEDS = range(3)
CLOSE = {"float64": (1e-9, 1e-10), "float32": (2e-4, 2e-4)}
NONE = np.empty(0)


def some_events(n_own, n_other, seed, rejects=False, made_up=True):
    """Events of a few entities with a few others, and others that stand for noise, some of them twice."""
    rng = np.random.default_rng(seed)
    ids = np.sort(rng.choice(np.arange(1, n_own), 5, replace=False))
    others = [np.sort(rng.choice(n_other, size, replace=False)) for size in rng.integers(1, 5, len(ids))]
    indptr = np.concatenate([[0], np.cumsum([len(each) for each in others])])
    noise, shares = np.unique(rng.integers(0, n_other, 9), return_counts=True)
    known = [np.sort(rng.choice(n_other, 2, replace=False)) for _ in range(n_own)]
    return EventArrays(
        indptr=indptr,
        indices=np.concatenate(others),
        weights=rng.uniform(5.0, 40.0, indptr[-1]),
        noise=noise,
        shares=shares.astype(float),
        negative=rng.uniform(20.0, 90.0, len(ids)),
        rejects=rejects,
        made_up=made_up,
        ids=ids,
        known_indptr=np.arange(n_own + 1) * 2,
        known_indices=np.concatenate(known).astype(np.int32),
        since_indptr=np.zeros(len(ids) + 1, np.int64),
        since_indices=np.empty(0, np.int32),
    )


def cells_of(events, own):
    """The same as cells of the twin, `own` says whether the entities are rows ("u") or columns ("v")."""
    entity, other, positive, negative = [], [], [], []
    for q, i in enumerate(events.ids):
        here = slice(events.indptr[q], events.indptr[q + 1])
        seen = set(events.indices[here].tolist()) | set(events.known_indices[2 * i : 2 * i + 2].tolist())
        left = [not (events.rejects and j in seen) for j in events.noise.tolist()]
        share = np.where(left, events.shares, 0.0)
        whole = share.sum() if events.made_up else events.shares.sum()
        found = [*zip(events.indices[here], events.weights[here], np.zeros(len(events.indices[here])), strict=True)]
        found += zip(events.noise, np.zeros(len(share)), events.negative[q] * share / whole, strict=True)
        for j, w_pos, w_neg in found:
            entity.append(i), other.append(j), positive.append(w_pos), negative.append(w_neg)
    own_first = (np.array(entity), np.array(other))
    return twin.Cells(*(own_first if own == "u" else own_first[::-1]), np.array(positive), np.array(negative))


def make(seed, dtype, own, **options):
    """A problem whose only cells are events, in the twin and in the library."""
    problem = twin.with_random_evidence(twin.random_problem(seed, shared=False, ranks=()), seed)
    sizes = (problem.n_rows, problem.n_cols)
    events = some_events(*(sizes if own == "u" else sizes[::-1]), seed, **options)
    problem = replace(problem, cells=cells_of(events, own))
    return events, make_twins(problem, twin.random_state(problem, seed), dtype)


def prior_of(block, ids, shape):
    moments, sites = block.moments(ids), block.sites
    gamma = block.gamma.at(ids)
    wide = [np.broadcast_to(np.float64(value), len(ids)).copy() for value in (gamma.shape, gamma.beta)]
    evidence = EvidenceArrays(sites.precision[ids].astype(float), sites.linear[ids].astype(float))
    spread = block.gamma.dim * moments.variance
    return TouchedPrior(moments.mean.reshape(shape), spread, block.tau[ids].copy(), *wide, evidence)


def observed(events, twins, own, sweeps):
    """What the kernel makes of them: densities and precisions of the entities, and of their biases."""
    q = twins.network.posterior
    block, other = (q.u, q.v) if own == "u" else (q.v, q.u)
    densities = DensityArrays(block.mean[events.ids], block.variance[events.ids])
    prior = prior_of(block, events.ids, densities.mean.shape)
    none = np.empty(0, block.mean.dtype)
    biases, bias_prior = (
        DensityArrays(none, none),
        TouchedPrior(NONE, NONE, NONE, NONE, NONE, EvidenceArrays(NONE, NONE)),
    )
    if own == "v":
        biases = DensityArrays(q.bias.mean[events.ids], q.bias.variance[events.ids])
        bias_prior = prior_of(q.bias, events.ids, len(events.ids))
    theirs = q.bias.densities if own == "u" else DensityArrays(none, none)
    observe(events, densities, prior, biases, bias_prior, other.densities, theirs, sweeps, 0.0)
    return densities, prior.tau, biases, bias_prior.tau


def twin_observes(problem, state, own, sweeps):
    """The same blocks in the same order: precisions before what they belong to, except at the first time."""
    for sweep in range(sweeps):
        if sweep:
            twin.update_tau_entities(problem, state, own)
        twin.update_entities(problem, state, own)
        if own == "v":
            if sweep:
                twin.update_tau_bias(problem, state)
            twin.update_bias(problem, state)


@pytest.mark.parametrize("dtype", CLOSE)
@pytest.mark.parametrize("own", ["u", "v"])
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("options", [{}, {"rejects": True}, {"rejects": True, "made_up": False}], ids=str)
def test_agrees_with_the_twin(seed, own, dtype, options):
    events, twins = make(seed, dtype, own, **options)
    problem, state, ids = twins.problem, twins.state, events.ids
    densities, tau, biases, bias_tau = observed(events, twins, own, sweeps=3)
    twin_observes(problem, state, own, sweeps=3)
    part, (rtol, atol) = state.part(own), CLOSE[dtype]
    assert np.abs(part.mean[ids]).max() > 0.1, "strong data: otherwise wrong updates pass"
    np.testing.assert_allclose(densities.mean, part.mean[ids], rtol, atol)
    np.testing.assert_allclose(densities.variance, part.variance[ids], rtol, atol)
    np.testing.assert_allclose(tau, problem.shape("entity") / part.tau_rate[ids], rtol, atol)
    if own == "v":
        np.testing.assert_allclose(biases.mean, state.bias_mean[ids], rtol, atol)
        np.testing.assert_allclose(biases.variance, state.bias_var[ids], rtol, atol)
        np.testing.assert_allclose(bias_tau, problem.shape("bias") / state.bias_tau_rate[ids], rtol, atol)


@pytest.mark.parametrize("own", ["u", "v"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_bound_never_falls(seed, own):
    events, twins = make(seed, "float64", own)
    problem, state, bounds = twins.problem, twins.state, []
    for sweeps in (1, 2, 3, 4):
        found = twin.random_state(problem, seed)
        densities, tau, biases, bias_tau = observed(events, twins, own, sweeps)
        part = found.part(own)
        part.mean[events.ids], part.variance[events.ids] = densities
        part.tau_rate[events.ids] = problem.shape("entity") / tau
        if own == "v":
            found.bias_mean[events.ids], found.bias_var[events.ids] = biases
            found.bias_tau_rate[events.ids] = problem.shape("bias") / bias_tau
        bounds.append(twin.bound(problem, found))
    assert bounds[0] > twin.bound(problem, state)
    assert (np.diff(bounds) > -1e-9 * np.abs(bounds[:-1])).all()


def test_an_entity_that_has_settled_is_left_alone():
    events, twins = make(0, "float64", "u")
    q = twins.network.posterior
    often, _, _, _ = observed(events, twins, "u", sweeps=200)
    prior = prior_of(q.u, events.ids, often.mean.shape)
    none = np.empty(0)
    nothing = DensityArrays(none, none), TouchedPrior(NONE, NONE, NONE, NONE, NONE, EvidenceArrays(NONE, NONE))
    again = DensityArrays(q.u.mean[events.ids], q.u.variance[events.ids])
    observe(events, again, prior, *nothing, q.v.densities, q.bias.densities, 200, 0.02)
    assert (np.abs(again.mean - often.mean) < 0.2 * np.sqrt(often.variance)).all()
    assert (again.mean != often.mean).any()
