"""Figures of ranks: HR@10%, MPR, HR@10 and NDCG@10, all times 100, of all cases or of a slice of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def hit_in_tenth(above: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Whether fewer than a tenth of the other candidates rank above."""
    return np.asarray(above < 0.1 * others, dtype=np.float64)


def percentile(above: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Share of the other candidates that do not rank above."""
    return np.asarray(1.0 - above / np.maximum(others, 1.0))


def hit_in_ten(above: np.ndarray, others: np.ndarray) -> np.ndarray:  # noqa: ARG001 - all figures are called alike
    """Whether it is among the first ten."""
    return np.asarray(above < 10, dtype=np.float64)


def gain_in_ten(above: np.ndarray, others: np.ndarray) -> np.ndarray:  # noqa: ARG001
    """1 / log2(2 + rank) within the first ten: NDCG@10 of a list that has one right answer."""
    return np.asarray(np.where(above < 10, 1.0 / np.log2(2.0 + above), 0.0))


FIGURES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "HR@10%": hit_in_tenth,
    "MPR": percentile,
    "HR@10": hit_in_ten,
    "NDCG@10": gain_in_ten,
}
"""What one case contributes to each figure."""

MAIN = ("HR@10%", "MPR")
"""The paper's."""


def contributions(name: str, above: np.ndarray, others: np.ndarray) -> np.ndarray:
    """What each case contributes to a figure, times 100.

    Examples
    --------
    >>> contributions("MPR", np.array([0.0, 50.0]), np.array([100.0, 100.0])).tolist()
    [100.0, 50.0]
    """
    return 100.0 * FIGURES[name](above, others)
