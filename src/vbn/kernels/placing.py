"""How well categories explain rows: the mean over all of them, and the best few, without an array of all densities."""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import kernel

_FAR = 40.0  # exp(-40) adds nothing to a sum in float64


@kernel
def best_categories(products, squares, weights, heights, centres, uncertainties, levels, dim, score, best, value):
    """Compute for each row the log of the mean density over the categories, and the k categories of highest density.

    The log density of a row below a category is -(distance / variance + dim log variance) / 2, with the distance
    squares + centres - 2 products and the variance 1 / weight + uncertainty. A product of -inf excludes a category, and
    so does a level that is not above the row's height. `best` and `value` are (rows, k), filled with -1 and -inf.
    """
    n, m = products.shape
    k = best.shape[1]
    precision, logs = np.empty(m), np.empty(m)
    before = -1.0
    for i in range(n):
        if weights[i] != before:
            before = weights[i]
            for c in range(m):
                variance = 1.0 / before + uncertainties[c]
                precision[c] = 1.0 / variance
                logs[c] = dim * np.log(variance)
        largest, total, number = -np.inf, 0.0, 0
        for c in range(m):
            if levels[c] <= heights[i] or products[i, c] == -np.inf:
                continue
            distance = max(squares[i] + centres[c] - 2.0 * products[i, c], 0.0)
            density = -0.5 * (distance * precision[c] + logs[c])
            number += 1
            if density > largest:
                total = 1.0 + total * np.exp(largest - density) if number > 1 else 1.0
                largest = density
            elif density > largest - _FAR:
                total += np.exp(density - largest)
            if k > 0 and density > value[i, k - 1]:
                at = k - 1
                while at > 0 and density > value[i, at - 1]:
                    value[i, at], best[i, at] = value[i, at - 1], best[i, at - 1]
                    at -= 1
                value[i, at], best[i, at] = density, c
        score[i] = largest + np.log(total / number) if number > 0 else -np.inf
