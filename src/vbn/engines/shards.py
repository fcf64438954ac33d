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
from vbn.engines.halves import halved, restored
from vbn.engines.threads import ThreadEngine
from vbn.kernels import CellArrays, DensityArrays
from vbn.model import BiasInputs, EntityInputs, Plan, Range, grouped, steadily
from vbn.sampling import CellDrawer, ColumnBlocks, Packed, Segment, packed, turned_block

_GROUPS = 16  # at most, in which a worker draws its rows: each gives a piece to every worker
_CELLS_PER_GROUP = 1 << 22
_AHEAD = 24  # cells for each column that are drawn before its density is there; both take about as much room


@dataclass(frozen=True)
class Shard:
    """What one worker owns: `rows`, drawn in `groups` of ranges from 0 on, and `blocks` of `columns`.

    The first ranges, `ahead` in number, are drawn before their update can begin.
    """

    rows: Range
    groups: list[list[Range]]
    blocks: Range
    columns: Range
    ahead: int

    @property
    def ranges(self) -> list[Range]:
        """Return all ranges of its rows."""
        return [bounds for group in self.groups for bounds in group]


def shards_of(plan: Plan, shares: Sequence[float], beside: float = 1.0) -> list[Shard]:
    """Divide rows and blocks of columns among workers, their cells in proportion to `shares`.

    `beside` is how many workers share the memory of a node.
    """
    block_load = np.add.reduceat(plan.column_load, plan.blocks.starts) if len(plan.blocks) else np.empty(0)
    edges = np.append(plan.blocks.starts, len(plan.column_load))
    shards, room = [], max(_CELLS_PER_GROUP, _AHEAD * len(plan.column_load) / beside)
    for rows, blocks in zip(_dealt(plan.row_load, shares), _dealt(block_load, shares), strict=True):
        load = plan.row_load[slice(*rows)]
        groups = grouped(load, max(_CELLS_PER_GROUP, load.sum() / _GROUPS)) or [[]]
        ahead = np.searchsorted(np.cumsum([load[slice(*bounds)].sum() for group in groups for bounds in group]), room)
        shards.append(Shard(rows, groups, blocks, (int(edges[blocks[0]]), int(edges[blocks[1]])), int(ahead)))
    return shards


def share_needed(load: np.ndarray, workers: int) -> float:
    """Estimate the share of rows, with a `load` of cells each, that the columns of one of several workers refer to."""
    if len(load) == 0:
        return 1.0
    return float(np.mean(1.0 - (1.0 - 1.0 / workers) ** load))


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
    """What every worker knows: how to draw, how columns are divided, which blocks each worker owns, how many rows.

    With `half`, workers give each other densities in 16 bits.
    """

    drawer: CellDrawer
    blocks: ColumnBlocks
    owned: list[tuple[int, int]]
    n_rows: int
    half: bool = False


class Handed(NamedTuple):
    """Densities of the rows (or columns) that one worker has and another one's columns (or rows) refer to."""

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


