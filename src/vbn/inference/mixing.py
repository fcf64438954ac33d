"""The probability of a pair with an entity that has no data and of whose parents one is the right one.

Its density is a mixture, and the stored one has only the moments of it. That is enough to rank by. The probability of a
single pair is exact instead: p = sum_n r_n p_n, the mean over the parents of what each of them alone would give.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vbn.kernels import DensityArrays
from vbn.model import Block, Half, Mixture, Trained


class _Parts(NamedTuple):
    """Densities of entities, those of some without data replaced by one for each of their parents.

    Of entity i these are at first[i]..first[i] + number[i] - 1, with their probabilities in `weights`.
    """

    first: np.ndarray
    number: np.ndarray
    weights: np.ndarray
    densities: DensityArrays
    bias: DensityArrays


def pair_probabilities(
    trained: Trained, rows: np.ndarray, columns: np.ndarray, with_std: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Return the probability of pairs of ids and, unless it is not needed, its standard deviation (mean field)."""
    mean, variance = trained.cooccurrence.pair_moments(rows, columns)
    p = trained.link.probability(mean, variance)
    std = trained.link.std(mean, variance) if with_std else np.zeros(len(p))
    cold = _mixed(trained.u)[rows] | _mixed(trained.v)[columns]
    if cold.any():
        p[cold], std[cold] = _over_parents(trained, rows[cold], columns[cold])
    return p, std


def _mixed(half: Half) -> np.ndarray:
    """Return a mask of the entities whose density is a mixture: no data, and several parents."""
    block = half.block
    if not isinstance(block.hierarchy, Mixture):
        return np.zeros(len(block), dtype=bool)
    return np.asarray(~block.active & (np.diff(block.hierarchy.graph.parent_indptr) > 1))


def _over_parents(trained: Trained, rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    from vbn.kernels.predictive import pair_moments

    u, v = _parts(trained.u, np.unique(rows)), _parts(trained.v, np.unique(columns))
    left, right = np.unique(rows, return_inverse=True)[1], np.unique(columns, return_inverse=True)[1]
    sizes = u.number[left] * v.number[right]
    pair = np.repeat(np.arange(len(rows)), sizes)
    place = np.arange(len(pair)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    i = u.first[left][pair] + place // v.number[right][pair]
    j = v.first[right][pair] + place % v.number[right][pair]
    mean, variance = np.empty(len(pair)), np.empty(len(pair))
    pair_moments(0, len(pair), i, j, u.densities, v.densities, v.bias, mean, variance)
    weight, p = u.weights[i] * v.weights[j], trained.link.probability(mean, variance)
    second = p**2 + trained.link.std(mean, variance) ** 2
    total, square = (np.bincount(pair, weight * value, len(rows)) for value in (p, second))
    return total, np.sqrt(np.maximum(square - total**2, 0.0))


def _parts(half: Half, ids: np.ndarray) -> _Parts:
    weights, means, variances, biases, bias_variances = [], [], [], [], []
    for i, mixed in zip(ids.tolist(), _mixed(half)[ids].tolist(), strict=True):
        share, mean, variance = _components(half.block, i, mixed)
        weights.append(share)
        means.append(mean)
        variances.append(variance)
        if half.bias is not None:
            _, mean, variance = _components(half.bias, i, mixed)
            biases.append(np.broadcast_to(mean[:, 0], len(share)))
            bias_variances.append(np.broadcast_to(variance[:, 0], len(share)))
    number = np.array([len(share) for share in weights])
    bias = DensityArrays(np.concatenate(biases), np.concatenate(bias_variances)) if biases else DensityArrays(*_NONE)
    densities = DensityArrays(np.concatenate(means), np.concatenate(variances))
    return _Parts(np.cumsum(number) - number, number, np.concatenate(weights), densities, bias)


_NONE = np.empty(0), np.empty(0)


def _components(block: Block, i: int, mixed: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the weights (p,), means and variances (p, t) of what the density of row i is made of."""
    row, prior = np.array([i]), block.hierarchy
    if not mixed or not isinstance(prior, Mixture) or block.active[i]:
        shape = 1, block.gamma.dim
        return np.ones(1), *(array[i].astype(np.float64).reshape(shape) for array in (block.mean, block.variance))
    edges = slice(int(prior.graph.parent_indptr[i]), int(prior.graph.parent_indptr[i + 1]))
    parents, others = prior.graph.parents[edges], [each for each in block.prior.members() if each is not prior]
    mean = prior.mean[parents] + sum((each.means(row)[0] for each in others), np.zeros(block.gamma.dim))
    variance = np.full(len(parents), 1.0 / block.tau[i])
    if block.gamma.cold == "siblings":  # the others do not count the variance of prior means
        variance += prior.variance[parents] + sum(float(each.variances(row)[0]) for each in others)
    return prior.responsibilities()[edges], mean, np.broadcast_to(variance[:, None], mean.shape).copy()
