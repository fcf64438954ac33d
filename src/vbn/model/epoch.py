"""The sample of an epoch, as the blocks ask for it: cells of ranges of rows, then of ranges of columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from vbn.data import Runner, ranges_by_cells, ranges_by_load
from vbn.kernels import CellArrays
from vbn.model.engine import Engine
from vbn.model.likelihoods import BiasInputs, EntityInputs, RelationCells
from vbn.model.posterior import Posterior
from vbn.sampling import ColumnBlocks, Sample, Sampler, Segments

_CELLS_PER_TASK = 1 << 15
_CELLS_PER_BLOCK = 1 << 16  # of columns
_CELLS_PER_GROUP = 1 << 22
_ENTRY = 10  # bytes that a cell takes between the half-sweeps, in float32

Range = tuple[int, int]


class EpochData(Protocol):
    """What an epoch learns from, wherever its co-occurrence cells are: two verbs, one for each half-sweep."""

    relations: RelationCells

    @property
    def size(self) -> int:
        """Number of cells of all kinds that were asked for so far."""

    def update_rows(self, entities: EntityInputs, engine: Engine) -> None:
        """Update the densities of all active rows in place, and keep the cells for the columns."""

    def update_columns(self, entities: EntityInputs, biases: BiasInputs, engine: Engine) -> np.ndarray:
        """Update the densities and biases of all active columns in place.

        Returns the bounded log-likelihood of each column's cells after that.
        """

    def close(self) -> None:
        """Let go of what was kept."""


class LocalCells(ABC):
    """Cells that this process draws or holds, range by range."""

    size: int

    @abstractmethod
    def groups(self) -> Sequence[Sequence[Range]]:
        """Ranges of rows, in groups that are dealt with one after the other."""

    @abstractmethod
    def rows(self, first: int, last: int) -> CellArrays:
        """The cells of a range of rows."""

    @abstractmethod
    def put_aside(self, cells: Sequence[CellArrays], engine: Runner) -> None:
        """Keep the cells of a group of ranges of rows, to give them by column later."""

    @abstractmethod
    def column_ranges(self) -> Sequence[Range]:
        """Ranges of columns."""

    @abstractmethod
    def columns(self, first: int, last: int) -> CellArrays:
        """The cells of a range of columns, once all rows were put aside."""

    def update_rows(self, entities: EntityInputs, engine: Runner) -> None:
        """Update the densities of all active rows in place, and put their cells aside for the columns."""

        def task(first: int, last: int) -> CellArrays:
            cells = self.rows(first, last)
            entities.update(first, last, cells)
            return cells

        for group in self.groups():
            self.put_aside(engine.map(task, group), engine)

    def update_columns(self, entities: EntityInputs, biases: BiasInputs, engine: Runner) -> np.ndarray:
        """Update the densities and biases of all active columns in place; the likelihood of each column's cells."""
        result = np.zeros(len(entities.active))

        def task(first: int, last: int) -> None:
            cells = self.columns(first, last)
            entities.update(first, last, cells)
            biases.update(entities, result, first, last, cells)

        engine.map(task, self.column_ranges())
        return result


class GivenSample(LocalCells):
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

    def put_aside(self, cells: Sequence[CellArrays], engine: Runner) -> None:
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
        self.sampler = sampler
        self.row_load, self.column_load = sampler.loads()
        self.blocks = ColumnBlocks.of(self.column_load, _CELLS_PER_BLOCK)
        self.on_disk = memory is not None and _ENTRY * float(self.row_load.sum()) > memory
        self.groups = grouped(self.row_load)


def grouped(load: np.ndarray, cells: float = _CELLS_PER_GROUP) -> list[list[Range]]:
    """Ranges of rows in groups of about so many cells, where `load` is how many each row may get."""
    groups: list[list[Range]] = []
    loads = np.concatenate(([0.0], np.cumsum(load)))
    for bounds in ranges_by_load(load + 1.0, _CELLS_PER_TASK):
        if not groups or loads[bounds[1]] - loads[groups[-1][0][0]] > cells:
            groups.append([])
        groups[-1].append(bounds)
    return groups


class DrawnSample(LocalCells):
    """A sample that is drawn while the rows are updated, and never there as a whole."""

    def __init__(self, plan: Plan, epoch: int, relations: RelationCells) -> None:
        self.plan, self.epoch, self.relations, self.size = plan, epoch, relations, relations.size
        self._segments = Segments(plan.blocks, plan.sampler.dtype, plan.on_disk)

    def groups(self) -> Sequence[Sequence[Range]]:
        """Ranges of rows in groups of some millions of cells."""
        return self.plan.groups

    def rows(self, first: int, last: int) -> CellArrays:
        """Draw the cells of a range of rows."""
        return self.plan.sampler.draw(first, last, self.epoch)

    def put_aside(self, cells: Sequence[CellArrays], engine: Runner) -> None:
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
