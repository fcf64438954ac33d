"""Files of public data sets: which are there, and their rows, with errors that name the file and the line."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from vbn._errors import DataError, ParameterError
from vbn.data import File, open_binary, reading

_LARGEST = 1 << 46  # of a whole number: as seconds it fits 64 bits even if it counts days


class Layout(NamedTuple):
    """One way in which a data set lies in a folder: its name, and the files that identify it."""

    name: str
    files: tuple[str, ...]


class Found(NamedTuple):
    """A layout that was recognised, and the folder it lies in."""

    layout: str
    folder: Path

    def path(self, name: str) -> Path:
        """Return the path of a file of this layout, gzipped or not; an error if it is not there."""
        path = optional(self.folder, name)
        if path is None:
            raise DataError(f"{self.folder} has no file {name} (nor {name}.gz)")
        return path


def recognise(
    folder: str | os.PathLike[str], what: str, layouts: Sequence[Layout], inside: Sequence[str], *, single: bool = False
) -> Found:
    """Return the first layout whose files are all in the folder, or in one of the folders `inside` it.

    Where folders inside may hold different data, `single` refuses several of them.
    """
    root = as_folder(folder)
    places = [root, *(root / name for name in inside)]
    found = [match for place in places if (match := _matching(place, layouts))]
    if single and len(found) > 1 and found[0].folder != root:
        names = ", ".join(str(match.folder) for match in found)
        raise DataError(f"{root} holds several {what} data sets: {names}; give one of these folders")
    if found:
        return found[0]
    looked = "; ".join(f"{', '.join(layout.files)} ({layout.name})" for layout in layouts)
    raise DataError(
        f"no {what} data in {root}, nor in folders there called {', '.join(inside)}. Looked for these files, gzipped "
        f"or not: {looked}"
    )


def _matching(place: Path, layouts: Sequence[Layout]) -> Found | None:
    for layout in layouts:
        if all(optional(place, name) for name in layout.files):
            return Found(layout.name, place)
    return None


def as_folder(folder: str | os.PathLike[str]) -> Path:
    """Check that a folder is one."""
    root = as_path(folder)
    if not root.is_dir():
        raise DataError(f"no such folder: {root}; give the folder with the files of the data set")
    return root


def as_path(folder: str | os.PathLike[str]) -> Path:
    """Check that what should be a path can be one."""
    try:
        return Path(folder)
    except TypeError:
        raise ParameterError(f"folder={folder!r} must be the path of a folder") from None


def optional(folder: Path, name: str) -> Path | None:
    """Return the path of a file or folder, or of that file gzipped, if there is one."""
    return next((path for path in (folder / name, folder / f"{name}.gz") if path.exists()), None)


def broken(path: Path, line: int, what: str) -> DataError:
    """Build the error for a line that cannot be read."""
    return DataError(f"line {line} of {path.name} {what} (the file is {path})")


def text_of(path: Path, encoding: str) -> Iterator[str]:
    """Yield the lines of a text file, gzipped or not, with their ends."""
    file = File(path, "txt", path.suffix == ".gz")
    with reading(file), open_binary(file) as stream, io.TextIOWrapper(stream, encoding=encoding, newline="") as text:
        yield from text


def lines_of(path: Path, encoding: str = "utf-8-sig") -> Iterator[tuple[int, str]]:
    """Yield (number, line) without line ends; blank lines are left out."""
    for number, line in enumerate(text_of(path, encoding), start=1):
        stripped = line.rstrip("\r\n")
        if stripped.strip():
            yield number, stripped


def rows_of(path: Path, *columns: str, delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """Yield (line, values of these columns) of a table with a header; case does not matter in column names.

    Files with tabs know no quotes; in files with commas a quoted field may hold commas and line breaks.
    """
    reader = csv.reader(
        text_of(path, "utf-8-sig"),
        delimiter=delimiter,
        quoting=csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL,
        strict=True,
    )
    try:
        header = [name.strip().lower() for name in next(reader, [])]
        missing = [name for name in columns if name.lower() not in header]
        if missing:
            raise broken(path, 1, f"has no column {missing[0]!r}, only {', '.join(header) or 'nothing'}")
        at = [header.index(name.lower()) for name in columns]
        for row in reader:
            if len(row) == len(header):
                yield reader.line_num, [row[place] for place in at]
            elif row:
                raise broken(path, reader.line_num, f"has {len(row)} fields where the header has {len(header)}")
    except csv.Error as error:
        raise broken(path, reader.line_num, f"is no proper row: {error}") from error


def number(text: str, path: Path, line: int, what: str) -> float:
    """Read a finite number, or say where there is none."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise broken(path, line, f"has {text!r} where {what} should be")
    return value


def whole(text: str, path: Path, line: int, what: str) -> int:
    """Read a whole number, or say where there is none, or one that no number or time of the data sets can be."""
    try:
        value = int(text)
    except ValueError:
        value = _LARGEST + 1
    if abs(value) > _LARGEST:
        raise broken(path, line, f"has {text[:40]!r} where {what} should be")
    return value


def named(user: str, item: str, path: Path, line: int) -> None:
    """Refuse a row with an empty name."""
    if not user or not item:
        raise broken(path, line, f"has no user or no item: {user!r}, {item!r}")


def choice(name: str, value: object, allowed: Sequence[str]) -> None:
    """Refuse an option that is not one of the allowed words."""
    if value not in allowed:
        raise ParameterError(f"{name}={value!r} must be one of {', '.join(map(repr, allowed))}")


def threshold(name: str, value: object) -> None:
    """Refuse an option that is not a number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value):
        raise ParameterError(f"{name}={value!r} must be a number")


def at_least(name: str, value: object, least: int) -> None:
    """Refuse an option that is not a whole number of at least this."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ParameterError(f"{name}={value!r} must be a whole number of at least {least}")
