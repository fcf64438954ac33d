"""Work on a column after its v_j: q(b_j), Eq. (bj-updates), and the bounded log-likelihood of its cells.

Both need the moments of the same products u_i.v_j, which are computed once per column.
"""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import helper, kernel
from vbn.kernels.logistic import cell_bound, linearise
from vbn.kernels.moments import dot_moments, load_row
from vbn.kernels.prefetch import AHEAD, prefetch_row


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
