"""One model turned into the coordinates of another: the orthogonal rotation that brings shared entities together.

Scores depend on u.v only, so u and v may be turned together by any orthogonal R: means become mu R, those of
categories too, the weights of features M R (their covariance is the same in all dimensions), factors of relations X R.
Precisions belong to a variable as a whole and stay. What is not free are variances: those of an entity differ by
dimension, and the covariance R' diag(s) R of the turned density is no longer diagonal. Its diagonal,

    s'_d = sum_e R_ed^2 s_e,

is the nearest density that factorises (it minimises KL(turned || diagonal)). The mean of every score, E|z|^2 and the
distances to prior means stay as they are. The variance of a score, mu_u' S_v mu_u + mu_v' S_u mu_v + tr S_u S_v,
loses cross terms of the turned covariances; in its first two parts they average 0 over directions. Where the variances
of an entity are alike, or R only swaps and flips dimensions, nothing changes. `vbn.inference.aligning` measures it.

R maximises sum_i w_i (mu_i R).nu_i over the entities that both models have data of, the Procrustes problem with weights
w_i = 1 / (s_i + t_i), the mean variances of the two densities: R = U V' of the singular value decomposition.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from vbn.model.block import Block
from vbn.model.engine import row_ranges
from vbn.model.fields import VARIANCE
from vbn.model.posterior import Posterior, common_places
from vbn.model.steady import steadily
from vbn.model.trained import Trained


class Turn(NamedTuple):
    """A rotation (t, t), and how well the shared vectors agree before and after it: 1 if they are the same."""

    rotation: np.ndarray
    before: float
    after: float


@steadily
def turn_to(trained: Trained, like: Trained) -> Turn | None:
    """Return the rotation of a model towards another one; None if they share too little to tell."""
    own, other, dim = trained.posterior, like.posterior, trained.posterior.dim
    moment, squares, shared = np.zeros((dim, dim)), np.zeros(2), 0
    for mine, theirs, places in (
        (own.u, other.u, common_places(trained.rows, like.rows)),
        (own.v, other.v, common_places(trained.columns, like.columns)),
    ):
        known = mine.active[places[0]] & theirs.active[places[1]]
        here, there = places[0][known], places[1][known]
        shared += len(here)
        for first, last in row_ranges(len(here)):
            a, b, weights = _weighted(mine, theirs, here[first:last], there[first:last])
            moment += (a * weights).T @ b
            squares += [float((weights * part**2).sum()) for part in (a, b)]
    scale = float(np.sqrt(squares.prod()))
    if shared < dim or not scale > 0:
        return None
    left, singular, right = np.linalg.svd(moment)
    return Turn(left @ right, float(np.trace(moment)) / scale, float(singular.sum()) / scale)


def _weighted(mine: Block, theirs: Block, here: np.ndarray, there: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the means of some entities in both models, and what each of them weighs."""
    a, b = mine.mean[here].astype(np.float64), theirs.mean[there].astype(np.float64)
    spread = mine.variance[here].astype(np.float64).mean(axis=1) + theirs.variance[there].mean(axis=1)
    return a, b, 1.0 / spread[:, None]


@steadily
def turned(trained: Trained, rotation: np.ndarray) -> Trained:
    """Return the same model in turned coordinates."""
    arrays = {path: array.copy() for path, array in trained.posterior.arrays().items()}
    for path, field, array in trained.posterior.declared():
        if path.startswith(("u.", "v.")) and field.axes[-1] == "dim":
            arrays[path] = _turned(array, rotation, squared=field.role == VARIANCE)
    for number, info in enumerate(trained.relations):
        for factor in ("x", "y"):
            mixed = info.prior != 0.0 and info.rank == trained.posterior.dim
            _turn_factors(arrays, f"relation {number}.{factor}.", rotation, mixed)
    posterior: Posterior = trained.posterior.with_arrays(arrays)
    company = trained.company
    if company is not None:
        variance = _turned(company.variance, rotation, squared=True)
        company = replace(company, mean=_turned(company.mean, rotation), variance=variance)
    return replace(trained, posterior=posterior, company=company)


def _turn_factors(arrays: dict[str, np.ndarray], path: str, rotation: np.ndarray, mixed: bool) -> None:
    """Turn the factors of a relation: X R, or R' X R where their prior mean is c I, which then stays the same."""
    mean, variance, rate = (f"{path}{name}" for name in ("mean", "variance", "rate"))
    arrays[mean] = _turned(arrays[mean], rotation)
    arrays[variance] = _turned(arrays[variance], rotation, squared=True)
    if mixed:
        arrays[mean] = _turned(arrays[mean].T, rotation).T.copy()
        arrays[variance] = _turned(arrays[variance].T, rotation, squared=True).T.copy()
        arrays[rate] = _turned(arrays[rate], rotation, squared=True)


def _turned(array: np.ndarray, rotation: np.ndarray, squared: bool = False) -> np.ndarray:
    matrix = rotation**2 if squared else rotation
    return np.asarray((array @ matrix.astype(array.dtype)).astype(array.dtype, copy=False))
