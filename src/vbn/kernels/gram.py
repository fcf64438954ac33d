"""The update of entities by the weighted Gram matrix of their contexts, for rows with relations or very many cells."""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import helper, kernel
from vbn.kernels.entities import finish_column, longest_row, needs_gram, product_moments, span
from vbn.kernels.memory import AHEAD, prefetch_row
from vbn.kernels.moments import dot_moments, linearise, load_row, projection_moments, relation_moments

_BLOCK = 64  # cells per block of the Gram matrix, which stays in the first-level cache


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
def _coordinate_pass(i, own, tau, prior_mean, gram, extra, linear, reach):
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
        mean[d] += reach * ((tau * prior_mean[d] + linear[d] - coupled) / precision - mean[d])
        own.mean[i, d] = mean[d]
        own.variance[i, d] = 1.0 / precision


@kernel
def update_by_gram(
    first, last, active, cells, own, other, prior, bias, bias_is_own, relations, direct_cells, reach, biases
):
    """Do what `update_entities` leaves of the rows first..last-1, in place."""
    known = len(prior.evidence.precision) > 0
    t = own.mean.shape[1]
    gram, extra, linear = np.empty((t, t)), np.empty(t), np.empty(t)
    dtype = own.mean.dtype
    row = np.empty(t, dtype), np.empty(t, dtype), np.empty(t, dtype)
    work = (
        np.empty((t, _BLOCK), dtype),
        np.empty(_BLOCK, dtype),
        np.empty(_BLOCK, dtype),
        np.empty(_BLOCK, dtype),
        np.zeros(t, dtype),
    )
    columns = len(biases.active) > 0
    longest = longest_row(first, last, cells) if columns else 0
    products = np.empty(longest, dtype), np.empty(longest, dtype)
    for i in range(first, last):
        if not needs_gram(i, cells, relations, direct_cells):
            continue
        if active[i]:
            load_row(own, i, row)
            gram[:] = 0.0
            for d in range(t):
                extra[d] = prior.evidence.precision[i, d] if known else 0.0
                linear[d] = prior.evidence.linear[i, d] if known else 0.0
            _add_cooccurrences(i, cells, row, other, bias, bias_is_own, gram, extra, linear, work)
            if relations.indptr[i] < relations.indptr[i + 1]:
                _add_relations(i, relations, own, bias_is_own, gram, extra, linear)
            _coordinate_pass(i, own, prior.tau[i], prior.mean[i - first], gram, extra, linear, reach)
        if columns:
            load_row(own, i, row)
            product_moments(i, cells, row, other, products)
            finish_column(i, cells, bias, biases, products)
