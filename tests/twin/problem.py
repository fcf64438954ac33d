"""The data of a problem as plain arrays, and which variables take part in the fit.

A variable is *active* if data reach it: an entity through its cells (or the evidence of earlier data), a category
through a descendant.
All others are *barren* and stay out of the fit and of the bound.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tests.twin.evidence import Evidence, no_evidence

KINDS = ("entity", "category", "bias", "relation_factor", "relation_bias")


@dataclass
class Cells:
    """Weighted pairs: row i, column j, counted `w_pos` times as positive and `w_neg` times as negative."""

    i: np.ndarray
    j: np.ndarray
    w_pos: np.ndarray
    w_neg: np.ndarray

    def __len__(self):
        return len(self.i)

    @property
    def weight(self):
        """How often the cell counts, w+ + w-."""
        return self.w_pos + self.w_neg

    @property
    def signed(self):
        """Half the difference, g = (w+ - w-) / 2."""
        return (self.w_pos - self.w_neg) / 2


@dataclass
class Taxonomy:
    """Parents of every node with their weights a_in, which sum to one for every node that has parents."""

    parents: list
    weights: list

    def __post_init__(self):
        for node, weights in enumerate(self.weights):
            assert len(weights) == len(self.parents[node])
            assert not weights or abs(sum(weights) - 1) < 1e-12

    def __len__(self):
        return len(self.parents)

    def edges(self, node):
        """The parents of a node as pairs (parent, a_in)."""
        return list(zip(self.parents[node], self.weights[node], strict=True))

    @cached_property
    def children(self):
        """The children of every node, as lists of node indices."""
        children = [[] for _ in self.parents]
        for node, parents in enumerate(self.parents):
            for parent in parents:
                children[parent].append(node)
        return children

    @cached_property
    def parents_first(self):
        """All nodes, every one after its parents."""
        order, seen = [], set()

        def visit(node):
            if node not in seen:
                seen.add(node)
                for parent in self.parents[node]:
                    visit(parent)
                order.append(node)

        for node in range(len(self)):
            visit(node)
        return order

    def has_descendant_in(self, mask):
        """For every node, whether some proper descendant of it is in `mask`."""
        found = np.zeros(len(self), dtype=bool)
        for node in reversed(self.parents_first):
            if mask[node] or found[node]:
                found[self.parents[node]] = True
        return found


def flat_taxonomy(n):
    """A taxonomy of n nodes without edges."""
    return Taxonomy([[] for _ in range(n)], [[] for _ in range(n)])


@dataclass
class Relation:
    """The cells of one relation, the rank t_k of its matrix, and the strength c of its factors' prior means."""

    cells: Cells
    rank: int
    prior: float = 0.0

    def prior_mean(self, m, dim):
        """Of x_m and of y_m: c at place m, 0 elsewhere."""
        mean = np.zeros(dim)
        if m < dim:
            mean[m] = self.prior
        return mean


@dataclass
class Problem:
    """Everything the model is given; alpha and beta map each of KINDS to a hyperparameter."""

    n_rows: int
    n_cols: int
    dim: int
    cells: Cells
    row_taxonomy: Taxonomy
    col_taxonomy: Taxonomy
    relations: list = field(default_factory=list)
    alpha: dict = field(default_factory=lambda: dict.fromkeys(KINDS, 1.0))
    beta: dict = field(default_factory=lambda: dict.fromkeys(KINDS, 1.0))
    shared: bool = False
    centre_precision: float | None = 0.01  # of the common mean of the biases; None: biases are drawn to 0
    nested_biases: bool = True  # whether categories of the columns have biases, which theirs are drawn to
    evidence: Evidence | None = None  # of earlier data; None: there was none
    row_features: np.ndarray | None = None  # (n_rows, F); None: there are none
    col_features: np.ndarray | None = None
    rho: np.ndarray | None = None  # (F,), precisions of what features are mapped by
    mixture: bool = False  # whether one of its parents explains an entity, or all together
    cold: str = "mean_field"  # precision of barren variables: the fixed point of its update, or that of the "prior"

    def taxonomy(self, part):
        """The taxonomy behind the part "u" (rows) or "v" (columns)."""
        return self.row_taxonomy if part == "u" else self.col_taxonomy

    @property
    def bias_categories(self):
        """Mask of the nodes whose categories have a bias that takes part."""
        return self.active.h_v & self.nested_biases

    def shape(self, kind):
        """Shape of q(tau), a constant: alpha + half the number of values that share the precision."""
        values = 1 if kind in ("bias", "relation_bias") else self.dim
        return self.alpha[kind] + values / 2

    @cached_property
    def known(self):
        """The evidence of earlier data, all zero if there was none."""
        return no_evidence(self) if self.evidence is None else self.evidence

    @cached_property
    def active(self):
        """Masks of the active variables, see `Active`."""
        known = self.known
        u, v = (known.u.precision > 0).any(1), (known.v.precision > 0).any(1)
        for cells in [self.cells] + [relation.cells for relation in self.relations]:
            u[cells.i] = True
            v[cells.j] = True
        bias = known.bias.precision > 0
        bias[self.cells.j] = True
        r = [sites.precision > 0 for sites in known.r]
        for mask, relation in zip(r, self.relations, strict=True):
            mask[relation.cells.j] = True
        h_u = self.row_taxonomy.has_descendant_in(u)
        h_v = self.col_taxonomy.has_descendant_in(v)
        return Active(u, v, h_u, h_v, bias, r)


@dataclass
class Active:
    """Which variables take part: boolean masks over nodes; `r` holds one mask per relation."""

    u: np.ndarray
    v: np.ndarray
    h_u: np.ndarray
    h_v: np.ndarray
    bias: np.ndarray
    r: list

    def entities(self, part):
        """Mask of u or v."""
        return self.u if part == "u" else self.v

    def categories(self, part):
        """Mask of h^u or h^v."""
        return self.h_u if part == "u" else self.h_v
