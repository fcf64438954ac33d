"""q(h), Eq. (hu-updates), distances to prior means, and the partition of categories into sets to update in parallel."""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import helper, kernel


@helper
def prior_mean_into(i, parents, target):
    """Write the prior mean that the parents give to node i, sum_n a_in mu_h_n, to `target`."""
    target[:] = 0.0
    for k in range(parents.indptr[i], parents.indptr[i + 1]):
        for d in range(len(target)):
            target[d] += parents.weights[k] * parents.mean[parents.parents[k], d]


@kernel
def parent_moments(nodes, parents, means, variances):
    """Write the means that their parents give to some nodes, and the variances of these, sum_n a_in^2 var_h_n."""
    for position in range(len(nodes)):
        prior_mean_into(nodes[position], parents, means[position])
        spread = 0.0
        for k in range(parents.indptr[nodes[position]], parents.indptr[nodes[position] + 1]):
            spread += parents.weights[k] * parents.weights[k] * parents.variance[parents.parents[k]]
        variances[position] = spread


@kernel
def update_categories(
    first,
    last,
    members,
    nodes,
    category_of,
    entity_active,
    entity_tau,
    category_tau,
    parents,
    own_mean,
    child_indptr,
    child_nodes,
    child_weights,
    shift,
    places,
    centres,
):
    """Update q(h) of the categories members[first:last] in place; none may be a parent or co-parent of another.

    `nodes[c]` is the node of category c, and `category_of[n]` the active category of node n, or -1. A child contributes
    its entity (if that is active) and its own category (if it has one). `shift` (c, t) is what other priors add to the
    prior mean of each category, with no rows if there are none. `centres[places[n]]` is the prior mean that its parents
    give to node n if there are several, and `places[n]` is -1 otherwise; they follow the categories as these move.
    """
    shifted = len(shift) > 0
    t = parents.mean.shape[1]
    linear, step = np.empty(t), np.empty(t)
    for position in range(first, last):
        c = members[position]
        n = nodes[c]
        precision = category_tau[c]
        prior_mean_into(n, parents, step)
        for d in range(t):
            linear[d] = category_tau[c] * (step[d] + shift[c, d] if shifted else step[d])
        for k in range(child_indptr[c], child_indptr[c + 1]):
            m, a = child_nodes[k], child_weights[k]
            own_category, place = category_of[m], places[m]
            tau_entity = entity_tau[m] if entity_active[m] else 0.0
            tau_category = category_tau[own_category] if own_category >= 0 else 0.0
            both = tau_entity + tau_category
            if both == 0.0:
                continue
            precision += a * a * both
            if tau_entity > 0.0:
                for d in range(t):
                    linear[d] += a * tau_entity * own_mean[m, d]
            if tau_category > 0.0:
                for d in range(t):
                    linear[d] += a * tau_category * parents.mean[own_category, d]
                if shifted:
                    for d in range(t):
                        linear[d] -= a * tau_category * shift[own_category, d]
            if place >= 0:
                for d in range(t):
                    linear[d] -= a * both * (centres[place, d] - a * parents.mean[c, d])
        for d in range(t):
            before = parents.mean[c, d]
            parents.mean[c, d] = linear[d] / precision
            step[d] = parents.mean[c, d] - before
        parents.variance[c] = 1.0 / precision
        for k in range(child_indptr[c], child_indptr[c + 1]):
            place, a = places[child_nodes[k]], child_weights[k]
            if place >= 0:
                for d in range(t):
                    centres[place, d] += a * step[d]


@kernel
def distances(first, last, active, own, mean, variance, distance, log_volume):
    """Compute E||u_i - m_i||^2 and sum log var of the active rows first..last-1, given the moments of their m_i."""
    t = own.mean.shape[1]
    for i in range(first, last):
        if not active[i]:
            continue
        total = logs = 0.0
        for d in range(t):
            gap = own.mean[i, d] - mean[i - first, d]
            total += gap * gap + own.variance[i, d]
            logs += np.log(own.variance[i, d])
        distance[i] = total + t * variance[i - first]
        log_volume[i] = logs


@kernel
def category_distances(first, last, active, nodes, parents, shift, shift_variance, distance):
    """Compute E||h_c - m_c||^2 of the active categories first..last-1; `shift` as in `update_categories`."""
    t = parents.mean.shape[1]
    centre = np.empty(t)
    for c in range(first, last):
        if not active[c]:
            continue
        prior_mean_into(nodes[c], parents, centre)
        total, spread = 0.0, np.float64(parents.variance[c])
        for k in range(parents.indptr[nodes[c]], parents.indptr[nodes[c] + 1]):
            spread += parents.weights[k] * parents.weights[k] * parents.variance[parents.parents[k]]
        if len(shift) > 0:
            spread += shift_variance[c]
            for d in range(t):
                centre[d] += shift[c, d]
        for d in range(t):
            gap = parents.mean[c, d] - centre[d]
            total += gap * gap
        distance[c] = total + t * spread


@kernel
def colour_categories(order, nodes, category_of, parent_indptr, parents, child_indptr, child_nodes):
    """Colour categories greedily: each differs from its parents, its children and its children's other parents."""
    n = len(nodes)
    colours = np.full(n, -1, np.int32)
    seen = np.full(n + 1, -1, np.int64)  # seen[colour] == c: a neighbour of category c has this colour
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
    """Return the first row with a mean that is not finite or a variance that is not positive and finite, or -1."""
    for i in range(mean.shape[0]):
        for d in range(mean.shape[1]):
            if not (np.isfinite(mean[i, d]) and variance[i, d] > 0.0 and np.isfinite(variance[i, d])):
                return i
    return -1
