"""What moved a density from its prior mean, cell by cell.

At the fixed point of the entity update (docs/maths.md) P_d (mu_d - m_d) is a sum over cells, with s = +1 or -1 for
weight w as positive or negative: v_d (s w / 2 - L E[x]) + L (v_d^2 (mu_d - m_d) - var_vd m_d), L = 2 lambda(xi) w. So
the moves of all cells add up to the way from the prior mean to the mean; relations alike, with their projections.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vbn.inference.expected import Cells
from vbn.model import Factors, Trained, project

_CHUNK = 1 << 14  # cells at a time, so that a model of a million entities needs no copy of itself


@dataclass(frozen=True)
class Own:
    """One density to be explained, in float64: its mean and variance, and the mean that its parents give it."""

    part: str
    number: int
    mean: np.ndarray
    variance: np.ndarray
    prior_mean: np.ndarray

    @property
    def shift(self) -> np.ndarray:
        """The way from the prior mean to the mean."""
        result: np.ndarray = self.mean - self.prior_mean
        return result


@dataclass(frozen=True)
class Moves:
    """Moves that cells cause, and the precision that they add in each dimension."""

    positive: np.ndarray
    negative: np.ndarray
    precision: np.ndarray


def curvature(xi: np.ndarray) -> np.ndarray:
    """lambda(xi) = tanh(xi / 2) / (4 xi), 1/8 at 0."""
    safe = np.maximum(xi, 1e-3)
    result: np.ndarray = np.where(xi < 1e-3, 0.125 - xi**2 / 96.0, np.tanh(0.5 * safe) / (4.0 * safe))
    return result


def cooccurrence_moves(trained: Trained, own: Own, cells: Cells) -> tuple[Moves, np.ndarray]:
    """Moves of all co-occurrence cells, and how far each positive one moves along the shift."""
    total = Moves(*(np.zeros_like(own.mean) for _ in range(3)))
    along = [np.empty(0)]
    for first in range(0, len(cells.others), _CHUNK):
        chunk = Cells(*(array[first : first + _CHUNK] for array in cells))
        moves, pulls = _moves_of_chunk(trained, own, chunk)
        total = Moves(*(a + b for a, b in zip(vars(total).values(), vars(moves).values(), strict=True)))
        along.append(pulls)
    return total, np.concatenate(along)


def _moves_of_chunk(trained: Trained, own: Own, cells: Cells) -> tuple[Moves, np.ndarray]:
    other = trained.part("v" if own.part == "u" else "u")
    v, v_variance = other.mean[cells.others].astype(np.float64), other.variance[cells.others].astype(np.float64)
    bias = trained.posterior.bias
    at = cells.others if own.part == "u" else np.full(len(cells.others), own.number)
    score = v @ own.mean + bias.mean[at]
    squared = v**2
    variance = v_variance @ (own.mean**2 + own.variance) + squared @ own.variance + bias.variance[at]
    slope = 2.0 * curvature(np.sqrt(score**2 + variance))

    def move(weight: np.ndarray, sign: float) -> np.ndarray:
        stiff = weight * slope
        result: np.ndarray = own.variance * (
            (0.5 * sign * weight - stiff * score) @ v
            + (stiff @ squared) * own.shift
            - (stiff @ v_variance) * own.prior_mean
        )
        return result

    moves = Moves(
        move(cells.positive, 1.0),
        move(cells.negative, -1.0),
        (slope * (cells.positive + cells.negative)) @ (squared + v_variance),
    )
    scaled = own.variance * _unit(own.shift)
    stiff_along = squared @ (scaled * own.shift) - v_variance @ (scaled * own.prior_mean)
    along = cells.positive * ((0.5 - slope * score) * (v @ scaled) + slope * stiff_along)
    return moves, along


def relation_moves(trained: Trained, own: Own, relation: int, cells: Cells) -> Moves:
    """Moves of the cells of one relation, by way of its factors."""
    q = trained.posterior
    start, stop = int(q.offsets[relation]), int(q.offsets[relation + 1])
    mine, others = (q.x, q.y) if own.part == "u" else (q.y, q.x)
    me = np.array([own.number], dtype=np.int32)
    a, a_second = project(trained.part(own.part), mine, start, stop, me)
    total = Moves(*(np.zeros_like(own.mean) for _ in range(3)))
    for first in range(0, len(cells.others), _CHUNK):
        ids = cells.others[first : first + _CHUNK].astype(np.int32)
        c, c_second = project(trained.part("v" if own.part == "u" else "u"), others, start, stop, ids)
        at = ids if own.part == "u" else np.full(len(ids), own.number)
        r, r_variance = (array[relation, at].astype(np.float64) for array in _biases(trained))
        mean = c @ a[0]
        square = np.einsum("jmn,mn->j", c_second, a_second[0]) + 2.0 * r * mean + r**2 + r_variance
        slope = 2.0 * curvature(np.sqrt(square))
        moves = []
        for sign, weight in ((1.0, cells.positive), (-1.0, cells.negative)):
            w = weight[first : first + _CHUNK]
            pull = (w * (0.5 * sign - slope * r)) @ c
            stiff = np.einsum("j,jmn->mn", w * slope, c_second)
            moves.append(_through_factors(own, mine, start, stop, a[0], pull, stiff))
        total = Moves(
            total.positive + moves[0][0], total.negative + moves[1][0], total.precision + moves[0][1] + moves[1][1]
        )
    return total


def _biases(trained: Trained) -> tuple[np.ndarray, np.ndarray]:
    bias = trained.posterior.relation_bias
    return bias.mean, bias.variance


def _through_factors(
    own: Own, factors: Factors, start: int, stop: int, a: np.ndarray, pull: np.ndarray, stiff: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What a pull and a stiffness in the relation's space do to the entity: a move, and precision."""
    x, x_variance = (array[start:stop].astype(np.float64) for array in (factors.mean, factors.variance))
    coupled = np.einsum("md,mn,nd->d", x, stiff, x)
    loose = np.diag(stiff) @ x_variance
    move = own.variance * ((pull - stiff @ a) @ x + coupled * own.shift - loose * own.prior_mean)
    return move, coupled + loose


def _unit(vector: np.ndarray) -> np.ndarray:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else np.zeros_like(vector)
