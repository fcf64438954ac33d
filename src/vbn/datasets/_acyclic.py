"""Weighted edges made acyclic: within a cycle the edge that matters least to its child goes first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from vbn.datasets._interactions import Edge


def break_cycles(edges: Iterable[Edge]) -> tuple[list[Edge], list[Edge]]:
    """Split edges into those that are kept and those dropped, both sorted.

    The answer does not depend on the order in which the edges come. Where edges form cycles, they are added again
    by falling share of their child's weight (ties by name), and one that would close a cycle is dropped.

    Examples
    --------
    >>> break_cycles([("a", "b", 1.0), ("b", "a", 1.0), ("b", "c", 3.0)])
    ([('a', 'b', 1.0), ('b', 'c', 3.0)], [('b', 'a', 1.0)])
    """
    every = sorted(edges)
    component = _components(every)
    inside = [edge for edge in every if component[edge[0]] == component[edge[1]]]
    dropped = set(_closing(inside, every)) if inside else set[Edge]()
    return [edge for edge in every if edge not in dropped], sorted(dropped)


def _components(edges: list[Edge]) -> dict[str, int]:
    """Number the strongly connected parts: edges within one of them are those on cycles."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    ids: dict[str, int] = {}
    child = [ids.setdefault(edge[0], len(ids)) for edge in edges]
    parent = [ids.setdefault(edge[1], len(ids)) for edge in edges]
    shape = (len(ids), len(ids))
    graph = csr_matrix((np.ones(len(edges), dtype=np.int8), (child, parent)), shape=shape)
    _, labels = connected_components(graph, directed=True, connection="strong")
    return dict(zip(ids, labels.tolist(), strict=True))


def _closing(inside: list[Edge], every: list[Edge]) -> list[Edge]:
    total: dict[str, float] = defaultdict(float)
    for child, _, weight in every:
        total[child] += weight
    above: dict[str, list[str]] = defaultdict(list)
    closing = []
    for edge in sorted(inside, key=lambda edge: (-edge[2] / total[edge[0]], edge)):
        child, parent, _ = edge
        if child == parent or _reaches(above, parent, child):
            closing.append(edge)
        else:
            above[child].append(parent)
    return closing


def _reaches(above: dict[str, list[str]], start: str, goal: str) -> bool:
    waiting, seen = [start], {start}
    while waiting:
        for parent in above.get(waiting.pop(), ()):
            if parent == goal:
                return True
            if parent not in seen:
                seen.add(parent)
                waiting.append(parent)
    return False
