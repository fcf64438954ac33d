"""Search for the settings of the experiments on words: what is tried, and how it is judged on validation data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from reproduction.cache import Cache, Record
from reproduction.judging import contributions
from reproduction.running import Progress
from reproduction.runs import dial_parameters
from reproduction.search import _optuna
from reproduction.winners import FOLDER
from reproduction.words.completion import DIALS, FOUR, Training, judged_models
from reproduction.words.corpus import SETS, Words, judged
from reproduction.words.graph import cosines
from reproduction.words.masked import Cases, masked
from reproduction.words.rivals import BASES, Material, readouts
from reproduction.words.settings import kept, winners, write_winners
from vbn._errors import ParameterError
from vbn.evaluation import spearman

Section = dict[str, Any]

_GENSIM: Section = {"dim": 50, "epochs": 20, "negatives": 5, "subsample": 1e-4, "window": 5, "alpha": 0.025}
_LETTERS: Section = {**_GENSIM, "min_n": 3, "max_n": 6, "buckets": 200_000}
_BAYES: Section = {"dim": 50, "epochs": 20, "negatives": 2, "subsample": 1e-4, "noise_power": 0.75, "entity": 1.0}
_OURS: Section = {**_BAYES, "epochs": 30, "entity": 10.0, "bias_prior": "common", "families": 0.5}
_HIDDEN: Section = {**_BAYES, "epochs": 15, "window": 5}
_OUR_HIDDEN: Section = {**_OURS, "epochs": 15, "window": 5}

_GENSIM_VALUES: dict[str, tuple[Any, ...]] = {
    "dim": (50, 100),
    "epochs": (10, 15, 20, 30, 40),
    "negatives": (2, 5, 10),
    "subsample": (1e-5, 1e-4, 1e-3),
    "window": (3, 5, 10),
    "alpha": (0.025, 0.05, 0.1),
}
_BAYES_VALUES: dict[str, tuple[Any, ...]] = {
    "dim": (50, 100),
    "epochs": (10, 15, 20, 25, 30),
    "negatives": (1, 2, 5),
    "subsample": (1e-5, 1e-4, 1e-3),
    "noise_power": (0.25, 0.5, 0.75),
    "entity": (1.0, 3.0, 10.0, 20.0),
}

VALUES: dict[str, dict[str, dict[str, tuple[Any, ...]]]] = {
    "similarity": {
        "sg": _GENSIM_VALUES,
        "fasttext": {**_GENSIM_VALUES, "min_n": (2, 3, 4), "max_n": (5, 6), "buckets": (200_000,)},
        "bsg": _BAYES_VALUES,
        "vbn": {**_BAYES_VALUES, "bias_prior": ("common", "taxonomy"), "families": (0.0, 0.5, 1.0)},
    },
    "completion": {
        "sg": _GENSIM_VALUES,
        "bsg": {**_BAYES_VALUES, "window": (5, 10)},
        "vbn": {**_BAYES_VALUES, "window": (5, 10), "bias_prior": ("common", "taxonomy"), "families": (0.0, 0.5, 1.0)},
    },
}
"""By experiment and family: the values of each parameter, from which Optuna draws once `FIRST` is used up."""

FIRST: dict[str, dict[str, list[Section]]] = {
    "similarity": {
        "sg": [
            _GENSIM,
            {**_GENSIM, "subsample": 1e-3, "epochs": 10},
            {**_GENSIM, "subsample": 1e-5, "epochs": 40, "alpha": 0.05, "window": 10},
            {**_GENSIM, "alpha": 0.1},
        ],
        "fasttext": [
            _LETTERS,
            {**_LETTERS, "subsample": 1e-3, "epochs": 10},
            {**_LETTERS, "alpha": 0.1},
            {**_LETTERS, "alpha": 0.05, "epochs": 30},
        ],
        "bsg": [
            _BAYES,
            {**_BAYES, "subsample": 1e-5, "epochs": 30},
            {**_BAYES, "subsample": 1e-3},
            {**_BAYES, "epochs": 30},
        ],
        "vbn": [
            _OURS,
            {**_OURS, "epochs": 20},
            {**_OURS, "epochs": 10},
            {**_OURS, "epochs": 15, "families": 0.0},
        ],
    },
    "completion": {
        "sg": [
            {**_GENSIM, "epochs": 15},
            {**_GENSIM, "alpha": 0.05, "epochs": 20},
            {**_GENSIM, "alpha": 0.05, "window": 10},
            {**_GENSIM, "alpha": 0.05, "window": 10, "subsample": 1e-5, "epochs": 30},
            {**_GENSIM, "alpha": 0.1, "window": 10},
        ],
        "bsg": [
            _HIDDEN,
            {**_HIDDEN, "subsample": 1e-3},
            {**_HIDDEN, "subsample": 1e-3, "window": 10},
            {**_HIDDEN, "subsample": 1e-3, "window": 10, "epochs": 25},
            {**_HIDDEN, "subsample": 1e-3, "window": 10, "epochs": 25, "dim": 100},
        ],
        "vbn": [
            _OUR_HIDDEN,
            {**_OUR_HIDDEN, "subsample": 1e-3},
            {**_OUR_HIDDEN, "subsample": 1e-3, "window": 10},
            {**_OUR_HIDDEN, "subsample": 1e-3, "window": 10, "epochs": 25},
            {**_OUR_HIDDEN, "subsample": 1e-3, "window": 10, "epochs": 25, "dim": 100},
        ],
    },
}
"""Settings that are tried first, in this order."""


def as_section(chosen: Section) -> Section:
    """What a model is given: `entity` is a shape of the prior, and families belong to the graph."""
    section = {key: value for key, value in chosen.items() if key not in ("entity", "families")}
    return {**section, "alpha": {"entity": chosen["entity"]}} if "entity" in chosen else section


ALPHAS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
"""Weights of the trained vector in retrofitting."""
WEIGHTS = (0.3, 1.0, 3.0, 10.0, 30.0, 1000.0)
"""Weights of the parents in averaging over the graph."""
DECAYS = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""What each step up takes from a node of the graph alone."""


