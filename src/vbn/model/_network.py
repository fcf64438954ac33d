"""What the blocks of an epoch work on: the posterior, the graphs, the hyperpriors, and this epoch's sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vbn.data._cells import Cells, Sample, ranges_by_cells
from vbn.kernels._arrays import CellArrays, EvidenceArrays, PriorArrays, RelationArrays
from vbn.model._evidence import Evidence, no_evidence
from vbn.model._graph import PartGraph
from vbn.model._hyper import Hyperpriors
from vbn.model._posterior import Biases, Gaussians, Part, Posterior, Scalars, factor_prior
from vbn.model._projections import project_all
from vbn.model._readout import Readout

_CELLS_PER_TASK = 1 << 15
_ROWS_PER_TASK = 1 << 13


@dataclass
class Network:
    """The model in training."""

    posterior: Posterior
    u_graph: PartGraph
    v_graph: PartGraph
    hyperpriors: Hyperpriors
    bias_active: np.ndarray
    relation_bias_active: np.ndarray
    centred_biases: bool = True
    evidence: Evidence | None = None
    relation_priors: Sequence[float] = ()
    readout: Readout | None = None

    def relation_parts(self) -> tuple[Gaussians, Gaussians]:
        """The densities of rows and columns that relations are about: u and v, or what is read out of these."""
        q = self.posterior
        return (q.u, q.v) if self.readout is None else self.readout.vectors(q)

    @cached_property
    def factor_prior(self) -> np.ndarray:
        """Prior means of all x_m, which are also those of all y_m."""
        return factor_prior(self.posterior.offsets, self.relation_priors, self.posterior.dim)

    def part(self, side: str) -> tuple[Part, PartGraph]:
        """The posterior and the graph of side "u" or "v"."""
        if side == "u":
            return self.posterior.u, self.u_graph
        return self.posterior.v, self.v_graph

    def tau(self, rate: np.ndarray, kind: str, dim: int) -> np.ndarray:
        """E[tau] = shape / rate."""
        return self.hyperpriors.shape(kind, dim) / rate

    def prior(self, side: str) -> PriorArrays:
        """What draws the entities of a side to their parents, as kernels take it."""
        part, graph = self.part(side)
        tau = self.tau(part.tau_rate, "entity", self.posterior.dim)
        return PriorArrays(
            tau, graph.parent_indptr, graph.parents, graph.parent_weights, part.category_mean, part.category_variance,
            self.evidence_on(side),
        )  # fmt: skip

    def bias_tree(self) -> PriorArrays:
        """What draws biases to those of their categories, as kernels take it; all relative to the common mean."""
        bias, graph = self.posterior.bias, self.v_graph
        return PriorArrays(
            self.tau(bias.tau_rate, "bias", 1), graph.parent_indptr, graph.parents, graph.parent_weights,
            bias.category_mean, bias.category_variance, no_evidence(1, bias.mean.dtype),
        )  # fmt: skip

    def nested_bias_prior(self) -> tuple[np.ndarray, np.ndarray]:
        """How far from the common mean the categories draw each bias, and the variance of that."""
        return nested_bias_prior(self.posterior.bias, self.v_graph)

    def scalar_prior(self, which: str) -> tuple[np.ndarray, np.ndarray]:
        """Precision, and precision times mean, that the prior and earlier data give to "bias" (b) or r."""
        scalars: Scalars = getattr(self.posterior, which)
        precision = self.tau(scalars.tau_rate, "bias" if which == "bias" else "relation", 1)
        if which == "bias":
            linear = precision * (scalars.centre_mean + self.nested_bias_prior()[0])
        else:
            linear = precision * scalars.centre_mean[:, None]
        if self.evidence is None:
            return precision, linear
        sites = getattr(self.evidence, which)
        return precision + sites.precision, linear + sites.linear

    def evidence_on(self, which: str) -> EvidenceArrays:
        """What earlier data said of "u", "v", "x" or "y"."""
        if self.evidence is None:
            return no_evidence(self.posterior.dim, self.posterior.u.mean.dtype)
        arrays: EvidenceArrays = getattr(self.evidence, which).arrays
        return arrays


def nested_bias_prior(bias: Biases, graph: PartGraph) -> tuple[np.ndarray, np.ndarray]:
    """How far from the common mean the categories draw each bias, and the variance of that; 0 without categories."""
    n = graph.n_entities
    if not bias.nested:
        return np.zeros(n), np.zeros(n)
    child, weights = np.repeat(np.arange(n), np.diff(graph.parent_indptr)), graph.parent_weights
    mean = np.bincount(child, weights * bias.category_mean[graph.parents, 0], minlength=n)
    return mean, np.bincount(child, weights**2 * bias.category_variance[graph.parents], minlength=n)


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


class EpochData:
    """A sample in the layouts that the blocks read.

    `apart`: relations are learned apart, and tell u and v nothing.
    """

    def __init__(self, sample: Sample, posterior: Posterior, apart: bool = False) -> None:
        self.sample = sample
        self._posterior = posterior
        self._telling = () if apart else sample.relations

    def cells(self, side: str) -> CellArrays:
        """Co-occurrence cells by the entities of a side."""
        cells = self.sample.cells if side == "u" else self.sample.cells.transposed
        return CellArrays(cells.indptr, cells.indices, cells.positive, cells.negative)

    def relation_arrays(self, side: str) -> RelationArrays:
        """Relation cells by the entities of a side, with its factors and the projections of the other side."""
        q = self._posterior
        own, other = (q.x, q.y) if side == "u" else (q.y, q.x)
        part, merged = (q.v, self._relations_by_u) if side == "u" else (q.u, self._relations_by_v)
        first, second = project_all(part, other, q.offsets, merged.ids)
        return RelationArrays(
            merged.indptr, merged.indices, merged.kind, merged.positive, merged.negative, q.offsets, own.mean,
            own.variance, merged.places, first, second, q.relation_bias.mean, q.relation_bias.variance,
        )  # fmt: skip

    @cached_property
    def relation_lists(self) -> list[RelationList]:
        """The cells of each relation as a list."""
        return [RelationList.of(cells) for cells in self.sample.relations]

    @cached_property
    def _relations_by_u(self) -> MergedRelations:
        return MergedRelations.of(self._telling, self.sample.cells.n_rows, self._posterior.u.mean.dtype)

    @cached_property
    def _relations_by_v(self) -> MergedRelations:
        turned = tuple(cells.transposed for cells in self._telling)
        return MergedRelations.of(turned, self.sample.cells.n_columns, self._posterior.v.mean.dtype)

    @cached_property
    def ranges(self) -> dict[str, list[tuple[int, int]]]:
        """Ranges of rows with about equal work, for each side."""
        return {side: ranges_by_cells(self.cells(side).indptr, _CELLS_PER_TASK) for side in ("u", "v")}


def row_ranges(n: int, rows_per_task: int = _ROWS_PER_TASK) -> list[tuple[int, int]]:
    """Ranges of equal length."""
    return [(first, min(first + rows_per_task, n)) for first in range(0, n, rows_per_task)]
