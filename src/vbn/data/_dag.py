"""Directed graphs as plain arrays: heights, one cycle, and the edges back of a walk.

All functions take the children of each node in compressed rows (`indptr`, `indices`), run in time
linear in the edges and never recurse, so a taxonomy may be a million levels deep.
"""

from __future__ import annotations

import numpy as np

from vbn.data._types import IdArray, IndexArray


def by_row(rows: IdArray, columns: IdArray, n: int) -> tuple[IdArray, IdArray, IdArray]:
    """Sort edges by row, then column; return (indptr, columns, order)."""
    order = np.lexsort((columns, rows))
    indptr = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=n), out=indptr[1:])
    return indptr, columns[order], order


def heights(parent_ptr: IdArray, parents: IndexArray) -> tuple[IdArray, IdArray]:
    """Return the height of each node, and the nodes that could not be reached because of a cycle.

    A node without children has height 0, any other one more than its highest child. Nodes on a
    cycle, and those above one, never have all their children settled: they are left over.
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


def edges_back(child_ptr: IdArray, children: IndexArray, tops: IdArray) -> IdArray:
    """Return the positions of the edges (into `children`) that lead back up to an ancestor.

    A depth-first walk down from `tops`, then from any node not yet met, both by rising id: what it
    meets again on its own path closes a cycle. Without those edges no cycle is left.
    """
    n = len(child_ptr) - 1
    start, target = child_ptr.tolist(), children.tolist()
    new, open_, done = 0, 1, 2
    state = [new] * n
    closing: list[int] = []
    following = start[:n]
    for top in [*tops.tolist(), *range(n)]:
        path = [top] if state[top] == new else []
        while path:
            node = path[-1]
            state[node] = open_
            edge = following[node]
            if edge == start[node + 1]:
                state[node] = done
                path.pop()
                continue
            following[node] = edge + 1
            if state[target[edge]] == open_:
                closing.append(edge)
            elif state[target[edge]] == new:
                path.append(target[edge])
    return np.asarray(closing, dtype=np.int64)
