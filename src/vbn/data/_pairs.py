"""From two columns of names and one of counts to a counts matrix over ordered vocabularies."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from vbn._errors import DataError, ParameterError
from vbn.data._columns import Columns, read_columns, speaking_as
from vbn.data._counts import Counts
from vbn.data._fields import COUNTS, Field
from vbn.data._names import Coded
from vbn.data._numbers import check_counts
from vbn.data._types import BoolArray, FloatArray, IdArray, summed
from vbn.data._vocabulary import Vocabulary

_RATINGS = ("rating", "ratings", "score", "stars", "plays", "playcount", "play_count", "listens", "clicks", "views",
            "purchases")  # fmt: skip
INTERACTIONS = (
    Field("users", ("user", "users", "userid", "user_id", "patient", "customer", "row")),
    Field("items", ("item", "items", "itemid", "item_id", "movie", "movieid", "movie_id", "product", "column")),
    Field("weights", (*COUNTS, *_RATINGS), number=True, optional=True),
)
PAIRS = (
    Field("left", ("left", "row", "entity", "source", "first", "word")),
    Field("right", ("right", "column", "context", "target", "second")),
    Field("counts", (*COUNTS, *_RATINGS), number=True, optional=True),
)
_QUESTIONS = (
    Field("first", ("first", "left", "row", "entity", "source", "subject", "head", "user", "user_id", "userid")),
    Field("second", ("second", "right", "column", "context", "target", "object", "tail", "item", "item_id", "itemid")),
)


class Parts(NamedTuple):
    """What a constructor hands to `Dataset`; one vocabulary twice where it is shared."""

    rows: Vocabulary
    columns: Vocabulary
    counts: Counts


def check_limits(min_count: Any, max_size: Any) -> None:
    """Refuse a `min_count` or `max_size` that cannot be meant."""
    if isinstance(min_count, bool) or not isinstance(min_count, Real) or not float(min_count) >= 0:
        raise ParameterError(f"min_count must be a number of at least 0, not {min_count!r}")
    if max_size is None:
        return
    if isinstance(max_size, bool) or not isinstance(max_size, Integral) or max_size < 1:
        raise ParameterError(f"max_size must be a whole number of at least 1, or None, not {max_size!r}")


def check_flag(name: str, value: Any) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name}={value!r} is neither True nor False")


def ranked(counts: FloatArray, allowed: BoolArray, max_size: int | None) -> IdArray:
    """Return the codes of the entities to keep: falling count, ties by first appearance."""
    order = np.argsort(-counts, kind="stable")
    return order[allowed[order]][:max_size]


def positions(kept: IdArray, n: int) -> IdArray:
    """Return, for each of `n` codes, its place in `kept`, or -1."""
    place = np.full(n, -1, dtype=np.int64)
    place[kept] = np.arange(len(kept))
    return place


def refuse_nothing(n: int, min_count: float) -> None:
    """Raise if filtering left no cells."""
    if n == 0:
        hint = f"; lower min_count (it is {min_count:g})" if min_count > 1 else ""
        raise DataError(f"there is no data: no cell with a count is left{hint}")


def read_cells(read: Columns, keys: tuple[str, str, str]) -> tuple[Coded, Coded, FloatArray]:
    """Take the columns named `keys` (row, column, count), check the counts and drop those of zero."""
    left, right = read.labels[keys[0]], read.labels[keys[1]]
    values = read.numbers.get(keys[2])
    if values is None:
        return left, right, np.ones(len(left))
    check_counts(values, keys[2].removesuffix("s"), read.where)
    seen = values > 0
    return Coded(left.names, left.codes[seen]), Coded(right.names, right.codes[seen]), values[seen]


def shared_parts(
    left: Coded,
    right: Coded,
    values: FloatArray,
    min_count: float,
    max_size: int | None,
    keep_unseen: bool = False,
) -> Parts:
    """Build counts over one vocabulary; an entity's count is the mean of its row and column sums."""
    check_limits(min_count, max_size)
    names, rows, columns = _one_namespace(left, right)
    n = len(names)
    seen = (summed(rows, values, n) + summed(columns, values, n)) / 2
    kept = ranked(seen, (seen >= min_count) & (keep_unseen | (seen > 0)), max_size)
    place = positions(kept, n)
    inside = (place[rows] >= 0) & (place[columns] >= 0)
    size = (len(kept), len(kept))
    counts = Counts.from_coo(place[rows[inside]], place[columns[inside]], values[inside], size)
    refuse_nothing(counts.nnz, min_count)
    vocabulary = Vocabulary([names[code] for code in kept.tolist()], seen[kept])
    return Parts(vocabulary, vocabulary, counts)


