"""A mixture over parents: one of the parents explains an entity, and the data say which.

z_i ~ Categorical(a_i) chooses a parent, and u_i ~ N(h_n, I / tau_i) given z_i = n. An entity has one z_i, whatever
blocks it occurs in: u, v and the bias of a word come from the same parent. With q(z_i = n) = r_in,

    log r_in = log a_in - sum_blocks E[tau_i] / 2 (|mu_i - mu_hn|^2 + t var_hn) + constant
    m_i has the mean sum_n r_in mu_hn and, in each dimension on average, the variance
        sum_n r_in (var_hn + |mu_hn - mean|^2 / t)

These two moments give E|u_i - h_z|^2 exactly, so updates, precisions and the bound need nothing else; the bound also
has sum_n r_in (log a_in - log r_in) for each entity. Categories keep the weighted mean of their own parents: the choice
is about entities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from vbn.data import Vocabulary
from vbn.kernels import ParentArrays
from vbn.model.engine import row_ranges
from vbn.model.fields import PLAIN, Field, Moments
from vbn.model.precisions import Siblings
from vbn.model.priors.base import Match, Prior, Setting, Share, register
from vbn.model.priors.hierarchy import Hierarchy
from vbn.model.side import Side

if TYPE_CHECKING:
    from vbn.model.block import Block
    from vbn.model.engine import Engine


class ChosenParents(Prior):
    """The prior that a mixture gives to some rows, without what is needed to update it."""

    def __init__(self, arrays: ParentArrays, support: np.ndarray) -> None:
        self.arrays_of_parents, self.support = arrays, support

    def means(self, rows: np.ndarray) -> np.ndarray:
        """Return the means of the parents, weighted by their responsibilities."""
        return self.moments(rows).mean

    def variances(self, rows: np.ndarray) -> np.ndarray:
        """Return the variances of these, between the parents and within, averaged over the dimensions."""
        return self.moments(rows).variance

    def moments(self, rows: np.ndarray) -> Moments:
        """Return both."""
        return self.spread(rows)[0]

    def spread(self, rows: np.ndarray) -> tuple[Moments, np.ndarray]:
        """Return the moments, and the variance between the parents in each dimension as (n, t)."""
        from vbn.kernels.mixture import mixture_moments

        shape = len(rows), self.arrays_of_parents.mean.shape[1]
        found, between = Moments(np.empty(shape), np.empty(len(rows))), np.empty(shape)
        mixture_moments(
            rows.astype(np.int64, copy=False), self.arrays_of_parents, self.support, found.mean, between, found.variance
        )
        return found, between

    def part(self, first: int, last: int) -> ChosenParents:
        """Return the prior of some rows, numbered from 0; the categories stay the same."""
        arrays = self.arrays_of_parents
        own = arrays.indptr[first : last + 1]
        edges = slice(int(own[0]), int(own[-1]))
        part = arrays._replace(indptr=own - own[0], parents=arrays.parents[edges], weights=arrays.weights[edges])
        return ChosenParents(part, self.support[edges])


@register
class Mixture(Hierarchy):
    """The categories of a taxonomy as a prior, of which each entity has one as its own."""

    name, automatic, instead_of = "mixture", False, Hierarchy.name
    fields = (*Hierarchy.fields, Field("support", PLAIN, ("edge",)))
    support: np.ndarray
    """Log evidence for each parent of each entity, besides its weight; natural parameters, so they may be averaged."""

    @classmethod
    def of(cls, side: Side, setting: Setting) -> Mixture | None:
        """Return the categories of the side's taxonomy, if it has one."""
        made = super().of(side, setting)
        if made is None:
            return None
        assert isinstance(made, Mixture)
        made.support = setting.full(len(side.graph.parents), 0.0, np.float64)
        return made

    @property
    def _chosen(self) -> ChosenParents:
        return ChosenParents(self.arrays_of_parents, self.support)

    def moments(self, rows: np.ndarray) -> Moments:
        """Return the moments of the prior means of entities."""
        return self._chosen.moments(rows)

    def uneven(self, rows: np.ndarray) -> np.ndarray:
        """Return by how much the variance in each dimension differs from the average."""
        between = self._chosen.spread(rows)[1]
        return np.asarray(between - between.mean(axis=1, keepdims=True))

    def part(self, first: int, last: int) -> ChosenParents:
        """Return the prior of some rows, numbered from 0, which cannot be updated."""
        return self._chosen.part(first, last)

    def responsibilities(self) -> np.ndarray:
        """Return r_in by edge, in the order of the graph's parents."""
        from vbn.kernels.mixture import responsibilities

        found = np.empty(len(self.support))
        responsibilities(self.graph.parent_indptr, self.graph.parent_weights, self.support, found)
        return found

    def update(self, block: Block, offset: np.ndarray | None, engine: Engine) -> None:
        """Update all active categories, given the responsibilities."""
        from vbn.kernels.mixture import update_chosen_categories

        self._sweep(update_chosen_categories, block, offset, engine, self.responsibilities())

    def precision_of_siblings(self, rows: np.ndarray, siblings: Siblings) -> np.ndarray:
        """Return E[tau] as the trained children that each row's parents explain have it."""
        return self._pooled(rows, siblings, self._by_child(self.responsibilities()))

    def matched(self, old: Prior, entities: Match) -> Mapping[str, Match]:
        """Return the categories and the edges of both priors, matched by their nodes."""
        found = dict(super().matched(old, entities))
        if isinstance(old, Mixture):
            there, here = old.graph, self.graph
            number = np.full(there.n_entities, -1, np.int64)
            number[entities[0]] = entities[1]
            child, parent = number[_children(there)], number[there.category_nodes[there.parents]]
            keys = child * here.n_entities + parent
            own = _children(here) * np.int64(here.n_entities) + here.category_nodes[here.parents]
            both = (child >= 0) & (parent >= 0) & np.isin(keys, own)
            order = np.argsort(own, kind="stable")
            found["edge"] = np.flatnonzero(both), order[np.searchsorted(own[order], keys[both])]
        return found

    def hold(self, c: int, block: Block) -> np.ndarray:
        """Return the precision that each child adds to a category."""
        graph, below = self.graph, slice(self.graph.child_indptr[c], self.graph.child_indptr[c + 1])
        children = graph.child_nodes[below]
        own = self._by_child(self.responsibilities())[below] * graph.entity_active[children] * block.tau[children]
        return np.asarray(own + graph.child_weights[below] ** 2 * self._category_tau(children))

    def _by_child(self, values: np.ndarray) -> np.ndarray:
        """Return values by edge in the order of the graph's children: by parent, then by child."""
        return np.asarray(values[np.argsort(self.graph.parents, kind="stable")])

    def shares(self, i: int, names: Vocabulary, levels: int = 3) -> list[Share]:
        """Return the parents of row i by descending responsibility, with their own parents above them."""
        graph = self.graph
        edges = slice(int(graph.parent_indptr[i]), int(graph.parent_indptr[i + 1]))
        chosen = dict(zip(graph.parents[edges].tolist(), self.responsibilities()[edges].tolist(), strict=True))
        found = []
        for share in super().shares(i, names, levels):
            r = chosen[int(graph.category_of[names.id(share.name)])]
            found.append(share._replace(weight=r, given=share.weight))
        return sorted(found, key=lambda share: -share.weight)


