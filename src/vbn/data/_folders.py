"""Data sets in a folder: plain numpy files that are mapped into memory, so that they may be larger than it.

Counts are `indptr.npy`, `indices.npy` and `values.npy` in compressed rows; names are `rows.jsonl` and, where they
differ, `columns.jsonl`, one JSON string a line, with `row_counts.npy` and `column_counts.npy` beside them.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vbn._errors import DataError
from vbn.data._archives import UNREADABLE
from vbn.data._compressed import fault_of_rows
from vbn.data._counts import Counts
from vbn.data._pairs import Parts
from vbn.data._vocabulary import Vocabulary

if TYPE_CHECKING:
    from vbn.data._dataset import Dataset

_ARRAYS: dict[str, tuple[type, ...]] = {"indptr": (np.int64,), "indices": (np.int32, np.int64), "values": (np.float64,)}
_ABOUT = "dataset.json"
_FORMAT = 1


def write_folder(data: Dataset, folder: str | os.PathLike[str]) -> None:
    """Write the counts and names of a data set; `dataset.json` comes last, so that a folder with it is whole."""
    if data.relations or data.row_taxonomy is not None or data.column_taxonomy is not None:
        raise DataError(
            "to_folder writes counts and names only; call it before with_taxonomy and with_relation, "
            "and add these to what from_folder gives"
        )
    path = Path(folder)
    if path.exists() and any(path.iterdir()):
        raise DataError(f"{path} is there already and not empty; give a folder that is new")
    path.mkdir(parents=True, exist_ok=True)
    for name in _ARRAYS:
        np.save(path / f"{name}.npy", getattr(data.counts, name))
    write_about(path, data.rows, None if data.shared else data.columns, data.kind)


def write_about(path: Path, rows: Vocabulary, columns: Vocabulary | None, kind: str) -> None:
    """Write names, and last what makes a folder with counts a whole data set; `columns` None: the same as rows."""
    _write_names(path, "row", rows)
    if columns is not None:
        _write_names(path, "column", columns)
    shape = [len(rows), len(rows if columns is None else columns)]
    about = {"format": _FORMAT, "kind": kind, "shared": columns is None, "shape": shape}
    (path / _ABOUT).write_text(json.dumps(about), encoding="utf-8")


def read_folder(folder: str | os.PathLike[str]) -> tuple[Parts, str]:
    """What `write_folder` has written, its counts mapped and checked in blocks, and the kind of the data."""
    path = Path(folder)
    try:
        about = _read_about(path)
        rows = _read_names(path, "row")
        columns = rows if about["shared"] else _read_names(path, "column")
        arrays = [_mapped(path / f"{name}.npy", types) for name, types in _ARRAYS.items()]
    except FileNotFoundError as error:
        missing = Path(error.filename).name
        raise DataError(f"{path} is not a data set that to_folder wrote: it has no {missing}") from error
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError(f"{path} is damaged, or no data set that this version of to_folder wrote: {error}") from error
    indptr, indices, values = arrays
    shape = (len(rows), len(columns))
    fault = fault_of_rows(indptr, indices, shape[1], values)
    if len(indptr) != shape[0] + 1 or len(indices) != len(values) or fault:
        told = fault or f"its arrays do not fit its {shape[0]:,} rows"
        raise DataError(f"the counts in {path} are damaged: {told}; write the folder anew with to_folder")
    return Parts(rows, columns, Counts(indptr, indices, values, shape)), str(about.get("kind", "folder"))


def _read_about(path: Path) -> dict[str, Any]:
    about = json.loads((path / _ABOUT).read_text(encoding="utf-8"))
    if not isinstance(about, dict) or about["format"] != _FORMAT:
        raise DataError(f"{_ABOUT} does not state the format {_FORMAT}")
    return about


def _mapped(path: Path, types: tuple[type, ...]) -> np.ndarray:
    """An array of one dimension in a file; of another type it would have to be copied to memory as a whole."""
    try:
        array = np.lib.format.open_memmap(path, mode="r")
    except FileNotFoundError:
        raise
    except UNREADABLE as error:
        raise DataError(f"{path.name} is no array as numpy saves it: {error}") from error
    if array.ndim != 1 or array.dtype not in [np.dtype(kind) for kind in types]:
        wanted = " or ".join(np.dtype(kind).name for kind in types)
        raise DataError(f"{path.name} holds {array.dtype} of shape {array.shape}, not one dimension of {wanted}")
    return array


def _write_names(path: Path, side: str, names: Vocabulary) -> None:
    with (path / f"{side}s.jsonl").open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(name) + "\n" for name in names)
    np.save(path / f"{side}_counts.npy", names.counts)


def _read_names(path: Path, side: str) -> Vocabulary:
    with (path / f"{side}s.jsonl").open(encoding="utf-8") as stream:
        names = [json.loads(line) for line in stream]
    return Vocabulary(names, _mapped(path / f"{side}_counts.npy", (np.float64,)))