class Choosing:
    """The pairs of the half that chooses."""

    def __init__(self, words: Words, names: list[str]) -> None:
        place = {name: number for number, name in enumerate(names)}
        self.sets = {}
        for name, found in words.sets.items():
            pairs = judged(found, words.counts)
            at = np.flatnonzero(pairs.known & ~pairs.reports)
            left, right = (np.array([place[side[n]] for n in at]) for side in (pairs.left, pairs.right))
            self.sets[name] = left, right, pairs.scores[at], pairs.rare[at]

    def figures(self, vectors: Any) -> dict[str, float]:
        """100 x Spearman: the average over sets, that of rare pairs, and each set."""
        known, rare = {}, {}
        for name, (left, right, scores, is_rare) in self.sets.items():
            found = cosines(vectors, left, right)
            known[SETS[name]] = 100.0 * spearman(found, scores)
            rare[name] = 100.0 * spearman(found[is_rare], scores[is_rare])
        average = {"average": float(np.mean(list(known.values()))), "rare pairs": float(np.mean(list(rare.values())))}
        return {name: round(value, 2) for name, value in {**average, **known}.items()}


def judged_pairs(words: Words, settings: Sections, family: str) -> Record:
    """One trial of word similarity: the best readout of a training."""
    material = Material(words, settings)
    choosing = Choosing(words, material.names)
    tried = {name: (choosing.figures(vectors), vectors) for name, vectors in readouts(material, family, seed=0)}
    best = max(tried, key=lambda name: tried[name][0]["average"])
    figures, vectors = tried[best]
    facts = {"score": figures["average"], "reached": figures, "also": {"readout": {family: best}}}
    return Record(facts, {"vectors": np.asarray(vectors, dtype=np.float32)})


