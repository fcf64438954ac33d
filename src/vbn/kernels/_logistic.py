"""The logistic bound of Jaakkola and Jordan: lambda(xi), and the bound's value at its best xi."""

from __future__ import annotations

import numpy as np

from vbn.kernels._compile import helper


@helper
def curvature(xi):
    """lambda(xi) = tanh(xi / 2) / (4 xi), 1/8 at 0: this form does not cancel in float32."""
    if xi < 1e-4:
        return 0.125 - xi * xi / 96.0
    return np.tanh(0.5 * xi) / (4.0 * xi)


@helper
def log_sigmoid(x):
    """log(1 / (1 + exp(-x))) without overflow."""
    if x >= 0.0:
        return -np.log1p(np.exp(-x))
    return x - np.log1p(np.exp(x))


@helper
def cell_bound(mean, xi, positive, negative):
    """Bounded log-likelihood of a cell at xi^2 = E[x^2], where the quadratic term vanishes."""
    return (positive + negative) * (log_sigmoid(xi) - 0.5 * xi) + 0.5 * (positive - negative) * mean
