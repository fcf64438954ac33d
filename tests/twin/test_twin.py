"""The twin against everything that must hold of it: nothing else vouches for the oracle."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.twin import twin

SEEDS = range(6)
FALL = 1e-9


def make(seed, **options):
    """A random problem and start; rows and columns are the same set for even seeds."""
    problem = twin.random_problem(seed, shared=seed % 2 == 0, **options)
    return problem, twin.random_state(problem, seed)


def falls(problem, state, updates):
    """Run the updates (name, function) one by one; returns those after which the bound had fallen."""
    fallen, before = [], twin.bound(problem, state)
    for name, update in updates:
        update(state)
        after = twin.bound(problem, state)
        if not after >= before - FALL * abs(before):
            fallen.append((name, before, after))
        before = after
    return fallen


def assert_not_collapsed(problem, state):
    active = problem.active
    means = [state.u.mean[active.u], state.v.mean[active.v]]
    for q in state.relations:
        means += [q.x_mean, q.y_mean]
    assert all(np.abs(mean).max() > 0.1 for mean in means)


# The random problems hold what they promise.


@pytest.mark.parametrize("seed", SEEDS)
def test_random_problems_hold_every_special_case(seed):
    problem, _ = make(seed)
    active, cells = problem.active, problem.cells
    last = problem.n_rows - 1
    assert not active.u[0]
    assert active.h_u[0]
    assert active.u[4]
    assert not active.h_u[4]
    assert not active.u[[last - 1, last]].any()
    assert active.u[6]
    assert active.v[7]
    assert active.v[8]
    assert not active.bias[8]
    assert active.r[0][8]
    assert not active.r[1][8]
    assert np.any(cells.i == cells.j)
    assert cells.weight.min() >= 30
    assert cells.weight.max() <= 60
    assert max(len(parents) for parents in problem.row_taxonomy.parents) > 1
    if problem.shared:
        assert not active.v[6]
        assert not active.u[7]
        pairs = problem.relations[1].cells
        forward = sorted(zip(pairs.i, pairs.j, pairs.w_pos, pairs.w_neg, strict=True))
        backward = sorted(zip(pairs.j, pairs.i, pairs.w_pos, pairs.w_neg, strict=True))
        assert forward == backward


# 1 and 6. The bound never falls.


@pytest.mark.parametrize("seed", SEEDS)
def test_no_block_lowers_the_bound(seed):
    problem, state = make(seed)
    assert falls(problem, state, list(twin.blocks(problem).items()) * 10) == []
    assert_not_collapsed(problem, state)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_block_lowers_the_bound_in_random_order(seed):
    problem, state = make(seed)
    rng = np.random.default_rng(seed)
    everything = list(twin.blocks(problem).items())
    order = [everything[index] for index in rng.integers(len(everything), size=250)]
    assert falls(problem, state, order) == []
    assert_not_collapsed(problem, state)


@pytest.mark.parametrize("seed", range(3))
def test_exact_solve_does_not_lower_the_bound(seed):
    problem, state = make(seed)
    everything = twin.blocks(problem)
    for name in ("u", "v"):
        everything[name] = lambda state, name=name: twin.exact_update_entities(problem, state, name)
    assert falls(problem, state, list(everything.items()) * 5) == []


@pytest.mark.parametrize("seed", range(4))
def test_literal_diagonal_update_fails(seed):
    problem, state = make(seed)
    everything = twin.blocks(problem)
    for name in ("u", "v"):
        everything[name] = lambda state, name=name: twin.literal_update_entities(problem, state, name)
    fallen = falls(problem, state, list(everything.items()) * 6)
    assert {name for name, _, _ in fallen} == {"u", "v"}
    proper = twin.random_state(problem, seed)
    for _ in range(6):
        twin.sweep(problem, proper)
    assert twin.bound(problem, state) < twin.bound(problem, proper) - 100


@pytest.mark.parametrize("seed", SEEDS)
def test_literal_update_lowers_the_bound_of_a_fitted_state(seed):
    problem, state = make(seed)
    twin.fit(problem, state, sweeps=10)
    for update in (twin.literal_update_u, twin.literal_update_v):
        assert falls(problem, state.copy(), [("literal", lambda state, f=update: f(problem, state))])


def test_categories_updated_all_at_once_diverge():
    """Why h goes one at a time: here every leaf hangs below the same four categories."""
    parents = [[]] * 4 + [[0, 1, 2, 3]] * 30
    taxonomy = twin.Taxonomy(parents, [[0.25] * len(p) for p in parents])
    i, j = (grid.ravel() for grid in np.meshgrid(np.arange(4, 34), np.arange(5)))
    w_pos = np.random.default_rng(0).integers(0, 51, len(i)).astype(float)
    problem = twin.Problem(34, 5, 3, twin.Cells(i, j, w_pos, 50 - w_pos), taxonomy, twin.flat_taxonomy(5))
    state = twin.random_state(problem)

    def all_at_once(state):
        start = state.copy()
        for node in range(4):
            alone = start.copy()
            twin.update_h(problem, alone, "u", node)
            state.u.category_mean[node] = alone.u.category_mean[node]
            state.u.category_variance[node] = alone.u.category_variance[node]

    assert falls(problem, state.copy(), list(twin.blocks(problem).items()) * 5) == []
    assert len(falls(problem, state, [("h", all_at_once)] * 20)) > 10


def test_one_xi_per_sweep_can_lower_the_bound_after_a_block_but_not_after_the_sweep():
    within = []
    for seed in SEEDS:
        problem, state = make(seed)
        xi, zeta = held(problem, state)
        start = twin.bound(problem, state)
        sweep = [
            ("u", lambda s, p=problem, xi=xi, zeta=zeta: twin.update_u(p, s, xi, zeta)),
            ("v", lambda s, p=problem, xi=xi, zeta=zeta: twin.update_v(p, s, xi, zeta)),
            ("bias", lambda s, p=problem, xi=xi: twin.update_bias(p, s, xi)),
        ]
        within += falls(problem, state, sweep * 10)
        assert twin.bound(problem, state) > start
    assert within


# 2. Every update lands on a stationary point of the bound with xi and zeta held.


def derivative(problem, state, xi, zeta, array, index, log=False):
    """Central difference of the bound in one entry of one array, in its logarithm if `log`."""
    step, value = 1e-4, array[index]
    ends = []
    for sign in (1, -1):
        array[index] = value * np.exp(sign * step) if log else value + sign * step
        ends.append(twin.bound(problem, state, xi, zeta))
    array[index] = value
    return (ends[0] - ends[1]) / (2 * step)


def steepest(problem, state, xi, zeta, entries):
    """The largest derivative in absolute value over entries (array, index, log)."""
    return max(abs(derivative(problem, state, xi, zeta, *entry)) for entry in entries)


def held(problem, state):
    return twin.optimal_xi(problem, state), twin.optimal_zeta(problem, state)


FLAT = 2e-6


def assert_flat(problem, state, xi, zeta, entries, before):
    """The derivatives are zero now, and were not (`before`)."""
    assert before > 1e-2
    assert steepest(problem, state, xi, zeta, entries) < FLAT


def entity_entries(problem, part, nodes, dims):
    means = [(part.mean, (node, d), False) for node in nodes for d in dims]
    variances = [(part.variance, (node, d), True) for node in nodes for d in range(problem.dim)]
    return means + variances


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["u", "v"])
def test_entities_are_stationary_in_the_last_coordinate(seed, name):
    problem, state = make(seed)
    xi, zeta = held(problem, state)
    nodes = np.flatnonzero(problem.active.entities(name))
    entries = entity_entries(problem, state.part(name), nodes, [problem.dim - 1])
    before = steepest(problem, state, xi, zeta, entries)
    twin.update_entities(problem, state, name, xi, zeta)
    assert_flat(problem, state, xi, zeta, entries, before)


@pytest.mark.parametrize("name", ["u", "v"])
def test_entities_are_stationary_in_all_coordinates_after_many_passes(name):
    problem, state = make(1)
    xi, zeta = held(problem, state)
    for _ in range(200):
        twin.update_entities(problem, state, name, xi, zeta)
    nodes = np.flatnonzero(problem.active.entities(name))
    entries = entity_entries(problem, state.part(name), nodes, range(problem.dim))
    assert steepest(problem, state, xi, zeta, entries) < FLAT
    exact = state.copy()
    twin.exact_update_entities(problem, exact, name, xi, zeta)
    np.testing.assert_allclose(state.part(name).mean, exact.part(name).mean, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(state.part(name).variance, exact.part(name).variance, rtol=1e-10)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["u", "v"])
def test_coordinate_pass_is_gauss_seidel_on_the_papers_system(seed, name):
    problem, state = make(seed)
    xi, zeta = held(problem, state)
    expected = state.part(name).mean.copy()
    for node in np.flatnonzero(problem.active.entities(name)):
        P, rhs = twin.entity_system(problem, state, name, node, xi, zeta)
        for d in range(problem.dim):
            row = expected[node]
            row[d] = (rhs[d] - P[d] @ row + P[d, d] * row[d]) / P[d, d]
    twin.update_entities(problem, state, name, xi, zeta)
    np.testing.assert_allclose(state.part(name).mean, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("side", ["x", "y"])
def test_factors_are_stationary(seed, side):
    problem, state = make(seed)
    update = twin.update_x if side == "x" else twin.update_y
    last = problem.dim - 1
    for k, relation in enumerate(problem.relations):
        q = state.relations[k]
        mean, var = (q.x_mean, q.x_var) if side == "x" else (q.y_mean, q.y_var)
        for m in range(relation.rank):
            xi, zeta = held(problem, state)
            variances = [(var, (m, d), True) for d in range(problem.dim)]
            entries = [(mean, (m, last), False), *variances]
            before = steepest(problem, state, xi, zeta, entries)
            update(problem, state, k, m, zeta)
            assert_flat(problem, state, xi, zeta, entries, before)
            for _ in range(300):
                update(problem, state, k, m, zeta)
            row = [(mean, (m, d), False) for d in range(problem.dim)]
            assert steepest(problem, state, xi, zeta, row + variances) < FLAT


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["u", "v"])
def test_categories_are_stationary(seed, name):
    problem, state = make(seed)
    part = state.part(name)
    xi, zeta = held(problem, state)
    for node in np.flatnonzero(problem.active.categories(name)):
        entries = [(part.category_mean, (node, d), False) for d in range(problem.dim)]
        entries.append((part.category_variance, node, True))
        before = steepest(problem, state, xi, zeta, entries)
        twin.update_h(problem, state, name, node)
        assert_flat(problem, state, xi, zeta, entries, before)


@pytest.mark.parametrize("seed", range(4))
def test_biases_are_stationary(seed):
    problem, state = make(seed)
    xi, zeta = held(problem, state)
    groups = [(state.bias_mean, state.bias_var, problem.active.bias, twin.update_bias, {"xi": xi})]
    for k, q in enumerate(state.relations):
        groups.append((q.r_mean, q.r_var, problem.active.r[k], twin.update_r, {"k": k, "zeta": zeta}))
    for mean, var, active, update, options in groups:
        columns = np.flatnonzero(active)
        entries = [(mean, j, False) for j in columns] + [(var, j, True) for j in columns]
        before = steepest(problem, state, xi, zeta, entries)
        update(problem, state, **options)
        assert_flat(problem, state, xi, zeta, entries, before)


@pytest.mark.parametrize("seed", range(4))
def test_common_means_of_biases_are_stationary(seed):
    problem, state = make(seed)
    xi, zeta = held(problem, state)
    centres = {"centre_bias": state.bias_centre}
    centres |= {f"centre_r:{k}": q.r_centre for k, q in enumerate(state.relations)}
    for name, centre in centres.items():
        entries = [(centre, 0, False), (centre, 1, True)]
        before = steepest(problem, state, xi, zeta, entries)
        twin.blocks(problem)[name](state)
        assert_flat(problem, state, xi, zeta, entries, before)


def test_biases_can_be_drawn_to_zero_as_in_the_paper():
    problem = replace(twin.random_problem(0), centre_precision=None)
    state = twin.random_state(problem, 0)
    bounds = twin.fit(problem, state, sweeps=20)
    assert (np.diff(bounds) > -1e-9 * np.abs(bounds[:-1])).all()
    assert (state.bias_centre == 0).all()
    estimate, error = twin.monte_carlo_bound(problem, state, 4000, np.random.default_rng(0))
    assert abs(bounds[-1] - estimate) < 4 * error


@pytest.mark.parametrize("seed", range(4))
def test_precisions_are_stationary(seed):
    problem, state = make(seed)
    xi, zeta = held(problem, state)
    active, everything = problem.active, twin.blocks(problem)
    rates = {
        "tau_u": (state.u.tau_rate, active.u),
        "tau_v": (state.v.tau_rate, active.v),
        "tau_h_u": (state.u.category_tau_rate, active.h_u),
        "tau_h_v": (state.v.category_tau_rate, active.h_v),
        "tau_bias": (state.bias_tau_rate, active.bias),
    }
    for k, q in enumerate(state.relations):
        rates[f"tau_x:{k}"] = q.x_tau_rate, np.ones(len(q.x_tau_rate), dtype=bool)
        rates[f"tau_y:{k}"] = q.y_tau_rate, np.ones(len(q.y_tau_rate), dtype=bool)
        rates[f"tau_r:{k}"] = q.r_tau_rate, active.r[k]
    assert set(rates) == {name for name in everything if name.startswith("tau")}
    for name, (rate, mask) in rates.items():
        entries = [(rate, index, True) for index in np.flatnonzero(mask)]
        before = steepest(problem, state, xi, zeta, entries)
        everything[name](state)
        assert_flat(problem, state, xi, zeta, entries, before)


def test_given_xi_lower_the_bound_and_the_best_ones_are_stationary():
    problem, state = make(2)
    xi, zeta = held(problem, state)
    best = twin.bound(problem, state)
    assert twin.bound(problem, state, xi, zeta) == best
    assert twin.bound(problem, state, 1.1 * xi, zeta) < best
    assert twin.bound(problem, state, xi, [0.9 * z for z in zeta]) < best
    entries = [(xi, cell, True) for cell in range(len(xi))]
    entries += [(z, cell, True) for z in zeta for cell in range(len(z))]
    assert steepest(problem, state, xi, zeta, entries) < FLAT


def test_barren_variables_are_out_of_the_bound_and_of_the_updates():
    problem, state = make(0)
    other, active = state.copy(), problem.active
    for name in ("u", "v"):
        part = other.part(name)
        entities, categories = ~active.entities(name), ~active.categories(name)
        part.mean[entities] = part.variance[entities] = part.tau_rate[entities] = 9.0
        part.category_mean[categories] = part.category_variance[categories] = 9.0
        part.category_tau_rate[categories] = 9.0
    other.bias_mean[~active.bias] = 9.0
    for mask, q in zip(active.r, other.relations, strict=True):
        q.r_mean[~mask] = q.r_var[~mask] = q.r_tau_rate[~mask] = 9.0
    for _ in range(2):
        assert twin.bound(problem, state) == twin.bound(problem, other)
        twin.sweep(problem, state)
        twin.sweep(problem, other)
    assert np.all(other.u.mean[~active.u] == 9.0)
    assert np.all(other.v.category_mean[~active.h_v] == 9.0)


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
    np.testing.assert_allclose(state.bias_var[col], twin.cold_bias_variance(problem, state.bias_centre), rtol=1e-6)


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
