"""Array types that the data room shares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IdArray = NDArray[np.int64]  # entity ids while data is being read
IndexArray = NDArray[np.int32] | NDArray[np.int64]  # entity ids as stored: 32 bits while they fit


def read_only(array: NDArray) -> NDArray:
    """Return a view of `array` that refuses to be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def as_index(ids: NDArray, size: int) -> IndexArray:
    """Return ids of `size` things as int32, or as int64 from 2**31 things on."""
    return ids.astype(np.int32, copy=False) if size < 2**31 else ids.astype(np.int64, copy=False)


def summed(ids: NDArray, weights: FloatArray, n: int) -> FloatArray:
    """Return, for each of `n` ids, the sum of the weights that stand beside it."""
    return np.bincount(ids, weights=weights, minlength=n).astype(np.float64, copy=False)
