"""A worker of an engine of several processes: updates its rows, hands their cells over, updates its columns."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from vbn.engines._shards import SentRows, Shard, put_together, usable
from vbn.engines._threads import ThreadEngine
from vbn.kernels import CellArrays, DensityArrays
from vbn.model import BiasInputs, EntityInputs
from vbn.sampling import CellDrawer, ColumnBlocks, Segment, segment_of, turned_block


class Common(NamedTuple):
    """What every worker knows: how to draw, how columns are divided, which blocks each worker owns, how many rows."""

    drawer: CellDrawer
    blocks: ColumnBlocks
    owned: list[tuple[int, int]]
    n_rows: int


class Handed(NamedTuple):
    """Densities of the rows that one worker has and another one's columns refer to."""

    rows: np.ndarray
    mean: np.ndarray
    variance: np.ndarray


class UpdatedRows(NamedTuple):
    """What a worker made of its rows, and from how many cells."""

    densities: DensityArrays
    cells: int


class UpdatedColumns(NamedTuple):
    """What a worker made of its columns, and the likelihood of each."""

    densities: DensityArrays
    biases: DensityArrays
    likelihood: np.ndarray


class Worker:
    """Owns a shard.

    Parameters
    ----------
    common, rows
        What all workers know, and the counts of its own rows.
    shard
        What it owns.
    threads
        How many threads it runs.
    """

    def __init__(self, common: Common, rows: SentRows, shard: Shard, threads: int) -> None:
        self._shard, self._owned, self._n_rows = shard, common.owned, common.n_rows
        self._drawer, self._blocks = rows.drawer(common.drawer), usable(common.blocks)
        self._engine = ThreadEngine(threads)

    def process(self) -> int:
        """The number of its process, once it is ready."""
        return os.getpid()

    def update_rows(
        self, epoch: int, shared: Sequence[np.ndarray], own: EntityInputs, hand: bool
    ) -> Iterator[Segment | Handed | UpdatedRows]:
        """Draw and update its rows; for each group a piece of its cells for every worker, at the end all rows.

        With `hand`, every worker also gets the densities of those rows that its columns refer to.
        """
        entities, size, needed = put_together(own, shared), 0, self._unmarked()

        def task(first: int, last: int) -> CellArrays:
            cells = self._drawer.draw(first, last, epoch)
            entities.update(first, last, cells)
            return cells

        for group in self._shard.groups:
            cells = self._engine.map(task, group)
            size += sum(len(part.indices) for part in cells)
            yield from self._pieces(cells, needed if hand else None)
        if hand:
            yield from self._handed(needed, entities.own)
        yield UpdatedRows(entities.own, size)

    def draw_rows(self, epoch: int, rows: DensityArrays | None) -> Iterator[Segment | Handed | None]:
        """What `update_rows` handed over once more, after some of it was lost, and None at the end.

        `rows` are the densities that it made of its rows, if workers get some of them.
        """
        needed = self._unmarked()
        for group in self._shard.groups:
            cells = self._engine.map(lambda first, last: self._drawer.draw(first, last, epoch), group)
            yield from self._pieces(cells, None if rows is None else needed)
        if rows is not None:
            yield from self._handed(needed, rows)
        yield None

    def _unmarked(self) -> list[np.ndarray]:
        """For every worker a mark for each row; none is set yet."""
        first, last = self._shard.rows
        return [np.zeros(last - first, bool) for _ in self._owned]

    def _handed(self, needed: list[np.ndarray], rows: DensityArrays) -> Iterator[Handed]:
        for marks in needed:
            places = np.flatnonzero(marks)
            yield Handed(places + self._shard.rows[0], rows.mean[places], rows.variance[places])

    def _pieces(self, cells: Sequence[CellArrays], needed: list[np.ndarray] | None) -> Iterator[Segment]:
        """The cells of a group, one segment for every worker, with the numbers that rows have among all.

        The rows that each worker's segment has are marked in `needed`.
        """
        base = self._shard.rows[0]
        numbered = [part._replace(first=part.first + base) for part in cells]
        segment = segment_of(numbered, self._blocks, self._drawer.new.dtype, self._engine)
        for number, blocks in enumerate(self._owned):
            piece = segment.part(*blocks)
            if needed is not None:
                needed[number][piece.rows - base] = True
            yield piece

    def update_columns(
        self, shared: Sequence[np.ndarray], own: EntityInputs, biases: BiasInputs, *received: Segment | Handed
    ) -> UpdatedColumns:
        """Update its columns from what all workers handed over, in the order of their rows.

        That is pieces of cells, and the densities of rows where these are not shared.
        """
        pieces = [each for each in received if isinstance(each, Segment)]
        handed = [each for each in received if isinstance(each, Handed)]
        entities, biases, places = put_together(own, shared), usable(biases), None
        if handed:
            other, places = _gathered(handed, self._n_rows)
            entities = entities._replace(other=other)
        start, block = self._shard.columns[0], self._shard.blocks[0]
        likelihood, dtype = np.zeros(len(entities.active)), self._drawer.new.dtype

        def task(first: int, last: int) -> None:
            number = int(self._blocks.block_of[first + start]) - block
            cells = turned_block(pieces, number, last - first, dtype)._replace(first=first)
            if places is not None:
                cells = cells._replace(indices=places[cells.indices])
            entities.update(first, last, cells)
            biases.update(entities, likelihood, first, last, cells)

        mine = self._blocks.ranges[slice(*self._shard.blocks)]
        self._engine.map(task, [(first - start, last - start) for first, last in mine])
        return UpdatedColumns(entities.own, entities.bias, likelihood)


def _gathered(handed: Sequence[Handed], n_rows: int) -> tuple[DensityArrays, np.ndarray]:
    """The densities of rows that came from all workers, and the place of each row among them."""
    rows, mean, variance = (np.concatenate(arrays) for arrays in zip(*handed, strict=True))
    places = np.zeros(n_rows, np.int32)
    places[rows] = np.arange(len(rows), dtype=np.int32)
    return DensityArrays(mean, variance), places
