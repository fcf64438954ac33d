"""One function for every block of coordinate ascent. All change the state in place.

`xi` and `zeta` are those at the start of the block unless they are given.
"""

from dataclasses import dataclass

import numpy as np

from tests.twin.moments import (
    bias_category_distance,
    bias_distance,
    bias_gap,
    bias_prior,
    category_distance,
    chosen_edges,
    entity_bias_prior,
    entity_distance,
    entity_gap,
    entity_prior_mean,
    jaakkola_lambda,
    optimal_xi,
    optimal_zeta,
    prior_mean,
    projection_moments,
    relation_score_moments,
)


@dataclass
class View:
    """One side seen as "own" and the other as "other", so that u and v share their code."""

    own: object
    other: object
    own_index: object
    other_index: object
    own_factors: object
    other_factors: object


def _x(q):
    return q.x_mean, q.x_var


def _y(q):
    return q.y_mean, q.y_var


def view(state, name):
    """The view from "u" or from "v"."""
    if name == "u":
        return View(state.u, state.v, lambda cells: cells.i, lambda cells: cells.j, _x, _y)
    return View(state.v, state.u, lambda cells: cells.j, lambda cells: cells.i, _y, _x)


def _curvature(cells, xi):
    """L = 2 lambda(xi) (w+ + w-) of every cell."""
    return 2 * jaakkola_lambda(xi) * cells.weight


@dataclass
class CoOccurrence:
    """What the co-occurrence cells of one entity say: one entry per cell."""

    L: np.ndarray
    g: np.ndarray
    mean: np.ndarray
    variance: np.ndarray
    bias: np.ndarray


def _co_occurrence(problem, state, look, node, xi):
    cells = problem.cells
    mine = np.flatnonzero(look.own_index(cells) == node)
    other = look.other_index(cells)[mine]
    L = _curvature(cells, xi)[mine]
    mean, variance = look.other.mean[other], look.other.variance[other]
    return CoOccurrence(L, cells.signed[mine], mean, variance, state.bias_mean[cells.j[mine]])


@dataclass
class RelationMessage:
    """What one relation says to one entity: S (t_k, t_k), l (t_k,) and its own side's factors."""

    S: np.ndarray
    linear: np.ndarray
    factor_mean: np.ndarray
    factor_var: np.ndarray


def _relation_messages(problem, state, look, node, zeta):
    messages = []
    for k, (relation, q) in enumerate(zip(problem.relations, state.relations, strict=True)):
        cells, rank = relation.cells, relation.rank
        L, g = _curvature(cells, zeta[k]), cells.signed
        S, linear = np.zeros((rank, rank)), np.zeros(rank)
        for cell in np.flatnonzero(look.own_index(cells) == node):
            other = look.other_index(cells)[[cell]]
            mean, variance = look.other.mean[other], look.other.variance[other]
            c, cc = projection_moments(*look.other_factors(q), mean, variance)
            S += L[cell] * cc[0]
            linear += (g[cell] - L[cell] * q.r_mean[cells.j[cell]]) * c[0]
        messages.append(RelationMessage(S, linear, *look.own_factors(q)))
    return messages


def _coordinate_pass(mean, tau, target, known, pairs, messages):
    """One pass over the coordinates of one entity; returns its new mean and variance.

    `known` is the precision and the linear term that earlier data adds to each coordinate.
    """
    mean, variance = mean.copy(), np.empty_like(mean)
    xbar = pairs.mean @ mean + pairs.bias
    z = [message.factor_mean @ mean for message in messages]
    for d in range(len(mean)):
        old, mu = mean[d], pairs.mean[:, d]
        precision = tau + known[0][d] + np.sum(pairs.L * (mu**2 + pairs.variance[:, d]))
        numerator = tau * target[d] + known[1][d] + np.sum(mu * (pairs.g - pairs.L * (xbar - old * mu)))
        for message, z_k in zip(messages, z, strict=True):
            X_d, S = message.factor_mean[:, d], message.S
            precision += X_d @ S @ X_d + np.diag(S) @ message.factor_var[:, d]
            numerator += X_d @ (message.linear - S @ (z_k - old * X_d))
        mean[d], variance[d] = numerator / precision, 1 / precision
        xbar += (mean[d] - old) * mu
        for message, z_k in zip(messages, z, strict=True):
            z_k += (mean[d] - old) * message.factor_mean[:, d]
    return mean, variance