def separate_parts(
    left: Coded,
    right: Coded,
    values: FloatArray,
    min_count: float,
    max_size: int | None,
    keep_unseen: bool = False,
) -> Parts:
    """Build counts over two vocabularies; an entity's count is the sum of its row or column.

    The limits apply to the columns: a column needs `min_count` entries. Rows left empty go.
    """
    check_limits(min_count, max_size)
    n = len(right.names)
    sums = summed(right.codes, values, n)
    entries = np.bincount(right.codes, minlength=n)
    columns = ranked(sums, (entries >= min_count) & (keep_unseen | (entries > 0)), max_size)
    place = positions(columns, n)
    inside = place[right.codes] >= 0
    row_codes, column_ids, values = left.codes[inside], place[right.codes[inside]], values[inside]
    row_sums = summed(row_codes, values, len(left.names))
    rows = ranked(row_sums, keep_unseen | (row_sums > 0), None)
    row_ids = positions(rows, len(left.names))[row_codes]
    counts = Counts.from_coo(row_ids, column_ids, values, (len(rows), len(columns)))
    refuse_nothing(counts.nnz, min_count)
    return Parts(
        Vocabulary([left.names[code] for code in rows.tolist()], row_sums[rows]),
        Vocabulary([right.names[code] for code in columns.tolist()], sums[columns]),
        counts,
    )


def _one_namespace(left: Coded, right: Coded) -> tuple[list[str], IdArray, IdArray]:
    """Give two columns of names common codes, by first appearance row by row."""
    if left.names is right.names:
        return left.names, left.codes, right.codes
    index: dict[str, int] = {}
    order = np.argsort(np.concatenate([2 * _first_rows(left), 2 * _first_rows(right) + 1]), kind="stable")
    both = [*left.names, *right.names]
    for number in order.tolist():
        index.setdefault(both[number], len(index))
    left_place = np.asarray([index[name] for name in left.names], dtype=np.int64)
    right_place = np.asarray([index[name] for name in right.names], dtype=np.int64)
    return list(index), left_place[left.codes], right_place[right.codes]


def _first_rows(column: Coded) -> IdArray:
    first = np.full(len(column.names), len(column), dtype=np.int64)
    codes, rows = np.unique(column.codes, return_index=True)
    first[codes] = rows
    return first


def pair_columns(pairs: object) -> tuple[list[str], list[str]]:
    """Return the first and the second entities of pairs that a model is asked about.

    Parameters
    ----------
    pairs
        An iterable of (first, second), an array of two columns, a table of any kind, or the path of one. In a table,
        columns with usual names ("left", "right", "user", "item", ...) are found by themselves, else the first two.

    Raises
    ------
    DataError
        For anything else, saying which pair is at fault.

    Examples
    --------
    >>> pair_columns([("hot", "cold"), ("up", 7)])
    (['hot', 'up'], ['cold', '7'])
    """
    if pairs is None or isinstance(pairs, bytes):
        raise DataError(f"expected pairs, such as [('hot', 'cold')], not {pairs!r}")
    with speaking_as(DataError, "pairs"):
        read = read_columns(pairs, (), {}, _QUESTIONS, allow_empty=True, ask=False)
    first, second = (read.labels[key] for key in ("first", "second"))
    return [first.names[code] for code in first.codes], [second.names[code] for code in second.codes]
