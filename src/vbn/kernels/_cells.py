"""What needs one pass over the co-occurrence cells: q(b_j), Eq. (bj-updates), and the bounded log-likelihood."""

from __future__ import annotations

import numpy as np

from vbn.kernels._compile import kernel
from vbn.kernels._logistic import cell_bound, curvature
from vbn.kernels._moments import dot_moments, load_row
from vbn.kernels._prefetch import AHEAD, prefetch_row


@kernel
def update_biases(first, last, active, cells, own, other, prior_precision, prior_linear, bias):
    """Update q(b_j) of the active columns first..last-1 in place; `own` are the v's, `other` the u's.

    The prior comes as natural parameters: precision, and precision times mean.
    """
    t = own.mean.shape[1]
    dtype = own.mean.dtype
    row = np.empty(t, dtype), np.empty(t, dtype), np.empty(t, dtype)
    for j in range(first, last):
        if not active[j]:
            continue
        load_row(own, j, row)
        precision, linear = prior_precision[j], prior_linear[j]
        for k in range(cells.indptr[j], cells.indptr[j + 1]):
            soon = cells.indices[min(k + AHEAD, len(cells.indices) - 1)]
            prefetch_row(other.mean, soon)
            prefetch_row(other.variance, soon)
            dot, variance = dot_moments(row[0], row[1], row[2], other.mean, other.variance, cells.indices[k])
            mean = dot + bias.mean[j]
            variance += bias.variance[j]
            weight = cells.positive[k] + cells.negative[k]
            slope = 2.0 * curvature(np.sqrt(mean * mean + variance)) * weight
            precision += slope
            linear += 0.5 * (cells.positive[k] - cells.negative[k]) - slope * dot
        bias.mean[j] = linear / precision
        bias.variance[j] = 1.0 / precision


@kernel
def cell_likelihood(first, last, cells, own, other, bias, result):
    """Bounded log-likelihood of the cells of each column first..last-1, at the best xi, into `result`."""
    t = own.mean.shape[1]
    dtype = own.mean.dtype
    row = np.empty(t, dtype), np.empty(t, dtype), np.empty(t, dtype)
    for j in range(first, last):
        load_row(own, j, row)
        total = 0.0
        for k in range(cells.indptr[j], cells.indptr[j + 1]):
            soon = cells.indices[min(k + AHEAD, len(cells.indices) - 1)]
            prefetch_row(other.mean, soon)
            prefetch_row(other.variance, soon)
            mean, variance = dot_moments(row[0], row[1], row[2], other.mean, other.variance, cells.indices[k])
            mean += bias.mean[j]
            variance += bias.variance[j]
            total += cell_bound(mean, np.sqrt(mean * mean + variance), cells.positive[k], cells.negative[k])
        result[j] = total
