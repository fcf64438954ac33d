"""Matrices of counts: sparse, dense, a table of numbers, or a file of one."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vbn._errors import REMEDY, DataError
from vbn.data.counting import Pairs, Parts, separate_parts, shared_parts
from vbn.data.counts import Counts, FloatArray
from vbn.data.describe import counted
from vbn.data.io.archives import check_archive
from vbn.data.io.files import TEXT, UNREADABLE, File, check_reading, checked_rows, find_file, open_sheet
from vbn.data.io.inputs import Table, as_table, plain_column, read_parquet
from vbn.data.io.numbers import as_number, as_numbers, check_counts, is_number
from vbn.data.vocabulary import Coded, as_name, item_number, row_number

_MOST_EMPTY = 10_000_000  # rows or columns that are named though nothing is in them


@dataclass(frozen=True)
class Matrix:
    """A matrix as read: its cells, and the names that came with it."""

    cells: Any  # a scipy COO array
    rows: Sequence[object] | None = None
    columns: Sequence[object] | None = None


def read_matrix(source: object, header: bool | None, delimiter: str | None) -> Matrix:
    """Read a matrix in any form that `Dataset.from_matrix` documents."""
    check_reading(header, delimiter)
    if isinstance(source, str | os.PathLike):
        return _from_file(find_file(source, (*TEXT, "parquet", "npz"), delimiter), header, delimiter)
    if isinstance(source, Counts):
        return Matrix(source.to_scipy().tocoo())
    if type(source).__module__.partition(".")[0] != "scipy":
        table = as_table(source)
        if table is not None:
            return _from_table(table, index=_labels(source))
    return Matrix(_as_coo(source))


def _labels(source: object) -> Sequence[object] | None:
    """Return the row labels of a pandas table, unless they are just 0, 1, 2, ..."""
    index = getattr(source, "index", None)
    if index is None or callable(index):
        return None
    labels: list[object] = list(index)
    return None if labels == list(range(len(labels))) else labels


def _as_coo(source: object) -> Any:
    from scipy.sparse import coo_array, issparse

    try:
        matrix: Any = source if issparse(source) else np.asarray(source)
    except ValueError as error:
        raise DataError("expected a matrix of numbers, but its rows differ in length") from error
    if matrix.ndim != 2 or matrix.dtype.kind not in "iufb":
        raise DataError(
            f"expected a matrix of numbers, not a value of type {type(source).__name__} "
            f"(shape {matrix.shape}, {matrix.dtype})"
        )
    return coo_array(_checked(matrix) if issparse(source) else matrix.astype(np.float64))


def _checked(matrix: Any) -> Any:
    """Return a sparse matrix, or refuse it if it has indices outside of its shape, which scipy would follow.

    A matrix of diagonals has no indices, and takes memory for each of its rows while it is read.
    """
    if matrix.format == "dia":
        for size, what in zip(matrix.shape, ("rows", "columns"), strict=True):
            _need_cells(size, matrix.data.size, what)
    if hasattr(matrix, "check_format"):
        try:
            matrix.check_format(full_check=True)
        except ValueError as error:
            raise DataError(f"the sparse matrix is damaged: {error}") from error
    return matrix


def _from_table(table: Table, index: Sequence[object] | None = None) -> Matrix:
    """Read a wide table; its first column holds the names of the rows unless it holds numbers."""
    columns = [table.column(position) for position in range(len(table.names))]
    names = table.names
    numeric = columns and isinstance(columns[0], np.ndarray) and columns[0].dtype.kind in "iuf"
    if index is None and columns and not numeric:
        index, columns, names = list(columns[0]), columns[1:], names[1:]  # type: ignore[call-overload]
    parsed = [as_numbers(values, f"column {name!r}", row_number) for values, name in zip(columns, names, strict=True)]
    return Matrix(_as_coo(np.column_stack(parsed) if parsed else np.zeros((0, 0))), index, names)


def _from_file(file: File, header: bool | None, delimiter: str | None) -> Matrix:
    if file.kind == "parquet":
        return _from_table(read_parquet(file))
    if file.kind == "npz":
        from scipy.sparse import load_npz

        try:
            check_archive(file.path)
            return Matrix(_as_coo(load_npz(file.path)))
        except UNREADABLE as error:
            raise DataError(f"{file.path.name} is not a sparse matrix as scipy saves it: {error}") from error
    sheet = open_sheet(file, {}, (), True if header is None else header, delimiter)
    names, name = sheet.names, file.path.name
    if header is None and is_number(names[0]):
        raise DataError(
            f"the first line of {name} begins with a number: pass {REMEDY} if the line names the columns (and each row "
            "begins with its name), or read a file of numbers alone with NumPy and pass the array",
            remedies=[("header", True)],
        )
    rows: list[str] = []
    values: list[FloatArray] = []
    for line, row in checked_rows(sheet, name):
        rows.append(row[0])
        where = f"line {line} of {name}"
        values.append(np.asarray([as_number(cell, where) for cell in row[1:]]))
    dense = np.stack(values) if values else np.zeros((0, len(names) - 1))
    return Matrix(_as_coo(dense), rows, None if header is False else names[1:])


def from_matrix(
    matrix: Matrix,
    rows: Iterable[object] | None,
    columns: Iterable[object] | None,
    shared: bool | None,
    min_count: float,
    max_size: int | None,
) -> Parts:
    """Name and order the rows and columns of a matrix and drop what the limits exclude."""
    cells = matrix.cells
    row_names = _names(matrix.rows if rows is None else rows, cells.shape[0], cells.nnz, "rows")
    given = matrix.columns if columns is None else columns
    square = cells.shape[0] == cells.shape[1]
    column_names = row_names if square and given is None else _names(given, cells.shape[1], cells.nnz, "columns")
    same = column_names == row_names
    if shared and not same:
        message = f"with {REMEDY}, rows and columns must have the same names in the same order"
        raise DataError(message, remedies=[("shared", True)])
    pairs = _pairs(cells, row_names, row_names if same else column_names)
    build = shared_parts if same and shared is not False else separate_parts
    return build(pairs, min_count, max_size, keep_unseen=True)


def _need_cells(size: int, cells: int, what: str) -> None:
    """Refuse a shape that nothing fills."""
    if size > max(_MOST_EMPTY, 1000 * cells):
        raise DataError(
            f"the matrix has {size:,} {what}, but only {counted(cells, 'cell')}: nearly all {what} are empty. Is its "
            "shape right? If so, leave out the empty ones"
        )


def _names(given: Iterable[object] | None, size: int, cells: int, what: str) -> list[str]:
    if given is None:
        _need_cells(size, cells, what)
        return [str(number) for number in range(size)]
    values = plain_column(given)
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise DataError(f"{what} must be a list of names, not {given!r}")
    names = [as_name(name, f"{item_number(position)} of {what}") for position, name in enumerate(values)]
    if len(names) != size:
        raise DataError(f"{what} has {len(names):,} names, but the matrix has {size:,} {what}")
    if len(set(names)) < size:
        repeated = next(name for name, times in Counter(names).items() if times > 1)
        raise DataError(f"{what} holds the name {repeated!r} more than once; names must differ")
    return names


def _pairs(cells: Any, rows: list[str], columns: list[str]) -> Pairs:
    """Return the cells with a count, row by row."""
    row, column = cells.row.astype(np.int64), cells.col.astype(np.int64)
    values = np.asarray(cells.data, dtype=np.float64)
    where = "row {}, column {} (counted from 0) of the matrix".format
    check_counts(values, "count", lambda cell: where(row[cell], column[cell]))
    seen = values > 0
    return Pairs(Coded(rows, row[seen]), Coded(columns, column[seen]), values[seen])
