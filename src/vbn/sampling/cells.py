"""The cells of an epoch's sample, by row and by column.

Rows are drawn and updated range by range, and their cells are put aside by block of columns, in memory or in files;
once all rows are done, each block is turned into cells by column. Neither layout of the whole sample is ever held.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from vbn._errors import REMEDY, StorageError
from vbn.data import Runner, ranges_by_load
from vbn.kernels import CellArrays

_CELLS_PER_BLOCK = 1 << 16
_WIDEST = 1 << 16  # columns of a block: their numbers within it take two bytes
_MOST_BLOCKS = 2048


@dataclass(frozen=True)
class ColumnBlocks:
    """Consecutive columns, in blocks of about the same number of cells."""

    ranges: list[tuple[int, int]]  # first column of each block, and one past its last
    starts: np.ndarray  # first column of each block
    block_of: np.ndarray  # block of each column

    @classmethod
    def of(cls, load: np.ndarray, cells: float) -> ColumnBlocks:
        """Return blocks of about `cells` cells each, where `load` is how many each column may get."""
        total = float(load.sum())
        ranges = ranges_by_load(load + total / max(len(load), 1) * 1e-3, max(cells, total / _MOST_BLOCKS), _WIDEST)
        starts = np.array([first for first, _ in ranges], np.int64)
        sizes = [last - first for first, last in ranges]
        return cls(ranges, starts, np.repeat(np.arange(len(ranges), dtype=np.int32), sizes))

    def __len__(self) -> int:
        return len(self.ranges)


class Segment(NamedTuple):
    """Entries of some ranges of rows, sorted by block: block b has those from offsets[b] to offsets[b + 1]."""

    offsets: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    weights: np.ndarray

    def part(self, first: int, last: int) -> Segment:
        """Return the entries of the blocks first..last-1, renumbered from 0."""
        offsets = self.offsets[first : last + 1]
        entries = slice(int(offsets[0]), int(offsets[-1]))
        return Segment(offsets - offsets[0], self.rows[entries], self.columns[entries], self.weights[entries])


def segment_of(cells: Sequence[CellArrays], blocks: ColumnBlocks, dtype: np.dtype, runner: Runner) -> Segment:
    """Return the entries of consecutive ranges of rows, which may be none; `dtype` is that of the weights."""
    from vbn.kernels.sampling import count_blocks, scatter_blocks

    each = [(n, n + 1) for n in range(len(cells))]
    counted = runner.map(lambda n, _: count_blocks(cells[n], blocks.block_of, len(blocks)), each)
    counts = np.array(counted, np.int64).reshape(len(each), len(blocks))
    offsets = np.concatenate(([0], np.cumsum(counts.sum(axis=0))))
    cursors = offsets[:-1] + np.cumsum(counts, axis=0) - counts
    n = int(offsets[-1])
    segment = Segment(offsets, np.empty(n, np.int32), np.empty(n, np.uint16), np.empty(n, dtype))
    runner.map(lambda n, _: scatter_blocks(cells[n], blocks.block_of, blocks.starts, cursors[n], *segment[1:]), each)
    return segment


def turned_block(segments: Sequence[Segment], block: int, width: int, dtype: np.dtype) -> CellArrays:
    """Return the cells of a block of `width` columns, by column from 0; `segments` are in the order of their rows."""
    from vbn.kernels.sampling import turn_block

    none = np.empty(0, np.int32), np.empty(0, np.uint16), np.empty(0, dtype)
    held = [[array[part.offsets[block] : part.offsets[block + 1]] for array in part[1:]] for part in segments]
    rows, columns, weights = (np.concatenate(arrays) for arrays in zip(none, *held, strict=True))
    return CellArrays(*turn_block(rows, columns, weights, width))


class Segments:
    """All entries of an epoch so far, in memory or in files, which the system keeps in memory while there is room."""

    def __init__(self, blocks: ColumnBlocks, dtype: np.dtype, on_disk: bool = False) -> None:
        self.blocks, self.dtype = blocks, dtype
        self._held: list[Segment] = []
        self._folder = tempfile.TemporaryDirectory(prefix="vbn-cells-") if on_disk else None

    def add(self, cells: Sequence[CellArrays], runner: Runner) -> None:
        """Put aside the cells of consecutive ranges of rows, which follow all that were added before."""
        if not cells:
            return
        segment = segment_of(cells, self.blocks, self.dtype, runner)
        self._held.append(segment if self._folder is None else self._written(segment, Path(self._folder.name)))

    def _written(self, segment: Segment, folder: Path) -> Segment:
        mapped = []
        for name, array in zip(segment._fields[1:], segment[1:], strict=True):
            file = folder / f"{len(self._held)}.{name}"
            try:
                array.tofile(file)
            except OSError as error:
                raise StorageError(
                    f"no room for the cells of a sample in {folder.parent}: {error}. Free some space there, let TMPDIR "
                    f"name a folder on another disk, or allow more memory with {REMEDY}",
                    remedies=[("memory",)],
                ) from error
            mapped.append(np.memmap(file, array.dtype, "r") if len(array) else array)
        return Segment(segment.offsets, *mapped)

    def cells(self, first: int, last: int) -> CellArrays:
        """Return the cells of the block with the columns first..last-1, by column."""
        block = int(self.blocks.block_of[first])
        return turned_block(self._held, block, last - first, self.dtype)._replace(first=first)

    def close(self) -> None:
        """Delete the files."""
        self._held.clear()
        if self._folder is not None:
            self._folder.cleanup()


class _Here:
    """Runs tasks one after the other."""

    def map(self, task: Callable[[int, int], Any], ranges: Sequence[tuple[int, int]]) -> list[Any]:
        return [task(*bounds) for bounds in ranges]


@dataclass(frozen=True)
class Cells:
    """Distinct pairs (i, j) with their weight as positive and as negative, in compressed rows."""

    indptr: np.ndarray
    indices: np.ndarray
    positive: np.ndarray
    negative: np.ndarray
    n_columns: int

    def __len__(self) -> int:
        return len(self.indices)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.indptr) - 1

    def part(self, first: int, last: int) -> CellArrays:
        """Return the cells of the rows first..last-1."""
        return CellArrays(self.indptr[first : last + 1], self.indices, self.positive, self.negative, first)

    @classmethod
    def joined(cls, parts: Sequence[CellArrays], n_columns: int, dtype: np.dtype) -> Cells:
        """Return the cells of consecutive ranges of rows as one."""
        lengths = np.concatenate([np.zeros(1, np.int64), *(np.diff(part.indptr) for part in parts)])
        indices, positive, negative = (
            np.concatenate([np.zeros(0, kind), *(getattr(part, name) for part in parts)])
            for name, kind in (("indices", np.int32), ("positive", dtype), ("negative", dtype))
        )
        return cls(np.cumsum(lengths), indices, positive, negative, n_columns)

    @cached_property
    def transposed(self) -> Cells:
        """The same cells by column."""
        blocks = ColumnBlocks.of(np.bincount(self.indices, minlength=self.n_columns).astype(float), _CELLS_PER_BLOCK)
        segments = Segments(blocks, self.positive.dtype)
        segments.add([self.part(0, self.n_rows)], _Here())
        return Cells.joined([segments.cells(*block) for block in blocks.ranges], self.n_rows, self.positive.dtype)

    def rows(self) -> np.ndarray:
        """Return the row of each cell."""
        return np.repeat(np.arange(self.n_rows, dtype=np.int32), np.diff(self.indptr))


@dataclass(frozen=True)
class Sample:
    """The cells that one epoch learns from: co-occurrences and each relation."""

    cells: Cells
    relations: tuple[Cells, ...]

    @property
    def size(self) -> int:
        """Number of cells of all kinds."""
        return len(self.cells) + sum(len(cells) for cells in self.relations)
