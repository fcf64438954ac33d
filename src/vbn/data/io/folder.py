"""Data sets in a folder: plain numpy files that are mapped into memory, and may be larger than it.

Counts are `indptr.npy`, `indices.npy` and `values.npy` in compressed rows; names are `rows.jsonl` and, where they
differ, `columns.jsonl`, one JSON string a line, with `row_counts.npy` and `column_counts.npy` beside them. `times.npy`
is there if the data has times, `row_labels.jsonl` and `column_labels.jsonl` if it has labels, and `row_features.json`
or `column_features.json` with arrays beside them if it has features.
"""

from __future__ import annotations

import json
import math
import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vbn._errors import DataError
from vbn.data.counting import Parts
from vbn.data.counts import Counts, fault_of_rows
from vbn.data.features import ROWS_AT_ONCE, Features, Source
from vbn.data.io.files import UNREADABLE
from vbn.data.labels import Labels
from vbn.data.vocabulary import Vocabulary

if TYPE_CHECKING:
    from vbn.data.dataset import Dataset

_ARRAYS: dict[str, tuple[type, ...]] = {"indptr": (np.int64,), "indices": (np.int32, np.int64), "values": (np.float64,)}
_TIMES = "times.npy"
_ABOUT = "dataset.json"
_FORMAT = 1


def write_folder(data: Dataset, folder: str | os.PathLike[str]) -> None:
    """Write counts, names and features of a data set; `dataset.json` comes last: a folder that has it is complete."""
    if data.relations or data.row_taxonomy is not None or data.column_taxonomy is not None:
        raise DataError(
            "to_folder writes counts, names and features only; call it before with_taxonomy and with_relation, "
            "and add these to the data set that it returns"
        )
    path = Path(folder)
    if path.exists() and any(path.iterdir()):
        raise DataError(f"{path} already exists and is not empty; choose another folder")
    path.mkdir(parents=True, exist_ok=True)
    for name in _ARRAYS:
        np.save(path / f"{name}.npy", getattr(data.counts, name))
    if data.times is not None:
        np.save(path / _TIMES, data.times)
    _write_features(path, "column", data.column_features)
    if not data.shared:
        _write_features(path, "row", data.row_features)
    write_about(path, data.rows, None if data.shared else data.columns, data.kind)


def write_about(path: Path, rows: Vocabulary, columns: Vocabulary | None, kind: str) -> None:
    """Write the names, and last the file that completes a folder with counts; `columns` None: the same as rows."""
    _write_names(path, "row", rows)
    if columns is not None:
        _write_names(path, "column", columns)
    shape = [len(rows), len(rows if columns is None else columns)]
    about = {"format": _FORMAT, "kind": kind, "shared": columns is None, "shape": shape}
    (path / _ABOUT).write_text(json.dumps(about), encoding="utf-8")


def read_folder(folder: str | os.PathLike[str]) -> tuple[Parts, str]:
    """Return what `write_folder` wrote, its counts mapped and checked in blocks, and the kind of the data."""
    path = Path(folder)
    try:
        about = _read_about(path)
        rows = _read_names(path, "row")
        columns = rows if about["shared"] else _read_names(path, "column")
        arrays = [_mapped(path / f"{name}.npy", types) for name, types in _ARRAYS.items()]
        times = _mapped(path / _TIMES, (np.float64,)) if (path / _TIMES).exists() else None
    except FileNotFoundError as error:
        missing = Path(error.filename).name
        message = f"{path} is not a data set that to_folder wrote: it has no {missing}; name a file in it to read that"
        if any(path.glob("*.txt")):
            message += f", or join its texts: awk 1 {shlex.quote(str(path))}/*.txt > texts.txt"
        raise DataError(message) from error
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError(f"{path} is damaged, or was not written by this version of to_folder: {error}") from error
    indptr, indices, values = arrays
    shape = (len(rows), len(columns))
    fault = fault_of_rows(indptr, indices, shape[1], values)
    if len(indptr) != shape[0] + 1 or len(indices) != len(values) or fault:
        told = fault or f"its arrays do not fit its {shape[0]:,} rows"
        raise DataError(f"the counts in {path} are damaged: {told}; write the folder again with to_folder")
    if times is not None and not (len(times) == len(values) and np.isfinite(times).all()):
        raise DataError(
            f"the times in {path} are damaged: they must be one number for each cell; write the folder again"
        )
    return Parts(rows, columns, Counts(indptr, indices, values, shape), times), str(about.get("kind", "folder"))


def _write_features(path: Path, side: str, features: Features | None) -> None:
    """Write the values of each source block by block, as they may be larger than the memory."""
    if features is None:
        return
    for number, source in enumerate(features.sources):
        shape, stem = (len(source), source.width), f"{side}_features_{number}"
        values = np.lib.format.open_memmap(path / f"{stem}.npy", mode="w+", dtype=np.float32, shape=shape)
        for first in range(0, len(source), ROWS_AT_ONCE):
            values[first : first + ROWS_AT_ONCE] = source.taken(slice(first, first + ROWS_AT_ONCE))
        values.flush()
        np.save(path / f"{stem}_rows.npy", source.rows)
    named = [{"name": own.name, "columns": own.columns, "encoder": own.encoder} for own in features.sources]
    (path / f"{side}_features.json").write_text(json.dumps(named), encoding="utf-8")