def update_entities(problem, state, name, xi=None, zeta=None):
    """One coordinate pass for every active u ("u") or v ("v")."""
    xi = optimal_xi(problem, state) if xi is None else xi
    zeta = optimal_zeta(problem, state) if zeta is None else zeta
    look = view(state, name)
    own, sites = look.own, problem.known.u if name == "u" else problem.known.v
    for node in np.flatnonzero(problem.active.entities(name)):
        tau = problem.shape("entity") / own.tau_rate[node]
        target = entity_prior_mean(problem, state, name, node)
        pairs = _co_occurrence(problem, state, look, node, xi)
        messages = _relation_messages(problem, state, look, node, zeta)
        known = sites.precision[node], sites.linear[node]
        own.mean[node], own.variance[node] = _coordinate_pass(own.mean[node], tau, target, known, pairs, messages)


def update_u(problem, state, xi=None, zeta=None):
    """One coordinate pass for every active u."""
    update_entities(problem, state, "u", xi, zeta)


def update_v(problem, state, xi=None, zeta=None):
    """One coordinate pass for every active v."""
    update_entities(problem, state, "v", xi, zeta)


def update_h(problem, state, name, node):
    """The category density of one node, Eq. hu-updates with weights a_in."""
    taxonomy, part, active = problem.taxonomy(name), state.part(name), problem.active
    tau = problem.shape("category") / part.category_tau_rate[node]
    precision = tau
    numerator = tau * prior_mean(taxonomy, part, node)
    for child in taxonomy.children[node]:
        edges = dict(taxonomy.edges(child))
        weight = edges.pop(node)
        others = sum((a * part.category_mean[n] for n, a in edges.items()), np.zeros(problem.dim))
        shift = np.zeros(problem.dim) if part.content is None else part.content.shift(child)
        others = others + shift
        if active.entities(name)[child] and problem.mixture:
            held = (
                dict(chosen_edges(problem, state, name, child))[node] * problem.shape("entity") / part.tau_rate[child]
            )
            precision += held
            numerator = numerator + held * (part.mean[child] - shift)
        elif active.entities(name)[child]:
            tau_child = problem.shape("entity") / part.tau_rate[child]
            precision += tau_child * weight**2
            numerator = numerator + tau_child * weight * (part.mean[child] - others)
        if active.categories(name)[child]:
            tau_child = problem.shape("category") / part.category_tau_rate[child]
            precision += tau_child * weight**2
            numerator = numerator + tau_child * weight * (part.category_mean[child] - others)
    part.category_mean[node] = numerator / precision
    part.category_variance[node] = 1 / precision


def update_bias(problem, state, xi=None):
    """The biases of all active columns."""
    xi = optimal_xi(problem, state) if xi is None else xi
    cells, sites = problem.cells, problem.known.bias
    L = _curvature(cells, xi)
    product = (state.u.mean[cells.i] * state.v.mean[cells.j]).sum(1)
    for j in np.flatnonzero(problem.active.bias):
        mine = cells.j == j
        tau = problem.shape("bias") / state.bias_tau_rate[j]
        precision = tau + sites.precision[j] + L[mine].sum()
        pull = sites.linear[j] + (cells.signed[mine] - L[mine] * product[mine]).sum()
        target = state.bias_centre[0] + entity_bias_prior(problem, state, j)
        state.bias_mean[j] = (tau * target + pull) / precision
        state.bias_var[j] = 1 / precision


def update_g(problem, state, node):
    """The bias of the category of one node: what its parents and its children say, as for h."""
    taxonomy, active = problem.col_taxonomy, problem.active
    tau = problem.shape("bias") / state.g_tau_rate[node]
    precision, numerator = tau, tau * bias_prior(problem, state, node)[0]
    for child in taxonomy.children[node]:
        edges = dict(taxonomy.edges(child))
        weight = edges.pop(node)
        others = sum(a * state.g_mean[n] for n, a in edges.items())
        shift = 0.0 if state.bias_content is None else state.bias_content.shift(child)[0]
        others += shift
        heard = []
        if active.bias[child] and problem.mixture:
            r = dict(chosen_edges(problem, state, "v", child))[node]
            held = r * problem.shape("bias") / state.bias_tau_rate[child]
            precision += held
            numerator += held * (state.bias_mean[child] - state.bias_centre[0] - shift)
        elif active.bias[child]:
            heard.append((state.bias_tau_rate[child], state.bias_mean[child] - state.bias_centre[0]))
        if active.h_v[child]:
            heard.append((state.g_tau_rate[child], state.g_mean[child]))
        for rate, value in heard:
            tau_child = problem.shape("bias") / rate
            precision += tau_child * weight**2
            numerator += tau_child * weight * (value - others)
    state.g_mean[node], state.g_var[node] = numerator / precision, 1 / precision


