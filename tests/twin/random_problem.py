"""Small random problems with strong data and every special case that the model knows.

With weak data all means collapse to 0, where couplings vanish and wrong updates pass.
"""

import numpy as np

from tests.twin.problem import KINDS, Cells, Problem, Relation, Taxonomy


def random_taxonomy(n, rng):
    """Three levels: roots 0, 1; middles 2, 3, 4 (as a category, 4 is to be barren); leaves from 5 on.

    Node n - 1 hangs below 4, node n - 2 below middles (both are to be barren); node 5 has no parents, and
    other leaves have one to three, levels mixed. Weights are random.
    """
    parents = [[], [], [0], [0, 1], [1], []]
    for _ in range(6, n - 2):
        size = rng.integers(1, 4)
        parents.append(sorted(rng.choice(4, size, replace=False).tolist()))
    parents += [[2, 3], [1, 4]]
    weights = [rng.dirichlet(np.full(len(p), 3.0)).tolist() if p else [] for p in parents]
    return Taxonomy(parents, weights)


def _cells(pairs, score, rng):
    """30 to 60 counts a cell, positive with probability sigma(score)."""
    i, j = np.array(pairs).T
    total = rng.integers(30, 61, len(i))
    positive = rng.binomial(total, 1 / (1 + np.exp(-score(i, j))))
    return Cells(i, j, positive.astype(float), (total - positive).astype(float))


def _pairs(rows, cols, n, rng, forced=()):
    every = [(i, j) for i in rows for j in cols]
    chosen = {every[index] for index in rng.choice(len(every), min(n, len(every)), replace=False)}
    return sorted(chosen | set(forced))


def _both_ways(cells):
    """Every pair also the other way round, a self pair once."""
    off = cells.i != cells.j
    i, j = np.r_[cells.i, cells.j[off]], np.r_[cells.j, cells.i[off]]
    return Cells(i, j, np.r_[cells.w_pos, cells.w_pos[off]], np.r_[cells.w_neg, cells.w_neg[off]])


def random_problem(seed, shared=True, n_rows=14, n_cols=15, dim=3, n_cells=60, ranks=(2, 3), priors=(0.0, 0.7)):
    """A random problem; the second relation is symmetric if rows and columns are the same set.

    Node 0 (a category) and the last two (barren leaves) have no cells. Node 4 has cells, but its category is
    barren. Node 6 is a row only and node 7 a column only, node 8 occurs in the first relation only. The factors of the
    second relation have a prior mean other than 0.
    """
    rng = np.random.default_rng([seed, 20])
    if shared:
        n_cols = n_rows
    assert min(n_rows, n_cols) >= 12
    row_taxonomy = random_taxonomy(n_rows, rng)
    col_taxonomy = row_taxonomy if shared else random_taxonomy(n_cols, rng)
    U, V = 1.2 * rng.standard_normal((n_rows, dim)), 1.2 * rng.standard_normal((n_cols, dim))
    b = 0.5 * rng.standard_normal(n_cols)
    rows = [i for i in range(1, n_rows - 2) if i not in (7, 8)]
    cols = [j for j in range(1, n_cols - 2) if j not in (6, 8)]
    pairs = _pairs(rows, cols, n_cells, rng, forced=[(1, 1), (4, 4), (5, 5), (9, 9), (6, 7)])
    cells = _cells(pairs, lambda i, j: (U[i] * V[j]).sum(1) + b[j], rng)
    relations = []
    for k, (rank, prior) in enumerate(zip(ranks, priors, strict=False)):
        W = rng.standard_normal((dim, rank)) @ rng.standard_normal((rank, dim)) / np.sqrt(rank)
        bilinear = U @ W @ V.T
        if shared and k == 1:
            both = [i for i in rows if i in cols]
            half = [(i, j) for i, j in _pairs(both, both, 20, rng, forced=[(5, 5)]) if i <= j]
            relation_cells = _both_ways(_cells(half, lambda i, j, f=bilinear: (f[i, j] + f[j, i]) / 2, rng))
        else:
            forced = [(8, 9), (9, 8), (8, 8)] if k == 0 else []
            relation_pairs = _pairs(rows[:-1], cols[:-1], 25, rng, forced)
            relation_cells = _cells(relation_pairs, lambda i, j, f=bilinear: f[i, j], rng)
        relations.append(Relation(relation_cells, rank, prior))
    alpha = {kind: rng.uniform(0.7, 3.0) for kind in KINDS}
    beta = {kind: rng.uniform(0.5, 2.0) for kind in KINDS}
    return Problem(n_rows, n_cols, dim, cells, row_taxonomy, col_taxonomy, relations, alpha, beta, shared=shared)
