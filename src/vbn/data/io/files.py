"""Files: what kind one is, its lines and rows, and the columns of delimited text, with errors that name the line."""

from __future__ import annotations

import csv
import difflib
import gzip
import io
import lzma
import math
import os
import re
import struct
import tarfile
import tokenize
import warnings
import zipfile
import zlib
from array import array
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from vbn._errors import REMEDY, DataError, ParameterError, VBNWarning, caller_level
from vbn.data.counts import FloatArray
from vbn.data.io.columns import (
    COMMENTS,
    Columns,
    Field,
    Header,
    naming_columns,
    pick,
    plain_name,
    refuse_times,
)
from vbn.data.io.numbers import as_number, is_amount, is_number, time_reader, with_comma
from vbn.data.io.unread import warn_of_unread
from vbn.data.vocabulary import Encoder, Where, item_number

_PYTHON = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, EOFError, OSError, MemoryError)
_PARSING = (SyntaxError, tokenize.TokenError)  # the head of a numpy array is parsed as Python
_ARCHIVES = (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error)
UNREADABLE = (*_PYTHON, *_PARSING, *_ARCHIVES, RuntimeError)  # RuntimeError: encrypted zip files, too deep a nesting
"""Everything that the readers of numpy, scipy, zip and tar raise for a damaged file.

Catch it around the call of such a reader alone: faults of one's own code look the same.
"""
TEXT, _SHEETS, _JSON = ("csv", "tsv", "txt"), ("xlsx", "xls", "ods"), ("json", "jsonl", "ndjson")
_QUOTED = re.compile(r'"[^"]*"')
_BLOCK = 256  # rows that are taken apart into columns at a time
_WINDOWS, _SAVE = "cp1252", "save the file as UTF-8 (in a spreadsheet: CSV UTF-8)"
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x19\x1b-\x1f]")  # bytes that no text has
_START = 4096  # bytes that say what a file is
_SHOWN = 30  # characters of a line before and after the first that is not ASCII
Row = tuple[int, list[str]]  # a line number and fields


@dataclass(frozen=True)
class File:
    """A file that is there, and how to read it."""

    path: Path
    kind: str  # its suffix without the dot, and without .gz
    zipped: bool

    @cached_property
    def encoding(self) -> str:
        """The encoding of a text that is not UTF-8: Windows-1252, with a warning, or a DataError if it cannot be."""
        found = _windows_line(self)
        if found is None:
            raise _not_text(self)
        warning = (
            f"line {found[0]} of {self.path.name} is not UTF-8, so the file is read as Windows-1252: {found[1]!r}; if "
            f"that looks wrong, {_SAVE}"
        )
        warnings.warn(VBNWarning(warning), stacklevel=caller_level())
        return _WINDOWS


def find_file(
    source: str | os.PathLike[str], kinds: tuple[str, ...] = (*TEXT, "parquet"), delimiter: str | None = None
) -> File:
    """Check that a path leads to a file of one of the kinds that can be read here.

    A file with another suffix is text if its delimiter is known (ratings.dat, u.data).
    """
    if not os.fspath(source):
        raise DataError("the path is empty; give the path of a file")
    path = Path(source)
    try:
        there = path.is_file()
    except OSError as error:  # a name that no file can have
        raise DataError(f"{str(path)[:60]!r}... cannot be the path of a file: {error.strerror}") from error
    if not there:
        raise _missing(path)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    zipped = suffixes[-1:] == [".gz"]
    kind = next(iter(suffixes[-2:-1] if zipped else suffixes[-1:]), "").removeprefix(".")
    if kind not in kinds and delimiter is not None:
        kind = "txt"
    if kind not in kinds:
        readable = ", ".join(f".{name}" for name in kinds)
        if kind in _SHEETS:
            raise DataError(f"{path.name!r} is a spreadsheet; save the sheet as csv (CSV UTF-8)")
        if kind in _JSON:
            raise DataError(
                f"{path.name!r} is JSON, which is not read: write its records to a csv, or each text to a line of a "
                f".txt; in Python, pass {REMEDY}",
                remedies=[("", "what pandas.read_json returns")],
            )
        raise DataError(
            f"cannot tell how to read {path.name!r}: its suffix must be one of {readable}, "
            f"or one of these followed by .gz (or name the delimiter of a text file with {REMEDY})",
            remedies=[("delimiter",)],
        )
    return File(path, kind, zipped)


