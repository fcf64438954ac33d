"""Co-occurrence: d ~ sigmoid(u_i.v_j + b_j). Update u, v and b from the cells of a sample.

The two half-sweeps run where the cells are. `EntityInputs` and `BiasInputs` hold everything they need besides the
cells, for all rows of a side. An engine that runs rows elsewhere sends `part(first, last)` there, numbered from 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vbn.kernels import BiasArrays, CellArrays, DensityArrays, EvidenceArrays, PriorArrays, RelationArrays
from vbn.model.block import Block
from vbn.model.engine import Engine
from vbn.model.likelihoods.base import EntityCells, Explained, Moves, curvature
from vbn.model.priors import Prior

if TYPE_CHECKING:
    from vbn.model.epoch import EpochData
    from vbn.model.likelihoods.relations import RelationCells
    from vbn.model.posterior import Posterior

DIRECT_CELLS = 1 << 16
"""Rows with more cells than this build their Gram matrix instead of laying out their contexts (200 bytes per cell)."""
NO_BIASES = BiasArrays(np.empty(0, bool), np.empty(0), np.empty(0), np.empty(0))
"""What rows that are not columns have in place of biases."""


class EntityInputs(NamedTuple):
    """The inputs of an update of q(u_i) or q(v_j), besides the cells: `own` is updated, the rest is only read.

    `other` holds the densities of the other side. `bias_is_own` says whether the biases belong to the rows that are
    updated (v) or to the other side (u). Means move `reach` times as far as to the best place.
    """

    active: np.ndarray
    own: DensityArrays
    tau: np.ndarray
    prior: Prior
    evidence: EvidenceArrays
    bias: DensityArrays
    bias_is_own: bool
    relations: RelationArrays
    other: DensityArrays
    reach: float = 1.0

    def update(self, first: int, last: int, cells: CellArrays, biases: BiasArrays = NO_BIASES) -> None:
        """Update the rows first..last-1 from their cells, Eq. (ui-update); with `biases`, also these of the columns."""
        from vbn.kernels.entities import update_entities

        prior = PriorArrays(self.prior.means(np.arange(first, last)), self.tau, self.evidence)
        rest = (prior, self.bias, self.bias_is_own, self.relations, DIRECT_CELLS, self.reach, biases)
        arguments = (first, last, self.active, cells, self.own, self.other, *rest)
        if update_entities(*arguments):  # a kernel that takes seconds to compile, which most fits do not need
            from vbn.kernels.gram import update_by_gram

            update_by_gram(*arguments)

    def part(self, first: int, last: int) -> EntityInputs:
        """Return the inputs of the rows first..last-1, numbered from 0; arrays that all rows share stay the same."""
        rows = slice(first, last)
        known = len(self.evidence.precision) > 0
        return self._replace(
            active=self.active[rows],
            own=_rows_of(self.own, rows),
            tau=self.tau[rows],
            prior=self.prior.part(first, last),
            evidence=EvidenceArrays(*(array[rows] for array in self.evidence)) if known else self.evidence,
            bias=_rows_of(self.bias, rows) if self.bias_is_own else self.bias,
            relations=_relations_of(self.relations, rows, self.bias_is_own),
        )


class BiasInputs(NamedTuple):
    """The inputs of an update of q(b_j): a mask, and the priors as precision and precision times mean."""

    active: np.ndarray
    precision: np.ndarray
    linear: np.ndarray

    def arrays(self, result: np.ndarray) -> BiasArrays:
        """Return them as a kernel takes them; the likelihood of each column's cells will be written to `result`."""
        return BiasArrays(*self, result)

    def part(self, first: int, last: int) -> BiasInputs:
        """Return the inputs of the columns first..last-1, numbered from 0."""
        return BiasInputs(*(array[first:last] for array in self))


