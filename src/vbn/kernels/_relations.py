"""q(x_mk) and q(y_mk), Eq. (x-update), q(r_jk), Eq. (r_jk-updates), and the relations' log-likelihood.

A relation's cells are a list of (left, right, weights), where entities go by their place among those that occur in it;
the moments of their projections on the relation's factors are computed once for each entity, not for each cell.
"""

from __future__ import annotations

import numpy as np

from vbn.kernels._compile import helper, kernel
from vbn.kernels._logistic import cell_bound, curvature
from vbn.kernels._moments import projection_moments, relation_moments


@kernel
def project(ids, entities, factor, start, stop, first, second):
    """Moments of the projections x_m.u of entities, m in start..stop-1, into (n, rank) and (n, rank, rank)."""
    for position in range(len(ids)):
        projection_moments(
            entities.mean, entities.variance, ids[position], factor.mean, factor.variance, start, stop,
            first[position], second[position],
        )  # fmt: skip


@helper
def _reproject(ids, entities, factor, start, stop, m, first, second):
    """Renew what depends on x_m after it has moved."""
    t, p = entities.mean.shape[1], m - start
    for position in range(len(ids)):
        i = ids[position]
        total = 0.0
        for d in range(t):
            total += np.float64(factor.mean[m, d]) * entities.mean[i, d]
        first[position, p] = total
        for n in range(stop - start):
            total = 0.0
            for d in range(t):
                total += np.float64(entities.variance[i, d]) * factor.mean[m, d] * factor.mean[start + n, d]
            if n == p:
                for d in range(t):
                    square = np.float64(entities.mean[i, d]) * entities.mean[i, d] + entities.variance[i, d]
                    total += factor.variance[m, d] * square
            total += first[position, p] * first[position, n]
            second[position, p, n] = second[position, n, p] = total


@kernel
def update_factor(
    m, start, stop, left, right, positive, negative, own_ids, own, own_factor, tau, evidence, bias_of, bias,
    a_first, a_second, c_first, c_second,
):  # fmt: skip
    """Update q(x_m), m in start..stop-1, from all cells of its relation; zeta is that of the block's start.

    Cells refer to entities by their place in `own_ids` (left) and among the other side's (right); `bias_of[cell]` is
    the column whose bias r the cell carries. `evidence` is that of all factors. `a_*` are the projections of the own
    side, which are renewed, `c_*` those of the other.
    """
    t, rank, p = own.mean.shape[1], stop - start, m - start
    gram, extra, linear = np.zeros((t, t)), np.zeros(t), np.zeros(t)
    if len(evidence.precision) > 0:
        for d in range(t):
            extra[d] = evidence.precision[m, d]
            linear[d] = evidence.linear[m, d]
    spread, shift = np.zeros(len(own_ids)), np.zeros((len(own_ids), rank))
    pull = np.zeros(len(own_ids))
    for k in range(len(left)):
        i, j = left[k], right[k]
        mean, square = relation_moments(a_first[i], a_second[i], c_first[j], c_second[j], rank)
        r = np.float64(bias.mean[bias_of[k]])
        square += 2.0 * r * mean + r * r + bias.variance[bias_of[k]]
        slope = 2.0 * curvature(np.sqrt(square)) * (positive[k] + negative[k])
        pull[i] += (0.5 * (positive[k] - negative[k]) - slope * r) * c_first[j, p]
        spread[i] += slope * c_second[j, p, p]
        for n in range(rank):
            shift[i, n] += slope * c_second[j, p, n]
    for position in range(len(own_ids)):
        i, stiff = own_ids[position], spread[position]
        target = pull[position]
        for n in range(rank):
            if n != p:
                target -= shift[position, n] * a_first[position, n]
        for d in range(t):
            u = np.float64(own.mean[i, d])
            linear[d] += target * u
            extra[d] += stiff * own.variance[i, d]
            for e in range(d + 1):
                gram[d, e] += stiff * u * own.mean[i, e]
        for n in range(rank):
            if n != p:
                for d in range(t):
                    linear[d] -= shift[position, n] * own.variance[i, d] * own_factor.mean[start + n, d]
    for d in range(t):
        for e in range(d):
            gram[e, d] = gram[d, e]
    for d in range(t):
        coupled = -gram[d, d] * own_factor.mean[m, d]
        for e in range(t):
            coupled += gram[d, e] * own_factor.mean[m, e]
        precision = tau + gram[d, d] + extra[d]
        own_factor.mean[m, d] = (linear[d] - coupled) / precision
        own_factor.variance[m, d] = 1.0 / precision
    _reproject(own_ids, own, own_factor, start, stop, m, a_first, a_second)


@kernel
def update_relation_biases(
    left, right, columns, positive, negative, a_first, a_second, c_first, c_second, prior_precision, prior_linear,
    bias, active,
):  # fmt: skip
    """Update q(r_j) of one relation in place; `columns[cell]` is the cell's column j, the prior as for `b`."""
    rank = a_first.shape[1]
    precision, linear = prior_precision.copy(), prior_linear.copy()
    for k in range(len(left)):
        i, j, column = left[k], right[k], columns[k]
        mean, square = relation_moments(a_first[i], a_second[i], c_first[j], c_second[j], rank)
        r = np.float64(bias.mean[column])
        square += 2.0 * r * mean + r * r + bias.variance[column]
        slope = 2.0 * curvature(np.sqrt(square)) * (positive[k] + negative[k])
        precision[column] += slope
        linear[column] += 0.5 * (positive[k] - negative[k]) - slope * mean
    for column in range(len(precision)):
        if active[column]:
            bias.mean[column] = linear[column] / precision[column]
            bias.variance[column] = 1.0 / precision[column]


@kernel
def relation_likelihood(left, right, columns, positive, negative, a_first, a_second, c_first, c_second, bias):
    """Bounded log-likelihood of one relation's cells at the best zeta."""
    rank = a_first.shape[1]
    total = 0.0
    for k in range(len(left)):
        i, j, column = left[k], right[k], columns[k]
        mean, square = relation_moments(a_first[i], a_second[i], c_first[j], c_second[j], rank)
        r = np.float64(bias.mean[column])
        square += 2.0 * r * mean + r * r + bias.variance[column]
        total += cell_bound(mean + r, np.sqrt(square), positive[k], negative[k])
    return total
