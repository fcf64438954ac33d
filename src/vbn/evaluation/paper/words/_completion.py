"""Sentence completion: every model ranks the word that is hidden in a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from vbn.baselines import BayesianSkipGram, Popularity, SkipGram, as_scorer, retrofit
from vbn.data import Dataset
from vbn.data._sampler import keep_probabilities
from vbn.estimators import VBN
from vbn.evaluation.paper._cache import Cache, Record
from vbn.evaluation.paper._figures import contributions
from vbn.evaluation.paper._options import Progress
from vbn.evaluation.paper.words._corpus import Words, counted
from vbn.evaluation.paper.words._families import with_families
from vbn.evaluation.paper.words._keeping import kept
from vbn.evaluation.paper.words._masked import Basket, Cases, masked, ranks, split

DIALS = (-0.2, -0.15, -0.1, -0.05, 0.0, 0.05, 0.1, 0.25, 0.5)
"""What log(count) is multiplied with and added to the logit of the Bayesian models when ranking."""

NEUTRAL = DIALS.index(0.0)

Scoring = tuple[str, Callable[[list[Basket]], np.ndarray], Any]


@dataclass(frozen=True)
class CompletionResult:
    """Ranks of hidden words.

    Attributes
    ----------
    cases : Cases
        What was asked for.
    above : dict
        Model -> one array a seed, of shape (dials, cases): how many candidates rank above. Models without a dial have
        one line.
    others : ndarray
        How many other candidates each case has.
    """

    cases: Cases
    above: dict[str, list[np.ndarray]]
    others: np.ndarray

    def chosen(self, part: str) -> np.ndarray:
        """Flags of the cases of "full" (first masking) or of "rare" (rare words of all maskings)."""
        return self.cases.first if part == "full" else self.cases.rare

    def each(self, model: str, figure: str, part: str, dial: int = NEUTRAL) -> np.ndarray:
        """What each case contributes to "HR@10%" or "MPR", averaged over seeds."""
        at = self.chosen(part)
        lines = [contributions(figure, run[min(dial, len(run) - 1), at], self.others[at]) for run in self.above[model]]
        return np.asarray(np.mean(lines, axis=0))

    def by_seed(self, model: str, figure: str, part: str, dial: int = NEUTRAL) -> np.ndarray:
        """The figure with each seed."""
        at = self.chosen(part)
        lines = [contributions(figure, run[min(dial, len(run) - 1), at], self.others[at]) for run in self.above[model]]
        return np.array([line.mean() for line in lines])


def completion(
    words: Words, settings: Mapping[str, dict[str, Any]], seeds: int, cache: Cache, progress: Progress,
    part: str = "test",
) -> CompletionResult:  # fmt: skip
    """Train every family on the training sentences and rank what is hidden in those of `part`.

    Parameters
    ----------
    settings
        Of `winners("completion")`: sections corpus, taxonomy, families, vbn, bsg, sg,
        retrofit, ranking.
    part
        "test", or "validation", on which settings are chosen.
    """
    parts = split(words.sentences)
    counts = Counter(word for sentence in parts.training for word in sentence)
    cases = masked(getattr(parts, part), counts)
    training = Training(words, parts.training, settings)
    what = {"experiment": "completion", "corpus": words.mark, "settings": settings, "part": part, "dials": DIALS}
    above: dict[str, list[np.ndarray]] = {}
    others = np.empty(0)
    for family, seeded in FAMILIES.items():
        for seed in range(seeds if seeded else 1):
            key, label = {**what, "family": family, "seed": seed}, f"completion, {family}, seed {seed}"
            record = kept(cache, progress, label, key, partial(_judged, training, family, seed, cases, counts))
            others = record.arrays["others"]
            for model in record.facts["models"]:
                above.setdefault(model, []).append(record.arrays[model])
    return CompletionResult(cases, above, others)


FAMILIES = {"vbn": True, "bsg": True, "sg": True, "popularity": False}
"""Families of models, and whether seeds make a difference."""


def runs(seeds: int) -> int:
    """How many trainings `completion` needs."""
    return sum(seeds if seeded else 1 for seeded in FAMILIES.values())


def _judged(training: Training, family: str, seed: int, cases: Cases, counts: Counter[str]) -> Record:
    models, arrays = [], {}
    for name, score, model in training.scorings(family, seed):
        columns = model._known().columns if hasattr(model, "_known") else model._model().columns
        above, arrays["others"] = ranks(score, columns, cases, counts, _dials(model))
        arrays[name] = above
        models.append(name)
    return Record({"models": models}, arrays)


def _dials(model: Any) -> np.ndarray | None:
    """Offsets of the columns for each setting of the dial; None for models that have none."""
    if not isinstance(model, VBN):
        return None
    return np.asarray(np.multiply.outer(np.array(DIALS), model._model().profile.log_popularity))


@dataclass(frozen=True)
class Training:
    """Trains the families, and says how each is asked."""

    words: Words
    sentences: Any
    settings: Mapping[str, dict[str, Any]]

    def scorings(self, family: str, seed: int) -> Iterator[Scoring]:
        """(name, scores of a list of queries, model) for each way to ask the models of a family."""
        made: Iterator[Scoring] = getattr(self, f"_{family}")(seed)
        return made

    def _data(self) -> Dataset:
        data = counted(self.sentences, self.settings["corpus"]["window"])
        edges = self.words.graph(data.rows.names, **self.settings["taxonomy"])
        return data.with_taxonomy(with_families(edges, data.rows.names, **self.settings["families"]))

    def _vbn(self, seed: int) -> Iterator[Scoring]:
        model = VBN(**self.settings["vbn"], seed=seed, verbose=False).fit(self._data())
        yield from _asked_both_ways("VBN", model, self.settings["vbn"]["subsample"])

    def _bsg(self, seed: int) -> Iterator[Scoring]:
        data = self._data()
        model = BayesianSkipGram(**self.settings["bsg"], seed=seed, verbose=False).fit(data)
        drawn = retrofit(model, data.taxonomy, **self.settings["retrofit"])
        for name, one in (("BSG", model), ("BSG-R", drawn)):
            yield from _asked_both_ways(name, one, self.settings["bsg"]["subsample"])

    def _sg(self, seed: int) -> Iterator[Scoring]:
        model = SkipGram(**self.settings["sg"], seed=seed).fit(self.sentences)
        yield "SG", model.scores, model
        drawn = retrofit(model, self._data().taxonomy, **self.settings["retrofit"])
        yield "SG-R", drawn.scores, drawn

    def _popularity(self, seed: int) -> Iterator[Scoring]:  # noqa: ARG002 - nothing is drawn
        model = Popularity().fit(counted(self.sentences, 1))
        yield "Popularity", model.scores, model


def _asked_both_ways(name: str, model: Any, subsample: float | None) -> Iterator[Scoring]:
    """By the plain average, as in the paper; and folded in, frequent words thinned out as training did."""
    columns = model._model().columns
    keep = keep_probabilities(columns.counts, subsample)

    def thinned(queries: list[Basket]) -> np.ndarray:
        weighed = [{word: n * keep[columns.id(word)] for word, n in query.items()} for query in queries]
        return as_scorer(model, query="fold_in").scores(weighed)

    yield f"{name}, average", as_scorer(model, query="average").scores, model
    yield f"{name}, fold-in", thinned, model
