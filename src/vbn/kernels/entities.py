"""q(u_i) and q(v_j), Eq. (ui-update): coordinate ascent over the dimensions of each row.

Dropping the off-diagonal of the precision matrix, as the paper's text suggests, diverges. Here the coordinates of a row
are updated one by one, each given the latest values of the others, which raises the bound each time. There are two ways
to the same numbers. `_direct_pass` keeps the row's contexts, dimension by cell, and costs O(t) per cell. If they would
not fit into the cache, or if the row has relations, the weighted Gram matrix of the contexts is built first, at O(t^2)
per cell: that is the kernel of `vbn.kernels.gram`, which most fits do without.

After v_j come q(b_j), Eq. (bj-updates), and the bounded log-likelihood of the column's cells. Both need the moments of
the same products u_i.v_j, which are computed once per column, from the contexts that are still laid out.
"""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import helper, kernel
from vbn.kernels.memory import AHEAD, prefetch_row
from vbn.kernels.moments import (
    cell_bound,
    dot_moments,
    linearise,
    load_row,
)
from vbn.kernels.tiles import SIDE, SUMS, add_tiles, dot_tiles, place, score_columns, sum_four, turn_tiles, width

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


@helper
def finish_column(j, cells, bias, biases, products):
    """Update q(b_j) if it is active, and write the bounded log-likelihood of the column's cells to `biases.result`."""
    if biases.active[j]:
        update_bias(j, cells, biases.precision[j], biases.linear[j], products, bias)
    biases.result[j] = likelihood(j, cells, products, bias)


@helper
def _whole(n):
    """Return a number of cells, rounded up to whole tiles."""
    return (n + SIDE - 1) // SIDE * SIDE


@helper
def _load_by_tile(own, i, row):
    """Copy row i to the buffers (mean, E[u^2], variance) by tile; where the last tile overlaps they stay 0."""
    mean, second, variance = row
    t = own.mean.shape[1]
    for d in range(t):
        at = place(d, t)
        mean[at] = own.mean[i, d]
        variance[at] = own.variance[i, d]
        second[at] = mean[at] * mean[at] + variance[at]


@helper
def _row_starts(indices, start, n, array, starts):
    """Write how many bytes into an array the rows of n cells start; the last one fills up its tile."""
    stride = array.strides[0]
    for at in range(n):
        starts[at] = stride * np.int64(indices[start + at])
    for at in range(n, _whole(n)):
        starts[at] = starts[n - 1]


@helper
def _lay_out(indices, start, n, row, other, block, starts, means, squares):
    """Lay out n cells by dimension and cell, with the moments of their products."""
    own_mean, own_second, own_variance = row
    t, end = other.mean.shape[1], len(indices) - 1
    if t < SIDE:
        for at in range(_whole(n)):
            j = indices[start + min(at, n - 1)]
            means[at], squares[at] = 0.0, 0.0
            for d in range(t):
                context = other.mean[j, d]
                block[d, at] = context
                means[at] += own_mean[d] * context
                squares[at] += own_second[d] * other.variance[j, d] + own_variance[d] * context * context
        return
    _row_starts(indices, start, n, other.mean, starts)
    for at in range(0, n, SIDE):
        for k in range(start + at + AHEAD, start + at + AHEAD + SIDE):
            soon = indices[min(k, end)]
            prefetch_row(other.mean, soon)
            prefetch_row(other.variance, soon)
        turn_tiles(other.mean, starts, at, block, own_mean, own_variance, means, squares)
        dot_tiles(other.variance, starts, at, own_second, squares)


