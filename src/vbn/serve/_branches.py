"""Which branch of the taxonomy an entity hangs under: a handful of branches, so that each can have its colour."""

from __future__ import annotations

import numpy as np

from vbn.data import Taxonomy
from vbn.model import Trained

_MOST = 12  # with a colour of their own
_SMALLEST = 0.01  # share of the entities below which a branch has no colour of its own


def branches(trained: Trained, ids: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """The branch of each entity, 0 for none and small ones, and the branches' names.

    Branches are those right below the roots, of which the largest is split again and again as long as this leaves
    branches of some size: a taxonomy whose upper levels are a chain tells nothing there. An entity with several
    parents follows the first of the heaviest.
    """
    taxonomy, names = trained.column_taxonomy, trained.columns
    if taxonomy is None:
        return np.zeros(len(ids), dtype=np.int64), ["other"]
    up = _heaviest_parent(taxonomy, len(names))
    levels = _levels(up)
    size = np.zeros(len(names), dtype=np.int64)
    size[ids] = 1
    for level in reversed(levels[1:]):
        np.add.at(size, up[level], size[level])
    chosen = _split(up, size, len(ids))
    number = np.zeros(len(names), dtype=np.int64)
    number[chosen] = np.arange(1, len(chosen) + 1)
    for level in levels[1:]:
        number[level] = np.where(number[level] > 0, number[level], number[up[level]])
    return number[ids], ["other", *(names[node] for node in chosen)]


def _heaviest_parent(taxonomy: Taxonomy, n: int) -> np.ndarray:
    child, parent, weight = taxonomy.edges()
    up = np.full(n, -1, dtype=np.int64)
    order = np.lexsort((-parent, weight))  # the heaviest last, so that it stays
    up[child[order]] = parent[order]
    return up


def _levels(up: np.ndarray) -> list[np.ndarray]:
    """Nodes by how far below a root they are.

    Examples
    --------
    >>> [level.tolist() for level in _levels(np.array([-1, 0, 1, 0]))]
    [[0], [1, 3], [2]]
    """
    depth, here = np.zeros(len(up), dtype=np.int64), up
    while (here >= 0).any():
        depth += here >= 0
        here = np.where(here >= 0, up[np.maximum(here, 0)], -1)
    return [np.flatnonzero(depth == d) for d in range(int(depth.max(initial=0)) + 1)]


def _split(up: np.ndarray, size: np.ndarray, total: int) -> list[int]:
    """Parents, none above another, that most entities hang under: the largest first."""
    inner = np.unique(up[up >= 0])
    below: dict[int, list[int]] = {}
    for node in inner[size[inner] >= max(_SMALLEST * total, 1.0)].tolist():
        below.setdefault(int(up[node]), []).append(node)
    done: list[int] = []
    open_ = sorted(below.pop(-1, []), key=lambda node: -size[node])
    while open_ and len(open_) + len(done) < _MOST:
        node = open_.pop(0)
        parts = below.get(node, [])
        if 2 * size[parts].sum() > size[node]:
            open_ = sorted([*open_, *parts], key=lambda part: -size[part])
        else:
            done.append(node)
    return sorted([*done, *open_], key=lambda node: -size[node])[:_MOST]
