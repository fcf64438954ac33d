"""Antonyms: what relations add, by ranking the opposite of a word among the whole vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from reproduction.cache import Cache, Record
from reproduction.running import Progress
from reproduction.words.corpus import Pair, Words, counted, text_mark
from reproduction.words.graph import unit, with_families
from reproduction.words.rivals import OPPOSITE
from reproduction.words.settings import kept
from vbn.baselines import as_scorer
from vbn.estimators import VBN
from vbn.inference import Asked

SHARES = {"HR@0.2%": 0.002, "HR@1%": 0.01}
Score = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Division:
    """Unordered pairs to learn from, to choose settings by, and to report on."""

    training: list[Pair]
    validation: list[Pair]
    test: list[Pair]


def divide(pairs: Sequence[Pair], seed: int = 0) -> Division:
    """75/25 into training and test at random, and a fifth of the training part for validation."""
    order = np.random.default_rng(seed).permutation(len(pairs)).tolist()
    test = round(0.75 * len(order))
    chosen = [pairs[i] for i in order[:test]]
    return Division(chosen[test // 5 :], chosen[: test // 5], [pairs[i] for i in order[test:]])


@dataclass(frozen=True)
class AntonymResult:
    """Ranks of opposites.

    Attributes
    ----------
    questions : list of (word, opposite)
        Both directions of every held-out pair.
    above : dict
        Way of ranking -> one array a seed: share of the other candidates above the opposite, ties counting half.
    catalogue : int
        Number of candidates.
    learned : int
        Number of pairs that training saw.
    first : dict
        Way of ranking -> the first five answers for one word, as an example.
    """

    questions: list[Pair]
    above: dict[str, list[np.ndarray]]
    catalogue: int
    learned: int
    first: dict[str, list[str]] = field(default_factory=dict)

    def by_seed(self, model: str, figure: str) -> np.ndarray:
        """A figure with each seed: "HR@0.2%", "HR@1%" or "MPR", times 100."""
        return np.array([self._figure(run, figure).mean() for run in self.above[model]])

    def each(self, model: str, figure: str) -> np.ndarray:
        """What each question contributes, averaged over seeds."""
        return np.asarray(np.mean([self._figure(run, figure) for run in self.above[model]], axis=0))

    @staticmethod
    def _figure(share: np.ndarray, figure: str) -> np.ndarray:
        return 100.0 * (share < SHARES[figure] if figure in SHARES else 1.0 - share)


def antonyms(
    words: Words,
    settings: Mapping[str, dict[str, Any]],
    seeds: int,
    cache: Cache,
    progress: Progress,
    part: str = "test",
) -> AntonymResult:
    """Train, and rank the opposites of held-out words by relations and without them.

    Relations are learned apart, so that one training gives the model without relations too, to the bit.

    Parameters
    ----------
    settings
        Of `winners("antonyms")`: sections corpus, taxonomy, families, vbn, ranking.
    part
        "test", where training sees all other pairs; or "validation", where it does not see the test pairs either.
    """
    division = divide(words.antonyms)
    held = division.test if part == "test" else division.validation
    learned = [*division.training, *(division.validation if part == "test" else [])]
    questions = [*held, *((b, a) for a, b in held)]
    what = {
        "experiment": "antonyms",
        "corpus": words.mark,
        "settings": settings,
        "learned": text_mark(map(" ".join, learned)),
        "questions": text_mark(map(" ".join, questions)),
    }
    above: dict[str, list[np.ndarray]] = {}
    first: dict[str, list[str]] = {}
    for seed in range(seeds):
        compute = partial(_asked, words, settings, seed, learned, questions)
        record = kept(cache, progress, f"antonyms, seed {seed}", {**what, "seed": seed}, compute)
        for model in record.facts["models"]:
            first.setdefault(model, record.facts["first"].get(model, []))
            above.setdefault(model, []).append(record.arrays[model])
    return AntonymResult(questions, above, len(words.counts), len(learned), first)


def runs(seeds: int) -> int:
    """How many trainings `antonyms` needs."""
    return seeds


def _asked(
    words: Words, settings: Mapping[str, dict[str, Any]], seed: int, learned: list[Pair], questions: list[Pair]
) -> Record:
    model = trained_model(words, settings, learned, seed)
    trained = model.trained_
    candidates = np.flatnonzero(trained.columns.counts > 0)
    known = {(a, b) for pair in learned for a, b in (pair, pair[::-1])}
    arrays, first = {}, {}
    for name, score in _rankings(model, settings["ranking"], candidates):
        arrays[name] = ranked_shares(score, trained.rows, candidates, questions, known)
        if OPPOSITE in trained.rows:
            i = trained.rows.id(OPPOSITE)
            scores = np.where(candidates == i, -np.inf, score(np.array([i]))[0])
            first[name] = [trained.rows[int(candidates[j])] for j in np.argsort(-scores, kind="stable")[:5]]
    return Record({"models": list(arrays), "first": first}, arrays)


def trained_model(words: Words, settings: Mapping[str, dict[str, Any]], learned: list[Pair], seed: int) -> VBN:
    """VBN on the corpus, the graph and some antonyms, which are learned apart."""
    data = counted(words.sentences, settings["corpus"]["window"])
    edges = words.graph(data.rows.names, **settings["taxonomy"])
    data = data.with_taxonomy(with_families(edges, words.counts, **settings["families"]))
    data = data.with_relation("antonym", learned, symmetric=True)
    return VBN(**settings["vbn"], seed=seed, verbose=False).fit(data)


def _rankings(model: VBN, ranking: Mapping[str, float], candidates: np.ndarray) -> Iterator[tuple[str, Score]]:
    """Ways to rank candidates, as functions of ids of query words.

    The paper ranks by p(g), or by p(d) where there are no relations. `related` has a popularity dial, which is set on
    validation pairs. Opposites are also alike in most respects: what the cosine of the smoothed vectors gives, with a
    dial of its own, has to be beaten for relations to be worth something.
    """
    trained = model.trained_
    popularity = trained.profile.log_popularity()[candidates]
    scorer, vectors = as_scorer(model), unit(model.vectors(readout="smoothed")[1])

    def holds(rows: np.ndarray) -> np.ndarray:
        return opposite_logits(model, rows, candidates)

    def alike(rows: np.ndarray) -> np.ndarray:
        return np.asarray(vectors[rows] @ vectors[candidates].T)

    yield "VBN", lambda rows: holds(rows) + ranking["relation_dial"] * popularity
    yield "VBN, p(g) without dial", holds
    yield "VBN w/o relations", lambda rows: scorer.scores([trained.rows[int(i)] for i in rows])[:, candidates]
    yield "VBN w/o relations, cosine", alike
    yield "VBN w/o relations, cosine and dial", lambda rows: alike(rows) + ranking["cosine_dial"] * popularity


def opposite_logits(model: VBN, rows: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """Predictive logits of p(g) from some words to all candidates, as `related` ranks, of shape (words, candidates)."""
    data, link = model.data_, model.trained_.relation_link("antonym")
    asked = Asked(model.trained_, "antonym", None if data is None else data.relations["antonym"])
    return np.stack([link.logit(*asked.moments(int(row), candidates)) for row in rows])


def ranked_shares(
    score: Score, names: Any, candidates: np.ndarray, questions: Sequence[Pair], known: set[Pair]
) -> np.ndarray:
    """Share of the other candidates above each answer; the word itself and its known opposites are no candidates."""
    place = {int(i): number for number, i in enumerate(candidates)}
    hidden: dict[str, list[int]] = {}
    for a, b in known:
        hidden.setdefault(a, []).append(place[names.id(b)])
    result = np.empty(len(questions))
    for first in range(0, len(questions), 64):
        block = questions[first : first + 64]
        scores = np.array(score(names.ids([word for word, _ in block])), dtype=np.float64)
        for row, (word, answer) in enumerate(block):
            own = scores[row, place[names.id(answer)]]
            scores[row, [place[names.id(word)], *hidden.get(word, [])]] = np.nan
            above = (scores[row] > own).sum() + ((scores[row] == own).sum() - 1) / 2.0
            result[first + row] = above / max(int(np.isfinite(scores[row]).sum()) - 1, 1)
    return result