def readjusted(words: Words, settings: Sections, vectors: Mapping[str, np.ndarray]) -> Record:
    """How hard to retrofit, how much to average over the graph, and how far up ancestors count."""
    material = Material(words, settings)
    choosing, graph = Choosing(words, material.names), material.graph
    facts = {}

    def chosen(section: str, tried: dict[float, Any], name: str) -> None:
        figures = {value: choosing.figures(found) for value, found in tried.items()}
        best = max(figures, key=lambda value: figures[value]["average"])
        facts[section] = {"best": {name: best}, "reached": {"trials": len(tried), **figures[best]}}

    for base in BASES:
        own, iterations = vectors[base], settings[f"{base}-r"]["iterations"]
        chosen(f"{base}-r", {alpha: graph.retrofitted(own, alpha, iterations) for alpha in ALPHAS}, "alpha")
        chosen(f"{base}-averaged", {weight: graph.averaged(own, weight) for weight in WEIGHTS}, "weight")
    chosen("graph", {decay: graph.ancestors(decay) for decay in DECAYS}, "decay")
    return Record({"sections": facts})


def hidden_words(words: Words, settings: Sections, family: str) -> Record:
    """One trial of sentence completion: the best way to ask, and the best position of the dial if there is one."""
    cases, counts = _cases(words)
    training = Training(words, words.parts.training, settings)
    found = judged_models(training.every_way(family), cases, counts)
    figures = {name: four(above, found.others, cases) for name, above in found.above.items()}
    name, place = best_of(figures)
    facts: dict[str, Any] = _chosen(figures[name], place)
    return Record({**facts, "also": {"ranking": {family: _ranking(name, place, len(figures[name]))}}})


def retrofits_of_hidden(words: Words, settings: Sections, vectors: Mapping[str, np.ndarray]) -> Record:  # noqa: ARG001
    """How hard to retrofit the models of sentence completion, and where their dial is."""
    cases, counts = _cases(words)
    training = Training(words, words.parts.training, settings)
    facts: dict[str, Any] = {"ranking": {"best": {}, "reached": {}}}
    for family in ("bsg", "sg"):
        figures: dict[str, np.ndarray] = {}
        for alpha, scorings in training.retrofits(family, ALPHAS):
            found = judged_models(scorings, cases, counts)
            figures |= {f"{name}|{alpha!r}": four(above, found.others, cases) for name, above in found.above.items()}
        key, place = best_of(figures)
        name, _, alpha_text = key.partition("|")
        reached = {"trials": len(ALPHAS), **_chosen(figures[key], place)["reached"]}
        facts[f"{family}-r"] = {"best": {"alpha": float(alpha_text)}, "reached": reached}
        facts["ranking"]["best"][f"{family}-r"] = _ranking(name, place, len(figures[key]))
    return Record({"sections": facts})


def four(above: np.ndarray, others: np.ndarray, cases: Cases) -> np.ndarray:
    """HR@10% and MPR, full and rare, for each position of the dial."""
    chosen = {"full": cases.first, "rare": cases.rare}
    lines = [
        [float(contributions(figure, line[chosen[part]], others[chosen[part]]).mean()) for figure, part in FOUR]
        for line in above
    ]
    return np.array(lines)


def best_of(figures: Mapping[str, np.ndarray]) -> tuple[str, int]:
    """The name and the line with the largest mean over columns.

    Examples
    --------
    >>> best_of({"a": np.array([[1.0, 2.0]]), "b": np.array([[0.0, 0.0], [3.0, 3.0]])})
    ('b', 1)
    """
    places = [
        (float(line.mean()), name, number) for name, lines in figures.items() for number, line in enumerate(lines)
    ]
    _, name, number = max(places, key=lambda place: place[0])
    return name, number


def _chosen(lines: np.ndarray, place: int) -> dict[str, Any]:
    titles = [f"{figure} {part}" for figure, part in FOUR]
    reached = {title: round(float(value), 2) for title, value in zip(titles, lines[place], strict=True)}
    return {"score": float(lines[place].mean()), "reached": reached}


def _ranking(name: str, place: int, positions: int) -> dict[str, Any]:
    """How to ask, and where the dial is if there is one."""
    dial = DIALS[place]
    turned = dial_parameters(dial) if positions > 1 else {}
    return {"query": name.partition(", ")[2], **turned}


def _cases(words: Words) -> tuple[Cases, Counter[str]]:
    counts = Counter(word for sentence in words.parts.training for word in sentence)
    return masked(words.parts.validation, counts), counts


Sections = dict[str, dict[str, Any]]
Judge = Callable[[Words, Sections, str], Record]


