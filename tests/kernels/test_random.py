"""Random streams by (seed, epoch, stream, row): well mixed, whichever coordinate changes."""

import numba
import numpy as np
import pytest
from scipy import stats

from vbn.kernels.sampling import advanced, alias_table, stream_state, unit


@numba.njit
def first_numbers(seeds, epochs, streams, rows):
    values = np.empty(len(rows))
    for k in range(len(rows)):
        values[k] = unit(advanced(stream_state(seeds[k], epochs[k], streams[k], rows[k])))
    return values


@pytest.mark.parametrize("moving", [0, 1, 2, 3])
def test_neighbouring_streams_are_uniform_and_independent(moving):
    n = 20_000
    coordinates = [np.zeros(n, np.int64) for _ in range(4)]
    coordinates[moving] = np.arange(n)
    values = first_numbers(*coordinates)
    assert stats.kstest(values, "uniform").pvalue > 1e-4
    assert abs(np.corrcoef(values[:-1], values[1:])[0, 1]) < 0.03


def test_coordinates_do_not_stand_in_for_each_other():
    one, two = np.full(1, 1), np.full(1, 2)
    orders = [(one, two, one, one), (two, one, one, one), (one, one, two, one), (one, one, one, two)]
    assert len({float(first_numbers(*order)[0]) for order in orders}) == 4


def test_alias_table_holds_the_distribution():
    weights = np.array([0.1, 5.0, 0.0, 2.0, 1e-9])
    ids = np.array([7, 2, 2_000_000_000, 4, 0], np.int32)
    table = alias_table(weights * (len(ids) / weights.sum()), ids)
    first, second = table[:, 1] & 0xFFFFFFFF, table[:, 1] >> 32
    stay = table[:, 0] * 2.0**-53
    for column, weight in zip(ids, weights, strict=True):
        implied = (stay * (first == column) + (1 - stay) * (second == column)).sum() / len(ids)
        np.testing.assert_allclose(implied, weight / weights.sum(), atol=1e-12)