Drawn = tuple[CellArrays, Packed]  # of a range of rows


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
        self._shard, self._owned, self._n_rows, self._half = shard, common.owned, common.n_rows, common.half
        self._drawer, self._blocks = rows.drawer(common.drawer), usable(common.blocks)
        self._owner = np.repeat(np.arange(len(common.owned)), [last - first for first, last in common.owned])
        self._engine = ThreadEngine(threads)
        self._ahead: tuple[int | None, dict[Range, Drawn]] = (None, {})

    def process(self) -> int:
        """Return the number of its process, once it is ready."""
        return os.getpid()

    def draw(self, epoch: int) -> None:
        """Draw its first rows in an epoch's sample, while what their update needs is still on its way."""
        if self._ahead[0] != epoch:
            ranges = self._shard.ranges[: self._shard.ahead]
            drawn = self._engine.map(lambda first, last: self._drawn(first, last, epoch), ranges)
            self._ahead = epoch, dict(zip(ranges, drawn, strict=True))

    def columns_needed(self, epoch: int) -> np.ndarray:
        """Return a bit for each column: whether the rows that are drawn ahead refer to it."""
        self.draw(epoch)
        marks = np.zeros(len(self._blocks.block_of), bool)
        for cells, _ in self._ahead[1].values():
            marks[cells.indices] = True
        return np.packbits(marks)

    def hand_columns(self, columns: DensityArrays, needed: np.ndarray) -> Iterator[Handed | None]:
        """Yield for every worker the densities of those of its columns that `needed` (a line each) marks, then None."""
        yield from _handed(needed, columns, self._shard.columns[0])
        yield None

    def update_rows(
        self, epoch: int, shared: Sequence[np.ndarray], own: EntityInputs, hand: bool, *handed: Handed
    ) -> Iterator[Segment | Handed | UpdatedRows]:
        """Update its rows; yield for each group a piece of its cells for every worker, at the end all rows.

        With `hand`, every worker also gets the densities of those rows that its columns refer to. `handed` are those of
        the columns, unless these are shared.
        """
        entities, places = self._put_together(own, shared, handed, len(self._blocks.block_of))
        size, needed, ahead = 0, self._unmarked(), self._ahead[1] if self._ahead[0] == epoch else {}
        self._ahead = None, {}

        def task(first: int, last: int) -> tuple[int, Packed]:
            drawn = ahead.pop((first, last)) if (first, last) in ahead else self._drawn(first, last, epoch)
            cells, part = drawn
            if hand:
                self._mark(cells, needed)
            entities.update(first, last, _renumbered(cells, places))
            return len(cells.indices), part

        for parts in self._group_by_group(task):
            size += sum(cells for cells, _ in parts)
            yield from self._pieces([part for _, part in parts])
        if hand:
            yield from _handed(needed, self._as_sent(entities.own), self._shard.rows[0])
        yield UpdatedRows(entities.own, size)

    def draw_rows(self, epoch: int, rows: DensityArrays | None) -> Iterator[Segment | Handed | None]:
        """Yield again what `update_rows` handed over, after some of it was lost, and None at the end.

        `rows` are the densities that it made of its rows, if workers get some of them.
        """
        needed = self._unmarked()

        def task(first: int, last: int) -> Packed:
            cells, part = self._drawn(first, last, epoch)
            if rows is not None:
                self._mark(cells, needed)
            return part

        for parts in self._group_by_group(task):
            yield from self._pieces(parts)
        if rows is not None:
            yield from _handed(needed, self._as_sent(rows), self._shard.rows[0])
        yield None

    def _drawn(self, first: int, last: int, epoch: int) -> Drawn:
        """Draw the cells of a range of rows; their entries have the numbers that rows have among all."""
        cells = self._drawer.draw(first, last, epoch)
        moved = cells._replace(first=cells.first + self._shard.rows[0])
        return cells, packed(moved, self._blocks, self._drawer.distinct)

    def _group_by_group(self, task: Callable[[int, int], Any]) -> Iterator[list[Any]]:
        """Yield the results of each group of ranges; threads go on to the next one meanwhile."""
        begun = (self._engine.begin(task, group) for group in self._shard.groups)
        latest = next(begun)
        for following in begun:
            yield list(latest)
            latest = following
        yield list(latest)

    def _as_sent(self, densities: DensityArrays) -> DensityArrays:
        return halved(densities, self._engine) if self._half else densities

    def _put_together(
        self, own: EntityInputs, shared: Sequence[np.ndarray], handed: Sequence[Handed], n: int
    ) -> tuple[EntityInputs, np.ndarray | None]:
        """Return inputs with the densities of the other side, and where each of its `n` is if only some are here."""
        entities, places = put_together(own, shared), None
        if handed:
            rows, other, places = _gathered(handed, n)
            entities = entities._replace(other=other)
            if not entities.bias_is_own:
                entities = entities._replace(bias=DensityArrays(*(array[rows] for array in entities.bias)))
        return entities._replace(other=restored(entities.other, entities.own.mean.dtype, self._engine)), places

    def _unmarked(self) -> np.ndarray:
        """Return for every worker (a line) a mark for each row; none is set yet."""
        first, last = self._shard.rows
        return np.zeros((len(self._owned), last - first), bool)

    def _mark(self, cells: CellArrays, needed: np.ndarray) -> None:
        """Mark the rows that each worker's columns refer to."""
        rows = np.repeat(np.arange(len(cells.indptr) - 1), np.diff(cells.indptr))
        needed[self._owner[self._blocks.block_of[cells.indices]], cells.first + rows] = True

    def _pieces(self, parts: Sequence[Packed]) -> Iterator[Segment]:
        """Yield the entries of a group, one segment for every worker."""
        return (Segment.of([part.part(*blocks) for part in parts]) for blocks in self._owned)

    def update_columns(
        self, shared: Sequence[np.ndarray], own: EntityInputs, biases: BiasInputs, *received: Segment | Handed
    ) -> UpdatedColumns:
        """Update its columns from what all workers handed over, in the order of their rows.

        That is pieces of cells, and the densities of rows where these are not shared.
        """
        pieces: list[Segment] = [usable(each) for each in received if isinstance(each, Segment)]
        handed = [each for each in received if isinstance(each, Handed)]
        entities, places = self._put_together(own, shared, handed, self._n_rows)
        biases = usable(biases)
        start, block = self._shard.columns[0], self._shard.blocks[0]
        likelihood, dtype = np.zeros(len(entities.active)), self._drawer.new.dtype
        given = biases.arrays(likelihood)

        def task(first: int, last: int) -> None:
            number = int(self._blocks.block_of[first + start]) - block
            cells = turned_block(pieces, number, (first, last), self._blocks.bits, dtype)
            entities.update(first, last, _renumbered(cells, places), given)

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


def _handed(needed: np.ndarray, densities: DensityArrays, first: int) -> Iterator[Handed]:
    """Yield for every worker the densities that its line of `needed` marks, numbered from `first` on."""
    for marks in needed:
        places = np.flatnonzero(marks)
        yield Handed(places + first, densities.mean[places], densities.variance[places])


def _gathered(handed: Sequence[Handed], n: int) -> tuple[np.ndarray, DensityArrays, np.ndarray]:
    """Return which of `n` rows came from all workers, their densities, and the place of each row among them."""
    rows, mean, variance = (np.concatenate(arrays) for arrays in zip(*handed, strict=True))
    places = np.zeros(n, np.int32)
    places[rows] = np.arange(len(rows), dtype=np.int32)
    return rows, DensityArrays(mean, variance), places


def _renumbered(cells: CellArrays, places: np.ndarray | None) -> CellArrays:
    return cells if places is None else cells._replace(indices=places[cells.indices])
