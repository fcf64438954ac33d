"""What one of several workers owns: rows with their counts, and blocks of columns; and how it is sent there.

Nothing here knows how workers are reached: any engine of several processes can use it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
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


class SharedInputs(NamedTuple):
    """The part of a half-sweep's inputs that all workers share: the other side, categories, factors, projections.

    `bias` and the relations' biases are those of the other side, or None where rows have their own.
    """

    other: DensityArrays
    bias: DensityArrays | None
    categories: tuple[np.ndarray, np.ndarray]
    factors: tuple[np.ndarray, ...]
    relation_biases: tuple[np.ndarray, ...] | None


_FACTORS = ("offsets", "own_mean", "own_variance", "c_first", "c_second")
_BIASES = ("bias_mean", "bias_variance")


def shared_part(entities: EntityInputs) -> SharedInputs:
    """What all rows share."""
    own, prior, relations = entities.bias_is_own, entities.prior, entities.relations
    return SharedInputs(
        entities.other, None if own else entities.bias, (prior.category_mean, prior.category_variance),
        tuple(getattr(relations, name) for name in _FACTORS),
        None if own else tuple(getattr(relations, name) for name in _BIASES),
    )  # fmt: skip


def without_other(shared: SharedInputs) -> SharedInputs:
    """The same, where workers give each other the densities of the other side."""
    return shared._replace(other=DensityArrays(*(array[:0] for array in shared.other)))


def own_part(entities: EntityInputs, rows: Range) -> EntityInputs:
    """What belongs to some rows alone: the rest is left out, for `put_together` to put back."""
    part, none = entities.part(*rows), np.empty(0)
    left_out = _FACTORS if part.bias_is_own else (*_FACTORS, *_BIASES)
    return part._replace(
        other=DensityArrays(none, none), bias=part.bias if part.bias_is_own else DensityArrays(none, none),
        prior=part.prior._replace(category_mean=none, category_variance=none),
        relations=part.relations._replace(**dict.fromkeys(left_out, none)),
    )  # fmt: skip


def put_together(own: EntityInputs, shared: SharedInputs) -> EntityInputs:
    """The inputs of some rows, with copies of what is updated."""
    own, shared = usable(own), usable(shared)
    relations = dict(zip(_FACTORS, shared.factors, strict=True))
    if shared.relation_biases is not None:
        relations |= dict(zip(_BIASES, shared.relation_biases, strict=True))
    bias = DensityArrays(*(array.copy() for array in own.bias)) if shared.bias is None else shared.bias
    return own._replace(
        own=DensityArrays(*(array.copy() for array in own.own)), bias=bias, other=shared.other,
        prior=own.prior._replace(category_mean=shared.categories[0], category_variance=shared.categories[1]),
        relations=own.relations._replace(**relations),
    )  # fmt: skip


class _Memory:
    """The memory of an array, for a view that does not say that it is read-only."""

    def __init__(self, array: np.ndarray) -> None:
        self.held = array
        self.__array_interface__ = array.__array_interface__ | {"data": (array.__array_interface__["data"][0], False)}


def usable(value: Any) -> Any:
    """Arrays as kernels take them, also inside of tuples and of `Choices`.

    What comes out of shared memory is read-only, for which kernels would all be compiled once more; those that get it
    only read it.
    """
    if isinstance(value, np.ndarray):
        if value.flags.writeable:
            return value
        return np.asarray(_Memory(value)) if value.flags.aligned and value.size else value.copy()
    if isinstance(value, tuple):
        parts = [usable(entry) for entry in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if hasattr(value, "__dataclass_fields__"):
        return replace(value, **{name: usable(getattr(value, name)) for name in value.__dataclass_fields__})
    return value


def rowless(drawer: CellDrawer) -> CellDrawer:
    """What draws no rows, but knows all columns: the part of a drawer that all workers share."""
    return drawer.part(0, 0)
