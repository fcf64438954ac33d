"""Sentence completion: every model ranks the word that is hidden in a sentence."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from reproduction.cache import Cache, Record
from reproduction.judging import MAIN, contributions
from reproduction.models import DIAL_OF_THE_FIT, NO_PARAMETER, given_nothing
from reproduction.reliability import Facts
from reproduction.running import Progress
from reproduction.runs import DIAL
from reproduction.words.corpus import Sentences, Words, counted
from reproduction.words.graph import unit, with_families
from reproduction.words.masked import Basket, Cases, masked, ranks, word_reliability
from reproduction.words.settings import kept
from vbn.baselines import BayesianSkipGram, Popularity, SkipGram, as_scorer, basket_matrix, retrofit
from vbn.data import Dataset, Vocabulary
from vbn.estimators import VBN
from vbn.inference import Dial, average, fold_in
from vbn.kernels import ContextArrays
from vbn.model import Trained
from vbn.sampling import keep_probabilities

DIALS = DIAL
"""Positions of the dial of the Bayesian models; as elsewhere."""

FOUR = tuple((figure, part) for part in ("full", "rare") for figure in MAIN)
"""The paper's four columns."""

NEUTRAL = DIALS.index(Dial())

AVERAGE = "average"
"""The paper's way to ask: the mean of the words of a sentence."""

_STRETCH = 8.0  # a cosine spans 2, a logit about 16
_SHARPNESS = 5.0  # of the mean over a sentence's words: 0 would be their plain mean, infinity the nearest word alone

