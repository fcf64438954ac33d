"""Sentences with one word hidden: which words are asked for, their ranks, and how reliable probabilities are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from reproduction.reliability import Facts, of_pairs
from reproduction.results import Table
from reproduction.tables import reliability_lines
from reproduction.words.corpus import Sentences, counted
from vbn._errors import DataError
from vbn.data import Vocabulary
from vbn.sampling import keep_probabilities

_AT_ONCE = 128  # queries whose scores are held at a time
Basket = dict[str, float]


@dataclass(frozen=True)
class Cases:
    """Hidden words: `queries` are the other words of their sentences, with counts.

    `first` flags the first masking, one word a sentence, which the figures over all words are of; figures of rare words
    pool all maskings, in which no word is hidden twice.
    """

    targets: tuple[str, ...]
    queries: tuple[Basket, ...] = field(repr=False)
    sentence: np.ndarray
    first: np.ndarray
    rare: np.ndarray


def rare_words(counts: Counter[str]) -> set[str]:
    """The fifth of the vocabulary that is least frequent in training; ties by name."""
    order = sorted(counts, key=lambda word: (counts[word], word))
    return set(order[: len(order) // 5])


def masked(sentences: Sentences, counts: Counter[str], wanted_rare: int = 1000, seed: int = 0) -> Cases:
    """Hide one word in each sentence, then further ones where they are rare, until there are enough of those.

    What may be hidden: a token with a letter in it that training has seen, which stands once in its sentence, beside at
    least one other that training has seen.
    """
    rng = np.random.default_rng([seed, 0x3A5E])
    rare = rare_words(counts)
    found: list[tuple[str, Basket, int, bool, bool]] = []
    turns = [_turns(sentence, counts, rng) for sentence in sentences]
    n_rare = 0
    for masking in range(max((len(turn) for turn in turns), default=0)):
        for number, turn in enumerate(turns):
            if masking >= len(turn):
                continue
            target = turn[masking]
            if masking == 0 or target in rare:
                found.append((target, _others(sentences[number], target, counts), number, masking == 0, target in rare))
                n_rare += target in rare
        if n_rare >= wanted_rare:
            break
    if not found:
        raise DataError("no sentence has two words that training has seen: there is nothing to complete.")
    targets, queries, sentence, first, is_rare = zip(*found, strict=True)
    return Cases(targets, queries, np.array(sentence), np.array(first), np.array(is_rare))


def _turns(sentence: Sequence[str], counts: Counter[str], rng: np.random.Generator) -> list[str]:
    """The words of a sentence that may be hidden, in random order."""
    times = Counter(sentence)
    known = {word for word in times if word in counts}
    free = [w for w in sentence if w in known and times[w] == 1 and any(letter.isalpha() for letter in w)]
    return [free[i] for i in rng.permutation(len(free))] if len(known) > 1 else []


def _others(sentence: Sequence[str], target: str, counts: Counter[str]) -> Basket:
    return {word: float(n) for word, n in Counter(sentence).items() if word != target and word in counts}


def ranks(
    score: Callable[[list[Basket]], np.ndarray],
    columns: Vocabulary,
    cases: Cases,
    counts: Counter[str],
    offsets: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """How many candidates rank above each hidden word (ties count half), and how many other candidates there are.

    Candidates are all words of training but the other words of the sentence.

    Parameters
    ----------
    score
        Takes queries, gives a row of scores of all columns for each.
    offsets
        What is added to the scores of the columns, one row for each variant; default: one variant, nothing.

    Returns
    -------
    tuple of ndarray
        Of shapes (variants, cases) and (cases,).
    """
    from reproduction.kernels import count_above

    names = sorted(counts)
    place, column = {name: number for number, name in enumerate(names)}, columns.ids(names)
    extra = np.zeros((1, len(names))) if offsets is None else np.ascontiguousarray(offsets[:, column], dtype=np.float64)
    in_order = np.array_equal(column, np.arange(len(columns)))
    above = np.empty((len(extra), len(cases.targets)))
    items = np.array([place[target] for target in cases.targets], dtype=np.int64)
    others = np.array([len(names) - len(query) - 1.0 for query in cases.queries])
    for first in range(0, len(cases.targets), _AT_ONCE):
        block = slice(first, min(first + _AT_ONCE, len(cases.targets)))
        queries = list(cases.queries[block])
        scores = np.array(score(queries), dtype=np.float32)
        if not in_order:
            scores = scores[:, column]
        for row, query in enumerate(queries):
            scores[row, [place[word] for word in query]] = np.nan  # what is given is no candidate
        for variant, added in enumerate(extra):
            count_above(scores, added, np.arange(len(queries)), items[block], above[variant, block])
    return above, others


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
    columns = model.trained_.columns
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
