"""The scale and shift that turn scores of a relation into probabilities among all columns.

A relation that is learned separately sees one or two columns drawn at random for each pair. Against these, all that is
similar looks certain: the columns nearest to a row get a probability of 1, whether they are related or not. Therefore
the score s of a finished relation becomes a s + b, with a > 0 and b chosen so that sigmoid(a s + b) is the probability
among *all* columns of a row. The order of the columns does not change. Training goes on with s itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from vbn.data import Relation
from vbn.model.fields import Gaussians
from vbn.model.fit import Network
from vbn.model.posterior import RelationBlocks, RelationInfo
from vbn.model.readout import relation_vectors

_SCORES = 1 << 23  # scores that are looked at, about
_ROWS = 16, 512  # rows that are looked at: at least, at most
_NEAREST = 256  # columns of a row that are all counted; of the others, some stand for all
_OTHERS = 4096
_SPREAD = 0.5, 3.0  # standard deviations of the priors of log a, around 0, and of b, around the share of pairs


def with_base_rates(network: Network, pairs: Mapping[str, Relation], whole: bool) -> tuple[RelationInfo, ...]:
    """Return the relations with a scale and a shift.

    A relation without pairs keeps those of an earlier fit, and so does one whose pairs are not the `whole` data, as the
    earlier pairs are not among them. Relations that are learned together with the densities keep a scale of 1, as in
    the paper.
    """
    if not network.apart or not network.relations:
        return network.relations
    vectors, found = relation_vectors(network.posterior, network.shared), []
    for info, blocks in zip(network.relations, network.posterior.relations, strict=True):
        if len(pairs[info.name]) and (whole or info.shift == 0.0):
            scale, shift = _fitted(*_counted(blocks, vectors, network.shared, pairs[info.name]))
            info = replace(info, scale=scale, shift=shift)
        found.append(info)
    return tuple(found)


def with_earlier_rates(relations: Sequence[RelationInfo], earlier: Sequence[RelationInfo]) -> list[RelationInfo]:
    """Return relations with the scales and shifts of an earlier fit, for which new data may have no pairs."""
    known = {info.name: info for info in earlier}
    return [
        replace(info, scale=known[info.name].scale, shift=known[info.name].shift) if info.name in known else info
        for info in relations
    ]


def _counted(
    blocks: RelationBlocks, vectors: tuple[Gaussians, Gaussians], shared: bool, pairs: Relation
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return scores, their weights, and whether they are those of pairs, for some rows and all their columns."""
    rows, columns = vectors
    reached, at = np.unique(pairs.left, return_index=True)
    ends = np.append(at[1:], len(pairs))
    few = int(np.clip(_SCORES // max(len(blocks.r.active), 1), *_ROWS))
    scores, weights, related = [], [], []
    x, y = blocks.x.mean.astype(np.float64), blocks.y.mean.astype(np.float64)
    scale = len(pairs) / float(pairs.weights.sum())
    for n in np.unique(np.linspace(0, len(reached) - 1, few).astype(np.int64)).tolist():
        query = y.T @ (x @ rows.mean[reached[n]])
        every = columns.mean @ query.astype(columns.mean.dtype) + blocks.r.mean
        own = slice(int(at[n]), int(ends[n]))
        other = blocks.r.active.copy()
        other[pairs.right[own]] = False
        if shared:
            other[reached[n]] = False
        near, rest, step = _divided(every[other])
        scores += [every[pairs.right[own]], near, rest]
        weights += [scale * pairs.weights[own], np.ones(len(near)), np.full(len(rest), step)]
        related += [np.full(len(part), first) for part, first in zip(scores[-3:], (1.0, 0.0, 0.0), strict=True)]
    return tuple(np.concatenate(parts).astype(np.float64) for parts in (scores, weights, related))  # type: ignore[return-value]


def _divided(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the highest scores, some of the others, and how many each of these stands for."""
    if len(scores) <= _NEAREST + _OTHERS:
        return scores, scores[:0], 1.0
    order = np.argpartition(-scores, _NEAREST)
    rest = scores[np.sort(order[_NEAREST:])]
    some = rest[:: len(rest) // _OTHERS]
    return scores[order[:_NEAREST]], some, len(rest) / len(some)


def _fitted(scores: np.ndarray, weights: np.ndarray, related: np.ndarray) -> tuple[float, float]:
    """Return the scale and the shift of the most probable logistic curve."""
    from scipy.optimize import minimize

    share = float(weights @ related / weights.sum())
    start = np.log(share / max(1.0 - share, 1e-12))

    def loss(at: np.ndarray) -> tuple[float, np.ndarray]:
        scale = np.exp(at[0])
        logits = scale * scores + at[1]
        wrong = weights * (0.5 * (1.0 + np.tanh(0.5 * logits)) - related)
        offs = np.array([at[0] / _SPREAD[0] ** 2, (at[1] - start) / _SPREAD[1] ** 2])
        value = weights @ (np.logaddexp(0.0, logits) - related * logits)
        value += 0.5 * (at[0] * offs[0] + (at[1] - start) * offs[1])
        return float(value), np.array([scale * (wrong @ scores), wrong.sum()]) + offs

    found = minimize(loss, np.array([0.0, start]), jac=True, method="L-BFGS-B", bounds=[(-5.0, 5.0), (None, None)]).x
    return float(np.exp(found[0])), float(found[1])
