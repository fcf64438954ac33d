"""Features: dense numbers known of entities, such as the embedding of a text, in one or several named sources.

They are the content that a model predicts prior means from. Values stay where they are, in memory or mapped from a
file, and are read in blocks of rows. A source is centred and scaled to mean |f|^2 = 1 when it is used: its unit and its
common part say nothing about the entities.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from vbn._errors import REMEDY, DataError, VBNWarning, caller_level
from vbn.data.counts import FloatArray, IdArray, read_only
from vbn.data.describe import counted
from vbn.data.vocabulary import Vocabulary, encode, item_number, known_ids, settle

ROWS_AT_ONCE = 1 << 12
"""Rows of a block; sums over rows are sums over blocks, so that their bits do not depend on threads."""
WIDE = 2000
"""Columns of all sources together from which a warning tells what they cost."""


@dataclass(frozen=True, eq=False)
class Source:
    """What one source knows: a vector of features for some of the entities.

    Parameters
    ----------
    name
        The name of the source.
    values
        Numbers (k, F) as given by the user; they may be mapped from a file.
    rows
        The positions in the vocabulary that have features, ascending.
    columns
        Names of the F columns, if known.
    at
        Which row of `values`, followed by `tail`, belongs to each of `rows`; None if they are in the same order.
    tail
        Further rows of values, of entities that were added later: `values` is not copied for them.
    encoder
        The name of what encoded them, if they are texts.
    """

    name: str
    values: np.ndarray
    rows: IdArray
    columns: tuple[str, ...] | None = None
    at: IdArray | None = None
    tail: np.ndarray | None = None
    encoder: str | None = None

    def __post_init__(self) -> None:
        rows = np.asarray(self.rows, dtype=np.int64)
        if self.values.ndim != 2 or len(rows) != (len(self.values) if self.at is None else len(self.at)):
            raise DataError(f"values of shape {self.values.shape} do not fit {len(rows)} entities")
        if (np.diff(rows) <= 0).any():
            raise DataError("the rows of a source must ascend; give each entity one row of features")
        if self.columns is not None and len(self.columns) != self.width:
            raise DataError(f"{len(self.columns)} names for {counted(self.width, 'column')} of {self.name!r}")
        object.__setattr__(self, "rows", read_only(rows))

    @property
    def width(self) -> int:
        """Number of columns F."""
        return int(self.values.shape[1])

    def __len__(self) -> int:
        return len(self.rows)

    def taken(self, positions: np.ndarray | slice) -> np.ndarray:
        """Return the values of some of `rows`, by their positions among these, as given."""
        if self.at is None:
            return np.asarray(self.values[positions])
        places = self.at[positions]
        if self.tail is None:
            return np.asarray(self.values[places])
        late = places >= len(self.values)
        found = np.empty((len(places), self.width), self.values.dtype)
        found[~late] = self.values[places[~late]]
        found[late] = self.tail[places[late] - len(self.values)]
        return found

    def blocks(self) -> Iterator[np.ndarray]:
        """Yield the values of all rows in float64, block by block."""
        for first in range(0, len(self), ROWS_AT_ONCE):
            yield self.taken(slice(first, first + ROWS_AT_ONCE)).astype(np.float64)

    def of_entities(self, wanted: np.ndarray) -> tuple[IdArray, IdArray]:
        """Return which of some entities have features (places in `wanted`), and their positions among `rows`."""
        if len(self.rows) == 0:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        found = np.searchsorted(self.rows, wanted)
        known = np.flatnonzero(self.rows[np.minimum(found, len(self.rows) - 1)] == wanted)
        return known, found[known]

    def kept(self, rows: np.ndarray, places: np.ndarray) -> Source:
        """Return the source with features of some of `rows` only (a mask), at new places in a vocabulary."""
        at = np.flatnonzero(rows) if self.at is None else self.at[rows]
        order = np.argsort(places, kind="stable")
        return replace(self, rows=places[order], at=at[order])

    def with_rows(self, places: np.ndarray, values: np.ndarray) -> Source:
        """Return the source with features of further entities; those of an entity that has some stay."""
        fresh = np.setdiff1d(np.arange(len(places)), self.of_entities(places)[0])
        before = np.empty((0, self.width), np.float32) if self.tail is None else self.tail
        tail = np.concatenate([before, np.asarray(values)[fresh].astype(before.dtype, copy=False)])
        rows = np.concatenate([self.rows, places[fresh]])
        at = np.arange(len(self.values)) if self.at is None else self.at
        at = np.concatenate([at, len(self.values) + len(before) + np.arange(len(fresh))])
        order = np.argsort(rows, kind="stable")
        return replace(self, rows=rows[order], at=at[order], tail=tail)

    @cached_property
    def scaling(self) -> tuple[FloatArray, FloatArray]:
        """The mean and the factor of each column, which make the mean of |f|^2 equal to 1.

        Columns with names are quantities, each in its own unit: they are scaled to the same variance. The dimensions of
        a vector share one factor.
        """
        n = max(1, len(self))
        centre = np.zeros(self.width)
        for block in self.blocks():
            centre += block.sum(axis=0)
        centre /= n
        if self.columns is None:
            total = sum(float(((block - centre) ** 2).sum()) for block in self.blocks()) / n
            return centre, np.full(self.width, 1.0 / np.sqrt(total) if total > 0 else 1.0)
        variance = np.zeros(self.width)
        for block in self.blocks():
            variance += ((block - centre) ** 2).sum(axis=0) / n
        varying = variance > 0  # what is constant is 0 once it is centred, whatever its factor
        return centre, 1.0 / np.sqrt(np.where(varying, variance, 1.0) * max(1, int(varying.sum())))


class Sources:
    """Some sources of features side by side."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = tuple(sources)

    @property
    def width(self) -> int:
        """Number of columns of all sources together."""
        return sum(source.width for source in self.sources)

    @cached_property
    def places(self) -> dict[str, slice]:
        """Where the columns of each source are among all columns."""
        ends = np.cumsum([source.width for source in self.sources]).tolist()
        return {own.name: slice(end - own.width, end) for own, end in zip(self.sources, ends, strict=True)}

    def scaled(self, rows: np.ndarray, centre: np.ndarray, factor: np.ndarray, dtype: Any = np.float64) -> np.ndarray:
        """Return the features (n, F) of some entities, (value - centre) * factor, with all sources side by side.

        What is not known is 0, which is what an average entity has.
        """
        found = np.zeros((len(rows), self.width), dtype)
        for source, own in zip(self.sources, self.places.values(), strict=True):
            places, positions = source.of_entities(rows)
            if len(positions) == 0:
                continue
            steady = positions[-1] - positions[0] == len(positions) - 1  # rows ascend: a slice is not copied twice
            values = source.taken(slice(positions[0], positions[-1] + 1) if steady else positions).astype(dtype)
            values -= centre[own].astype(dtype)
            values *= factor[own].astype(dtype)
            found[places, own] = values
        return found


