"""A worker of an engine of several processes: updates its rows, hands their cells over, updates its columns."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from vbn.data._blocks import ColumnBlocks, Segment, segment_of, turned_block
from vbn.data._drawer import CellDrawer
from vbn.engines._shards import SentRows, Shard, SharedInputs, put_together, usable
from vbn.engines._threads import ThreadEngine
from vbn.kernels._arrays import CellArrays, DensityArrays
from vbn.model._inputs import BiasInputs, EntityInputs


class Common(NamedTuple):
    """What every worker knows: how to draw, how columns are divided, and which blocks each worker owns."""

    drawer: CellDrawer
    blocks: ColumnBlocks
    owned: list[tuple[int, int]]


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
        self._shard, self._owned = shard, common.owned
        self._drawer, self._blocks = rows.drawer(common.drawer), usable(common.blocks)
        self._engine = ThreadEngine(threads)

    def process(self) -> int:
        """The number of its process, once it is ready."""
        return os.getpid()

    def update_rows(self, epoch: int, shared: SharedInputs, own: EntityInputs) -> Iterator[Segment | UpdatedRows]:
        """Draw and update its rows; for each group a piece of its cells for every worker, then the rows."""
        entities, size = put_together(own, shared), 0

        def task(first: int, last: int) -> CellArrays:
            cells = self._drawer.draw(first, last, epoch)
            entities.update(first, last, cells)
            return cells

        for group in self._shard.groups:
            cells = self._engine.map(task, group)
            size += sum(len(part.indices) for part in cells)
            yield from self._pieces(cells)
        yield UpdatedRows(entities.own, size)

    def draw_rows(self, epoch: int) -> Iterator[Segment | None]:
        """The pieces of `update_rows` once more, after some were lost, and None when all are there."""
        for group in self._shard.groups:
            cells = self._engine.map(lambda first, last: self._drawer.draw(first, last, epoch), group)
            yield from self._pieces(cells)
        yield None

    def _pieces(self, cells: Sequence[CellArrays]) -> Iterator[Segment]:
        """The cells of a group, one segment for every worker, with the numbers that rows have among all."""
        base = self._shard.rows[0]
        numbered = [part._replace(first=part.first + base) for part in cells]
        segment = segment_of(numbered, self._blocks, self._drawer.new.dtype, self._engine)
        for blocks in self._owned:
            yield segment.part(*blocks)

    def update_columns(
        self, shared: SharedInputs, own: EntityInputs, biases: BiasInputs, *pieces: Segment
    ) -> UpdatedColumns:
        """Update its columns from the pieces of all workers, which come in the order of their rows."""
        entities, biases = put_together(own, shared), usable(biases)
        start, block = self._shard.columns[0], self._shard.blocks[0]
        likelihood, dtype = np.zeros(len(entities.active)), self._drawer.new.dtype

        def task(first: int, last: int) -> None:
            number = int(self._blocks.block_of[first + start]) - block
            cells = turned_block(pieces, number, last - first, dtype)._replace(first=first)
            entities.update(first, last, cells)
            biases.update(entities.own, entities.other, entities.bias, likelihood, first, last, cells)

        mine = self._blocks.ranges[slice(*self._shard.blocks)]
        self._engine.map(task, [(first - start, last - start) for first, last in mine])
        return UpdatedColumns(entities.own, entities.bias, likelihood)
