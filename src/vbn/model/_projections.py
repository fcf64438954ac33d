"""Moments of the projections a = X u and c = Y v of the entities that occur in a relation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vbn.model._posterior import Factors, Gaussians


def project(part: Gaussians, factors: Factors, start: int, stop: int, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """E[a_m] as (n, rank) and E[a_m a_n] as (n, rank, rank) of entities, m in start..stop-1."""
    from vbn.kernels.relations import project as kernel

    rank = stop - start
    first, second = np.empty((len(ids), rank)), np.empty((len(ids), rank, rank))
    kernel(ids, part.densities, factors.densities, start, stop, first, second)
    return first, second


def project_all(
    part: Gaussians, factors: Factors, offsets: np.ndarray, ids: Sequence[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """The same for all relations, one below the other, in arrays as wide as the largest rank."""
    widest = int(np.diff(offsets).max(initial=0))
    total = sum(len(each) for each in ids)
    first, second = np.zeros((total, widest)), np.zeros((total, widest, widest))
    at = 0
    for k, each in enumerate(ids):
        rank = int(offsets[k + 1] - offsets[k])
        rows = slice(at, at + len(each))
        first[rows, :rank], second[rows, :rank, :rank] = project(
            part, factors, int(offsets[k]), int(offsets[k + 1]), each
        )
        at += len(each)
    return first, second