def update_chosen(problem, state, name):
    """Which parent explains each entity: u, v and b of the same entity have one choice."""
    taxonomy, active = problem.taxonomy(name), problem.active
    shape, bias_shape = problem.shape("entity"), problem.shape("bias")
    for node in range(len(taxonomy)):
        if not taxonomy.parents[node]:
            continue
        logs = np.log(taxonomy.weights[node])
        for at, n in enumerate(taxonomy.parents[node]):
            for part in ("u", "v") if problem.shared else (name,):
                if active.entities(part)[node]:
                    tau = shape / state.part(part).tau_rate[node]
                    logs[at] -= tau / 2 * entity_gap(problem, state, part, node, n)
            if (problem.shared or name == "v") and active.bias[node] and problem.nested_biases:
                logs[at] -= bias_shape / state.bias_tau_rate[node] / 2 * bias_gap(problem, state, node, n)
        r = np.exp(logs - logs.max())
        state.chosen(name)[node] = r / r.sum()


def update_r(problem, state, k, zeta=None):
    """The biases of relation k, of all active columns."""
    zeta = optimal_zeta(problem, state) if zeta is None else zeta
    cells, q, sites = problem.relations[k].cells, state.relations[k], problem.known.r[k]
    L = _curvature(cells, zeta[k])
    mean, _ = relation_score_moments(problem, state, k, cells.i, cells.j)
    product = mean - q.r_mean[cells.j]
    for j in np.flatnonzero(problem.active.r[k]):
        mine = cells.j == j
        tau = problem.shape("relation_bias") / q.r_tau_rate[j]
        precision = tau + sites.precision[j] + L[mine].sum()
        pull = sites.linear[j] + (cells.signed[mine] - L[mine] * product[mine]).sum()
        q.r_mean[j] = (tau * q.r_centre[0] + pull) / precision
        q.r_var[j] = 1 / precision


def _update_centre(problem, kind, active, mean, rate, centre):
    """The common mean of biases: precisions add up, and so do their pulls."""
    if problem.centre_precision is None:
        return
    tau = problem.shape(kind) / rate[active]
    precision = problem.centre_precision + tau.sum()
    centre[:] = (tau @ mean[active]) / precision, 1 / precision


def update_bias_centre(problem, state):
    """The common mean of the b_j."""
    nearer = np.array([entity_bias_prior(problem, state, j) for j in range(problem.n_cols)])
    parameters = state.bias_mean - nearer, state.bias_tau_rate, state.bias_centre
    _update_centre(problem, "bias", problem.active.bias, *parameters)


def update_r_centre(problem, state, k):
    """The common mean of the r_jk of relation k."""
    q = state.relations[k]
    parameters = q.r_mean, q.r_tau_rate, q.r_centre
    _update_centre(problem, "relation_bias", problem.active.r[k], *parameters)


def shift_r(problem, state, k, zeta=None):
    """All active biases of relation k and their common mean, by the same step."""
    if problem.centre_precision is None:
        return
    zeta = optimal_zeta(problem, state) if zeta is None else zeta
    cells, q, sites, on = problem.relations[k].cells, state.relations[k], problem.known.r[k], problem.active.r[k]
    L, kappa = _curvature(cells, zeta[k]), problem.centre_precision
    mean, _ = relation_score_moments(problem, state, k, cells.i, cells.j)
    pull = np.sum(cells.signed - L * mean) + np.sum((sites.linear - sites.precision * q.r_mean)[on])
    step = (pull - kappa * q.r_centre[0]) / (L.sum() + sites.precision[on].sum() + kappa)
    q.r_mean[on] += step
    q.r_centre[0] += step


