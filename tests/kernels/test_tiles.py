"""Vector code in tiles gives what plain numpy gives, for sizes around the side of a tile."""

import numpy as np
import pytest

from vbn.kernels.compile import kernel
from vbn.kernels.tiles import (
    SUMS,
    add_tiles,
    dot_tiles,
    place,
    score_columns,
    score_rows,
    sum_four,
    sum_rows,
    turn_tiles,
    width,
)


@kernel
def turned(source, starts, at, target, means, squares, scores, spreads):
    turn_tiles(source, starts, at, target, means, squares, scores, spreads)


@kernel
def scored(block, t, at, means, squares, scores, spreads):
    score_columns(block, t, at, means, squares, scores, spreads)


@kernel
def dotted(source, starts, at, weights, target):
    dot_tiles(source, starts, at, weights, target)


@kernel
def added(source, starts, at, weights, sums):
    add_tiles(source, starts, at, weights, sums)


@kernel
def four(block, d, before, steps, residual, slopes, n, sums):
    sum_four(block, d, before, steps, residual, slopes, n, sums)


@kernel
def rows_scored(block, spread, d, means, seconds, variances, n, first, second):
    score_rows(block, spread, d, means, seconds, variances, n, first, second)


@kernel
def rows_summed(block, d, weights, n, sums):
    sum_rows(block, d, weights, n, sums)


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


@pytest.fixture
def rows(dtype, t):
    """Rows, where eight of them start, and these eight."""
    rng = np.random.default_rng(t)
    source = rng.normal(size=(100, t)).astype(dtype)
    ids = rng.integers(0, 100, 32)
    return source, source.strides[0] * ids, source[ids].astype(float)


def close(dtype):
    return {"rtol": 1e-5, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-12}


def test_rows_become_columns_and_nothing_else_is_written(rows, dtype, t):
    source, starts, found = rows
    means, squares = np.random.default_rng(1).normal(size=(2, t)).astype(dtype)
    target = np.full((t + 1, 32), np.nan, dtype)
    scores, spreads = np.full((2, 32), np.nan, dtype)
    turned(source, starts, 16, target, tiled(means), tiled(squares), scores, spreads)
    chosen = found[16:24]
    np.testing.assert_array_equal(target[:t, 16:24], chosen.T)
    np.testing.assert_allclose(scores[16:24], chosen @ means, **close(dtype))
    np.testing.assert_allclose(spreads[16:24], chosen**2 @ squares, **close(dtype))
    for array in (target[t], target[:, :16], target[:, 24:], scores[:16], scores[24:], spreads[:16], spreads[24:]):
        assert np.isnan(array).all()


def test_columns_are_summed_again(dtype, t):
    four = (t + 3) // 4 * 4
    block, weights = np.zeros((four, 40), dtype), np.zeros((2, four), dtype)
    rng = np.random.default_rng(5)
    block[:t], weights[:, :t] = rng.normal(size=(t, 40)), rng.normal(size=(2, t))
    scores, spreads = np.full((2, 40), np.nan, dtype)
    scored(block, t, 8, weights[0], weights[1], scores, spreads)
    np.testing.assert_allclose(scores[8:16], weights[0] @ block[:, 8:16], **close(dtype))
    np.testing.assert_allclose(spreads[8:16], weights[1] @ block[:, 8:16] ** 2, **close(dtype))
    assert np.isnan(np.delete([scores, spreads], slice(8, 16), axis=1)).all()


def test_dots_are_added(rows, dtype, t):
    source, starts, found = rows
    weights = np.random.default_rng(2).normal(size=t).astype(dtype)
    target = np.ones(32, dtype)
    dotted(source, starts, 8, tiled(weights), target)
    np.testing.assert_allclose(target[8:16], 1 + found[8:16] @ weights, **close(dtype))
    assert (np.delete(target, slice(8, 16)) == 1).all()


def test_weighted_rows_are_added(rows, dtype, t):
    source, starts, found = rows
    weights = np.random.default_rng(3).normal(size=32).astype(dtype)
    sums = np.ones(width_of(t), dtype)
    added(source, starts, 8, weights, sums)
    expected = 1 + weights[8:16] @ found[8:16]
    np.testing.assert_allclose(sums[np.argsort(tiled(np.arange(1, t + 1)))[-t:]], expected, **close(dtype))


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


def test_four_rows_add_to_the_moments_of_scores_and_to_sums(dtype):
    rng = np.random.default_rng(5)
    block, spread = rng.normal(size=(2, 12, 40)).astype(dtype)
    means, seconds, variances = rng.normal(size=(3, 12)).astype(dtype)
    first, second, weights = rng.normal(size=(3, 40)).astype(dtype)
    before, sums = (first.copy(), second.copy()), np.full(5, np.nan, dtype)
    rows_scored(block, spread, 4, means, seconds, variances, 24, first, second)
    rows_summed(spread[:, 8:], 4, weights, 24, sums)
    part, other = block[4:8].astype(float), spread[4:8].astype(float)
    added = means[4:8] @ part, seconds[4:8] @ other + variances[4:8] @ part**2
    for found, was, more in zip((first, second), before, added, strict=True):
        np.testing.assert_allclose(found[:24], was[:24] + more[:24], **close(dtype))
        np.testing.assert_array_equal(found[24:], was[24:])
    np.testing.assert_allclose(sums[:4], other[:, 8:32] @ weights[:24], **close(dtype))
    assert np.isnan(sums[4])
