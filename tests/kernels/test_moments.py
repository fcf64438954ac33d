"""The logistic bound: holds everywhere, is tight where it should be, and its curvature is right in both types."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vbn.kernels.moments import cell_bound, curvature, log_sigmoid

REAL = st.floats(-700, 700)
SIZE = st.floats(0, 700)


def bound(x, xi):
    return log_sigmoid(xi) + (x - xi) / 2 - curvature(xi) * (x * x - xi * xi)


@given(REAL, SIZE)
def test_bound_holds(x, xi):
    exact = -np.logaddexp(0.0, -x)
    assert bound(x, xi) <= exact + 1e-9 * (1 + x * x)


@given(SIZE, st.sampled_from([1, -1]))
def test_bound_is_tight_at_plus_and_minus_xi(xi, sign):
    exact = -np.logaddexp(0.0, -sign * xi)
    assert bound(sign * xi, xi) == pytest.approx(exact, abs=1e-9, rel=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("xi", [0.0, 1e-30, 1e-8, 1e-4, 9.9e-4, 1e-3, 1.1e-3, 0.1, 1.0, 10.0, 88.0, 700.0, 1e30])
def test_curvature_is_right_from_zero_to_huge(xi, dtype):
    x = np.longdouble(dtype(xi))
    exact = np.tanh(x / 2) / (4 * x) if x > 0 else np.longdouble(0.125)
    assert float(curvature(dtype(xi))) == pytest.approx(float(exact), rel=1e-9)


@given(REAL, st.floats(0, 50), st.floats(0, 50), st.floats(0, 100))
def test_cell_bound_is_the_expected_bound_at_the_best_xi(mean, positive, negative, variance):
    xi = np.sqrt(mean * mean + variance)
    expected = positive * bound_in_expectation(mean, xi) + negative * bound_in_expectation(-mean, xi)
    assert cell_bound(mean, xi, positive, negative) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def bound_in_expectation(mean, xi):
    """E of the bound where E[x^2] = xi^2: the quadratic term vanishes."""
    return log_sigmoid(xi) + (mean - xi) / 2
