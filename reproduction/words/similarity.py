"""Word similarity: rank correlation of cosines with judgements, by set, for known, rare and all pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from reproduction.cache import Cache, Record
from reproduction.models import given_nothing
from reproduction.running import Progress
from reproduction.words.corpus import Judged, Words, edge_mark, judged
from reproduction.words.graph import cosines
from reproduction.words.rivals import FAMILIES, UNSEEDED, Material
from reproduction.words.settings import kept
from vbn.evaluation import spearman

_RESAMPLES = 1000


@dataclass(frozen=True)
class SimilarityResult:
    """Cosines of every judged pair, by model, seed and set, and the pairs.

    Attributes
    ----------
    pairs : dict of Judged
        By set.
    scores : dict
        Model -> one dict a seed -> set -> a cosine for each pair.
    examples : dict
        Model -> what `described` says of the one of the first seed.
    """

    pairs: dict[str, Judged]
    scores: dict[str, list[dict[str, np.ndarray]]]
    examples: dict[str, dict[str, Any]] = field(default_factory=dict)

    def correlations(self, model: str, which: str = "reports", rare: bool = False) -> dict[str, np.ndarray]:
        """100 x Spearman by set, one for each seed.

        Parameters
        ----------
        which
            "reports": known pairs of the reporting half; "unseen": these and all pairs with absent words; "chooses":
            known pairs of the other half, on which settings were chosen.
        """
        result = {}
        for name, pairs in self.pairs.items():
            chosen = self._chosen(pairs, which, rare)
            result[name] = np.array(
                [100.0 * spearman(run[name][chosen], pairs.scores[chosen]) for run in self.scores[model]]
            )
        return result

    def average(self, model: str, which: str = "reports", rare: bool = False) -> np.ndarray:
        """Mean over the sets, one for each seed."""
        return np.asarray(np.mean(list(self.correlations(model, which, rare).values()), axis=0))

    @staticmethod
    def _chosen(pairs: Judged, which: str, rare: bool) -> np.ndarray:
        chosen = pairs.known & ~pairs.reports if which == "chooses" else getattr(pairs, which)
        return np.asarray(chosen & pairs.rare if rare else chosen)

    def difference(self, ours: str, rival: str, rare: bool = False, seed: int = 0) -> tuple[float, float, float]:
        """Ours minus the rival's, averaged over sets, with the 95 % interval of a paired bootstrap over pairs.

        Pairs are resampled within each set; ranks are those of the whole set, which spares a million rankings.
        """
        rng = np.random.default_rng([seed, 0x51A])
        drawn = np.zeros(_RESAMPLES)
        for name, pairs in self.pairs.items():
            at = np.flatnonzero(self._chosen(pairs, "reports", rare))
            sample = rng.integers(len(at), size=(_RESAMPLES, len(at)))
            truth = _ranks(pairs.scores[at])
            for model, sign in ((ours, 1.0), (rival, -1.0)):
                runs = self.scores[model]
                found = [_resampled(_ranks(run[name][at]), truth, sample) for run in runs]
                drawn += sign * 100.0 * np.mean(found, axis=0) / len(self.pairs)
        low, high = np.quantile(drawn, [0.025, 0.975])
        middle = float(self.average(ours, rare=rare).mean() - self.average(rival, rare=rare).mean())
        return middle, float(low), float(high)


def similarity(
    words: Words, settings: Mapping[str, dict[str, Any]], seeds: int, cache: Cache, progress: Progress
) -> SimilarityResult:
    """Train every family with every seed, and keep the cosines of the judged pairs.

    Parameters
    ----------
    settings
        Of `winners("similarity")`: sections corpus, taxonomy, vbn, readout, bsg, sg, fasttext, retrofit, averaging,
        graph.
    """
    material = Material(words, settings)
    pairs = {name: judged(found, words.counts) for name, found in words.sets.items()}
    what = {"experiment": "similarity", "corpus": words.mark, "graph": edge_mark(material.edges), "settings": settings}
    scores: dict[str, list[dict[str, np.ndarray]]] = {}
    examples: dict[str, dict[str, Any]] = {}
    for family in FAMILIES:
        for seed in range(1 if family in UNSEEDED else seeds):
            key, label = {**what, "family": family, "seed": seed}, f"similarity, {family}, seed {seed}"
            if family == "vbn-default":
                key["fitted"] = given_nothing()
            record = kept(cache, progress, label, key, partial(_scored, material, pairs, family, seed))
            for model in record.facts["models"]:
                run = {name: record.arrays[f"{model}|{name}"] for name in pairs}
                scores.setdefault(model, []).append(run)
            for model, example in record.facts["examples"].items():
                examples.setdefault(model, example)
    return SimilarityResult(pairs, scores, examples)


def runs(seeds: int) -> int:
    """How many trainings `similarity` needs."""
    return sum(1 if family in UNSEEDED else seeds for family in FAMILIES)


def _scored(material: Material, pairs: Mapping[str, Judged], family: str, seed: int) -> Record:
    place = {name: number for number, name in enumerate(material.names)}
    trained = FAMILIES[family](material, seed)
    arrays = {}
    for model, found in trained.vectors.items():
        for name, one in pairs.items():
            left, right = _places(place, one.left), _places(place, one.right)
            arrays[f"{model}|{name}"] = cosines(found, left, right)
    return Record({"models": list(trained.vectors), "examples": trained.examples}, arrays)


def _places(place: Mapping[str, int], words: Sequence[str]) -> np.ndarray:
    return np.array([place[word] for word in words], dtype=np.int64)


def _ranks(values: np.ndarray) -> np.ndarray:
    from scipy.stats import rankdata

    return np.asarray(rankdata(values), dtype=np.float64)


def _resampled(a: np.ndarray, b: np.ndarray, sample: np.ndarray) -> np.ndarray:
    """Correlation of two columns in each resample; 0 where a resample has but one value."""
    x, y = a[sample], b[sample]
    x = x - x.mean(axis=1, keepdims=True)
    y = y - y.mean(axis=1, keepdims=True)
    scale = np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    return np.asarray((x * y).sum(axis=1) / np.where(scale > 0, scale, 1.0))
