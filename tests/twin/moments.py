"""The bound on the logistic function, and the first two moments of every score under q."""

import numpy as np


def log_sigmoid(x):
    """log sigma(x), without overflow."""
    return -np.logaddexp(0.0, -np.asarray(x, dtype=float))


def jaakkola_lambda(xi):
    """lambda(xi) = tanh(xi / 2) / (4 xi), continued by 1/8 at 0."""
    xi = np.abs(np.asarray(xi, dtype=float))
    safe = np.where(xi > 0, xi, 1.0)
    return np.where(xi > 0, np.tanh(safe / 2) / (4 * safe), 0.125)


def log_sigmoid_bound(x, xi):
    """The lower bound on log sigma(x) of Eq. the-bound."""
    return (x - xi) / 2 - jaakkola_lambda(xi) * (x**2 - xi**2) + log_sigmoid(xi)


def bias_prior(problem, state, node):
    """Mean and variance of what the bias of a column, or of its category, is drawn to, less the common mean."""
    edges = problem.col_taxonomy.edges(node) if problem.nested_biases else []
    mean, variance = sum(a * state.g_mean[n] for n, a in edges), sum(a**2 * state.g_var[n] for n, a in edges)
    if state.bias_content is not None:
        mean, variance = mean + state.bias_content.shift(node)[0], variance + state.bias_content.leverage(node)
    return mean, variance


def chosen_edges(problem, state, name, node):
    """The parents of an entity with their weights; in a mixture, with their probabilities."""
    taxonomy = problem.taxonomy(name)
    if not problem.mixture:
        return taxonomy.edges(node)
    return list(zip(taxonomy.parents[node], state.chosen(name)[node], strict=True))


def entity_bias_prior(problem, state, j):
    """The mean of what the bias of a column is drawn to, less the common mean."""
    edges = chosen_edges(problem, state, "v", j) if problem.nested_biases else []
    content = 0.0 if state.bias_content is None else state.bias_content.shift(j)[0]
    return sum(a * state.g_mean[n] for n, a in edges) + content


def bias_gap(problem, state, j, n):
    """E[(b_j - g_n - c)^2], or E[(b_j - c)^2] for a column without parents; less what its features say."""
    mean, variance = (0.0, 0.0) if n is None else (state.g_mean[n], state.g_var[n])
    if state.bias_content is not None:
        mean, variance = mean + state.bias_content.shift(j)[0], variance + state.bias_content.leverage(j)
    gap = state.bias_mean[j] - state.bias_centre[0] - mean
    return gap**2 + state.bias_var[j] + state.bias_centre[1] + variance


def entity_gap(problem, state, name, node, n):
    """E||u_i - h_n||^2, or E||u_i||^2 for an entity without parents; less what its features say."""
    part = state.part(name)
    mean, variance = (0.0, 0.0) if n is None else (part.category_mean[n], part.category_variance[n])
    if part.content is not None:
        mean, variance = mean + part.content.shift(node), variance + part.content.leverage(node)
    return ((part.mean[node] - mean) ** 2).sum() + part.variance[node].sum() + problem.dim * variance


def bias_distance(problem, state, j):
    """E[(b_j - prior mean)^2]."""
    if problem.mixture:
        edges = chosen_edges(problem, state, "v", j) if problem.nested_biases else []
        return sum(r * bias_gap(problem, state, j, n) for n, r in edges or [(None, 1.0)])
    mean, variance = bias_prior(problem, state, j)
    gap = state.bias_mean[j] - state.bias_centre[0] - mean
    return gap**2 + state.bias_var[j] + state.bias_centre[1] + variance


def bias_category_distance(problem, state, node):
    """E[(g_n - prior mean)^2]."""
    mean, variance = bias_prior(problem, state, node)
    return (state.g_mean[node] - mean) ** 2 + state.g_var[node] + variance


def score_moments(problem, state, i, j):
    """E and Var of u_i.v_j + b_j, for arrays i and j of equal length."""
    mu_u, var_u = state.u.mean[i], state.u.variance[i]
    mu_v, var_v = state.v.mean[j], state.v.variance[j]
    mean = (mu_u * mu_v).sum(-1) + state.bias_mean[j]
    variance = (mu_u**2 * var_v + var_u * (mu_v**2 + var_v)).sum(-1) + state.bias_var[j]
    return mean, variance


