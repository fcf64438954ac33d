"""A taxonomy as features of items: what the hybrid models are given to know of a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vbn.data import Dataset, Taxonomy


@dataclass(frozen=True)
class ItemFeatures:
    """Ids of the columns with data and of those without, and the shares of ancestors of either."""

    seen: np.ndarray
    cold: np.ndarray
    seen_ancestors: Any
    cold_ancestors: Any


def item_features(data: Dataset) -> ItemFeatures:
    """Features of the columns of a data set; none at all where it has no taxonomy."""
    from scipy.sparse import csr_matrix

    active = data.counts.column_sums() > 0
    seen, cold = np.flatnonzero(active), np.flatnonzero(~active)
    taxonomy = data.column_taxonomy
    if taxonomy is None:
        return ItemFeatures(seen, cold, csr_matrix((len(seen), 0)), csr_matrix((len(cold), 0)))
    ancestors = ancestor_shares(taxonomy)
    reached = np.flatnonzero(np.asarray(ancestors[seen].sum(axis=0)).reshape(-1) > 0)
    return ItemFeatures(seen, cold, ancestors[seen][:, reached].tocsr(), ancestors[cold][:, reached].tocsr())


def ancestor_shares(taxonomy: Taxonomy) -> Any:
    """A sparse matrix (nodes, nodes): how much of a node each ancestor has.

    A parent has its weight; a grandparent the sum, over the ways to it, of the products of their weights.
    """
    from scipy.sparse import csr_matrix

    n = len(taxonomy.vocabulary)
    parents = csr_matrix((taxonomy.weights, taxonomy.indices.astype(np.int64), taxonomy.indptr), shape=(n, n))
    total, level = parents.copy(), parents
    for _ in range(taxonomy.depth - 1):
        level = level @ parents
        total = total + level
    return total.tocsr()
