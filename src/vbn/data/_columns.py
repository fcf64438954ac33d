"""The one place where every calling form becomes columns: lists, rows of tuples, tables, files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vbn._errors import DataError
from vbn.data._fields import Field
from vbn.data._files import check_reading, find_file
from vbn.data._missing import without_gaps
from vbn.data._names import Coded, Where, encode, item_number, row_number
from vbn.data._numbers import as_numbers
from vbn.data._types import BoolArray, FloatArray

if TYPE_CHECKING:
    from vbn.data._tables import Table


@dataclass
class Columns:
    """Columns as read: names as codes, numbers as float64, and where each row stands."""

    labels: dict[str, Coded] = field(default_factory=dict)
    numbers: dict[str, FloatArray] = field(default_factory=dict)
    where: Where = item_number
    titles: dict[str, str] = field(default_factory=dict)  # what the columns of a table or file are called
    source: str = ""  # the table or file
    file: str = ""  # the same, if it is a text file
    dropped: int = 0  # rows that lacked a name

    def __len__(self) -> int:
        return len(next(iter(self.labels.values())))

    def check_lengths(self) -> None:
        """Refuse columns of different lengths."""
        lengths = {key: len(column) for key, column in self.labels.items()}
        lengths.update({key: len(column) for key, column in self.numbers.items()})
        if len(set(lengths.values())) > 1:
            sizes = ", ".join(f"{key} has {length:,}" for key, length in lengths.items())
            raise DataError(f"the columns differ in length: {sizes} entries; each row needs one of each")

    def title(self, key: str) -> str:
        """Say which column holds a field."""
        return f"column {self.titles[key]!r}" if key in self.titles else key

    def place(self, key: str) -> Where:
        """Return what says where an entry of a column stands."""
        link = ", " if self.file else " of "
        return lambda row: f"{self.where(row)}{link}{self.title(key)}"

    def only(self, kept: BoolArray) -> Columns:
        """Return some of the rows."""
        rows, where = np.flatnonzero(kept), self.where
        return replace(
            self,
            labels={key: column.only(kept) for key, column in self.labels.items()},
            numbers={key: column[kept] for key, column in self.numbers.items()},
            where=lambda row: where(int(rows[row])),
            dropped=self.dropped + len(kept) - len(rows),
        )

    def reading(self, fields: Sequence[Field]) -> dict[str, str | None] | None:
        """Return which column of a table or file was read for each field."""
        return {item.key: self.titles.get(item.key) for item in fields} if self.titles else None


@contextmanager
def speaking_as(error: type[DataError], subject: str) -> Iterator[None]:
    """Let the errors of the readers name what was being read, in that thing's own error class."""
    try:
        yield
    except DataError as raised:
        if type(raised) is not DataError:
            raise
        raise error(f"{subject}: {raised}") from raised.__cause__


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
        A path, a table, an iterable of rows, or the first column itself; None if all columns came
        as keywords.
    positional
        What followed it: columns of data, or the names or numbers of a table's columns.
    given
        The same by keyword; None where not given.
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
    if isinstance(source, str | os.PathLike):
        chosen = chosen_columns(_assigned(positional, given, fields))
        columns = _from_file(source, chosen, fields, header, delimiter, ask)
    else:
        columns = _from_memory(source, positional, given, fields)
    named = without_gaps(columns, missing)
    if len(named) == 0 and not allow_empty:
        raise DataError(f"there is no data: {_nothing(columns)}")
    return named


def _nothing(columns: Columns) -> str:
    if len(columns):
        return f"each of the {len(columns):,} rows lacks a name"
    return f"{columns.source} has columns but not a single row" if columns.source else "not a single row was given"


def _from_file(
    source: str | os.PathLike[str],
    chosen: Mapping[str, str | int],
    fields: Sequence[Field],
    header: bool | None,
    delimiter: str | None,
    ask: bool,
) -> Columns:
    from vbn.data._csv import read_csv
    from vbn.data._tables import read_parquet, read_table

    file = find_file(source, delimiter=delimiter)
    if file.kind == "parquet":
        return read_table(read_parquet(file), chosen, fields)
    return read_csv(file, chosen, fields, header, delimiter, ask)


def _from_memory(
    source: object, positional: Sequence[object], given: Mapping[str, object], fields: Sequence[Field]
) -> Columns:
    if isinstance(source, Mapping) and source and all(isinstance(key, tuple) for key in source):
        source = [(*key, value) for key, value in source.items()]  # such as a Counter of pairs
    table = as_table(source)
    if table is not None:
        from vbn.data._tables import read_table

        return read_table(table, chosen_columns(_assigned(positional, given, fields)), fields)
    alone = not positional and all(value is None for value in given.values())
    if source is not None and alone:
        return _from_rows(source, fields)
    values = positional if source is None else (source, *positional)
    return _from_sequences(_assigned(values, given, fields), fields)


def as_table(source: object) -> Table | None:
    """Return `source` as something with columns, or None if it is a column or rows."""
    if source is None or isinstance(source, list | tuple | np.ndarray):
        return None
    from vbn.data._tables import to_table

    return to_table(source)


def _assigned(positional: Sequence[object], given: Mapping[str, object], fields: Sequence[Field]) -> dict[str, object]:
    """Match what came by position and by keyword with the fields."""
    if len(positional) > len(fields):
        names = ", ".join(item.key for item in fields)
        raise DataError(f"{len(positional)} columns were given, but only {names} are read")
    assigned = {item.key: value for item, value in zip(fields, positional, strict=False) if value is not None}
    for key, value in given.items():
        if value is None:
            continue
        if key in assigned:
            raise DataError(f"{key} was given twice, by position and by keyword")
        assigned[key] = value
    return assigned


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
        values = _plain(assigned[item.key])
        if item.number:
            columns.numbers[item.key] = as_numbers(values, item.key)
        else:
            columns.labels[item.key] = encode(values, item.key)
    columns.check_lengths()
    return columns


def _plain(values: object) -> object:
    """Turn a column of a table (a Series, an Arrow array) into something NumPy or Python can walk."""
    if isinstance(values, str | list | tuple | np.ndarray):
        return values
    from vbn.data._tables import plain_column

    return plain_column(values)


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
        if item.number:
            columns.numbers[item.key] = as_numbers(column, item.key, row_number)
        else:
            columns.labels[item.key] = encode(column, item.key, row_number)
    return columns


def _check_row(row: object, position: int, least: int, fields: Sequence[Field]) -> None:
    wanted = ", ".join(item.key for item in fields[:least])
    if isinstance(row, str) or not isinstance(row, Sequence | np.ndarray):
        raise DataError(f"{row_number(position)} is {_shown(row)}; expected a tuple ({wanted})")
    if not least <= len(row) <= len(fields):
        raise DataError(f"{row_number(position)} has {len(row)} entries; expected ({wanted}): {_shown(row)}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
