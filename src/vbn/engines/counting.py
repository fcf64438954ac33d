"""Counting on a Ray cluster: files of raw events become the folder of a data set, and nobody holds all of the cells.

Each file is counted by itself; its cells are dealt out by ranges of rows, of about equal numbers of cells; each range
is added up and written to its place. Names are merged here, cells never come here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from vbn._errors import DataError, ParameterError, StorageError
from vbn.data import Counts, Dataset, Vocabulary, ranges_by_load, write_about
from vbn.engines.cluster import connect, in_our_words

_KINDS = ("sequences", "baskets", "interactions", "pairs")
_WHOLE = ("min_count", "max_size")  # these depend on all files, so that no file can be counted with them
_CELLS_PER_PART = 1 << 24
_AT_ONCE = 1000  # files that are asked for together: their answers wait here until names are merged


class Counted(NamedTuple):
    """What is told about the counts of a file: names of its sides with their counts, and cells of each row."""

    rows: Vocabulary
    columns: Vocabulary
    shared: bool
    cells: np.ndarray


class Names:
    """Names of all files so far, numbered as they come."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._counts = np.zeros(0)

    def add(self, names: Vocabulary) -> np.ndarray:
        """Return the numbers of the names of a file."""
        numbers = np.array([self._numbers.setdefault(name, len(self._numbers)) for name in names], np.int64)
        self._counts = np.pad(self._counts, (0, len(self._numbers) - len(self._counts)))
        self._counts[numbers] += names.counts
        return numbers

    def ordered(self) -> tuple[Vocabulary, np.ndarray]:
        """Return all names by falling count, earlier ones first among equals, and the place of each number there."""
        order = np.argsort(-self._counts, kind="stable")
        places = np.empty(len(order), np.int64)
        places[order] = np.arange(len(order))
        names = list(self._numbers)
        return Vocabulary([names[number] for number in order], self._counts[order]), places


def count_files(
    files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    kind: str,
    *,
    address: str | None = None,
    **options: Any,
) -> Dataset:
    """Count files of raw events on a Ray cluster into the folder of a data set.

    Every file is counted by a task of its own and must fit the memory of one; what tasks hand over to each other goes
    through the object store, which spills to disk. This process holds the names and one number for each row.

    Parameters
    ----------
    files : path or iterable of paths
        Files that `Dataset` can read, such as the parts of a parquet table, or a folder of them. All nodes must see
        them. A basket or a sentence must not be divided among files; the events of a user may be.
    folder : path
        A new folder on storage that all nodes see.
    kind : {"interactions", "pairs", "baskets", "sequences"}
        What the files hold: the name of the constructor of `Dataset` that reads them.
    address : str, optional
        Where the cluster is, as in `RayEngine`.
    **options
        Passed on to the constructor, such as users="user_id", items="item_id" or window=5. Not `min_count` and
        `max_size`, which depend on all files.

    Returns
    -------
    Dataset
        As ``Dataset.from_folder(folder)`` gives it. Names are in the order of their counts; among equal counts, those
        of the first file come first.
    """
    paths, target = _listed(files), Path(folder).resolve()
    _check(kind, options, target)
    ray, connected_here = connect(address)
    try:
        with in_our_words(ray):
            _count(ray, paths, target, kind, options)
    finally:
        if connected_here:
            ray.shutdown()
    return Dataset.from_folder(target)


def _listed(files: Any) -> list[str]:
    if isinstance(files, str | os.PathLike):
        path = Path(files)
        files = sorted(file for file in path.iterdir() if file.name[0] not in "._") if path.is_dir() else [path]
    found = [str(Path(file).resolve()) for file in files]
    if not found:
        raise DataError("there are no files to count; a folder must hold at least one, none beginning with . or _")
    return found


def _check(kind: str, options: dict[str, Any], folder: Path) -> None:
    if kind not in _KINDS:
        raise ParameterError(f"kind={kind!r} is not one of {', '.join(map(repr, _KINDS))}.")
    for name in _WHOLE:
        if name in options:
            raise ParameterError(f"{name} depends on all files together and cannot be used here.")
    if folder.exists() and any(folder.iterdir()):
        raise DataError(f"{folder} is there already and not empty; give a folder that is new")


class _File(NamedTuple):
    """A file that was counted: where its counts are, the numbers of its names, the cells of each of its rows."""

    counts: Any
    rows: np.ndarray
    columns: np.ndarray
    cells: np.ndarray


