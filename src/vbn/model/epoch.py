"""The sample of an epoch: its cells by ranges of rows, then by ranges of columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from vbn.data import Runner, ranges_by_cells, ranges_by_load
from vbn.kernels import CellArrays
from vbn.model.engine import Engine
from vbn.model.likelihoods import BiasInputs, EntityInputs, RelationCells
from vbn.model.posterior import Posterior
from vbn.sampling import WIDEST, ColumnBlocks, Packed, Sample, Sampler, Segments, packed

_CELLS_PER_TASK = 1 << 15
_CELLS_PER_BLOCK = 1 << 16  # in a block of columns
_CELLS_PER_GROUP = 1 << 23
_MOST_TASKS = 1 << 12
_ENTRY = 8  # bytes per cell between the half-sweeps, in float32; half of it if all weights are whole

Range = tuple[int, int]


class EpochData(Protocol):
    """The cells that an epoch learns from, wherever they are kept, with one method for each half-sweep."""

    relations: RelationCells

    @property
    def size(self) -> int:
        """Return the number of cells of all kinds that have been drawn so far."""

    def update_rows(self, entities: EntityInputs, engine: Engine) -> None:
        """Update the densities of all active rows in place, and keep the cells for the columns."""

    def update_columns(self, entities: EntityInputs, biases: BiasInputs, engine: Engine) -> np.ndarray:
        """Update the densities and biases of all active columns in place.

        Return the bounded log-likelihood of each column's cells after the update.
        """

    def close(self) -> None:
        """Release the cells."""


class LocalCells(ABC):
    """Cells that this process draws or keeps, range by range."""

    size: int

    @abstractmethod
    def groups(self) -> Sequence[Sequence[Range]]:
        """Return ranges of rows, in groups that are processed one after the other."""

    @abstractmethod
    def rows(self, first: int, last: int) -> CellArrays:
        """Return the cells of a range of rows."""

    @abstractmethod
    def packed(self, cells: CellArrays) -> Any:
        """Return what is kept of a range of rows for the sweep over columns."""

    @abstractmethod
    def put_aside(self, parts: Sequence[Any]) -> None:
        """Keep a group of row ranges, as `packed` returns them."""

    @abstractmethod
    def column_ranges(self) -> Sequence[Range]:
        """Return ranges of columns."""

    @abstractmethod
    def columns(self, first: int, last: int) -> CellArrays:
        """Return the cells of a range of columns, after all rows were put aside."""

    def update_rows(self, entities: EntityInputs, engine: Runner) -> None:
        """Update the densities of all active rows in place, and keep their cells for the columns."""

        def task(first: int, last: int) -> Any:
            cells = self.rows(first, last)
            part = self.packed(cells)  # while the cells are in the cache
            entities.update(first, last, cells)
            return part

        for group in self.groups():
            self.put_aside(engine.map(task, group))

    def update_columns(self, entities: EntityInputs, biases: BiasInputs, engine: Runner) -> np.ndarray:
        """Update the densities and biases of all active columns in place; return the likelihood of each column."""
        result = np.zeros(len(entities.active))
        given = biases.arrays(result)

        def task(first: int, last: int) -> None:
            cells = self.columns(first, last)
            entities.update(first, last, cells, given)

        engine.map(task, self.column_ranges())
        return result


class GivenSample(LocalCells):
    """A sample that is held in memory as a whole.

    With `apart`, relations are learned separately, and u and v learn nothing from them.
    """

    def __init__(self, sample: Sample, posterior: Posterior, apart: bool = False) -> None:
        self.sample, self.size = sample, sample.size
        shape = sample.cells.n_rows, sample.cells.n_columns
        self.relations = RelationCells(sample.relations, shape, posterior, apart)

    def groups(self) -> Sequence[Sequence[Range]]:
        """Return all ranges of rows as one group."""
        return [ranges_by_cells(self.sample.cells.indptr, _CELLS_PER_TASK)]

    def rows(self, first: int, last: int) -> CellArrays:
        """Return the cells of a range of rows."""
        return self.sample.cells.part(first, last)

    def packed(self, cells: CellArrays) -> None:
        """Keep nothing: the whole sample is here."""

    def put_aside(self, parts: Sequence[None]) -> None:
        """Do nothing."""

    def column_ranges(self) -> Sequence[Range]:
        """Return all ranges of columns."""
        return ranges_by_cells(self.sample.cells.transposed.indptr, _CELLS_PER_TASK)

    def columns(self, first: int, last: int) -> CellArrays:
        """Return the cells of a range of columns."""
        return self.sample.cells.transposed.part(first, last)

    def close(self) -> None:
        """Do nothing."""


class Plan:
    """How the samples of a fit are divided into tasks, and where their cells are kept between the half-sweeps.

    Parameters
    ----------
    sampler
        Draws the samples.
    memory
        Bytes that the cells may take before they go to files. No limit if None.
    """

    def __init__(self, sampler: Sampler, memory: float | None = None) -> None:
        self.sampler = sampler
        self.row_load, self.column_load = sampler.loads()
        self.blocks = ColumnBlocks.of(self.column_load, _CELLS_PER_BLOCK)
        self.on_disk = memory is not None and _ENTRY * float(self.row_load.sum()) > memory
        self.groups = grouped(self.row_load)


def grouped(load: np.ndarray, cells: float = _CELLS_PER_GROUP) -> list[list[Range]]:
    """Return ranges of rows in groups of about `cells` cells; `load` is the number of cells expected of each row."""
    groups: list[list[Range]] = []
    loads = np.concatenate(([0.0], np.cumsum(load)))
    for bounds in ranges_by_load(load + 1.0, max(_CELLS_PER_TASK, loads[-1] / _MOST_TASKS), WIDEST):
        if not groups or loads[bounds[1]] - loads[groups[-1][0][0]] > cells:
            groups.append([])
        groups[-1].append(bounds)
    return groups


class DrawnSample(LocalCells):
    """A sample that is drawn while the rows are updated, and never held as a whole."""

    def __init__(self, plan: Plan, epoch: int, relations: RelationCells) -> None:
        self.plan, self.epoch, self.relations, self.size = plan, epoch, relations, relations.size
        self._segments = Segments(plan.blocks, plan.sampler.dtype, plan.on_disk)

    def groups(self) -> Sequence[Sequence[Range]]:
        """Return ranges of rows in groups of a few million cells."""
        return self.plan.groups

    def rows(self, first: int, last: int) -> CellArrays:
        """Draw the cells of a range of rows."""
        return self.plan.sampler.draw(first, last, self.epoch)

    def packed(self, cells: CellArrays) -> tuple[int, Packed]:
        """Return the number of cells, and their entries by block of columns."""
        return len(cells.indices), packed(cells, self.plan.blocks, self.plan.sampler.drawer.distinct)

    def put_aside(self, parts: Sequence[tuple[int, Packed]]) -> None:
        """Keep the entries of a group of row ranges."""
        self._segments.add([part for _, part in parts])
        self.size += sum(size for size, _ in parts)

    def column_ranges(self) -> Sequence[Range]:
        """Return the blocks of columns."""
        return self.plan.blocks.ranges

    def columns(self, first: int, last: int) -> CellArrays:
        """Return the cells of a block of columns."""
        return self._segments.cells(first, last)

    def close(self) -> None:
        """Release the cells."""
        self._segments.close()
