"""The twin with the evidence of earlier data beside the cells: the same guarantees."""

import numpy as np
import pytest

from tests.twin import twin
from tests.twin.making import held, make
from tests.twin.test_twin import falls
from tests.twin.test_twin_stationary import assert_flat, entity_entries, steepest


def make_known(seed, **options):
    problem, _ = make(seed, **options)
    problem = twin.with_random_evidence(problem, seed)
    return problem, twin.random_state(problem, seed)


@pytest.mark.parametrize("seed", range(3))
def test_evidence_makes_entities_active_that_have_no_cell(seed):
    bare, _ = make(seed)
    problem, _ = make_known(seed)
    assert (problem.active.u & ~bare.active.u).any()
    assert (problem.active.v & ~bare.active.v).any()
    assert (problem.active.bias & ~bare.active.bias).any()


@pytest.mark.parametrize("seed", range(4))
def test_no_block_lowers_the_bound(seed):
    problem, state = make_known(seed)
    rng = np.random.default_rng(seed)
    everything = list(twin.blocks(problem).items())
    order = [everything[index] for index in rng.integers(len(everything), size=120)]
    assert falls(problem, state, everything * 2 + order) == []


@pytest.mark.parametrize("seed", range(2))
def test_updates_are_stationary(seed):
    problem, state = make_known(seed)
    for name in ("u", "v"):
        xi, zeta = held(problem, state)
        nodes = np.flatnonzero(problem.active.entities(name))
        entries = entity_entries(problem, state.part(name), nodes, [problem.dim - 1])
        before = steepest(problem, state, xi, zeta, entries)
        twin.update_entities(problem, state, name, xi, zeta)
        assert_flat(problem, state, xi, zeta, entries, before)
    scalars = {"bias": (state.bias_mean, state.bias_var, problem.active.bias)}
    for k, q in enumerate(state.relations):
        scalars[f"r:{k}"] = q.r_mean, q.r_var, problem.active.r[k]
    for name, (mean, variance, active) in scalars.items():
        xi, zeta = held(problem, state)
        columns = np.flatnonzero(active)
        entries = [(mean, j, False) for j in columns] + [(variance, j, True) for j in columns]
        before = steepest(problem, state, xi, zeta, entries)
        twin.blocks(problem)[name](state)
        assert_flat(problem, state, xi, zeta, entries, before)
    for side in ("x", "y"):
        q, m, last = state.relations[0], 1, problem.dim - 1
        mean, variance = (q.x_mean, q.x_var) if side == "x" else (q.y_mean, q.y_var)
        xi, zeta = held(problem, state)
        entries = [(mean, (m, last), False), *((variance, (m, d), True) for d in range(problem.dim))]
        before = steepest(problem, state, xi, zeta, entries)
        twin.blocks(problem)[f"{side}:0:{m}"](state)
        assert_flat(problem, state, xi, zeta, entries, before)


@pytest.mark.parametrize("seed", range(2))
def test_bound_equals_its_monte_carlo_estimate(seed):
    problem, state = make_known(seed)
    twin.fit(problem, state, sweeps=10)
    estimate, error = twin.monte_carlo_bound(problem, state, 4000, np.random.default_rng(seed))
    assert abs(twin.bound(problem, state) - estimate) < 4 * error
