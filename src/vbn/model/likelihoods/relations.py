"""Typed relations: d ~ sigmoid(sum_m (x_m.u_i)(y_m.v_j) + r_j). Update x, y and r from the cells of each relation.

Cells come in two layouts: a list per relation, from which its own variables learn, and the cells of all relations by
entity, from which u and v learn. `RelationCells` builds each layout on first use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from vbn.kernels import RelationArrays
from vbn.model.block import Block
from vbn.model.engine import Engine
from vbn.model.fields import Gaussians
from vbn.model.likelihoods.base import EntityCells, Explained, Moves, curvature
from vbn.model.posterior import Posterior, RelationBlocks
from vbn.sampling import Cells


def project(entities: Gaussians, factors: Gaussians, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return E[a_m] as (n, rank) and E[a_m a_n] as (n, rank, rank) of some entities, where a = X u."""
    from vbn.kernels.relations import project as kernel

    rank = len(factors.mean)
    first, second = np.empty((len(ids), rank)), np.empty((len(ids), rank, rank))
    kernel(ids, entities.densities, factors.densities, 0, rank, first, second)
    return first, second


@dataclass(frozen=True)
class RelationList:
    """Cells of a relation; `left` and `right` are positions in `rows` and `columns`, the entities that occur in it."""

    rows: np.ndarray
    columns: np.ndarray
    left: np.ndarray
    right: np.ndarray
    column_of: np.ndarray
    positive: np.ndarray
    negative: np.ndarray

    @classmethod
    def of(cls, cells: Cells) -> RelationList:
        """Return the cells of a relation as a list."""
        rows, left = np.unique(cells.rows(), return_inverse=True)
        columns, right = np.unique(cells.indices, return_inverse=True)
        return cls(rows, columns, left, right, cells.indices, cells.positive, cells.negative)


