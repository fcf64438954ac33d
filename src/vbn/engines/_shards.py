"""What one of several workers owns: rows with their counts, and blocks of columns; and how it is sent there.

Nothing here knows how workers are reached: any engine of several processes can use it.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from vbn.data import Counts, MappedArray, by_file, opened
from vbn.kernels import DensityArrays
from vbn.model import EntityInputs, Plan, Range, grouped
from vbn.sampling import CellDrawer

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
    """About what share of all rows the columns of one of so many workers refer to."""
    if len(plan.row_load) == 0:
        return 1.0
    return float(np.mean(1.0 - (1.0 - 1.0 / workers) ** plan.row_load))


def _dealt(load: np.ndarray, shares: Sequence[float]) -> list[Range]:
    """One range for each share, together all of the load; a range may be empty."""
    steps = np.cumsum(load + max(load.sum(), 1.0) * 1e-6 / max(len(load), 1))
    wanted = np.cumsum(shares)[:-1] / np.sum(shares) * (steps[-1] if len(steps) else 0.0)
    edges = [0, *np.searchsorted(steps, wanted, side="right").tolist(), len(load)]
    return list(itertools.pairwise(edges))


@dataclass(frozen=True)
class SentRows:
    """The counts of a worker's rows on their way: by the file that they are mapped from, if they are."""

    first_row: int
    indptr: np.ndarray
    indices: np.ndarray | MappedArray
    values: np.ndarray | MappedArray
    keep: np.ndarray
    exact: np.ndarray

    @classmethod
    def of(cls, drawer: CellDrawer, rows: Range) -> SentRows:
        """The rows of a drawer."""
        part = drawer.new.part(*rows)
        counts, choices = part.counts, part.choices
        return cls(
            part.first_row, counts.indptr, by_file(counts.indices), by_file(counts.values), choices.keep_row,
            choices.exact_row,
        )  # fmt: skip

    def drawer(self, rowless: CellDrawer) -> CellDrawer:
        """What draws these rows, given what draws none of them."""
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
    """The memory of an array, for a view that does not say that it is read-only."""

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
    """Return a copy of a value in which every array, also inside of tuples and objects, is what `change` returns."""
    if isinstance(value, np.ndarray):
        return change(value)
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
    """What draws no rows, but knows all columns: the part of a drawer that all workers share."""
    return drawer.part(0, 0)
