"""The map as bytes that a page can draw: a place, an uncertainty, a count and a branch for every entity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vbn.model._trained import Trained
from vbn.serve._layout import Layout

_BRANCHES = 12  # with a colour of their own
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


def branches(trained: Trained, ids: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """The branch of the taxonomy that each entity hangs under, 0 for none and small ones, and the branches' names.

    A branch is a child of a root, or a root where there are several. An entity with several parents follows the first
    of the heaviest.
    """
    taxonomy, names = trained.column_taxonomy, trained.columns
    if taxonomy is None:
        return np.zeros(len(ids), dtype=np.int64), ["other"]
    child, parent, weight = taxonomy.edges()
    up = np.full(len(names), -1, dtype=np.int64)
    order = np.lexsort((parent, weight))  # the heaviest last, so that it stays
    up[child[order]] = parent[order]
    top = _tops(up, len(set(taxonomy.roots.tolist())) == 1)
    own = top[ids]
    found, sizes = np.unique(own[own >= 0], return_counts=True)
    chosen = found[np.argsort(-sizes, kind="stable")[:_BRANCHES]]
    number = np.zeros(len(names) + 1, dtype=np.int64)
    number[chosen] = np.arange(1, len(chosen) + 1)
    return np.where(own >= 0, number[own], 0), ["other", *(names[int(node)] for node in chosen)]


def _tops(up: np.ndarray, single_root: bool) -> np.ndarray:
    """The highest node above each entity, or the highest but one where there is one root; -1 for what has no parent."""
    top = np.where(up >= 0, np.arange(len(up)), -1)
    below = top.copy()
    here = np.where(up >= 0, up, -1)
    while (here >= 0).any():
        going = here >= 0
        below[going] = top[going]
        top[going] = here[going]
        here = np.where(going, up[np.maximum(here, 0)], -1)
    return below if single_root else top
