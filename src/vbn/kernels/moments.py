"""The logistic bound of Jaakkola and Jordan, and moments of a score: u.v + b of a cell, projections of a relation.

The bound is made of sums and products alone, without branches and calls: loops over cells become vector code.
"""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import helper

_STEP, _HALF, _SIXTH = 1.0 / 1024.0, 1.0 / 2.0, 1.0 / 6.0
_FAR = 40.0  # 1 + exp(-40) is 1 in float64
_NEAR = 0.02


@helper
def _decay(x):
    """Return exp(-x) for x >= 0 to a relative 1e-11: exp(-x / 1024) by its series, squared ten times; clipped at 40."""
    y = (_FAR if x > _FAR else x) * -_STEP
    e = 1.0 + y * (1.0 + y * (_HALF + y * (_SIXTH + y * (_SIXTH / 4.0 + y * (_SIXTH / 20.0 + y * (_SIXTH / 120.0))))))
    for _ in range(10):
        e *= e
    return e


@helper
def curvature(xi):
    """Return lambda(xi) = tanh(xi / 2) / (4 xi), 1/8 at 0, for xi >= 0, always in float64."""
    x = np.float64(xi)
    e, square = _decay(x), x * x
    near = 0.125 - square * (1.0 / 96.0 - square * (1.0 / 960.0))
    far = (1.0 - e) / (4.0 * x * (1.0 + e))
    return near if x < _NEAR else far


@helper
def linearise(second, positive, negative):
    """Return slope L = 2 lambda(xi) (w+ + w-) and pull g = (w+ - w-) / 2 of a cell at its best xi, xi^2 = E[x^2]."""
    return 2.0 * curvature(np.sqrt(second)) * (positive + negative), 0.5 * (positive - negative)


@helper
def log_sigmoid(x):
    """Return log(1 / (1 + exp(-x))): for x >= 0, -log(1 + e) = -2 artanh(e / (2 + e)) with e = exp(-x)."""
    e = _decay(abs(np.float64(x)))
    z = e / (2.0 + e)
    s = z * z
    series = 1.0 / 21.0 + s * (1.0 / 23.0 + s * (1.0 / 25.0 + s / 27.0))
    series = 1.0 / 13.0 + s * (1.0 / 15.0 + s * (1.0 / 17.0 + s * (1.0 / 19.0 + s * series)))
    series = 1.0 / 5.0 + s * (1.0 / 7.0 + s * (1.0 / 9.0 + s * (1.0 / 11.0 + s * series)))
    return min(x, 0.0) - 2.0 * z * (1.0 + s * (1.0 / 3.0 + s * series))


@helper
def cell_bound(mean, xi, positive, negative):
    """Return the bounded log-likelihood of a cell at xi^2 = E[x^2], where the quadratic term vanishes."""
    return (positive + negative) * (log_sigmoid(xi) - 0.5 * xi) + 0.5 * (positive - negative) * mean


@helper
def load_row(own, i, row):
    """Copy row i to the buffers (mean, E[u^2], variance), which every cell of the row reads."""
    mean, second, variance = row
    for d in range(own.mean.shape[1]):
        mean[d] = own.mean[i, d]
        variance[d] = own.variance[i, d]
        second[d] = mean[d] * mean[d] + variance[d]


@helper
def dot_moments(own_mean, own_second, own_variance, other_mean, other_variance, j):
    """Return mean and variance of u.v_j: Var = sum E[u^2] var_v + var_u mu_v^2, where E[u^2] is `own_second`."""
    mean = own_mean.dtype.type(0)
    variance = own_mean.dtype.type(0)
    for d in range(other_mean.shape[1]):
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
