"""The closed form of the posterior predictive, Eq. (approximated-posterior-predictive), in numpy.

`vbn.kernels.predictive` compiles `damping` too, so the formula is written only here. Numba's cache checks only the file
of the kernel itself: after a change here, touch that file as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def damping(variance: Any) -> Any:
    """Return sqrt(1 + pi var / 8), the factor by which uncertainty shrinks a score."""
    return np.sqrt(1.0 + np.pi / 8.0 * variance)


def logit(mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """Return the logit of the predictive probability, mu / sqrt(1 + pi var / 8), which ranks candidates."""
    return np.asarray(mean / damping(variance))
