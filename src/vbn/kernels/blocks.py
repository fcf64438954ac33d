"""From cells by row to cells by column, in two steps that both stay in the cache: by block of columns, then by column.

Between the steps a cell is three numbers: its row, its column within the block, and its weight, below 0 for a negative.
A cell that is both stands there twice.
"""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import kernel


@kernel
def count_blocks(cells, block_of, n_blocks):
    """How many entries each block of columns gets from some rows."""
    counts = np.zeros(n_blocks, np.int64)
    for k in range(cells.indptr[0], cells.indptr[-1]):
        counts[block_of[cells.indices[k]]] += (cells.positive[k] > 0) + (cells.negative[k] > 0)
    return counts


@kernel
def scatter_blocks(cells, block_of, starts, cursor, rows, columns, weights):
    """Put the entries of some rows where their blocks go on, which `cursor` says; `starts` are the blocks' columns."""
    for i in range(len(cells.indptr) - 1):
        for k in range(cells.indptr[i], cells.indptr[i + 1]):
            j = cells.indices[k]
            block = block_of[j]
            if cells.positive[k] > 0:
                at = cursor[block]
                cursor[block] += 1
                rows[at], columns[at], weights[at] = cells.first + i, j - starts[block], cells.positive[k]
            if cells.negative[k] > 0:
                at = cursor[block]
                cursor[block] += 1
                rows[at], columns[at], weights[at] = cells.first + i, j - starts[block], -cells.negative[k]


@kernel
def turn_block(rows, columns, weights, width):
    """The cells of a block by column, rows ascending: indptr, rows, weight as positive, weight as negative."""
    indptr = np.zeros(width + 1, np.int64)
    newest = np.full(width, -1, np.int64)  # the entry of a column that came last
    for k in range(len(rows)):
        j = columns[k]
        before = newest[j]
        newest[j] = k
        if before < 0 or rows[before] != rows[k] or (weights[before] > 0) == (weights[k] > 0):
            indptr[j + 1] += 1
    for j in range(width):
        indptr[j + 1] += indptr[j]
    cursor = indptr[:-1].copy()
    newest[:] = -1
    turned = np.empty(indptr[-1], np.int32)
    positive, negative = np.zeros(indptr[-1], weights.dtype), np.zeros(indptr[-1], weights.dtype)
    for k in range(len(rows)):
        j, weight = columns[k], weights[k]
        before = newest[j]
        newest[j] = k
        if before < 0 or rows[before] != rows[k] or (weights[before] > 0) == (weight > 0):
            turned[cursor[j]] = rows[k]
            cursor[j] += 1
        at = cursor[j] - 1
        if weight > 0:
            positive[at] = weight
        else:
            negative[at] = -weight
    return indptr, turned, positive, negative
