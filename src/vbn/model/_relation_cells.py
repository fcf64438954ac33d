"""The relation cells of an epoch's sample, in the layouts that the blocks read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vbn.kernels import RelationArrays
from vbn.model._posterior import Posterior
from vbn.model._projections import project_all
from vbn.sampling import Cells


@dataclass(frozen=True)
class RelationList:
    """Cells of a relation; `left` and `right` are places in `rows` and `columns`, the entities that occur in it."""

    rows: np.ndarray
    columns: np.ndarray
    left: np.ndarray
    right: np.ndarray
    column_of: np.ndarray
    positive: np.ndarray
    negative: np.ndarray

    @classmethod
    def of(cls, cells: Cells) -> RelationList:
        """List the cells of a relation."""
        rows, left = np.unique(cells.rows(), return_inverse=True)
        columns, right = np.unique(cells.indices, return_inverse=True)
        return cls(rows, columns, left, right, cells.indices, cells.positive, cells.negative)


@dataclass(frozen=True)
class MergedRelations:
    """Cells of all relations by row, those of one row sorted by relation.

    `ids[k]` are the other side's entities in relation k; `places[cell]` says where the cell's stands among them all.
    """

    indptr: np.ndarray
    indices: np.ndarray
    kind: np.ndarray
    positive: np.ndarray
    negative: np.ndarray
    places: np.ndarray
    ids: list[np.ndarray]

    @classmethod
    def of(cls, relations: tuple[Cells, ...], n_rows: int, dtype: np.dtype) -> MergedRelations:
        """Merge the cells of relations."""
        none, empty = np.empty(0, np.int32), np.empty(0, dtype)
        if not relations:
            return cls(np.zeros(n_rows + 1, np.int64), none, none, empty, empty, np.empty(0, np.int64), [])
        ids, places, before = [], [], 0
        for cells in relations:
            distinct, place = np.unique(cells.indices, return_inverse=True)
            ids.append(distinct)
            places.append(before + place)
            before += len(distinct)
        rows = np.concatenate([cells.rows() for cells in relations])
        order = np.argsort(rows, kind="stable")
        indptr = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n_rows)))).astype(np.int64)
        kind = np.concatenate([np.full(len(cells), k, np.int32) for k, cells in enumerate(relations)])
        indices, positive, negative = (
            np.concatenate([getattr(cells, name) for cells in relations])[order]
            for name in ("indices", "positive", "negative")
        )
        return cls(indptr, indices, kind[order], positive, negative, np.concatenate(places)[order], ids)


class RelationCells:
    """The cells of all relations.

    `apart`: relations are learned apart, and tell u and v nothing.
    """

    def __init__(self, relations: tuple[Cells, ...], shape: tuple[int, int], posterior: Posterior, apart: bool) -> None:
        self._relations, self._shape, self._posterior = relations, shape, posterior
        self._telling = () if apart else relations

    @property
    def size(self) -> int:
        """Number of cells."""
        return sum(len(cells) for cells in self._relations)

    def arrays(self, side: str) -> RelationArrays:
        """Relation cells by the entities of a side, with its factors and the projections of the other side."""
        q = self._posterior
        own, other = (q.x, q.y) if side == "u" else (q.y, q.x)
        part, merged = (q.v, self._by_u) if side == "u" else (q.u, self._by_v)
        first, second = project_all(part, other, q.offsets, merged.ids)
        return RelationArrays(
            merged.indptr, merged.indices, merged.kind, merged.positive, merged.negative, q.offsets, own.mean,
            own.variance, merged.places, first, second, q.relation_bias.mean, q.relation_bias.variance,
        )  # fmt: skip

    @cached_property
    def lists(self) -> list[RelationList]:
        """The cells of each relation as a list."""
        return [RelationList.of(cells) for cells in self._relations]

    @cached_property
    def _by_u(self) -> MergedRelations:
        return MergedRelations.of(self._telling, self._shape[0], self._posterior.u.mean.dtype)

    @cached_property
    def _by_v(self) -> MergedRelations:
        turned = tuple(cells.transposed for cells in self._telling)
        return MergedRelations.of(turned, self._shape[1], self._posterior.v.mean.dtype)
