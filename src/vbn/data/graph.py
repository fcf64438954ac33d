"""Directed graphs as plain arrays: heights, one cycle, and the edges to drop to break all cycles.

Functions take the parents of each node, or its children, in compressed rows, and never recurse: a taxonomy may be a
million levels deep.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vbn.data.counts import BoolArray, IdArray, IndexArray, starts_of


def by_row(rows: IdArray, columns: IdArray, n: int) -> tuple[IdArray, IdArray, IdArray]:
    """Sort edges by row, then column; return (indptr, columns, order)."""
    order = np.lexsort((columns, rows))
    return starts_of(rows, n), columns[order], order


def heights(parent_ptr: IdArray, parents: IndexArray) -> tuple[IdArray, IdArray]:
    """Return the height of each node, and the nodes that have none because of a cycle.

    A node without children has height 0, any other one more than its highest child. Nodes on a cycle, and those above
    one, never have all their children settled: they are left over.
    """
    n = len(parent_ptr) - 1
    waiting = np.bincount(parents, minlength=n).tolist()
    height = [0] * n
    start, target = parent_ptr.tolist(), parents.tolist()
    settled = [node for node in range(n) if waiting[node] == 0]
    for node in settled:  # grows as it is walked
        above = height[node] + 1
        for parent in target[start[node] : start[node + 1]]:
            if above > height[parent]:
                height[parent] = above
            waiting[parent] -= 1
            if waiting[parent] == 0:
                settled.append(parent)
    left_over = np.flatnonzero(np.asarray(waiting, dtype=np.int64))
    return np.asarray(height, dtype=np.int64), left_over


def one_cycle(parent_ptr: IdArray, parents: IndexArray, left_over: IdArray) -> list[int]:
    """Return the nodes of one cycle, each a child of the next, the first one not repeated."""
    n = len(parent_ptr) - 1
    children = np.repeat(np.arange(n, dtype=np.int64), np.diff(parent_ptr))
    inside = np.zeros(n, dtype=bool)
    inside[left_over] = True
    a_child = np.full(n, -1, dtype=np.int64)  # every node left over has a child that is left over too
    kept = inside[children]
    a_child[parents[kept][::-1]] = children[kept][::-1]
    node, seen, path = int(left_over[0]), dict[int, int](), list[int]()
    while node not in seen:
        seen[node] = len(path)
        path.append(node)
        node = int(a_child[node])
    cycle = path[seen[node] :][::-1]
    first = cycle.index(min(cycle))
    return cycle[first:] + cycle[:first]


def closing_edges(child: IdArray, parent: IdArray, rank: IdArray, n: int) -> BoolArray:
    """Return which edges close a cycle with edges of a lower rank, and so are to be dropped.

    Edges are added one by one, beside an order of the nodes in which children come before parents (Pearce and Kelly).
    Only an edge against that order costs a search, and the initial order is one that few edges are against. That is
    quick for taxonomies, which have few cycles; a random graph of 40,000 edges is one knot and takes 20 seconds. No
    edge may be there twice; `n` is the number of nodes.
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
    """Return which edges join two nodes that lead to each other; only these can be on a cycle."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(child), dtype=np.int8), (child, parent)), shape=(n, n))
    knot = connected_components(graph, directed=True, connection="strong")[1]
    return np.asarray(knot[child] == knot[parent])


def _first_order(child: IdArray, parent: IdArray, n: int) -> IdArray:
    """Return a place for each node: children precede parents, except along edges that lead back up.

    Walk down depth first from every node not yet met; a node is placed once all below it are.
    """
    start, children = (array.tolist() for array in by_row(parent, child, n)[:2])
    place, met, following, placed = np.empty(n, dtype=np.int64), [False] * n, start[:n], 0
    for top in range(n):
        path = [] if met[top] else [top]
        while path:
            node = path[-1]
            met[node] = True
            if following[node] == start[node + 1]:
                place[path.pop()], placed = placed, placed + 1
                continue
            below = children[following[node]]
            following[node] += 1
            if not met[below]:
                path.append(below)
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
            nodes = [*sorted(below, key=place.__getitem__), *sorted(above, key=place.__getitem__)]
            for node, free in zip(nodes, sorted(place[node] for node in nodes), strict=True):
                place[node] = free
        self._parents[child].append(parent)
        self._children[parent].append(child)
        return True


def _reached(start: int, following: list[list[int]], within: Callable[[int], bool]) -> set[int]:
    met, path = {start}, [start]
    while path:
        for node in following[path.pop()]:
            if node not in met and within(node):
                met.add(node)
                path.append(node)
    return met
