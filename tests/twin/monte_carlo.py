"""Samples from q, and the bound as an average over them. Shares no formula with `bound`."""

import numpy as np
from scipy import stats

from tests.twin.moments import log_sigmoid_bound, optimal_xi, optimal_zeta


def _sample_normal_gamma(problem, kind, mean, deviation, rate, n, rng):
    """n samples of z and of its precision, and log q of both summed; z is (n, items, size)."""
    shape = problem.shape(kind)
    z = rng.normal(mean, deviation, size=(n, *mean.shape))
    tau = rng.gamma(shape, 1 / rate, size=(n, *rate.shape))
    log_q = stats.norm.logpdf(z, mean, deviation).sum((1, 2))
    log_q += stats.gamma.logpdf(tau, shape, scale=1 / rate).sum(1)
    return z, tau, log_q


def _log_prior(problem, kind, z, center, tau):
    log_p = stats.norm.logpdf(z, center, 1 / np.sqrt(tau)[:, :, None]).sum((1, 2))
    return log_p + stats.gamma.logpdf(tau, problem.alpha[kind], scale=1 / problem.beta[kind]).sum(1)


def _centers(taxonomy, h, nodes):
    """Samples of m_i for these nodes, (n, nodes, t)."""
    A = np.zeros((len(taxonomy), len(taxonomy)))
    for node in nodes:
        for parent, weight in taxonomy.edges(node):
            A[node, parent] = weight
    return np.einsum("ip,npd->nid", A[nodes], h)


def _chosen(problem, state, n, rng):
    """Samples of which parent each row and each column has (the same where these are the same set), and log p - log q.

    A sample is a matrix (n, nodes, nodes) with a 1 for the chosen parent.
    """
    found, ratio, active = {}, 0.0, problem.active
    for name in ("u", "v"):
        if name == "v" and problem.shared:
            found["v"] = found["u"]
            break
        taxonomy, reached = problem.taxonomy(name), active.entities(name).copy()
        if problem.shared:
            reached |= active.v
        if problem.shared or name == "v":
            reached |= active.bias
        matrix = np.zeros((n, len(taxonomy), len(taxonomy)))
        for node in range(len(taxonomy)):
            parents, r = np.array(taxonomy.parents[node], dtype=int), state.chosen(name)[node]
            if len(parents) == 0:
                continue
            drawn = rng.choice(len(parents), n, p=r)
            matrix[np.arange(n), node, parents[drawn]] = 1.0
            if reached[node]:
                ratio = ratio + (np.log(taxonomy.weights[node]) - np.log(r))[drawn]
        found[name] = matrix
    return found, ratio


def _part(problem, state, name, n, rng, chosen=None):
    """Samples of all entities of one part (zero where barren), and log p - log q of everything in it."""
    taxonomy, part = problem.taxonomy(name), state.part(name)
    nodes = np.flatnonzero(problem.active.entities(name))
    categories = np.flatnonzero(problem.active.categories(name))
    z, tau, ratio = _sample_normal_gamma(
        problem, "entity", part.mean[nodes], np.sqrt(part.variance[nodes]), part.tau_rate[nodes], n, rng
    )
    deviation = np.sqrt(part.category_variance[categories])[:, None]
    rate = part.category_tau_rate[categories]
    h, tau_h, log_q = _sample_normal_gamma(problem, "category", part.category_mean[categories], deviation, rate, n, rng)
    all_h = np.zeros((n, len(taxonomy), problem.dim))
    all_h[:, categories] = h
    ratio = -ratio - log_q
    shift = np.zeros((n, len(taxonomy), problem.dim))
    if part.content is not None:
        shift, more = part.content.samples(n, rng)
        ratio += more
    centres = _centers(taxonomy, all_h, nodes) if chosen is None else np.einsum("nip,npd->nid", chosen[:, nodes], all_h)
    ratio += _log_prior(problem, "entity", z, centres + shift[:, nodes], tau)
    ratio += _log_prior(problem, "category", h, _centers(taxonomy, all_h, categories) + shift[:, categories], tau_h)
    samples = np.zeros((n, len(taxonomy), problem.dim))
    samples[:, nodes] = z
    return samples, ratio


def _factors(problem, relation, mean, variance, rate, n, rng):
    """Samples of a relation's factors, and their log p - log q."""
    kind, center = "relation_factor", np.array([relation.prior_mean(m, problem.dim) for m in range(relation.rank)])
    z, tau, log_q = _sample_normal_gamma(problem, kind, mean, np.sqrt(variance), rate, n, rng)
    return z, _log_prior(problem, kind, z, center, tau) - log_q


