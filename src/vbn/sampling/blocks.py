"""An epoch's cells on their way from rows to columns: kept once, in blocks of columns, in memory or in files.

Rows are drawn and updated range by range, and their cells are put aside by block of columns; once all rows are done,
each block is turned into cells by column. So neither layout of the whole sample is ever held.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from vbn._errors import StorageError
from vbn.data import Runner, ranges_by_load
from vbn.kernels import CellArrays

_WIDEST = 1 << 16  # columns of a block: their numbers within it take two bytes
_MOST_BLOCKS = 2048


@dataclass(frozen=True)
class ColumnBlocks:
    """Columns that follow each other, in blocks of about the same number of cells.

    Attributes
    ----------
    ranges : list of (int, int)
        First column, and one past the last, of each block.
    starts, block_of : ndarray
        First column of each block; block of each column.
    """

    ranges: list[tuple[int, int]]
    starts: np.ndarray
    block_of: np.ndarray

    @classmethod
    def of(cls, load: np.ndarray, cells: float) -> ColumnBlocks:
        """Blocks of about `cells` cells each, where `load` is how many each column may get."""
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
        """The entries of the blocks first..last-1, which are numbered from 0 there."""
        offsets = self.offsets[first : last + 1]
        entries = slice(int(offsets[0]), int(offsets[-1]))
        return Segment(offsets - offsets[0], self.rows[entries], self.columns[entries], self.weights[entries])


def segment_of(cells: Sequence[CellArrays], blocks: ColumnBlocks, dtype: np.dtype, runner: Runner) -> Segment:
    """The entries of ranges of rows that follow each other, if there are any; `dtype` is that of the weights."""
    from vbn.kernels.blocks import count_blocks, scatter_blocks

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
    """The cells of a block of `width` columns, by column from 0 on; `segments` are in the order of their rows."""
    from vbn.kernels.blocks import turn_block

    none = np.empty(0, np.int32), np.empty(0, np.uint16), np.empty(0, dtype)
    held = [[array[part.offsets[block] : part.offsets[block + 1]] for array in part[1:]] for part in segments]
    rows, columns, weights = (np.concatenate(arrays) for arrays in zip(none, *held, strict=True))
    return CellArrays(*turn_block(rows, columns, weights, width))


class Segments:
    """All entries of an epoch so far.

    Parameters
    ----------
    blocks
        How columns are divided.
    dtype
        Type of the weights.
    on_disk
        Whether entries are put into files, which the system may keep in memory or not as it likes.
    """

    def __init__(self, blocks: ColumnBlocks, dtype: np.dtype, on_disk: bool = False) -> None:
        self.blocks, self.dtype = blocks, dtype
        self._held: list[Segment] = []
        self._folder = tempfile.TemporaryDirectory(prefix="vbn-cells-") if on_disk else None

    def add(self, cells: Sequence[CellArrays], runner: Runner) -> None:
        """Put aside the cells of ranges of rows that follow each other and all that was added before."""
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
                    "name a folder on another disk, or allow more memory."
                ) from error
            mapped.append(np.memmap(file, array.dtype, "r") if len(array) else array)
        return Segment(segment.offsets, *mapped)

    def cells(self, first: int, last: int) -> CellArrays:
        """The cells of a block, by column; `first` and `last` are those of one of the blocks."""
        block = int(self.blocks.block_of[first])
        return turned_block(self._held, block, last - first, self.dtype)._replace(first=first)

    def close(self) -> None:
        """Let go of the files."""
        self._held.clear()
        if self._folder is not None:
            self._folder.cleanup()
