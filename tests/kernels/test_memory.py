"""Gathered rows turned into columns: what plain indexing gives, for sizes around the side of a tile."""

import numpy as np
import pytest

from vbn.kernels.compile import kernel
from vbn.kernels.memory import turn_rows


@kernel
def turned(source, ids, start, n, target):
    turn_rows(source, ids, start, n, target)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("t", [1, 7, 8, 9, 50])
@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 15, 16, 17, 24, 250])
def test_rows_become_columns_and_nothing_else_is_written(dtype, t, n):
    rng = np.random.default_rng(n)
    source = rng.normal(size=(100, t)).astype(dtype)
    ids = rng.integers(0, 100, n + 3).astype(np.int32)
    target = np.full((t + 1, 256), np.nan, dtype)
    turned(source, ids, 3, n, target)
    np.testing.assert_array_equal(target[:t, :n], source[ids[3:]].T)
    assert np.isnan(target[t]).all()
    assert np.isnan(target[:, n:]).all()
