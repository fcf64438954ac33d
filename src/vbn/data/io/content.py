"""Content of entities as people have it: ids with numbers, or ids with text, in arrays, tables and files.

A table has one row an entity: a column of ids, and columns of numbers (or of vectors), or columns of text. An array has
one row an entity and comes with the ids of its rows; `.npy` files are mapped into memory, not read.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Real

import numpy as np

from vbn._errors import REMEDY, DataError, ParameterError
from vbn.data.io.archives import check_archive
from vbn.data.io.columns import Field, Header, pick, plain_name
from vbn.data.io.files import (
    TEXT,
    UNREADABLE,
    File,
    Sheet,
    check_reading,
    checked_rows,
    find_file,
    open_sheet,
    read_lines,
)
from vbn.data.io.inputs import Table, as_table, read_parquet
from vbn.data.io.numbers import as_number, is_number
from vbn.data.vocabulary import as_name, row_number

_OF_ITEMS = ("item", "items", "item_id", "itemid", "movie", "movie_id", "movieid", "product", "product_id", "sku")
_OF_USERS = ("user", "users", "user_id", "userid", "patient", "customer")
_IDS = ("id", "ids", *_OF_ITEMS, *_OF_USERS, "entity", "code", "key", "word", "name", "title", "__index_level_0__")
_TEXTS = (
    "text",
    "texts",
    "description",
    "descriptions",
    "definition",
    "abstract",
    "summary",
    "content",
    "title",
    "name",
)
_ROWS = 1 << 12  # rows that are checked at once: a mapped array is never in memory as a whole
Choice = str | int


@dataclass(frozen=True)
class Numbers:
    """Rows of numbers as read, and the ids of their entities."""

    values: object  # (rows, columns): an array, perhaps mapped from a file
    ids: object = None  # None: in the order of the entities
    columns: tuple[str, ...] | None = None  # their names; None for the dimensions of a vector, which have none


@dataclass(frozen=True)
class Texts:
    """Texts as read, and the ids of their entities; a missing text is empty."""

    texts: list[str]
    ids: list[str]
    source: str = "the texts"


def read_numbers(
    source: object,
    ids: object,
    key: Choice | None,
    columns: object,
    *,
    missing: str = "error",
    names: Sequence[str] = (),
    header: bool | None = None,
    delimiter: str | None = None,
) -> Numbers:
    """Read features in any form that `Dataset.with_features` documents; `key` is the column of ids.

    Rows without ids may be left out if there are as many as `names`, whose order they have.
    """
    check_reading(header, delimiter)
    chosen = _choices(columns, "columns")
    if isinstance(source, str | os.PathLike):
        read = _from_file(source, ids, key, chosen, header, delimiter)
    else:
        read = _from_memory(source, ids, key, chosen)
    return _without_gaps(read, names) if missing == "drop" else read


def _choices(given: object, what: str) -> list[Choice] | None:
    if given is None:
        return None
    entries = [given] if isinstance(given, str | int) else list(given) if isinstance(given, Iterable) else []
    if not entries or not all(isinstance(entry, str | int) and not isinstance(entry, bool) for entry in entries):
        raise ParameterError(f"{what} must be names or numbers of columns, got {given!r}")
    return entries


def _from_memory(source: object, ids: object, key: Choice | None, chosen: list[Choice] | None) -> Numbers:
    if type(source).__module__.startswith("scipy.sparse"):
        raise DataError(
            "features must be dense: pass matrix.toarray(), or give many sparse tags as parents to with_taxonomy"
        )
    by_id = isinstance(source, Mapping) and key is None and chosen is None  # {id: vector}
    table = None if by_id else as_table(source)
    if table is None:
        _refuse_choice("what has no columns with names", key, chosen)
        return Numbers(source, ids)
    return _from_table(table, _labels(source) if ids is None and key is None else ids, key, chosen)


def _from_file(
    source: str | os.PathLike[str],
    ids: object,
    key: Choice | None,
    chosen: list[Choice] | None,
    header: bool | None,
    delimiter: str | None,
) -> Numbers:
    file = find_file(source, (*TEXT, "parquet", "npy", "npz"), delimiter)
    if file.kind in ("npy", "npz"):
        _refuse_choice(file.path.name, key, chosen)
        return _from_numpy(file, ids)
    if ids is not None:
        raise DataError(
            f"ids are for arrays; name the column of {file.path.name} that holds them with {REMEDY}", remedies=[("id",)]
        )
    if file.kind == "parquet":
        return _from_table(read_parquet(file), None, key, chosen)
    return _from_csv(file, key, chosen, header, delimiter)


def _refuse_choice(source: str, key: object, chosen: object) -> None:
    if key is not None or chosen is not None:
        raise DataError(
            f"{source} cannot be read by id and columns: give the names of the rows as {REMEDY}", remedies=[("ids",)]
        )


def _labels(source: object) -> list[object] | None:
    """Return the row labels of a pandas table if they are names, not 0, 1, 2, ..."""
    index = getattr(source, "index", None)
    if index is None or callable(index):
        return None
    labels: list[object] = list(index)
    return None if labels == list(range(len(labels))) else labels


def _from_numpy(file: File, ids: object) -> Numbers:
    """Map a .npy file, whose ids may be in a text file beside it; or read an archive of several arrays."""
    name = file.path.name
    if file.zipped:
        raise DataError(f"{name} is compressed; unpack it first")
    if isinstance(ids, str | os.PathLike):
        ids = _lines(find_file(ids, ("txt",)))
    if file.kind == "npz":
        return _from_archive(file, ids)
    try:
        mapped = np.lib.format.open_memmap(file.path, mode="r")
    except UNREADABLE as error:
        raise DataError(f"{name} is not an array as numpy saves it: {error}") from error
    beside = file.path.with_name(f"{file.path.stem}.ids.txt")
    if ids is None and beside.is_file():
        ids = _lines(find_file(beside))
    return Numbers(mapped, ids)


def _lines(file: File) -> list[str]:
    return [name for line in read_lines(file) if (name := line.rstrip("\r\n"))]


def _from_archive(file: File, ids: object) -> Numbers:
    """Read one array of two dimensions, and beside it `ids` and, if they are there, `columns`."""
    name = file.path.name
    try:
        check_archive(file.path)
        with np.load(file.path, allow_pickle=False) as archive:
            arrays: dict[str, np.ndarray] = {key: np.asarray(archive[key]) for key in archive.files}
        named: dict[str, list[object]] = {key: arrays.pop(key).tolist() for key in ("ids", "columns") if key in arrays}
    except (*UNREADABLE, SystemError) as error:  # SystemError: numbers that are no characters
        raise DataError(f"{name} is not an archive of arrays as numpy.savez writes it: {error}") from error
    found = [key for key, values in arrays.items() if values.ndim == 2]
    if len(found) != 1:
        held = ", ".join(f"{key} of shape {values.shape}" for key, values in arrays.items()) or "nothing"
        raise DataError(f"{name} must hold one array of two dimensions, beside 'ids'; it holds {held}")
    columns = tuple(str(title) for title in named["columns"]) if isinstance(named.get("columns"), list) else None
    return Numbers(arrays[found[0]], named.get("ids") if ids is None else ids, columns)


def _from_table(table: Table, ids: object, key: Choice | None, chosen: list[Choice] | None) -> Numbers:
    place = None if ids is not None else _id_place(table.header, key)
    places = [at for at in range(len(table.names)) if at != place]
    if chosen is not None:
        places = [_place(table.header, choice, "columns") for choice in chosen]
    if not places:
        raise DataError(f"{table.source} has no columns beside the ids; features are columns of numbers")
    parts, titles = list[np.ndarray](), list[str | None]()
    for at in places:
        part = _numbers(table.column(at), table.names[at], table.source)
        parts.append(part)
        titles += [None] * part.shape[1] if part.shape[1] > 1 else [table.names[at]]
    if len({len(part) for part in parts}) > 1:
        raise DataError(f"the columns of {table.source} differ in length; each row needs one entry of each")
    if place is not None:
        ids = _ids(table.column(place), f"column {table.names[place]!r} of {table.source}")
    named = tuple(title for title in titles if title is not None)
    if named and len(named) < len(titles):
        raise DataError(
            f"{table.source} has vectors beside columns of numbers, such as {named[0]!r}; choose the columns of either "
            f"with {REMEDY}, and give the others as a source of their own",
            remedies=[("columns",)],
        )
    return Numbers(parts[0] if len(parts) == 1 else np.hstack(parts), ids, named or None)


def _ids(column: object, what: str) -> list[str]:
    if isinstance(column, str | bytes) or not isinstance(column, Iterable):
        raise DataError(f"{what} must be a column of names, not {column!r}")
    return [as_name(value, f"{row_number(position)} of {what}") for position, value in enumerate(column)]


def _numbers(column: object, title: str, source: str) -> np.ndarray:
    """Return a column of numbers (n, 1), or one of vectors (n, F), in float32; missing numbers are NaN."""
    if isinstance(column, str | bytes) or not isinstance(column, Sequence | np.ndarray):
        raise DataError(f"column {title!r} of {source} must be a list of numbers, not {column!r}")
    if len(column) and isinstance(column[0], Sequence | np.ndarray) and not isinstance(column[0], str | bytes):
        return _vectors(column, title, source)
    if isinstance(column, np.ndarray) and column.dtype.kind in "iufb" and column.ndim == 1:
        return _single(column)[:, None]
    values = np.empty(len(column), dtype=np.float64)
    for row, value in enumerate(column):
        gap = value is None or type(value).__name__ == "NAType"
        if not gap and not isinstance(value, Real | Decimal | np.bool_):
            raise _not_numeric(title, source, value, row_number(row))
        values[row] = as_number(None if gap else value, row_number(row))
    return _single(values)[:, None]


def _vectors(column: Sequence[object] | np.ndarray, title: str, source: str) -> np.ndarray:
    try:
        values = np.stack([np.asarray(vector, dtype=np.float32) for vector in column])
    except (ValueError, TypeError) as error:
        raise DataError(
            f"column {title!r} of {source} must hold vectors of numbers, all of the same length: {error}"
        ) from error
    if values.ndim != 2 or values.shape[1] == 0:
        raise DataError(f"column {title!r} of {source} must hold vectors of numbers, not shape {values.shape[1:]}")
    return values


def _single(values: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):  # what does not fit is infinite, and refused as such
        return values.astype(np.float32, copy=False)


def _not_numeric(title: str, source: str, value: object, where: str) -> DataError:
    shown = repr(value) if len(repr(value)) < 40 else f"{repr(value)[:37]}..."
    return DataError(
        f"column {title!r} of {source} is not numeric: {shown} in {where}. Choose the columns of numbers with "
        f"{REMEDY}, and give text to {REMEDY}",
        remedies=[("columns",), ("", "with_text")],
    )


def _id_place(header: Header, key: Choice | None) -> int:
    """Return the column of ids: the one given, one with a usual name, or the only one without numbers."""
    if key is not None:
        return _place(header, key, "id")
    plain = [plain_name(name) for name in header.names]
    words = [at for at in range(len(plain)) if not header.is_number(at)]
    usual = [plain.index(alias) for alias in _IDS if alias in plain]
    if usual or len(words) == 1:
        return (usual or words)[0]
    raise _unclear("names of the entities", header, "id")


def _unclear(what: str, header: Header, remedy: str) -> DataError:
    shown = ", ".join(map(repr, header.names[:20])) + (", ..." if len(header.names) > 20 else "")
    return DataError(
        f"which column of {header.source} holds the {what}? Name it with {REMEDY}; there are {shown}",
        remedies=[(remedy,)],
    )


def _place(header: Header, choice: Choice, what: str) -> int:
    return pick(header, {what: choice}, (Field(what, ()),)).places[what]


def _open(file: File, chosen: Iterable[Choice | None], header: bool | None, delimiter: str | None) -> Sheet:
    named = {str(number): choice for number, choice in enumerate(chosen) if choice is not None}
    return open_sheet(file, named, (Field("id", _IDS),), header, delimiter)


def _from_csv(
    file: File, key: Choice | None, chosen: list[Choice] | None, header: bool | None, delimiter: str | None
) -> Numbers:
    sheet = _open(file, [key, *(chosen or ())], header, delimiter)
    name, found = file.path.name, sheet.header(file.path.name)
    place = _id_place(found, key)
    places = [at for at in range(len(sheet.names)) if at != place]
    if chosen is not None:
        places = [_place(found, choice, "columns") for choice in chosen]
    if not places:
        raise DataError(f"{name} has no columns beside the ids; features are columns of numbers")
    ids, values = list[str](), array("f")
    for line, row in checked_rows(sheet, name):
        ids.append(as_name(row[place], f"line {line} of {name}"))
        try:
            values.extend([float(row[at]) for at in places])
        except (ValueError, OverflowError):
            values.extend(_with_gaps(row, places, sheet, line, name))
    if not ids:
        raise DataError(f"there is no data: {name} has columns but not a single row")
    titles = tuple(sheet.names[at] if sheet.has_header else str(at) for at in places)
    return Numbers(np.array(values, dtype=np.float32).reshape(len(ids), len(places)), ids, titles)


def _with_gaps(row: Sequence[str], places: Sequence[int], sheet: Sheet, line: int, name: str) -> Iterator[float]:
    """Yield the numbers of a row one by one, to say which one is none; an empty field is NaN."""
    for at in places:
        cell = row[at].strip()
        if cell and not is_number(cell):
            raise _not_numeric(sheet.names[at], name, cell, f"line {line}")
        value = as_number(cell, f"line {line} of {name}")
        yield value if abs(value) < 3.4e38 or value != value else float("inf")


def _without_gaps(read: Numbers, names: Sequence[str]) -> Numbers:
    """Return the rows whose numbers are all there and finite."""
    values = read.values
    if isinstance(values, Mapping):
        return replace(read, values={name: row for name, row in values.items() if _all_there(row)})
    values = np.asarray(values)
    if values.ndim != 2 or values.dtype.kind != "f":
        return read
    good = np.array(
        [rows.all() for at in range(0, len(values), _ROWS) for rows in np.isfinite(values[at : at + _ROWS])]
    )
    if good.all():
        return read
    if read.ids is None and len(values) == len(names):
        read = replace(read, ids=list(names))
    if read.ids is None:
        raise DataError(f"rows can be left out only where each has a name: pass {REMEDY}", remedies=[("ids",)])
    if not good.any():
        raise DataError("every row lacks a number; leave out the columns with gaps")
    ids = [name for name, whole in zip(read.ids, good.tolist(), strict=True) if whole]  # type: ignore[call-overload]
    return replace(read, values=values[good], ids=ids)


def _all_there(vector: object) -> bool:
    try:
        return bool(np.isfinite(np.asarray(vector, dtype=np.float64)).all())
    except (TypeError, ValueError):
        return True  # refused later, by name


def read_texts(
    source: object,
    key: Choice | None,
    text: object,
    *,
    header: bool | None = None,
    delimiter: str | None = None,
) -> Texts:
    """Read texts in any form that `Dataset.with_text` documents; the cells of several columns are joined."""
    check_reading(header, delimiter)
    chosen = _choices(text, "text")
    if isinstance(source, Mapping) and all(isinstance(value, str | None) for value in source.values()):
        if key is not None or chosen is not None:
            raise DataError("a dict {name: text} has no columns: omit id and text, or pass a table")
        return Texts(
            [value or "" for value in source.values()], [as_name(name, "the keys of the texts") for name in source]
        )
    if isinstance(source, str | os.PathLike):
        file = find_file(source, (*TEXT, "parquet"), delimiter)
        if file.kind != "parquet":
            return _texts_of_csv(file, key, chosen, header, delimiter)
        table: Table | None = read_parquet(file)
    else:
        table = as_table(source)
    if table is None:
        raise DataError(
            f"texts must be a dict {{name: text}}, a table or a path, not a value of type {type(source).__name__}"
        )
    place, places = _text_places(table.header, key, chosen)
    ids = _ids(table.column(place), f"column {table.names[place]!r} of {table.source}")
    columns = [_strings(table.column(at), table.names[at], table.source) for at in places]
    if any(len(column) != len(ids) for column in columns):
        raise DataError(f"the columns of {table.source} differ in length; each row needs one entry of each")
    return Texts(_joined(zip(*columns, strict=True)), ids, table.source)


def _texts_of_csv(
    file: File, key: Choice | None, chosen: list[Choice] | None, header: bool | None, delimiter: str | None
) -> Texts:
    sheet = _open(file, [key, *(chosen or ())], header, delimiter)
    name = file.path.name
    place, places = _text_places(sheet.header(name), key, chosen)
    ids, texts = list[str](), list[list[str]]()
    for line, row in checked_rows(sheet, name):
        ids.append(as_name(row[place], f"line {line} of {name}"))
        texts.append([row[at] for at in places])
    return Texts(_joined(texts), ids, name)


def _text_places(header: Header, key: Choice | None, chosen: list[Choice] | None) -> tuple[int, list[int]]:
    """Return the columns of ids and of texts; without a choice, the text has a usual name or is what is left."""
    plain = [plain_name(name) for name in header.names]
    if key is None and len(plain) == 2 and not set(plain) & set(_IDS):
        key = 0
    place = _id_place(header, key)
    if chosen is not None:
        return place, [_place(header, choice, "text") for choice in chosen]
    left = [at for at in range(len(plain)) if at != place]
    usual = [plain.index(alias) for alias in _TEXTS if alias in plain and plain.index(alias) != place]
    if usual or len(left) == 1:
        return place, (usual or left)[:1]
    raise _unclear("text", header, "text")


def _strings(column: object, title: str, source: str) -> list[str]:
    """Return a column as text: numbers are written out, and what is missing is empty."""
    if isinstance(column, str | bytes) or not isinstance(column, Iterable):
        raise DataError(f"column {title!r} of {source} must be a list of texts, not {column!r}")
    texts = []
    for row, value in enumerate(column):
        gap = value is None or type(value).__name__ in ("NAType", "NaTType") or value != value
        if not gap and not isinstance(value, str | Real):
            raise DataError(
                f"{row_number(row)} of column {title!r} of {source} is of type {type(value).__name__}, not text"
            )
        texts.append("" if gap else str(value))
    return texts


def _joined(rows: Iterable[Sequence[str]]) -> list[str]:
    return ["\n".join(part for cell in row if (part := cell.strip())) for row in rows]
