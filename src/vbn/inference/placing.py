"""How well each category explains what was observed of an entity, whatever parents the entity was given.

An entity is judged by the direction of its own evidence: its density divided by its prior (`Block.as_sites`), so that a
wrong parent does not speak for itself. Popular entities have long vectors wherever they belong, hence directions. With
x_i the direction of entity i and M_c the mean of category c, in units of the spread of siblings:

    x_i ~ N(M_c, I / w_i),   M_c ~ N(mean of its parents' M, I / r)

where w_i, between 0 and 1, is how far the entity's evidence outweighs a prior. A category whose children weigh N has
the posterior mean (sum of w x + r up) / (N + r), and x_i has the predictive density N(mean, (1 / w_i + 1 / (N + r)) I)
under it: in closed form for all entities and categories at once. For the present parent,
the entity itself is left out of the sums, also of those one level above. A category in turn is an observation of its
parents with the weight r N / (r + N), so that edges between categories are judged in the same way.

Such a density takes all directions to say something of their own, and its logarithm is too large. All are multiplied by
the one number, at most 1, that makes the present parents likeliest among the categories of their levels, where one
parent in ten may be wrong.

Which category is right is also told by what occurs together, if the model has learned that (`vbn.inference.ties`): a
category is named for its density and for how strongly the entity is tied to its children. Ties say little about whether
a parent is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vbn.inference.ties import Ties
from vbn.model import Affinity, Block, Graph, Trained

BORROWED = 3.0
"""r: how many children the level above counts for."""
_RIDGE = 0.03  # of the mean variance of siblings, added to all directions: no direction is told apart without limit
_NOTHING = 1e-9  # a sum of weights that is only rounding
_ENTRIES = 1 << 22  # rows times categories that are scored at once
_WRONG = 0.1  # share of the present parents that may be wrong
_MOST = 500  # edges that tell how sure densities are
_SHARPNESS = np.geomspace(0.05, 1.0, 25)
_USUAL = 0.3  # standard deviation of its logarithm before any edge is seen


@dataclass(frozen=True)
class Judged:
    """The edges of a taxonomy as the data sees them, one entry an edge.

    `score` is the log Bayes factor of the other categories of the level, on average, against the present parent; `best`
    and `gain` are the categories that explain the child best and the log Bayes factor of each against the present
    parent. `fit` is that of the present parent against a category of which nothing is known.
    """

    rows: np.ndarray
    parents: np.ndarray
    score: np.ndarray
    fit: np.ndarray
    best: np.ndarray
    gain: np.ndarray


class Placing:
    """Entities and categories with data as observations `x` of their parents, and what is known of each category.

    Rows are the entities with data, then the categories with data below them: `node` is the number of a row's entity or
    category in the vocabulary, `weight` how much it says about a parent. `edges` are pairs of a row and a category.
    """

    def __init__(self, trained: Trained, side: str) -> None:
        halves = trained.halves(side)
        graph = halves[0].side.graph
        self.graph, self.names = graph, halves[0].names
        x, certain = _directions([half.block for half in halves])
        known = certain > 0
        self.n_entities = int(known.sum())
        self.depths = _depths(graph)
        self.heights = graph.heights[graph.category_nodes]
        self.up = Edges.of(graph, graph.category_nodes)
        entities = np.flatnonzero(known)
        self._fill(x[entities], certain[entities], entities)
        self._scale_by_siblings(x[entities], certain[entities], entities)
        self.sharp = 1.0
        self.sharp = self._sharpness()
        self._ties = self._learned_ties(trained.affinity if halves[-1].letter == "v" else None)

    def _learned_ties(self, affinity: Affinity | None) -> Ties | None:
        """Return the ties of entities to categories, if weights between them were learned."""
        if affinity is None:
            return None
        own, entities = self.edges.rows < self.n_entities, self.node[: self.n_entities]
        return Ties(affinity, self.edges.rows[own], self.edges.parents[own], entities, self.graph.n_categories)

    def _sharpness(self) -> float:
        """Return by what to multiply log densities."""
        rows, parents = self.edges.rows, self.edges.parents
        others = self.number[parents] > self.weight[rows] + _NOTHING  # of the parent, so that it can be recognised
        told = np.flatnonzero(others & (rows < self.n_entities))
        told = told[np.linspace(0, len(told) - 1, min(len(told), _MOST), dtype=np.int64)]
        rows, parents = rows[told], parents[told]
        own, total = self.log_density(rows, *self.left_out(rows, parents)), np.zeros(len(_SHARPNESS))
        for edges, categories in self._alike(parents):
            gain = self._densities(rows[edges], categories) - own[edges, None]
            n = np.isfinite(gain).sum(axis=1)
            for at, sharp in enumerate(_SHARPNESS):
                right = 1.0 / (1.0 + np.exp(np.minimum(sharp * gain, 300.0)).sum(axis=1))
                total[at] += np.log((1.0 - _WRONG) * right + _WRONG / (n + 1.0)).sum()
        return float(_SHARPNESS[np.argmax(total - 0.5 * (np.log(_SHARPNESS) / _USUAL) ** 2)])

    def _densities(self, rows: np.ndarray, categories: np.ndarray) -> np.ndarray:
        """Return the log density of each row below each category, -inf below its present parents."""
        x, mean = self.x[rows], self.mean[categories]
        distance = (x**2).sum(axis=1)[:, None] + (mean**2).sum(axis=1) - 2.0 * x @ mean.T
        variance = 1.0 / self.weight[rows, None] + 1.0 / (self.number[categories] + BORROWED)
        found = -0.5 * (distance / variance + x.shape[1] * np.log(variance))
        found[self._present(rows, categories)] = -np.inf
        return np.asarray(found)

    def _fill(self, x: np.ndarray, weight: np.ndarray, entities: np.ndarray) -> None:
        """Sum up the observations of each category from the bottom up, and find its mean from the top down."""
        graph, n, r, edges = self.graph, len(x), BORROWED, Edges.of(self.graph, entities)
        total = sums_by(edges.parents, weight[edges.rows, None] * x[edges.rows], graph.n_categories)
        number = np.bincount(edges.parents, weight[edges.rows], graph.n_categories)
        for level in self._levels():
            edges_up = self.up.of_rows(level)
            below = level[edges_up.rows]
            part = r / (r + number[below])
            np.add.at(total, edges_up.parents, part[:, None] * total[below])
            np.add.at(number, edges_up.parents, part * number[below])
        mean, above = np.zeros_like(total), np.zeros_like(total)
        for level in self._levels()[::-1]:
            above[level] = self.up.mean_over_parents(level, mean)
            mean[level] = (total[level] + r * above[level]) / (number[level] + r)[:, None]
        self.total, self.number, self.mean, self.above = total, number, mean, above
        seen = np.flatnonzero(number > 0)
        self.x = np.concatenate([x, total[seen] / number[seen, None]])
        self.weight = np.concatenate([weight, r * number[seen] / (r + number[seen])])
        self.node = np.concatenate([entities, graph.category_nodes[seen]])
        between = self.up.of_rows(seen)
        self.edges = Edges(
            np.concatenate([edges.rows, n + between.rows]), np.concatenate([edges.parents, between.parents])
        )

    def _scale_by_siblings(self, x: np.ndarray, weight: np.ndarray, entities: np.ndarray) -> None:
        """Turn and scale all directions so that siblings scatter alike in each of them, with variance 1."""
        own = Edges.of(self.graph, entities)
        mean, variance = self.left_out(own.rows, own.parents)
        apart = (x[own.rows] - mean) / np.sqrt(variance)[:, None]
        apart = apart[self.number[own.parents] > weight[own.rows] + _NOTHING]
        if len(apart) == 0:
            return
        length = np.linalg.norm(apart, axis=1, keepdims=True)
        apart *= np.minimum(1.0, np.median(length) / np.maximum(length, 1e-300))  # what is misplaced is no yardstick
        scatter = apart.T @ apart / len(apart)
        scatter += _RIDGE * np.trace(scatter) / len(scatter) * np.eye(len(scatter))
        values, vectors = np.linalg.eigh(scatter)
        self._fill(x @ (vectors / np.sqrt(values)), weight, entities)

    def _levels(self) -> list[np.ndarray]:
        """Return the categories by height, lowest first."""
        order = np.argsort(self.heights, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(self.heights[order])) + 1) if len(order) else []

    def left_out(self, rows: np.ndarray, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return mean and variance of what each row should be as a child of its own parent, without the row itself."""
        return self._predicted(rows, *self._without(rows, parents))

    def _predicted(
        self, rows: np.ndarray, total: np.ndarray, number: np.ndarray, above: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        mean = (total + BORROWED * above) / (number + BORROWED)[:, None]
        return mean, 1.0 / self.weight[rows] + 1.0 / (number + BORROWED)

    def apart(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return how far each child lies from its siblings, and from all children one level above.

        Both are squared distances from a mean without the child, less the error of that mean. The last array marks the
        edges that have both.
        """
        rows, parents = self.edges.rows, self.edges.parents
        n, t = self.graph.n_categories, self.x.shape[1]
        sums, number = sums_by(parents, self.x[rows], n), np.bincount(parents, minlength=n).astype(np.float64)
        wider = sums_by(self.up.parents, sums[self.up.rows], n), np.bincount(self.up.parents, number[self.up.rows], n)
        roots = self.depths == 0
        everything = sums[roots].sum(axis=0), number[roots].sum()
        pairs = self.up.of_rows(parents)  # of an edge and a parent of its parent
        above = _mean_by(pairs.rows, wider[0][pairs.parents], len(rows), np.broadcast_to(everything[0], (len(rows), t)))
        size = _mean_by(pairs.rows, wider[1][pairs.parents, None], len(rows), np.full((len(rows), 1), everything[1]))

        def distance(sums: np.ndarray, number: np.ndarray) -> np.ndarray:
            left = np.maximum(number - 1.0, 1.0)
            return np.asarray(
                ((self.x[rows] - (sums - self.x[rows]) / left[:, None]) ** 2).sum(axis=1) / (1 + 1 / left)
            )

        own, others = distance(sums[parents], number[parents]), distance(above, size[:, 0])
        return own, others, (number[parents] > 1) & (size[:, 0] > 1)

    def _without(self, rows: np.ndarray, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return sums, numbers and means of the level above of each row's parent, without the row itself."""
        r, weight = BORROWED, self.weight[rows]
        total = self.total[parents] - weight[:, None] * self.x[rows]
        number = np.maximum(self.number[parents] - weight, 0.0)
        total[number < _NOTHING] = 0.0
        above = self.above[parents].copy()
        pairs = self.up.of_rows(parents)  # of an edge and a parent of its parent
        if len(pairs.rows):
            edge = pairs.rows
            before, after = (r / (r + self.number[parents[edge]])), r / (r + number[edge])
            sums = (
                self.total[pairs.parents] - before[:, None] * self.total[parents[edge]] + after[:, None] * total[edge]
            )
            left = self.number[pairs.parents] - before * self.number[parents[edge]] + after * number[edge]
            higher = (sums + r * self.above[pairs.parents]) / (left + r)[:, None]
            above = _mean_by(edge, higher, len(parents), otherwise=above)
        return total, number, above

    def log_density(self, rows: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
        """Return the log density of each row at its own mean and variance, up to a constant."""
        distance = ((self.x[rows] - mean) ** 2).sum(axis=1)
        return np.asarray(-0.5 * self.sharp * (distance / variance + self.x.shape[1] * np.log(variance)))

    def unplaced(self, rows: np.ndarray) -> np.ndarray:
        """Return the log density of each row below a category of which nothing is known."""
        variance = 1.0 / self.weight[rows] + 1.0 / BORROWED
        return self.log_density(rows, np.zeros((1, self.x.shape[1])), variance)

    def candidates(self, parent: int) -> np.ndarray:
        """Return the categories with data at the level of one: equally high above the leaves or deep below the top."""
        alike = (self.heights == self.heights[parent]) | (self.depths == self.depths[parent])
        return np.flatnonzero(alike & (self.number > 0))

    def judge(self, k: int, chosen: np.ndarray | None = None) -> Judged:
        """Compare the parent of each edge with all categories of its level; `chosen` are the edges, all by default."""
        which = np.arange(len(self.edges.rows)) if chosen is None else chosen
        rows, parents = self.edges.rows[which], self.edges.parents[which]
        mean, variance = self.left_out(rows, parents)
        own = self.log_density(rows, mean, variance)
        score, gain = np.full(len(rows), -np.inf), np.full((len(rows), k), -np.inf)
        best = np.full((len(rows), k), -1)
        for edges, categories in self._alike(parents):
            score[edges], best[edges], gain[edges] = self._best(rows[edges], categories, k)
        return Judged(rows, parents, score - own, own - self.unplaced(rows), best, gain - own[:, None])

    def _best(self, rows: np.ndarray, categories: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the log mean density of each row over the categories it may have, the k best and their densities."""
        from vbn.kernels.placing import best_categories

        x, mean = self.x[rows], self.mean[categories]
        products = x @ mean.T
        products[self._present(rows, categories)] = -np.inf
        ties = np.empty((0, 0))
        if self._ties is not None:
            entities = rows < self.n_entities
            ties = np.zeros(products.shape)
            ties[entities] = self._ties.of(rows[entities], categories)
        score, best, value = np.empty(len(rows)), np.full((len(rows), k), -1), np.full((len(rows), k), -np.inf)
        best_categories(
            products,
            (x**2).sum(axis=1),
            self.weight[rows],
            self.graph.heights[self.node[rows]],
            (mean**2).sum(axis=1),
            1.0 / (self.number[categories] + BORROWED),
            self.heights[categories],
            ties,
            x.shape[1],
            self.sharp,
            score,
            best,
            value,
        )
        return score, np.append(categories, -1)[best], value  # -1 stays -1

    def _alike(self, parents: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield blocks of edges whose parents are at one level, with the categories of that level."""
        key = self.heights[parents] * (int(self.depths.max(initial=0)) + 1) + self.depths[parents]
        order = np.argsort(key, kind="stable")
        for group in np.split(order, np.flatnonzero(np.diff(key[order])) + 1) if len(order) else []:
            categories = self.candidates(int(parents[group[0]]))
            size = max(1, _ENTRIES // max(len(categories), 1))
            for first in range(0, len(group), size):
                yield group[first : first + size], categories

    def _present(self, rows: np.ndarray, categories: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return where rows meet their present parents among the categories: positions of rows and of categories."""
        place = np.full(self.graph.n_categories, -1)
        place[categories] = np.arange(len(categories))
        present = Edges.of(self.graph, self.node[rows])
        at = place[present.parents]
        return present.rows[at >= 0], at[at >= 0]

    @cached_property
    def row_of_entity(self) -> dict[int, int]:
        """Return the row of each entity with data."""
        return {int(node): row for row, node in enumerate(self.node[: self.n_entities])}

    @cached_property
    def row_of_category(self) -> dict[int, int]:
        """Return the row of each category with data below it, by its number in the vocabulary."""
        return {int(node): row for row, node in enumerate(self.node[self.n_entities :], self.n_entities)}

    def named(self, category: int) -> str:
        """Return the name of a category."""
        return self.names[int(self.graph.category_nodes[category])]

    def n_children(self, category: int) -> int:
        """Return how many children a category has."""
        return int(self.graph.child_indptr[category + 1] - self.graph.child_indptr[category])

    def described(self, row: int) -> str:
        """Say what is known of a row."""
        if row < self.n_entities:
            return seen(self.names.counts[self.node[row]])
        number = self.n_children(int(self.graph.category_of[self.node[row]]))
        return f"a category with {number:,} {'child' if number == 1 else 'children'}"

    def cosines(self, rows: np.ndarray, means: np.ndarray) -> np.ndarray:
        """Return the cosine of each row and a mean of its own."""
        x = self.x[rows]
        lengths = np.linalg.norm(x, axis=1) * np.linalg.norm(means, axis=1)
        return np.asarray((x * means).sum(axis=1) / np.maximum(lengths, 1e-300))

    def best_of_all(self, row: int, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the best categories for a row, of all with children of its kind, and what each adds over none."""
        kind = (self.edges.rows < self.n_entities) == (row < self.n_entities)
        at = np.array([row])
        _, best, value = self._best(at, np.unique(self.edges.parents[kind]), k)
        found = best[0] >= 0
        return best[0, found], value[0, found] - self.unplaced(at)[0]

    def children(self, categories: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return the observations x of all children that are categories, or entities, and their parents."""
        chosen = (self.edges.rows >= self.n_entities) == categories
        return self.x[self.edges.rows[chosen]], self.edges.parents[chosen]


@dataclass(frozen=True)
class Edges:
    """Edges from rows to the categories above them."""

    rows: np.ndarray
    parents: np.ndarray

    @classmethod
    def of(cls, graph: Graph, nodes: np.ndarray) -> Edges:
        """Return the edges above some nodes; rows are positions in `nodes`."""
        begin, size = graph.parent_indptr[nodes], np.diff(graph.parent_indptr)[nodes]
        return cls(*_ranges(begin, size, graph.parents))

    def of_rows(self, rows: np.ndarray) -> Edges:
        """Return the edges above some of the rows, numbered by their position in `rows`; edges are sorted by row."""
        begin = np.searchsorted(self.rows, rows)
        size = np.searchsorted(self.rows, rows, side="right") - begin
        return Edges(*_ranges(begin, size, self.parents))

    def mean_over_parents(self, rows: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return the mean of the parents' values for each of some rows, 0 for rows without parents."""
        own = self.of_rows(rows)
        return _mean_by(own.rows, values[own.parents], len(rows), np.zeros((len(rows), values.shape[1])))


def _ranges(begin: np.ndarray, size: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return values[begin:begin + size] of each row one after the other, with the rows they are of."""
    rows = np.repeat(np.arange(len(size)), size)
    inside = np.arange(len(rows)) - np.repeat(np.cumsum(size) - size, size)
    return rows, values[begin[rows] + inside].astype(np.int64)


def _mean_by(rows: np.ndarray, values: np.ndarray, n: int, otherwise: np.ndarray) -> np.ndarray:
    """Return the mean of the values of each of n rows, which are sorted; rows without any keep another value."""
    result, size = otherwise.copy(), np.bincount(rows, minlength=n)
    some = np.flatnonzero(size)
    if len(some):
        starts = (np.cumsum(size) - size)[some]
        result[some] = np.add.reduceat(values, starts, axis=0) / size[some, None]
    return result


def sums_by(owners: np.ndarray, values: np.ndarray, n: int) -> np.ndarray:
    """Return the sum of the values of each of n owners."""
    from scipy.sparse import csr_array

    places = np.arange(len(owners) + 1)
    return np.asarray(csr_array((np.ones(len(owners)), owners, places), (len(owners), n)).T @ values)


def seen(count: float) -> str:
    """Say how often something was seen."""
    return "seen once" if count == 1 else f"seen {count:,.0f} times"


def _directions(blocks: list[Block]) -> tuple[np.ndarray, np.ndarray]:
    """Return the directions of all entities by their own evidence, u and v side by side, and how certain each is."""
    found = [_direction(block) for block in blocks]
    return np.concatenate([x for x, _ in found], axis=1), np.mean([certain for _, certain in found], axis=0)


def _direction(block: Block) -> tuple[np.ndarray, np.ndarray]:
    """Return unit vectors from the common mean to where the evidence of each entity alone puts it; 0 without any.

    An entity is as certain as evidence outweighs a prior of the usual precision: between 0 and 1.
    """
    sites = block.as_sites()
    known, result, certain = block.active & sites.known, np.zeros(block.mean.shape), np.zeros(len(block))
    if known.any():
        tau, centre = block.tau[known].mean(), block.mean[known].astype(np.float64).mean(axis=0)
        precision = sites.precision[known]
        own = (sites.linear[known] + tau * centre) / (precision + tau)
        own -= own.mean(axis=0)
        result[known] = own / np.maximum(np.linalg.norm(own, axis=1, keepdims=True), 1e-12)
        certain[known] = (precision / (precision + tau)).mean(axis=1)
    return result, certain


def _depths(graph: Graph) -> np.ndarray:
    """Return how many edges lie between each category and the top, on the shortest way."""
    up, depth = Edges.of(graph, graph.category_nodes), np.zeros(graph.n_categories, np.int64)
    heights = graph.heights[graph.category_nodes]
    order = np.argsort(-heights, kind="stable")
    for level in np.split(order, np.flatnonzero(np.diff(heights[order])) + 1) if len(order) else []:
        own = up.of_rows(level)
        if len(own.rows):
            least = np.full(len(level), np.iinfo(np.int64).max)
            np.minimum.at(least, own.rows, depth[own.parents] + 1)
            depth[level] = np.where(least < np.iinfo(np.int64).max, least, 0)
    return depth
