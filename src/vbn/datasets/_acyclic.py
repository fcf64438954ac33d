"""Weighted edges made acyclic: within a cycle the edge that matters least to its child goes first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from vbn.data import closing_edges
from vbn.datasets._interactions import Edge


def break_cycles(edges: Iterable[Edge]) -> tuple[list[Edge], list[Edge]]:
    """Split edges into those that are kept and those dropped, both sorted.

    The answer does not depend on the order in which the edges come: they are added by falling share of their child's
    weight (ties by name), and one that would close a cycle is dropped.

    Examples
    --------
    >>> break_cycles([("a", "b", 1.0), ("b", "a", 1.0), ("b", "c", 3.0)])
    ([('a', 'b', 1.0), ('b', 'c', 3.0)], [('b', 'a', 1.0)])
    """
    every = sorted(edges)
    ids: dict[str, int] = {}
    child = np.array([ids.setdefault(edge[0], len(ids)) for edge in every], dtype=np.int64)
    parent = np.array([ids.setdefault(edge[1], len(ids)) for edge in every], dtype=np.int64)
    closing = closing_edges(child, parent, _ranks(every), len(ids)).tolist()
    kept = [edge for edge, gone in zip(every, closing, strict=True) if not gone]
    return kept, [edge for edge, gone in zip(every, closing, strict=True) if gone]


def _ranks(edges: list[Edge]) -> np.ndarray:
    """The place of each edge by falling share of its child's weight."""
    total: dict[str, float] = defaultdict(float)
    for child, _, weight in edges:
        total[child] += weight
    order = sorted(range(len(edges)), key=lambda at: (-edges[at][2] / total[edges[at][0]], edges[at]))
    ranks = np.empty(len(edges), dtype=np.int64)
    ranks[order] = np.arange(len(edges))
    return ranks
