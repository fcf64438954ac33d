"""Content as a prior: m_i += A f_i, with f_i the features of an entity or category and A learned, A_df ~ N(0, 1 / rho).

q(A) has the rows M_d with one covariance S for all dimensions, which is the optimum itself:

    S = (diag rho + sum_k E[tau_k] f_k f_k')^-1,    M = (sum_k E[tau_k] (mu_k - s_k) f_k') S,

where k runs over entities and categories that data reaches, and s_k is what other priors say. The mean M f_i and the
variance f_i' S f_i of every entity are kept: everything but the update of A reads these, so a model works without the
features that it learned from. Biases are the same in one dimension.

Sums run over fixed blocks of rows, whose results are added in order, and BLAS has one thread meanwhile: its sums depend
on how many it has. So the bits depend neither on the threads nor on the machines that the blocks are spread over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from vbn._errors import NumericalError
from vbn.data import ROWS_AT_ONCE, Features, Sources, Vocabulary
from vbn.model.engine import FeatureTask, row_ranges
from vbn.model.fields import MEAN, PLAIN, RATE, VARIANCE, Field
from vbn.model.priors.base import Match, Prior, Setting, Share, Upper, register
from vbn.model.side import Side
from vbn.model.steady import steadily

if TYPE_CHECKING:
    from vbn.model.block import Block
    from vbn.model.engine import Engine

_BLOCKS_AT_ONCE = 16  # whose sums, F x F numbers each, are held at the same time, or more if they take less than
_ROOM = 64 << 20  # bytes
_PANELS = 8  # of columns of a triangular matrix, most of whose zeros are left out of products
_CHEAP = 25.0  # multiplications for each cell and dimension: an update that needs k times as many comes after k epochs
_RAREST = 8  # but at least after so many


class Shifted(Prior):
    """The prior that content gives to some rows, without what is needed to update it."""

    def __init__(self, shift: np.ndarray, leverage: np.ndarray) -> None:
        self.shift, self.leverage = shift, leverage

    def means(self, rows: np.ndarray) -> np.ndarray:
        """Return M f_i."""
        return np.asarray(self.shift[rows], dtype=np.float64)

    def variances(self, rows: np.ndarray) -> np.ndarray:
        """Return f_i' S f_i."""
        return np.asarray(self.leverage[rows])

    def informs(self, rows: np.ndarray) -> np.ndarray:
        """Return a mask of the rows that have features."""
        return np.asarray(self.leverage[rows] > 0)

    def part(self, first: int, last: int) -> Shifted:
        """Return the prior of some rows, numbered from 0."""
        return Shifted(self.shift[first:last], self.leverage[first:last])


class Scaling(NamedTuple):
    """How features are scaled: by the mean and the factor of each column."""

    centre: np.ndarray
    factor: np.ndarray
    dtype: np.dtype

    def of(self, features: Sources, rows: np.ndarray) -> np.ndarray:
        """Return the features (n, F) of some rows."""
        return features.scaled(rows, self.centre, self.factor, self.dtype)


