"""Tensor files in the safetensors format: written as a stream, mapped or read into memory, and checked one by one.

The safetensors package reads a file into memory and builds a second copy to write one. Models are large and the format
is small, so it is implemented here. Tensors with wide items come first: each starts at a multiple of its item size.
"""

from __future__ import annotations

import json
import math
import mmap
import os
from collections.abc import Callable, Iterator, Mapping
from io import BufferedReader
from typing import Any, BinaryIO

import numpy as np

from vbn._errors import ModelFileError
from vbn.data import fault_of_rows
from vbn.storage.files import LARGEST_JSON, parse

FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
DOUBLE = (np.dtype(np.float64),)
LONG = (np.dtype(np.int64),)
IDS = (np.dtype(np.int32), np.dtype(np.int64))
BYTES = (np.dtype(np.uint8),)
TRUTH = (np.dtype(np.bool_),)
_TYPES = {"F64": "<f8", "I64": "<i8", "F32": "<f4", "I32": "<i4", "U8": "|u1", "BOOL": "|b1"}
_CODES = {np.dtype(code): name for name, code in _TYPES.items()}
_ALIGNMENT = 64
_CHUNK = 1 << 24
_LARGEST_MEAN = 1e15
_AT_ONCE = 1 << 20


def file_chunks(
    tensors: Mapping[str, np.ndarray], metadata: Mapping[str, str] | None = None
) -> Iterator[bytes | memoryview]:
    """Yield the bytes of a safetensors file; the same tensors give the same bytes."""
    given = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    arrays = {name: array.astype(array.dtype.newbyteorder("<"), copy=False) for name, array in given.items()}
    order = sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name))
    header: dict[str, Any] = {} if metadata is None else {"__metadata__": dict(metadata)}
    at = 0
    for name in order:
        array = arrays[name]
        ends = [at, at + array.nbytes]
        header[name] = {"dtype": _CODES[array.dtype], "shape": list(array.shape), "data_offsets": ends}
        at = ends[1]
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % _ALIGNMENT)
    yield len(text).to_bytes(8, "little") + text
    for name in order:
        flat = arrays[name].reshape(-1).view(np.uint8)
        for start in range(0, len(flat), _CHUNK):
            yield flat[start : start + _CHUNK].data


def map_tensors(stream: BinaryIO, what: str) -> dict[str, np.ndarray]:
    """Return the tensors of an open file as views of it.

    Pages are read when they are used. The arrays are writable, because kernels are compiled for writable arrays, but
    changes stay in memory and never reach the file. The map stays valid after the file is removed, but not after it is
    cut or written to in place: the operating system then ends the process.
    """
    if not os.fstat(stream.fileno()).st_size:
        raise ModelFileError(f"{what} is damaged: it is empty.")
    return _tensors(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_COPY), what)


def read_bytes(stream: BufferedReader, size: int) -> np.ndarray:
    """Return the next `size` bytes of a file in memory, fewer if it ends before."""
    content = np.empty(size, dtype=np.uint8)
    return content[: stream.readinto(content.data)]


def tensors_of(content: np.ndarray, what: str) -> dict[str, np.ndarray]:
    """Return the tensors of a file that was read, as views of its bytes."""
    return _tensors(content.data, what)


def _tensors(buffer: mmap.mmap | memoryview, what: str) -> dict[str, np.ndarray]:
    size = len(buffer)
    length = int.from_bytes(buffer[:8], "little")
    if size < 8 or length > min(size - 8, LARGEST_JSON):
        raise ModelFileError(f"{what} is damaged: its header does not fit the file.")
    header = parse(bytes(buffer[8 : 8 + length]), f"the header of {what}")
    entries = _checked(header, size - 8 - length, what)
    return {name: _view(buffer, 8 + length + start, *kind) for name, (start, kind) in entries.items()}


def _checked(header: dict[str, Any], size: int, what: str) -> dict[str, tuple[int, tuple[np.dtype, list[int]]]]:
    """Return start, type and shape of each tensor; together they must fill the data without gaps or overlaps."""
    header.pop("__metadata__", None)
    spans, entries = [], {}
    for name, entry in header.items():
        dtype, shape, (start, end) = _entry(entry, f"{what} is damaged: the tensor {name[:80]!r}")
        spans.append((start, end))
        entries[name] = start, (dtype, shape)
    at = 0
    for start, end in sorted(spans):
        if start != at:
            raise ModelFileError(f"{what} is damaged: its tensors overlap or leave gaps.")
        at = end
    if at != size:
        raise ModelFileError(f"{what} is damaged: it has {size} bytes of data, its header says {at}.")
    return entries


