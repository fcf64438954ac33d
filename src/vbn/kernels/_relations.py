"""q(x_mk) and q(y_mk), Eq. (x-update), q(r_jk), Eq. (r_jk-updates), and the relations' log-likelihood.

A relation's cells are given as a list (left, right, weights); `own` is the side whose factor moves.
"""

from __future__ import annotations

import numpy as np

from vbn.kernels._compile import kernel
from vbn.kernels._logistic import cell_bound, curvature
from vbn.kernels._moments import projection_moments, relation_moments


@kernel
def update_factor(
    m, start, stop, left, right, positive, negative, own, other, own_factor, other_factor, tau, bias_of, bias,
):  # fmt: skip
    """Update q(x_m), m in start..stop-1, from all cells of its relation; zeta is that of the block's start.

    `bias_of[cell]` is the column whose bias r the cell carries.
    """
    t, rank, p = own.mean.shape[1], stop - start, m - start
    a_first, c_first = np.empty(rank), np.empty(rank)
    a_second, c_second = np.empty((rank, rank)), np.empty((rank, rank))
    gram, extra, linear = np.zeros((t, t)), np.zeros(t), np.zeros(t)
    for k in range(len(left)):
        i, j = left[k], right[k]
        projection_moments(own.mean, own.variance, i, own_factor.mean, own_factor.variance, start, stop, a_first, a_second)
        projection_moments(
            other.mean, other.variance, j, other_factor.mean, other_factor.variance, start, stop, c_first, c_second
        )
        mean, square = relation_moments(a_first, a_second, c_first, c_second, rank)
        r = np.float64(bias.mean[bias_of[k]])
        square += 2.0 * r * mean + r * r + bias.variance[bias_of[k]]
        slope = 2.0 * curvature(np.sqrt(square)) * (positive[k] + negative[k])
        target = (0.5 * (positive[k] - negative[k]) - slope * r) * c_first[p]
        stiff = slope * c_second[p, p]
        for d in range(t):
            u = np.float64(own.mean[i, d])
            linear[d] += target * u
            extra[d] += stiff * own.variance[i, d]
            for e in range(d + 1):
                gram[d, e] += stiff * u * own.mean[i, e]
        for n in range(rank):
            if n == p:
                continue
            coupling = slope * c_second[p, n]
            for d in range(t):
                x = own_factor.mean[start + n, d]
                linear[d] -= coupling * (own.mean[i, d] * a_first[n] + own.variance[i, d] * x)
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


@kernel
def update_relation_biases(start, stop, left, right, positive, negative, u, v, x, y, tau, bias, active):
    """Update q(r_j) of one relation in place."""
    rank = stop - start
    a_first, c_first = np.empty(rank), np.empty(rank)
    a_second, c_second = np.empty((rank, rank)), np.empty((rank, rank))
    precision = tau.astype(np.float64)
    linear = np.zeros(len(tau))
    for k in range(len(left)):
        i, j = left[k], right[k]
        projection_moments(u.mean, u.variance, i, x.mean, x.variance, start, stop, a_first, a_second)
        projection_moments(v.mean, v.variance, j, y.mean, y.variance, start, stop, c_first, c_second)
        mean, square = relation_moments(a_first, a_second, c_first, c_second, rank)
        r = np.float64(bias.mean[j])
        square += 2.0 * r * mean + r * r + bias.variance[j]
        slope = 2.0 * curvature(np.sqrt(square)) * (positive[k] + negative[k])
        precision[j] += slope
        linear[j] += 0.5 * (positive[k] - negative[k]) - slope * mean
    for j in range(len(tau)):
        if active[j]:
            bias.mean[j] = linear[j] / precision[j]
            bias.variance[j] = 1.0 / precision[j]


@kernel
def relation_likelihood(start, stop, left, right, positive, negative, u, v, x, y, bias):
    """Bounded log-likelihood of one relation's cells at the best zeta."""
    rank = stop - start
    a_first, c_first = np.empty(rank), np.empty(rank)
    a_second, c_second = np.empty((rank, rank)), np.empty((rank, rank))
    total = 0.0
    for k in range(len(left)):
        i, j = left[k], right[k]
        projection_moments(u.mean, u.variance, i, x.mean, x.variance, start, stop, a_first, a_second)
        projection_moments(v.mean, v.variance, j, y.mean, y.variance, start, stop, c_first, c_second)
        mean, square = relation_moments(a_first, a_second, c_first, c_second, rank)
        r = np.float64(bias.mean[j])
        square += 2.0 * r * mean + r * r + bias.variance[j]
        total += cell_bound(mean + r, np.sqrt(square), positive[k], negative[k])
    return total