def _count(ray: Any, paths: Sequence[str], folder: Path, kind: str, options: dict[str, Any]) -> None:
    files, rows, columns = _count_each(ray, paths, kind, options)
    shared = rows is columns
    row_names, row_places = rows.ordered()
    column_names, column_places = (row_names, row_places) if shared else columns.ordered()
    load = np.ones(len(row_names))
    for file in files:
        load[row_places[file.rows]] += file.cells
    bounds = ranges_by_load(load, _CELLS_PER_PART)
    deal = ray.remote(_dealt).options(num_returns=len(bounds))
    pieces = []
    for file in files:
        given = deal.remote(file.counts, row_places[file.rows], column_places[file.columns], bounds)
        pieces.append(given if isinstance(given, list) else [given])
    add = ray.remote(_added).options(num_returns=2)
    sums = [
        add.remote(first, last, len(column_names), *(each[number] for each in pieces))
        for number, (first, last) in enumerate(bounds)
    ]
    lengths = np.concatenate([ray.get(lengths) for lengths, _ in sums])
    indptr = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    _make_room(folder, indptr)
    write = ray.remote(_written)
    starts = [int(indptr[first]) for first, _ in bounds]
    ray.get([write.remote(str(folder), start, cells) for start, (_, cells) in zip(starts, sums, strict=True)])
    write_about(folder, row_names, None if shared else column_names, kind)


def _count_each(ray: Any, paths: Sequence[str], kind: str, options: dict[str, Any]) -> tuple[list[_File], Names, Names]:
    """Let each file be counted; its names are merged as it comes."""
    task, files, rows = ray.remote(_counted).options(num_returns=2), [], Names()
    columns = Names()
    for start in range(0, len(paths), _AT_ONCE):
        for counts, about in [task.remote(path, kind, options) for path in paths[start : start + _AT_ONCE]]:
            told: Counted = ray.get(about)
            numbers = rows.add(told.rows)
            columns = rows if told.shared else columns
            files.append(_File(counts, numbers, numbers if told.shared else columns.add(told.columns), told.cells))
    return files, rows, columns


def _counted(path: str, kind: str, options: dict[str, Any]) -> tuple[Counts, Counted]:
    """Count a file (runs on the cluster)."""
    data = getattr(Dataset, f"from_{kind}")(path, **options)
    return data.counts, Counted(data.rows, data.columns, data.shared, np.diff(data.counts.indptr))


class Cells(NamedTuple):
    """Cells of a range of rows, which are numbered from 0 there."""

    rows: np.ndarray
    columns: np.ndarray
    values: np.ndarray


def _dealt(counts: Counts, rows: np.ndarray, columns: np.ndarray, bounds: Sequence[tuple[int, int]]) -> Any:
    """The cells of a file for each range of rows, by the numbers that they have among all (runs on the cluster)."""
    row, column = rows[counts.row_ids()], columns[counts.indices]
    order = np.argsort(row, kind="stable")
    row, column, values = row[order], column[order], counts.values[order]
    cuts = np.searchsorted(row, [first for first, _ in bounds[1:]])
    parts = [
        Cells(part - first, column[at : at + len(part)], values[at : at + len(part)])
        for part, at, (first, _) in zip(np.split(row, cuts), [0, *cuts.tolist()], bounds, strict=True)
    ]
    return parts if len(parts) > 1 else parts[0]


def _added(first: int, last: int, n_columns: int, *pieces: Cells) -> tuple[np.ndarray, Counts]:
    """The counts of a range of rows, and how many cells each row has (runs on the cluster)."""
    cells = Cells(*(np.concatenate(arrays) for arrays in zip(*pieces, strict=True)))
    counts = Counts.from_coo(*cells, shape=(last - first, n_columns))
    return np.diff(counts.indptr), counts


def _make_room(folder: Path, indptr: np.ndarray) -> None:
    """Files for all cells, to be filled by those who have them."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        np.save(folder / "indptr.npy", indptr)
        for name, dtype in (("indices", np.int32), ("values", np.float64)):
            np.lib.format.open_memmap(folder / f"{name}.npy", "w+", dtype, (int(indptr[-1]),)).flush()
    except OSError as error:
        raise StorageError(f"no room for the counts in {folder}: {error}. Free some space there.") from error


def _written(folder: str, start: int, counts: Counts) -> None:
    """Write the cells of a range of rows to their place (runs on the cluster)."""
    try:
        for name in ("indices", "values"):
            file = np.lib.format.open_memmap(Path(folder) / f"{name}.npy", "r+")
            file[start : start + counts.nnz] = getattr(counts, name)
            file.flush()
    except OSError as error:
        raise StorageError(f"counts cannot be written to {folder}: {error}. All nodes must see that folder.") from error
