"""What one of several workers owns (rows with their counts, and blocks of columns), how it is sent, and what it does.

Nothing here knows how workers are reached: any engine of several processes can use it.
"""

from __future__ import annotations

import copy
import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from vbn.data import Counts, Features, MappedArray, by_file, opened
from vbn.engines.content import Block, SentSource, received
from vbn.engines.threads import ThreadEngine
from vbn.kernels import CellArrays, DensityArrays
from vbn.model import BiasInputs, EntityInputs, Plan, Range, grouped, steadily
from vbn.sampling import CellDrawer, ColumnBlocks, Packed, Segment, packed, turned_block

_GROUPS = 16  # at most, in which a worker draws its rows: each gives a piece to every worker
_CELLS_PER_GROUP = 1 << 22


@dataclass(frozen=True)
class Shard:
    """What one worker owns: `rows`, drawn in `groups` of ranges from 0 on, and `blocks` of `columns`."""

    rows: Range
    groups: list[list[Range]]
    blocks: Range
    columns: Range


def shards_of(plan: Plan, shares: Sequence[float]) -> list[Shard]:
    """Divide rows and blocks of columns among workers, their cells in proportion to `shares`."""
    block_load = np.add.reduceat(plan.column_load, plan.blocks.starts) if len(plan.blocks) else np.empty(0)
    edges = np.append(plan.blocks.starts, len(plan.column_load))
    shards = []
    for rows, blocks in zip(_dealt(plan.row_load, shares), _dealt(block_load, shares), strict=True):
        load = plan.row_load[slice(*rows)]
        groups = grouped(load, max(_CELLS_PER_GROUP, load.sum() / _GROUPS)) or [[]]
        shards.append(Shard(rows, groups, blocks, (int(edges[blocks[0]]), int(edges[blocks[1]]))))
    return shards


def share_needed(plan: Plan, workers: int) -> float:
    """Estimate the share of all rows that the columns of one of several workers refer to."""
    if len(plan.row_load) == 0:
        return 1.0
    return float(np.mean(1.0 - (1.0 - 1.0 / workers) ** plan.row_load))


def _dealt(load: np.ndarray, shares: Sequence[float]) -> list[Range]:
    """Return one range for each share, which together cover all of the load; a range may be empty."""
    steps = np.cumsum(load + max(load.sum(), 1.0) * 1e-6 / max(len(load), 1))
    wanted = np.cumsum(shares)[:-1] / np.sum(shares) * (steps[-1] if len(steps) else 0.0)
    edges = [0, *np.searchsorted(steps, wanted, side="right").tolist(), len(load)]
    return list(itertools.pairwise(edges))


@dataclass(frozen=True)
class SentRows:
    """The counts of a worker's rows as they are sent: by the name of their file if they are mapped."""

    first_row: int
    indptr: np.ndarray
    indices: np.ndarray | MappedArray
    values: np.ndarray | MappedArray
    keep: np.ndarray
    exact: np.ndarray

    @classmethod
    def of(cls, drawer: CellDrawer, rows: Range) -> SentRows:
        """Return the rows of a drawer."""
        part = drawer.new.part(*rows)
        counts, choices = part.counts, part.choices
        mapped = by_file(counts.indices), by_file(counts.values)
        return cls(part.first_row, counts.indptr, *mapped, choices.keep_row, choices.exact_row)

    def drawer(self, rowless: CellDrawer) -> CellDrawer:
        """Return what draws these rows, given what draws none of them."""
        new = rowless.new
        shape = len(self.indptr) - 1, new.counts.shape[1]
        counts = Counts(self.indptr, opened(self.indices), opened(self.values), shape)
        choices = replace(usable(new.choices), keep_row=usable(self.keep), exact_row=usable(self.exact))
        return replace(rowless, new=replace(new, counts=counts, choices=choices, first_row=self.first_row))


class Shared(NamedTuple):
    """In the place of an array that all workers share: its number among these."""

    number: int


def shared_arrays(entities: EntityInputs) -> list[np.ndarray]:
    """Return the arrays of a half-sweep's inputs that are the same for all rows: they are sent to every node once."""
    whole: dict[int, np.ndarray] = {}
    with_arrays(entities, lambda array: whole.setdefault(id(array), array))
    found: dict[int, np.ndarray] = {}
    with_arrays(entities.part(0, 0), lambda array: found.setdefault(id(array), array) if id(array) in whole else array)
    return list(found.values())


