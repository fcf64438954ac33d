"""Scores from posterior means and variances, and what the scores are worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Factors:
    """Posterior means and variances of one side, one row an entity; biases for the context side only."""

    mean: np.ndarray
    variance: np.ndarray
    bias_mean: np.ndarray | None = None
    bias_variance: np.ndarray | None = None


def score_matrix(queries: Factors, candidates: Factors) -> np.ndarray:
    """Return the predictive logit of every query with every candidate, mu / sqrt(1 + pi var / 8)."""
    u, var_u = (part.astype(np.float64) for part in (queries.mean, queries.variance))
    v, var_v = (part.astype(np.float64) for part in (candidates.mean, candidates.variance))
    mean = u @ v.T
    variance = (u**2) @ var_v.T + var_u @ (v**2 + var_v).T
    if candidates.bias_mean is not None:
        mean += candidates.bias_mean
    if candidates.bias_variance is not None:
        variance += candidates.bias_variance
    return mean / np.sqrt(1.0 + np.pi * variance / 8.0)


def percentile_ranks(
    scores: np.ndarray, rows: np.ndarray, targets: np.ndarray, known: tuple[np.ndarray, np.ndarray]
) -> np.ndarray:
    """Return the share of candidates that rank above each target: 0 is the top.

    Candidates of a row are all columns but its `known` ones (row ids, column ids); a tie counts half.
    The share is of the candidates other than the target.
    """
    masked = scores.astype(np.float64, copy=True)
    masked[known] = -np.inf
    n_candidates = np.isfinite(masked).sum(axis=1)
    shares = np.empty(len(rows))
    for at, (row, target) in enumerate(zip(rows.tolist(), targets.tolist(), strict=True)):
        own = masked[row, target]
        above = np.count_nonzero(masked[row] > own)
        tied = np.count_nonzero(masked[row] == own) - 1
        shares[at] = (above + tied / 2) / max(n_candidates[row] - 1, 1)
    return shares


def hit_rate_and_mpr(shares: np.ndarray, top: float = 0.1) -> tuple[float, float]:
    """Return HR@10% and MPR, both times 100."""
    if len(shares) == 0:
        return float("nan"), float("nan")
    return 100 * float((shares < top).mean()), 100 * float(1 - shares.mean())