def _entry(entry: Any, problem: str) -> tuple[np.dtype, list[int], list[int]]:
    """Return the type, the shape, and the start and end of one tensor."""
    if not isinstance(entry, dict) or entry.get("dtype") not in list(_TYPES):
        raise ModelFileError(f"{problem} has an unknown type.")
    dtype, shape = np.dtype(_TYPES[entry["dtype"]]), _whole(entry.get("shape"), problem)
    ends = _whole(entry.get("data_offsets"), problem)
    if len(shape) > 2 or len(ends) != 2 or ends[1] - ends[0] != math.prod(shape) * dtype.itemsize:
        raise ModelFileError(f"{problem} does not fit its bytes.")
    return dtype, shape, ends


def _whole(numbers: Any, problem: str) -> list[int]:
    if not isinstance(numbers, list) or not all(type(number) is int and number >= 0 for number in numbers):
        raise ModelFileError(f"{problem} has a shape or offsets that are not lists of whole numbers.")
    return numbers


def _view(buffer: mmap.mmap | memoryview, start: int, dtype: np.dtype, shape: list[int]) -> np.ndarray:
    count = math.prod(shape)
    if count == 0:
        return np.empty(shape, dtype.newbyteorder("="))
    array = np.frombuffer(buffer, dtype, count, start).reshape(shape)
    if not array.flags.aligned:  # written by another tool; kernels are compiled for aligned arrays
        array = array.copy()
    return array.astype(dtype.newbyteorder("="), copy=False)


def take(
    tensors: Mapping[str, np.ndarray], name: str, types: tuple[np.dtype, ...], shape: tuple[int | None, ...]
) -> np.ndarray:
    """Return a tensor by name, of one of the types and of the shape; None in the shape stands for any size."""
    array = tensors.get(name)
    if array is None:
        raise ModelFileError(f"the tensor {name} is missing.")
    if array.dtype not in types:
        wanted = " or ".join(kind.name for kind in types)
        raise ModelFileError(f"the tensor {name} has type {array.dtype.name} instead of {wanted}.")
    fits = array.ndim == len(shape) and all(n in (None, m) for n, m in zip(shape, array.shape, strict=True))
    if not fits:
        raise ModelFileError(f"the tensor {name} has shape {array.shape} instead of {shape}.")
    if array.dtype == np.bool_ and not holds(array.view(np.uint8), lambda part: part <= 1):
        raise ModelFileError(f"the tensor {name} has bytes other than 0 and 1.")
    return array


def holds(array: np.ndarray, condition: Callable[[np.ndarray], np.ndarray]) -> bool:
    """Return whether a condition holds everywhere; piece by piece, which needs no copy of a large tensor."""
    flat = array.reshape(-1)
    return all(bool(condition(flat[i : i + _AT_ONCE]).all()) for i in range(0, len(flat), _AT_ONCE))


def need_finite(name: str, array: np.ndarray) -> None:
    """Refuse NaN and infinities."""
    if not holds(array, np.isfinite):
        raise ModelFileError(f"the tensor {name} has values that are not finite.")


def need_moderate(name: str, array: np.ndarray) -> None:
    """Refuse means so large that no training gives them and their squares would overflow."""
    need_finite(name, array)
    if not holds(array, lambda part: np.abs(part) < _LARGEST_MEAN):
        raise ModelFileError(f"the tensor {name} is damaged: its values are too large for means.")


def need_positive(name: str, array: np.ndarray, or_zero: bool = False) -> None:
    """Refuse values that are not finite and above zero."""
    need_finite(name, array)
    if not holds(array, lambda part: part >= 0 if or_zero else part > 0):
        raise ModelFileError(f"the tensor {name} has values that are not positive.")


def need_rows(what: str, indptr: np.ndarray, indices: np.ndarray, n_columns: int) -> None:
    """Refuse compressed rows whose bounds do not rise from 0 to the end, or whose columns do not rise or exist."""
    fault = fault_of_rows(indptr, indices, n_columns)
    if fault is not None:
        raise ModelFileError(f"{what} of the model do not fit its names: {fault}.")
