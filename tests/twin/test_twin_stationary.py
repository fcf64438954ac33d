"""Every update of the twin lands on a stationary point of the bound."""

from dataclasses import replace

import numpy as np
import pytest

from tests.twin import twin
from tests.twin.making import held, make

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
def test_biases_of_categories_are_stationary(seed):
    problem, state = make(seed)
    xi, zeta = held(problem, state)
    nodes = np.flatnonzero(problem.bias_categories)
    assert len(nodes) >= 3
    for node in nodes:
        entries = [(state.g_mean, node, False), (state.g_var, node, True)]
        before = steepest(problem, state, xi, zeta, entries)
        twin.update_g(problem, state, node)
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
    problem = replace(twin.random_problem(0), centre_precision=None, nested_biases=False)
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
        "tau_g": (state.g_tau_rate, problem.bias_categories),
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
