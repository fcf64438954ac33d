"""Fold-in: the density of a new row from its contexts, by the row update of training with everything else fixed.

The contexts of a row are laid out once, dimension by cell. Each sweep recomputes xi, runs the same coordinate ascent as
`vbn.kernels.entities`, and updates E[tau].
"""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import helper, kernel
from vbn.kernels.moments import linearise

_CHUNK = 1024  # cells that are summed in the model's type; sums of chunks are in float64


@helper
def _load(contexts, negatives, ratio, q, columns, bias, work):
    """Lay out the cells of query q and return their number: contexts with their counts, then the shared negatives."""
    block, spread, positive, negative, shift, shift_variance = work
    begin, end = contexts.indptr[q], contexts.indptr[q + 1]
    total = 0.0
    for k in range(begin, end):
        total += contexts.weights[k]
    t, seen = block.shape[0], end - begin
    n = seen + (len(negatives) if total > 0.0 else 0)
    for k in range(n):
        j = contexts.indices[begin + k] if k < seen else negatives[k - seen]
        positive[k] = contexts.weights[begin + k] if k < seen else 0.0
        negative[k] = 0.0 if k < seen else ratio * total / len(negatives)
        shift[k], shift_variance[k] = bias.mean[j], bias.variance[j]
        for d in range(t):
            block[d, k] = columns.mean[j, d]
            spread[d, k] = columns.variance[j, d]
    return n


@helper
def _linearise(n, mean, variance, work, slopes, residual, moments):
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
def _ascend(n, mean, variance, tau, prior_mean, work, slopes, residual):
    """Update the coordinates in turn, each given the latest values of the others."""
    block, spread = work[0], work[1]
    zero = block.dtype.type(0)
    for d in range(len(mean)):
        pull = stiff = extra = 0.0
        for begin in range(0, n, _CHUNK):
            partial_pull, partial_stiff, partial_extra = zero, zero, zero
            for k in range(begin, min(begin + _CHUNK, n)):
                c = block[d, k]
                partial_pull += c * residual[k]
                partial_stiff += slopes[k] * c * c
                partial_extra += slopes[k] * spread[d, k]
            pull += partial_pull
            stiff += partial_stiff
            extra += partial_extra
        before = mean[d]
        precision = tau + stiff + extra
        mean[d] = (tau * prior_mean[d] + pull + stiff * before) / precision
        variance[d] = 1.0 / precision
        step = block.dtype.type(mean[d] - before)
        for k in range(n):
            residual[k] -= step * slopes[k] * block[d, k]


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
    work = (
        np.empty((t, n), dtype),
        np.empty((t, n), dtype),
        np.empty(n),
        np.empty(n),
        np.empty(n, dtype),
        np.empty(n, dtype),
    )
    slopes, residual, moments = np.empty(n, dtype), np.empty(n, dtype), (np.empty(n, dtype), np.empty(n, dtype))
    mean, variance = np.empty(t), np.empty(t)
    for q in range(first, last):
        tau = prior.tau
        for d in range(t):
            mean[d] = prior.mean[q, d]
            variance[d] = 1.0 / tau
        n = _load(contexts, negatives, ratio, q, columns, bias, work)
        for _ in range(sweeps):
            _linearise(n, mean, variance, work, slopes, residual, moments)
            _ascend(n, mean, variance, tau, prior.mean[q], work, slopes, residual)
            distance = prior.spread[q]
            for d in range(t):
                distance += (mean[d] - prior.mean[q, d]) ** 2 + variance[d]
            tau = prior.shape[q] / (prior.rate[q] + 0.5 * distance)
        for d in range(t):
            result.mean[q, d] = mean[d]
            result.variance[q, d] = variance[d]
