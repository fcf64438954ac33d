"""The taxonomy as a prior: m_i = sum_n a_in h_n, with an isotropic Gaussian h_n for each category, Eq. (hu-updates).

A category is pulled towards its own parents in the same way, with its own precision. Biases follow the taxonomy in one
dimension: films of a popular director tend to be popular, including the next one.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from vbn.data import Vocabulary
from vbn.kernels import ParentArrays
from vbn.model.engine import row_ranges
from vbn.model.fields import MEAN, RATE, VARIANCE, Field, Moments
from vbn.model.graph import Graph
from vbn.model.precisions import Gamma, Measured, Siblings
from vbn.model.priors.base import Match, Prior, Setting, Share, Upper, register
from vbn.model.side import Side

if TYPE_CHECKING:
    from vbn.model.block import Block
    from vbn.model.engine import Engine

CATEGORIES_PER_TASK = 128
START_VARIANCE = 1.0


class Parents(Prior):
    """The prior that parents give to some rows, without what is needed to update the parents."""

    def __init__(self, arrays: ParentArrays) -> None:
        self.arrays_of_parents = arrays

    def moments(self, rows: np.ndarray) -> Moments:
        """Return the weighted means of the parents, and sum_n a_in^2 var_h_n."""
        from vbn.kernels.hierarchy import parent_moments

        arrays = self.arrays_of_parents
        found = Moments(np.empty((len(rows), arrays.mean.shape[1])), np.empty(len(rows)))
        parent_moments(rows.astype(np.int64, copy=False), arrays, *found)
        return found

    def means(self, rows: np.ndarray) -> np.ndarray:
        """Return the weighted means of the parents."""
        return self.moments(rows).mean

    def variances(self, rows: np.ndarray) -> np.ndarray:
        """Return the variances of these means."""
        return self.moments(rows).variance

    def part(self, first: int, last: int) -> Parents:
        """Return the prior of some rows, numbered from 0; the categories stay the same."""
        arrays = self.arrays_of_parents
        own = arrays.indptr[first : last + 1]
        edges = slice(int(own[0]), int(own[-1]))
        return Parents(
            arrays._replace(indptr=own - own[0], parents=arrays.parents[edges], weights=arrays.weights[edges])
        )


@register
class Hierarchy(Prior):
    """The categories of a taxonomy as a prior."""

    name = "hierarchy"
    fields: ClassVar[tuple[Field, ...]] = (
        Field("mean", MEAN, ("category", "dim"), partner="variance"),
        Field("variance", VARIANCE, ("category",)),
        Field("rate", RATE, ("category",)),
    )

    def __init__(self, graph: Graph, gamma: Gamma, mean: np.ndarray, variance: np.ndarray, rate: np.ndarray) -> None:
        self.graph, self.gamma = graph, gamma
        self.mean, self.variance, self.rate = mean, variance, rate
        self.others: tuple[Prior, ...] = ()

    @classmethod
    def of(cls, side: Side, setting: Setting) -> Self | None:
        """Return the categories of the side's taxonomy, if it has one."""
        graph = side.graph
        if side.taxonomy is None or graph.n_categories == 0:
            return None
        kind, c = "category" if setting.kind == "entity" else setting.kind, graph.n_categories
        gamma = setting.hyperpriors.of(kind, setting.dim)
        return cls(
            graph,
            gamma,
            mean=setting.full((c, setting.dim), 0.0, setting.dtype),
            variance=setting.full(c, START_VARIANCE, setting.dtype),
            rate=setting.full(c, gamma.shape, np.float64),
        )

    @property
    def arrays_of_parents(self) -> ParentArrays:
        """Return parents and categories as kernels take them."""
        graph = self.graph
        return ParentArrays(graph.parent_indptr, graph.parents, graph.parent_weights, self.mean, self.variance)

    def means(self, rows: np.ndarray) -> np.ndarray:
        """Return the weighted means of the parents."""
        return self.moments(rows).mean

    def variances(self, rows: np.ndarray) -> np.ndarray:
        """Return the variances of these means."""
        return self.moments(rows).variance

    def moments(self, rows: np.ndarray) -> Moments:
        """Return both."""
        return Parents(self.arrays_of_parents).moments(rows)

    def informs(self, rows: np.ndarray) -> np.ndarray:
        """Return a mask of the rows that have parents."""
        return np.asarray(np.diff(self.graph.parent_indptr)[rows] > 0)

    def part(self, first: int, last: int) -> Prior:
        """Return the prior of some rows, numbered from 0, which cannot be updated."""
        return Parents(self.arrays_of_parents).part(first, last)

    def beside(self, others: tuple[Prior, ...]) -> Hierarchy:
        """Return the hierarchy with other priors of its categories."""
        made = copy.copy(self)
        made.others = others
        return made

    def _shift(self, categories: np.ndarray) -> Moments:
        """Return what other priors add to the prior means of some categories; no rows if there are none."""
        nodes = self.graph.category_nodes[categories if self.others else categories[:0]].astype(np.int64)
        found = Moments(np.zeros((len(nodes), self.mean.shape[1])), np.zeros(len(nodes)))
        for other in self.others:
            found = Moments(*(own + more for own, more in zip(found, other.moments(nodes), strict=True)))
        return found

    def upper(self) -> Upper:
        """Return the active categories, and how far they lie above their parents' mean."""
        active = np.flatnonzero(self.graph.category_active)
        nodes = self.graph.category_nodes[active].astype(np.int64)
        gap = self.mean[active] - Parents(self.arrays_of_parents).means(nodes)
        return Upper(nodes, self.gamma.expected(self.rate)[active], gap)

    def update(self, block: Block, offset: np.ndarray | None, engine: Engine) -> None:
        """Update all active categories."""
        from vbn.kernels.hierarchy import update_categories

        nodes, places = self.graph.blended
        centres = Parents(self.arrays_of_parents).means(nodes).astype(self.mean.dtype)
        self._sweep(update_categories, block, offset, engine, places, centres)

    def _sweep(
        self, kernel: Callable[..., None], block: Block, offset: np.ndarray | None, engine: Engine, *more: np.ndarray
    ) -> None:
        """Update the sets of the partition in turn, the categories of a large set in parallel."""
        graph, own = self.graph, block.mean.reshape(len(block), -1)
        arguments = (
            graph.category_nodes,
            graph.active_category_of,
            block.active,
            block.tau,
            self.gamma.expected(self.rate),
            self.arrays_of_parents,
            own if offset is None else own - offset.astype(own.dtype),
            graph.child_indptr,
            graph.child_nodes,
            graph.child_weights,
            self._shift(np.arange(graph.n_categories)).mean,
            *more,
        )
        for members, ranges in _batches(graph.sets):

            def task(first: int, last: int, members: np.ndarray = members) -> None:
                kernel(first, last, members, *arguments)

            engine.map(task, ranges)

    def measure(self, engine: Engine) -> Measured:
        """Return the distances of the active categories to their prior means, and their log volumes."""
        from vbn.kernels.hierarchy import category_distances

        graph, parents = self.graph, self.arrays_of_parents
        active, distance = graph.category_active, np.zeros(graph.n_categories)
        shift = self._shift(np.arange(graph.n_categories))

        def task(first: int, last: int) -> None:
            category_distances(first, last, active, graph.category_nodes, parents, *shift, distance)

        engine.map(task, row_ranges(graph.n_categories))
        volume = self.mean.shape[1] * np.log(self.variance[active].astype(np.float64))
        return Measured(distance[active], volume)

    def update_precisions(self, measured: Measured) -> None:
        """Update the precisions of the active categories."""
        self.gamma.update(self.rate, self.graph.category_active, measured)

    def bound(self, measured: Measured) -> list[float]:
        """Return the bound of the active categories."""
        return [self.gamma.bound(self.rate, self.graph.category_active, measured)]

    def settle(self) -> None:
        """Set the categories without data below them to their densities in closed form, from the top down."""
        graph = self.graph
        cold = np.flatnonzero(~graph.category_active)
        nodes = graph.category_nodes[cold]
        expected = float(self.gamma.alpha / self.gamma.beta)
        for height in np.unique(graph.heights[nodes])[::-1]:  # a parent is higher than its children
            level = cold[graph.heights[nodes] == height]
            moments = Parents(self.arrays_of_parents).moments(graph.category_nodes[level])
            if self.others:
                moments = Moments(*(own + more for own, more in zip(moments, self._shift(level), strict=True)))
            tau, variance = self.gamma.without_data(level, moments.variance, np.full(len(level), expected))
            self.mean[level] = moments.mean
            self.variance[level] = variance
            self.rate[level] = self.gamma.shape / tau

    def precision_of_siblings(self, rows: np.ndarray, siblings: Siblings) -> np.ndarray:
        """Return E[tau] as the trained children of each row's parents have it."""
        return self._pooled(rows, siblings)

    def _pooled(self, rows: np.ndarray, siblings: Siblings, shares: np.ndarray | None = None) -> np.ndarray:
        """Return E[tau] pooled over siblings; `shares` says how much of each child belongs to the parent."""

        def pooled(values: np.ndarray, overall: float) -> np.ndarray:
            return self.graph.of_siblings(rows, values, siblings.known, overall, shares)

        return np.asarray(siblings.precision(pooled))

    def matched(self, old: Prior, entities: Match) -> Mapping[str, Match]:
        """Return the categories of both priors, matched by their nodes."""
        if not isinstance(old, Hierarchy):
            return {}
        there, here = old.graph.category_of[entities[0]], self.graph.category_of[entities[1]]
        both = (there >= 0) & (here >= 0)
        return {"category": (there[both], here[both])}

    def hold(self, c: int, block: Block) -> np.ndarray:
        """Return the precision that each child adds to a category."""
        graph, below = self.graph, slice(self.graph.child_indptr[c], self.graph.child_indptr[c + 1])
        children = graph.child_nodes[below]
        own = graph.entity_active[children] * block.tau[children] + self._category_tau(children)
        return np.asarray(graph.child_weights[below] ** 2 * own)

    def _category_tau(self, nodes: np.ndarray) -> np.ndarray:
        """Return E[tau] of nodes as active categories, 0 for the others."""
        number = self.graph.active_category_of[nodes]
        return np.where(number >= 0, self.gamma.expected(self.rate)[number], 0.0)

    def shares(self, i: int, names: Vocabulary, levels: int = 3) -> list[Share]:
        """Return the parents of row i by descending weight, with their own parents above them."""
        graph = self.graph
        edges = slice(int(graph.parent_indptr[i]), int(graph.parent_indptr[i + 1]))
        parents, weights = graph.parents[edges].tolist(), graph.parent_weights[edges].tolist()
        ranked = sorted(zip(parents, weights, strict=True), key=lambda edge: (-edge[1], edge[0]))
        found = []
        for parent, weight in ranked:
            node = int(graph.category_nodes[parent])
            above = tuple(Hierarchy.shares(self, node, names, levels - 1)) if levels > 1 else ()
            found.append(Share(names[node], weight, self.mean[parent].astype(np.float64), above))
        return found


def _batches(sets: Sequence[np.ndarray]) -> Iterator[tuple[np.ndarray, list[tuple[int, int]]]]:
    """Yield the sets in turn with the ranges that are updated in parallel; small sets in a row are one task."""
    small: list[np.ndarray] = []
    for members in (*sets, None):
        if members is not None and len(members) <= CATEGORIES_PER_TASK:
            small.append(members)
            continue
        if small:
            joined = np.concatenate(small)
            yield joined, [(0, len(joined))]
            small = []
        if members is not None:
            yield members, row_ranges(len(members), CATEGORIES_PER_TASK)
