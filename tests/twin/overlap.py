"""The overlap of two densities by plain integration: the slow twin of `vbn.serve.comparing.overlap`."""

from __future__ import annotations

import numpy as np


def overlap_by_dimension(mean, variance, other_mean, other_variance) -> float:
    """Return the geometric mean over dimensions of the integral of sqrt(p q), each on a grid."""
    logs = []
    for m, v, n, w in zip(mean, variance, other_mean, other_variance, strict=True):
        reach = 12.0 * np.sqrt(max(v, w))
        x = np.linspace(min(m, n) - reach, max(m, n) + reach, 200_001)
        p = np.exp(-0.5 * (x - m) ** 2 / v) / np.sqrt(2.0 * np.pi * v)
        q = np.exp(-0.5 * (x - n) ** 2 / w) / np.sqrt(2.0 * np.pi * w)
        logs.append(np.log(np.trapezoid(np.sqrt(p * q), x)))
    return float(np.exp(np.mean(logs)))
