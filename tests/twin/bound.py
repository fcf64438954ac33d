"""The whole lower bound: bounded likelihood, E[log p] of every Normal and Gamma, all entropies."""

import math

import numpy as np
from scipy.special import digamma, gammaln

from tests.twin.moments import (
    bias_category_distance,
    bias_distance,
    category_distance,
    entity_distance,
    jaakkola_lambda,
    log_sigmoid,
    optimal_xi,
    optimal_zeta,
    relation_score_moments,
    score_moments,
)


def bounded_likelihood(cells, mean, variance, xi):
    """E[log p~] of cells whose scores have these moments."""
    second = mean**2 + variance
    loss = xi / 2 + jaakkola_lambda(xi) * (second - xi**2) - log_sigmoid(xi)
    return float(np.sum(cells.signed * mean - cells.weight * loss))


def normal_gamma_term(problem, kind, size, distance, log_variances, rate):
    """E[log p] + entropy of one Normal of `size` values and of its precision.

    `distance` is E||z - prior mean||^2, `log_variances` the sum of the logs of q's variances.
    """
    alpha, beta, shape = problem.alpha[kind], problem.beta[kind], problem.shape(kind)
    tau, log_tau = shape / rate, digamma(shape) - math.log(rate)
    log_p = size / 2 * (log_tau - math.log(2 * math.pi)) - tau / 2 * distance
    log_p += alpha * math.log(beta) - gammaln(alpha) + (alpha - 1) * log_tau - beta * tau
    normal_entropy = (size * (1 + math.log(2 * math.pi)) + log_variances) / 2
    gamma_entropy = shape - math.log(rate) + gammaln(shape) + (1 - shape) * digamma(shape)
    return log_p + normal_entropy + gamma_entropy


def _entities(problem, state, name):
    part, total = state.part(name), 0.0
    for node in np.flatnonzero(problem.active.entities(name)):
        distance = entity_distance(problem, state, name, node)
        logs = np.log(part.variance[node]).sum()
        total += normal_gamma_term(problem, "entity", problem.dim, distance, logs, part.tau_rate[node])
    return total


def _categories(problem, state, name):
    part, total = state.part(name), 0.0
    for node in np.flatnonzero(problem.active.categories(name)):
        distance = category_distance(problem, state, name, node)
        logs = problem.dim * math.log(part.category_variance[node])
        total += normal_gamma_term(problem, "category", problem.dim, distance, logs, part.category_tau_rate[node])
    return total


def _biases(problem, state):
    total = _centre(problem, state.bias_centre)
    for j in np.flatnonzero(problem.active.bias):
        logs, rate = math.log(state.bias_var[j]), state.bias_tau_rate[j]
        total += normal_gamma_term(problem, "bias", 1, bias_distance(problem, state, j), logs, rate)
    return total


def _bias_categories(problem, state):
    total = 0.0
    for node in np.flatnonzero(problem.bias_categories):
        logs, rate = math.log(state.g_var[node]), state.g_tau_rate[node]
        total += normal_gamma_term(problem, "bias", 1, bias_category_distance(problem, state, node), logs, rate)
    return total


def _relation_biases(problem, active, q):
    total = _centre(problem, q.r_centre)
    for j in np.flatnonzero(active):
        distance = (q.r_mean[j] - q.r_centre[0]) ** 2 + q.r_var[j] + q.r_centre[1]
        total += normal_gamma_term(problem, "relation_bias", 1, distance, math.log(q.r_var[j]), q.r_tau_rate[j])
    return total


def _centre(problem, centre):
    """E[log p] + entropy of the common mean of the biases, a Normal of known precision."""
    kappa = problem.centre_precision
    if kappa is None:
        return 0.0
    log_p = (math.log(kappa / (2 * math.pi)) - kappa * (centre[0] ** 2 + centre[1])) / 2
    return log_p + (1 + math.log(2 * math.pi * centre[1])) / 2


def _factors(problem, relation, mean, variance, rate):
    total = 0.0
    for m in range(len(mean)):
        distance = ((mean[m] - relation.prior_mean(m, problem.dim)) ** 2 + variance[m]).sum()
        logs = np.log(variance[m]).sum()
        total += normal_gamma_term(problem, "relation_factor", problem.dim, distance, logs, rate[m])
    return total


def _chosen(problem, state, name):
    """E[log p(z)] + entropy of the choice of each entity that data reaches."""
    if not problem.mixture:
        return 0.0
    taxonomy, reached = problem.taxonomy(name), problem.active.entities(name).copy()
    if problem.shared:
        reached |= problem.active.v
    if problem.shared or name == "v":
        reached |= problem.active.bias
    total = 0.0
    for node in np.flatnonzero(reached):
        r, a = state.chosen(name)[node], np.array(taxonomy.weights[node])
        total += float(np.sum(r * (np.log(a) - np.log(r)))) if len(a) else 0.0
    return total


def _evidence(known, state):
    total = known.bias.expected_log(state.bias_mean, state.bias_var)
    for name, sites in (("u", known.u), ("v", known.v)):
        total += sites.expected_log(state.part(name).mean, state.part(name).variance)
    for x, y, r, q in zip(known.x, known.y, known.r, state.relations, strict=True):
        total += x.expected_log(q.x_mean, q.x_var) + y.expected_log(q.y_mean, q.y_var)
        total += r.expected_log(q.r_mean, q.r_var)
    return total


def bound_terms(problem, state, xi=None, zeta=None):
    """The bound, term by term, as a dict; keys of relation k end in ":k"."""
    xi = optimal_xi(problem, state) if xi is None else xi
    zeta = optimal_zeta(problem, state) if zeta is None else zeta
    cells, active = problem.cells, problem.active
    mean, variance = score_moments(problem, state, cells.i, cells.j)
    terms = {"likelihood": bounded_likelihood(cells, mean, variance, xi)}
    for name in ("u", "v"):
        terms[name] = _entities(problem, state, name)
        terms[f"h_{name}"] = _categories(problem, state, name)
    terms["bias"] = _biases(problem, state)
    terms["g"] = _bias_categories(problem, state)
    contents = {"a_u": state.u.content, "a_v": state.v.content, "a_bias": state.bias_content}
    terms |= {name: content.bound() for name, content in contents.items() if content is not None}
    for name in ("u",) if problem.shared else ("u", "v"):
        terms[f"chosen_{name}"] = _chosen(problem, state, name)
    terms["evidence"] = _evidence(problem.known, state)
    for k, (relation, q) in enumerate(zip(problem.relations, state.relations, strict=True)):
        cells = relation.cells
        mean, variance = relation_score_moments(problem, state, k, cells.i, cells.j)
        terms[f"likelihood:{k}"] = bounded_likelihood(cells, mean, variance, zeta[k])
        terms[f"x:{k}"] = _factors(problem, relation, q.x_mean, q.x_var, q.x_tau_rate)
        terms[f"y:{k}"] = _factors(problem, relation, q.y_mean, q.y_var, q.y_tau_rate)
        terms[f"r:{k}"] = _relation_biases(problem, active.r[k], q)
    return terms


def bound(problem, state, xi=None, zeta=None):
    """The lower bound on log p(data). `xi` (cells,) and `zeta` (a list) are optimal where not given."""
    return float(sum(bound_terms(problem, state, xi, zeta).values()))
