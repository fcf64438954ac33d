"""The closed form of the posterior predictive, Eq. (approximated-posterior-predictive), in numpy.

`vbn.kernels.predictive` compiles the same functions, so the formula is written only here. Numba's cache checks only the
file of the kernel itself: after a change here, touch that file as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def damping(variance: Any) -> Any:
    """Return sqrt(1 + pi var / 8), the factor by which uncertainty shrinks a score."""
    return np.sqrt(1.0 + np.pi / 8.0 * variance)


def logit(mean: Any, variance: Any, base: Any) -> Any:
    """Return the logit of the predictive probability, c + (mu - c) / sqrt(1 + pi var / 8).

    The paper has c = 0: what is unknown has a probability of one half. But with n negatives for each positive, a pair
    of which nothing is known is a positive with probability 1 / (1 + n). Shrinking towards one half would put what is
    unknown before what is known; `base` is the logit that scores shrink towards.
    """
    return base + (mean - base) / damping(variance)
