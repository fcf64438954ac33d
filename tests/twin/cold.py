"""Closed-form densities of barren variables, which the fit leaves out: fixed points of their updates.

With `cold="prior"` of the problem, precisions are those expected a priori instead.
"""

from dataclasses import dataclass

import numpy as np

from tests.twin.moments import bias_prior, prior_mean, prior_mean_variance


@dataclass
class ColdDensity:
    """N(mean, variance I) of barren entities and categories of one part.

    Entity rows of active nodes are NaN. Category rows of active categories are those of the state, and NaN
    for nodes without children. `prior_variance` is V, to be added where the uncertainty of m_i counts too.
    """

    mean: np.ndarray  # (n, t)
    variance: np.ndarray  # (n,)
    tau: np.ndarray  # (n,), E[tau]
    prior_variance: np.ndarray  # (n,)
    category_mean: np.ndarray  # (n, t)
    category_variance: np.ndarray  # (n,)


def cold_tau(problem, kind, dim, prior_variance):
    """The fixed point of E[tau], or E[tau] of the prior."""
    fixed_point = problem.alpha[kind] / (problem.beta[kind] + dim * prior_variance / 2)
    return problem.alpha[kind] / problem.beta[kind] if problem.cold == "prior" else fixed_point


def cold_density(problem, state, name):
    """The densities of all barren entities and categories of the part "u" or "v"."""
    taxonomy, part, t = problem.taxonomy(name), state.copy().part(name), problem.dim
    for node in taxonomy.parents_first:
        if not taxonomy.children[node]:
            part.category_mean[node], part.category_variance[node] = np.nan, np.nan
        elif not problem.active.categories(name)[node]:
            V = prior_mean_variance(taxonomy, part, node)
            part.category_mean[node] = prior_mean(taxonomy, part, node)
            part.category_variance[node] = 1 / cold_tau(problem, "category", t, V)
    n = len(taxonomy)
    mean, tau, prior_variance = np.full((n, t), np.nan), np.full(n, np.nan), np.full(n, np.nan)
    for node in np.flatnonzero(~problem.active.entities(name)):
        V = prior_mean_variance(taxonomy, part, node)
        mean[node], prior_variance[node] = prior_mean(taxonomy, part, node), V
        tau[node] = cold_tau(problem, "entity", t, V)
    return ColdDensity(mean, 1 / tau, tau, prior_variance, part.category_mean, part.category_variance)


def cold_bias_variance(problem, centre, kind="bias", nearer=0.0):
    """The variance of a barren bias (or "relation_bias") whose common mean is given as (mean, variance).

    `nearer` is the variance of what categories add to it.
    """
    return 1 / cold_tau(problem, kind, 1, centre[1] + nearer)


def cold_bias_prior(problem, state, node):
    """Mean and variance of what categories add to the bias of a node, those of barren categories in closed form."""
    known = state.copy()
    for other in problem.col_taxonomy.parents_first:
        if not problem.bias_categories[other]:
            mean, spread = bias_prior(problem, known, other)
            known.g_mean[other] = mean
            known.g_var[other] = 1 / cold_tau(problem, "bias", 1, spread)
    return bias_prior(problem, known, node)
