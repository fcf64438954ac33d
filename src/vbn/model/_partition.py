"""Algorithm 1, mended: sets of categories that can be updated side by side.

The printed algorithm drops a parent for good when its child was put off, and loses nodes on many graphs. What it is
for is a proper colouring: two categories of one set are never parent and child, and never share a child.
"""

from __future__ import annotations

import numpy as np


def partition(
    category_nodes: np.ndarray, category_of: np.ndarray, heights: np.ndarray, active: np.ndarray,
    parent_indptr: np.ndarray, parents: np.ndarray, child_indptr: np.ndarray, child_nodes: np.ndarray,
) -> list[np.ndarray]:  # fmt: skip
    """Divide the active categories into sets, lower ones first.

    Parents and children are given as in `PartGraph`; categories are coloured greedily from the bottom up, so a tree
    of any depth needs two sets, and a child with p parents at least p.
    """
    from vbn.kernels.hierarchy import colour_categories

    order = np.argsort(heights[category_nodes], kind="stable")
    order = order[active[order]]
    if len(order) == 0:
        return []
    colours = colour_categories(order, category_nodes, category_of, parent_indptr, parents, child_indptr, child_nodes)
    return [np.flatnonzero(colours == colour).astype(np.int32) for colour in range(int(colours.max()) + 1)]
