"""Tables in memory: pandas, polars and pyarrow through narwhals, and plain dicts of columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np

from vbn._errors import DataError, MissingExtraError
from vbn.data.io.columns import Columns, Field, Header, pick, refuse_times
from vbn.data.io.files import File, open_binary, reading
from vbn.data.vocabulary import row_number

_PLAIN = ("builtins", "numpy", "collections", "itertools", "array", "scipy")  # their types are not tables


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
        columns.read(by_key[key], table.column(position), f"column {table.names[position]!r}")
    columns.check_lengths()
    refuse_times(columns.numbers, table.header, picked)
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
