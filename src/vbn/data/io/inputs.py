"""Every form that input may take, read as columns: lists, rows of tuples, tables, files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from vbn._errors import DataError
from vbn.data.io.columns import COUNTS, Columns, Field
from vbn.data.io.csv import read_csv
from vbn.data.io.files import check_reading, find_file
from vbn.data.io.tables import as_table, plain_column, read_parquet, read_table
from vbn.data.vocabulary import row_number, shown

_PLAYS = ("plays", "playcount", "play_count", "listens", "clicks", "views", "purchases")
_RATINGS = ("rating", "ratings", "score", "stars", *_PLAYS)
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


@contextmanager
def speaking_as(error: type[DataError], subject: str) -> Iterator[None]:
    """Let the errors of the readers say what was being read, in that thing's own error class."""
    try:
        yield
    except DataError as raised:
        if type(raised) is not DataError:
            raise
        raise error(f"{subject}: {raised.args[0]}", remedies=raised.remedies) from raised.__cause__


def read_columns(
    source: object,
    positional: Sequence[object],
    given: Mapping[str, object],
    fields: Sequence[Field],
    *,
    header: bool | None = None,
    delimiter: str | None = None,
    allow_empty: bool = False,
    ask: bool = True,
    missing: str | None = None,
) -> Columns:
    """Read the columns `fields` from whatever the user passed.

    Parameters
    ----------
    source
        A path, a table, an iterable of rows, or the first column itself; None if all columns are in `given`.
    positional
        Columns of data, or the names or numbers of a table's columns, in the order of `fields`.
    given
        The same by field; None where not given. Where `source` is the first column itself, these are the columns that
        follow it, and each may be in the place of the one before: (users, items) as `source` and the first field.
    fields
        The columns to read, required ones first.
    header, delimiter
        How to read a text file.
    allow_empty
        Whether no rows at all are fine.
    ask
        Whether a first line of a file that may be a header or data is an error; else it is data.
    missing
        What to do about rows without a name: see `settle`.
    """
    check_reading(header, delimiter)
    given = _assigned(positional, given, fields)
    if isinstance(source, str | os.PathLike):
        file = find_file(source, delimiter=delimiter)
        chosen = chosen_columns(given)
        if file.kind == "parquet":
            columns = read_table(read_parquet(file), chosen, fields)
        else:
            columns = read_csv(file, chosen, fields, header, delimiter, ask)
    else:
        columns = _from_memory(source, given, fields)
    named = columns.without_gaps(missing)
    if len(named) == 0 and not allow_empty:
        raise DataError(f"there is no data: {_nothing(columns)}")
    return named


def _nothing(columns: Columns) -> str:
    if len(columns):
        return f"each of the {len(columns):,} rows lacks a name"
    return f"{columns.source} has columns but not a single row" if columns.source else "not a single row was given"


def _from_memory(source: object, given: Mapping[str, object], fields: Sequence[Field]) -> Columns:
    if isinstance(source, Mapping) and source and all(isinstance(key, tuple) for key in source):
        source = [(*key, value) for key, value in source.items()]  # such as a Counter of pairs
    table = as_table(source)
    if table is not None:
        return read_table(table, chosen_columns(given), fields)
    if source is None:
        return _from_sequences(given, fields)
    if not given:
        return _from_rows(source, fields)
    return _from_sequences(_moved_up(source, given, fields), fields)


def _assigned(positional: Sequence[object], given: Mapping[str, object], fields: Sequence[Field]) -> dict[str, object]:
    """Return what was given for each field, by position or by name."""
    if len(positional) > len(fields):
        raise _too_many(len(positional), fields)
    by_place = zip((item.key for item in fields), positional, strict=False)
    return {key: value for key, value in (*by_place, *given.items()) if value is not None}


def _moved_up(source: object, given: Mapping[str, object], fields: Sequence[Field]) -> dict[str, object]:
    """Put the first column in front of the given ones: each moves to the next field until there is a free one."""
    columns, moved = dict(given), source
    for item in fields:
        before = columns.get(item.key)
        columns[item.key] = moved
        if before is None:
            return columns
        moved = before
    raise _too_many(len(fields) + 1, fields)


def _too_many(n: int, fields: Sequence[Field]) -> DataError:
    return DataError(f"{n} columns were given, but only {', '.join(item.key for item in fields)} are read")


def chosen_columns(assigned: Mapping[str, object]) -> dict[str, str | int]:
    """Check that columns of a table or file are given by name or number."""
    chosen: dict[str, str | int] = {}
    for key, value in assigned.items():
        if not isinstance(value, str | int) or isinstance(value, bool):
            raise DataError(
                f"with a table or a file, {key} must be the name or the number of a column, "
                f"not a value of type {type(value).__name__}"
            )
        chosen[key] = value
    return chosen


def _from_sequences(assigned: Mapping[str, object], fields: Sequence[Field]) -> Columns:
    columns = Columns()
    for item in fields:
        if item.key not in assigned:
            if item.optional:
                continue
            raise DataError(f"{item.key} is missing: give one entry for each row")
        values = assigned[item.key]
        known = isinstance(values, str | list | tuple | np.ndarray)
        columns.read(item, values if known else plain_column(values))
    columns.check_lengths()
    return columns


def _from_rows(source: object, fields: Sequence[Field]) -> Columns:
    """Read tuples, one for each row; optional fields, which are numbers, may be left off at the end."""
    if not isinstance(source, Iterable):
        raise DataError(f"expected rows, a table or a path, not a value of type {type(source).__name__}")
    if type(source).__module__.startswith("scipy.sparse"):
        raise DataError("expected rows, a table or a path, not a sparse matrix; use Dataset.from_matrix")
    least = sum(not item.optional for item in fields)
    if isinstance(source, np.ndarray) and source.ndim == 2:
        return _from_array(source, least, fields)
    rows: list[Any] = list(source)
    if not set(map(type, rows)) <= {tuple, list} or not set(map(len, rows)) <= {least, len(fields)}:
        for position, row in enumerate(rows):
            _check_row(row, position, least, fields)
    longest = max(map(len, rows), default=least)
    if min(map(len, rows), default=least) < longest:
        rows = [(*row, *[1.0] * (longest - len(row))) for row in rows]
    return _of_columns(list(zip(*rows, strict=True)) or [()] * longest, fields)


def _from_array(rows: np.ndarray, least: int, fields: Sequence[Field]) -> Columns:
    if not least <= rows.shape[1] <= len(fields):
        wanted = ", ".join(item.key for item in fields[:least])
        raise DataError(f"an array of rows ({wanted}) cannot be of shape {rows.shape}")
    return _of_columns([rows[:, number] for number in range(rows.shape[1])], fields)


def _of_columns(values: Sequence[object], fields: Sequence[Field]) -> Columns:
    columns = Columns(where=row_number)
    for item, column in zip(fields, values, strict=False):
        columns.read(item, column)
    return columns


def _check_row(row: object, position: int, least: int, fields: Sequence[Field]) -> None:
    wanted = ", ".join(item.key for item in fields[:least])
    if isinstance(row, str) or not isinstance(row, Sequence | np.ndarray):
        raise DataError(f"{row_number(position)} is {shown(row)}; expected a tuple ({wanted})")
    if not least <= len(row) <= len(fields):
        raise DataError(f"{row_number(position)} has {len(row)} entries; expected ({wanted}): {shown(row)}")


def pair_columns(pairs: object) -> tuple[list[str], list[str]]:
    """Return the first and the second entities of the pairs that a model is asked about.

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