class Features(Sources):
    """The features of the entities of a vocabulary, in one or several sources; immutable.

    Parameters
    ----------
    vocabulary
        The entities.
    sources
        The sources; their names differ.

    Examples
    --------
    >>> names = Vocabulary(["tea", "milk", "beer"])
    >>> found = Features(names, (Source("price", np.array([[2.0], [4.0]], np.float32), np.array([0, 2])),))
    >>> found
    Features(price: 1 column for 2 of 3 entities)
    >>> found.scaled(np.array([0, 1, 2]), *found.scaling()).ravel().tolist()
    [-1.0, 0.0, 1.0]
    """

    def __init__(self, vocabulary: Vocabulary, sources: Sequence[Source]) -> None:
        super().__init__(sources)
        self.vocabulary = vocabulary
        if len({source.name for source in self.sources}) < len(self.sources):
            raise DataError("two sources of features have the same name; names must differ")
        if any(len(source) and source.rows[-1] >= len(vocabulary) for source in self.sources):
            raise DataError("features for more entities than the vocabulary has")

    @property
    def widths(self) -> dict[str, int]:
        """Number of columns by source."""
        return {source.name: source.width for source in self.sources}

    def scaling(self) -> tuple[FloatArray, FloatArray]:
        """Return the mean of each column, and the factor that makes the mean of |f|^2 of its source equal to 1."""
        found = [source.scaling for source in self.sources]
        return np.concatenate([centre for centre, _ in found]), np.concatenate([factor for _, factor in found])

    @cached_property
    def known(self) -> np.ndarray:
        """A mask of the entities with features of any source."""
        mask = np.zeros(len(self.vocabulary), dtype=bool)
        for source in self.sources:
            mask[source.rows] = True
        return read_only(mask)

    def over(self, vocabulary: Vocabulary) -> Features:
        """Return the same features over a vocabulary that continues this one."""
        if vocabulary is self.vocabulary:
            return self
        if vocabulary.names[: len(self.vocabulary)] != self.vocabulary.names:
            raise DataError("the new vocabulary must begin with the names of the old one")
        return Features(vocabulary, self.sources)

    def with_source(self, source: Source) -> Features:
        """Return the features with a further source, in place of one of the same name."""
        kept = {own.name: own for own in self.sources}
        return Features(self.vocabulary, tuple({**kept, source.name: source}.values()))

    def with_rows(self, places: np.ndarray, values: Mapping[str, np.ndarray]) -> Features:
        """Return the features with further entities: values (len(places), F) by source, for entities without any."""
        made = []
        for source in self.sources:
            new = values.get(source.name)
            made.append(source if new is None else source.with_rows(places, new))
        return Features(self.vocabulary, made)

    def selected(self, names: Sequence[str]) -> Features:
        """Return the features of some sources only."""
        return Features(self.vocabulary, [source for source in self.sources if source.name in names])

    def only(self, vocabulary: Vocabulary) -> Features:
        """Return the features of those entities that another vocabulary has, numbered as there."""
        made = []
        for source in self.sources:
            places = known_ids(vocabulary, [self.vocabulary[row] for row in source.rows.tolist()])
            made.append(source.kept(places >= 0, places[places >= 0]))
        return Features(vocabulary, made)

    def __repr__(self) -> str:
        told = [
            f"{source.name}: {counted(source.width, 'column')} for {len(source):,} of {len(self.vocabulary):,} entities"
            for source in self.sources
        ]
        return f"Features({'; '.join(told)})"


