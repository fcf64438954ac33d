"""The update of u and v as the paper prints it, Eq. ui-update: a full matrix and a right-hand side.

Solving the system is the exact optimum for the mean. Zeroing the off-diagonal first, as the paper says, is
wrong: it is here to show that the tests notice.
"""

import numpy as np

from tests.twin.moments import jaakkola_lambda, optimal_xi, optimal_zeta, prior_mean
from tests.twin.updates import view


def _second_moment(mean, variance):
    return np.outer(mean, mean) + np.diag(variance)


def _projected_second_moment(own, other, second):
    """E[W v v^T W^T], the second line of Eq. wvvw-expectation."""
    x_mean, x_var = own
    y_mean, y_var = other
    total = np.zeros_like(second)
    for m in range(len(x_mean)):
        for n in range(len(x_mean)):
            if m == n:
                weight = np.sum(_second_moment(y_mean[m], y_var[m]) * second)
                total += weight * _second_moment(x_mean[m], x_var[m])
            else:
                total += (y_mean[m] @ second @ y_mean[n]) * np.outer(x_mean[m], x_mean[n])
    return total


def entity_system(problem, state, name, node, xi, zeta):
    """The full precision matrix (t, t) and the right-hand side (t,) of one u or v."""
    look = view(state, name)
    tau = problem.shape("entity") / look.own.tau_rate[node]
    P = tau * np.eye(problem.dim)
    rhs = tau * prior_mean(problem.taxonomy(name), look.own, node)
    known = problem.known.u if name == "u" else problem.known.v
    P += np.diag(known.precision[node])
    rhs += known.linear[node]
    cells = problem.cells
    for cell in np.flatnonzero(look.own_index(cells) == node):
        other, slope = look.other_index(cells)[cell], jaakkola_lambda(xi[cell]) * cells.weight[cell]
        mean = look.other.mean[other]
        P += 2 * slope * _second_moment(mean, look.other.variance[other])
        rhs += (cells.signed[cell] - 2 * slope * state.bias_mean[cells.j[cell]]) * mean
    for k, (relation, q) in enumerate(zip(problem.relations, state.relations, strict=True)):
        cells, own, factors = relation.cells, look.own_factors(q), look.other_factors(q)
        M = own[0].T @ factors[0]
        for cell in np.flatnonzero(look.own_index(cells) == node):
            other, slope = look.other_index(cells)[cell], jaakkola_lambda(zeta[k][cell]) * cells.weight[cell]
            mean = look.other.mean[other]
            second = _second_moment(mean, look.other.variance[other])
            P += 2 * slope * _projected_second_moment(own, factors, second)
            rhs += (cells.signed[cell] - 2 * slope * q.r_mean[cells.j[cell]]) * (M @ mean)
    return P, rhs


def _update(problem, state, name, xi, zeta, solve):
    xi = optimal_xi(problem, state) if xi is None else xi
    zeta = optimal_zeta(problem, state) if zeta is None else zeta
    part = state.part(name)
    for node in np.flatnonzero(problem.active.entities(name)):
        P, rhs = entity_system(problem, state, name, node, xi, zeta)
        part.mean[node] = solve(P, rhs)
        part.variance[node] = 1 / np.diag(P)


def exact_update_entities(problem, state, name, xi=None, zeta=None):
    """The exact optimum of a q that factorises over dimensions: solve for the mean, variances 1/P_dd."""
    _update(problem, state, name, xi, zeta, np.linalg.solve)


def literal_update_entities(problem, state, name, xi=None, zeta=None):
    """The paper's words: set the off-diagonal to zero, then invert."""
    _update(problem, state, name, xi, zeta, lambda P, rhs: rhs / np.diag(P))


def exact_update_u(problem, state, xi=None, zeta=None):
    """The exact solve for every active u."""
    exact_update_entities(problem, state, "u", xi, zeta)


def literal_update_u(problem, state, xi=None, zeta=None):
    """The literal diagonal update of every active u, which can lower the bound."""
    literal_update_entities(problem, state, "u", xi, zeta)


def literal_update_v(problem, state, xi=None, zeta=None):
    """The literal diagonal update of every active v, which can lower the bound."""
    literal_update_entities(problem, state, "v", xi, zeta)
