"""Content of entities as people have it: a name and numbers, or a name and text, in arrays, tables and files.

A table has one row an entity: a column of ids, and columns of numbers (or one of vectors), or columns of text. An array
has one row an entity and comes with the ids of its rows; `.npy` files are mapped into memory, not read.
"""

from __future__ import annotations

import os
import warnings
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from vbn._errors import REMEDY, DataError, ParameterError, VBNWarning, caller_level
from vbn.data.counts import IdArray
from vbn.data.describe import counted
from vbn.data.io.columns import Field, as_number, pick, plain_name
from vbn.data.io.files import (
    TEXT,
    UNREADABLE,
    File,
    Sheet,
    check_reading,
    checked_rows,
    find_file,
    is_number,
    open_sheet,
    read_lines,
)
from vbn.data.io.inputs import Table, as_table, plain_column, read_parquet
from vbn.data.vocabulary import Vocabulary, Where, as_name, check_missing, item_number, known_ids, row_number

_IDS = ("id", "ids", "item", "items", "item_id", "itemid", "user", "users", "user_id", "userid", "entity", "name", "code")
_IDS += ("movie", "movie_id", "movieid", "product", "product_id", "sku", "title", "key", "word", "__index_level_0__")
_ID = Field("id", _IDS)
_TEXTS = ("text", "texts", "description", "descriptions", "definition", "abstract", "summary", "content", "title", "name")
_KINDS = (*TEXT, "parquet", "npy", "npz")
_BLOCK = 1 << 22  # numbers that are checked at once; a mapped array is never in memory as a whole
Choice = str | int


@dataclass(frozen=True)
class Numbers:
    """Rows of numbers with the names of their entities, as read."""

    names: Sequence[str]
    values: np.ndarray  # (rows, columns) in float32, perhaps mapped from a file
    columns: tuple[str, ...] | None = None  # their titles; None for the dimensions of a vector
    source: str = "features"  # the file, for messages
    where: Where = row_number

    @property
    def units(self) -> bool:
        """Whether each column is a quantity of its own, in a unit of its own, rather than a dimension of a vector."""
        return self.columns is not None


@dataclass(frozen=True)
class Texts:
    """Texts with the names of their entities, as read; a missing text is empty."""

    names: Sequence[str]
    texts: Sequence[str]
    source: str = "texts"
    where: Where = row_number


def read_numbers(
    source: object,
    ids: object = None,
    *,
    id: Choice | None = None,  # noqa: A002 - as users call the column
    columns: object = None,
    header: bool | None = None,
    delimiter: str | None = None,
    names: Vocabulary | None = None,
) -> Numbers:
    """Read features in any form that `Dataset.with_features` documents; `names` are those of rows without ids."""
    check_reading(header, delimiter)
    chosen = _choices(columns, "columns")
    if isinstance(source, str | os.PathLike):
        file = find_file(source, _KINDS, delimiter)
        if file.kind in ("npy", "npz"):
            _refuse_choice(file.path.name, id, chosen)
            return _from_numpy(file, ids, names)
        _refuse_ids(ids, file.path.name)
        if file.kind == "parquet":
            return _from_table(read_parquet(file), id, chosen)
        return _from_csv(file, id, chosen, header, delimiter)
    table = None if type(source).__module__.partition(".")[0] == "scipy" else as_table(source)
    if table is None:
        _refuse_choice("an array", id, chosen)
        return _from_array(source, ids, names)
    if ids is None and id is None:
        ids = _labels(source)
    return _from_table(table, id, chosen, ids)


def _refuse_choice(source: str, id: object, columns: object) -> None:  # noqa: A002
    if id is not None or columns is not None:
        raise DataError(
            f"{source} has no columns with names: give the names of its rows as {REMEDY}", remedies=[("ids",)]
        )


def _refuse_ids(ids: object, source: str) -> None:
    if ids is not None:
        raise DataError(
            f"ids are for arrays and tables; name the column of {source} that holds them with {REMEDY}",
            remedies=[("id",)],
        )