def own_part(entities: EntityInputs, rows: Range, shared: Sequence[np.ndarray]) -> EntityInputs:
    """Return what belongs to some rows alone; `put_together` puts the shared arrays back."""
    numbers = {id(array): Shared(number) for number, array in enumerate(shared)}
    part: EntityInputs = with_arrays(entities.part(*rows), lambda array: numbers.get(id(array), array))
    return part


def put_together(own: EntityInputs, shared: Sequence[np.ndarray]) -> EntityInputs:
    """Return the inputs of some rows, with copies of what is updated."""
    arrays = [usable(array) for array in shared]
    found: EntityInputs = with_arrays(own, usable, lambda place: arrays[place.number])
    copied = found._replace(own=DensityArrays(*(array.copy() for array in found.own)))
    if not found.bias_is_own:
        return copied
    return copied._replace(bias=DensityArrays(*(array.copy() for array in found.bias)))


def without_other(entities: EntityInputs) -> EntityInputs:
    """Return the same inputs where workers give each other the densities of the other side."""
    return entities._replace(other=DensityArrays(*(array[:0] for array in entities.other)))


class _Memory:
    """The memory of an array, for a view that does not claim to be read-only."""

    def __init__(self, array: np.ndarray) -> None:
        self.held = array
        self.__array_interface__ = array.__array_interface__ | {"data": (array.__array_interface__["data"][0], False)}


def usable(value: Any) -> Any:
    """Return arrays as kernels take them, also inside of tuples and objects.

    What comes out of shared memory is read-only, and kernels would all be compiled again for it; those that get it
    only read it.
    """
    return with_arrays(value, _usable)


def _usable(array: np.ndarray) -> np.ndarray:
    if array.flags.writeable:
        return array
    return np.asarray(_Memory(array)) if array.flags.aligned and array.size else array.copy()


