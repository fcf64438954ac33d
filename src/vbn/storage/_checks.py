"""Checks of tensors that come from a file: there, of the right type and shape, finite, in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from vbn._errors import ModelFileError
from vbn.data import fault_of_rows

FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
DOUBLE = (np.dtype(np.float64),)
LONG = (np.dtype(np.int64),)
IDS = (np.dtype(np.int32), np.dtype(np.int64))
BYTES = (np.dtype(np.uint8),)
TRUTH = (np.dtype(np.bool_),)
_LARGEST_MEAN = 1e15
_AT_ONCE = 1 << 20


def take(
    tensors: Mapping[str, np.ndarray], name: str, types: tuple[np.dtype, ...], shape: tuple[int | None, ...]
) -> np.ndarray:
    """A tensor by name; None in the shape stands for any size."""
    array = tensors.get(name)
    if array is None:
        raise ModelFileError(f"the tensor {name} is missing.")
    if array.dtype not in types:
        wanted = " or ".join(kind.name for kind in types)
        raise ModelFileError(f"the tensor {name} is of {array.dtype.name} instead of {wanted}.")
    fits = array.ndim == len(shape) and all(n in (None, m) for n, m in zip(shape, array.shape, strict=True))
    if not fits:
        raise ModelFileError(f"the tensor {name} has shape {array.shape} instead of {shape}.")
    if array.dtype == np.bool_ and not holds(array.view(np.uint8), lambda part: part <= 1):
        raise ModelFileError(f"the tensor {name} holds bytes that are no truth values.")
    return array


def holds(array: np.ndarray, condition: Callable[[np.ndarray], np.ndarray]) -> bool:
    """Whether a condition holds everywhere; looked at piece by piece, so that large tensors need no copies."""
    flat = array.reshape(-1)
    return all(bool(condition(flat[i : i + _AT_ONCE]).all()) for i in range(0, len(flat), _AT_ONCE))


def need_finite(name: str, array: np.ndarray) -> None:
    """Refuse NaN and infinities."""
    if not holds(array, np.isfinite):
        raise ModelFileError(f"the tensor {name} has values that are not finite.")


def need_moderate(name: str, array: np.ndarray) -> None:
    """Refuse means that no training gives: their squares would overflow."""
    need_finite(name, array)
    if not holds(array, lambda part: np.abs(part) < _LARGEST_MEAN):
        raise ModelFileError(f"the tensor {name} has values that are too large for a mean: damaged.")


def need_positive(name: str, array: np.ndarray, or_zero: bool = False) -> None:
    """Refuse what is not finite and above zero."""
    need_finite(name, array)
    if not holds(array, lambda part: part >= 0 if or_zero else part > 0):
        raise ModelFileError(f"the tensor {name} has values that are not positive.")


def need_rows(what: str, indptr: np.ndarray, indices: np.ndarray, n_columns: int) -> None:
    """Compressed rows: bounds that rise from 0 to the end, and in every row columns that rise and exist."""
    fault = fault_of_rows(indptr, indices, n_columns)
    if fault is not None:
        raise ModelFileError(f"{what} of the model do not fit its names: {fault}.")