def search_words(words: Words, trials: int, cache: Cache, progress: Progress, folder: Path = FOLDER) -> list[Path]:
    """Search for similarity and for sentence completion, and write the winners.

    Parameters
    ----------
    words
        The data.
    trials
        How many settings of each family are tried.
    cache, progress
        Where runs are kept, where to tell about them.
    folder
        Where the toml files go: <folder>/words/<experiment>.toml.

    Returns
    -------
    list of Path
        The files written.
    """
    if trials < 1:
        raise ParameterError(f"trials={trials!r} must be at least 1.")
    progress.expect(trials * sum(map(len, VALUES.values())) + 2)
    paths = []
    for experiment in VALUES:
        one = _Search(words, experiment, trials, cache, progress)
        path = folder / "words" / f"{experiment}.toml"
        write_winners(path, *one.run())
        paths.append(path)
    return paths


@dataclass(frozen=True)
class _Search:
    """The search of one experiment."""

    words: Words
    experiment: str
    trials: int
    cache: Cache
    progress: Progress

    @cached_property
    def settings(self) -> Sections:
        """The present winners, in which the families' sections are replaced one after the other."""
        return winners(self.experiment)

    def run(self) -> tuple[Sections, Sections]:
        """The best settings, and what they reached."""
        reached: Sections = {}
        for family in sorted(VALUES[self.experiment], reverse=True):  # VBN first: its graph is everybody's
            reached[family] = self._searched(family)
        label = f"{self.experiment}, what changes a trained model"
        judge = readjusted if self.experiment == "similarity" else retrofits_of_hidden
        compute = partial(judge, self.words, self.settings, self.vectors)
        record = kept(self.cache, self.progress, label, self._key("after"), compute)
        for name, found in record.facts["sections"].items():
            self.settings[name] = {**self.settings.get(name, {}), **found["best"]}
            reached[name] = found["reached"]
        return self.settings, reached

    @cached_property
    def vectors(self) -> dict[str, Any]:
        """Of the best trial of each family, where a trial keeps them."""
        return {}

    def _searched(self, family: str) -> dict[str, Any]:
        """Try settings of a family; keep the best section."""
        optuna = _optuna()
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        first, values = FIRST[self.experiment][family], VALUES[self.experiment][family]
        tried: list[tuple[float, Section, Record]] = []

        def objective(trial: Any) -> float:
            chosen = {name: trial.suggest_categorical(name, list(some)) for name, some in values.items()}
            record = self._judged(family, chosen)
            tried.append((record.facts["score"], chosen, record))
            return float(record.facts["score"])

        study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0))
        for given in first:
            study.enqueue_trial(given)
        study.optimize(objective, n_trials=self.trials)
        score, best, record = max(tried, key=lambda one: one[0])
        self.settings.update(self._with(family, best))
        self.vectors.update({family: record.arrays["vectors"]} if "vectors" in record.arrays else {})
        for section, found in record.facts["also"].items():
            self.settings[section] = {**self.settings.get(section, {}), **found}
        return {"trials": self.trials, "objective": round(score, 2), **record.facts["reached"]}

    def _with(self, family: str, chosen: Section) -> Sections:
        changed = {**self.settings, family: as_section(chosen)}
        if "families" in chosen:
            changed["families"] = {"share": chosen["families"]}
        return changed

    def _judged(self, family: str, chosen: Section) -> Record:
        judge: Judge = judged_pairs if self.experiment == "similarity" else hidden_words
        settings = self._with(family, chosen)
        shown = ", ".join(f"{name} {value}" for name, value in chosen.items())
        compute = partial(judge, self.words, settings, family)
        return kept(
            self.cache, self.progress, f"{self.experiment}, {family}: {shown}", self._key(family, settings), compute
        )

    def _key(self, family: str, settings: Sections | None = None) -> dict[str, Any]:
        used = (
            self.settings
            if settings is None
            else {name: settings[name] for name in ("corpus", "taxonomy", "families", family) if name in settings}
        )
        return {
            "experiment": f"{self.experiment}, search",
            "corpus": self.words.mark,
            "family": family,
            "settings": used,
        }