@dataclass(frozen=True)
class Cooccurrence:
    """The likelihood of co-occurrence cells, given u, v and b."""

    u: Block
    v: Block
    bias: Block

    @classmethod
    def of(cls, posterior: Posterior) -> Cooccurrence:
        """Return the likelihood of a model's blocks."""
        return cls(posterior.u, posterior.v, posterior.bias)

    def entity_inputs(
        self, own: Block, relations: RelationCells | RelationArrays, active: np.ndarray | None = None
    ) -> EntityInputs:
        """Return the inputs of an update of q(u_i) or q(v_j); by default, of all entities that data reaches."""
        return EntityInputs(
            active=own.active if active is None else active,
            own=own.densities,
            tau=own.tau,
            prior=own.prior,
            evidence=own.evidence,
            bias=self.bias.densities,
            bias_is_own=own is self.v,
            relations=relations if isinstance(relations, RelationArrays) else relations.arrays(own is self.v),
            other=(self.u if own is self.v else self.v).densities,
        )

    def bias_inputs(self, active: np.ndarray) -> BiasInputs:
        """Return the inputs of an update of the active q(b_j)."""
        return BiasInputs(active, *self.bias.natural_prior())

    def update_rows(self, data: EpochData, engine: Engine, reach: float = 1.0) -> None:
        """Update all active q(u_i); their means move `reach` times as far as to the best place."""
        data.update_rows(self.entity_inputs(self.u, data.relations)._replace(reach=reach), engine)

    def update_columns(self, data: EpochData, engine: Engine, biases: bool = True, reach: float = 1.0) -> float:
        """Update all active q(v_j) and, with `biases`, q(b_j); return the log-likelihood of the cells afterwards."""
        active = self.bias.active if biases else np.zeros_like(self.bias.active)
        entities = self.entity_inputs(self.v, data.relations)._replace(reach=reach)
        return float(data.update_columns(entities, self.bias_inputs(active), engine).sum())

    def update_biases(self, data: EpochData, engine: Engine) -> float:
        """Update all active q(b_j) and nothing else; return the log-likelihood of the cells afterwards."""
        return self._with_columns_unmoved(data, engine, self.bias.active)

    def log_likelihood(self, data: EpochData, engine: Engine) -> float:
        """Return the bounded log-likelihood of all cells, at the best xi."""
        return self._with_columns_unmoved(data, engine, np.zeros_like(self.bias.active))

    def _with_columns_unmoved(self, data: EpochData, engine: Engine, active: np.ndarray) -> float:
        entities = self.entity_inputs(self.v, data.relations, np.zeros_like(self.v.active))
        return float(data.update_columns(entities, self.bias_inputs(active), engine).sum())

    def pair_moments(self, rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the means and variances of u_i.v_j + b_j for some pairs."""
        from vbn.kernels.predictive import pair_moments

        mean, variance = np.empty(len(rows)), np.empty(len(rows))
        blocks = (self.u.densities, self.v.densities, self.bias.densities)
        pair_moments(0, len(rows), rows, columns, *blocks, mean, variance)
        return mean, variance

    def moves(self, own: Explained, cells: EntityCells) -> Moves:
        """Return how the cells of an entity moved it from its prior mean."""
        return sum((self._moves_of_chunk(own, chunk) for chunk in cells.chunks()), Moves.none(own))

    def _moves_of_chunk(self, own: Explained, cells: EntityCells) -> Moves:
        other, at = self.u if own.is_column else self.v, own.columns_of(cells)
        v, v_variance = (array[cells.others].astype(np.float64) for array in (other.mean, other.variance))
        score, squared = v @ own.mean + self.bias.mean[at], v**2
        variance = v_variance @ (own.mean**2 + own.variance) + squared @ own.variance + self.bias.variance[at]
        slope = 2.0 * curvature(np.sqrt(score**2 + variance))

        def move(weight: np.ndarray, sign: float) -> np.ndarray:
            stiff = weight * slope
            pull = (0.5 * sign * weight - stiff * score) @ v + (stiff @ squared) * own.shift
            return np.asarray(own.variance * (pull - (stiff @ v_variance) * own.prior_mean))

        precision = (slope * (cells.positive + cells.negative)) @ (squared + v_variance)
        scaled = own.along_shift()
        stiff_along = squared @ (scaled * own.shift) - v_variance @ (scaled * own.prior_mean)
        along = cells.positive * ((0.5 - slope * score) * (v @ scaled) + slope * stiff_along)
        return Moves(move(cells.positive, 1.0), move(cells.negative, -1.0), precision, along)


def _rows_of(given: DensityArrays, rows: slice) -> DensityArrays:
    return DensityArrays(given.mean[rows], given.variance[rows])


_BY_CELL = ("indices", "kind", "positive", "negative", "places")


def _relations_of(relations: RelationArrays, rows: slice, bias_is_own: bool) -> RelationArrays:
    own = relations.indptr[rows.start : rows.stop + 1]
    cells = slice(int(own[0]), int(own[-1]))
    part = relations._replace(indptr=own - own[0], **{name: getattr(relations, name)[cells] for name in _BY_CELL})
    if not bias_is_own:
        return part
    # Copies, because kernels are compiled for contiguous arrays.
    mean, variance = (np.ascontiguousarray(array[:, rows]) for array in (relations.bias_mean, relations.bias_variance))
    return part._replace(bias_mean=mean, bias_variance=variance)