def _choices(given: object, what: str) -> list[Choice] | None:
    if given is None:
        return None
    entries = [given] if isinstance(given, str | int) else list(given) if isinstance(given, Iterable) else []
    if not entries or not all(isinstance(entry, str | int) and not isinstance(entry, bool) for entry in entries):
        raise ParameterError(f"{what} must be names or numbers of columns, got {given!r}")
    return entries


def _labels(source: object) -> Sequence[object] | None:
    """Return the row labels of a pandas table if they are names: not 0, 1, 2, ..."""
    index = getattr(source, "index", None)
    if index is None or callable(index):
        return None
    labels: list[object] = list(index)
    return None if labels == list(range(len(labels))) else labels


def _from_array(source: object, ids: object, names: Vocabulary | None, what: str = "the array") -> Numbers:
    values = _as_matrix(source, what)
    if ids is not None:
        return Numbers(_names(ids, len(values), what), values, None, what)
    if names is None or len(values) != len(names):
        known = f", but there are {counted(len(names), 'entity', 'entities')}" if names is not None else ""
        raise DataError(
            f"{what} has {counted(len(values), 'row')}{known}: say whose they are with {REMEDY}, a list with the name "
            "of the entity of each row",
            remedies=[("ids",)],
        )
    return Numbers(names.names, values, None, what)


def _as_matrix(source: object, what: str) -> np.ndarray:
    """Return an array of two dimensions in float32: the same one if it is of that type."""
    if type(source).__module__.startswith("scipy.sparse"):
        raise DataError(
            "features must be dense; pass matrix.toarray(), or many sparse tags as parents with with_taxonomy"
        )
    try:
        values = np.asarray(source)
    except (ValueError, TypeError) as error:
        raise DataError(f"{what} must be rows of numbers, all of the same length: {error}") from error
    if values.ndim != 2 or values.dtype.kind not in "iufb":
        raise DataError(f"{what} must be rows of numbers (two dimensions), not {values.dtype} of shape {values.shape}")
    return _single(values)


def _single(values: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):  # what does not fit is infinite, and refused as such
        return values if values.dtype == np.float32 else values.astype(np.float32)


def _names(ids: object, size: int, what: str) -> list[str]:
    """Read names of rows: a list, a column, or the path of a text file with one a line."""
    if isinstance(ids, str | os.PathLike):
        path = find_file(ids, ("txt",))
        ids = [name for line in read_lines(path) if (name := line.rstrip("\r\n"))]
    values = plain_column(ids)
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise DataError(f"ids must be a list of names, not {ids!r}")
    names = [as_name(name, f"{item_number(position)} of ids") for position, name in enumerate(values)]
    if len(names) != size:
        raise DataError(f"there are {counted(len(names), 'id')} for the {counted(size, 'row')} of {what}; give one each")
    return names


def _from_numpy(file: File, ids: object, names: Vocabulary | None) -> Numbers:
    name = file.path.name
    if file.zipped:
        raise DataError(f"{name} is compressed; unpack it, so that it can be mapped into memory")
    if file.kind == "npz":
        return _from_archive(file, ids, names)
    try:
        mapped = np.lib.format.open_memmap(file.path, mode="r")
    except UNREADABLE as error:
        raise DataError(f"{name} is not an array as numpy saves it: {error}") from error
    beside = file.path.with_name(f"{file.path.stem}.ids.txt")
    if ids is None and beside.exists():
        ids = beside
    return _from_array(mapped, ids, names, name)


def _from_archive(file: File, ids: object, names: Vocabulary | None) -> Numbers:
    """Read an npz archive: one array of two dimensions, and beside it `ids` and, if there are any, `columns`."""
    name = file.path.name
    try:
        with np.load(file.path, allow_pickle=False) as archive:
            arrays: dict[str, np.ndarray] = {key: np.asarray(archive[key]) for key in archive.files}
    except UNREADABLE as error:
        raise DataError(f"{name} is not an archive of arrays as numpy.savez writes it: {error}") from error
    matrices = [key for key, values in arrays.items() if values.ndim == 2 and values.dtype.kind in "iufb"]
    if len(matrices) != 1:
        held = ", ".join(f"{key} of shape {values.shape}" for key, values in arrays.items()) or "nothing"
        raise DataError(f"{name} must hold one array of rows of numbers beside 'ids'; it holds {held}")
    found = _from_array(arrays[matrices[0]], arrays.get("ids") if ids is None else ids, names, name)
    titles = arrays.get("columns")
    if titles is None:
        return found
    if titles.shape != found.values.shape[1:]:
        raise DataError(f"{name} has {titles.size} names of columns for {found.values.shape[1]} columns")
    return replace(found, columns=tuple(str(title) for title in titles.tolist()))


