"""What a model is worth on held-out pairs, on judged similarity and on held-out pairs of a relation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from vbn._errors import DataError
from vbn.data import Dataset, Vocabulary, known_ids
from vbn.evaluation.dropped import warn_of_unknown
from vbn.evaluation.figures import Figures
from vbn.evaluation.metrics import area_under_curve, calibration_error, mean_log_probability, spearman
from vbn.inference import Asked, pair_scores

_FIRST = 10  # answers that are looked at
_DRAWS = 10  # random right entities for each pair
_SCORES_AT_ONCE = 1 << 22


class Known(NamedTuple):
    """Ids of the pairs that are known, and which of the given ones those are."""

    rows: np.ndarray
    columns: np.ndarray
    chosen: np.ndarray


def known_pairs(
    left_names: Vocabulary, right_names: Vocabulary, left: Sequence[object], right: Sequence[object]
) -> Known:
    """Return the pairs whose two names are known; at least one must be."""
    if len(left) != len(right):
        raise DataError(f"there are {len(left)} left and {len(right)} right entities; a pair needs one of each.")
    rows, columns = known_ids(left_names, left), known_ids(right_names, right)
    chosen = np.flatnonzero((rows >= 0) & (columns >= 0))
    if not len(chosen):
        raise DataError(f"none of the {len(left)} pairs is between entities that the model knows.")
    return Known(rows[chosen], columns[chosen], chosen)


def evaluate_pairs(
    model: Any, left: Sequence[object], right: Sequence[object], counts: ArrayLike | None = None, seed: int = 0
) -> dict[str, float]:
    """Measure how well a model tells held-out pairs from noise pairs.

    Noise pairs have the same left entity and a right one drawn as the negatives of training are; together they weigh
    `negatives` times as much as the held-out ones. This is what training optimises. The calibration error is
    that of `model.uncertainty`.

    Parameters
    ----------
    model
        A trained model.
    left, right
        The held-out pairs, by name; repeated ones add up; those with an unknown name are left out and counted.
    counts
        How often each pair was seen; 1 by default.
    seed
        Seed of the noise.

    Returns
    -------
    dict
        "pairs" that were used and "unknown" ones, "log_probability" (mean over held-out and noise pairs), "auc",
        "calibration_error".

    Examples
    --------
    >>> import vbn
    >>> data = vbn.Dataset.from_pairs(["a", "b", "c"], ["b", "a", "a"], [9, 9, 1])
    >>> model = vbn.VBN(dim=2, epochs=5, verbose=False).fit(data)
    >>> sorted(evaluate_pairs(model, ["a"], ["b"]))
    ['auc', 'calibration_error', 'log_probability', 'pairs', 'unknown']
    """
    trained = model.trained_
    held = Dataset.from_pairs(left=left, right=right, counts=counts, shared=trained.shared)
    pairs = model._labelled(held, None, seed)
    p = trained.link.probability(*pair_scores(trained, pairs.rows, pairs.columns))
    observed = pairs.labels > 0
    warn_of_unknown(pairs.skipped, held.counts.nnz)
    return Figures(
        {
            "pairs": int(observed.sum()),
            "unknown": pairs.skipped,
            "log_probability": mean_log_probability(p, pairs.labels, pairs.weights),
            "auc": area_under_curve(p[observed], p[~observed], (pairs.weights[observed], pairs.weights[~observed])),
            "calibration_error": calibration_error(p, pairs.labels, pairs.weights),
        }
    )


def evaluate_similarity(
    model: Any,
    left: Sequence[str],
    right: Sequence[str],
    scores: Sequence[float],
    side: str = "column",
    readout: str = "auto",
) -> dict[str, float]:
    """Return Spearman's correlation of judged similarities with cosines of the entities' vectors.

    Parameters
    ----------
    model
        A trained model.
    left, right, scores
        Pairs of names and the similarity that people saw in them.
    side
        "row" or "column", where the two differ.
    readout
        Which vectors, as in `VBN.vectors`; "auto" is "smoothed" for words in text, else "entity".

    Returns
    -------
    dict
        "spearman", the number of "pairs" covered, and the number of "unknown" ones, which are left out.

    Examples
    --------
    >>> import vbn
    >>> data = vbn.Dataset.from_sequences([["a", "b", "c", "a"], ["c", "b", "d"]])
    >>> model = vbn.VBN(dim=2, epochs=5, verbose=False).fit(data)
    >>> result = evaluate_similarity(model, ["a", "a", "b"], ["b", "d", "d"], [1.0, 2.0, 3.0])
    >>> result["pairs"], result["unknown"]
    (3, 0)
    """
    names = set(model.vectors(side=side, readout=readout)[0])
    known = [i for i in range(len(left)) if str(left[i]) in names and str(right[i]) in names]
    if len(known) < 2:
        raise DataError(f"the model knows both names of {len(known)} of {len(left)} pairs; a correlation needs two.")
    warn_of_unknown(len(left) - len(known), len(left))
    asked = [names[i] for names in (left, right) for i in known]
    vectors = model.vectors(asked, side=side, readout=readout)[1].astype(np.float64)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-30)
    a, b = np.split(vectors, 2)
    cosines = (a * b).sum(axis=1)
    return Figures(
        {
            "spearman": spearman(cosines, [scores[i] for i in known]),
            "pairs": len(known),
            "unknown": len(left) - len(known),
        }
    )


def evaluate_relation(
    model: Any, relation: str, left: Sequence[object], right: Sequence[object], seed: int = 0
) -> dict[str, float]:
    """Measure how well a model knows held-out pairs of a relation.

    Parameters
    ----------
    model
        A trained model.
    relation
        Name of the relation.
    left, right
        The held-out pairs, by name; those with an unknown name are left out and counted.
    seed
        Seed of the random pairs.

    Returns
    -------
    dict
        "pairs" used and "unknown" ones; "log_probability" of the pairs; "auc" against right entities drawn evenly;
        "hits@1", "hits@10" and "mrr@10" (mean reciprocal rank, 0 beyond 10) of the right entity among all answers.

    Examples
    --------
    >>> import vbn
    >>> data = vbn.Dataset.from_pairs(["a", "b"], ["b", "c"]).with_relation("next", [("a", "b"), ("b", "c")])
    >>> model = vbn.VBN(dim=2, epochs=5, verbose=False).fit(data)
    >>> evaluate_relation(model, "next", ["a"], ["b"])["hits@10"]
    1.0
    """
    trained = model.trained_
    asked = model._relation(relation)
    rows, columns, chosen = known_pairs(trained.rows, trained.columns, left, right)
    warn_of_unknown(len(left) - len(chosen), len(left))
    drawn = np.random.default_rng([seed, 0xE7A2]).integers(len(trained.columns), size=len(rows) * _DRAWS)
    link = trained.relation_link(relation)
    p = link.probability(*asked.pair_moments(rows, columns))
    random = link.probability(*asked.pair_moments(np.repeat(rows, _DRAWS), drawn))
    places = _places(model, asked, rows, columns)
    return Figures(
        {
            "pairs": len(rows),
            "unknown": len(left) - len(rows),
            "log_probability": mean_log_probability(p, np.ones(len(p))),
            "auc": area_under_curve(p, random),
            "hits@1": float(np.mean(places == 1)),
            "hits@10": float(np.mean(places <= _FIRST)),
            "mrr@10": float(np.mean(np.where(places <= _FIRST, 1.0 / places, 0.0))),
        }
    )


def _places(model: Any, asked: Asked, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return the place of each right entity among the answers to its left one, from 1; infinite if it is no answer.

    Pairs that training was given are ranked like others, and those that are not asked for are no competitors. Ties go
    by id, as in `VBN.related`.
    """
    trained = model.trained_
    answers, link = trained.profile.candidates("column"), trained.relation_link(asked.name)
    places, every, lefts = np.full(len(rows), np.inf), np.arange(len(answers)), np.unique(rows)
    step = max(_SCORES_AT_ONCE // len(answers), 1)
    for block in (lefts[first : first + step] for first in range(0, len(lefts), step)):
        for left, scores in zip(block.tolist(), link.logit(*asked.moments_of_rows(block, every)), strict=True):
            pairs, known, allowed = np.flatnonzero(rows == left), asked.known(left)[0], answers.copy()
            if trained.shared:
                allowed[left] = False
            allowed[known] = np.isin(known, columns[pairs])
            for pair in pairs[allowed[columns[pairs]]].tolist():
                own, before = scores[columns[pair]], allowed & (every < columns[pair])
                places[pair] = 1 + np.count_nonzero(scores[allowed] > own) + np.count_nonzero(scores[before] == own)
    return places
