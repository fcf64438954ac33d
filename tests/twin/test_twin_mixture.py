"""The twin of a mixture over parents: the bound never falls, updates are stationary, and Monte Carlo agrees."""

from dataclasses import replace

import numpy as np
import pytest

from tests.twin import twin
from tests.twin.making import held
from tests.twin.test_twin import assert_not_collapsed, falls
from tests.twin.test_twin_stationary import assert_flat, entity_entries, steepest

SEEDS = range(5)
FLAT = 2e-6


def make(seed, **options):
    """A random problem in which parents are a mixture; rows and columns are the same set for even seeds."""
    problem = replace(twin.random_problem(seed, shared=seed % 2 == 0, **options), mixture=True)
    return problem, twin.random_state(problem, seed)


def choices(problem):
    return [name for name in twin.blocks(problem) if name.startswith("chosen")]


@pytest.mark.parametrize("seed", SEEDS)
def test_no_block_lowers_the_bound_in_random_order(seed):
    problem, state = make(seed)
    rng = np.random.default_rng(seed)
    everything = list(twin.blocks(problem).items())
    order = [everything[index] for index in rng.integers(len(everything), size=350)]
    assert falls(problem, state, order) == []
    assert_not_collapsed(problem, state)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_choice_of_u_alone_lowers_the_bound(seed):
    """Why u, v and b must be asked together: a choice that only u makes is another model's."""
    problem, state = make(2 * seed)
    twin.fit(problem, state, sweeps=5)
    before, lonely = twin.bound(problem, state), replace(problem, shared=False, nested_biases=False)
    for node, r in enumerate(state.chosen_u):
        if len(r) > 1:
            state.chosen_u[node] = np.full(len(r), 1 / len(r))
    middle = twin.bound(problem, state)
    twin.update_chosen(lonely, state, "u")
    wrong = twin.bound(problem, state)
    twin.update_chosen(problem, state, "u")
    assert twin.bound(problem, state) >= max(before, middle, wrong) - 1e-9 * abs(before)
    assert twin.bound(problem, state) > wrong


@pytest.mark.parametrize("seed", SEEDS)
def test_choices_are_stationary(seed):
    problem, state = make(seed)
    xi, zeta = held(problem, state)
    for name in choices(problem):
        chosen = state.chosen(name[-1])
        several = [node for node, r in enumerate(chosen) if len(r) > 1 and _reached(problem, name[-1])[node]]
        assert several
        before = max(abs(_slope(problem, state, chosen, node, xi, zeta)) for node in several)
        twin.blocks(problem)[name](state)
        assert before > 1e-2
        assert max(abs(_slope(problem, state, chosen, node, xi, zeta)) for node in several) < FLAT


def _reached(problem, name):
    active = problem.active
    found = active.entities(name).copy()
    return found | active.v | active.bias if problem.shared else found | (active.bias if name == "v" else False)


def _slope(problem, state, chosen, node, xi, zeta, step=1e-4):
    """The largest derivative of the bound in the log odds of one of an entity's parents."""
    kept, slopes = chosen[node].copy(), []
    for at in range(len(kept)):
        ends = []
        for sign in (1, -1):
            logs = np.log(np.maximum(kept, 1e-290))
            logs[at] += sign * step
            chosen[node] = np.exp(logs) / np.exp(logs).sum()
            ends.append(twin.bound(problem, state, xi, zeta))
        slopes.append((ends[0] - ends[1]) / (2 * step))
    chosen[node] = kept
    return max(slopes, key=abs)


@pytest.mark.parametrize("seed", SEEDS)
def test_all_else_is_stationary_given_the_choices(seed):
    problem, state = make(seed)
    xi, zeta = held(problem, state)
    everything, active = twin.blocks(problem), problem.active
    for name in ("u", "v"):
        part = state.part(name)
        entries = entity_entries(problem, part, np.flatnonzero(active.entities(name)), [problem.dim - 1])
        before = steepest(problem, state, xi, zeta, entries)
        twin.update_entities(problem, state, name, xi, zeta)
        assert_flat(problem, state, xi, zeta, entries, before)
        for node in np.flatnonzero(active.categories(name)):
            entries = [(part.category_mean, (node, d), False) for d in range(problem.dim)]
            entries.append((part.category_variance, node, True))
            before = steepest(problem, state, xi, zeta, entries)
            twin.update_h(problem, state, name, node)
            assert_flat(problem, state, xi, zeta, entries, before)
    for node in np.flatnonzero(problem.bias_categories):
        entries = [(state.g_mean, node, False), (state.g_var, node, True)]
        twin.update_g(problem, state, node)
        assert steepest(problem, state, xi, zeta, entries) < FLAT
    columns = np.flatnonzero(active.bias)
    flat = {
        "bias": [(state.bias_mean, j, False) for j in columns] + [(state.bias_var, j, True) for j in columns],
        "centre_bias": [(state.bias_centre, 0, False), (state.bias_centre, 1, True)],
        "tau_u": [(state.u.tau_rate, i, True) for i in np.flatnonzero(active.u)],
        "tau_v": [(state.v.tau_rate, j, True) for j in np.flatnonzero(active.v)],
        "tau_bias": [(state.bias_tau_rate, j, True) for j in columns],
    }
    for name, entries in flat.items():
        before = steepest(problem, state, xi, zeta, entries)
        everything[name](state, xi=xi) if name == "bias" else everything[name](state)
        assert_flat(problem, state, xi, zeta, entries, before)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("sweeps", [0, 15])
def test_monte_carlo_agrees(seed, sweeps):
    problem, state = make(seed)
    for _ in range(sweeps):
        twin.sweep(problem, state)
    estimate, error = twin.monte_carlo_bound(problem, state, 20_000, np.random.default_rng(seed))
    assert abs(twin.bound(problem, state) - estimate) < 4 * error
    if sweeps:
        assert error < 0.25
