"""Files: what kind one is, and its lines and rows, with errors that name the file and the line."""

from __future__ import annotations

import csv
import difflib
import gzip
import io
import lzma
import os
import re
import struct
import tarfile
import tokenize
import zipfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

from vbn._errors import REMEDY, DataError, ParameterError

_PYTHON = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, EOFError, OSError, MemoryError)
_PARSING = (SyntaxError, tokenize.TokenError)  # the head of a numpy array is parsed as Python
_ARCHIVES = (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error)
UNREADABLE = (*_PYTHON, *_PARSING, *_ARCHIVES, RuntimeError)  # RuntimeError: encrypted zip files, too deep a nesting
"""Everything that the readers of numpy, scipy, zip and tar raise for a damaged file.

Catch it around the call of such a reader alone: faults of one's own code look the same.
"""
TEXT = ("csv", "tsv", "txt")
_QUOTED = re.compile(r'"[^"]*"')


class File(NamedTuple):
    """A file that is there, and how to read it."""

    path: Path
    kind: str  # its suffix without the dot, and without .gz
    zipped: bool


def find_file(
    source: str | os.PathLike[str], kinds: tuple[str, ...] = (*TEXT, "parquet"), delimiter: str | None = None
) -> File:
    """Check that a path leads to a file of one of the kinds that can be read here.

    A file with another suffix is text if its delimiter is known (ratings.dat, u.data).
    """
    if not os.fspath(source):
        raise DataError("the path is empty; give the path of a file")
    path = Path(source)
    if not _is_file(path):
        raise _missing(path)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    zipped = suffixes[-1:] == [".gz"]
    kind = next(iter(suffixes[-2:-1] if zipped else suffixes[-1:]), "").removeprefix(".")
    if kind not in kinds and delimiter is not None:
        kind = "txt"
    if kind not in kinds:
        readable = ", ".join(f".{name}" for name in kinds)
        raise DataError(
            f"cannot tell how to read {path.name!r}: its suffix must be one of {readable}, "
            f"or one of these followed by .gz (or name the delimiter of a text file with {REMEDY})",
            remedies=[("delimiter",)],
        )
    return File(path, kind, zipped)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError as error:  # a name that no file can have
        raise DataError(f"{str(path)[:60]!r}... cannot be the path of a file: {error.strerror}") from error


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
            raise DataError(f"{_undecodable(file)} of {file.path.name} is not UTF-8 text; {_remedy(file)}") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{file.path.name} is not a whole gzip file: {error}") from error
    except OSError as error:
        raise DataError(f"cannot read {str(file.path)!r}: {error.strerror or error}") from error


def _undecodable(file: File) -> str:
    with open_binary(file) as stream:
        for number, line in enumerate(stream, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return f"line {number}"
    return "the end"


def _remedy(file: File) -> str:
    """Say what to do about a file that is not text, from its first bytes."""
    with open_binary(file) as stream:
        start = stream.read(4)
    if start[:2] == b"\x1f\x8b":
        return f"it is compressed with gzip, so call it {file.path.name}.gz"
    if start == b"PAR1":
        return f"it is a parquet file, so call it {file.path.stem}.parquet"
    was = " (it is UTF-16)" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
    return f"save the file as UTF-8{was}"


def read_lines(file: File) -> Generator[str]:
    """Yield the lines of a text file."""
    with (
        reading(file),
        open_binary(file) as stream,
        io.TextIOWrapper(stream, encoding="utf-8-sig", newline="") as text,
    ):
        for number, line in enumerate(text, start=1):
            if "\0" in line:
                raise DataError(
                    f"line {number} of {file.path.name} holds a NUL byte, so the file is not text (or is UTF-16); "
                    "save it as UTF-8"
                )
            yield line


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
    """Yield the rows of a delimited file, each with the number of the line it begins on."""
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
        if row:
            yield start, row
        start = getattr(reader, "line_num", start) + 1


def mark_of(file: File) -> str | None:
    """Return what separates the fields of a file by default; None is white space.

    That is a tab in a .tsv file, and a comma in a .csv file, or a semicolon if its first line has one and no comma, as
    many spreadsheets write it. In a .txt file it is a tab or a comma if the first line has one.
    """
    if file.kind == "tsv":
        return "\t"
    with closing(read_lines(file)) as lines:
        first = next((line for line in lines if line.strip()), "")
    if file.kind != "csv":
        return next((mark for mark in "\t," if mark in first), None)
    bare = _QUOTED.sub("", first)
    return ";" if ";" in bare and "," not in bare else ","
