"""Averaging over epochs: each epoch sees another sample, and its noise averages out.

Natural parameters (precision, and precision times mean) are averaged, so that an entity which had few cells in one
epoch's sample weighs little there. It matters most for rare entities and for the biases of relations, which fall back
to their prior in every epoch that does not sample them.
"""

from __future__ import annotations

import numpy as np

from vbn.model._posterior import Posterior

_GAUSSIANS = (
    ("u.mean", "u.variance"),
    ("u.category_mean", "u.category_variance"),
    ("v.mean", "v.variance"),
    ("v.category_mean", "v.category_variance"),
    ("bias.mean", "bias.variance"),
    ("bias.category_mean", "bias.category_variance"),
    ("x.mean", "x.variance"),
    ("y.mean", "y.variance"),
    ("relation_bias.mean", "relation_bias.variance"),
)
_PLAIN = (
    "u.tau_rate", "u.category_rate", "v.tau_rate", "v.category_rate", "bias.tau_rate", "bias.category_rate",
    "x.tau_rate", "y.tau_rate", "relation_bias.tau_rate", "bias.centre_mean", "bias.centre_variance",
    "relation_bias.centre_mean", "relation_bias.centre_variance",
)  # fmt: skip


class RunningAverage:
    """A moving average of posteriors, as free of noise as a mean of `span` epochs; a plain mean of the first few."""

    def __init__(self, span: int) -> None:
        self.span = span
        self._seen = 0
        self._linear: dict[str, np.ndarray] = {}
        self._precision: dict[str, np.ndarray] = {}
        self._plain: dict[str, np.ndarray] = {}
        self._offsets = np.empty(0, np.int64)

    def add(self, posterior: Posterior) -> None:
        """Take in the posterior of an epoch."""
        self._seen += 1
        share = max(1.0 / self._seen, 2.0 / (self.span + 1.0))
        arrays = posterior.arrays()
        self._offsets = posterior.offsets
        for mean, variance in _GAUSSIANS:
            precision = 1.0 / arrays[variance]
            wide = precision if precision.ndim == arrays[mean].ndim else precision[:, None]
            _blend(self._precision, variance, precision, share)
            _blend(self._linear, mean, arrays[mean] * wide, share)
        for path in _PLAIN:
            _blend(self._plain, path, arrays[path], share)

    @property
    def seen(self) -> int:
        """Number of epochs taken in."""
        return self._seen

    def arrays(self) -> dict[str, np.ndarray]:
        """Every array of the average by its path, such as "linear.u.mean": what `restore` takes."""
        stores = {"linear": self._linear, "precision": self._precision, "plain": self._plain}
        return {f"{kind}.{path}": array for kind, store in stores.items() for path, array in store.items()}

    @staticmethod
    def like(posterior: Posterior) -> dict[str, np.ndarray]:
        """For each path of `arrays` an array of the posterior that has the same shape and type."""
        arrays = posterior.arrays()
        found = {f"linear.{mean}": arrays[mean] for mean, _ in _GAUSSIANS}
        found |= {f"precision.{variance}": arrays[variance] for _, variance in _GAUSSIANS}
        return found | {f"plain.{path}": arrays[path] for path in _PLAIN}

    def restore(self, seen: int, posterior: Posterior, arrays: dict[str, np.ndarray]) -> None:
        """Go on as if `seen` epochs had been taken in, the last of which left this posterior."""
        self._seen, self._offsets = seen, posterior.offsets
        for kind, store in (("linear", self._linear), ("precision", self._precision), ("plain", self._plain)):
            prefix = f"{kind}."
            found = {path.removeprefix(prefix): a.copy() for path, a in arrays.items() if path.startswith(prefix)}
            store.clear()
            store.update(found)

    def posterior(self) -> Posterior:
        """The averaged posterior, in arrays of its own."""
        arrays = {"offsets": self._offsets.copy()} | {path: array.copy() for path, array in self._plain.items()}
        for mean, variance in _GAUSSIANS:
            linear, precision = self._linear[mean], self._precision[variance]
            wide = precision if precision.ndim == linear.ndim else precision[:, None]
            arrays[mean], arrays[variance] = linear / wide, 1.0 / precision
        return Posterior.from_arrays(arrays)


def _blend(store: dict[str, np.ndarray], path: str, new: np.ndarray, share: float) -> None:
    if path not in store:
        store[path] = new.copy()
    else:
        store[path] += new.dtype.type(share) * (new - store[path])
