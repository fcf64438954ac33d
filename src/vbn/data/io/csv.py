"""Delimited text files: header, columns, and rows as codes and numbers, in one pass."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import NamedTuple

import numpy as np

from vbn._errors import REMEDY, DataError
from vbn.data.io.columns import Columns, Field, Header, as_number, pick, plain_name, refuse_times
from vbn.data.io.files import File, read_rows, split_rows
from vbn.data.vocabulary import Encoder, Where, item_number

_BLOCK = 256  # rows that are taken apart into columns at a time
Row = tuple[int, list[str]]  # a line number and fields


class Sheet(NamedTuple):
    """A delimited file with its header read."""

    names: list[str]
    rows: Iterator[Row]
    has_header: bool
    sure: bool  # False if the first line may be a header or data
    example: list[str]  # the first row of data, empty if there is none

    def header(self, source: str) -> Header:
        """Return what is known of the columns; one holds numbers if its first entry is a number."""
        return Header(self.names, source, self.has_header, lambda at: is_number("".join(self.example[at : at + 1])))


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
    columns = _quickly(file, delimiter, sheet, picked.places, fields)
    if columns is None:
        columns = _carefully(sheet, picked.places, fields, file.path.name)
    columns.titles = {key: sheet.names[place] for key, place in picked.places.items()}
    columns.source = columns.file = file.path.name
    if not sheet.sure:
        if ask and not _met_again(sheet.names, columns):
            raise unsure(sheet, fields, file.path.name)
        return read_csv(file, chosen, fields, False, delimiter)
    refuse_times(columns.numbers, found, picked)
    return columns


def unsure(sheet: Sheet, fields: Sequence[Field], name: str) -> DataError:
    """Return the error for a first line that may be a header or data."""
    shown = ", ".join(repr(cell) for cell in sheet.names[:3])
    usual = ", ".join(item.aliases[0] for item in fields if not item.optional)
    return DataError(
        f"does the first line of {name} ({shown}) name the columns, or is it data? Pass {REMEDY} or {REMEDY}, "
        f"or begin the file with usual names ({usual})",
        remedies=[("header", True), ("header", False)],
    )


def _quickly(
    file: File, delimiter: str | None, sheet: Sheet, places: Mapping[str, int], fields: Sequence[Field]
) -> Columns | None:
    """Read a flawless file, or return None."""
    labels, numbers = _empty(places, fields)

    def where(row: int) -> str:
        place = row + sheet.has_header
        return f"line {next(islice(read_rows(file, delimiter), place, None))[0]} of {file.path.name}"

    rows = islice(filter(None, split_rows(file, delimiter)), int(sheet.has_header), None)
    try:
        while block := list(islice(rows, _BLOCK)):
            columns = list(zip(*block, strict=True))
            if len(columns) != len(sheet.names):
                return None
            for key, encoder in labels.items():
                encoder.extend(columns[places[key]], where)
            for key, column in numbers.items():
                column.extend(map(float, columns[places[key]]))
    except (csv.Error, ValueError):  # a DataError is a ValueError
        return None
    return _finished(labels, numbers, where)


def _carefully(sheet: Sheet, places: Mapping[str, int], fields: Sequence[Field], name: str) -> Columns:
    """Read row by row, to say where something is wrong."""
    labels, numbers = _empty(places, fields)
    lines = array("q")
    for line, row in checked_rows(sheet, name):
        for key, encoder in labels.items():
            encoder.extend([row[places[key]]], item_number)
        for key, column in numbers.items():
            column.append(as_number(row[places[key]], f"line {line} of {name}, column {sheet.names[places[key]]!r},"))
        lines.append(line)
    return _finished(labels, numbers, lambda row: f"line {lines[row]} of {name}")


def _empty(places: Mapping[str, int], fields: Sequence[Field]) -> tuple[dict[str, Encoder], dict[str, array[float]]]:
    there = [item for item in fields if item.key in places]
    labels = {item.key: Encoder() for item in there if not item.number}
    return labels, {item.key: array("d") for item in there if item.number}


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
            raise DataError(
                f"line {line} of {name} has {len(row)} field{'s' * (len(row) != 1)} where the first line "
                f"has {width}; quote fields that hold the delimiter, and fill in missing ones"
            )
        yield line, row


def _met_again(cells: Sequence[str], columns: Columns) -> bool:
    """Return whether the first line names an entity of a later line: then it is not a header."""
    return any(cell in coded.names for coded in columns.labels.values() for cell in cells)


def is_number(cell: str) -> bool:
    """Return whether a field of a file reads as a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True
