"""The variance of a score with full covariance matrices, entity by entity and cell by cell."""

import numpy as np

from tests.twin.moments import bias_prior, predictive_probability, prior_mean_variance, score_moments

_STEP = 1e-5


def expected_curvature(mean, variance):
    """E[sigma'(x)]: by how much the predictive probability grows with the mean."""
    above, below = (predictive_probability(mean + step, variance) for step in (_STEP, -_STEP))
    return (above - below) / (2 * _STEP)


def full_variance(problem, state, i, j):
    """Var[u_i.v_j + b_j] where u_i is independent of (v_j, b_j), and each has a full covariance matrix."""
    C, D = row_covariance(problem, state, i), column_covariance(problem, state, j)
    u, v = np.append(state.u.mean[i], 1.0), state.v.mean[j]
    return v @ C @ v + u @ D @ u + np.trace(C @ D[:-1, :-1])


def row_covariance(problem, state, i):
    """Of u_i, each v_j and b_j integrated out."""
    wide = state.u.tau_rate[i] / problem.shape("entity") + prior_mean_variance(problem.row_taxonomy, state.u, i)
    precision = np.eye(problem.dim) / wide
    for cell in np.flatnonzero(problem.cells.i == i):
        j = problem.cells.j[cell]
        unknown = state.u.mean[i] ** 2 @ state.v.variance[j] + state.bias_var[j]
        precision += _seen_through(problem, state, cell, unknown) * np.outer(state.v.mean[j], state.v.mean[j])
    return np.linalg.inv(precision)


def column_covariance(problem, state, j):
    """Of (v_j, b_j), each u_i integrated out."""
    wide = state.v.tau_rate[j] / problem.shape("entity") + prior_mean_variance(problem.col_taxonomy, state.v, j)
    bias = state.bias_tau_rate[j] / problem.shape("bias") + state.bias_centre[1] + bias_prior(problem, state, j)[1]
    precision = np.diag(np.append(np.full(problem.dim, 1 / wide), 1 / bias))
    for cell in np.flatnonzero(problem.cells.j == j):
        i = problem.cells.i[cell]
        context = np.append(state.u.mean[i], 1.0)
        unknown = state.v.mean[j] ** 2 @ state.u.variance[i]
        precision += _seen_through(problem, state, cell, unknown) * np.outer(context, context)
    return np.linalg.inv(precision)


def _seen_through(problem, state, cell, unknown):
    """What a cell tells: a noisy look at the score, of variance 1 / L, and what is not known of the partner."""
    i, j = problem.cells.i[cell], problem.cells.j[cell]
    mean, variance = score_moments(problem, state, np.array([i]), np.array([j]))
    return 1 / (1 / (problem.cells.weight[cell] * expected_curvature(mean[0], variance[0])) + unknown)
