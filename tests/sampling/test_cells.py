"""Cells on their way from rows to columns: nothing is lost, and files hold the same as memory."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vbn._errors import StorageError
from vbn.data import ranges_by_load
from vbn.kernels import CellArrays
from vbn.sampling import WIDEST, Cells, ColumnBlocks, Segments, packed

FLOAT = np.dtype(np.float32)


def random_cells(seed, n_rows=17, n_columns=23, share=0.3, largest=0, dtype=FLOAT):
    """A matrix of cells, some of them positive and negative at once; whole negatives up to `largest`, or fractions."""
    rng = np.random.default_rng(seed)
    there = rng.random((n_rows, n_columns)) < share
    positive = np.where(rng.random(there.shape) < 0.6, rng.integers(1, 9, there.shape), 0) * there
    weights = rng.integers(1, largest, there.shape, endpoint=True) if largest else rng.random(there.shape)
    negative = np.where((positive == 0) | (rng.random(there.shape) < 0.3), weights, 0) * there
    rows, columns = np.nonzero(there)
    indptr = np.concatenate(([0], np.cumsum(there.sum(axis=1))))
    weights = (matrix[rows, columns].astype(dtype) for matrix in (positive, negative))
    return Cells(indptr, columns.astype(np.int32), *weights, n_columns=n_columns)


def parts_of(cells, cuts):
    """The cells in parts that each begin at 0, as they are drawn."""
    edges = [0, *sorted(cuts), cells.n_rows]
    for first, last in itertools.pairwise(edges):
        span = slice(cells.indptr[first], cells.indptr[last])
        indptr = cells.indptr[first : last + 1] - cells.indptr[first]
        yield CellArrays(indptr, cells.indices[span], cells.positive[span], cells.negative[span], first)


@given(
    st.integers(0, 1000),
    st.lists(st.integers(0, 17), max_size=4),
    st.sampled_from([1.0, 10.0, 1000.0]),
    st.sampled_from([0, 9, 127, 1000]),
    st.sampled_from([np.dtype(np.float32), np.dtype(np.float64)]),
    st.booleans(),
)
def test_blocks_hold_the_cells_of_their_columns_with_rising_rows(seed, cuts, cells_per_block, largest, dtype, distinct):
    cells = random_cells(seed, largest=largest, dtype=dtype)
    blocks = ColumnBlocks.of(np.bincount(cells.indices, minlength=cells.n_columns).astype(float), cells_per_block)
    segments = Segments(blocks, dtype)
    for part in parts_of(cells, cuts):
        segments.add([packed(part, blocks, distinct)])
    turned = Cells.joined([segments.cells(*block) for block in blocks.ranges], cells.n_rows, dtype)
    order = np.lexsort((cells.rows(), cells.indices))
    np.testing.assert_array_equal(turned.rows(), cells.indices[order])
    np.testing.assert_array_equal(turned.indices, cells.rows()[order])
    np.testing.assert_array_equal(turned.positive, cells.positive[order])
    np.testing.assert_array_equal(turned.negative, cells.negative[order])


@pytest.mark.parametrize("largest", [0, 9])
def test_ranges_and_blocks_of_the_greatest_width_keep_rows_and_columns_apart(largest, monkeypatch):
    monkeypatch.setattr("vbn.sampling.cells._NARROW", WIDEST)
    rows, columns = np.array([0, 0, WIDEST - 1, WIDEST - 1, WIDEST]), np.array([0, WIDEST - 1, 0, WIDEST - 1, 7])
    weights = np.arange(1, 6, dtype=np.float32) if largest else np.linspace(0.1, 0.5, 5, dtype=np.float32)
    indptr = np.searchsorted(rows, np.arange(WIDEST + 2))
    cells = Cells(indptr, columns.astype(np.int32), weights, np.zeros(5, np.float32), n_columns=WIDEST)
    order, turned = np.lexsort((rows, columns)), cells.transposed
    np.testing.assert_array_equal(turned.indices, rows[order])
    np.testing.assert_array_equal(turned.rows(), columns[order])
    np.testing.assert_array_equal(turned.positive, weights[order])


def test_entries_take_two_bytes_where_pairs_are_distinct_and_weights_small():
    cells, heavy = (random_cells(3, largest=1, share=0.5), random_cells(3, largest=100, share=0.5))
    light = replace(cells, positive=np.minimum(cells.positive, 1.0))
    blocks = ColumnBlocks.of(np.ones(cells.n_columns), 5.0)
    entries = np.count_nonzero(light.positive) + np.count_nonzero(light.negative)

    def size(given, distinct):
        return packed(next(parts_of(given, [])), blocks, distinct).halves.nbytes

    assert 2 * entries <= size(light, True) < 2 * entries + 8
    assert 4 * entries <= size(light, False) < 4 * entries + 8
    assert size(heavy, True) == size(heavy, False)  # a hundred entries for one would take more


def test_two_cells_of_one_pair_stay_apart():
    part = CellArrays(np.array([0, 3]), np.zeros(3, np.int32), np.float32([1, 0, 0]), np.float32([1, 1, 1]), 0)
    blocks = ColumnBlocks.of(np.ones(1), 5.0)
    segments = Segments(blocks, FLOAT)
    segments.add([packed(part, blocks)])
    turned = segments.cells(0, 1)
    assert turned.indices.tolist() == [0, 0, 0]
    assert (turned.positive.tolist(), turned.negative.tolist()) == ([1, 0, 0], [1, 1, 1])


def test_blocks_without_any_cell_are_empty():
    blocks = ColumnBlocks.of(np.ones(5), 2.0)
    assert [len(Segments(blocks, FLOAT).cells(*block).indices) for block in blocks.ranges] == [0] * len(blocks)


def test_files_hold_the_same_as_memory_and_go_afterwards(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    cells = random_cells(1)
    blocks = ColumnBlocks.of(np.ones(cells.n_columns), 5.0)
    held, written = Segments(blocks, FLOAT), Segments(blocks, FLOAT, on_disk=True)
    for part in parts_of(cells, [4, 11]):
        held.add([packed(part, blocks)])
        written.add([packed(part, blocks)])
    assert any(tmp_path.rglob("*.cells"))
    for block in blocks.ranges:
        for ours, theirs in zip(held.cells(*block), written.cells(*block), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    written.close()
    assert not list(tmp_path.iterdir())


def test_a_full_disk_says_where_and_what_to_do(monkeypatch):
    class Full(np.ndarray):
        def tofile(self, _):
            raise OSError(28, "No space left on device")

    cells = random_cells(2)
    blocks = ColumnBlocks.of(np.ones(cells.n_columns), 5.0)
    segments = Segments(blocks, FLOAT, on_disk=True)
    parts = [packed(part, blocks)._replace(halves=np.ones(9, np.uint16).view(Full)) for part in parts_of(cells, [])]
    joined = np.concatenate
    monkeypatch.setattr("vbn.sampling.cells.np.concatenate", lambda *given: joined(*given).view(Full))
    with pytest.raises(StorageError, match=r"no room.*No space left.*TMPDIR"):
        segments.add(parts)
    segments.close()


@given(st.lists(st.floats(0, 100), max_size=50), st.floats(0.1, 200), st.none() | st.integers(1, 10))
def test_ranges_cover_all_rows_once(load, most, widest):
    ranges = ranges_by_load(np.array(load), most, widest)
    assert [row for first, last in ranges for row in range(first, last)] == list(range(len(load)))
    assert all(last > first for first, last in ranges)
    if widest is not None:
        assert all(last - first <= widest for first, last in ranges)
