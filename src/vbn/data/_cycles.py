"""Which edges to drop from a graph with cycles: each that closes one with edges that came before it.

Edges are put in one by one beside an order of the nodes in which children come before parents (Pearce and Kelly's
way). Only an edge against that order costs a search, and the order to begin with is one that few edges are against.
That is quick for taxonomies, which have a few cycles; a random graph of 40,000 edges is one knot and takes 20 seconds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vbn.data import _dag
from vbn.data._types import BoolArray, IdArray


def closing_edges(child: IdArray, parent: IdArray, rank: IdArray, n: int) -> BoolArray:
    """Return which edges close a cycle with edges of a lower rank.

    Parameters
    ----------
    child, parent
        The two nodes of each edge; no edge comes twice.
    rank
        The place of each edge in the input.
    n
        Number of nodes.
    """
    closing: BoolArray = child == parent
    inside = np.flatnonzero(_within_knots(child, parent, n) & ~closing)
    if len(inside) == 0:
        return closing
    nodes, local = np.unique(np.concatenate([child[inside], parent[inside]]), return_inverse=True)
    children, parents = local.reshape(2, -1)
    graph = _Ordered(_first_order(children, parents, len(nodes)))
    for edge in np.argsort(rank[inside], kind="stable").tolist():
        if not graph.add(int(children[edge]), int(parents[edge])):
            closing[inside[edge]] = True
    return closing


def _within_knots(child: IdArray, parent: IdArray, n: int) -> BoolArray:
    """Return which edges join two nodes that lead to each other: only these can be on a cycle."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(child), dtype=np.int8), (child, parent)), shape=(n, n))
    knot = connected_components(graph, directed=True, connection="strong")[1]
    within: BoolArray = knot[child] == knot[parent]
    return within


def _first_order(child: IdArray, parent: IdArray, n: int) -> IdArray:
    """Return a place for each node such that children precede parents but for the edges back up of a walk down."""
    start, children, order = _dag.by_row(parent, child, n)
    back = np.zeros(len(child), dtype=bool)
    back[order[_dag.edges_back(start, children, np.zeros(0, dtype=np.int64))]] = True
    start, parents, _ = _dag.by_row(child[~back], parent[~back], n)
    place = np.empty(n, dtype=np.int64)
    place[np.argsort(_dag.heights(start, parents)[0], kind="stable")] = np.arange(n)
    return place


class _Ordered:
    """A graph without cycles that grows by edges, and a place for each node: children before parents."""

    def __init__(self, place: IdArray) -> None:
        self._place: list[int] = place.tolist()
        self._parents: list[list[int]] = [[] for _ in self._place]
        self._children: list[list[int]] = [[] for _ in self._place]

    def add(self, child: int, parent: int) -> bool:
        """Add an edge, unless it closes a cycle; return whether it was added."""
        place = self._place
        low, high = place[parent], place[child]
        if low < high:
            above = _reached(parent, self._parents, lambda node: place[node] <= high)
            if child in above:
                return False
            below = _reached(child, self._children, lambda node: place[node] >= low)
            self._move(below, above)
        self._parents[child].append(parent)
        self._children[parent].append(child)
        return True

    def _move(self, below: set[int], above: set[int]) -> None:
        """Share the places of both sets out anew: first to what is below, then to what is above."""
        place = self._place
        nodes = [*sorted(below, key=place.__getitem__), *sorted(above, key=place.__getitem__)]
        for node, free in zip(nodes, sorted(place[node] for node in nodes), strict=True):
            place[node] = free


def _reached(start: int, following: list[list[int]], within: Callable[[int], bool]) -> set[int]:
    met, path = {start}, [start]
    while path:
        for node in following[path.pop()]:
            if node not in met and within(node):
                met.add(node)
                path.append(node)
    return met