def _from_table(table: Table, id: Choice | None, chosen: list[Choice] | None, ids: object = None) -> Numbers:  # noqa: A002
    place = None if ids is not None else _id_place(table, id)
    places = [at for at in range(len(table.names)) if at != place]
    if chosen is not None:
        places = [_place(table, choice) for choice in chosen]
    if not places:
        raise DataError(f"{table.source} has no columns beside the ids; features are columns of numbers")
    columns = [table.column(at) for at in places]
    size = len(columns[0])  # type: ignore[arg-type]
    vectors = [_as_vectors(column) for column in columns]
    parts = [
        _column_of_numbers(column, table.names[at], table.source) if vector is None else vector
        for column, vector, at in zip(columns, vectors, places, strict=True)
    ]
    if len({len(part) for part in parts}) > 1:
        raise DataError(f"the columns of {table.source} differ in length; each row needs one entry of each")
    values = parts[0] if len(parts) == 1 else np.hstack(parts)
    given: object = table.column(place) if place is not None else ids
    what = f"column {table.names[place]!r} of {table.source}" if place is not None else "ids"
    names = _row_names(given, what) if place is not None else _names(given, size, table.source)
    if len(names) != len(values):
        raise DataError(f"{table.source} has {len(names):,} ids for {len(values):,} rows of numbers")
    titles = None if all(vector is not None for vector in vectors) else _titles(table, places, parts)
    return Numbers(names, values, titles, table.source)


def _titles(table: Table, places: Sequence[int], parts: Sequence[np.ndarray]) -> tuple[str, ...]:
    """Return the name of each column; the dimensions of a column of vectors are numbered."""
    return tuple(
        title
        for at, part in zip(places, parts, strict=True)
        for title in (
            [table.names[at]] if part.shape[1] == 1 else [f"{table.names[at]}[{k}]" for k in range(part.shape[1])]
        )
    )


def _row_names(column: object, what: str) -> list[str]:
    if not isinstance(column, Iterable):
        raise DataError(f"{what} must be a column of names, not {column!r}")
    return [as_name(value, f"{row_number(position)} of {what}") for position, value in enumerate(column)]


def _as_vectors(column: object) -> np.ndarray | None:
    """Return a column whose entries are vectors as an array; None if its entries are something else."""
    first = next(iter(column), None) if isinstance(column, Sequence) else None
    if not isinstance(first, Sequence | np.ndarray) or isinstance(first, str | bytes):
        return None
    return _as_matrix(column, "a column of vectors")


