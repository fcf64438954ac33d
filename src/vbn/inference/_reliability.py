"""`Reliability`: predicted probabilities against observed frequencies, bin by bin."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from vbn._errors import DataError, MissingExtraError

if TYPE_CHECKING:
    import pandas
    import polars
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Bin:
    """Pairs whose predicted probability lies between `lower` and `upper`."""

    lower: float
    upper: float
    predicted: float
    observed: float
    count: int
    stderr: float


@dataclass(frozen=True, repr=False)
class Reliability:
    """How predicted probabilities compare with what happened; prints as a table.

    Attributes
    ----------
    bins
        One row for each bin that is not empty: its limits, the mean predicted probability, the observed frequency, the
        number of pairs, and the standard error of the observed frequency.
    ece
        Expected calibration error: mean distance of predicted and observed over all pairs, bin by bin.
    log_loss, brier
        Mean negative log-likelihood, and mean squared error of the probabilities.
    temperature
        What the logits were divided by.
    n_pairs, skipped
        How many pairs were judged (noise included), and how many were left out because the model does not know them.

    Examples
    --------
    >>> import numpy as np
    >>> reliability = Reliability.of(np.array([0.1, 0.2, 0.9, 0.8]), np.array([0, 0, 1, 1]), bins=2)
    >>> reliability
    predicted  observed  +-    pairs
         0.15      0.00  0.22      2
         0.85      1.00  0.22      2
    ece 0.150, log loss 0.164, Brier 0.025; 4 pairs
    >>> [row.count for row in reliability]
    [2, 2]
    """

    bins: tuple[Bin, ...]
    ece: float
    log_loss: float
    brier: float
    temperature: float
    n_pairs: int
    skipped: int

    @classmethod
    def of(
        cls, p: np.ndarray, labels: np.ndarray, weights: np.ndarray | None = None, bins: int = 10,
        temperature: float = 1.0, skipped: int = 0,
    ) -> Reliability:  # fmt: skip
        """Judge probabilities by what happened: labels of 0 and 1, with weights if some count more."""
        p, labels = np.asarray(p, dtype=np.float64), np.asarray(labels, dtype=np.float64)
        if p.shape != labels.shape or p.ndim != 1 or len(p) == 0:
            raise DataError(f"one label is needed for each probability, not {labels.shape} for {p.shape}.")
        if not ((p >= 0) & (p <= 1)).all() or not ((labels == 0) | (labels == 1)).all():
            raise DataError("probabilities lie between 0 and 1, and labels are 0 or 1.")
        w = np.ones(len(p)) if weights is None else weights / weights.mean()
        place = np.minimum((p * bins).astype(np.int64), bins - 1)
        total = np.bincount(place, w, minlength=bins)
        squares = np.bincount(place, w**2, minlength=bins)
        predicted, observed = (np.bincount(place, w * x, minlength=bins) for x in (p, labels))
        count = np.bincount(place, minlength=bins)
        rows = []
        for b in np.flatnonzero(total > 0).tolist():
            mean, frequency = predicted[b] / total[b], observed[b] / total[b]
            error = _standard_error(frequency, total[b] ** 2 / squares[b])
            rows.append(Bin(b / bins, (b + 1) / bins, float(mean), float(frequency), int(count[b]), error))
        gap = float(np.abs(predicted - observed).sum() / w.sum())
        clipped = np.clip(p, 1e-15, 1.0 - 1e-15)
        losses = -np.where(labels == 1, np.log(clipped), np.log1p(-clipped))
        brier = float(w @ (p - labels) ** 2 / w.sum())
        return cls(tuple(rows), gap, float(w @ losses / w.sum()), brier, temperature, len(p), skipped)

    def __len__(self) -> int:
        return len(self.bins)

    def __iter__(self) -> Iterator[Bin]:
        return iter(self.bins)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data, ready for JSON."""
        return asdict(self) | {"bins": [asdict(row) for row in self.bins]}

    def to_pandas(self) -> pandas.DataFrame:
        """The bins as a pandas data frame."""
        try:
            import pandas
        except ImportError as error:
            raise MissingExtraError("pandas is not installed: pip install 'vbn[tables]'.") from error
        return pandas.DataFrame(self._columns())

    def to_polars(self) -> polars.DataFrame:
        """The bins as a polars data frame."""
        try:
            import polars
        except ImportError as error:
            raise MissingExtraError("polars is not installed: pip install 'vbn[tables]'.") from error
        return polars.DataFrame(self._columns())

    def _columns(self) -> dict[str, list[Any]]:
        return {field.name: [getattr(row, field.name) for row in self.bins] for field in fields(Bin)}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw it; the same as `vbn.plot.reliability`."""
        # by name: pictures are further out in the house than answers, and only this call needs them
        axes: Axes = importlib.import_module("vbn.plot").reliability(self, ax=ax)
        return axes

    def __repr__(self) -> str:
        lines = ["predicted  observed  +-    pairs"]
        lines += [f"{b.predicted:9.2f}  {b.observed:8.2f}  {b.stderr:.2f}  {b.count:5,}" for b in self.bins]
        end = f"ece {self.ece:.3f}, log loss {self.log_loss:.3f}, Brier {self.brier:.3f}; {self.n_pairs:,} pairs"
        end += f", {self.skipped:,} more not known to the model" if self.skipped else ""
        end += f"; temperature {self.temperature:.3g}" if self.temperature != 1.0 else ""
        return "\n".join([*lines, end])


def _standard_error(frequency: float, n: float) -> float:
    """Of a frequency among n pairs, with one success and one failure added: a bin of one pair is not certain."""
    share = (n * frequency + 1.0) / (n + 2.0)
    return float(np.sqrt(share * (1.0 - share) / (n + 2.0)))
