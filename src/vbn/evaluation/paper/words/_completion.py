"""Sentence completion: every model ranks the word that is hidden in a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from vbn.baselines import BayesianSkipGram, Popularity, SkipGram, as_scorer, retrofit
from vbn.data import Dataset
from vbn.data._sampler import keep_probabilities
from vbn.estimators import VBN
from vbn.evaluation.paper._cache import Cache, Record
from vbn.evaluation.paper._figures import MAIN, contributions
from vbn.evaluation.paper._options import Progress
from vbn.evaluation.paper._runs import DIAL
from vbn.evaluation.paper.words._corpus import Words, counted
from vbn.evaluation.paper.words._families import with_families
from vbn.evaluation.paper.words._keeping import kept
from vbn.evaluation.paper.words._masked import Basket, Cases, masked, ranks

DIALS = DIAL
"""What log(count) is multiplied with and added to the logit of the Bayesian models when ranking; as elsewhere."""

FOUR = tuple((figure, part) for part in ("full", "rare") for figure in MAIN)
"""The paper's four columns."""

NEUTRAL = DIALS.index(0.0)

_SHOWN = {"vbn": "VBN", "bsg": "BSG", "sg": "SG"}
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
    parts = words.parts
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


@dataclass(frozen=True)
class Ranked:
    """How many candidates rank above each hidden word, by name of the model, and how many others there are."""

    above: dict[str, np.ndarray]
    others: np.ndarray


def judged_models(scorings: Iterable[Scoring], cases: Cases, counts: Counter[str]) -> Ranked:
    """Rank the hidden words by every way to ask."""
    above, others = {}, np.empty(0)
    for name, score, model in scorings:
        columns = model._known().columns if hasattr(model, "_known") else model._model().columns
        above[name], others = ranks(score, columns, cases, counts, _dials(model))
    return Ranked(above, others)


def _judged(training: Training, family: str, seed: int, cases: Cases, counts: Counter[str]) -> Record:
    found = judged_models(training.scorings(family, seed), cases, counts)
    return Record({"models": list(found.above)}, {**found.above, "others": found.others})


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

    def scorings(self, family: str, seed: int, *, retrofitted: bool = True) -> Iterator[Scoring]:
        """(name, scores of a list of queries, model) for each way to ask the models of a family."""
        if family == "popularity":
            popular = Popularity().fit(counted(self.sentences, 1))
            yield "Popularity", popular.scores, popular
            return
        model = self._fitted(family, seed)
        yield from self._asked(family, _SHOWN[family], model)
        if retrofitted and family != "vbn":
            drawn = retrofit(model, self._data().taxonomy, **self.settings[f"{family}-r"])
            yield from self._asked(family, f"{_SHOWN[family]}-R", drawn)

    def retrofits(self, family: str, alphas: Iterable[float]) -> Iterator[tuple[float, Iterator[Scoring]]]:
        """One training, retrofitted more or less hard."""
        model, section = self._fitted(family, 0), self.settings[f"{family}-r"]
        for alpha in alphas:
            drawn = retrofit(model, self._data().taxonomy, **{**section, "alpha": alpha})
            yield alpha, self._asked(family, f"{_SHOWN[family]}-R", drawn)

    def _data(self) -> Dataset:
        data = counted(self.sentences, self.settings["corpus"]["window"])
        edges = self.words.graph(data.rows.names, **self.settings["taxonomy"])
        return data.with_taxonomy(with_families(edges, data.rows.names, **self.settings["families"]))

    def _fitted(self, family: str, seed: int) -> Any:
        section = self.settings[family]
        if family == "sg":
            return SkipGram(**section, seed=seed).fit(self.sentences)
        made = (VBN if family == "vbn" else BayesianSkipGram)(**section, seed=seed, verbose=False)
        return made.fit(self._data())

    def _asked(self, family: str, name: str, model: Any) -> Iterator[Scoring]:
        if family == "sg":
            yield name, model.scores, model
        else:
            yield from _asked_both_ways(name, model, self.settings[family]["subsample"])


def _asked_both_ways(name: str, model: Any, subsample: float | None) -> Iterator[Scoring]:
    """By the plain average, as in the paper; and folded in, frequent words thinned out as training did."""
    columns = model._model().columns
    keep = keep_probabilities(columns.counts, subsample)

    def thinned(queries: list[Basket]) -> np.ndarray:
        weighed = [{word: n * keep[columns.id(word)] for word, n in query.items()} for query in queries]
        return as_scorer(model, query="fold_in").scores(weighed)

    yield f"{name}, average", as_scorer(model, query="average").scores, model
    yield f"{name}, fold-in", thinned, model