def _update_factor(problem, state, name, k, m, zeta):
    """One coordinate pass for x_m (name "u") or y_m (name "v") of relation k."""
    zeta = optimal_zeta(problem, state) if zeta is None else zeta
    look, q, cells = view(state, name), state.relations[k], problem.relations[k].cells
    factor_mean, factor_var = look.own_factors(q)
    rate = q.x_tau_rate[m] if name == "u" else q.y_tau_rate[m]
    tau = problem.shape("relation_factor") / rate
    sites = problem.known.x[k] if name == "u" else problem.known.y[k]
    L, g, r = _curvature(cells, zeta[k]), cells.signed, q.r_mean[cells.j]
    own, other = look.own_index(cells), look.other_index(cells)
    mu, var = look.own.mean[own], look.own.variance[own]
    c, cc = projection_moments(*look.other_factors(q), look.other.mean[other], look.other.variance[other])
    others = [n for n in range(len(factor_mean)) if n != m]
    target = problem.relations[k].prior_mean(m, problem.dim)
    for d in range(problem.dim):
        x = factor_mean[m]
        precision = tau + sites.precision[m, d] + np.sum(L * cc[:, m, m] * (mu[:, d] ** 2 + var[:, d]))
        numerator = (g - L * r) * c[:, m] * mu[:, d]
        for n in others:
            x_n = factor_mean[n]
            numerator = numerator - L * cc[:, m, n] * (mu[:, d] * (mu @ x_n) + var[:, d] * x_n[d])
        numerator = numerator - L * cc[:, m, m] * mu[:, d] * (mu @ x - mu[:, d] * x[d])
        factor_mean[m, d] = (tau * target[d] + numerator.sum() + sites.linear[m, d]) / precision
        factor_var[m, d] = 1 / precision


def update_x(problem, state, k, m, zeta=None):
    """One coordinate pass for x_m of relation k."""
    _update_factor(problem, state, "u", k, m, zeta)


def update_y(problem, state, k, m, zeta=None):
    """One coordinate pass for y_m of relation k."""
    _update_factor(problem, state, "v", k, m, zeta)


def update_tau_entities(problem, state, name):
    """The precisions of all active u or v."""
    part = state.part(name)
    for node in np.flatnonzero(problem.active.entities(name)):
        part.tau_rate[node] = problem.beta["entity"] + entity_distance(problem, state, name, node) / 2


def update_tau_categories(problem, state, name):
    """The precisions of all active h^u or h^v."""
    part = state.part(name)
    for node in np.flatnonzero(problem.active.categories(name)):
        distance = category_distance(problem, state, name, node)
        part.category_tau_rate[node] = problem.beta["category"] + distance / 2


def update_tau_bias(problem, state):
    """The precisions of all active biases."""
    for j in np.flatnonzero(problem.active.bias):
        state.bias_tau_rate[j] = problem.beta["bias"] + bias_distance(problem, state, j) / 2


def update_tau_g(problem, state):
    """The precisions of the biases of all active categories."""
    for node in np.flatnonzero(problem.bias_categories):
        state.g_tau_rate[node] = problem.beta["bias"] + bias_category_distance(problem, state, node) / 2


def _factor_rate(problem, k, mean, variance):
    target = np.array([problem.relations[k].prior_mean(m, problem.dim) for m in range(len(mean))])
    return problem.beta["relation_factor"] + ((mean - target) ** 2 + variance).sum(1) / 2


def update_tau_x(problem, state, k):
    """The precisions of all x_m of relation k."""
    q = state.relations[k]
    q.x_tau_rate[:] = _factor_rate(problem, k, q.x_mean, q.x_var)


def update_tau_y(problem, state, k):
    """The precisions of all y_m of relation k."""
    q = state.relations[k]
    q.y_tau_rate[:] = _factor_rate(problem, k, q.y_mean, q.y_var)


def update_tau_r(problem, state, k):
    """The precisions of all active biases of relation k."""
    q, on = state.relations[k], problem.active.r[k]
    second = (q.r_mean - q.r_centre[0]) ** 2 + q.r_var + q.r_centre[1]
    q.r_tau_rate[on] = problem.beta["relation_bias"] + second[on] / 2
