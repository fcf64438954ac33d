"""The closed form of the posterior predictive, Eq. (approximated-posterior-predictive), in numpy.

`vbn.kernels.predictive` compiles `damping` too, so no other place has the formula. Numba's cache looks only at the
file of the kernel itself: after a change here, change or touch that file as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def damping(variance: Any) -> Any:
    """Return sqrt(1 + pi var / 8): what the uncertainty of a score divides it by."""
    return np.sqrt(1.0 + np.pi / 8.0 * variance)


def logit(mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """Return the logit of the predictive probability, mu / sqrt(1 + pi var / 8): what ranks candidates."""
    return np.asarray(mean / damping(variance))
