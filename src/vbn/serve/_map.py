"""The map as bytes that a page can draw: a place, an uncertainty, a count and a branch for every entity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vbn.model._trained import Trained
from vbn.serve._branches import branches
from vbn.serve._layout import Layout

FIELDS = (("id", "<u4"), ("x", "<f4"), ("y", "<f4"), ("std", "<f4"), ("count", "<f4"), ("branch", "<u4"))
"""Each a block of as many numbers as there are places, one block after the other."""


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
    }
    return Map(body, about)
