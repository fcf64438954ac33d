"""The cells of an epoch's sample, by row and by column.

Rows are drawn and updated range by range, and their cells are packed by block of columns, in memory or in files; once
all rows are done, each block is turned into cells by column. Neither layout of the whole sample is ever held.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from vbn._errors import REMEDY, StorageError
from vbn.data import ranges_by_load
from vbn.kernels import CellArrays

_CELLS_PER_BLOCK = 1 << 16
WIDEST = 1 << 16
"""Columns of a block, and rows of a range: their numbers within it take two bytes."""
_MOST_BLOCKS = 2048
_NARROW, _NARROW_BLOCKS = 256, 512  # columns of a block at most, unless that would be so many blocks more
_HALF, _MOST_HALVES = np.dtype(np.uint16), 4  # of a word, and how many the largest word has


@dataclass(frozen=True)
class ColumnBlocks:
    """Consecutive columns, in blocks of about the same number of cells."""

    ranges: list[tuple[int, int]]  # first column of each block, and one past its last
    starts: np.ndarray  # first column of each block
    block_of: np.ndarray  # block of each column

    @classmethod
    def of(cls, load: np.ndarray, cells: float) -> ColumnBlocks:
        """Return blocks of about `cells` cells each, where `load` is how many each column may get."""
        total, widest = float(load.sum()), min(WIDEST, max(_NARROW, len(load) // _NARROW_BLOCKS))
        ranges = ranges_by_load(load + total / max(len(load), 1) * 1e-3, max(cells, total / _MOST_BLOCKS), widest)
        starts = np.array([first for first, _ in ranges], np.int64)
        sizes = [last - first for first, last in ranges]
        return cls(ranges, starts, np.repeat(np.arange(len(ranges), dtype=np.int32), sizes))

    def __len__(self) -> int:
        return len(self.ranges)

    @cached_property
    def bits(self) -> int:
        """Bits of a column's number within its block."""
        return max((last - first - 1 for first, last in self.ranges), default=0).bit_length()


class Packed(NamedTuple):
    """Entries of a range of rows, by block: block b has the halves offsets[b]..offsets[b + 1]-1, `each` for an entry.

    Behind the last one the halves are padded, so that they can be read as words of any size.
    """

    first: int
    each: int
    offsets: np.ndarray
    halves: np.ndarray

    def part(self, first: int, last: int) -> Packed:
        """Return the entries of the blocks first..last-1, renumbered from 0."""
        offsets = self.offsets[first : last + 1]
        own = _padded(self.halves[offsets[0] : offsets[-1]])
        return self._replace(offsets=offsets - offsets[0], halves=own)


class Segment(NamedTuple):
    """Entries of some ranges of rows, each with its first row, the halves of an entry, and a line of offsets."""

    firsts: np.ndarray
    each: np.ndarray
    offsets: np.ndarray
    halves: np.ndarray

    @classmethod
    def of(cls, parts: Sequence[Packed]) -> Segment:
        """Return the entries of ranges of rows, which may be none."""
        halves = np.concatenate([np.empty(0, _HALF), *(part.halves for part in parts)])
        starts = np.cumsum([0, *(len(part.halves) for part in parts)])
        small = np.int32 if len(halves) < 2**31 else np.int64
        offsets = [(part.offsets + start).astype(small) for part, start in zip(parts, starts, strict=False)]
        firsts, each = (np.array([part[field] for part in parts], np.int64) for field in (0, 1))
        lines = np.array(offsets) if offsets else np.empty((0, 0), small)
        return cls(firsts, each, lines, halves)


def _padded(halves: np.ndarray) -> np.ndarray:
    """Return halves up to a whole number of the largest words."""
    return np.pad(halves, (0, -len(halves) % _MOST_HALVES))


def packed(cells: CellArrays, blocks: ColumnBlocks, distinct: bool = False) -> Packed:
    """Return the entries of a range of at most `WIDEST` rows; they may be smaller if all pairs are `distinct`."""
    from vbn.kernels.sampling import pack_rows

    none = np.empty(0, _HALF)
    return Packed(cells.first, *pack_rows(cells, blocks.block_of, blocks.starts, blocks.bits, distinct, none))


def turned_block(
    segments: Sequence[Segment], block: int, bounds: tuple[int, int], bits: int, dtype: np.dtype
) -> CellArrays:
    """Return the cells of a block of the columns `bounds`, by column; `segments` are in the order of their rows."""
    from vbn.kernels.sampling import turn_block

    first, last = bounds
    indptr, latest = np.zeros(last - first + 1, np.int64), np.full(last - first, -2, np.int64)
    rows, weights = np.empty(0, np.int32), np.empty((2, 0), dtype)
    for segment in segments:
        turn_block(*segment, block, bits, latest, indptr[1:], rows, weights)
    np.cumsum(indptr, out=indptr)
    ends, n = indptr[:-1].copy(), int(indptr[-1])
    latest.fill(-2)
    rows, weights = np.empty(n, np.int32), np.zeros((2, n), dtype)
    for segment in segments if n else ():
        turn_block(*segment, block, bits, latest, ends, rows, weights)
    return CellArrays(indptr, rows, weights[0], weights[1], first)


class Segments:
    """All entries of an epoch so far, in memory or in files, which the system keeps in memory while there is room."""

    def __init__(self, blocks: ColumnBlocks, dtype: np.dtype, on_disk: bool = False) -> None:
        self.blocks, self.dtype = blocks, dtype
        self._held: list[Segment] = []
        self._folder = tempfile.TemporaryDirectory(prefix="vbn-cells-") if on_disk else None

    def add(self, parts: Sequence[Packed]) -> None:
        """Put aside the entries of consecutive ranges of rows, which follow all that were added before."""
        segment = Segment.of(parts)
        self._held.append(segment if self._folder is None else self._written(segment, Path(self._folder.name)))

    def _written(self, segment: Segment, folder: Path) -> Segment:
        if len(segment.halves) == 0:
            return segment
        file = folder / f"{len(self._held)}.cells"
        try:
            segment.halves.tofile(file)
        except OSError as error:
            raise StorageError(
                f"no room for the cells of a sample in {folder.parent}: {error}. Free some space there, let TMPDIR "
                f"name a folder on another disk, or allow more memory with {REMEDY}",
                remedies=[("memory",)],
            ) from error
        # copied on write, which never happens: kernels are compiled for arrays that can be written to
        return segment._replace(halves=np.asarray(np.memmap(file, _HALF, "c")))

    def cells(self, first: int, last: int) -> CellArrays:
        """Return the cells of the block with the columns first..last-1, by column."""
        block = int(self.blocks.block_of[first])
        return turned_block(self._held, block, (first, last), self.blocks.bits, self.dtype)

    def close(self) -> None:
        """Delete the files."""
        self._held.clear()
        if self._folder is not None:
            self._folder.cleanup()


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
        ranges = ranges_by_load(np.diff(self.indptr) + 1.0, _CELLS_PER_BLOCK, WIDEST)
        segments.add([packed(self.part(*rows), blocks) for rows in ranges])
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
