"""Weights between columns: ridge regression as numpy solves it, on the columns that tell most."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from vbn.kernels.affinity import column_weights

RIDGE = 3.0


def matrices(seed, rows, columns, density):
    """Who has what, as 0 and 1, and how many have two columns at once."""
    has = (np.random.default_rng(seed).random((rows, columns)) < density).astype(np.float64)
    return has, has.T @ has


def weights(together, most, ranges=None):
    sparse = csr_array(together)
    sparse.sort_indices()
    n = len(together)
    found = np.full((n, most), 99, np.int32), np.full((n, most), 99.0, np.float32)
    arrays = sparse.indptr.astype(np.int64), sparse.indices, sparse.data.astype(np.float32), together.diagonal().copy()
    for first, last in ranges or [(0, n)]:
        column_weights(first, last, *arrays, RIDGE, *found)
    return found


def told(together, j):
    """How much each column tells of column j, by itself."""
    worth = together[j] ** 2 / (together.diagonal() + RIDGE)
    worth[j] = 0.0
    return worth


@given(seed=st.integers(0, 10_000), columns=st.integers(2, 30), density=st.sampled_from([0.05, 0.3, 0.9]))
def test_with_all_columns_it_is_ridge_regression(seed, columns, density):
    has, together = matrices(seed, 40, columns, density)
    places, found = weights(together, columns - 1)
    for j in range(columns):
        others = np.flatnonzero(told(together, j))
        system = together[np.ix_(others, others)] + RIDGE * np.eye(len(others))
        expected = np.linalg.solve(system, together[others, j])
        assert places[j][: len(others)].tolist() == others.tolist()
        assert (places[j][len(others) :] == -1).all()
        assert (found[j][len(others) :] == 0).all()
        np.testing.assert_allclose(found[j][: len(others)], expected, rtol=1e-4, atol=1e-6)
        residual = has[:, j] - has[:, others] @ found[j][: len(others)]
        np.testing.assert_allclose(has[:, others].T @ residual, RIDGE * found[j][: len(others)], atol=1e-3)


@given(seed=st.integers(0, 10_000), most=st.integers(1, 12), rows=st.sampled_from([30, 400]))
def test_with_few_it_takes_those_that_tell_most(seed, most, rows):
    _, together = matrices(seed, rows, 60, 0.2)
    places, found = weights(together, most)
    for j in range(60):
        chosen, worth = places[j][places[j] >= 0], told(together, j)
        assert len(chosen) == min(most, int((worth > 0).sum()))
        assert (np.diff(chosen) > 0).all()
        assert j not in chosen
        if len(chosen):
            assert worth[chosen].min() >= np.sort(worth)[-len(chosen)] - 1e-9
        system = together[np.ix_(chosen, chosen)] + RIDGE * np.eye(len(chosen))
        expected = np.linalg.solve(system, together[chosen, j])
        np.testing.assert_allclose(found[j][: len(chosen)], expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("size", [1, 7, 25])
def test_the_division_into_tasks_does_not_matter(size):
    _, together = matrices(5, 200, 50, 0.3)
    whole = weights(together, 9)
    parts = weights(together, 9, [(first, min(first + size, 50)) for first in range(0, 50, size)])
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one, other)