@dataclass(frozen=True)
class Sums:
    """Sums what the features of some rows say about A."""

    scaling: Scaling

    def __call__(
        self, features: Sources, rows: np.ndarray, weight: np.ndarray, pull: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return sum w_k f_k f_k' and sum f_k pull_k', where w_k > 0."""
        used = weight > 0
        values = self.scaling.of(features, rows[used])
        scaled = values * np.sqrt(weight[used])[:, None].astype(values.dtype)
        return scaled.T @ scaled, values.T @ pull[used]


@dataclass(frozen=True)
class Predictions:
    """Predicts the mean and variance of some rows, given weights M and a root of S."""

    scaling: Scaling
    weights: np.ndarray
    root: np.ndarray

    def __call__(self, features: Sources, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return M f_i and f_i' S f_i."""
        values = self.scaling.of(features, rows)
        return values @ self.weights, _squares(values, self.root)


class Base(NamedTuple):
    """The prior N(mean, precision^-1) of every row of A, where it is not N(0, 1 / rho): what was learned earlier."""

    mean: np.ndarray
    precision: np.ndarray


@register
class Linear(Shifted):
    """A learned linear map of features as a prior."""

    name, everywhere = "linear", True
    fields = (
        Field("weights", PLAIN, ("feature", "dim")),
        Field("covariance", PLAIN, ("feature", "feature")),
        Field("centre", PLAIN, ("feature",)),
        Field("factor", RATE, ("feature",)),
        Field("shift", MEAN, ("entity", "dim")),
        Field("leverage", VARIANCE, ("entity",), or_zero=True),
    )

    def __init__(self, features: Features, rho: np.ndarray, arrays: Mapping[str, np.ndarray]) -> None:
        self.features, self.rho = features, rho
        self.weights, self.covariance = arrays["weights"], arrays["covariance"]
        self.centre, self.factor = arrays["centre"], arrays["factor"]
        super().__init__(arrays["shift"], arrays["leverage"])
        self.base: Base | None = None
        self.frozen = np.empty(0, np.int64)
        self._rests = False

    @classmethod
    def of(cls, side: Side, setting: Setting) -> Linear | None:
        """Return the prior of the side's features, if it has any."""
        features, n, t = side.features, len(side.names), setting.dim
        if features is None or not features.sources:
            return None
        width, full = features.width, setting.full
        strength = [np.full(own.width, setting.hyperpriors.strength_of(own.name)) for own in features.sources]
        arrays = {
            "weights": full((width, t), 0.0, np.float64),
            "covariance": full((width, width), 0.0, np.float64),
            "centre": full(width, 0.0, np.float64),
            "factor": full(width, 1.0, np.float64),
            "shift": full((n, t), 0.0, setting.dtype),
            "leverage": full(n, 0.0, np.float64),
        }
        return cls(features, 1.0 / np.concatenate(strength), arrays)

    @property
    def rows(self) -> np.ndarray:
        """Return the rows whose features are at hand and whose content is not frozen."""
        known = self.features.known.copy()
        known[self.frozen] = False
        return np.flatnonzero(known)

    @steadily
    def start(self) -> None:
        """Scale the features, and set q(A) to its prior."""
        self.centre[:], self.factor[:] = self.features.scaling()
        self.covariance[...] = np.diag(1.0 / self.rho)
        rows = self.rows
        for first, last in row_ranges(len(rows), ROWS_AT_ONCE):
            self.leverage[rows[first:last]] = self._scaling().of(self.features, rows[first:last]) ** 2 @ (
                1.0 / self.rho
            )

    def begin(self, epoch: int, work: float) -> None:
        """Rest in some epochs if an update is costly: features may be many and wide, and data little."""
        load = float(self.features.known.sum()) * self.features.width**2 / max(work, 1.0)
        every = min(max(int(np.ceil(load / _CHEAP)), 1), _RAREST)
        self._rests = epoch % every != min(1, every - 1)

    @steadily
    def update(self, block: Block, offset: np.ndarray | None, engine: Engine) -> None:
        """Update q(A) from all entities and categories that have features and that data reaches."""
        from scipy.linalg import LinAlgError, cho_factor, cho_solve

        if self._rests:
            return
        rows = self.rows
        precision, linear = np.diag(self.rho), np.zeros_like(self.weights)
        if self.base is not None:
            precision, linear = self.base.precision.copy(), self.base.precision @ self.base.mean
        for _, (gram, pull) in self._sums(rows, block, offset, engine):
            precision += gram
            linear += pull
        try:
            factor = cho_factor(precision, lower=True)
        except (LinAlgError, ValueError) as error:
            raise NumericalError(
                "the weights of the features cannot be computed; reduce {remedy}, or use {remedy}.",
                remedies=[("content_strength",), ("dtype", "float64")],
            ) from error
        covariance = cho_solve(factor, np.eye(len(precision)))
        self.covariance[...] = 0.5 * (covariance + covariance.T)
        self.weights[...] = cho_solve(factor, linear)
        self._refresh(rows, engine)

    def _sums(
        self, rows: np.ndarray, block: Block, offset: np.ndarray | None, engine: Engine
    ) -> Iterator[tuple[np.ndarray, Any]]:
        """Yield each block of rows with its sum E[tau_k] f_k f_k' and sum E[tau_k] f_k (mu_k - s_k)'."""
        uppers = [upper for prior in block.prior.members() if (upper := prior.upper()) is not None]
        found = [(upper, _places(upper, len(block))) for upper in uppers]
        tau, mean = block.tau, block.mean.reshape(len(block), -1)

        def inputs(first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
            own = rows[first:last]
            weight = np.where(block.active[own], tau[own], 0.0)
            gap = mean[own] if offset is None else mean[own] - offset[own]
            pull = weight[:, None] * gap
            for upper, places in found:
                at = places[own]
                there = at >= 0
                weight[there] += upper.tau[at[there]]
                pull[there] += upper.tau[at[there], None] * upper.gap[at[there]]
            return weight, pull.astype(self.shift.dtype)

        return self._blocks(rows, Sums(self._scaling()), inputs, engine)

    def _blocks(
        self,
        rows: np.ndarray,
        work: Callable[..., Any],
        inputs: Callable[[int, int], tuple[np.ndarray, ...]],
        engine: Engine | None,
    ) -> Iterator[tuple[np.ndarray, Any]]:
        """Yield each block of rows and what some work made of it, in order."""
        task = FeatureTask(self.features, rows, ROWS_AT_ONCE, work, inputs)
        ranges = row_ranges(len(rows), task.step)
        size = self.shift.dtype.itemsize * self.features.width**2
        step = 1 if engine is None else max(_BLOCKS_AT_ONCE, _ROOM // size)
        for start in range(0, len(ranges), step):
            some = ranges[start : start + step]
            made = [task(*bounds) for bounds in some] if engine is None else engine.map(task, some)
            yield from zip((rows[first:last] for first, last in some), made, strict=True)

    def _scaling(self) -> Scaling:
        return Scaling(self.centre, self.factor, self.shift.dtype)

    def _refresh(self, rows: np.ndarray, engine: Engine | None = None) -> None:
        """Set the mean and variance that q(A) gives to some rows."""
        if len(rows) == 0:
            return
        dtype = self.shift.dtype
        work = Predictions(self._scaling(), self.weights.astype(dtype), self._root().astype(dtype))
        for own, (shift, leverage) in self._blocks(rows, work, lambda *_: (), engine):
            self.shift[own], self.leverage[own] = shift, leverage

    def _root(self) -> np.ndarray:
        """Return a triangular matrix whose product with its transpose is S."""
        try:
            return np.linalg.cholesky(self.covariance)
        except np.linalg.LinAlgError as error:
            raise NumericalError("the covariance of the weights of the features is damaged.") from error

    @steadily
    def bound(self, measured: None) -> list[float]:  # noqa: ARG002
        """Return E[log p(A)] + H[q(A)]."""
        width, t = self.weights.shape
        log_volume = 2.0 * np.log(np.diag(self._root())).sum()
        if self.base is None:
            log_precision = np.log(self.rho).sum()
            distance = (self.rho[:, None] * self.weights**2).sum() + t * (self.rho * np.diag(self.covariance)).sum()
        else:
            gap, precision = self.weights - self.base.mean, self.base.precision
            log_precision = np.linalg.slogdet(precision)[1]
            distance = (gap * (precision @ gap)).sum() + t * (precision * self.covariance).sum()
        return [float(0.5 * (t * (log_precision + log_volume + width) - distance))]

    def matched(self, old: Prior, entities: Match) -> Mapping[str, Match]:  # noqa: ARG002
        """Return the columns of sources that both priors have."""
        if not isinstance(old, Linear):
            return {}
        there, here = old.features, self.features
        common = [name for name, width in here.widths.items() if there.widths.get(name) == width]
        numbers = [
            [number for name in common for number in range(own.places[name].start, own.places[name].stop)]
            for own in (there, here)
        ]
        return {"feature": (np.array(numbers[0], dtype=np.int64), np.array(numbers[1], dtype=np.int64))}

    @steadily
    def carried(self, old: Prior, entities: Match) -> None:
        """Compute the content of the rows that the older prior did not have."""
        if isinstance(old, Linear):
            unknown = self.features.known.copy()
            unknown[self._known_before(old, entities)] = False
            self._refresh(np.flatnonzero(unknown))

    @steadily
    def go_on(self, old: Prior, entities: Match) -> None:
        """Let what was learned earlier stand for the features that are no longer at hand.

        If entities of the earlier model have none in the new data, their content stays as it is, and q(A) of the
        earlier model is the prior of A: they are what it was learned from.
        """
        if not isinstance(old, Linear):
            return
        before = self._known_before(old, entities)
        if self.features.known[before].all():
            return
        there, here = self.matched(old, entities)["feature"]
        root = old._root()
        inverse = np.linalg.solve(root, np.eye(len(root)))
        precision, mean = np.diag(self.rho), np.zeros_like(self.weights)
        precision[np.ix_(here, here)] = (inverse.T @ inverse)[np.ix_(there, there)]
        mean[here] = old.weights[there]
        self.frozen, self.base = before, Base(mean, precision)

    @staticmethod
    def _known_before(old: Linear, entities: Match) -> np.ndarray:
        return np.asarray(entities[1][old.leverage[entities[0]] > 0])

    def shares(self, i: int, names: Vocabulary) -> list[Share]:  # noqa: ARG002
        """Return the contribution of each source; of all together if the features are not at hand."""
        if not self.leverage[i] > 0:
            return []
        sources = self.features.sources
        if not self.features.known[i]:
            return [Share(", ".join(own.name for own in sources), 1.0, self.means(np.array([i]))[0], content=True)]
        values = self.features.scaled(np.array([i]), self.centre, self.factor)[0]
        return [
            Share(name, 1.0, values[own] @ self.weights[own], content=True)
            for name, own in self.features.places.items()
            if values[own].any()
        ]

    def outlying(self, i: int, active: np.ndarray, tau: np.ndarray) -> float:
        """Return the variance of the content of row i, relative to what all but 1 % of the trained rows have at most.

        A trained row counts as it would without its own data, which lowers its variance from l / (1 - tau l) to l.
        """
        trained = np.flatnonzero(active & (self.leverage > 0))
        if len(trained) == 0 or not self.leverage[i] > 0:
            return 0.0
        own, tau = self.leverage, np.where(active, tau, 0.0)
        alone = own / np.maximum(1.0 - tau * own, 1e-6)
        return float(alone[i] / np.quantile(alone[trained], 0.99))


def _squares(features: np.ndarray, root: np.ndarray) -> np.ndarray:
    """Return the squared lengths of the rows of features @ root, where root is lower triangular."""
    found = np.zeros(len(features))
    for panel in np.array_split(np.arange(len(root)), min(_PANELS, len(root))):
        first, last = int(panel[0]), int(panel[-1]) + 1
        found += ((features[:, first:] @ root[first:, first:last]) ** 2).sum(axis=1, dtype=np.float64)
    return found


def _places(upper: Upper, n: int) -> np.ndarray:
    """Return where each row is among those of some upper variables, or -1."""
    places = np.full(n, -1, dtype=np.int64)
    places[upper.rows] = np.arange(len(upper.rows))
    return places
