"""Values of the twin: the bound by Monte Carlo, the logistic bound, moments, cold entities."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.twin import twin
from tests.twin.making import make

# 3. The value of the bound, with all constants.


@pytest.mark.parametrize("sweeps", [0, 5])
@pytest.mark.parametrize("seed", range(3))
def test_bound_equals_its_monte_carlo_estimate(seed, sweeps):
    problem, state = make(seed)
    for _ in range(sweeps):
        twin.sweep(problem, state)
    estimate, error = twin.monte_carlo_bound(problem, state, 10_000, np.random.default_rng(seed))
    assert abs(estimate - twin.bound(problem, state)) < 4 * error
    if sweeps:
        assert error < 0.25


# 4. The logistic bound.


finite = st.floats(-700, 700)


@given(x=finite, xi=finite)
def test_logistic_bound_holds(x, xi):
    slack = twin.log_sigmoid(x) - twin.log_sigmoid_bound(x, xi)
    assert slack >= -1e-9 * max(1.0, abs(twin.log_sigmoid_bound(x, xi)), xi**2)


@given(xi=finite)
def test_logistic_bound_is_tight(xi):
    for x in (xi, -xi):
        np.testing.assert_allclose(twin.log_sigmoid_bound(x, xi), twin.log_sigmoid(x), rtol=1e-12, atol=1e-12)


def test_lambda_is_the_printed_form_and_continuous_at_zero():
    xi = np.array([0.01, 0.5, 1.0, 3.0, 20.0, 700.0])
    printed = (1 / (1 + np.exp(-xi)) - 0.5) / (2 * xi)
    np.testing.assert_allclose(twin.jaakkola_lambda(xi), printed, rtol=1e-10)
    assert twin.jaakkola_lambda(0.0) == 0.125
    np.testing.assert_allclose(twin.jaakkola_lambda([1e-12, 1e-6, -1e-4]), 0.125, rtol=1e-8)
    np.testing.assert_allclose(twin.jaakkola_lambda(-xi), twin.jaakkola_lambda(xi))


# 5. Moments and the predictive.


def assert_moments(samples, mean, variance):
    """Mean and variance within four and five standard errors of what the samples say."""
    n = len(samples)
    centred = samples - mean
    assert abs(centred.mean()) < 4 * samples.std() / np.sqrt(n)
    assert abs((centred**2).mean() - variance) < 5 * (centred**2).std() / np.sqrt(n)


@pytest.mark.parametrize("k", [None, 0, 1])
def test_score_moments_agree_with_samples(k):
    problem, state = make(3)
    rng = np.random.default_rng(3)
    i, j = np.array([1, 5, 9]), np.array([5, 5, 2])
    if k is None:
        mean, variance = twin.score_moments(problem, state, i, j)
    else:
        mean, variance = twin.relation_score_moments(problem, state, k, i, j)
    for pair in range(len(i)):
        samples = twin.sample_scores(state, i[pair], j[pair], 200_000, rng, k)
        assert_moments(samples, mean[pair], variance[pair])


def test_closed_form_predictive_agrees_with_samples():
    problem = twin.random_problem(4, dim=24, ranks=(2,))
    state = twin.random_state(problem, 4)
    for array in (state.u.mean, state.v.mean, state.u.variance, state.v.variance):
        array *= 0.5
    rng = np.random.default_rng(4)
    for i, j in [(1, 1), (5, 9), (9, 7)]:
        mean, variance = twin.score_moments(problem, state, i, j)
        samples = twin.sample_scores(state, i, j, 200_000, rng)
        sampled = np.exp(twin.log_sigmoid(samples)).mean()
        assert abs(twin.predictive_probability(mean, variance) - sampled) < 0.02


# 7. Cold entities.


@pytest.mark.parametrize("seed", range(4))
def test_cold_density_is_the_fixed_point_of_iterated_updates(seed):
    problem, state = make(seed)
    for _ in range(5):
        twin.sweep(problem, state)
    row, col = problem.n_rows - 2, problem.n_cols - 2
    cold = {name: twin.cold_density(problem, state, name) for name in ("u", "v")}
    silent = twin.Cells(np.array([row]), np.array([col]), np.zeros(1), np.zeros(1))
    problem, state = replace(problem, cells=silent, relations=[]), replace(state, relations=[])
    for _ in range(400):
        for name in ("u", "v"):
            twin.update_entities(problem, state, name)
            twin.update_tau_entities(problem, state, name)
        twin.update_bias(problem, state)
        twin.update_tau_bias(problem, state)
    for name, node in (("u", row), ("v", col)):
        part = state.part(name)
        np.testing.assert_allclose(part.mean[node], cold[name].mean[node], rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(part.variance[node], cold[name].variance[node], rtol=1e-6)
        tau = problem.shape("entity") / part.tau_rate[node]
        np.testing.assert_allclose(tau, cold[name].tau[node], rtol=1e-6)
    nearer, spread = twin.bias_prior(problem, state, col)
    np.testing.assert_allclose(state.bias_mean[col], state.bias_centre[0] + nearer, rtol=1e-6)
    expected = twin.cold_bias_variance(problem, state.bias_centre, nearer=spread)
    np.testing.assert_allclose(state.bias_var[col], expected, rtol=1e-6)


def test_cold_categories_come_from_the_top():
    problem, state = make(0)
    twin.sweep(problem, state)
    cold, taxonomy = twin.cold_density(problem, state, "u"), problem.row_taxonomy
    alpha, beta, t = problem.alpha["category"], problem.beta["category"], problem.dim
    np.testing.assert_allclose(cold.category_mean[4], state.u.category_mean[1])
    expected = (beta + t * state.u.category_variance[1] / 2) / alpha
    np.testing.assert_allclose(cold.category_variance[4], expected)
    last = problem.n_rows - 1
    weights = dict(taxonomy.edges(last))
    V = weights[1] ** 2 * state.u.category_variance[1] + weights[4] ** 2 * expected
    np.testing.assert_allclose(cold.prior_variance[last], V)
    np.testing.assert_allclose(cold.mean[last], state.u.category_mean[1])
    assert np.isnan(cold.mean[problem.active.u]).all()
