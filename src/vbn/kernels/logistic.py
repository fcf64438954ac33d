"""The logistic bound of Jaakkola and Jordan: lambda(xi), and the value of the bound at its best xi.

Both use only sums and products, without branches or calls, so loops over cells become vector code.
"""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import helper

_STEP, _HALF, _SIXTH = 1.0 / 1024.0, 1.0 / 2.0, 1.0 / 6.0
_FAR = 40.0  # 1 + exp(-40) is 1 in float64
_NEAR = 0.02


@helper
def _decay(x):
    """Return exp(-x) for x >= 0 to a relative 1e-11: exp(-x / 1024) by its series, squared ten times; clipped at 40."""
    y = (_FAR if x > _FAR else x) * -_STEP
    e = 1.0 + y * (1.0 + y * (_HALF + y * (_SIXTH + y * (_SIXTH / 4.0 + y * (_SIXTH / 20.0 + y * (_SIXTH / 120.0))))))
    for _ in range(10):
        e *= e
    return e


@helper
def curvature(xi):
    """Return lambda(xi) = tanh(xi / 2) / (4 xi), 1/8 at 0, for xi >= 0, always in float64."""
    x = np.float64(xi)
    e, square = _decay(x), x * x
    near = 0.125 - square * (1.0 / 96.0 - square * (1.0 / 960.0))
    far = (1.0 - e) / (4.0 * x * (1.0 + e))
    return near if x < _NEAR else far


@helper
def linearise(second, positive, negative):
    """Return slope L = 2 lambda(xi) (w+ + w-) and pull g = (w+ - w-) / 2 of a cell at its best xi, xi^2 = E[x^2]."""
    return 2.0 * curvature(np.sqrt(second)) * (positive + negative), 0.5 * (positive - negative)


@helper
def log_sigmoid(x):
    """Return log(1 / (1 + exp(-x))): for x >= 0, -log(1 + e) = -2 artanh(e / (2 + e)) with e = exp(-x)."""
    e = _decay(abs(np.float64(x)))
    z = e / (2.0 + e)
    s = z * z
    series = 1.0 / 21.0 + s * (1.0 / 23.0 + s * (1.0 / 25.0 + s / 27.0))
    series = 1.0 / 13.0 + s * (1.0 / 15.0 + s * (1.0 / 17.0 + s * (1.0 / 19.0 + s * series)))
    series = 1.0 / 5.0 + s * (1.0 / 7.0 + s * (1.0 / 9.0 + s * (1.0 / 11.0 + s * series)))
    return min(x, 0.0) - 2.0 * z * (1.0 + s * (1.0 / 3.0 + s * series))


@helper
def cell_bound(mean, xi, positive, negative):
    """Return the bounded log-likelihood of a cell at xi^2 = E[x^2], where the quadratic term vanishes."""
    return (positive + negative) * (log_sigmoid(xi) - 0.5 * xi) + 0.5 * (positive - negative) * mean