SHOWN = {"vbn": "VBN", "bsg": "BSG", "bsg-r": "BSG-R", "sg": "SG", "sg-r": "SG-R"}
Score = Callable[[list[Basket]], np.ndarray]
Scoring = tuple[str, Score, Vocabulary, np.ndarray | None]


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
    reliability : dict
        Model that predicts probabilities -> whether they come true on pairs of test sentences, one for each seed.
    """

    cases: Cases
    above: dict[str, list[np.ndarray]]
    others: np.ndarray
    reliability: dict[str, list[Facts]] = field(default_factory=dict)

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
    words: Words,
    settings: Mapping[str, dict[str, Any]],
    seeds: int,
    cache: Cache,
    progress: Progress,
    part: str = "test",
) -> CompletionResult:
    """Train every family on the training sentences and rank what is hidden in those of `part`.

    Parameters
    ----------
    settings
        Of `winners("completion")`: sections corpus, taxonomy, families, vbn, bsg, sg, bsg-r, sg-r, ranking.
    part
        "test", or "validation", on which settings are chosen.
    """
    parts = words.parts
    counts = Counter(word for sentence in parts.training for word in sentence)
    cases = masked(getattr(parts, part), counts)
    training = Training(words, parts.training, settings)
    what = {"experiment": "completion", "corpus": words.mark, "settings": settings, "part": part, "dials": DIALS}
    above: dict[str, list[np.ndarray]] = {}
    reliability: dict[str, list[Facts]] = {}
    others = np.empty(0)
    for family, seeded in FAMILIES.items():
        for seed in range(seeds if seeded else 1):
            key, label = {**what, "family": family, "seed": seed}, f"completion, {family}, seed {seed}"
            if family == "vbn-default":
                key["fitted"] = given_nothing()
            pairs_of = parts.test if part == "test" and family in _PROBABLE else None
            record = kept(
                cache, progress, label, key, partial(_judged, training, family, seed, cases, counts, pairs_of)
            )
            others = record.arrays["others"]
            if "reliability" in record.facts:
                reliability.setdefault(SHOWN[family], []).append(record.facts["reliability"])
            for model in record.facts["models"]:
                above.setdefault(model, []).append(record.arrays[model])
    return CompletionResult(cases, above, others, reliability)


FAMILIES = {"vbn": True, "vbn-default": True, "bsg": True, "sg": True, "popularity": False}
"""Families of models, and whether seeds make a difference."""

_PROBABLE = ("vbn", "bsg")  # those that predict probabilities


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
    for name, score, columns, offsets in scorings:
        above[name], others = ranks(score, columns, cases, counts, offsets)
    return Ranked(above, others)


def _judged(
    training: Training, family: str, seed: int, cases: Cases, counts: Counter[str], pairs_of: Sentences | None
) -> Record:
    model = training.fitted(family, seed)
    found = judged_models(training.scorings(family, model), cases, counts)
    facts: dict[str, Any] = {"models": list(found.above)}
    if pairs_of is not None:
        facts["reliability"] = training.reliability(family, model, pairs_of, counts, seed)
    return Record(facts, {**found.above, "others": found.others})


@dataclass(frozen=True)
class Training:
    """Trains the families, and says how each is asked."""

    words: Words
    sentences: Any
    settings: Mapping[str, dict[str, Any]]

    def scorings(self, family: str, model: Any) -> Iterator[Scoring]:
        """(name, scores of a list of queries, the columns of these, offsets of the dial) for each way to ask.

        Ours is asked in every way, rivals as in the paper and in the way that suits them best, `VBN()` as `recommend`
        asks it where nothing is said: folded in.
        """
        if family == "popularity":
            yield "Popularity", model.scores, model.columns, None
            return
        if family == "vbn-default":
            scorer = as_scorer(model, popularity=DIAL_OF_THE_FIT)
            yield NO_PARAMETER, scorer.scores, scorer.columns, None
            return
        yield from self._asked(family, model)
        if family != "vbn":
            drawn = retrofit(model, self._data().taxonomy, **self.settings[f"{family}-r"])
            yield from self._asked(f"{family}-r", drawn)

    def every_way(self, family: str) -> Iterator[Scoring]:
        """One training, asked in every way."""
        yield from _ways(family, self.fitted(family, 0), self.settings[family]["subsample"])

    def retrofits(self, family: str, alphas: Iterable[float]) -> Iterator[tuple[float, Iterator[Scoring]]]:
        """One training, retrofitted more or less hard, and asked in every way."""
        model, section = self.fitted(family, 0), self.settings[f"{family}-r"]
        for alpha in alphas:
            drawn = retrofit(model, self._data().taxonomy, **{**section, "alpha": alpha})
            yield alpha, _ways(f"{family}-r", drawn, self.settings[family]["subsample"])

    def _asked(self, key: str, model: Any) -> Iterator[Scoring]:
        wanted = {AVERAGE, self.settings["ranking"][key]["query"]}
        for scoring in _ways(key, model, self.settings[key.removesuffix("-r")]["subsample"]):
            if key == "vbn" or scoring[0].partition(", ")[2] in wanted:
                yield scoring

    def _data(self, window: int | None = None) -> Dataset:
        data = counted(self.sentences, window or self.settings["corpus"]["window"])
        edges = self.words.graph(data.rows.names, **self.settings["taxonomy"])
        return data.with_taxonomy(with_families(edges, data.rows.names, **self.settings["families"]))

    def reliability(self, family: str, model: Any, sentences: Sentences, counts: Counter[str], seed: int) -> Facts:
        """Whether the probabilities of a fitted model come true on pairs of other sentences."""
        section = self.settings[family]
        window = section.get("window") or self.settings["corpus"]["window"]
        return word_reliability(model, sentences, counts, window, section["subsample"], seed)

    def fitted(self, family: str, seed: int) -> Any:
        """The trained model of a family."""
        if family == "popularity":
            return Popularity().fit(counted(self.sentences, 1))
        section = {**self.settings.get(family, {})}  # what is given no parameter has none
        if family == "sg":
            return SkipGram(**section, seed=seed).fit(self.sentences)
        window = section.pop("window", None)
        made = (BayesianSkipGram if family == "bsg" else VBN)(**section, seed=seed, verbose=False)
        return made.fit(self._data(window))


def _ways(key: str, model: Any, subsample: float | None) -> Iterator[Scoring]:
    """Ways to ask: by the plain average, as in the paper; with frequent words thinned out as training did.

    Skip-gram is asked by cosines, as in the paper, or by products with its output vectors; Bayesian models by the
    predictive probability of an averaged or a folded-in query, or by cosines, too, of the means of u + v: with the
    average of the sentence, or with each of its words, of which rare ones say more than frequent ones.
    """
    columns = as_scorer(model).columns
    keep = keep_probabilities(columns.counts, subsample)

    def thinned(score: Score) -> Score:
        return lambda queries: score(
            [{word: n * keep[columns.id(word)] for word, n in query.items()} for query in queries]
        )

    name = SHOWN[key]
    if key in ("sg", "sg-r"):
        products = copy.copy(model)
        products.rank_by = "dot"
        yield f"{name}, {AVERAGE}", model.scores, columns, None
        yield f"{name}, thinned average", thinned(model.scores), columns, None
        yield f"{name}, average and products", products.scores, columns, None
        yield f"{name}, thinned average and products", thinned(products.scores), columns, None
        return
    averaged, folded = (WordsOnly(model.trained_, query) for query in ("average", "fold_in"))
    offsets = np.array([averaged.added(dial) for dial in DIALS])
    yield f"{name}, {AVERAGE}", averaged.scores, averaged.columns, offsets
    yield f"{name}, thinned average", thinned(averaged.scores), averaged.columns, offsets
    yield f"{name}, fold-in", thinned(folded.scores), folded.columns, offsets
    yield f"{name}, average and cosine", averaged.cosines, averaged.columns, offsets
    yield f"{name}, thinned average and cosine", thinned(averaged.cosines), averaged.columns, offsets
    yield f"{name}, telling words and cosine", averaged.telling_cosines, averaged.columns, offsets


class WordsOnly:
    """The predictive logits of the words of training alone: half of the columns are nodes of the graph."""

    def __init__(self, trained: Trained, query: str) -> None:
        self._infer, self._trained = fold_in if query == "fold_in" else average, trained
        q, counts = trained.posterior, trained.columns.counts
        at = trained.columns.ids(sorted(trained.columns[int(i)] for i in np.flatnonzero(counts > 0)))
        self.columns = Vocabulary([trained.columns[int(i)] for i in at], counts[at])
        self._v = np.asarray(q.v.mean[at].T, np.float32)
        self._spreads = np.concatenate([np.asarray(q.v.variance[at].T, np.float32), self._v**2])
        self._bias, self._bias_variance = (np.asarray(part[at], np.float32) for part in (q.bias.mean, q.bias.variance))
        self._at = at

    def added(self, dial: Dial) -> np.ndarray:
        """What the dial adds to the logits of the words."""
        return dial.added(self._trained.profile)[self._at]

    @cached_property
    def _joint(self) -> tuple[np.ndarray, np.ndarray]:
        """Vectors u + v of all entities, and those of the words alone, of length 1."""
        q = self._trained.posterior
        joint = np.asarray(q.u.mean + q.v.mean, np.float32)
        return joint, np.asarray(unit(joint[self._at]).T)

    def cosines(self, queries: list[Basket]) -> np.ndarray:
        """Cosines of the average of u + v with u + v of the words, stretched so that the dial's positions suit them."""
        joint, words = self._joint
        asked = basket_matrix(list(queries), self._trained.columns) @ joint
        return np.asarray(_STRETCH * unit(np.asarray(asked, np.float32)) @ words)

    @cached_property
    def _telling(self) -> np.ndarray:
        """What a word says by being there: -log of its frequency; 0 for nodes of the graph."""
        counts = self._trained.columns.counts
        return np.asarray(np.log(counts.sum() / np.where(counts > 0, counts, counts.sum())))

    def telling_cosines(self, queries: list[Basket]) -> np.ndarray:
        """Return cosines of u + v with each word of a query, in a mean that leans to near and to telling words.

        The mean is log sum_w a_w exp(s cosine_w) / s with a_w in proportion to -log frequency: a rare word that goes
        with one word of a sentence need not go with its average. Stretched as `cosines`.
        """
        joint, words = self._joint
        found = np.empty((len(queries), words.shape[1]), np.float32)
        for row, query in enumerate(queries):
            ids = self._trained.columns.ids(list(query))
            weights = np.fromiter(query.values(), np.float64, len(query)) * self._telling[ids]
            near = np.exp(_SHARPNESS * np.asarray(unit(joint[ids]), np.float32) @ words.astype(np.float32))
            found[row] = np.log((weights / weights.sum()).astype(np.float32) @ near)
        return np.asarray(_STRETCH / _SHARPNESS * found)

    def scores(self, queries: list[Basket]) -> np.ndarray:
        """One row for each query."""
        baskets = basket_matrix(list(queries), self._trained.columns)
        arrays = (baskets.indptr.astype(np.int64), baskets.indices.astype(np.int64), baskets.data.astype(np.float64))
        found = self._infer(self._trained, ContextArrays(*arrays))
        u, variance = found.mean.astype(np.float32), found.variance.astype(np.float32)
        spread = np.concatenate([u**2 + variance, variance], axis=1) @ self._spreads + self._bias_variance
        return self._trained.link.logit(u @ self._v + self._bias, spread)
