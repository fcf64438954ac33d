"""The graph of one part (u or v): which variables exist, who is whose parent, what may be updated together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vbn.data import Taxonomy
from vbn.model._partition import partition


@dataclass(frozen=True)
class PartGraph:
    """Structure of a part, fixed during a fit.

    A node with children owns a category variable; categories are numbered by their place in `category_nodes`.
    Variables without data below them ("barren") are not active: they stay out of the fit and of the bound.
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
    sets: tuple[np.ndarray, ...]

    @property
    def n_entities(self) -> int:
        """Number of nodes."""
        return len(self.entity_active)

    @property
    def n_categories(self) -> int:
        """Number of nodes that have children."""
        return len(self.category_nodes)

    @property
    def active_category_of(self) -> np.ndarray:
        """For each node its category's number, or -1 if it has none or that is barren."""
        known = self.category_of >= 0
        result = np.full(self.n_entities, -1, dtype=np.int32)
        result[known] = np.where(self.category_active[self.category_of[known]], self.category_of[known], -1)
        return result

    @classmethod
    def build(cls, taxonomy: Taxonomy | None, entity_active: np.ndarray) -> PartGraph:
        """The graph of a taxonomy (or of none) whose active entities are known."""
        n = len(entity_active)
        if taxonomy is None:
            return cls._without_taxonomy(entity_active)
        indptr, children, weights = taxonomy.children()
        nodes = taxonomy.category_ids.astype(np.int32)
        category_of = np.full(n, -1, dtype=np.int32)
        category_of[nodes] = np.arange(len(nodes), dtype=np.int32)
        sizes = np.diff(indptr)[nodes]
        child_indptr = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        heights = taxonomy.heights()
        parents = category_of[taxonomy.indices].astype(np.int32)
        active = _active_categories(entity_active, nodes, heights, taxonomy.indptr, parents)
        # copies: kernels are compiled for writable arrays, those of a taxonomy are read-only
        graph = cls(
            entity_active, active, nodes, category_of, taxonomy.indptr.copy(), parents, taxonomy.weights.copy(),
            child_indptr, children.astype(np.int32), weights.copy(), heights, (),
        )  # fmt: skip
        sets = partition(
            nodes,
            graph.active_category_of,
            heights,
            active,
            graph.parent_indptr,
            parents,
            child_indptr,
            graph.child_nodes,
        )
        return cls(**{**graph.__dict__, "sets": tuple(sets)})

    @classmethod
    def _without_taxonomy(cls, entity_active: np.ndarray) -> PartGraph:
        n = len(entity_active)
        none32, none64 = np.empty(0, np.int32), np.empty(0)
        return cls(
            entity_active, np.empty(0, bool), none32, np.full(n, -1, np.int32), np.zeros(n + 1, np.int64), none32,
            none64, np.zeros(1, np.int64), none32, none64, np.zeros(n, np.int64), (),
        )  # fmt: skip


def _active_categories(
    entity_active: np.ndarray, nodes: np.ndarray, heights: np.ndarray, indptr: np.ndarray, parents: np.ndarray
) -> np.ndarray:
    """Categories with an active entity somewhere below them: pass the mark up, level by level."""
    marked = entity_active.copy()  # "this node is active as an entity or as a category"
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
