"""q(u_i) and q(v_j), Eq. (ui-update): coordinate ascent over the dimensions of each row.

Dropping the off-diagonal of the precision matrix, as the paper's text suggests, diverges. Here the coordinates of a row
are updated one by one, each given the latest values of the others, which raises the bound each time. There are two ways
to the same numbers. `_direct_pass` keeps the row's contexts, dimension by cell, and costs O(t) per cell. If they would
not fit into the cache, or if the row has relations, the weighted Gram matrix of the contexts is built first, at O(t^2)
per cell: that is the kernel of `vbn.kernels.gram`, which most fits do without.

After v_j come q(b_j), Eq. (bj-updates), and the bounded log-likelihood of the column's cells. Both need the moments of
the same products u_i.v_j, which are computed once per column.
"""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import helper, kernel
from vbn.kernels.memory import AHEAD, prefetch_row, turn_rows
from vbn.kernels.moments import (
    cell_bound,
    dot_moments,
    linearise,
    load_row,
)

_STEP = 32  # cells per step of the vector loops
_CHUNK = 256  # cells per chunk of the direct pass; sums within it are in the model's type, sums of chunks in float64


@helper
def span(i, cells):
    """Return where the cells of row i begin and end."""
    at = i - cells.first
    return cells.indptr[at], cells.indptr[at + 1]


@helper
def needs_gram(i, cells, relations, direct_cells):
    """Return whether row i has relations or more than `direct_cells` cells."""
    begin, end = span(i, cells)
    return relations.indptr[i] < relations.indptr[i + 1] or end - begin > direct_cells


@helper
def longest_row(first, last, cells):
    """Return the largest number of cells in any of the rows first..last-1."""
    longest = 0
    for j in range(first, last):
        begin, end = span(j, cells)
        longest = max(longest, end - begin)
    return longest


@helper
def product_moments(j, cells, row, other, products):
    """Write the mean and variance of u_i.v_j for every cell of column j to `products`; `row` holds v_j."""
    means, variances = products
    begin, end = span(j, cells)
    for k in range(begin, end):
        soon = cells.indices[min(k + AHEAD, end - 1)]
        prefetch_row(other.mean, soon)
        prefetch_row(other.variance, soon)
        means[k - begin], variances[k - begin] = dot_moments(
            row[0], row[1], row[2], other.mean, other.variance, cells.indices[k]
        )


@helper
def update_bias(j, cells, precision, linear, products, bias):
    """Update q(b_j), given its prior as precision and precision times mean."""
    means, variances = products
    begin, end = span(j, cells)
    before, spread = bias.mean[j], bias.variance[j]
    for at in range(end - begin):
        positive, negative = cells.positive[begin + at], cells.negative[begin + at]
        mean = means[at] + before
        slope, pull = linearise(mean * mean + (variances[at] + spread), positive, negative)
        precision += slope
        linear += pull - slope * means[at]
    bias.mean[j] = linear / precision
    bias.variance[j] = 1.0 / precision


@helper
def likelihood(j, cells, products, bias):
    """Return the bounded log-likelihood of the cells of column j, at the best xi."""
    means, variances = products
    begin, end = span(j, cells)
    centre, spread = bias.mean[j], bias.variance[j]
    total = 0.0
    for at in range(end - begin):
        mean = means[at] + centre
        xi = np.sqrt(mean * mean + (variances[at] + spread))
        total += cell_bound(mean, xi, cells.positive[begin + at], cells.negative[begin + at])
    return total


@kernel
def update_biases(first, last, active, cells, own, other, prior_precision, prior_linear, bias, result):
    """Update q(b_j) of the active columns first..last-1 in place; `own` holds all v_j, `other` all u_i.

    The bounded log-likelihood of each column's cells after the update is written to `result`.
    """
    t, dtype = own.mean.shape[1], own.mean.dtype
    row = np.empty(t, dtype), np.empty(t, dtype), np.empty(t, dtype)
    longest = longest_row(first, last, cells)
    products = np.empty(longest, dtype), np.empty(longest, dtype)
    for j in range(first, last):
        load_row(own, j, row)
        product_moments(j, cells, row, other, products)
        if active[j]:
            update_bias(j, cells, prior_precision[j], prior_linear[j], products, bias)
        result[j] = likelihood(j, cells, products, bias)