@helper
def _load_contexts(i, cells, row, other, bias, bias_is_own, work):
    """Lay out the cells of row i by chunk, dimension and cell, with their slope L and residual g - L E[x].

    The contribution of their variances to the precisions is added to `spread`. Chunks are padded to whole tiles with
    cells of weight 0.
    """
    block, residual, slopes, spread, means, squares, partial, starts = work[:8]
    begin, end = span(i, cells)
    for c in range((end - begin + _CHUNK - 1) // _CHUNK):
        start = begin + c * _CHUNK
        n = min(_CHUNK, end - start)
        _lay_out(cells.indices, start, n, row, other, block[c], starts, means, squares)
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
        _add_variances(cells.indices, start, n, slopes[c], other.variance, starts, partial, spread)


@helper
def _add_variances(indices, start, n, slopes, variance, starts, partial, spread):
    """Add the sum of L var over n cells to `spread`, in the model's type."""
    t = variance.shape[1]
    partial[:] = 0.0
    if t < SIDE:
        for at in range(n):
            for d in range(t):
                partial[d] += slopes[at] * variance[indices[start + at], d]
    else:
        for at in range(0, n, SIDE):
            add_tiles(variance, starts, at, slopes, partial)
    for d in range(t):
        spread[d] += partial[place(d, t)]


@helper
def _direct_pass(i, n, own, tau, prior_mean, linear, reach, work):
    """Update the coordinates of row i in turn from its n cells, keeping their residuals up to date.

    `linear` is the contribution of earlier data to the numerators; `spread` already has its contribution to the
    precisions. Four coordinates at a time share a loop over the cells: what the step of one means for the next is the
    step times the sum of L v_d v_e. Their steps enter the residuals in the loop that sums for the next four.
    """
    block, residual, slopes, spread = work[:4]
    t = own.mean.shape[1]
    sums, steps, totals, moved = work[8:]
    steps[:] = 0.0
    for d in range(0, t, 4):
        totals[:] = 0.0
        for c in range((n + _CHUNK - 1) // _CHUNK):
            size = _whole(min(_CHUNK, n - c * _CHUNK))
            sum_four(block[c], d, max(d - 4, 0), steps, residual[c], slopes[c], size, sums)
            for k in range(SUMS):
                totals[k] += sums[k]
        at = 4
        for k in range(min(4, t - d)):
            pull = linear[d + k] + totals[k]
            for m in range(k):
                pull -= moved[m] * totals[at + m]
            stiff = totals[at + k]
            before = np.float64(own.mean[i, d + k])
            precision = tau + stiff + spread[d + k]
            best = (tau * prior_mean[d + k] + pull + stiff * before) / precision
            own.mean[i, d + k] = before + reach * (best - before)
            own.variance[i, d + k] = 1.0 / precision
            moved[k] = own.mean[i, d + k] - before
            steps[k] = moved[k]
            at += k + 1


@helper
def _moments_again(j, cells, own, other, row, tiled, work, products):
    """Write the moments of u_i.v_j to `products` after an update of v_j, whose contexts are laid out."""
    block, starts = work[0], work[7]
    t = own.mean.shape[1]
    begin, end = span(j, cells)
    _load_by_tile(own, j, tiled)
    for c in range((end - begin + _CHUNK - 1) // _CHUNK):
        start = begin + c * _CHUNK
        n = min(_CHUNK, end - start)
        means, variances = products[0][c * _CHUNK :], products[1][c * _CHUNK :]
        for at in range(0, n, SIDE):
            score_columns(block[c], t, at, row[0], row[2], means, variances)
        if t < SIDE:
            for at in range(n):
                for d in range(t):
                    variances[at] += tiled[1][d] * other.variance[cells.indices[start + at], d]
        else:
            _row_starts(cells.indices, start, n, other.variance, starts)
            for at in range(0, n, SIDE):
                dot_tiles(other.variance, starts, at, tiled[1], variances)


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
def update_entities(
    first, last, active, cells, own, other, prior, bias, bias_is_own, relations, direct_cells, reach, biases
):
    """Update the densities of the active rows first..last-1 in place; xi and zeta come from the row before its update.

    A mean moves `reach` times as far as to the best place; between 0 and 2, the bound rises.
    With `biases`, rows are columns, and all of them also get their bias and the likelihood of their cells. Rows with
    relations or too many cells are left to `update_by_gram`; return their number.
    """
    known, columns = len(prior.evidence.precision) > 0, len(biases.active) > 0
    t = own.mean.shape[1]
    linear = np.empty(t)
    dtype = own.mean.dtype
    four = (t + 3) // 4 * 4  # what is summed for four dimensions at a time has zeros at the end
    row = np.zeros(four, dtype), np.zeros(four, dtype), np.zeros(four, dtype)
    tiled = np.zeros(width(t), dtype), np.zeros(width(t), dtype), np.zeros(width(t), dtype)
    chunks = _chunks(first, last, cells, direct_cells)
    # 16 more than a power of two; otherwise all dimensions of a cell would map to the same lines of the cache
    work = (
        np.empty((chunks, four, _CHUNK + 16), dtype),
        np.empty((chunks, _CHUNK), dtype),
        np.empty((chunks, _CHUNK), dtype),
        np.empty(t),
        np.empty(_CHUNK, dtype),
        np.empty(_CHUNK, dtype),
        np.empty(width(t), dtype),
        np.empty(_CHUNK, np.int64),
        np.empty(SUMS, dtype),
        np.empty(4, dtype),
        np.empty(SUMS),
        np.empty(4),
    )
    work[0][:, t:] = 0.0
    longest = longest_row(first, last, cells) + SIDE if columns else 0
    products = np.empty(longest, dtype), np.empty(longest, dtype)
    spread, left = work[3], 0
    for i in range(first, last):
        if needs_gram(i, cells, relations, direct_cells):
            left += active[i] or columns
            continue
        if active[i]:
            _load_by_tile(own, i, tiled)
            for d in range(t):
                spread[d] = prior.evidence.precision[i, d] if known else 0.0
                linear[d] = prior.evidence.linear[i, d] if known else 0.0
            begin, end = span(i, cells)
            _load_contexts(i, cells, tiled, other, bias, bias_is_own, work)
            _direct_pass(i, end - begin, own, prior.tau[i], prior.mean[i - first], linear, reach, work)
        if columns:
            load_row(own, i, row)
            if active[i]:
                _moments_again(i, cells, own, other, row, tiled, work, products)
            else:
                product_moments(i, cells, row, other, products)
            finish_column(i, cells, bias, biases, products)
    return left
