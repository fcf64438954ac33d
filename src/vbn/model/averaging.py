"""Average posteriors over epochs: each epoch sees a different sample, and the noise averages out.

Natural parameters (precision, and precision times mean) are averaged: an epoch that sampled few cells of an entity
weighs little for it. This matters most for rare entities and for the biases of relations, which fall back to their
prior in every epoch that does not sample them.
"""

from __future__ import annotations

import numpy as np

from vbn.model.posterior import Posterior

_ROWS = 1 << 13  # at a time


class RunningAverage:
    """A moving average of posteriors, about as smooth as a mean over `span` epochs; at first, a plain mean."""

    def __init__(self, span: int) -> None:
        self.span = span
        self.seen = 0
        self._latest: Posterior | None = None
        self._store: dict[str, np.ndarray] = {}

    def add(self, posterior: Posterior) -> None:
        """Add the posterior of an epoch."""
        self.seen += 1
        self._latest = posterior
        share = max(1.0 / self.seen, 2.0 / (self.span + 1.0))
        natural = _Natural(posterior)
        for path, array in posterior.arrays().items():
            begins = path not in self._store
            if begins:
                self._store[path] = np.empty(array.shape, natural(path, slice(0)).dtype)
            for first in range(0, len(array), _ROWS):
                here, new = self._store[path][first : first + _ROWS], natural(path, slice(first, first + _ROWS))
                here[...] = new if begins else here + new.dtype.type(share) * (new - here)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays of the average by path, such as "u.mean", as `restore` takes them.

        They are natural parameters: means hold precision times mean, variances hold the precision.
        """
        return dict(self._store)

    def restore(self, seen: int, posterior: Posterior, arrays: dict[str, np.ndarray]) -> None:
        """Continue as if `seen` epochs had been added; `posterior` is that of the last one."""
        self.seen, self._latest = seen, posterior
        self._store = {path: array.copy() for path, array in arrays.items()}

    def posterior(self, last: bool = False) -> Posterior:
        """Return the averaged posterior in new arrays, or with `last` in those of the average, which begins again."""
        if self._latest is None:
            raise ValueError("no epoch has been averaged yet.")
        made = self._store if last else {path: array.copy() for path, array in self._store.items()}
        for mean, variance in _pairs(self._latest):
            np.divide(made[mean], _wide(made[variance], made[mean]), out=made[mean])
            np.divide(1.0, made[variance], out=made[variance])
        found = self._latest.with_arrays(made)
        if last:
            self.seen, self._latest, self._store = 0, None, {}
        return found


def _pairs(posterior: Posterior) -> list[tuple[str, str]]:
    """Return the paths of the means and variances that are averaged together."""
    return [
        (path, f"{path.removesuffix(field.name)}{field.partner}")
        for path, field, _ in posterior.declared()
        if field.partner is not None
    ]


class _Natural:
    """Some rows at a time of the arrays of a posterior, with Gaussians as natural parameters."""

    def __init__(self, posterior: Posterior) -> None:
        self._arrays, self._variance_of = posterior.arrays(), dict(_pairs(posterior))

    def __call__(self, path: str, rows: slice) -> np.ndarray:
        """Return some rows of an array."""
        array = self._arrays[path][rows]
        if path in self._variance_of.values():
            return np.asarray(1.0 / array)
        if path in self._variance_of:
            return np.asarray(array * _wide(1.0 / self._arrays[self._variance_of[path]][rows], array))
        return array


def _wide(precision: np.ndarray, like: np.ndarray) -> np.ndarray:
    return precision if precision.ndim == like.ndim else precision[:, None]
