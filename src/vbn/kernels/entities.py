"""q(u_i) and q(v_j), Eq. (ui-update): coordinate ascent over the dimensions of each row.

Dropping the off-diagonal of the precision matrix, as the paper's text suggests, diverges. Here the coordinates of a row
are updated one by one, each given the latest values of the others, which raises the bound each time. There are two ways
to the same numbers. `_direct_pass` keeps the row's contexts, dimension by cell, and costs O(t) per cell. If they would
not fit into the cache, or if the row has relations, the weighted Gram matrix of the contexts is built first, at O(t^2)
per cell.

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
    projection_moments,
    relation_moments,
)

_BLOCK = 64  # cells per block of the Gram matrix, which stays in the first-level cache
_STEP = 32  # cells per step of the vector loops
_CHUNK = 256  # cells per chunk of the direct pass; sums within it are in the model's type, sums of chunks in float64


@helper
def span(i, cells):
    """Return where the cells of row i begin and end."""
    at = i - cells.first
    return cells.indptr[at], cells.indptr[at + 1]


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
def _add_block(gram, extra, linear, work, filled):
    """Add a block of cells, stored dimension by cell: L mu mu^T (lower triangle), L var, target mu.

    Sums over a block are in the model's type, sums of blocks in float64.
    """
    block, scaled, slopes, targets, spread = work
    t = gram.shape[0]
    zero = block.dtype.type(0)
    for d in range(t):
        total = zero
        for k in range(filled):
            scaled[k] = slopes[k] * block[d, k]
            total += targets[k] * block[d, k]
        linear[d] += total
        extra[d] += spread[d]
        spread[d] = zero
        e = 0
        while e + 3 <= d:
            s0 = zero
            s1 = zero
            s2 = zero
            s3 = zero
            for k in range(filled):
                s = scaled[k]
                s0 += s * block[e, k]
                s1 += s * block[e + 1, k]
                s2 += s * block[e + 2, k]
                s3 += s * block[e + 3, k]
            gram[d, e] += s0
            gram[d, e + 1] += s1
            gram[d, e + 2] += s2
            gram[d, e + 3] += s3
            e += 4
        while e <= d:
            s0 = zero
            for k in range(filled):
                s0 += scaled[k] * block[e, k]
            gram[d, e] += s0
            e += 1


@helper
def _add_cooccurrences(i, cells, row, other, bias, bias_is_own, gram, extra, linear, work):
    """Add the co-occurrence cells of row i to the Gram matrix, the extra diagonal (variances) and the linear term."""
    own_mean, own_second, own_variance = row
    block, _, slopes, targets, spread = work
    t = gram.shape[0]
    filled, last = 0, len(cells.indices) - 1
    begin, end = span(i, cells)
    for k in range(begin, end):
        j, soon = cells.indices[k], cells.indices[min(k + AHEAD, last)]
        prefetch_row(other.mean, soon)
        prefetch_row(other.variance, soon)
        at = i if bias_is_own else j
        mean, variance = dot_moments(own_mean, own_second, own_variance, other.mean, other.variance, j)
        mean += bias.mean[at]
        variance += bias.variance[at]
        slope, pull = linearise(mean * mean + variance, cells.positive[k], cells.negative[k])
        slopes[filled] = slope
        targets[filled] = pull - slope * bias.mean[at]
        for d in range(t):
            block[d, filled] = other.mean[j, d]
        weight = slopes[filled]
        for d in range(t):
            spread[d] += weight * other.variance[j, d]
        filled += 1
        if filled == _BLOCK:
            _add_block(gram, extra, linear, work, filled)
            filled = 0
    if filled:
        _add_block(gram, extra, linear, work, filled)


@helper
def _add_relations(i, relations, own, bias_is_own, gram, extra, linear):
    """Add the relations of row i: X^T S X to the Gram matrix, S_mm var_x to the diagonal, X^T l to the linear term."""
    t = gram.shape[0]
    begin, end = relations.indptr[i], relations.indptr[i + 1]
    while begin < end:
        k = relations.kind[begin]
        start, stop = relations.offsets[k], relations.offsets[k + 1]
        rank = stop - start
        a_first, pull = np.empty(rank), np.zeros(rank)
        a_second, stiff = np.empty((rank, rank)), np.zeros((rank, rank))
        projection_moments(
            own.mean, own.variance, i, relations.own_mean, relations.own_variance, start, stop, a_first, a_second
        )
        while begin < end and relations.kind[begin] == k:
            j = relations.indices[begin]
            at = i if bias_is_own else j
            c_first, c_second = relations.c_first[relations.places[begin]], relations.c_second[relations.places[begin]]
            mean, square = relation_moments(a_first, a_second, c_first, c_second, rank)
            r = np.float64(relations.bias_mean[k, at])
            square += 2.0 * r * mean + r * r + relations.bias_variance[k, at]
            slope, target = linearise(square, relations.positive[begin], relations.negative[begin])
            target -= slope * r
            for m in range(rank):
                pull[m] += target * c_first[m]
                for n in range(rank):
                    stiff[m, n] += slope * c_second[m, n]
            begin += 1
        half = np.zeros((rank, t))  # S X
        for m in range(rank):
            for n in range(rank):
                for d in range(t):
                    half[m, d] += stiff[m, n] * relations.own_mean[start + n, d]
        for m in range(rank):
            for d in range(t):
                x = np.float64(relations.own_mean[start + m, d])
                linear[d] += pull[m] * x
                extra[d] += stiff[m, m] * relations.own_variance[start + m, d]
                for e in range(d + 1):
                    gram[d, e] += x * half[m, e]


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
def _coordinate_pass(i, own, tau, prior_mean, gram, extra, linear):
    """Update the coordinates of row i in turn, each given the latest values of the others."""
    t = gram.shape[0]
    mean = np.empty(t)
    for d in range(t):
        mean[d] = own.mean[i, d]
    for d in range(t):
        for e in range(d):
            gram[e, d] = gram[d, e]
    for d in range(t):
        coupled = 0.0
        for e in range(t):
            coupled += gram[d, e] * mean[e]
        coupled -= gram[d, d] * mean[d]
        precision = tau + gram[d, d] + extra[d]
        mean[d] = (tau * prior_mean[d] + linear[d] - coupled) / precision
        own.mean[i, d] = mean[d]
        own.variance[i, d] = 1.0 / precision


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

    Rows without relations and with at most `direct_cells` cells take the direct way.
    """
    known = len(prior.evidence.precision) > 0
    t = own.mean.shape[1]
    gram, extra, linear, prior_mean = np.empty((t, t)), np.empty(t), np.empty(t), np.empty(t)
    dtype = own.mean.dtype
    row = np.empty(t, dtype), np.empty(t, dtype), np.empty(t, dtype)
    gram_work = (
        np.empty((t, _BLOCK), dtype),
        np.empty(_BLOCK, dtype),
        np.empty(_BLOCK, dtype),
        np.empty(_BLOCK, dtype),
        np.zeros(t, dtype),
    )
    chunks = _chunks(first, last, cells, direct_cells)
    # 16 more than a power of two; otherwise all dimensions of a cell would map to the same lines of the cache
    direct_work = (
        np.empty((chunks, t, _CHUNK + 16), dtype),
        np.empty((chunks, _CHUNK), dtype),
        np.empty((chunks, _CHUNK), dtype),
        np.empty(t),
        np.empty(_CHUNK, dtype),
        np.empty(_CHUNK, dtype),
        np.empty(t, dtype),
    )
    for i in range(first, last):
        if not active[i]:
            continue
        prior_mean[:] = prior.mean[i - first]
        load_row(own, i, row)
        extra[:] = 0.0
        linear[:] = 0.0
        if known:
            for d in range(t):
                extra[d] = prior.evidence.precision[i, d]
                linear[d] = prior.evidence.linear[i, d]
        related = relations.indptr[i] < relations.indptr[i + 1]
        begin, end = span(i, cells)
        n = end - begin
        if not related and n <= direct_cells:
            direct_work[3][:] = extra
            _load_contexts(i, cells, row, other, bias, bias_is_own, direct_work)
            _direct_pass(i, n, own, prior.tau[i], prior_mean, linear, direct_work)
            continue
        gram[:] = 0.0
        _add_cooccurrences(i, cells, row, other, bias, bias_is_own, gram, extra, linear, gram_work)
        if related:
            _add_relations(i, relations, own, bias_is_own, gram, extra, linear)
        _coordinate_pass(i, own, prior.tau[i], prior_mean, gram, extra, linear)