def united_features(ours: Features | None, theirs: Features | None, vocabulary: Vocabulary) -> Features | None:
    """Return the features of two data sets over their joint vocabulary; those of an entity that both have are ours."""
    if theirs is None:
        return None if ours is None else ours.over(vocabulary)
    moved = theirs.only(vocabulary)
    if ours is None:
        return moved
    made = {source.name: source for source in ours.sources}
    for source in moved.sources:
        own = made.get(source.name)
        if own is not None and own.width != source.width:
            raise DataError(
                f"cannot merge: the features {own.name!r} have {counted(own.width, 'column')} in one data set and "
                f"{source.width:,} in the other"
            )
        if own is not None and own.encoder != source.encoder:
            raise DataError(f"cannot merge: the features {own.name!r} come from another encoder in each data set")
        made[source.name] = source if own is None else own.with_rows(source.rows, source.taken(slice(None)))
    return Features(vocabulary, tuple(made.values()))


def read_source(
    given: Any,
    ids: Any,
    vocabulary: Vocabulary,
    name: str,
    columns: tuple[str, ...] | None = None,
    encoder: str | None = None,
) -> Source:
    """Return a source from an array in the order of the vocabulary, an array with `ids`, or a dict {id: vector}."""
    if not isinstance(name, str) or not name:
        raise DataError(f"features need a name, not {name!r}")
    if isinstance(given, Mapping):
        if ids is not None:
            raise DataError("features given as a dict have their ids as keys; omit ids")
        given, ids = _stacked(given, name), list(given)
    values = _numbers(given, name)
    if ids is None:
        if len(values) != len(vocabulary):
            raise DataError(
                f"{counted(len(values), 'row')} of features for {counted(len(vocabulary), 'entity', 'entities')}; give "
                f"one for each in the order of the vocabulary, or pass {REMEDY} with the name of each row",
                remedies=[("ids",)],
            )
        source = Source(name, values, np.arange(len(vocabulary)), columns, encoder=encoder)
    else:
        source = replace(_by_ids(values, ids, vocabulary, name), columns=columns, encoder=encoder)
    _check(source, vocabulary)
    return source


def _numbers(given: Any, name: str) -> np.ndarray:
    """Return a read-only view of float32, or of whatever a mapped file holds."""
    try:
        values = given if isinstance(given, np.ndarray) else np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"the features {name!r} must be numbers, one vector of the same length each: {error}"
        ) from error
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or values.dtype.kind not in "fiub":
        raise DataError(f"the features {name!r} must be a table of numbers, not {values.dtype} of shape {values.shape}")
    if 0 in values.shape:
        raise DataError(f"the features {name!r} are empty: their shape is {values.shape}")
    mapped = isinstance(values, np.memmap) and values.dtype.kind == "f"
    with np.errstate(over="ignore"):
        view = values.view() if mapped else values.astype(np.float32, copy=False).view()
    if not mapped and values.dtype == np.float64 and np.isinf(view).any() and np.isfinite(values).all():
        raise DataError(f"the features {name!r} hold numbers beyond 3e38; scale them")
    return read_only(view)