def with_arrays(
    value: Any, change: Callable[[np.ndarray], Any], restore: Callable[[Shared], np.ndarray] | None = None
) -> Any:
    """Return a copy of a value in which every array, also inside of tuples and objects, is what `change` returns.

    Features stay as they are: no half-sweep reads them.
    """
    if isinstance(value, np.ndarray):
        return change(value)
    if isinstance(value, Features):
        return value
    if isinstance(value, Shared):
        return value if restore is None else restore(value)
    if isinstance(value, tuple):
        parts = [with_arrays(entry, change, restore) for entry in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if hasattr(value, "__dict__") and not isinstance(value, type) and not callable(value):
        made = copy.copy(value)
        for name, entry in vars(value).items():
            object.__setattr__(made, name, with_arrays(entry, change, restore))
        return made
    return value


def rowless(drawer: CellDrawer) -> CellDrawer:
    """Return what draws no rows but knows all columns: the part of a drawer that all workers share."""
    return drawer.part(0, 0)


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
        self._owner = np.repeat(np.arange(len(common.owned)), [last - first for first, last in common.owned])
        self._engine = ThreadEngine(threads)

    def process(self) -> int:
        """Return the number of its process, once it is ready."""
        return os.getpid()

    def update_rows(
        self, epoch: int, shared: Sequence[np.ndarray], own: EntityInputs, hand: bool
    ) -> Iterator[Segment | Handed | UpdatedRows]:
        """Draw and update its rows; yield for each group a piece of its cells for every worker, at the end all rows.

        With `hand`, every worker also gets the densities of those rows that its columns refer to.
        """
        entities, size, needed = put_together(own, shared), 0, self._unmarked()

        def task(first: int, last: int) -> tuple[int, Packed]:
            cells = self._drawer.draw(first, last, epoch)
            part = self._packed(cells, needed if hand else None)
            entities.update(first, last, cells)
            return len(cells.indices), part

        for group in self._shard.groups:
            parts = self._engine.map(task, group)
            size += sum(cells for cells, _ in parts)
            yield from self._pieces([part for _, part in parts])
        if hand:
            yield from self._handed(needed, entities.own)
        yield UpdatedRows(entities.own, size)

    def draw_rows(self, epoch: int, rows: DensityArrays | None) -> Iterator[Segment | Handed | None]:
        """Yield again what `update_rows` handed over, after some of it was lost, and None at the end.

        `rows` are the densities that it made of its rows, if workers get some of them.
        """
        needed = self._unmarked()

        def task(first: int, last: int) -> Packed:
            return self._packed(self._drawer.draw(first, last, epoch), None if rows is None else needed)

        for group in self._shard.groups:
            yield from self._pieces(self._engine.map(task, group))
        if rows is not None:
            yield from self._handed(needed, rows)
        yield None

    def _unmarked(self) -> np.ndarray:
        """Return for every worker (a line) a mark for each row; none is set yet."""
        first, last = self._shard.rows
        return np.zeros((len(self._owned), last - first), bool)

    def _handed(self, needed: np.ndarray, rows: DensityArrays) -> Iterator[Handed]:
        for marks in needed:
            places = np.flatnonzero(marks)
            yield Handed(places + self._shard.rows[0], rows.mean[places], rows.variance[places])

    def _packed(self, cells: CellArrays, needed: np.ndarray | None) -> Packed:
        """Return the entries of a range of rows, with the numbers that rows have among all.

        The rows that each worker's columns refer to are marked in `needed`.
        """
        if needed is not None:
            rows = np.repeat(np.arange(len(cells.indptr) - 1), np.diff(cells.indptr))
            needed[self._owner[self._blocks.block_of[cells.indices]], cells.first + rows] = True
        moved = cells._replace(first=cells.first + self._shard.rows[0])
        return packed(moved, self._blocks, self._drawer.distinct)

    def _pieces(self, parts: Sequence[Packed]) -> Iterator[Segment]:
        """Yield the entries of a group, one segment for every worker."""
        segment = Segment.of(parts)
        return (segment.part(*blocks) for blocks in self._owned)

    def update_columns(
        self, shared: Sequence[np.ndarray], own: EntityInputs, biases: BiasInputs, *received: Segment | Handed
    ) -> UpdatedColumns:
        """Update its columns from what all workers handed over, in the order of their rows.

        That is pieces of cells, and the densities of rows where these are not shared.
        """
        pieces: list[Segment] = [usable(each) for each in received if isinstance(each, Segment)]
        handed = [each for each in received if isinstance(each, Handed)]
        entities, biases, places = put_together(own, shared), usable(biases), None
        if handed:
            other, places = _gathered(handed, self._n_rows)
            entities = entities._replace(other=other)
        start, block = self._shard.columns[0], self._shard.blocks[0]
        likelihood, dtype = np.zeros(len(entities.active)), self._drawer.new.dtype
        given = biases.arrays(likelihood)

        def task(first: int, last: int) -> None:
            number = int(self._blocks.block_of[first + start]) - block
            cells = turned_block(pieces, number, (first, last), self._blocks.bits, dtype)
            if places is not None:
                cells = cells._replace(indices=places[cells.indices])
            entities.update(first, last, cells, given)

        mine = self._blocks.ranges[slice(*self._shard.blocks)]
        self._engine.map(task, [(first - start, last - start) for first, last in mine])
        return UpdatedColumns(entities.own, entities.bias, likelihood)

    def sees(self, files: Sequence[MappedArray]) -> bool:
        """Return whether it can read some files."""
        return all(file.there() for file in files)

    @steadily
    def read_features(
        self, work: Callable[..., Any], sources: Sequence[SentSource], blocks: Sequence[Block]
    ) -> list[Any]:
        """Return the results of some work on blocks of rows, which reads their features."""
        features = received(sources)

        def task(at: int, _: int) -> Any:
            return work(features, blocks[at].rows, *blocks[at].inputs)

        return self._engine.map(task, [(at, at + 1) for at in range(len(blocks))])


def _gathered(handed: Sequence[Handed], n_rows: int) -> tuple[DensityArrays, np.ndarray]:
    """Return the densities of rows that came from all workers, and the place of each row among them."""
    rows, mean, variance = (np.concatenate(arrays) for arrays in zip(*handed, strict=True))
    places = np.zeros(n_rows, np.int32)
    places[rows] = np.arange(len(rows), dtype=np.int32)
    return DensityArrays(mean, variance), places
