"""Array types that the data room shares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IdArray = NDArray[np.int64]  # entity ids while data is being read
IndexArray = NDArray[np.int32] | NDArray[np.int64]  # entity ids as stored: 32 bits while they fit


def read_only(array: NDArray) -> NDArray:
    """Return a view of `array` that refuses to be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def index_dtype(size: int) -> type[np.int32] | type[np.int64]:
    """Return the smallest of int32 and int64 that can number `size` things."""
    return np.int32 if size <= np.iinfo(np.int32).max else np.int64
