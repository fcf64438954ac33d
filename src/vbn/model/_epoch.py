"""The sample of an epoch, as the blocks ask for it: cells of ranges of rows, then of ranges of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from vbn.data._blocks import ColumnBlocks, Segments
from vbn.data._cells import Sample
from vbn.data._ranges import ranges_by_cells, ranges_by_load
from vbn.data._sampler import Sampler
from vbn.kernels._arrays import CellArrays
from vbn.model._engine import Engine
from vbn.model._posterior import Posterior
from vbn.model._relation_cells import RelationCells

_CELLS_PER_TASK = 1 << 15
_CELLS_PER_BLOCK = 1 << 16  # of columns
_CELLS_PER_GROUP = 1 << 22
_ENTRY = 10  # bytes that a cell takes between the half-sweeps, in float32

Range = tuple[int, int]


class EpochData(Protocol):
    """What an epoch learns from."""

    relations: RelationCells

    @property
    def size(self) -> int:
        """Number of cells of all kinds that were asked for so far."""

    def groups(self) -> Sequence[Sequence[Range]]:
        """Ranges of rows, in groups that are dealt with one after the other."""

    def rows(self, first: int, last: int) -> CellArrays:
        """The cells of a range of rows."""

    def put_aside(self, cells: Sequence[CellArrays], engine: Engine) -> None:
        """Keep the cells of a group of ranges of rows, to give them by column later."""

    def column_ranges(self) -> Sequence[Range]:
        """Ranges of columns."""

    def columns(self, first: int, last: int) -> CellArrays:
        """The cells of a range of columns, once all rows were put aside."""

    def close(self) -> None:
        """Let go of what was kept."""


class GivenSample:
    """A sample that is there as a whole.

    `apart`: relations are learned apart, and tell u and v nothing.
    """

    def __init__(self, sample: Sample, posterior: Posterior, apart: bool = False) -> None:
        self.sample, self.size = sample, sample.size
        shape = sample.cells.n_rows, sample.cells.n_columns
        self.relations = RelationCells(sample.relations, shape, posterior, apart)

    def groups(self) -> Sequence[Sequence[Range]]:
        """All ranges of rows."""
        return [ranges_by_cells(self.sample.cells.indptr, _CELLS_PER_TASK)]

    def rows(self, first: int, last: int) -> CellArrays:
        """The cells of a range of rows."""
        return self.sample.cells.part(first, last)

    def put_aside(self, cells: Sequence[CellArrays], engine: Engine) -> None:
        """Nothing to do."""

    def column_ranges(self) -> Sequence[Range]:
        """All ranges of columns."""
        return ranges_by_cells(self.sample.cells.transposed.indptr, _CELLS_PER_TASK)

    def columns(self, first: int, last: int) -> CellArrays:
        """The cells of a range of columns."""
        return self.sample.cells.transposed.part(first, last)

    def close(self) -> None:
        """Nothing to do."""


class Plan:
    """How the samples of a fit are divided, and where their cells are kept between the half-sweeps.

    Parameters
    ----------
    sampler
        Draws the samples.
    memory
        Bytes that cells may take; what is more goes to files. No limit if None.
    """

    def __init__(self, sampler: Sampler, memory: float | None = None) -> None:
        rows, columns = sampler.loads()
        total = float(rows.sum())
        self.sampler = sampler
        self.blocks = ColumnBlocks.of(columns, _CELLS_PER_BLOCK)
        self.on_disk = memory is not None and _ENTRY * total > memory
        self.groups: list[list[Range]] = []
        loads = np.concatenate(([0.0], np.cumsum(rows)))
        for bounds in ranges_by_load(rows + 1.0, _CELLS_PER_TASK):
            if not self.groups or loads[bounds[1]] - loads[self.groups[-1][0][0]] > _CELLS_PER_GROUP:
                self.groups.append([])
            self.groups[-1].append(bounds)


class DrawnSample:
    """A sample that is drawn while the rows are updated, and never there as a whole."""

    def __init__(self, plan: Plan, epoch: int, posterior: Posterior, engine: Engine, apart: bool = False) -> None:
        self.plan, self.epoch = plan, epoch
        relations = plan.sampler.relation_sample(epoch, engine)
        self.relations = RelationCells(relations, plan.sampler.counts.shape, posterior, apart)
        self.size = sum(len(cells) for cells in relations)
        self._segments = Segments(plan.blocks, plan.sampler.dtype, plan.on_disk)

    def groups(self) -> Sequence[Sequence[Range]]:
        """Ranges of rows in groups of some millions of cells."""
        return self.plan.groups

    def rows(self, first: int, last: int) -> CellArrays:
        """Draw the cells of a range of rows."""
        return self.plan.sampler.draw(first, last, self.epoch)

    def put_aside(self, cells: Sequence[CellArrays], engine: Engine) -> None:
        """Keep the cells of a group of ranges of rows by block of columns."""
        self._segments.add(cells, engine)
        self.size += sum(len(part.indices) for part in cells)

    def column_ranges(self) -> Sequence[Range]:
        """The blocks of columns."""
        return self.plan.blocks.ranges

    def columns(self, first: int, last: int) -> CellArrays:
        """The cells of a block of columns."""
        return self._segments.cells(first, last)

    def close(self) -> None:
        """Let go of the cells."""
        self._segments.close()
