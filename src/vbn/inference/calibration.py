"""How far predicted probabilities can be trusted: held-out pairs, reliability, and the line that fits best."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from vbn._errors import DataError
from vbn.data import INTERACTIONS, Counts, Dataset, Field, known_ids, read_columns, speaking_as
from vbn.inference.predictive import pair_scores
from vbn.inference.table import Frames
from vbn.model import Trained, sigmoid

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FIELDS = (
    Field("left", ("left", "source", "first", *INTERACTIONS[0].aliases)),
    Field("right", ("right", "target", "second", *INTERACTIONS[1].aliases)),
    Field("label", ("label", "labels", "y", "observed"), number=True, optional=True, by_position=True),
)
_FLATTEST = 0.01  # a slope below it means that none fits
_STEPS = 100  # of Newton's method
_TRIES = 16  # how often a noise pair that is an observed one is drawn again, as in training


class LabelledPairs(NamedTuple):
    """Pairs of ids, whether each is an observed pair (1) or noise (0), its weight, and how many were left out."""

    rows: np.ndarray
    columns: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    skipped: int


def labelled_pairs(
    held_out: Any, trained: Trained, negatives: float | None, observed: Counts | None, seed: int
) -> LabelledPairs:
    """Read the held-out pairs that the model knows, and draw noise pairs as in training where there are no labels.

    `observed` are the pairs that must not be drawn as noise, where training rejected them.
    """
    rows, columns, labels, weights, total = _read(held_out, trained)
    if len(rows) == 0:
        raise DataError("no held-out pair has both its entities in the model.")
    skipped = total - len(rows)
    if labels is not None:
        return LabelledPairs(rows, columns, labels, weights, skipped)
    ratio = trained.negatives if negatives is None else float(negatives)
    each = max(1, round(ratio))
    noise_rows = np.repeat(rows, each)
    noise_columns = _draw(trained, noise_rows, observed, seed)
    drawn = noise_columns >= 0
    noise_weights = np.repeat(weights, each) * (ratio / each)
    return LabelledPairs(
        np.concatenate([rows, noise_rows[drawn]]),
        np.concatenate([columns, noise_columns[drawn]]),
        np.concatenate([np.ones(len(rows)), np.zeros(int(drawn.sum()))]),
        np.concatenate([weights, noise_weights[drawn]]),
        skipped,
    )


def _read(held_out: Any, trained: Trained) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, np.ndarray, int]:
    """Return the ids of known pairs, labels if any, weights, and how many pairs there were."""
    if isinstance(held_out, Dataset):
        if held_out.shared != trained.shared:
            raise DataError(
                "rows and columns are the same entities in either the model or the held-out data, not both."
            )
        rows = known_ids(trained.rows, held_out.rows)[held_out.counts.row_ids()]
        columns = known_ids(trained.columns, held_out.columns)[held_out.counts.indices]
        labels, weights = None, held_out.counts.values
    else:
        with speaking_as(DataError, "held-out pairs"):
            read = read_columns(held_out, (), {}, _FIELDS)
        left, right = read.labels["left"], read.labels["right"]
        rows = known_ids(trained.rows, left.names)[left.codes]
        columns = known_ids(trained.columns, right.names)[right.codes]
        labels, weights = read.numbers.get("label"), np.ones(len(rows))
    if labels is not None and len(wrong := np.flatnonzero((labels != 0) & (labels != 1))):
        raise DataError(f"the label of held-out pair {wrong[0]} is {labels[wrong[0]]:g}; it must be 0 (noise) or 1.")
    known = (rows >= 0) & (columns >= 0)
    return rows[known], columns[known], None if labels is None else labels[known], weights[known], len(rows)


def _draw(trained: Trained, rows: np.ndarray, observed: Counts | None, seed: int) -> np.ndarray:
    """Draw a noise column for each row; -1 where all tries hit an observed pair."""
    noise = trained.noise()
    rng = np.random.default_rng([seed, 0xCA11])
    columns = rng.choice(len(noise), size=len(rows), p=noise)
    if observed is None or observed.nnz == 0:
        return columns
    width = len(noise)
    taken = observed.row_ids() * width + observed.indices  # ascending, as rows and the columns within them are
    bad = np.arange(len(rows))
    for attempt in range(_TRIES + 1):
        wanted = rows[bad] * width + columns[bad]
        place = np.minimum(np.searchsorted(taken, wanted), len(taken) - 1)
        bad = bad[taken[place] == wanted]
        if len(bad) == 0:
            break
        columns[bad] = rng.choice(width, size=len(bad), p=noise) if attempt < _TRIES else -1
    return columns


def pair_logits(trained: Trained, pairs: LabelledPairs) -> np.ndarray:
    """Return logits of the predictive probabilities before calibration."""
    return trained.link.logit(*pair_scores(trained, pairs.rows, pairs.columns))


def best_line(logits: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """Return the slope and intercept that maximise the likelihood of labels under p = sigmoid(slope logit + intercept).

    Newton's method on two parameters; the slope must be positive, because a model that ranks real pairs below noise is
    not one that a line can repair.
    """
    if labels.min() == labels.max():
        raise DataError("calibration needs observed pairs and noise pairs; all labels are the same.")
    if logits[labels == 1].min() > logits[labels == 0].max():
        raise DataError("the model tells all these pairs apart, so no slope fits best; calibrate on more pairs.")
    centre, scale = float(np.average(logits, weights=weights)), max(float(np.std(logits)), 1e-12)
    inputs = np.stack([(logits - centre) / scale, np.ones(len(logits))])
    share = float(np.average(labels, weights=weights))
    line = np.array([0.0, np.log(share / (1.0 - share))])
    ridge = np.array([1e-9, 0.0]) * weights.sum()
    for _ in range(_STEPS):
        p = sigmoid(line @ inputs)
        slope = inputs @ (weights * (labels - p)) - ridge * line
        curve = (inputs * (weights * p * (1.0 - p))) @ inputs.T + np.diag(ridge)
        step = np.linalg.solve(curve, slope)
        step *= min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-12))
        line += step
        if np.abs(step).max() < 1e-10:
            break
    found = float(line[0] / scale)
    if found < _FLATTEST:
        raise DataError(
            "the model does not tell these pairs apart at all, which no slope can repair; are the labels right?"
        )
    return found, float(line[1] - line[0] * centre / scale)


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
class Reliability(Frames):
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
    slope, intercept
        The line that calibration fitted to the logits; 1 and 0 without it.
    n_pairs, skipped
        How many pairs were judged (noise included), and how many were left out as the model does not know them.

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
    slope: float
    intercept: float
    n_pairs: int
    skipped: int

    @classmethod
    def of(
        cls,
        p: np.ndarray,
        labels: np.ndarray,
        weights: np.ndarray | None = None,
        bins: int = 10,
        line: tuple[float, float] = (1.0, 0.0),
        skipped: int = 0,
    ) -> Reliability:
        """Judge probabilities by what happened: labels of 0 and 1, with weights if some count more."""
        p, labels = np.asarray(p, dtype=np.float64), np.asarray(labels, dtype=np.float64)
        if p.shape != labels.shape or p.ndim != 1 or len(p) == 0:
            raise DataError(f"each probability needs one label, got labels of shape {labels.shape} for {p.shape}.")
        if not ((p >= 0) & (p <= 1)).all() or not ((labels == 0) | (labels == 1)).all():
            raise DataError("probabilities must lie between 0 and 1, and labels must be 0 or 1.")
        w = np.ones(len(p)) if weights is None else weights / weights.mean()
        place = np.minimum((p * bins).astype(np.int64), bins - 1)
        total = np.bincount(place, w, minlength=bins)
        squares = np.bincount(place, w**2, minlength=bins)
        predicted, observed = (np.bincount(place, w * x, minlength=bins) for x in (p, labels))
        count = np.bincount(place, minlength=bins)
        rows = []
        for b in np.flatnonzero(total > 0).tolist():
            mean, frequency = predicted[b] / total[b], observed[b] / total[b]
            n = total[b] ** 2 / squares[b]
            share = (n * frequency + 1.0) / (n + 2.0)  # one success and one failure more: one pair is not certain
            error = float(np.sqrt(share * (1.0 - share) / (n + 2.0)))
            rows.append(Bin(b / bins, (b + 1) / bins, float(mean), float(frequency), int(count[b]), error))
        gap = float(np.abs(predicted - observed).sum() / w.sum())
        clipped = np.clip(p, 1e-15, 1.0 - 1e-15)
        losses = -np.where(labels == 1, np.log(clipped), np.log1p(-clipped))
        brier = float(w @ (p - labels) ** 2 / w.sum())
        return cls(tuple(rows), gap, float(w @ losses / w.sum()), brier, *line, len(p), skipped)

    def __len__(self) -> int:
        return len(self.bins)

    def __iter__(self) -> Iterator[Bin]:
        return iter(self.bins)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data, ready for JSON."""
        return asdict(self) | {"bins": [asdict(row) for row in self.bins]}

    def _columns(self) -> dict[str, Any]:
        return {field.name: [getattr(row, field.name) for row in self.bins] for field in fields(Bin)}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw it; the same as `vbn.plot.reliability`."""
        # imported by name: `vbn.plot` is an outer room, and only this call needs it
        axes: Axes = importlib.import_module("vbn.plot").reliability(self, ax=ax)
        return axes

    def __repr__(self) -> str:
        lines = ["predicted  observed  +-    pairs"]
        lines += [f"{b.predicted:9.2f}  {b.observed:8.2f}  {b.stderr:.2f}  {b.count:5,}" for b in self.bins]
        end = f"ece {self.ece:.3f}, log loss {self.log_loss:.3f}, Brier {self.brier:.3f}; {self.n_pairs:,} pairs"
        end += f", {self.skipped:,} more not known to the model" if self.skipped else ""
        end += f"; slope {self.slope:.3g}, intercept {self.intercept:.3g}" if self.slope != 1.0 else ""
        return "\n".join([*lines, end])