def _column_of_numbers(column: object, title: str, source: str) -> np.ndarray:
    """Return a column as an array of one column; missing entries are NaN."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "iufb" and column.ndim == 1:
        return _single(column)[:, None]
    if not isinstance(column, Iterable) or isinstance(column, str | bytes):
        raise DataError(f"column {title!r} of {source} must be a list of numbers, not {column!r}")
    values = np.empty(len(column), dtype=np.float32)  # type: ignore[arg-type]
    for row, value in enumerate(column):
        if value is not None and not isinstance(value, Real | Decimal | np.bool_):
            raise _not_numeric(title, source, value, row_number(row))
        with np.errstate(over="ignore"):
            values[row] = as_number(value, row_number(row))
    return values[:, None]


def _not_numeric(title: str, source: str, value: object, where: str) -> DataError:
    shown = repr(value) if len(repr(value)) < 40 else f"{repr(value)[:37]}..."
    return DataError(
        f"column {title!r} of {source} is not numeric: it holds {shown} in {where}. Name the columns of numbers with "
        f"{REMEDY}, and give text to {REMEDY}",
        remedies=[("features_columns",), ("", "with_text")],
    )


def _id_place(table: Table, id: Choice | None) -> int:  # noqa: A002
    """Return the column of ids: the one given, one with a usual name, or the only one without numbers."""
    if id is not None:
        return _place(table, id, "id")
    plain = [plain_name(name) for name in table.names]
    usual = next((plain.index(alias) for alias in _IDS if alias in plain), None)
    if usual is not None:
        return usual
    words = [at for at in range(len(table.names)) if not table.header.is_number(at)]
    if len(words) == 1:
        return words[0]
    shown = ", ".join(map(repr, table.names[:20]))
    raise DataError(
        f"which column of {table.source} holds the names of the entities? Name it with {REMEDY}: it has {shown}",
        remedies=[("id",)],
    )


def _place(table: Table, choice: Choice, key: str = "columns") -> int:
    return pick(table.header, {key: choice}, (Field(key, ()),)).places[key]


def _sheet_place(sheet: Sheet, file: File, choice: Choice, key: str) -> int:
    return pick(sheet.header(file.path.name), {key: choice}, (Field(key, ()),)).places[key]


def _as_sheet(file: File, chosen: Sequence[Choice], header: bool | None, delimiter: str | None) -> tuple[Sheet, Table]:
    """Open a delimited file; the table has its columns as the first row of data shows them."""
    named = {str(number): choice for number, choice in enumerate(chosen)}
    sheet = open_sheet(file, named, (_ID,), header, delimiter)
    example = [[float(cell) if is_number(cell) else cell] for cell in sheet.example]
    example += [[""] for _ in sheet.names[len(example) :]]
    return sheet, Table(sheet.names, lambda at: example[at], file.path.name, sheet.has_header)


def _from_csv(
    file: File, id: Choice | None, chosen: list[Choice] | None, header: bool | None, delimiter: str | None  # noqa: A002
) -> Numbers:
    sheet, table = _as_sheet(file, [*([] if id is None else [id]), *(chosen or ())], header, delimiter)
    name, place = file.path.name, _id_place(table, id)
    places = [at for at in range(len(sheet.names)) if at != place]
    if chosen is not None:
        places = [_sheet_place(sheet, file, choice, "columns") for choice in chosen]
    if not places:
        raise DataError(f"{name} has no columns beside the ids; features are columns of numbers")
    names, lines, values = list[str](), array("q"), array("f")
    for line, row in checked_rows(sheet, name):
        names.append(as_name(row[place], f"line {line} of {name}"))
        lines.append(line)
        try:
            values.extend([float(row[at]) for at in places])
        except (ValueError, OverflowError):
            values.extend(_careful(row, places, sheet, line, name))
    if not names:
        raise DataError(f"there is no data: {name} has a header but not a single row")
    matrix = np.frombuffer(values, dtype=np.float32).reshape(len(names), len(places))
    titles = tuple(sheet.names[at] for at in places)
    return Numbers(names, matrix, titles, name, lambda at: f"line {lines[at]}")


def _careful(row: Sequence[str], places: Sequence[int], sheet: Sheet, line: int, name: str) -> Iterator[float]:
    """Yield the numbers of a row one by one, to say which one is none; an empty field is NaN."""
    for at in places:
        if row[at].strip() and not is_number(row[at]):
            raise _not_numeric(sheet.names[at], name, row[at], f"line {line}")
        yield float(np.float32(as_number(row[at].strip(), f"line {line} of {name}")))


@dataclass(frozen=True)
class Matched:
    """Rows of what was read that belong to known entities: which ones they are, and whose."""

    kept: IdArray | None  # rows of what was read; None: all of them, in order
    ids: IdArray  # positions of their entities in the vocabulary


def match(names: Sequence[str], vocabulary: Vocabulary, source: str, where: Where) -> Matched:
    """Find the entities that rows belong to; unknown ones are left out with a warning, and none at all is an error."""
    ids = known_ids(vocabulary, names)
    known = ids >= 0
    if not known.any():
        mine, own = names[0] if len(names) else "", vocabulary.names[0] if len(vocabulary) else ""
        raise DataError(
            f"none of the {counted(len(names), 'id')} in {source} is the name of an entity; the first is {mine!r}, while "
            f"an entity is called {own!r}. Choose another column with {REMEDY}, or another {REMEDY}",
            remedies=[("id",), ("side",)],
        )
    if len(np.unique(ids[known])) < int(known.sum()):
        name, times = next(
            (name, times) for name, times in Counter(names).items() if times > 1 and name in vocabulary
        )
        first, second = (at for at, other in enumerate(names) if other == name) if times == 2 else _two(names, name)
        raise DataError(
            f"{source} has {times} rows for {name!r} ({where(first)} and {where(second)}); leave one row an entity"
        )
    if known.all():
        return Matched(None, ids)
    unknown = [name for name, there in zip(names, known.tolist(), strict=True) if not there]
    shown = ", ".join(map(repr, unknown[:3])) + (", ..." if len(unknown) > 3 else "")
    warnings.warn(
        VBNWarning(
            f"{len(unknown):,} of {counted(len(names), 'id')} in {source} are unknown and left out: {shown}. Names of "
            "categories are known once the taxonomy is there"
        ),
        stacklevel=caller_level(),
    )
    return Matched(np.flatnonzero(known), ids[known])


def _two(names: Sequence[str], name: str) -> tuple[int, int]:
    first, second = [at for at, other in enumerate(names) if other == name][:2]
    return first, second


def finite_rows(numbers: Numbers, matched: Matched, missing: str) -> Matched:
    """Refuse rows with missing or infinite numbers, or leave them out with ``missing="drop"``."""
    check_missing(missing)
    values = numbers.values
    kept = np.arange(len(values)) if matched.kept is None else matched.kept
    step = max(1, _BLOCK // max(1, values.shape[1]))
    good = np.ones(len(kept), dtype=bool)
    for start in range(0, len(kept), step):
        part = slice(start, start + step)
        rows = values[part] if matched.kept is None else values[kept[part]]
        good[part] = np.isfinite(rows).all(axis=1)
    if good.all():
        return matched
    if missing == "drop":
        if not good.any():
            raise DataError(f"every row of {numbers.source} lacks a number; leave out the columns with gaps")
        return Matched(kept[good], matched.ids[good])
    first = int(kept[np.argmin(good)])
    at = int(np.argmin(np.isfinite(values[first])))
    title = "" if numbers.columns is None else f"column {numbers.columns[at]!r} of "
    fault = "missing (NaN)" if np.isnan(values[first, at]) else "infinite"
    more = f", and {int((~good).sum()) - 1:,} more rows have such numbers" if (~good).sum() > 1 else ""
    raise DataError(
        f"{title}the features of {numbers.names[first]!r} ({numbers.where(first)} of {numbers.source}) is {fault}{more}; "
        f"fill it in, or pass {REMEDY} to leave out such rows",
        remedies=[("missing", "drop")],
    )


def read_texts(
    source: object,
    *,
    id: Choice | None = None,  # noqa: A002
    text: object = None,
    header: bool | None = None,
    delimiter: str | None = None,
) -> Texts:
    """Read texts in any form that `Dataset.with_text` documents; several columns are joined by a line break."""
    check_reading(header, delimiter)
    chosen = _choices(text, "text")
    if isinstance(source, Mapping) and source and all(isinstance(value, str | None) for value in source.values()):
        _refuse_columns_of_a_dict(id, chosen)
        names = [as_name(name, "the keys of the texts") for name in source]
        return Texts(names, [value or "" for value in source.values()])
    if isinstance(source, str | os.PathLike):
        file = find_file(source, (*TEXT, "parquet"), delimiter)
        if file.kind != "parquet":
            return _texts_of_csv(file, id, chosen, header, delimiter)
        table: Table | None = read_parquet(file)
    else:
        table = as_table(source)
    if table is None:
        raise DataError(
            f"texts must be a dict {{name: text}}, a table or a path, not a value of type {type(source).__name__}"
        )
    place, places = _text_places(table, id, chosen)
    what = f"column {table.names[place]!r} of {table.source}"
    names = _row_names(table.column(place), what)
    columns = [_strings(table.column(at), table.names[at], table.source) for at in places]
    return Texts(names, _joined(zip(*columns, strict=True)), table.source)


def _refuse_columns_of_a_dict(id: object, text: object) -> None:  # noqa: A002
    if id is not None or text is not None:
        raise DataError(
            "id and text name columns of a table, but a dict {name: text} was given; leave them out, or pass a table"
        )


def _texts_of_csv(
    file: File, id: Choice | None, chosen: list[Choice] | None, header: bool | None, delimiter: str | None  # noqa: A002
) -> Texts:
    sheet, table = _as_sheet(file, [*([] if id is None else [id]), *(chosen or ())], header, delimiter)
    place, places = _text_places(table, id, chosen)
    name, names, texts, lines = file.path.name, list[str](), list[list[str]](), array("q")
    for line, row in checked_rows(sheet, name):
        names.append(as_name(row[place], f"line {line} of {name}"))
        texts.append([row[at] for at in places])
        lines.append(line)
    return Texts(names, _joined(texts), name, lambda at: f"line {lines[at]}")


def _text_places(table: Table, id: Choice | None, chosen: list[Choice] | None) -> tuple[int, list[int]]:  # noqa: A002
    """Return the columns of ids and of texts; without a choice, the text has a usual name or is the only column left."""
    places = [] if chosen is None else [_place(table, choice, "text") for choice in chosen]
    plain = [plain_name(name) for name in table.names]
    if id is None and chosen is None and len(plain) == 2 and not set(plain) & set(_IDS):
        return 0, [1]
    place = _id_place(table, id)
    if chosen is None:
        left = [at for at in range(len(plain)) if at != place]
        usual = [plain.index(alias) for alias in _TEXTS if alias in plain and plain.index(alias) != place]
        places = usual[:1] or (left if len(left) == 1 else [])
    if not places:
        shown = ", ".join(map(repr, table.names[:20]))
        raise DataError(
            f"which column of {table.source} holds the text? Name it with {REMEDY}: it has {shown}", remedies=[("text",)]
        )
    return place, places


def _strings(column: object, title: str, source: str) -> list[str]:
    """Return a column as text; numbers are written out, and what is missing is empty."""
    if not isinstance(column, Iterable):
        raise DataError(f"column {title!r} of {source} must be a list of texts, not {column!r}")
    texts = []
    for row, value in enumerate(column):
        gap = value is None or value != value or type(value).__name__ in ("NAType", "NaTType")
        if not gap and not isinstance(value, str | Real):
            raise DataError(
                f"{row_number(row)} of column {title!r} of {source} is of type {type(value).__name__}, not text"
            )
        texts.append("" if gap else str(value))
    return texts


def _joined(rows: Iterable[Sequence[str]]) -> list[str]:
    return ["\n".join(part for cell in row if (part := cell.strip())) for row in rows]


def features_path(entry: str) -> tuple[str, list[str]]:
    """Split FILE:COLUMN,... into the file and its columns; a file that is there may hold a colon in its name.

    Examples
    --------
    >>> features_path("items.csv:price,year")
    ('items.csv', ['price', 'year'])
    """
    if Path(entry).exists():
        return entry, []
    file, colon, columns = entry.rpartition(":")
    if not colon or not file:
        return entry, []
    return file, [column for column in columns.split(",") if column]


def as_vector(given: Any, what: str) -> np.ndarray:
    """Return the features of one entity as float64, finite and of one dimension."""
    try:
        values = np.asarray(given, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise DataError(f"{what} must be a list of numbers: {error}") from error
    if values.ndim != 1:
        raise DataError(f"{what} must be one row of numbers, not of shape {values.shape}")
    if not np.isfinite(values).all():
        raise DataError(f"{what} must be finite numbers; number {int(np.argmin(np.isfinite(values)))} is not")
    return values
