"""The map as bytes that a page can draw: a place, an uncertainty, a count and a branch for every entity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vbn.model import Trained
from vbn.serve._branches import branches
from vbn.serve._layout import Layout

FIELDS = (("id", "<u4"), ("x", "<f4"), ("y", "<f4"), ("std", "<f4"), ("count", "<f4"), ("branch", "<u4"))
"""Each a block of as many numbers as there are places, one block after the other."""

_RARE = 0.25  # share of the entities that is called rare


@dataclass(frozen=True)
class Map:
    """What a page fetches: the numbers, and what they are."""

    body: bytes
    about: dict[str, Any]


def drawn(trained: Trained, layout: Layout, final: bool) -> Map:
    """The map of a layout; `final` says whether a better layout is still being computed."""
    part = trained.posterior.u if trained.shared else trained.posterior.v
    names, ids = trained.columns, layout.ids
    branch, titles = branches(trained, ids)
    blocks = (
        ids, layout.places[:, 0], layout.places[:, 1], np.sqrt(part.variance[ids].astype(np.float64).mean(axis=1)),
        names.counts[ids], branch,
    )  # fmt: skip
    body = b"".join(np.asarray(block).astype(kind).tobytes() for block, (_, kind) in zip(blocks, FIELDS, strict=True))
    about = {
        "places": len(ids),
        "fields": [{"name": name, "type": kind} for name, kind in FIELDS],
        "branches": titles,
        "method": layout.method,
        "final": final,
        "rare": rarely(names.counts[ids].astype(np.float32)),
    }
    return Map(body, about)


def rarely(counts: np.ndarray) -> float:
    """How often a rare entity was seen at most: as the last of the rarest quarter, but less than the most frequent.

    Examples
    --------
    >>> rarely(np.array([1, 1, 2, 3, 50, 700, 8, 9])), rarely(np.array([4, 4, 4])), rarely(np.array([1, 1, 1, 2]))
    (1.0, 0.0, 1.0)
    """
    fewer = counts[counts < counts.max(initial=0)]
    if not len(fewer):
        return 0.0
    last = np.sort(counts)[max(int(_RARE * len(counts)) - 1, 0)]
    return float(min(last, fewer.max()))
