"""q(h), Eq. (hu-updates), prior distances, and the partition of the categories into sets that can move together."""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import helper, kernel


@helper
def prior_mean_into(i, prior, target):
    """The mean that the parents of node i give it: sum_n a_in mu_h_n."""
    target[:] = 0.0
    for k in range(prior.indptr[i], prior.indptr[i + 1]):
        for d in range(len(target)):
            target[d] += prior.weights[k] * prior.category_mean[prior.parents[k], d]


@kernel
def update_categories(
    first, last, members, nodes, category_of, entity_active, category_tau, prior, own_mean,
    child_indptr, child_nodes, child_weights,
):  # fmt: skip
    """Update q(h) of the categories members[first:last] in place; they must not be parents or co-parents of each other.

    `nodes[c]` is the node of category c and `category_of[n]` the active category of node n or -1. A child counts with
    its entity (if that is modelled) and with its own category (if it has one).
    """
    t = prior.category_mean.shape[1]
    linear, rest = np.empty(t), np.empty(t)
    for position in range(first, last):
        c = members[position]
        n = nodes[c]
        precision = category_tau[c]
        prior_mean_into(n, prior, rest)
        for d in range(t):
            linear[d] = category_tau[c] * rest[d]
        for k in range(child_indptr[c], child_indptr[c + 1]):
            m, a = child_nodes[k], child_weights[k]
            own_category = category_of[m]
            tau_entity = prior.tau[m] if entity_active[m] else 0.0
            tau_category = category_tau[own_category] if own_category >= 0 else 0.0
            if tau_entity + tau_category == 0.0:
                continue
            precision += a * a * (tau_entity + tau_category)
            prior_mean_into(m, prior, rest)
            for d in range(t):
                others = rest[d] - a * prior.category_mean[c, d]
                if tau_entity > 0.0:
                    linear[d] += a * tau_entity * (own_mean[m, d] - others)
                if tau_category > 0.0:
                    linear[d] += a * tau_category * (prior.category_mean[own_category, d] - others)
        for d in range(t):
            prior.category_mean[c, d] = linear[d] / precision
        prior.category_variance[c] = 1.0 / precision


@kernel
def entity_distances(first, last, active, own, prior, distance, log_volume):
    """E||u_i - m_i||^2 and sum log var of the active rows first..last-1."""
    t = own.mean.shape[1]
    centre = np.empty(t)
    for i in range(first, last):
        if not active[i]:
            continue
        prior_mean_into(i, prior, centre)
        total = logs = spread = 0.0
        for k in range(prior.indptr[i], prior.indptr[i + 1]):
            spread += prior.weights[k] * prior.weights[k] * prior.category_variance[prior.parents[k]]
        for d in range(t):
            gap = own.mean[i, d] - centre[d]
            total += gap * gap + own.variance[i, d]
            logs += np.log(own.variance[i, d])
        distance[i] = total + t * spread
        log_volume[i] = logs


@kernel
def category_distances(first, last, active, nodes, prior, distance):
    """E||h_c - m_c||^2 of the active categories first..last-1."""
    t = prior.category_mean.shape[1]
    centre = np.empty(t)
    for c in range(first, last):
        if not active[c]:
            continue
        prior_mean_into(nodes[c], prior, centre)
        total, spread = 0.0, np.float64(prior.category_variance[c])
        for k in range(prior.indptr[nodes[c]], prior.indptr[nodes[c] + 1]):
            spread += prior.weights[k] * prior.weights[k] * prior.category_variance[prior.parents[k]]
        for d in range(t):
            gap = prior.category_mean[c, d] - centre[d]
            total += gap * gap
        distance[c] = total + t * spread


@kernel
def colour_categories(order, nodes, category_of, parent_indptr, parents, child_indptr, child_nodes):
    """Greedy proper colouring: a category differs from its parents, its children and its children's other parents."""
    n = len(nodes)
    colours = np.full(n, -1, np.int32)
    seen = np.full(n + 1, -1, np.int64)  # seen[colour] == c: taken around category c
    for position in range(len(order)):
        c = order[position]
        for k in range(parent_indptr[nodes[c]], parent_indptr[nodes[c] + 1]):
            if colours[parents[k]] >= 0:
                seen[colours[parents[k]]] = c
        for k in range(child_indptr[c], child_indptr[c + 1]):
            m = child_nodes[k]
            own = category_of[m]
            if own >= 0 and colours[own] >= 0:
                seen[colours[own]] = c
            for q in range(parent_indptr[m], parent_indptr[m + 1]):
                if colours[parents[q]] >= 0:
                    seen[colours[parents[q]]] = c
        colour = 0
        while seen[colour] == c:
            colour += 1
        colours[c] = colour
    return colours


@kernel
def first_not_finite(mean, variance):
    """The first row with a mean that is not finite or a variance that is not positive, or -1."""
    for i in range(mean.shape[0]):
        for d in range(mean.shape[1]):
            if not (np.isfinite(mean[i, d]) and variance[i, d] > 0.0 and np.isfinite(variance[i, d])):
                return i
    return -1
