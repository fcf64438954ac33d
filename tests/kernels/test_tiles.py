"""Vector code in tiles gives what plain numpy gives, for sizes around the side of a tile."""

import numpy as np
import pytest

from vbn.kernels.compile import kernel
from vbn.kernels.tiles import SIDE, SUMS, add_tiles, dot_tiles, place, sum_four, turn_tiles, width


@kernel
def turned(source, ids, start, last, target, at, means, squares, scores, spreads):
    turn_tiles(source, ids, start, last, target, at, means, squares, scores, spreads)


@kernel
def dotted(source, ids, start, last, weights, target, at):
    dot_tiles(source, ids, start, last, weights, target, at)


@kernel
def added(source, ids, start, last, weights, at, sums):
    add_tiles(source, ids, start, last, weights, at, sums)


@kernel
def four(block, d, before, steps, residual, slopes, n, sums):
    sum_four(block, d, before, steps, residual, slopes, n, sums)


@kernel
def by_tile(values, target):
    for d in range(len(values)):
        target[place(d, len(values))] = values[d]


@kernel
def width_of(t):
    return width(t)


def tiled(values):
    """Put the values of dimensions where tiles have them."""
    target = np.zeros(width_of(len(values)), values.dtype)
    by_tile(values, target)
    return target


@pytest.fixture(params=[np.float32, np.float64])
def dtype(request):
    return request.param


@pytest.fixture(params=[8, 9, 15, 16, 50])
def t(request):
    return request.param


@pytest.fixture(params=[1, 7, 8])
def n(request):
    """How many of the eight cells there are."""
    return request.param


@pytest.fixture
def rows(dtype, t, n):
    rng = np.random.default_rng(t + n)
    source = rng.normal(size=(100, t)).astype(dtype)
    ids = rng.integers(0, 100, 5 + n).astype(np.int32)
    return source, ids, source[ids[5 + np.minimum(np.arange(SIDE), n - 1)]].astype(float)


def close(dtype):
    return {"rtol": 1e-5, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-12}


def test_rows_become_columns_and_nothing_else_is_written(rows, dtype, t):
    source, ids, found = rows
    rng = np.random.default_rng(1)
    means, squares = rng.normal(size=(2, t)).astype(dtype)
    target = np.full((t + 1, 32), np.nan, dtype)
    scores, spreads = np.full((2, 32), np.nan, dtype)
    turned(source, ids, 5, len(ids) - 1, target, 16, tiled(means), tiled(squares), scores, spreads)
    np.testing.assert_array_equal(target[:t, 16:24], found.T)
    np.testing.assert_allclose(scores[16:24], found @ means, **close(dtype))
    np.testing.assert_allclose(spreads[16:24], found**2 @ squares, **close(dtype))
    for array in (target[t], target[:, :16], target[:, 24:], scores[:16], scores[24:], spreads[:16], spreads[24:]):
        assert np.isnan(array).all()


def test_dots_are_added(rows, dtype, t):
    source, ids, found = rows
    weights = np.random.default_rng(2).normal(size=t).astype(dtype)
    target = np.ones(24, dtype)
    dotted(source, ids, 5, len(ids) - 1, tiled(weights), target, 8)
    np.testing.assert_allclose(target[8:16], 1 + found @ weights, **close(dtype))
    assert (target[:8] == 1).all()
    assert (target[16:] == 1).all()


def test_weighted_rows_are_added(rows, dtype, t, n):
    source, ids, found = rows
    weights = np.random.default_rng(3).normal(size=24).astype(dtype)
    weights[8 + n :] = 0
    sums = np.ones(width_of(t), dtype)
    added(source, ids, 5, len(ids) - 1, weights, 8, sums)
    at = tiled(np.arange(t))
    late = max(t, 8) - 8  # the first dimension of the last tile, which other tiles may have too
    positions = [int(np.flatnonzero((at == d) if d else np.arange(len(at)) == 0)[0]) for d in range(t)]
    np.testing.assert_allclose(sums[positions], 1 + weights[8:16] @ found, **close(dtype))
    np.testing.assert_allclose(sums[-8:], 1 + (weights[8:16] @ found)[late:], **close(dtype))


@pytest.mark.parametrize("cells", [0, 8, 24])
def test_sums_of_four_dimensions(dtype, cells):
    rng = np.random.default_rng(4)
    block = rng.normal(size=(12, 40)).astype(dtype)
    residual, slopes = rng.normal(size=(2, 40)).astype(dtype)
    steps, sums, before = rng.normal(size=4).astype(dtype), np.empty(SUMS, dtype), residual.copy()
    four(block, 8, 4, steps, residual, slopes, cells, sums)
    x, y = block[8:12, :cells], block[4:8, :cells]
    rest = before[:cells] - slopes[:cells] * (steps @ y)
    np.testing.assert_allclose(residual[:cells], rest, **close(dtype))
    np.testing.assert_array_equal(residual[cells:], before[cells:])
    products = (x * slopes[:cells]) @ x.T
    expected = [*(x @ rest), *(products[k, m] for k in range(4) for m in range(k + 1))]
    np.testing.assert_allclose(sums, expected, **close(dtype))