def read_features(folder: str | os.PathLike[str], side: str, names: Vocabulary) -> Features | None:
    """Return the features of a side that `write_folder` wrote, mapped; None if there are none."""
    path = Path(folder)
    if not (path / f"{side}_features.json").exists():
        return None
    try:
        named = json.loads((path / f"{side}_features.json").read_text(encoding="utf-8"))
        sources = []
        for number, about in enumerate(named):
            stem, columns = f"{side}_features_{number}", about["columns"]
            values = _mapped(path / f"{stem}.npy", (np.float32,), dimensions=2)
            rows = np.array(_mapped(path / f"{stem}_rows.npy", (np.int64,)))
            columns, encoder = None if columns is None else tuple(columns), about.get("encoder")
            if not isinstance(encoder, str | None):
                raise ValueError("the name of an encoder is no text")
            sources.append(Source(str(about["name"]), values, rows, columns, encoder=encoder))
        return Features(names, sources)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError(f"the features in {path} are damaged: {error}; write the folder again") from error


def _read_about(path: Path) -> dict[str, Any]:
    about = json.loads((path / _ABOUT).read_text(encoding="utf-8"))
    if not isinstance(about, dict) or about["format"] != _FORMAT:
        raise DataError(f"{_ABOUT} does not state the format {_FORMAT}")
    return about


def _mapped(path: Path, types: tuple[type, ...], dimensions: int = 1) -> np.ndarray:
    """Map an array from a file; one of another type would have to be copied to memory."""
    try:
        array = np.lib.format.open_memmap(path, mode="r")
    except FileNotFoundError:
        raise
    except UNREADABLE as error:
        raise DataError(f"{path.name} is not an array as numpy saves it: {error}") from error
    if array.ndim != dimensions or array.dtype not in [np.dtype(kind) for kind in types]:
        wanted = (
            f"{('one dimension', 'two dimensions')[dimensions - 1]} of {' or '.join(np.dtype(k).name for k in types)}"
        )
        raise DataError(f"{path.name} holds {array.dtype} of shape {array.shape}, not {wanted}")
    return array


def _write_names(path: Path, side: str, names: Vocabulary) -> None:
    with (path / f"{side}s.jsonl").open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(name) + "\n" for name in names)
    if names.labels is not None:
        with (path / f"{side}_labels.jsonl").open("w", encoding="utf-8") as stream:
            stream.writelines(json.dumps(label) + "\n" for label in names.labels.texts)
    np.save(path / f"{side}_counts.npy", names.counts)


def _read_names(path: Path, side: str) -> Vocabulary:
    with (path / f"{side}s.jsonl").open(encoding="utf-8") as stream:
        names = [json.loads(line) for line in stream]
    labels, file = None, path / f"{side}_labels.jsonl"
    if file.exists():
        with file.open(encoding="utf-8") as stream:
            labels = Labels(str(json.loads(line)) for line in stream)
    return Vocabulary(names, _mapped(path / f"{side}_counts.npy", (np.float64,)), labels)


@dataclass(frozen=True)
class MappedArray:
    """An array in a file; other processes get the name of the file, not its bytes."""

    path: str
    offset: int
    dtype: np.dtype
    shape: tuple[int, ...]

    @classmethod
    def of(cls, array: np.ndarray) -> MappedArray | None:
        """Return where an array is mapped from; None if it is not a contiguous part of a file."""
        root: np.memmap | None = None
        at: object = array
        while isinstance(at, np.ndarray):
            root, at = (at if isinstance(at, np.memmap) else root), at.base
        if root is None or root.filename is None or not array.flags.c_contiguous:
            return None
        offset = int(root.offset + _address(array) - _address(root))
        return cls(str(Path(root.filename).resolve()), offset, array.dtype, array.shape)

    def there(self) -> bool:
        """Return whether this machine sees the file."""
        size = self.offset + math.prod(self.shape) * self.dtype.itemsize
        return Path(self.path).is_file() and Path(self.path).stat().st_size >= size

    def open(self) -> np.ndarray:
        """Map the array for reading."""
        if 0 in self.shape:
            return np.empty(self.shape, self.dtype)
        try:
            return np.asarray(np.memmap(self.path, self.dtype, "r", self.offset, self.shape))
        except (OSError, ValueError) as error:
            raise DataError(
                f"the data cannot be read from {self.path}: {error}. All machines must see the folder of a mapped "
                "data set under the same path; put it on shared storage."
            ) from error


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def by_file(array: np.ndarray) -> np.ndarray | MappedArray:
    """Return the array, or where it is mapped from."""
    return MappedArray.of(array) or array


def opened(sent: np.ndarray | MappedArray) -> np.ndarray:
    """Return the array that `by_file` was given."""
    return sent.open() if isinstance(sent, MappedArray) else sent
