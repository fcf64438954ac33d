"""A taxonomy as kernels read it: variables, their parents and children, and which of them can be updated together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vbn.data import Taxonomy

_BORROWED = 3.0  # children: how much the level above weighs in what is pooled over the children of a category


@dataclass(frozen=True)
class Graph:
    """The structure of a side, which is fixed during a fit.

    A node with children has a category variable; categories are numbered by their position in `category_nodes`.
    Variables without data below them are not active: they take no part in the fit or the bound.
    """

    entity_active: np.ndarray
    category_active: np.ndarray
    category_nodes: np.ndarray
    category_of: np.ndarray
    parent_indptr: np.ndarray
    parents: np.ndarray
    parent_weights: np.ndarray
    child_indptr: np.ndarray
    child_nodes: np.ndarray
    child_weights: np.ndarray
    heights: np.ndarray

    @property
    def n_entities(self) -> int:
        """Return the number of nodes."""
        return len(self.entity_active)

    @property
    def n_categories(self) -> int:
        """Return the number of nodes that have children."""
        return len(self.category_nodes)

    @property
    def active_category_of(self) -> np.ndarray:
        """Return the category number of each node, or -1 if it has no active category."""
        known = self.category_of >= 0
        result = np.full(self.n_entities, -1, dtype=np.int32)
        result[known] = np.where(self.category_active[self.category_of[known]], self.category_of[known], -1)
        return result

    def of_siblings(
        self,
        rows: np.ndarray,
        values: np.ndarray,
        known: np.ndarray,
        overall: float,
        shares: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return the mean of a value over the known children of each row's parents; `overall` for rows without parents.

        A parent with few known children borrows from its own parents, and those at the top from all entities. `shares`
        says how much of each child belongs to the parent, in the order of `child_nodes`; 1 by default.
        """
        owner = np.repeat(np.arange(self.n_categories), np.diff(self.child_indptr))
        counted = known[self.child_nodes] if shares is None else known[self.child_nodes] * shares
        weighed = np.where(counted, values[self.child_nodes], 0.0) * counted
        total = np.bincount(owner, weighed, minlength=self.n_categories)
        number = np.bincount(owner, counted, minlength=self.n_categories)
        heights, pooled = self.heights[self.category_nodes], np.full(self.n_categories, overall)
        for height in np.unique(heights)[::-1]:  # from the top down: a parent is higher than its children
            level = np.flatnonzero(heights == height)
            above = self._of_parents(self.category_nodes[level], pooled, overall)
            pooled[level] = (_BORROWED * above + total[level]) / (_BORROWED + number[level])
        return self._of_parents(rows, pooled, overall)

    def _of_parents(self, nodes: np.ndarray, values: np.ndarray, otherwise: float) -> np.ndarray:
        """Return the weighted mean over the parents of each node, or another value for nodes without parents."""
        begin, end = self.parent_indptr[nodes], self.parent_indptr[nodes + 1]
        sums = np.concatenate(([0.0], np.cumsum(self.parent_weights * values[self.parents])))
        return np.where(end > begin, sums[end] - sums[begin], otherwise)

    @cached_property
    def sets(self) -> tuple[np.ndarray, ...]:
        """Divide the active categories into sets that can be updated in parallel, lower ones first.

        This is Algorithm 1, corrected: as printed, it drops a parent for good when its child was postponed, and loses
        nodes on many graphs. What is needed is a proper colouring: two categories of one set are never parent and
        child, and never share a child. Categories are coloured greedily from the bottom up. A tree of any depth needs
        two sets; a child with p parents needs at least p.
        """
        from vbn.kernels.hierarchy import colour_categories

        order = np.argsort(self.heights[self.category_nodes], kind="stable")
        order = order[self.category_active[order]]
        if len(order) == 0:
            return ()
        colours = colour_categories(
            order,
            self.category_nodes,
            self.active_category_of,
            self.parent_indptr,
            self.parents,
            self.child_indptr,
            self.child_nodes,
        )
        return tuple(np.flatnonzero(colours == colour).astype(np.int32) for colour in range(int(colours.max()) + 1))

    @cached_property
    def blended(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the nodes with several parents, and the place of each node among them, or -1."""
        nodes = np.flatnonzero(np.diff(self.parent_indptr) > 1)
        places = np.full(self.n_entities, -1, np.int32)
        places[nodes] = np.arange(len(nodes), dtype=np.int32)
        return nodes, places

    @classmethod
    def build(cls, taxonomy: Taxonomy | None, entity_active: np.ndarray) -> Graph:
        """Return the graph of a taxonomy, or of nodes without parents if there is none."""
        n = len(entity_active)
        if taxonomy is None:
            return cls._without_taxonomy(entity_active)
        indptr, children, weights = taxonomy.children()
        nodes = taxonomy.category_ids.astype(np.int32)
        category_of = np.full(n, -1, dtype=np.int32)
        category_of[nodes] = np.arange(len(nodes), dtype=np.int32)
        heights, parents = taxonomy.heights(), category_of[taxonomy.indices].astype(np.int32)
        # Copies: kernels are compiled for writable arrays, and those of a taxonomy are read-only.
        return cls(
            entity_active=entity_active,
            category_active=_active_categories(entity_active, nodes, heights, taxonomy.indptr, parents),
            category_nodes=nodes,
            category_of=category_of,
            parent_indptr=taxonomy.indptr.copy(),
            parents=parents,
            parent_weights=taxonomy.weights.copy(),
            child_indptr=np.concatenate(([0], np.cumsum(np.diff(indptr)[nodes]))).astype(np.int64),
            child_nodes=children.astype(np.int32),
            child_weights=weights.copy(),
            heights=heights,
        )

    @classmethod
    def _without_taxonomy(cls, entity_active: np.ndarray) -> Graph:
        n = len(entity_active)
        none, no_weights = np.empty(0, np.int32), np.empty(0)
        return cls(
            entity_active=entity_active,
            category_active=np.empty(0, bool),
            category_nodes=none,
            category_of=np.full(n, -1, np.int32),
            parent_indptr=np.zeros(n + 1, np.int64),
            parents=none,
            parent_weights=no_weights,
            child_indptr=np.zeros(1, np.int64),
            child_nodes=none,
            child_weights=no_weights,
            heights=np.zeros(n, np.int64),
        )


def _active_categories(
    entity_active: np.ndarray, nodes: np.ndarray, heights: np.ndarray, indptr: np.ndarray, parents: np.ndarray
) -> np.ndarray:
    """Return a mask of the categories with an active entity below them, passing the mark up level by level."""
    marked = entity_active.copy()  # nodes that are active as an entity or as a category
    active = np.zeros(len(nodes), dtype=bool)
    child_of_edge = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    order = np.argsort(heights[child_of_edge], kind="stable")
    levels = heights[child_of_edge][order]
    for level in np.unique(levels):
        edges = order[np.searchsorted(levels, level) : np.searchsorted(levels, level, side="right")]
        reached = parents[edges[marked[child_of_edge[edges]]]]
        active[reached] = True
        marked[nodes[reached]] = True
    return active
