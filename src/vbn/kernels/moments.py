"""Moments of scores: u.v + b of a co-occurrence cell, and the projections a = X u and c = Y v of a relation."""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import helper


@helper
def load_row(own, i, row):
    """Copy row i to the buffers (mean, E[u^2], variance), which every cell of the row reads."""
    mean, second, variance = row
    for d in range(len(mean)):
        mean[d] = own.mean[i, d]
        variance[d] = own.variance[i, d]
        second[d] = mean[d] * mean[d] + variance[d]


@helper
def dot_moments(own_mean, own_second, own_variance, other_mean, other_variance, j):
    """Return mean and variance of u.v_j: Var = sum E[u^2] var_v + var_u mu_v^2, where E[u^2] is `own_second`."""
    mean = own_mean.dtype.type(0)
    variance = own_mean.dtype.type(0)
    for d in range(len(own_mean)):
        m = other_mean[j, d]
        mean += own_mean[d] * m
        variance += own_second[d] * other_variance[j, d] + own_variance[d] * m * m
    return mean, variance


@helper
def is_certain(variance, i):
    """Return whether entity i has no variance, like vectors that are read out; many sums can then be skipped."""
    total = 0.0
    for d in range(variance.shape[1]):
        total += variance[i, d]
    return total == 0.0


@helper
def projection_moments(mean, variance, i, factor_mean, factor_variance, start, stop, first, second):
    """Compute the moments of a_m = x_m.u_i for m in start..stop-1: E[a_m] in `first`, E[a_m a_n] in `second`."""
    t = mean.shape[1]
    certain = is_certain(variance, i)
    for m in range(stop - start):
        total = 0.0
        for d in range(t):
            total += np.float64(factor_mean[start + m, d]) * mean[i, d]
        first[m] = total
    for m in range(stop - start):
        for n in range(m + 1):
            total = 0.0
            if not certain:
                for d in range(t):
                    total += np.float64(variance[i, d]) * factor_mean[start + m, d] * factor_mean[start + n, d]
            if m == n:
                for d in range(t):
                    square = np.float64(mean[i, d]) * mean[i, d] + variance[i, d]
                    total += factor_variance[start + m, d] * square
            second[m, n] = second[n, m] = first[m] * first[n] + total


@helper
def relation_moments(a_first, a_second, c_first, c_second, rank):
    """Return E[a.c] and E[(a.c)^2] of a relation's score without its bias."""
    mean = 0.0
    square = 0.0
    for m in range(rank):
        mean += a_first[m] * c_first[m]
        for n in range(rank):
            square += a_second[m, n] * c_second[m, n]
    return mean, square
