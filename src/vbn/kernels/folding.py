"""Fold-in: the density of a new row from its contexts, by the row update of training with everything else fixed.

The negatives, which all rows share, are laid out once, dimension by cell, and the contexts of a row after them. Each
sweep recomputes xi, runs the same coordinate ascent as `vbn.kernels.entities`, and updates E[tau].
"""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import helper, kernel
from vbn.kernels.moments import linearise
from vbn.kernels.tiles import SIDE, SUMS, score_rows, sum_four, sum_rows

_CHUNK = 1024  # cells that are summed in the model's type; sums of chunks are in float64


@helper
def layout(t, n, dtype):
    """Return room for n cells: means and variances of their vectors by dimension, weights, moments of their bias.

    After these come slopes, residuals and moments of scores by cell, the row by dimension, and sums. Dimensions are
    filled up to fours with zeros, and cells to whole tiles.
    """
    four = (t + 3) // 4 * 4
    room = (
        n + 15
    ) // 16 * 16 + SIDE  # an odd number of tiles, so that dimensions of a cell are in different cache lines
    return (
        np.zeros((four, room), dtype),
        np.zeros((four, room), dtype),
        np.zeros(room),
        np.zeros(room),
        np.zeros(room, dtype),
        np.zeros(room, dtype),
        np.zeros((4, room), dtype),
        np.zeros((3, four), dtype),
        (np.zeros(SUMS, dtype), np.zeros(4, dtype), np.zeros(4, dtype), np.zeros(SUMS + 4), np.zeros(4)),
    )


@helper
def _lay_out(at, j, columns, bias, work):
    """Lay out column j as cell `at`."""
    block, spread = work[:2]
    work[4][at], work[5][at] = bias.mean[j], bias.variance[j]
    for d in range(columns.mean.shape[1]):
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
def linearise_cells(n, mean, variance, work):
    """Compute slope L and residual g - L E[x] of every cell at its best xi."""
    block, spread, positive, negative, shift, shift_variance, cells, row = work[:8]
    slopes, residual, first, second = cells
    means, seconds, variances = row
    for d in range(len(mean)):
        means[d], variances[d] = mean[d], variance[d]
        seconds[d] = means[d] * means[d] + variances[d]
    whole = (n + SIDE - 1) // SIDE * SIDE
    for k in range(whole):
        first[k] = shift[k]
        second[k] = shift_variance[k]
    for d in range(0, len(block), 4):
        score_rows(block, spread, d, means, seconds, variances, whole, first, second)
    for k in range(n):  # two loops, which become vector code: one that writes to both arrays does not
        x = np.float64(first[k])
        slopes[k] = linearise(x * x + second[k], positive[k], negative[k])[0]
    for k in range(n):
        residual[k] = 0.5 * (positive[k] - negative[k]) - slopes[k] * first[k]
    for k in range(n, whole):
        slopes[k] = residual[k] = 0.0


@helper
def ascend(n, mean, variance, prior_precision, prior_linear, work):
    """Update the coordinates in turn, given the latest values of the others and priors as natural parameters.

    Four coordinates share a loop over the cells, as in `vbn.kernels.entities`.
    """
    block, spread, cells = work[0], work[1], work[6]
    slopes, residual = cells[0], cells[1]
    sums, extra, steps, totals, moved = work[8]
    t = len(mean)
    steps[:] = 0.0
    for d in range(0, t, 4):
        totals[:] = 0.0
        for begin in range(0, n, _CHUNK):
            end = (min(begin + _CHUNK, n) + SIDE - 1) // SIDE * SIDE
            own, rest = slopes[begin:end], residual[begin:end]
            sum_four(block[:, begin:end], d, max(d - 4, 0), steps, rest, own, end - begin, sums)
            sum_rows(spread[:, begin:end], d, own, end - begin, extra)
            for k in range(SUMS):
                totals[k] += sums[k]
            for k in range(4):
                totals[SUMS + k] += extra[k]
        at = 4
        for k in range(min(4, t - d)):
            pull = totals[k]
            for m in range(k):
                pull -= moved[m] * totals[at + m]
            stiff = totals[at + k]
            before = mean[d + k]
            precision = prior_precision[d + k] + stiff + totals[SUMS + k]
            mean[d + k] = (prior_linear[d + k] + pull + stiff * before) / precision
            variance[d + k] = 1.0 / precision
            moved[k] = mean[d + k] - before
            steps[k] = moved[k]
            at += k + 1


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
            linearise_cells(n, mean, variance, work)
            ascend(n, mean, variance, precision, linear, work)
            distance = prior.spread[q]
            for d in range(t):
                distance += (mean[d] - prior.mean[q, d]) ** 2 + variance[d]
            tau = prior.shape[q] / (prior.rate[q] + 0.5 * distance)
        for d in range(t):
            result.mean[q, d] = mean[d]
            result.variance[q, d] = variance[d]