def _bias_categories(problem, state, n, rng, chosen):
    """Samples of what categories and features add to the prior means of biases, and their log p - log q."""
    on = np.flatnonzero(problem.bias_categories)
    mean, deviation = state.g_mean[on, None], np.sqrt(state.g_var[on, None])
    z, tau, log_q = _sample_normal_gamma(problem, "bias", mean, deviation, state.g_tau_rate[on], n, rng)
    g, shift = np.zeros((n, problem.n_cols, 1)), np.zeros((n, problem.n_cols, 1))
    g[:, on] = z
    if state.bias_content is not None:
        shift, more = state.bias_content.samples(n, rng)
        log_q = log_q - more
    ratio = _log_prior(problem, "bias", z, _centers(problem.col_taxonomy, g, on) + shift[:, on], tau) - log_q
    every = np.arange(problem.n_cols)
    centres = _centers(problem.col_taxonomy, g, every) if chosen is None else np.einsum("nip,npd->nid", chosen, g)
    return centres + shift, ratio


def _biases(problem, kind, active, mean, variance, rate, centre, n, rng, nearer=None):
    """Samples of biases, and their log p - log q; `nearer` are samples of what categories add to the prior mean."""
    on = np.flatnonzero(active)
    z, tau, log_q = _sample_normal_gamma(problem, kind, mean[on, None], np.sqrt(variance[on, None]), rate[on], n, rng)
    c = rng.normal(centre[0], np.sqrt(centre[1]), n)
    target = c[:, None, None] + (0.0 if nearer is None else nearer[:, on])
    ratio = _log_prior(problem, kind, z, target, tau) - log_q
    if problem.centre_precision is not None:
        ratio += stats.norm.logpdf(c, 0.0, problem.centre_precision**-0.5)
        ratio -= stats.norm.logpdf(c, centre[0], np.sqrt(centre[1]))
    samples = np.zeros((n, len(mean)))
    samples[:, on] = z[:, :, 0]
    return samples, ratio


def _log_likelihood(cells, score, xi):
    log_p = cells.w_pos * log_sigmoid_bound(score, xi) + cells.w_neg * log_sigmoid_bound(-score, xi)
    return log_p.sum(1)


def monte_carlo_bound(problem, state, n, rng):
    """Mean and standard error of log p~(data, theta | xi) - log q(theta) over n samples of all variables."""
    chosen, of_choice = _chosen(problem, state, n, rng) if problem.mixture else ({}, 0.0)
    u, total = _part(problem, state, "u", n, rng, chosen.get("u"))
    v, ratio = _part(problem, state, "v", n, rng, chosen.get("v"))
    total += ratio + of_choice
    nearer, ratio = _bias_categories(problem, state, n, rng, chosen.get("v"))
    total += ratio
    parameters = state.bias_mean, state.bias_var, state.bias_tau_rate, state.bias_centre
    b, ratio = _biases(problem, "bias", problem.active.bias, *parameters, n, rng, nearer)
    cells = problem.cells
    score = np.einsum("ncd,ncd->nc", u[:, cells.i], v[:, cells.j]) + b[:, cells.j]
    total += ratio + _log_likelihood(cells, score, optimal_xi(problem, state))
    known = problem.known
    total += known.u.log(u) + known.v.log(v) + known.bias.log(b)
    zeta = optimal_zeta(problem, state)
    for k, (relation, q) in enumerate(zip(problem.relations, state.relations, strict=True)):
        cells = relation.cells
        x, ratio_x = _factors(problem, relation, q.x_mean, q.x_var, q.x_tau_rate, n, rng)
        y, ratio_y = _factors(problem, relation, q.y_mean, q.y_var, q.y_tau_rate, n, rng)
        parameters = q.r_mean, q.r_var, q.r_tau_rate, q.r_centre
        r, ratio_r = _biases(problem, "relation_bias", problem.active.r[k], *parameters, n, rng)
        W = np.einsum("nmd,nme->nde", x, y)
        left = np.einsum("nid,nde->nie", u, W)
        score = np.einsum("ncd,ncd->nc", left[:, cells.i], v[:, cells.j]) + r[:, cells.j]
        total += ratio_x + ratio_y + ratio_r + _log_likelihood(cells, score, zeta[k])
        total += known.x[k].log(x) + known.y[k].log(y) + known.r[k].log(r)
    return total.mean(), total.std(ddof=1) / np.sqrt(n)


def sample_scores(state, i, j, n, rng, k=None):
    """n samples from q of the score of one pair: co-occurrence, or relation k."""
    u = rng.normal(state.u.mean[i], np.sqrt(state.u.variance[i]), (n, state.u.mean.shape[1]))
    v = rng.normal(state.v.mean[j], np.sqrt(state.v.variance[j]), (n, state.v.mean.shape[1]))
    if k is None:
        return (u * v).sum(1) + rng.normal(state.bias_mean[j], np.sqrt(state.bias_var[j]), n)
    q = state.relations[k]
    score = rng.normal(q.r_mean[j], np.sqrt(q.r_var[j]), n)
    for m in range(len(q.x_mean)):
        x = rng.normal(q.x_mean[m], np.sqrt(q.x_var[m]), u.shape)
        y = rng.normal(q.y_mean[m], np.sqrt(q.y_var[m]), v.shape)
        score += (x * u).sum(1) * (y * v).sum(1)
    return score
