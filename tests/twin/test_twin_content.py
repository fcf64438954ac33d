"""Content as a prior, in the twin: the bound never falls, updates are stationary, Monte Carlo agrees."""

import numpy as np
import pytest

from tests.twin import twin
from tests.twin.making import held, make
from tests.twin.test_twin import FALL, assert_not_collapsed, falls
from tests.twin.test_twin_stationary import FLAT, derivative


@pytest.mark.parametrize("seed", range(8))
def test_no_block_lowers_the_bound_in_random_order(seed):
    problem, state = make(seed, content=True)
    rng = np.random.default_rng(seed)
    everything = list(twin.blocks(problem).items())
    assert {"a_u", "a_v", "a_bias"} <= {name for name, _ in everything}
    order = [everything[index] for _ in range(5) for index in rng.permutation(len(everything))]
    assert falls(problem, state, order) == []
    assert_not_collapsed(problem, state)
    assert np.abs(state.v.content.mean).max() > 0.1


def gradients(problem, state, content):
    """Derivatives in all means, and in the covariance along symmetric directions."""
    xi, zeta = held(problem, state)
    found = [derivative(problem, state, xi, zeta, content.mean, index) for index in np.ndindex(content.mean.shape)]
    S, step = content.covariance, 1e-4
    for f, g in np.ndindex(S.shape):
        if g < f:
            continue
        ends, kept = [], S.copy()
        for sign in (1, -1):
            direction = np.zeros_like(S)
            direction[f, g] = direction[g, f] = 1.0
            S[...] = kept + sign * step * kept @ direction @ kept
            ends.append(twin.bound(problem, state, xi, zeta))
        S[...] = kept
        found.append((ends[0] - ends[1]) / (2 * step))
    return np.abs(found).max()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["a_u", "a_v", "a_bias"])
def test_updates_of_the_map_are_stationary(seed, name):
    problem, state = make(seed, content=True)
    content = {"a_u": state.u.content, "a_v": state.v.content, "a_bias": state.bias_content}[name]
    before = gradients(problem, state, content)
    twin.blocks(problem)[name](state)
    assert before > 1e-2
    assert gradients(problem, state, content) < 10 * FLAT


@pytest.mark.parametrize("seed", range(4))
def test_updates_of_categories_are_stationary_beside_content(seed):
    problem, state = make(seed, content=True)
    xi, zeta = held(problem, state)
    for name in ("u", "v"):
        part = state.part(name)
        for node in np.flatnonzero(problem.active.categories(name)):
            twin.update_h(problem, state, name, node)
            for d in range(problem.dim):
                assert abs(derivative(problem, state, xi, zeta, part.category_mean, (node, d))) < FLAT
    for node in np.flatnonzero(problem.bias_categories):
        twin.update_g(problem, state, node)
        assert abs(derivative(problem, state, xi, zeta, state.g_mean, node)) < FLAT


@pytest.mark.parametrize("sweeps", [0, 5])
@pytest.mark.parametrize("seed", range(3))
def test_bound_equals_its_monte_carlo_estimate(seed, sweeps):
    problem, state = make(seed, content=True)
    for _ in range(sweeps):
        twin.sweep(problem, state)
    estimate, error = twin.monte_carlo_bound(problem, state, 10_000, np.random.default_rng(seed))
    assert abs(estimate - twin.bound(problem, state)) < 4 * error


def test_ignoring_the_children_of_categories_would_be_noticed():
    """Content is taken off the children of a category; an update that forgets it lowers the bound."""
    problem, state = make(0, content=True)
    for _ in range(5):
        twin.sweep(problem, state)
    before, content = twin.bound(problem, state), state.u.content
    state.u.content = None
    for node in np.flatnonzero(problem.active.h_u):
        twin.update_h(problem, state, "u", node)
    state.u.content = content
    assert twin.bound(problem, state) < before - FALL * abs(before)
