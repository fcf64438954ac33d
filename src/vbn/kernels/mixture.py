"""Entities that one of their parents explains: responsibilities, the moments they give, and q(h) given them.

The responsibility of parent n for entity i is r_in = a_in exp(s_in) / sum_m a_im exp(s_im), with the weights a of the
taxonomy and the log evidence s of the entity's densities. Any finite s is valid, and s = 0 where there is no data.
"""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import helper, kernel
from vbn.kernels.hierarchy import prior_mean_into


@helper
def _scale(begin, end, weights, support):
    """Return the largest s of the edges begin..end-1, and the sum of a exp(s - largest)."""
    largest, total = -np.inf, 0.0
    for k in range(begin, end):
        largest = max(largest, support[k])
    for k in range(begin, end):
        total += weights[k] * np.exp(support[k] - largest)
    return largest, total


@kernel
def responsibilities(indptr, weights, support, target):
    """Write the responsibility of every parent of every node, by edge."""
    for i in range(len(indptr) - 1):
        largest, total = _scale(indptr[i], indptr[i + 1], weights, support)
        for k in range(indptr[i], indptr[i + 1]):
            target[k] = weights[k] * np.exp(support[k] - largest) / total


@kernel
def mixture_moments(nodes, parents, support, means, spreads, variances):
    """Write the moments of the means that parents give to some nodes, if one of the parents is the right one.

    `spreads` gets the variance between the parents in each dimension, and `variances` the mean of the total variance
    over the dimensions: sum_n r_in (var_h_n + |mu_h_n - mean|^2 / t).
    """
    t = means.shape[1]
    for position in range(len(nodes)):
        i = nodes[position]
        largest, total = _scale(parents.indptr[i], parents.indptr[i + 1], parents.weights, support)
        means[position], spreads[position] = 0.0, 0.0
        within = between = 0.0
        for k in range(parents.indptr[i], parents.indptr[i + 1]):
            r = parents.weights[k] * np.exp(support[k] - largest) / total
            within += r * parents.variance[parents.parents[k]]
            for d in range(t):
                means[position, d] += r * parents.mean[parents.parents[k], d]
        for k in range(parents.indptr[i], parents.indptr[i + 1]):
            r = parents.weights[k] * np.exp(support[k] - largest) / total
            for d in range(t):
                gap = parents.mean[parents.parents[k], d] - means[position, d]
                spreads[position, d] += r * gap * gap
        for d in range(t):
            between += spreads[position, d]
        variances[position] = within + between / t


@kernel
def add_support(first, last, active, own_mean, tau, parents, support):
    """Add the log evidence of a block, -E[tau_i] E|z_i - h_n|^2 / 2 up to a constant, for the edges of active rows."""
    t = own_mean.shape[1]
    for i in range(first, last):
        if not active[i]:
            continue
        for k in range(parents.indptr[i], parents.indptr[i + 1]):
            n = parents.parents[k]
            distance = t * np.float64(parents.variance[n])
            for d in range(t):
                gap = own_mean[i, d] - parents.mean[n, d]
                distance += gap * gap
            support[k] -= 0.5 * tau[i] * distance


@kernel
def centre_support(first, last, indptr, support):
    """Subtract the largest s of every row from the others, which changes no responsibility."""
    for i in range(first, last):
        largest = -np.inf
        for k in range(indptr[i], indptr[i + 1]):
            largest = max(largest, support[k])
        for k in range(indptr[i], indptr[i + 1]):
            support[k] -= largest


@kernel
def update_chosen_categories(
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
    shares,
):
    """Update q(h) of the categories members[first:last] in place, as `update_categories` does, for a mixture.

    A child contributes its entity by its responsibility, whatever its other parents are; categories have the weighted
    mean of their parents as prior mean here too. `shares` are the responsibilities by edge.
    """
    shifted = len(shift) > 0
    t = parents.mean.shape[1]
    linear, rest = np.empty(t), np.empty(t)
    for position in range(first, last):
        c = members[position]
        precision = category_tau[c]
        prior_mean_into(nodes[c], parents, rest)
        for d in range(t):
            linear[d] = category_tau[c] * (rest[d] + shift[c, d] if shifted else rest[d])
        for j in range(child_indptr[c], child_indptr[c + 1]):
            m, a = child_nodes[j], child_weights[j]
            if entity_active[m]:
                held = 0.0
                for k in range(parents.indptr[m], parents.indptr[m + 1]):
                    if parents.parents[k] == c:
                        held = shares[k] * entity_tau[m]
                precision += held
                for d in range(t):
                    linear[d] += held * own_mean[m, d]
            own_category = category_of[m]
            if own_category >= 0:
                tau = category_tau[own_category]
                precision += a * a * tau
                prior_mean_into(m, parents, rest)
                for d in range(t):
                    others = rest[d] - a * parents.mean[c, d]
                    if shifted:
                        others += shift[own_category, d]
                    linear[d] += a * tau * (parents.mean[own_category, d] - others)
        for d in range(t):
            parents.mean[c, d] = linear[d] / precision
        parents.variance[c] = 1.0 / precision