def _stacked(given: Mapping[Any, Any], name: str) -> np.ndarray:
    if not given:
        raise DataError(f"the features {name!r} are empty")
    try:
        vectors = [np.atleast_1d(np.asarray(vector, dtype=np.float64)) for vector in given.values()]
    except (TypeError, ValueError) as error:
        raise DataError(f"the features {name!r} must be vectors of numbers: {error}") from error
    lengths = [vector.shape for vector in vectors]
    for key, shape in zip(given, lengths, strict=True):
        if shape != lengths[0] or len(shape) != 1:
            raise DataError(
                f"the features {name!r} of {key!r} have the shape {shape}, those before it {lengths[0]}; all vectors "
                "must have the same length"
            )
    return np.stack(vectors)


def _by_ids(values: np.ndarray, ids: Any, vocabulary: Vocabulary, name: str) -> Source:
    column = encode(ids, "ids")
    settle(column, None, lambda position: f"{item_number(position)} of ids")
    if len(column) != len(values):
        raise DataError(f"{counted(len(column), 'id')} for {counted(len(values), 'row')} of features {name!r}")
    if len(column.names) < len(column):
        repeated = column.names[int(np.argmax(np.bincount(column.codes)))]
        raise DataError(f"the id {repeated!r} is there twice in the features {name!r}; give each entity one row")
    places = known_ids(vocabulary, column.names)[column.codes]
    known = places >= 0
    if not known.any():
        raise DataError(
            f"none of the {len(column):,} ids of the features {name!r} is the name of an entity; the first is "
            f"{column.names[0]!r}, where the data has names such as {vocabulary[0]!r}"
        )
    if not known.all():
        gone = int((~known).sum())
        first = column.names[int(column.codes[np.argmin(known)])]
        _warn(
            f"{gone:,} of {len(column):,} ids of the features {name!r} are not among the entities and are left out, "
            f"the first is {first!r}"
        )
    if known.all() and (np.diff(places) > 0).all():
        return Source(name, values, places)
    order = np.argsort(places[known], kind="stable")
    return Source(name, values, places[known][order], at=np.flatnonzero(known)[order])


def _check(source: Source, vocabulary: Vocabulary) -> None:
    """Refuse numbers that are not finite; warn of columns that are of no use, and of very many."""
    low, high = np.full(source.width, np.inf), np.full(source.width, -np.inf)
    marks = np.zeros((2, source.width))
    weights, first = np.random.default_rng(0), 0
    for block in source.blocks():
        wrong = ~np.isfinite(block).all(axis=1)
        if wrong.any():
            row = int(np.argmax(wrong))
            at = int(np.argmin(np.isfinite(block[row])))
            column = f"column {at} (counted from 0)" if source.columns is None else f"column {source.columns[at]!r}"
            raise DataError(
                f"the features {source.name!r} of {vocabulary[int(source.rows[first + row])]!r} have a missing or "
                f"infinite number in {column}; fill it in, or pass {REMEDY} to leave out such rows",
                remedies=[("missing", "drop")],
            )
        low, high = np.minimum(low, block.min(axis=0)), np.maximum(high, block.max(axis=0))
        marks += weights.standard_normal((2, len(block))) @ block
        first += len(block)
    constant = int((low == high).sum())
    varying = marks[:, low < high]
    twice = varying.shape[1] - np.unique(varying, axis=1).shape[1]
    if constant and len(source) > 1 and source.encoder is None:  # nobody chose the dimensions of an encoder
        _warn(f"{counted(constant, 'column')} of the features {source.name!r} are constant and have no effect")
    if twice and source.encoder is None:
        _warn(
            f"{counted(twice, 'column')} of the features {source.name!r} repeat others; that is harmless, but what "
            "they say counts more"
        )
    if source.width > WIDE:
        size = 3 * 8 * source.width**2 / 1e9
        _warn(
            f"the features {source.name!r} have {source.width:,} columns; training solves for a matrix of "
            f"{source.width:,} x {source.width:,} numbers and takes about {size:.1f} GB for it. Reduce them first (by "
            "principal components, for example), or give sparse tags as parents of a taxonomy"
        )


def _warn(message: str) -> None:
    warnings.warn(VBNWarning(message), stacklevel=caller_level())