def _children(graph: object) -> np.ndarray:
    """Return the child of each edge."""
    indptr = graph.parent_indptr  # type: ignore[attr-defined]
    return np.repeat(np.arange(len(indptr) - 1, dtype=np.int64), np.diff(indptr))


class Choice:
    """The choices z_i of the entities of a side, which all blocks with these entities share.

    Every block keeps a copy of the evidence. `active` are masks of the rows that data reaches, one for each block.
    """

    def __init__(self, blocks: Sequence[Block], active: Sequence[np.ndarray] | None = None) -> None:
        masks = [block.active for block in blocks] if active is None else active
        found = [(block, mask, prior) for block, mask in zip(blocks, masks, strict=True) if (prior := _mixture(block))]
        self._parts: list[tuple[Block, np.ndarray, Mixture]] = found

    def __bool__(self) -> bool:
        return bool(self._parts)

    def update(self, engine: Engine | None = None, first: int = 0) -> None:
        """Update q(z_i) of all entities that data reaches, from number `first` on; the others have r = a."""
        from vbn.kernels.mixture import add_support, centre_support

        if not self._parts:
            return
        n, indptr = len(self._parts[0][0]), self._parts[0][2].graph.parent_indptr
        support = np.zeros(len(self._parts[0][2].support))
        inputs = [
            (active, _rest(block, prior), block.tau, prior.arrays_of_parents) for block, active, prior in self._parts
        ]

        def task(begin: int, end: int) -> None:
            for given in inputs:
                add_support(first + begin, first + end, *given, support)
            centre_support(first + begin, first + end, indptr, support)

        if engine is None:
            task(0, n - first)
        else:
            engine.map(task, row_ranges(n - first))
        for _, _, prior in self._parts:
            prior.support[indptr[first] :] = support[indptr[first] :]

    def bound(self) -> float:
        """Return the sum of E[log p(z_i)] + H[q(z_i)] over the entities that data reaches."""
        if not self._parts:
            return 0.0
        prior = self._parts[0][2]
        reached = np.any([active for _, active, _ in self._parts], axis=0)[_children(prior.graph)]
        r, a = prior.responsibilities()[reached], prior.graph.parent_weights[reached]
        return float(np.sum(r * (np.log(a) - np.log(np.maximum(r, 1e-300)))))


def _mixture(block: Block) -> Mixture | None:
    return next((prior for prior in block.prior.members() if isinstance(prior, Mixture)), None)


def _rest(block: Block, prior: Mixture) -> np.ndarray:
    """Return the means of a block less what its other priors say, as (n, t)."""
    rest, rows = block.mean.reshape(len(block), -1).astype(np.float64), np.arange(len(block))
    for other in block.prior.members():
        if other is not prior:
            rest = rest - other.means(rows)
    return rest