@helper
def _load_contexts(i, cells, row, other, bias, bias_is_own, work):
    """Lay out the cells of row i by chunk, dimension and cell, with their slope L and residual g - L E[x].

    The contribution of their variances to the precisions is added to `spread`. Chunks are padded to whole steps of the
    vector loops with cells of weight 0.
    """
    own_mean, own_second, own_variance = row
    block, residual, slopes, spread, means, squares, partial = work
    begin, end = span(i, cells)
    last = len(cells.indices) - 1
    for c in range((end - begin + _CHUNK - 1) // _CHUNK):
        start = begin + c * _CHUNK
        n = min(_CHUNK, end - start)
        for at in range(n):
            soon = cells.indices[min(start + at + AHEAD, last)]
            prefetch_row(other.mean, soon)
            prefetch_row(other.variance, soon)
            means[at], squares[at] = dot_moments(
                own_mean, own_second, own_variance, other.mean, other.variance, cells.indices[start + at]
            )
        turn_rows(other.mean, cells.indices, start, n, block[c])
        for at in range(n):
            b = i if bias_is_own else cells.indices[start + at]
            means[at] += bias.mean[b]
            squares[at] += means[at] * means[at] + bias.variance[b]
        for at in range(n):
            k = start + at
            slope, pull = linearise(squares[at], cells.positive[k], cells.negative[k])
            slopes[c, at] = slope
            residual[c, at] = pull - slope * means[at]
        for at in range(n, _whole(n)):
            slopes[c, at] = residual[c, at] = 0.0
        for d in range(len(own_mean)):
            for at in range(n, _whole(n)):
                block[c, d, at] = 0.0
        _add_variances(cells.indices, start, n, slopes[c], other.variance, partial, spread)


@helper
def _add_variances(indices, start, n, slopes, variance, partial, spread):
    """Add the sum of L var over n cells to `spread`, four cells at a time, in the model's type."""
    t = variance.shape[1]
    partial[:] = 0.0
    whole = n - n % 4
    for at in range(0, whole, 4):
        j0, j1, j2, j3 = indices[start + at], indices[start + at + 1], indices[start + at + 2], indices[start + at + 3]
        w0, w1, w2, w3 = slopes[at], slopes[at + 1], slopes[at + 2], slopes[at + 3]
        for d in range(t):
            partial[d] += w0 * variance[j0, d] + w1 * variance[j1, d] + w2 * variance[j2, d] + w3 * variance[j3, d]
    for at in range(whole, n):
        j, weight = indices[start + at], slopes[at]
        for d in range(t):
            partial[d] += weight * variance[j, d]
    for d in range(t):
        spread[d] += partial[d]


@helper
def _whole(n):
    """Return the length of a chunk of n cells, padded to whole steps of the vector loops."""
    return (n + _STEP - 1) // _STEP * _STEP


@helper
def _direct_pass(i, n, own, tau, prior_mean, linear, work):
    """Update the coordinates of row i in turn from its n cells, keeping their residuals up to date.

    `linear` is the contribution of earlier data to the numerators; `spread` already has its contribution to the
    precisions. The step of each coordinate enters the residuals in the loop that sums for the next coordinate.
    """
    block, residual, slopes, spread = work[:4]
    dtype = block.dtype.type
    step = dtype(0)
    for d in range(own.mean.shape[1]):
        before_d = max(d - 1, 0)
        pull, stiff = linear[d], 0.0
        for c in range((n + _CHUNK - 1) // _CHUNK):
            partial_pull, partial_stiff = dtype(0), dtype(0)
            for k in range(_whole(min(_CHUNK, n - c * _CHUNK))):
                context, slope = block[c, d, k], slopes[c, k]
                rest = residual[c, k] - step * slope * block[c, before_d, k]
                residual[c, k] = rest
                partial_pull += context * rest
                partial_stiff += slope * context * context
            pull += partial_pull
            stiff += partial_stiff
        before = np.float64(own.mean[i, d])
        precision = tau + stiff + spread[d]
        own.mean[i, d] = (tau * prior_mean[d] + pull + stiff * before) / precision
        own.variance[i, d] = 1.0 / precision
        step = dtype(own.mean[i, d] - before)


@helper
def _chunks(first, last, cells, direct_cells):
    """Return the number of chunks of the longest row that takes the direct way."""
    longest = 1
    for i in range(first, last):
        begin, end = span(i, cells)
        n = end - begin
        if n <= direct_cells:
            longest = max(longest, (n + _CHUNK - 1) // _CHUNK)
    return longest


@kernel
def update_entities(first, last, active, cells, own, other, prior, bias, bias_is_own, relations, direct_cells):
    """Update the densities of the active rows first..last-1 in place; xi and zeta come from the row before its update.

    Return the number of active rows that are left to `update_by_gram`: those with relations or too many cells.
    """
    known = len(prior.evidence.precision) > 0
    t = own.mean.shape[1]
    linear = np.empty(t)
    dtype = own.mean.dtype
    row = np.empty(t, dtype), np.empty(t, dtype), np.empty(t, dtype)
    chunks = _chunks(first, last, cells, direct_cells)
    # 16 more than a power of two; otherwise all dimensions of a cell would map to the same lines of the cache
    work = (
        np.empty((chunks, t, _CHUNK + 16), dtype),
        np.empty((chunks, _CHUNK), dtype),
        np.empty((chunks, _CHUNK), dtype),
        np.empty(t),
        np.empty(_CHUNK, dtype),
        np.empty(_CHUNK, dtype),
        np.empty(t, dtype),
    )
    spread, left = work[3], 0
    for i in range(first, last):
        if not active[i]:
            continue
        if needs_gram(i, cells, relations, direct_cells):
            left += 1
            continue
        load_row(own, i, row)
        for d in range(t):
            spread[d] = prior.evidence.precision[i, d] if known else 0.0
            linear[d] = prior.evidence.linear[i, d] if known else 0.0
        begin, end = span(i, cells)
        _load_contexts(i, cells, row, other, bias, bias_is_own, work)
        _direct_pass(i, end - begin, own, prior.tau[i], prior.mean[i - first], linear, work)
    return left