def check_reading(header: Any, delimiter: Any) -> None:
    """Refuse a header or a delimiter that cannot be meant."""
    if header is not None and not isinstance(header, bool):
        raise ParameterError(f"header must be True, False or None, got {header!r}")
    if delimiter is not None and not (isinstance(delimiter, str) and delimiter and not set(delimiter) & {"\n", "\r"}):
        raise ParameterError(f"delimiter must be the text between two fields, such as ';' or '::', got {delimiter!r}")


def _missing(path: Path) -> DataError:
    if path.is_dir():
        return DataError(f"{str(path)!r} is a folder; give the path of a file in it")
    if path.exists():
        return DataError(
            f"{str(path)!r} is a pipe or a device, but data is read more than once: write it to a file first"
        )
    there = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    close = _closest_file(path.name, there)
    hint = f"did you mean {str(path.with_name(close))!r}?" if close else "check the path"
    message = f"no such file: {str(path)!r}; {hint}"
    if path.suffix:
        return DataError(message)
    return DataError(f"{message} (a string is read as a path, so pass data as {{remedy}})", remedies=[("", "a list")])


def _closest_file(name: str, there: list[str]) -> str | None:
    """Return the file that may have been meant: names are compared without suffixes, which make them look alike."""
    stems = {entry: entry.partition(".")[0].lower() for entry in sorted(there)}
    close = difflib.get_close_matches(name.partition(".")[0].lower(), stems.values(), n=1, cutoff=0.7)
    alike = [entry for entry, stem in stems.items() if stem in close]
    return next(iter(difflib.get_close_matches(name, alike, n=1, cutoff=0.0)), None)


def open_binary(file: File) -> IO[bytes]:
    """Open a file for reading bytes, decompressed if it is a .gz file."""
    return gzip.open(file.path, "rb") if file.zipped else file.path.open("rb")  # type: ignore[return-value]


@contextmanager
def reading(file: File) -> Iterator[None]:
    """Turn every error while a file is read into a `DataError` that names the file."""
    try:
        try:
            yield
        except UnicodeDecodeError as error:  # the file is read again to find the line
            raise _not_text(file) from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{file.path.name} is not a whole gzip file: {error}") from error
    except OSError as error:
        raise DataError(f"cannot read {str(file.path)!r}: {error.strerror or error}") from error


def _not_text(file: File) -> DataError:
    where, remedy = _undecodable(file), _other_kind(file) or _SAVE
    return DataError(f"{where} of {file.path.name} is not UTF-8 text; {remedy}")


