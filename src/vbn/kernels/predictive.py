"""Moments of scores for prediction: pairs, one row against all columns, and relation scores."""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import kernel
from vbn.kernels.moments import dot_moments, load_row, projection_moments, relation_moments


@kernel
def pair_moments(first, last, rows, columns, u, v, bias, mean, variance):
    """Mean and variance of u_i.v_j + b_j for the pairs first..last-1."""
    dtype = u.mean.dtype
    t = u.mean.shape[1]
    row = np.empty(t, dtype), np.empty(t, dtype), np.empty(t, dtype)
    for k in range(first, last):
        load_row(u, rows[k], row)
        j = columns[k]
        m, s = dot_moments(row[0], row[1], row[2], v.mean, v.variance, j)
        mean[k] = m + bias.mean[j]
        variance[k] = s + bias.variance[j]


@kernel
def relation_pair_moments(first, last, start, stop, rows, columns, u, v, x, y, bias, mean, variance):
    """Mean and variance of a relation's score u X^T Y v + r for the pairs first..last-1."""
    rank = stop - start
    a_first, c_first = np.empty(rank), np.empty(rank)
    a_second, c_second = np.empty((rank, rank)), np.empty((rank, rank))
    before = -1
    for k in range(first, last):
        i, j = rows[k], columns[k]
        if i != before:
            projection_moments(u.mean, u.variance, i, x.mean, x.variance, start, stop, a_first, a_second)
            before = i
        projection_moments(v.mean, v.variance, j, y.mean, y.variance, start, stop, c_first, c_second)
        m, square = relation_moments(a_first, a_second, c_first, c_second, rank)
        mean[k] = m + bias.mean[j]
        variance[k] = square - m * m + bias.variance[j]
