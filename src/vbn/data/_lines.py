"""Text files with one list of names a line: the items of a basket, the tokens of a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from vbn._errors import DataError
from vbn.data._files import TEXT, File, mark_of, read_lines, read_rows

_MARKS = {",": "commas", ";": "semicolons"}
_LOOKED_AT = 1000  # lines of a file of columns that may be one of lists


def holds_lists(file: File) -> bool:
    """Return whether a file is one of lines (.txt), not of columns."""
    return [suffix.lower() for suffix in file.path.suffixes if suffix.lower() != ".gz"][-1:] == [".txt"]


def split_lines(file: File, delimiter: str | None) -> Iterator[list[str]]:
    """Yield the names of each line, split at the delimiter, or at white space if there is none."""
    for line in read_lines(file):
        if delimiter is None or delimiter == " ":
            yield line.split()
        else:
            yield [name.strip() for name in line.split(delimiter)] if line.strip() else []


def split_baskets(file: File, delimiter: str | None) -> Iterator[list[str]]:
    """Yield the items of each line; lines that seem to be split by commas are an error if nothing was said.

    Otherwise "tea, milk" would silently be of the items "tea," and "milk".
    """
    lines, marked = 0, dict.fromkeys(_MARKS, 0)
    for items in split_lines(file, delimiter):
        yield items
        if delimiter is None and items:
            lines += 1
            for mark in _MARKS:
                marked[mark] += any(mark in item for item in items)
    mark = max(_MARKS, key=lambda sign: marked[sign])
    if 2 * marked[mark] > lines:
        raise DataError(
            f"{marked[mark]:,} of {lines:,} lines of {file.path.name} hold {_MARKS[mark]}: pass delimiter={mark!r} if "
            'they separate the items, or delimiter=" " if items are separated by white space'
        )


def differ_in_length(file: File, delimiter: str | None) -> bool:
    """Return whether the lines of a file of columns have different numbers of fields."""
    rows = islice(read_rows(file, delimiter), _LOOKED_AT)
    return file.kind in TEXT and len({len(row) for _, row in rows}) > 1


def basket_a_line(file: File, delimiter: str | None) -> str:
    """Say how to read a file of columns as one basket a line."""
    name = file.path.name.partition(".")[0]
    mark = delimiter or mark_of(file) or ","
    return f"if each line is a basket, call the file {name}.txt and pass delimiter={mark!r}"
