"""Senses: the occurrences of one entity split over its parents, without training again.

Each occurrence of the entity is explained by one of its parents n, with probability omega_n before its context is
known, and each parent has a density u_n of the entity of its own, with the prior N(h_n, I / tau_n). Given everything
else of a trained model, the updates are

    x_n = u_n.v_j + b_j,   xi_n^2 = E[x_n^2]
    log r+-_jn = E[log omega_n] + log sigmoid(xi_n) - xi_n / 2 +- E[x_n] / 2     of a positive and a negative cell j
    omega ~ Dirichlet(a_n N + sum_j (w+ r+ + w- r-)),   a the weights of the N parents
    u_n, tau_n: as in training, from cells that weigh w+ r+ and w- r-
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vbn._errors import REMEDY, DataError
from vbn.data import Vocabulary
from vbn.inference.expected import Expected
from vbn.inference.table import Frames
from vbn.model import EntityCells, Gamma, Half, Trained, curvature

_SWEEPS = 20  # at most
_SETTLED = 1e-3  # change of a responsibility
_NOISE = 512  # cells that stand for all negatives
_CONTEXTS = 5


@dataclass(frozen=True)
class Sense:
    """A sense of an entity: the parent, how likely it is, and the contexts that tell it from the others."""

    sense: str
    weight: float
    count: float
    contexts: tuple[str, ...]


@dataclass(frozen=True)
class SenseOf:
    """A sense of an entity in a context, and its probability."""

    sense: str
    probability: float


class _Rows(Frames, Sequence[Any]):
    """A table whose rows are small objects."""

    def __init__(self, rows: Sequence[Any]) -> None:
        self._rows = list(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        return type(self)(self._rows[index]) if isinstance(index, slice) else self._rows[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries, ready for JSON."""
        return [
            {name: list(value) if isinstance(value, tuple) else value for name, value in vars(row).items()}
            for row in self
        ]

    def _columns(self) -> dict[str, Any]:
        rows = self.to_dicts()
        return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}


class Senses(_Rows):
    """The senses of an entity, the most frequent first.

    Examples
    --------
    >>> Senses([Sense("shore", 0.7, 12.0, ("river", "water")), Sense("institution", 0.3, 5.0, ("money",))])
    sense        weight  count  contexts
    shore          0.70   12.0  river, water
    institution    0.30    5.0  money
    """

    def __repr__(self) -> str:
        wide = max([len("sense"), *(len(row.sense) for row in self)])
        lines = [f"{'sense':<{wide}}  weight  count  contexts"]
        lines += [f"{r.sense:<{wide}}  {r.weight:6.2f}  {r.count:5.1f}  {', '.join(r.contexts)}".rstrip() for r in self]
        return "\n".join(lines)


class SensesOf(_Rows):
    """The senses that an entity may have in a context, the most probable first.

    Examples
    --------
    >>> SensesOf([SenseOf("shore", 0.96), SenseOf("institution", 0.04)])
    sense        probability
    shore               0.96
    institution         0.04
    """

    def __repr__(self) -> str:
        wide = max([len("sense"), *(len(row.sense) for row in self)])
        lines = [f"{row.sense:<{wide}}  {row.probability:11.2f}" for row in self]
        return "\n".join([f"{'sense':<{wide}}  probability", *lines])


