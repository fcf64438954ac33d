"""Two entities compared: how alike they are, how much their densities overlap, and whom both are near.

The overlap of two densities is their Bhattacharyya coefficient, the integral of sqrt(p q), taken to the power 1/d: a
coefficient of d dimensions is next to 0 for all but the same density, and its geometric mean by dimension can be read.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import BaseModel, Field

from vbn.inference import stand_ins
from vbn.serve import schemas as out
from vbn.serve.answers import entity
from vbn.serve.served import Served

_LOOKED_AT = 50  # nearest of each
_SHOWN = 20


class Common(out.Entity):
    """An entity that is near both, with its two scores."""

    first: float
    second: float


class Chance(BaseModel):
    """How probably one occurs with the other."""

    left: str
    right: str
    p: float
    std: float


class Compared(out.Answered):
    """Two entities compared; a user and an item have no cosine, because they lie in different spaces."""

    expected: float | None = Field(description="The expected cosine, by which lists of neighbours are ranked.")
    cosine: float | None = Field(description="Of the means.")
    std: float | None = Field(description="The standard deviation of the cosine.")
    overlap: float | None = Field(description="Of the densities, by dimension: 1 if they are the same.")
    chances: list[Chance]
    looked_at: int = Field(description="How many of the nearest of each were looked at.")
    n_shared: int
    shared: list[Common]
    ancestors: list[out.Entity] = Field(description="What both are below in the taxonomy, the nearest first.")


def overlap(mean: np.ndarray, variance: np.ndarray, other_mean: np.ndarray, other_variance: np.ndarray) -> float:
    """Return the overlap of two densities by dimension.

    >>> overlap(np.zeros(3), np.ones(3), np.zeros(3), np.ones(3))
    1.0
    """
    a, b = variance.astype(np.float64), other_variance.astype(np.float64)
    apart = (mean.astype(np.float64) - other_mean.astype(np.float64)) ** 2
    distance = 0.25 * apart / (a + b) + 0.5 * np.log((a + b) / (2.0 * np.sqrt(a * b)))
    return float(np.exp(-distance.mean()))


def expected_cosine(
    mean: np.ndarray, variance: np.ndarray, other_mean: np.ndarray, other_variance: np.ndarray
) -> float:
    """Return E[a.b] / sqrt(E|a|^2 E|b|^2), by which neighbours are ranked."""
    a, b = mean.astype(np.float64), other_mean.astype(np.float64)
    squares = (a @ a + variance.astype(np.float64).sum()) * (b @ b + other_variance.astype(np.float64).sum())
    return float(a @ b / np.sqrt(max(squares, 1e-60)))


def compared(served: Served, first: str, second: str, side: out.Side, other_side: out.Side) -> Compared:
    """Compare two entities of the same side, or a row with a column."""
    if side == other_side or served.trained.shared:
        return _of_a_kind(served, first, second, side)
    row, column = (first, second) if side == "row" else (second, first)
    return _row_and_column(served, row, column, swapped=side == "column")


def _of_a_kind(served: Served, first: str, second: str, side: out.Side) -> Compared:
    model, names = served.model, served.trained.vocabulary(side)
    a, b = (model.posterior(name, side=side) for name in (first, second))
    alike = model.similarity(first, second, side=side)
    near = [model.similar(name, _LOOKED_AT, side=side) for name in (first, second)]
    read = stand_ins(served.trained, names.ids([first, second]), side)
    only = served.trained.profile.categories(side)
    chances = []
    if served.trained.shared and not only[names.ids([first, second])].any():
        chances = _chances(model, [(first, second), (second, first)])
    shared, total = _common(served, near[0], near[1], side)
    return Compared(
        model=served.id,
        expected=expected_cosine(read.mean[0], read.variance[0], read.mean[1], read.variance[1]),
        cosine=alike.score,
        std=alike.std,
        overlap=overlap(a.mean, a.variance, b.mean, b.variance),
        chances=chances,
        looked_at=_LOOKED_AT,
        n_shared=total,
        shared=shared,
        ancestors=_ancestors(served, first, second, side),
    )


def _row_and_column(served: Served, row: str, column: str, swapped: bool) -> Compared:
    model = served.model
    likely = model.recommend(user=row, k=_LOOKED_AT, exclude_seen=model.has_counts)
    near = model.similar(column, _LOOKED_AT)
    only = bool(served.trained.profile.categories("column")[served.trained.columns.id(column)])
    first, second = (near, likely) if swapped else (likely, near)
    shared, total = _common(served, first, second, "column")
    chances = [] if only else _chances(model, [(row, column)])
    return Compared(
        model=served.id,
        expected=None,
        cosine=None,
        std=None,
        overlap=None,
        chances=chances,
        looked_at=_LOOKED_AT,
        n_shared=total,
        shared=shared,
        ancestors=[],
    )


def _chances(model: Any, pairs: list[tuple[str, str]]) -> list[Chance]:
    p, std = model.predict_proba(pairs, return_std=True)
    made = zip(pairs, p.tolist(), std.tolist(), strict=True)
    return [Chance(left=left, right=right, p=each, std=spread) for (left, right), each, spread in made]


def _common(served: Served, first: Any, second: Any, side: out.Side) -> tuple[list[Common], int]:
    names = served.trained.vocabulary(side)
    one, other = ({row.entity: row.score for row in table} for table in (first, second))
    both = sorted(one.keys() & other.keys(), key=lambda name: (-one[name] - other[name], name))
    found = [
        Common(**entity(served, names.id(name), side).model_dump(), first=one[name], second=other[name])
        for name in both[:_SHOWN]
    ]
    return found, len(both)


def _ancestors(served: Served, first: str, second: str, side: out.Side) -> list[out.Entity]:
    taxonomy, names = served.trained.taxonomy(side), served.trained.vocabulary(side)
    if taxonomy is None:
        return []
    above = {*taxonomy.ancestors(second), names[names.id(second)]}
    found = [name for name in (names[names.id(first)], *taxonomy.ancestors(first)) if name in above]
    return [entity(served, names.id(name), side) for name in found[:_SHOWN]]