@dataclass(frozen=True)
class Bilinear:
    """The likelihood of the cells of a relation, given its blocks and the densities of the entities."""

    blocks: RelationBlocks
    u: Gaussians
    v: Gaussians

    def update(self, cells: RelationList) -> None:
        """Update x, then y, then r."""
        self.update_factors(cells, columns=False)
        self.update_factors(cells, columns=True)
        self.move_biases(cells)
        self.update_biases(cells)

    @cached_property
    def certain(self) -> bool:
        """Return whether no entity has any variance, like vectors that are read out; much is cheaper then."""
        return not (self.u.variance.any() or self.v.variance.any())

    def project(self, entities: Gaussians, factors: Gaussians, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the moments of the projections of entities; of certain ones, means and variances (n, rank)."""
        if not self.certain:
            return project(entities, factors, ids)
        from vbn.kernels.relations import project_certain

        mean, variance = np.empty((len(ids), len(factors.mean))), np.empty((len(ids), len(factors.mean)))
        project_certain(ids, entities.densities, factors.densities, mean, variance)
        return mean, variance

    def update_factors(self, cells: RelationList, columns: bool) -> None:
        """Update q(x_m), or q(y_m) with `columns`, one m after the other, Eq. (x-update)."""
        from vbn.kernels.relations import update_certain_factors, update_factors

        sides = [(self.u, self.blocks.x, cells.rows, cells.left), (self.v, self.blocks.y, cells.columns, cells.right)]
        (entities, own, ids, mine), (partners, other, other_ids, theirs) = sides[::-1] if columns else sides
        inputs = (
            mine,
            theirs,
            cells.positive,
            cells.negative,
            ids,
            entities.densities,
            own.densities,
            own.tau,
            own.moments().mean,
            own.evidence,
            cells.column_of,
            self.blocks.r.densities,
            *self.project(entities, own, ids),
            *self.project(partners, other, other_ids),
        )
        if self.certain:
            update_certain_factors(*inputs)
        else:
            update_factors(0, len(own), *inputs)

    def move_biases(self, cells: RelationList) -> None:
        """Move all active r_j and their common mean, if they have one, by the same optimal step."""
        from vbn.kernels.relations import relation_residuals

        r = self.blocks.r
        pull, stiff = relation_residuals(*self._scored(cells), r.densities)
        if r.sites is not None:
            linear, precision = r.sites.linear, r.sites.precision
            pull += float((linear - precision * r.mean)[r.active].sum(dtype=np.float64))
            stiff += float(precision[r.active].sum(dtype=np.float64))
        r.mean[r.active] += r.mean.dtype.type(r.prior.move_together(pull, stiff))

    def update_biases(self, cells: RelationList) -> None:
        """Update all active q(r_j), Eq. (r_jk-updates)."""
        from vbn.kernels.relations import update_relation_biases

        r = self.blocks.r
        update_relation_biases(*self._scored(cells), *r.natural_prior(), r.densities, r.active)

    def log_likelihood(self, cells: RelationList) -> float:
        """Return the bounded log-likelihood of the cells, at the best zeta."""
        from vbn.kernels.relations import relation_likelihood

        return float(relation_likelihood(*self._scored(cells), self.blocks.r.densities))

    def pair_moments(self, rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the means and variances of the scores of some pairs."""
        from vbn.kernels.predictive import relation_pair_moments

        mean, variance = np.empty(len(rows)), np.empty(len(rows))
        relation_pair_moments(
            0,
            len(rows),
            0,
            self.blocks.rank,
            rows,
            columns,
            self.u.densities,
            self.v.densities,
            self.blocks.x.densities,
            self.blocks.y.densities,
            self.blocks.r.densities,
            mean,
            variance,
        )
        return mean, variance

    def moves(self, own: Explained, cells: EntityCells) -> Moves:
        """Return the moves of the cells of an entity, through the factors."""
        sides = [(self.u, self.blocks.x), (self.v, self.blocks.y)]
        (entities, mine), (partners, others) = sides[::-1] if own.is_column else sides
        a, a_second = project(entities, mine, np.array([own.number], dtype=np.int32))
        total = Moves.none(own)
        for chunk in cells.chunks():
            c, c_second = project(partners, others, chunk.others.astype(np.int32))
            at = own.columns_of(chunk)
            r, r_variance = (array[at].astype(np.float64) for array in (self.blocks.r.mean, self.blocks.r.variance))
            mean = c @ a[0]
            square = np.einsum("jmn,mn->j", c_second, a_second[0]) + 2.0 * r * mean + r**2 + r_variance
            slope = 2.0 * curvature(np.sqrt(square))
            moves = []
            for sign, weight in ((1.0, chunk.positive), (-1.0, chunk.negative)):
                pull = (weight * (0.5 * sign - slope * r)) @ c
                stiff = np.einsum("j,jmn->mn", weight * slope, c_second)
                moves.append(_through_factors(own, mine, a[0], pull, stiff))
            total += Moves(moves[0][0], moves[1][0], moves[0][1] + moves[1][1], np.empty(0))
        return total

    def _scored(self, cells: RelationList) -> tuple[np.ndarray, ...]:
        """Return the cells with the moments of their scores, without biases."""
        from vbn.kernels.relations import cell_moments, certain_moments

        rows, columns = (
            self.project(entities, factors, ids)
            for entities, factors, ids in (
                (self.u, self.blocks.x, cells.rows),
                (self.v, self.blocks.y, cells.columns),
            )
        )
        mean, square = np.empty(len(cells.left)), np.empty(len(cells.left))
        compute = certain_moments if self.certain else cell_moments
        compute(cells.left, cells.right, *rows, *columns, mean, square)
        return cells.column_of, cells.positive, cells.negative, mean, square


def _through_factors(
    own: Explained, factors: Gaussians, a: np.ndarray, pull: np.ndarray, stiff: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the move and the precision that a pull and a stiffness in the relation's space give to the entity."""
    x, x_variance = (array.astype(np.float64) for array in (factors.mean, factors.variance))
    coupled = np.einsum("md,mn,nd->d", x, stiff, x)
    loose = np.diag(stiff) @ x_variance
    move = own.variance * ((pull - stiff @ a) @ x + coupled * own.shift - loose * own.prior_mean)
    return move, coupled + loose


def likelihoods_of(posterior: Posterior, entities: tuple[Gaussians, Gaussians]) -> list[Bilinear]:
    """Return the likelihoods of all relations, given the densities of rows and columns."""
    return [Bilinear(blocks, *entities) for blocks in posterior.relations]


def for_each(likelihoods: Sequence[Bilinear], cells: RelationCells, engine: Engine, task: Any) -> list[Any]:
    """Return task(likelihood, cells) for every relation, run in parallel."""
    lists = cells.lists
    return engine.map(lambda k, _: task(likelihoods[k], lists[k]), [(k, k + 1) for k in range(len(likelihoods))])


@dataclass(frozen=True)
class MergedRelations:
    """Cells of all relations by row, those of one row sorted by relation.

    `ids[k]` holds the other side's entities in relation k; `places[cell]` is the position of the cell's entity in the
    concatenation of all `ids`.
    """

    indptr: np.ndarray
    indices: np.ndarray
    kind: np.ndarray
    positive: np.ndarray
    negative: np.ndarray
    places: np.ndarray
    ids: list[np.ndarray]

    @classmethod
    def of(cls, relations: Sequence[Cells], n_rows: int, dtype: np.dtype) -> MergedRelations:
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
    """The relation cells of a sample.

    With `apart`, relations are learned separately, and u and v learn nothing from them.
    """

    def __init__(self, cells: Sequence[Cells], shape: tuple[int, int], posterior: Posterior, apart: bool) -> None:
        self._cells, self._shape, self._posterior = cells, shape, posterior
        self._heard = () if apart else tuple(cells)

    @property
    def size(self) -> int:
        """Return the number of cells."""
        return sum(len(cells) for cells in self._cells)

    @cached_property
    def lists(self) -> list[RelationList]:
        """Return the cells of each relation as a list."""
        return [RelationList.of(cells) for cells in self._cells]

    def arrays(self, of_columns: bool) -> RelationArrays:
        """Return the cells by row, or by column, with the factors of that side and the projections of the other."""
        q = self._posterior
        merged, other = (self._by_column, q.u) if of_columns else (self._by_row, q.v)
        pairs = [(each.y, each.x) if of_columns else (each.x, each.y) for each in q.relations]
        return _arranged(merged, pairs, other, [each.r for each in q.relations], len(q.v))

    @cached_property
    def _by_row(self) -> MergedRelations:
        return MergedRelations.of(self._heard, self._shape[0], self._posterior.u.mean.dtype)

    @cached_property
    def _by_column(self) -> MergedRelations:
        turned = [cells.transposed for cells in self._heard]
        return MergedRelations.of(turned, self._shape[1], self._posterior.v.mean.dtype)


def no_relations(n_rows: int, entities: Block) -> RelationArrays:
    """Return the arrays for rows without relations; `entities` has the type and dimension of the model."""
    return _arranged(MergedRelations.of((), n_rows, entities.mean.dtype), [], entities, [], n_rows)


def _arranged(
    merged: MergedRelations,
    factors: list[tuple[Block, Block]],
    other: Block,
    biases: list[Block],
    n_columns: int,
) -> RelationArrays:
    """Return the arrays for kernels: factors of all relations stacked, projections as wide as the largest rank."""
    dtype, dim = other.mean.dtype, other.gamma.dim
    ranks = [len(own) for own, _ in factors]
    total, widest = sum(map(len, merged.ids)), max(ranks, default=0)
    first, second = np.zeros((total, widest)), np.zeros((total, widest, widest))
    at = 0
    for rank, ids, (_, theirs) in zip(ranks, merged.ids, factors, strict=False):
        rows = slice(at, at + len(ids))
        first[rows, :rank], second[rows, :rank, :rank] = project(other, theirs, ids)
        at += len(ids)

    def stacked(arrays: list[np.ndarray], width: int) -> np.ndarray:
        return np.concatenate([np.empty((0, width), dtype), *arrays])

    return RelationArrays(
        indptr=merged.indptr,
        indices=merged.indices,
        kind=merged.kind,
        positive=merged.positive,
        negative=merged.negative,
        offsets=np.concatenate(([0], np.cumsum(ranks, dtype=np.int64))).astype(np.int64),
        own_mean=stacked([own.mean for own, _ in factors], dim),
        own_variance=stacked([own.variance for own, _ in factors], dim),
        places=merged.places,
        c_first=first,
        c_second=second,
        bias_mean=stacked([r.mean[None] for r in biases], n_columns),
        bias_variance=stacked([r.variance[None] for r in biases], n_columns),
    )