@dataclass
class Split:
    """The occurrences of an entity, split over its parents.

    Attributes
    ----------
    parents
        Names of the N parents.
    cells
        What the entity was seen with, and the noise pairs, merged to a few hundred.
    dirichlet
        The parameters of q(omega), (N,); `prior_dirichlet` are those of the prior.
    mean, variance, rate
        The densities of the entity in each sense, (N, t), and the rates of q(tau_n), (N,).
    positive, negative
        The responsibilities of each sense for the positive and the negative part of each cell, (cells, N).
    """

    parents: list[str]
    cells: EntityCells
    prior_dirichlet: np.ndarray
    prior_mean: np.ndarray
    prior_variance: np.ndarray
    gamma: Gamma
    side: Others
    dirichlet: np.ndarray = field(init=False)
    mean: np.ndarray = field(init=False)
    variance: np.ndarray = field(init=False)
    rate: np.ndarray = field(init=False)
    positive: np.ndarray = field(init=False)
    negative: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        n, t = self.prior_mean.shape
        self.rate = np.full(n, self.gamma.beta * self.gamma.shape / self.gamma.alpha)
        self.mean = self.prior_mean.copy()
        self.variance = np.repeat((self.rate / self.gamma.shape + self.prior_variance)[:, None], t, axis=1)
        self.dirichlet = self.prior_dirichlet.copy()
        self.positive = self.negative = np.tile(self.weights, (len(self.cells.others), 1))

    @property
    def weights(self) -> np.ndarray:
        """Return E[omega]."""
        return np.asarray(self.dirichlet / self.dirichlet.sum())

    def sweep(self) -> float:
        """Update everything once; return the largest change of a responsibility of a positive cell."""
        before = self.positive
        self.choose()
        self.update_weights()
        self.update_densities()
        return float(np.abs(self.positive - before)[self.cells.positive > 0].max(initial=0.0))

    def choose(self) -> None:
        """Update the responsibilities."""
        fit, pull = self._evidence(self.cells.others)
        self.positive, self.negative = _softmax(fit + pull), _softmax(fit - pull)

    def update_weights(self) -> None:
        """Update q(omega)."""
        held = self.cells.positive @ self.positive + self.cells.negative @ self.negative
        self.dirichlet = self.prior_dirichlet + held

    def update_densities(self) -> None:
        """Update q(u_n) and q(tau_n) of every sense; means are solved for, variances are those of mean field."""
        v, v_variance, bias, _ = self.side.at(self.cells.others)
        _, xi = self._scores(self.cells.others)
        second = v**2 + v_variance
        for n in range(len(self.parents)):
            plus, minus = self.cells.positive * self.positive[:, n], self.cells.negative * self.negative[:, n]
            stiff = 2.0 * curvature(xi[:, n]) * (plus + minus)
            tau = self.gamma.shape / self.rate[n]
            precision = tau + stiff @ second
            matrix = (stiff[:, None] * v).T @ v
            matrix[np.diag_indices_from(matrix)] = precision
            pull = tau * self.prior_mean[n] + (0.5 * (plus - minus) - stiff * bias) @ v
            self.mean[n], self.variance[n] = np.linalg.solve(matrix, pull), 1.0 / precision
        gaps = ((self.mean - self.prior_mean) ** 2 + self.variance).sum(axis=1)
        self.rate = self.gamma.beta + 0.5 * (gaps + self.mean.shape[1] * self.prior_variance)

    def probabilities(self, others: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the probability of each sense for an occurrence with these contexts, which count by their weights."""
        fit, pull = self._evidence(others)
        prior = self._log_weights()
        return np.asarray(_softmax((prior + weights @ (fit + pull - prior))[None])[0])

    def _scores(self, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return E[x_n] and xi_n for some cells, both (cells, N)."""
        v, v_variance, bias, bias_variance = self.side.at(others)
        mean = v @ self.mean.T + bias[:, None]
        variance = v_variance @ (self.mean**2 + self.variance).T + v**2 @ self.variance.T + bias_variance[:, None]
        return mean, np.sqrt(mean**2 + variance)

    def _evidence(self, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the part of log r that positives and negatives share, and the part whose sign differs."""
        mean, xi = self._scores(others)
        return self._log_weights() - np.logaddexp(0.0, -xi) - 0.5 * xi, 0.5 * mean

    def _log_weights(self) -> np.ndarray:
        from scipy.special import digamma

        return np.asarray(digamma(self.dirichlet) - digamma(self.dirichlet.sum()))


@dataclass(frozen=True)
class Others:
    """The densities of what an entity is seen with: v and b for a row; u, and its own bias, for a column."""

    own: Half
    other: Half
    number: int

    def at(self, ids: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return means and variances of vectors, and of biases."""
        block, columns = self.other.block, ids if self.other.bias is not None else np.full(len(ids), self.number)
        bias = self.other.bias or self.own.bias
        assert bias is not None
        mean, variance = block.mean[ids].astype(np.float64), block.variance[ids].astype(np.float64)
        return mean, variance, bias.mean[columns].astype(np.float64), bias.variance[columns].astype(np.float64)


def split_occurrences(trained: Trained, entity: str, side: str, shown: Expected, sweeps: int = _SWEEPS) -> Split:
    """Split the occurrences of an entity over its parents, until the responsibilities settle."""
    half = trained.halves(side)[0]
    i = half.names.id(entity)
    parents = _parents(half, entity, side)
    other = trained.v if half.letter == "u" else trained.u
    cells = _merged(half.turned(shown.row, shown.column)[0](i))
    nodes = half.names.ids([name for name, _ in parents])
    categories, row = half.categories(nodes), np.array([i])
    own = half.block.gamma.at(row)
    rest = sum(
        (prior.means(row)[0] for prior in half.block.prior.members() if prior is not half.block.hierarchy),
        np.zeros(half.block.gamma.dim),
    )
    found = Split(
        [name for name, _ in parents],
        cells,
        np.array([weight for _, weight in parents]) * len(parents),
        categories.mean.astype(np.float64) + rest,
        categories.variance[:, 0].astype(np.float64),
        Gamma(float(np.ravel(own.alpha)[0]), float(np.ravel(own.beta)[0]), own.dim),
        Others(half, other, i),
    )
    for _ in range(sweeps):
        if found.sweep() < _SETTLED:
            break
    return found


def senses(split: Split, others: Vocabulary, k: int = _CONTEXTS) -> Senses:
    """Return a split as a table; `others` are the names of contexts."""
    cells, rows = split.cells, []
    seen = cells.seen @ split.positive
    lift = np.log(np.maximum(split.positive, 1e-300)) - np.log(split.weights)
    worth = cells.positive[:, None] * split.positive * lift
    for n, name in enumerate(split.parents):
        best = np.argsort(-worth[:, n], kind="stable")[:k]
        contexts = tuple(others[int(cells.others[at])] for at in best.tolist() if worth[at, n] > 0)
        rows.append(Sense(name, float(split.weights[n]), float(seen[n]), contexts))
    return Senses(sorted(rows, key=lambda row: -row.weight))


def sense_of(split: Split, others: Vocabulary, contexts: Mapping[str, float], keep: np.ndarray) -> SensesOf:
    """Return the senses of an occurrence with some contexts.

    `keep` says how much an occurrence of each context counts in training, which thins out frequent ones.
    """
    ids = others.ids(contexts)
    weights = np.array(list(contexts.values()), dtype=np.float64) * keep[ids]
    p = split.probabilities(ids, weights)
    order = np.argsort(-p, kind="stable").tolist()
    return SensesOf([SenseOf(split.parents[n], float(p[n])) for n in order])


def _parents(half: Half, entity: str, side: str) -> list[tuple[str, float]]:
    """Return the parents of an entity with their weights; refuse one without several."""
    taxonomy = half.side.taxonomy
    parents = [] if taxonomy is None else taxonomy.parents(entity)
    if len(parents) > 1:
        return parents
    has = f"has one parent, {parents[0][0]!r}" if parents else "has no parents"
    where = "" if taxonomy is not None else f", as the model has no taxonomy of its {side}s"
    raise DataError(
        f"{entity!r} {has}{where}. Its senses are its parents, so it needs at least two. Add them to the taxonomy with "
        f"{REMEDY} and train again.",
        remedies=[("", "data.with_taxonomy()")],
    )


def _merged(cells: EntityCells) -> EntityCells:
    """Return all observed cells, and few others: at even steps of the cumulative weight of the negatives."""
    observed, negative = cells.seen > 0, cells.negative.astype(np.float64)
    total = negative.sum()
    if np.count_nonzero(negative) > _NOISE:
        steps = np.cumsum(negative) / total
        at = np.searchsorted(steps, (np.arange(_NOISE) + 0.5) / _NOISE)
        negative = np.bincount(at, minlength=len(negative)) * (total / _NOISE)
    kept = np.flatnonzero(observed | (negative > 0))
    return EntityCells(cells.others[kept], cells.seen[kept], cells.positive[kept].astype(np.float64), negative[kept])


def _softmax(logs: np.ndarray) -> np.ndarray:
    found = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(found / found.sum(axis=1, keepdims=True))