def _undecodable(file: File) -> str:
    with open_binary(file) as stream:
        for number, line in enumerate(stream, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return f"line {number}"
    return "the end"


def _other_kind(file: File) -> str:
    """Say what a file is that is no plain text, and what to do, by its first bytes; "" if they do not tell."""
    with open_binary(file) as stream:
        start = stream.read(_START)
    if start[:2] == b"\x1f\x8b":
        return f"it is compressed with gzip, so call it {file.path.name}.gz"
    if start.startswith(b"PK\x03\x04"):
        return "it is a spreadsheet or an archive; save the sheet as csv (CSV UTF-8), or unpack it"
    if start.startswith(b"PAR1"):
        return f"it is a parquet file, so call it {file.path.stem}.parquet"
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "save the file as UTF-8 (it is UTF-16)"
    return "it is a binary file" if _CONTROLS.search(start) else ""


def _windows_line(file: File) -> tuple[int, str] | None:
    """Return the first line beyond ASCII of a file in Windows-1252, and its number; None if it is something else.

    If any line beyond ASCII is UTF-8, the file is damaged UTF-8, or was put together from two.
    """
    first = None
    if _other_kind(file):
        return None
    with reading(file), open_binary(file) as stream:
        for number, line in enumerate(stream, start=1):
            if _CONTROLS.search(line):
                return None
            if line.isascii():
                continue
            if _decodes(line, "utf-8") or not _decodes(line, _WINDOWS):
                return None
            first = first or (number, _around(line.decode(_WINDOWS)))
    return first


def _decodes(line: bytes, encoding: str) -> bool:
    try:
        line.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _around(line: str) -> str:
    """Return the part of a line where its first character beyond ASCII is."""
    place = next(at for at, mark in enumerate(line) if not mark.isascii())
    return line[max(place - _SHOWN, 0) : place + _SHOWN].strip()


def read_lines(file: File, encoding: str = "utf-8-sig", after: int = 0) -> Generator[str]:
    """Yield the lines of a text file, perhaps those after a number of lines; see `File.encoding` if it is not UTF-8."""
    number = after
    with reading(file), open_binary(file) as stream, io.TextIOWrapper(stream, encoding=encoding, newline="") as text:
        try:
            for number, line in enumerate(islice(text, after, None), start=after + 1):
                if "\0" in line:
                    raise DataError(
                        f"line {number} of {file.path.name} holds a NUL byte, so the file is not text (or is UTF-16); "
                        "save it as UTF-8"
                    )
                yield line
        except UnicodeDecodeError:
            yield from read_lines(file, file.encoding, number)


def split_rows(file: File, delimiter: str | None) -> Iterator[list[str]]:
    """Return the rows of a delimited file as fast as possible; errors do not say where they are.

    Blank lines become empty rows. Quoted fields may hold delimiters and line breaks, but not where the delimiter has
    several characters ("::"). Without a `delimiter`, `mark_of` decides.
    """
    if delimiter is None:
        delimiter = mark_of(file)
    if delimiter is None:
        return map(str.split, read_lines(file))
    if len(delimiter) > 1:
        return (line.rstrip("\r\n").split(delimiter) if line.strip() else [] for line in read_lines(file))
    return csv.reader(read_lines(file), delimiter=delimiter, strict=True)


def read_rows(file: File, delimiter: str | None) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a delimited file, each with the number of the line it begins on.

    Rows whose fields are all empty, such as spreadsheets leave at the end, are no rows.
    """
    reader = split_rows(file, delimiter)
    start = 1
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise DataError(
                f"line {start} of {file.path.name} cannot be split into fields: {error}; "
                "a quotation mark within a quoted field must be doubled, and a quoted field closed"
            ) from error
        if row is None:
            return
        if any(row):
            yield start, row
        start = getattr(reader, "line_num", start) + 1


def mark_of(file: File) -> str | None:
    """Return what separates the fields of a file by default; None is white space.

    That is a tab in a .tsv file, and a comma in a .csv file, or a semicolon or a tab if its first line has more of
    these, as many spreadsheets write it. In a .txt file it is a tab, a comma or a semicolon if the first line has one.
    """
    if file.kind == "tsv":
        return "\t"
    with closing(read_lines(file)) as lines:
        first = next((line for line in lines if line.strip()), "")
    if file.kind != "csv":
        return next((mark for mark in "\t,;" if mark in first), None)
    bare = _QUOTED.sub("", first)
    return max((",", ";", "\t"), key=bare.count)  # the first of them if there is none


class Sheet(NamedTuple):
    """A delimited file with its header read."""

    names: list[str]
    rows: Iterator[Row]
    has_header: bool
    sure: bool  # False if the first line may be a header or data
    example: list[str]  # the first row of data, empty if there is none

    def header(self, source: str) -> Header:
        """Return what is known of the columns; one holds numbers if its first entry is a number, but no code (007)."""
        cells = self.example
        return Header(self.names, source, self.has_header, lambda at: at < len(cells) and is_amount(cells[at]))


def open_sheet(
    file: File,
    chosen: Mapping[str, str | int],
    fields: Sequence[Field],
    header: bool | None,
    delimiter: str | None,
) -> Sheet:
    """Read the header of a file, or number its columns if it has none.

    With ``header=None``, the first line is a header if columns are asked for by name, if it holds two of their usual
    names (one could be a word of the data), or if there is a number below it; it is data if it has a number itself.
    """
    rows = read_rows(file, delimiter)
    first = next(rows, None)
    if first is None:
        raise DataError(f"there is no data: {file.path.name} is empty")
    cells = first[1]
    known = {plain_name(cell) for cell in cells} & {alias for item in fields for alias in item.aliases}
    enough = min(2, sum(not item.optional for item in fields))
    named = any(isinstance(value, str) for value in chosen.values())
    if header is False and named:
        raise DataError(f"{file.path.name} is read without a header, so give its columns by number, from 0")
    sure = header is True or named or len(known) >= enough
    if header is False or (not sure and any(is_number(cell) for cell in cells)):
        return Sheet([str(number) for number in range(len(cells))], chain([first], rows), False, True, cells)
    second = next(rows, None)
    if second is None:
        return Sheet(cells, rows, True, sure, [])
    sure = sure or any(map(is_number, second[1]))  # text above numbers
    return Sheet(cells, chain([second], rows), True, sure, second[1])


def read_csv(
    file: File,
    chosen: Mapping[str, str | int],
    fields: Sequence[Field],
    header: bool | None,
    delimiter: str | None,
    ask: bool = True,
) -> Columns:
    """Read the columns `fields` of a delimited file: fast, or row by row if anything is wrong.

    A first line that may be a header or data is an error, or data if `ask` is False.
    """
    sheet = open_sheet(file, chosen, fields, header, delimiter)
    found = sheet.header(file.path.name)
    picked = pick(found, chosen, fields)
    mark = delimiter or mark_of(file)
    columns = _quickly(file, mark, sheet, picked.places, fields)
    if columns is None:
        with naming_columns(found, picked, fields):
            columns = _carefully(sheet, picked.places, fields, file.path.name, decimal_comma=mark != ",")
    columns.titles = {key: sheet.names[place] for key, place in picked.places.items()}
    columns.source = columns.file = file.path.name
    if not sheet.sure:
        met_again = any(cell in coded.names for coded in columns.labels.values() for cell in sheet.names)
        if ask and not met_again:  # a first line that names an entity of a later line is not a header
            raise unsure(sheet, fields, file.path.name, picked.places)
        return read_csv(file, chosen, fields, False, delimiter)
    refuse_times(columns.numbers, found, picked)
    warn_of_unread(found, picked, fields, lambda at: _amounts(file, mark, at))
    return columns


def _amounts(file: File, delimiter: str | None, place: int) -> FloatArray:
    """Return the numbers in a column of a file with a header that was read already; others are NaN."""
    rows = islice(filter(any, split_rows(file, delimiter)), 1, None)
    read = (row[place].replace(",", ".") for row in rows)
    return np.fromiter((float(text) if is_number(text) else math.nan for text in read), dtype=np.float64)


def unsure(sheet: Sheet, fields: Sequence[Field], name: str, places: Mapping[str, int]) -> DataError:
    """Return the error for a first line that may be a header or data."""
    shown = ", ".join(repr(cell) for cell in sheet.names[:3])
    usual = ", ".join(item.aliases[0] for item in fields if not item.optional)
    named = {item.key: sheet.names[places[item.key]] for item in fields if item.key in places}
    return DataError(
        f"does the first line of {name} ({shown}) name the columns, or is it data? Begin the file with usual names "
        f"({usual}), or pass {REMEDY} if it names them, or {REMEDY} or {REMEDY}",
        remedies=[("columns", named), ("header", True), ("header", False)],
    )


def _quickly(
    file: File, delimiter: str | None, sheet: Sheet, places: Mapping[str, int], fields: Sequence[Field]
) -> Columns | None:
    """Read a flawless file, or return None."""
    labels, numbers = _empty(places, fields)
    dates = {key: read for key, read in _readers(sheet, places, fields).items() if read is not as_number}

    def where(row: int) -> str:
        place = row + sheet.has_header
        return f"line {next(islice(read_rows(file, delimiter), place, None))[0]} of {file.path.name}"

    rows = islice(filter(any, split_rows(file, delimiter)), int(sheet.has_header), None)
    try:
        while block := list(islice(rows, _BLOCK)):
            columns = list(zip(*block, strict=True))
            if len(columns) != len(sheet.names):
                return None
            for key, encoder in labels.items():
                encoder.extend(columns[places[key]], where)
            for key, column in numbers.items():
                texts = columns[places[key]]
                column.extend((dates[key](text, "") for text in texts) if key in dates else map(float, texts))
    except (csv.Error, ValueError):  # a DataError is a ValueError
        return None
    return _finished(labels, numbers, where)


def _carefully(
    sheet: Sheet, places: Mapping[str, int], fields: Sequence[Field], name: str, decimal_comma: bool = False
) -> Columns:
    """Read row by row, to say where something is wrong; numbers may have a decimal comma."""
    labels, numbers = _empty(places, fields)
    readers = _readers(sheet, places, fields)
    if decimal_comma:
        readers = {key: with_comma if read is as_number else read for key, read in readers.items()}
    lines = array("q")
    for line, row in checked_rows(sheet, name):
        for key, encoder in labels.items():
            encoder.extend([row[places[key]]], item_number)
        for key, column in numbers.items():
            where = f"line {line} of {name}, column {sheet.names[places[key]]!r},"
            column.append(readers[key](row[places[key]], where))
        lines.append(line)
    return _finished(labels, numbers, lambda row: f"line {lines[row]} of {name}")


def _empty(places: Mapping[str, int], fields: Sequence[Field]) -> tuple[dict[str, Encoder], dict[str, array[float]]]:
    there = [item for item in fields if item.key in places]
    labels = {item.key: Encoder() for item in there if not (item.number or item.time)}
    return labels, {item.key: array("d") for item in there if item.number or item.time}


def _readers(
    sheet: Sheet, places: Mapping[str, int], fields: Sequence[Field]
) -> dict[str, Callable[[object, str], float]]:
    """Return what reads each column of numbers; the first row of data says whether times are numbers or dates."""
    times = {item.key for item in fields if item.time}
    first = {key: "".join(sheet.example[place : place + 1]) for key, place in places.items()}
    return {key: time_reader(text) if key in times else as_number for key, text in first.items()}


def _finished(labels: Mapping[str, Encoder], numbers: Mapping[str, array[float]], where: Where) -> Columns:
    return Columns(
        {key: encoder.result() for key, encoder in labels.items()},
        {key: np.array(column, dtype=np.float64) for key, column in numbers.items()},
        where,
    )


def checked_rows(sheet: Sheet, name: str) -> Iterator[Row]:
    """Yield the rows; each must have as many fields as the first line."""
    width = len(sheet.names)
    for line, row in sheet.rows:
        if len(row) != width:
            remedy = "quote fields that hold the delimiter, and fill in missing ones"
            if any(cells[0].startswith("#") for cells in (sheet.names, sheet.example, row)):
                remedy += f"; {COMMENTS}"
            raise DataError(
                f"line {line} of {name} has {len(row)} field{'s' * (len(row) != 1)} where the first line "
                f"has {width}; {remedy}"
            )
        yield line, row
