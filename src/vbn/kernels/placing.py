"""How well categories explain rows: the mean over all of them, and the best few, without an array of all densities."""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import kernel

_FAR = 40.0  # exp(-40) adds nothing to a sum in float64
_TIES = 0.15  # standard deviations of log densities that one of ties counts for


@kernel
def _scale(densities, ties, number):
    """Return how much a tie counts: by how far densities scatter over the categories allowed, and these."""
    if number < 2:
        return 0.0
    density, tie, across, along = 0.0, 0.0, 0.0, 0.0
    for c in range(len(densities)):
        if densities[c] > -np.inf:
            density += densities[c]
            tie += ties[c]
    density, tie = density / number, tie / number
    for c in range(len(densities)):
        if densities[c] > -np.inf:
            across += (densities[c] - density) ** 2
            along += (ties[c] - tie) ** 2
    return _TIES * np.sqrt(across / along) if along > 1e-300 else 0.0


@kernel
def best_categories(
    products, squares, weights, heights, centres, uncertainties, levels, ties, dim, sharp, score, best, value
):
    """Compute for each row the log of the mean density over the categories, and the k categories of highest density.

    The log density of a row below a category is -sharp (distance / variance + dim log variance) / 2, with the distance
    squares + centres - 2 products and the variance 1 / weight + uncertainty. A product of -inf excludes a category, and
    so does a level that is not above the row's height. `best` and `value` are (rows, k), filled with -1 and -inf.

    If `ties` (rows, categories) is not empty, the k best are those of highest density and strongest tie together,
    each in units of how far it scatters over the categories of the row.
    """
    n, m = products.shape
    k = best.shape[1]
    precision, logs, densities, places = np.empty(m), np.empty(m), np.empty(m), np.empty(k)
    before = -1.0
    for i in range(n):
        if weights[i] != before:
            before = weights[i]
            for c in range(m):
                variance = 1.0 / before + uncertainties[c]
                precision[c] = sharp / variance
                logs[c] = sharp * dim * np.log(variance)
        largest, total, number = -np.inf, 0.0, 0
        for c in range(m):
            densities[c] = -np.inf
            if levels[c] <= heights[i] or products[i, c] == -np.inf:
                continue
            distance = max(squares[i] + centres[c] - 2.0 * products[i, c], 0.0)
            density = -0.5 * (distance * precision[c] + logs[c])
            number += 1
            densities[c] = density
            if density > largest:
                total = 1.0 + total * np.exp(largest - density) if number > 1 else 1.0
                largest = density
            elif density > largest - _FAR:
                total += np.exp(density - largest)
        scale = _scale(densities, ties[i], number) if len(ties) else 0.0
        places[:] = -np.inf
        for c in range(m):
            if k == 0 or densities[c] == -np.inf:
                continue
            place = densities[c] + scale * ties[i, c] if scale > 0.0 else densities[c]
            if place > places[k - 1]:
                at = k - 1
                while at > 0 and place > places[at - 1]:
                    places[at], value[i, at], best[i, at] = places[at - 1], value[i, at - 1], best[i, at - 1]
                    at -= 1
                places[at], value[i, at], best[i, at] = place, densities[c], c
        score[i] = largest + np.log(total / number) if number > 0 else -np.inf
