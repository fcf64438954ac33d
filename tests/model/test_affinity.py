"""Weights between columns are the same from an array of all pairs as from those that some row has."""

import numpy as np
import pytest

from vbn.data import Counts
from vbn.engines import ThreadEngine
from vbn.model import Affinity, affinity


@pytest.fixture
def counts():
    rng = np.random.default_rng(3)
    rows = np.repeat(np.arange(400), 12)
    columns = (300 * rng.random(len(rows)) ** 2).astype(np.int64)
    return Counts.from_coo(rows, columns, np.ones(len(rows)), (400, 301))  # nobody has the last column


def test_both_ways_give_the_same_bits_on_any_number_of_threads(counts, monkeypatch):
    found = [Affinity.learned(counts, ThreadEngine(n)) for n in (1, 2)]
    monkeypatch.setattr(affinity, "_DENSE", 0)
    found.append(Affinity.learned(counts, ThreadEngine(2)))
    for other in found[1:]:
        np.testing.assert_array_equal(other.columns, found[0].columns)
        np.testing.assert_array_equal(other.weights, found[0].weights)


def test_pairs_are_counted(counts):
    has = affinity._some(counts, 0)
    together = affinity._all_pairs(has, ThreadEngine(1))
    np.testing.assert_array_equal(together, (has.T @ has).toarray())


def test_weights_are_those_of_a_ridge_regression(counts):
    found = Affinity.learned(counts, ThreadEngine(1))
    has, j = affinity._some(counts, 0).toarray().astype(float), 7
    chosen = found.columns[j][found.columns[j] >= 0]
    x, y = has[:, chosen], has[:, j]
    expected = np.linalg.solve(x.T @ x + affinity._RIDGE * np.eye(len(chosen)), x.T @ y)
    np.testing.assert_allclose(found.weights[j, : len(chosen)], expected, rtol=1e-5)
    assert (found.columns[-1] == -1).all()
