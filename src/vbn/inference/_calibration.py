"""Held-out pairs for judging probabilities, and the one temperature that fits them best."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from vbn._errors import DataError
from vbn.data import Counts, Dataset, Field, known_ids, read_columns, speaking_as
from vbn.inference._predictive import logit, pair_scores
from vbn.model import Trained

_FIELDS = (
    Field("left", ("left", "row", "source", "user", "first")),
    Field("right", ("right", "column", "target", "item", "second")),
    Field("label", ("label", "labels", "y", "observed"), number=True, optional=True, by_position=True),
)
_LOWEST, _HIGHEST = 0.01, 100.0  # temperatures
_TRIES = 16  # how often a noise pair that is an observed one is drawn anew, as in training


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
    """Held-out pairs that the model knows, with noise pairs drawn as in training where there are no labels.

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
    """Ids of the known pairs, labels if any, weights, and how many pairs there were."""
    if isinstance(held_out, Dataset):
        if held_out.shared != trained.shared:
            raise DataError(
                "rows and columns are the same entities in either the model or the held-out data, not both."
            )
        counts = held_out.counts
        rows = known_ids(trained.rows, held_out.rows)[counts.row_ids()]
        columns = known_ids(trained.columns, held_out.columns)[counts.indices]
        known = (rows >= 0) & (columns >= 0)
        return rows[known], columns[known], None, counts.values[known], len(rows)
    with speaking_as(DataError, "held-out pairs"):
        read = read_columns(held_out, (), {}, _FIELDS)
    left, right = read.labels["left"], read.labels["right"]
    rows = known_ids(trained.rows, left.names)[left.codes]
    columns = known_ids(trained.columns, right.names)[right.codes]
    known = (rows >= 0) & (columns >= 0)
    labels = read.numbers.get("label")
    if labels is not None:
        _check_labels(labels)
        labels = labels[known]
    return rows[known], columns[known], labels, np.ones(int(known.sum())), len(rows)


def _check_labels(labels: np.ndarray) -> None:
    wrong = np.flatnonzero((labels != 0) & (labels != 1))
    if len(wrong):
        raise DataError(f"the label of held-out pair {wrong[0]} is {labels[wrong[0]]:g}; labels are 0 (noise) or 1.")


def _draw(trained: Trained, rows: np.ndarray, observed: Counts | None, seed: int) -> np.ndarray:
    """A noise column for each row; -1 where all tries hit an observed pair."""
    noise = trained.noise()
    rng = np.random.default_rng([seed, 0xCA11])
    columns = rng.choice(len(noise), size=len(rows), p=noise)
    if observed is None:
        return columns
    width = len(noise)
    taken = observed.row_ids() * width + observed.indices  # sorted, as rows and the columns within them rise
    bad = np.arange(len(rows))
    for attempt in range(_TRIES + 1):
        bad = bad[_among(taken, rows[bad] * width + columns[bad])]
        if len(bad) == 0:
            break
        columns[bad] = rng.choice(width, size=len(bad), p=noise) if attempt < _TRIES else -1
    return columns


def _among(rising: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Whether each value is one of those that rise."""
    place = np.minimum(np.searchsorted(rising, values), len(rising) - 1)
    return np.asarray(rising[place] == values) if len(rising) else np.zeros(len(values), bool)


def pair_logits(trained: Trained, pairs: LabelledPairs) -> np.ndarray:
    """Logits of the predictive probabilities before any temperature."""
    return logit(*pair_scores(trained, pairs.rows, pairs.columns))


def best_temperature(logits: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> float:
    """The T that maximises the likelihood of labels under p = sigmoid(logit / T)."""
    from scipy.optimize import minimize_scalar

    if labels.min() == labels.max():
        raise DataError("calibration needs observed pairs and noise pairs; all labels are the same.")
    signed = np.where(labels == 1, logits, -logits)

    def loss(log_temperature: float) -> float:
        return float(weights @ np.logaddexp(0.0, -signed / np.exp(log_temperature)))

    found = minimize_scalar(loss, bounds=(np.log(_LOWEST), np.log(_HIGHEST)), method="bounded", options={"xatol": 1e-6})
    temperature = float(np.exp(found.x))
    if temperature < 1.01 * _LOWEST:
        raise DataError("the model tells all these pairs apart, so no temperature fits best; calibrate on more pairs.")
    if temperature > 0.99 * _HIGHEST:
        raise DataError(
            "the model does not tell these pairs apart at all, which no temperature mends; are labels right?"
        )
    return temperature
