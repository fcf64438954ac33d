"""Every form that input may take, read as columns: lists, rows of tuples, tables, files.

Tables are those of pandas, polars and pyarrow, through narwhals, and plain dicts of columns.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np

from vbn._errors import DataError, MissingExtraError, ParameterError
from vbn.data.io.columns import (
    COUNTS,
    ITEMS,
    Columns,
    Field,
    Header,
    naming_columns,
    pick,
    plain_name,
    refuse_times,
)
from vbn.data.io.files import (
    File,
    check_reading,
    find_file,
    mark_of,
    open_binary,
    open_sheet,
    read_csv,
    read_lines,
    reading,
)
from vbn.data.io.numbers import NotANumberError, as_numbers
from vbn.data.io.unread import warn_of_unread
from vbn.data.vocabulary import row_number, settled_missing, shown

_PLAYS = ("plays", "playcount", "play_count", "listens", "clicks", "views", "purchases")
_USERS = ("user", "userid", "user_id", "patient", "customer", "subject_id", "pat_id", "customer_no", "customer_number")
_KUNDEN = ("kunde", "kundennummer", "kundennr", "kunden_nr", "kunden_id", "nutzer", "nutzer_id", "patientennummer")
INTERACTIONS = (
    Field("users", (*_USERS, "row", "users", "customer_id", "customerid", "client", "buyer", "patient_id", *_KUNDEN)),
    Field("items", ITEMS),
    Field("weights", (*COUNTS, *_PLAYS), number=True, optional=True, doubt=True),
)
TIME = Field("time", (), optional=True, time=True)
PAIRS = (
    Field("left", ("left", "row", "entity", "source", "first", "word")),
    Field("right", ("right", "column", "context", "target", "second")),
    Field("counts", (*COUNTS, *_PLAYS), number=True, optional=True, doubt=True),
)
_BASKETS = (
    Field("baskets", ("basket", "baskets", "basket_id", "order", "order_id", "transaction", "session", "invoice")),
    Field("items", ITEMS),
)
_QUESTIONS = (
    Field("first", ("first", "left", "row", "entity", "source", "subject", "head", "user", "user_id", "userid")),
    Field("second", ("second", "right", "column", "context", "target", "object", "tail", "item", "item_id", "itemid")),
)
_PLAIN = ("builtins", "numpy", "collections", "itertools", "array", "scipy")  # their types are not tables


@contextmanager
def speaking_as(error: type[DataError], subject: str, about: str = "") -> Iterator[None]:
    """Let the errors of the readers say what was being read, in that thing's own error class."""
    try:
        yield
    except DataError as raised:
        if type(raised) not in (DataError, NotANumberError):
            raise
        told = error(f"{subject}: {raised.args[0]}", remedies=raised.remedies)
        told.about = about or subject
        raise told from raised.__cause__


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
    split_items: str | None = None,
) -> Columns:
    """Read the columns `fields`, required ones first, from whatever the user passed.

    `source` is a path, a table, an iterable of rows, or the first column itself; None if all columns are in `given`.
    `positional` and `given` are columns of data, or the names or numbers of a table's columns, in the order of `fields`
    or by field. Where `source` is the first column itself, they follow it, and each may be in the place of the one
    before: (users, items) as `source` and the first field. `ask` is whether a first line of a file that may be a header
    or data is an error; otherwise it is data. `settle` says what `missing` may be. `split_items` takes the cells of the
    field "items" apart.
    """
    check_reading(header, delimiter)
    if split_items is not None and not (isinstance(split_items, str) and split_items):
        raise ParameterError(
            f"split_items must be the text between two items of a cell, such as ',', got {split_items!r}"
        )
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
    if split_items is not None:
        columns = columns.split("items", split_items)
    named = columns.without_gaps(settled_missing(missing, source), fields)
    if len(named) == 0 and not allow_empty:
        told = f"{columns.source} has columns but not a single row" if columns.source else "not a single row was given"
        if len(columns):
            told = f"each of the {len(columns):,} rows lacks a name"
        raise DataError(f"there is no data: {told}")
    return named


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
        values: list[Any] = [*source.T]
        if not least <= len(values) <= len(fields):
            wanted = ", ".join(item.key for item in fields[:least])
            raise DataError(f"an array of rows ({wanted}) cannot be of shape {source.shape}")
    else:
        rows: list[Any] = list(source)
        if not set(map(type, rows)) <= {tuple, list} or not set(map(len, rows)) <= {least, len(fields)}:
            for position, row in enumerate(rows):
                _check_row(row, position, least, fields)
        longest = max(map(len, rows), default=least)
        if min(map(len, rows), default=least) < longest:
            rows = [(*row, *[1.0] * (longest - len(row))) for row in rows]
        values = list(zip(*rows, strict=True)) or [()] * longest
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

    In a table or file, columns with usual names ("left", "right", "user", "item", ...) are found, else the first two.
    """
    if pairs is None or isinstance(pairs, bytes):
        raise DataError(f"expected pairs, such as [('hot', 'cold')], not {pairs!r}")
    with speaking_as(DataError, "pairs"):
        read = read_columns(pairs, (), {}, _QUESTIONS, allow_empty=True, ask=False)
    first, second = (read.labels[key] for key in ("first", "second"))
    return [first.names[code] for code in first.codes], [second.names[code] for code in second.codes]


@dataclass(frozen=True)
class Table:
    """A table: the names of its columns, and a way to get one by its position."""

    names: list[str]
    column: Callable[[int], object]
    source: str = "the table"
    named: bool = True  # False if its columns are only numbered

    @property
    def header(self) -> Header:
        """What is known of the columns."""
        return Header(self.names, self.source, self.named, lambda at: _is_numeric(self.column(at)))


def as_table(source: object) -> Table | None:
    """Return `source` as something with columns, or None if it is a column or rows."""
    if source is None or isinstance(source, list | tuple | np.ndarray):
        return None
    if isinstance(source, Mapping):
        values = list(source.values())
        return _table(list(source), lambda position: plain_column(values[position]))
    frame = _through_narwhals(source)
    if frame is None or not hasattr(frame, "columns"):
        return None
    names = list(frame.columns)
    if len(set(names)) < len(names):
        raise DataError(f"cannot read this table: it has no unique column names, {names!r}.")
    return _table(names, lambda position: plain_column(frame.get_column(names[position])))


def _table(names: Sequence[object], column: Callable[[int], object]) -> Table:
    texts = [str(name) for name in names]
    return Table(texts, column, named=not all(isinstance(name, Integral) for name in names))


def _is_numeric(values: object) -> bool:
    """Return whether a column holds numbers, missing ones aside."""
    if isinstance(values, np.ndarray):
        return values.dtype.kind in "iuf"
    if isinstance(values, str | bytes) or not isinstance(values, Sequence):
        return False
    there = [value for value in values if value is not None]
    return bool(there) and all(isinstance(value, Real | Decimal) and not isinstance(value, bool) for value in there)


def plain_column(values: object) -> object:
    """Turn a column (a Series, an Arrow array) into a NumPy array or a list; return other values unchanged."""
    series = _through_narwhals(values)
    if series is None:
        return values.to_pylist() if hasattr(values, "to_pylist") else values
    try:
        if series.dtype.is_numeric() and not series.is_null().any():
            array = series.to_numpy()
            if array.dtype.kind in "iuf":
                return array
        return series.to_list()
    except (ValueError, TypeError, KeyError, OverflowError, NotImplementedError) as error:  # no UTF-8, no such zone
        raise DataError(f"column {series.name!r} holds what Python cannot read ({series.dtype}): {error}") from error


def _through_narwhals(source: object) -> Any:
    """Return `source` as a narwhals frame or series, or None if it is neither."""
    if type(source).__module__.partition(".")[0] in _PLAIN:
        return None
    import narwhals.stable.v1 as nw

    if isinstance(source, nw.DataFrame | nw.Series):
        return source
    try:
        wrapped: Any = nw.from_native(source, pass_through=True, allow_series=True)
    except (ValueError, TypeError) as error:
        raise DataError(f"cannot read this table: {error}") from error
    if isinstance(wrapped, nw.LazyFrame):
        wrapped = wrapped.collect()
    return wrapped if isinstance(wrapped, nw.DataFrame | nw.Series) else None


def read_table(table: Table, chosen: Mapping[str, str | int], fields: Sequence[Field]) -> Columns:
    """Read the columns `fields` of a table."""
    picked = pick(table.header, chosen, fields)
    titles = {key: table.names[position] for key, position in picked.places.items()}
    columns = Columns(where=row_number, titles=titles, source=table.source)
    by_key = {item.key: item for item in fields}
    for key, position in picked.places.items():
        with naming_columns(table.header, picked, fields):
            columns.read(by_key[key], table.column(position), f"column {table.names[position]!r}")
    columns.check_lengths()
    refuse_times(columns.numbers, table.header, picked)
    warn_of_unread(table.header, picked, fields, lambda at: as_numbers(table.column(at), "amounts"))
    return columns


def read_parquet(file: File) -> Table:
    """Read a parquet file with whichever reader is installed."""
    load = _parquet_reader()
    with reading(file), open_binary(file) as stream:
        try:
            frame = load(stream)
        except Exception as error:
            raise DataError(f"{file.path.name} cannot be read as parquet: {error}") from error
    table = as_table(frame)
    if table is None:
        raise DataError(f"{file.path.name} holds no table")
    return replace(table, source=file.path.name)


def column_names(path: str | os.PathLike[str], delimiter: str | None = None) -> list[str]:
    """Return the names of the columns of a file, whose first line is taken as its header."""
    file = find_file(path, delimiter=delimiter)
    named = read_parquet(file).names if file.kind == "parquet" else open_sheet(file, {}, (), True, delimiter).names
    return list(named)


def table_kind(names: Sequence[str]) -> str | None:
    """Return what a table holds by the names of its columns: "interactions", "pairs" or "baskets"; or None."""
    plain = {plain_name(name) for name in names}
    for kind, fields in (("interactions", INTERACTIONS), ("pairs", PAIRS), ("baskets", _BASKETS)):
        if all(plain.intersection(item.aliases) for item in fields if not item.optional):
            return kind
    return None


def likely_pair(names: Sequence[str]) -> list[str]:
    """Return the columns of a table that are read as users and items if nobody names them; fewer if it has fewer.

    Examples
    --------
    >>> likely_pair(["who", "date", "price", "product"]), likely_pair(["only"])
    (['who', 'product'], ['only'])
    """
    if len(names) < 2:
        return list(names)
    pair = pick(Header(names, "the table", True, lambda _: False), {}, INTERACTIONS[:2])
    return [names[pair.places[item.key]] for item in INTERACTIONS[:2]]


def text_kind(path: str | os.PathLike[str]) -> str:
    """Return what a .txt file holds: "sequences", unless its first line names columns of interactions or pairs."""
    file = find_file(path)
    mark = mark_of(file)
    with closing(read_lines(file)) as lines:
        first = next((line for line in lines if line.strip()), "")
    kind = None if mark is None else table_kind(first.split(mark))
    return kind if kind in ("interactions", "pairs") else "sequences"


def _parquet_reader() -> Callable[[Any], object]:
    try:
        import pyarrow.parquet

        return lambda stream: pyarrow.parquet.read_table(stream)
    except ImportError:
        pass
    try:
        import polars

        return lambda stream: polars.read_parquet(stream.read())
    except ImportError as error:
        raise MissingExtraError(
            'reading parquet needs pyarrow or polars: install "vbn[tables]", or save the table as csv'
        ) from error
