"""Answers of relations: the pairs that are known, and the probability of the others.

A relation that is learned separately has one matrix for all entities, which generalises but cannot hold single pairs.
So the known pairs of a row are folded in when it is asked: d.v_j is added to the score of column j, with v_j its vector
of unit length and d ~ N(0, I s^2) a vector of the row, which its known pairs and the columns that score highest without
being pairs determine. Rows without known pairs have d = 0, so nothing that is predicted for them changes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vbn.data import Relation
from vbn.inference.neighbours import top
from vbn.inference.predictive import relation_moments, relation_scores
from vbn.inference.ranking import Dial
from vbn.inference.table import Related
from vbn.model import Trained, curvature

KNOWN = ("first", "ranked", "excluded")
"""What `related` does with pairs that training was given."""

_SPREAD = 5.0  # s, in logits; chosen on held-out antonyms and parts, where 10 fits known pairs as well and others worse
_NEAREST = 100  # columns that the known pairs are held against, in each round
_ROUNDS = 3
_STEPS = 10  # Newton steps of a round, at most


@dataclass(frozen=True)
class Asked:
    """A relation of a model, with its known pairs; None if the model does not know which pairs it was given."""

    trained: Trained
    name: str
    pairs: Relation | None

    @property
    def number(self) -> int:
        """Return the number of the relation."""
        return self.trained.relation_number(self.name)

    def known(self, row: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the columns to which the relation is known to lead from a row, and their weights, 1 on average."""
        if self.pairs is None:
            return np.empty(0, np.int64), np.empty(0)
        own = slice(*np.searchsorted(self.pairs.left, [row, row + 1]).tolist())
        return self.pairs.right[own].astype(np.int64), self.pairs.weights[own] / self.pairs.weights.mean()

    def moments(self, row: int, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return mean and variance of the scores from a row to some columns."""
        mean, variance = self.moments_of_rows(np.array([row]), columns)
        return mean[0], variance[0]

    def moments_of_rows(self, rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return mean and variance of the scores from rows to some columns, as (rows, columns) arrays."""
        mean, variance = self._scaled(*relation_moments(self.trained, self.number, rows, columns))
        for at, row in enumerate(rows.tolist()):
            mean[at] += self._lifted(row, columns)
        return mean, variance

    def pair_moments(self, rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return mean and variance of the scores of pairs of ids."""
        mean, variance = self._scaled(*relation_scores(self.trained, self.number, rows, columns))
        order = np.argsort(rows, kind="stable")
        for at in np.split(order, np.flatnonzero(np.diff(rows[order])) + 1):
            if len(at):
                mean[at] += self._lifted(int(rows[at[0]]), columns[at])
        return mean, variance

    def _scaled(self, mean: np.ndarray, variance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        info = self.trained.relations[self.number]
        return info.scale * mean + info.shift, info.scale**2 * variance

    def _lifted(self, row: int, columns: np.ndarray) -> np.ndarray:
        """Return what the known pairs of a row add to the means of the scores of some columns."""
        known, weights = self.known(row)
        if not len(known) or not self.trained.relations_apart:
            return np.zeros(len(columns))
        vectors = self.trained.relation_parts[1].mean
        return np.asarray(vectors[columns] @ self._fold_in(row, known, weights))

    def _fold_in(self, row: int, known: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the most probable d of a row."""
        trained, (rows, columns) = self.trained, self.trained.relation_parts
        info, blocks = trained.relations[self.number], trained.posterior.relations[self.number]
        query = blocks.y.mean.T @ (blocks.x.mean @ rows.mean[row])
        start = info.scale * (columns.mean @ query + blocks.r.mean).astype(np.float64) + info.shift
        others = trained.profile.candidates("column").copy()
        others[known] = False
        if trained.shared:
            others[row] = False
        d, held = np.zeros(columns.mean.shape[1]), np.empty(0, np.int64)
        for _ in range(_ROUNDS):
            scores = start + columns.mean @ d.astype(columns.mean.dtype)
            held = np.union1d(held, _highest(scores, others, _NEAREST))
            at = np.concatenate([known, held])
            weight = np.concatenate([weights, np.ones(len(held))])
            vectors = columns.mean[at].astype(np.float64)
            d = _most_probable(d, vectors, start[at], weight, np.arange(len(at)) < len(known))
        return d


def _highest(scores: np.ndarray, allowed: np.ndarray, k: int) -> np.ndarray:
    """Return the ids of the k highest allowed scores, in any order."""
    ids = np.flatnonzero(allowed)
    return ids if len(ids) <= k else ids[np.argpartition(-scores[ids], k)[:k]]


def _most_probable(
    d: np.ndarray, vectors: np.ndarray, start: np.ndarray, weights: np.ndarray, related: np.ndarray
) -> np.ndarray:
    """Return the mode of d ~ N(0, I s^2), given whether each score start + vectors.d is that of a pair.

    Each step solves the bound of Jaakkola and Jordan, so none of them goes too far.
    """
    prior = np.eye(len(d)) / _SPREAD**2
    for _ in range(_STEPS):
        slope = 2.0 * weights * curvature(np.abs(start + vectors @ d))
        pull = (weights * (related - 0.5) - slope * start) @ vectors
        before, d = d, np.linalg.solve((vectors * slope[:, None]).T @ vectors + prior, pull)
        if np.abs(d - before).max() < 1e-3:
            break
    return d


def related(asked: Asked, entity: object, k: int, candidates: np.ndarray, dial: Dial, known: str = "first") -> Related:
    """Find the k columns to which a relation most probably leads from the entity.

    `known` pairs come first (by weight, then probability), are ranked like the others, or are excluded.
    """
    trained, i = asked.trained, asked.trained.rows.id(entity)
    allowed, (ours, weights) = candidates.copy(), asked.known(i)
    if trained.shared:
        allowed[i] = False
    allowed[ours] = True
    columns = np.flatnonzero(allowed)
    mean, variance = asked.moments(i, columns)
    link = trained.relation_link(asked.name)
    scores = link.logit(mean, variance) + dial.added(trained.profile)[columns]
    places = np.searchsorted(columns, ours)
    free = np.ones(len(columns), dtype=bool)
    free[places] = known == "ranked"
    first = places[np.lexsort((places, -scores[places], -weights))][:k] if known == "first" else places[:0]
    rest = k - len(first)
    best = np.concatenate([first, top(scores, free, rest)]) if rest else first
    told = [None] * len(best) if asked.pairs is None else np.isin(best, places).tolist()
    mean, variance = mean[best], variance[best]
    names, labels = trained.columns, trained.columns.labels_of(columns[best])
    entities = [names[j] for j in columns[best].tolist()]
    return Related(entities, link.probability(mean, variance), link.std(mean, variance), told, labels)