def projection_moments(factor_mean, factor_var, mean, variance):
    """E[a] (n, t_k) and E[a a^T] (n, t_k, t_k) of a_m = x_m.z, for densities of z (n, t), x (t_k, t)."""
    first = mean @ factor_mean.T
    second = first[:, :, None] * first[:, None, :]
    second = second + np.einsum("cd,md,nd->cmn", variance, factor_mean, factor_mean)
    m = np.arange(len(factor_mean))
    second[:, m, m] += (mean**2 + variance) @ factor_var.T
    return first, second


def relation_score_moments(problem, state, k, i, j):
    """E and Var of u_i^T X_k Y_k^T v_j + r_jk, for arrays i and j of equal length."""
    q = state.relations[k]
    a, aa = projection_moments(q.x_mean, q.x_var, state.u.mean[i], state.u.variance[i])
    c, cc = projection_moments(q.y_mean, q.y_var, state.v.mean[j], state.v.variance[j])
    without_bias = (a * c).sum(-1)
    variance = (aa * cc).sum((-2, -1)) - without_bias**2 + q.r_var[j]
    return without_bias + q.r_mean[j], variance


def predictive_probability(mean, variance):
    """The closed-form sigma(mean / sqrt(1 + pi variance / 8)) of Eq. approximated-posterior-predicitive."""
    return np.exp(log_sigmoid(mean / np.sqrt(1 + np.pi * variance / 8)))


def optimal_xi(problem, state):
    """The best xi of every co-occurrence cell, sqrt(E[x^2])."""
    mean, variance = score_moments(problem, state, problem.cells.i, problem.cells.j)
    return np.sqrt(mean**2 + variance)


def optimal_zeta(problem, state):
    """The best zeta of every cell, a list with one array per relation."""
    zeta = []
    for k, relation in enumerate(problem.relations):
        mean, variance = relation_score_moments(problem, state, k, relation.cells.i, relation.cells.j)
        zeta.append(np.sqrt(mean**2 + variance))
    return zeta


def prior_mean(taxonomy, part, node):
    """E[m_i], the weighted mean of the parents' category means and what features add; 0 without both."""
    mean = np.zeros(part.mean.shape[1]) if part.content is None else part.content.shift(node)
    for parent, weight in taxonomy.edges(node):
        mean = mean + weight * part.category_mean[parent]
    return mean


def entity_prior_mean(problem, state, name, node):
    """E[m_i] of an entity, by the probabilities of its parents in a mixture."""
    part = state.part(name)
    mean = np.zeros(problem.dim) if part.content is None else part.content.shift(node)
    for parent, weight in chosen_edges(problem, state, name, node):
        mean = mean + weight * part.category_mean[parent]
    return mean


def prior_mean_variance(taxonomy, part, node):
    """V, the variance of every coordinate of m_i under q."""
    own = 0.0 if part.content is None else part.content.leverage(node)
    return own + sum(weight**2 * part.category_variance[parent] for parent, weight in taxonomy.edges(node))


def entity_distance(problem, state, name, node):
    """E||u_i - m_i||^2 (or of v)."""
    if problem.mixture:
        edges = chosen_edges(problem, state, name, node)
        return sum(r * entity_gap(problem, state, name, node, n) for n, r in edges or [(None, 1.0)])
    taxonomy, part = problem.taxonomy(name), state.part(name)
    gap = part.mean[node] - prior_mean(taxonomy, part, node)
    return gap @ gap + part.variance[node].sum() + problem.dim * prior_mean_variance(taxonomy, part, node)


def category_distance(problem, state, name, node):
    """E||h_n - m_n||^2."""
    taxonomy, part = problem.taxonomy(name), state.part(name)
    gap = part.category_mean[node] - prior_mean(taxonomy, part, node)
    variance = part.category_variance[node] + prior_mean_variance(taxonomy, part, node)
    return gap @ gap + problem.dim * variance
