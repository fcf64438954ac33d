"""Fold-in: the density of a new row from its contexts, by the row update of training with everything else fixed.

The negatives, which all rows share, are laid out once, dimension by cell, and the contexts of a row after them. Each
sweep recomputes xi, runs the same coordinate ascent as `vbn.kernels.entities`, and updates E[tau].
"""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import helper, kernel
from vbn.kernels.moments import linearise

_CHUNK = 1024  # cells that are summed in the model's type; sums of chunks are in float64


@helper
def layout(t, n, dtype):
    """Return room for n cells: means and variances of their vectors by dimension, weights, moments of their bias."""
    return (
        np.empty((t, n), dtype),
        np.empty((t, n), dtype),
        np.empty(n),
        np.empty(n),
        np.empty(n, dtype),
        np.empty(n, dtype),
    )


@helper
def _lay_out(at, j, columns, bias, work):
    """Lay out column j as cell `at`."""
    block, spread, _, _, shift, shift_variance = work
    shift[at], shift_variance[at] = bias.mean[j], bias.variance[j]
    for d in range(block.shape[0]):
        block[d, at] = columns.mean[j, d]
        spread[d, at] = columns.variance[j, d]


@helper
def _load(contexts, n_negatives, ratio, q, columns, bias, work):
    """Lay out the contexts of query q after the negatives, weigh both, and return the number of cells."""
    positive, negative = work[2], work[3]
    begin, end = contexts.indptr[q], contexts.indptr[q + 1]
    total = 0.0
    for k in range(begin, end):
        total += contexts.weights[k]
    for at in range(n_negatives):
        negative[at] = ratio * total / n_negatives
    for k in range(begin, end):
        at = n_negatives + k - begin
        positive[at], negative[at] = contexts.weights[k], 0.0
        _lay_out(at, contexts.indices[k], columns, bias, work)
    return n_negatives + end - begin


@helper
def linearise_cells(n, mean, variance, work, slopes, residual, moments):
    """Compute slope L and residual g - L E[x] of every cell at its best xi."""
    block, spread, positive, negative, shift, shift_variance = work
    first, second = moments
    for k in range(n):
        first[k] = shift[k]
        second[k] = shift_variance[k]
    for d in range(len(mean)):
        m, s = block.dtype.type(mean[d]), block.dtype.type(variance[d])
        square = m * m
        for k in range(n):
            c, w = block[d, k], spread[d, k]
            first[k] += m * c
            second[k] += square * w + s * (c * c + w)
    for k in range(n):
        x = np.float64(first[k])
        slope, pull = linearise(x * x + second[k], positive[k], negative[k])
        slopes[k] = slope
        residual[k] = pull - slope * x


@helper
def ascend(n, mean, variance, prior_precision, prior_linear, work, slopes, residual):
    """Update the coordinates in turn, given the latest values of the others and priors as natural parameters.

    The step of each coordinate enters the residuals in the loop that sums for the next coordinate.
    """
    block, spread = work[0], work[1]
    zero = block.dtype.type(0)
    step = zero
    for d in range(len(mean)):
        before_d = max(d - 1, 0)
        pull = stiff = extra = 0.0
        for begin in range(0, n, _CHUNK):
            partial_pull, partial_stiff, partial_extra = zero, zero, zero
            for k in range(begin, min(begin + _CHUNK, n)):
                c, slope = block[d, k], slopes[k]
                rest = residual[k] - step * slope * block[before_d, k]
                residual[k] = rest
                partial_pull += c * rest
                partial_stiff += slope * c * c
                partial_extra += slope * spread[d, k]
            pull += partial_pull
            stiff += partial_stiff
            extra += partial_extra
        before = mean[d]
        precision = prior_precision[d] + stiff + extra
        mean[d] = (prior_linear[d] + pull + stiff * before) / precision
        variance[d] = 1.0 / precision
        step = block.dtype.type(mean[d] - before)


@kernel
def fold_in(first, last, contexts, negatives, ratio, columns, bias, prior, sweeps, result):
    """Infer the densities of the queries first..last-1 and write them to `result`.

    `negatives` are columns that all queries share; together they weigh `ratio` times the contexts of a query.
    """
    t, dtype = columns.mean.shape[1], columns.mean.dtype
    longest = 0
    for q in range(first, last):
        longest = max(longest, contexts.indptr[q + 1] - contexts.indptr[q])
    n = longest + len(negatives)
    work = layout(t, n, dtype)
    slopes, residual, moments = np.empty(n, dtype), np.empty(n, dtype), (np.empty(n, dtype), np.empty(n, dtype))
    mean, variance, precision, linear = np.empty(t), np.empty(t), np.empty(t), np.empty(t)
    for at in range(len(negatives)):
        work[2][at] = 0.0
        _lay_out(at, negatives[at], columns, bias, work)
    for q in range(first, last):
        tau = prior.tau
        for d in range(t):
            mean[d] = prior.mean[q, d]
            variance[d] = 1.0 / tau
        n = _load(contexts, len(negatives), ratio, q, columns, bias, work)
        for _ in range(sweeps):
            for d in range(t):
                precision[d], linear[d] = tau, tau * prior.mean[q, d]
            linearise_cells(n, mean, variance, work, slopes, residual, moments)
            ascend(n, mean, variance, precision, linear, work, slopes, residual)
            distance = prior.spread[q]
            for d in range(t):
                distance += (mean[d] - prior.mean[q, d]) ** 2 + variance[d]
            tau = prior.shape[q] / (prior.rate[q] + 0.5 * distance)
        for d in range(t):
            result.mean[q, d] = mean[d]
            result.variance[q, d] = variance[d]
