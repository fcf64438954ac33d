"""Whether the probabilities of words come true: pairs of words in test sentences against noise pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from vbn.evaluation.paper._reliability import Facts, of_pairs
from vbn.evaluation.paper._results import Table
from vbn.evaluation.paper._tables import reliability_lines
from vbn.evaluation.paper.words._corpus import Sentences, counted
from vbn.evaluation.paper.words._masked import rare_words
from vbn.sampling import keep_probabilities

_MOST = 100_000  # pairs that are asked for


def word_reliability(
    model: Any, sentences: Sentences, counts: Counter[str], window: int, subsample: float | None, seed: int
) -> Facts:
    """What a model says of pairs within a window, thinned as in training, and of noise pairs; as `of_pairs`.

    Parameters
    ----------
    model
        A fitted `VBN` or `BayesianSkipGram`.
    sentences
        Others than those of training.
    counts
        How often each word occurs in training, which tells the rare ones.
    window, subsample
        Those of training.
    seed
        Of thinning and of the noise pairs.
    """
    columns = model._model().columns
    rare = np.zeros(len(columns), dtype=bool)
    rare[columns.ids(sorted(word for word in rare_words(counts) if word in columns))] = True
    return of_pairs(model, held_out_pairs(columns, sentences, window, subsample, seed), rare, seed)


def held_out_pairs(
    columns: Any, sentences: Sentences, window: int, subsample: float | None, seed: int
) -> list[tuple[str, str]]:
    """Pairs within a window of words that training has seen, frequent words thinned out as training does."""
    data = counted(sentences, window)
    keep = keep_probabilities(columns.counts, subsample)
    share = np.array([keep[columns.id(word)] if word in columns else 0.0 for word in data.columns.names])
    rows, others = data.counts.row_ids(), data.counts.indices
    rng = np.random.default_rng([seed, 0x9A12])
    times = np.floor(data.counts.values * share[rows] * share[others] + rng.random(len(others))).astype(np.int64)
    chosen = np.repeat(np.arange(len(others)), times)
    if len(chosen) > _MOST:
        chosen = np.sort(rng.choice(chosen, _MOST, replace=False))
    names = data.columns.names
    return [(names[int(rows[at])], names[int(others[at])]) for at in chosen]


def reliability_table(found: Mapping[str, list[Facts]]) -> Table:
    """For each reading of each model that predicts probabilities, by its name and one for each seed."""
    return reliability_lines(
        "Do the probabilities of pairs come true?",
        "words",
        found,
        "VBN",
        f"Pairs of words within the window in test sentences, frequent ones thinned as in training, {_MOST:,} at most; "
        "noise pairs are drawn as in training. Lower is better. 'Means alone' leaves the variances out of the "
        "prediction; 'one temperature' divides the logits by a number that the pairs of other words chose.",
    )
