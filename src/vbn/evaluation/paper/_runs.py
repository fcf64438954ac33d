"""One run: train a model on a split, rank what is hidden, keep the ranks."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vbn.baselines import as_scorer
from vbn.evaluation.paper._cache import Cache, Record, fingerprint
from vbn.evaluation.paper._examples import neighbours, of_the_least
from vbn.evaluation.paper._judging import ranks
from vbn.evaluation.paper._models import BY_KEY, Model, Parameters, of_fit
from vbn.evaluation.paper._options import Progress
from vbn.evaluation.paper._positions import DIAL, as_facts
from vbn.evaluation.paper._reliability import reliability
from vbn.evaluation.paper._split import BOTH, ITEMS, Split
from vbn.inference import Dial, read_dial


@dataclass
class Runner:
    """Runs models, asks the cache first, and tells how far it is.

    Attributes
    ----------
    cache, progress
        Where records are kept, and where lines of progress go.
    """

    cache: Cache
    progress: Progress
    _last: dict[str, Any] = field(default_factory=dict)

    def run(self, model: Model, split: Split, settings: dict[str, Parameters], seed: int) -> Record:
        """Ranks of one model on one split, as "above" (variants, cases) and "others"; its "dial" is in the facts.

        On a cold split "above_within" and "others_within" are the same among the cold items only.

        Parameters
        ----------
        model, split
            What to train, and on what.
        settings
            Parameters of every model, by key.
        seed
            Of training.
        """
        model = model.placed(settings[model.key])
        started, what = time.perf_counter(), identity(model, split, settings, seed)
        found = self.cache.find(what)
        record = self._computed(model, split, settings, seed) if found is None else found
        if found is None:
            self.cache.keep(what, record)
        label, took = f"{model.name}, {split.label}", record.facts["seconds"]
        self.progress.step(label, started, cached=found is not None, took=took)
        return record

    def _computed(self, model: Model, split: Split, settings: dict[str, Parameters], seed: int) -> Record:
        started = time.perf_counter()
        fitted, seconds = self._fitted(model, split, settings, seed)
        dial = dial_of(model, settings[model.key])
        scorer = as_scorer(fitted, query={ITEMS: "average", BOTH: "both"}.get(model.setting, "fold_in"))
        offsets = None
        if dial:
            offsets = np.array([one.added(fitted._model().profile) for one in dial])
        above, others = ranks(scorer, split.masked, split.which, model.asking, offsets)
        facts = {
            "fit_seconds": seconds,
            "seconds": time.perf_counter() - started,
            "dial": as_facts(dial),
            "neighbours": neighbours(fitted, split.examples, split.domain.interactions.items),
            "bounds": [float(bound) for bound in getattr(fitted, "lower_bounds_", [])],
        }
        if split.which == "test" and not split.cold:
            if model.asking.query == "items":
                facts["seen_least"] = of_the_least(fitted, scorer, split)
            if model.dial:
                facts["reliability"] = reliability(fitted, split, model.asking)
        arrays = {"above": above, "others": others}
        if split.cold:
            among = split.masked.counts(split.which) == 0
            within = ranks(scorer, split.masked, split.which, model.asking, offsets, among)
            arrays |= {"above_within": within[0], "others_within": within[1]}
        return Record(facts, arrays)

    def _fitted(self, model: Model, split: Split, settings: dict[str, Parameters], seed: int) -> tuple[Any, float]:
        """The trained model, and how long its training took; a base is trained once for all that build on it."""
        started = time.perf_counter()
        parameters = settings[model.key]
        if model.base:
            base, before = self._fitted(BY_KEY[model.base], split, settings, seed)
            edges = split.domain.edges(parameters.get("taxonomy"))
            return model.fit(base, edges, of_fit(parameters)), before + time.perf_counter() - started
        key = fingerprint(identity(model, split, settings, seed))
        if key not in self._last:
            data = split.data(model.setting, _taxonomy(model, split, parameters))
            started = time.perf_counter()
            fitted = model.fit(data, of_fit(parameters), seed)
            self._last = {key: (fitted, time.perf_counter() - started)}
        result: tuple[Any, float] = self._last[key]
        return result


def dial_of(model: Model, parameters: Parameters) -> tuple[Dial, ...]:
    """Positions of the dial: first the one to report, then the others of the curve."""
    if not model.dial:
        return ()
    own = read_dial(parameters.get("popularity", 0.0), parameters.get("popularity_floor", 0.0))
    return (own, *(position for position in DIAL if position != own))


def _taxonomy(model: Model, split: Split, parameters: Parameters) -> str | None:
    if not (model.taxonomy or model.nodes):
        return None
    chosen: str = parameters.get("taxonomy", next(iter(split.domain.taxonomies)))
    return chosen


def identity(model: Model, split: Split, settings: dict[str, Parameters], seed: int) -> dict[str, Any]:
    """All that a run depends on, but for the version of the code."""
    parameters = settings[model.key]
    model = model.placed(parameters)
    edges = _taxonomy(model, split, parameters)
    base = identity(BY_KEY[model.base], split, settings, seed) if model.base else None
    return {
        "split": split.hash,
        "examples": split.examples,
        "cold": split.cold,
        "model": model.key,
        "parameters": parameters,
        "seed": seed,
        "taxonomy": None if edges is None else split.domain.taxonomy_hash(edges),
        "asking": model.asking,
        "dial": dial_of(model, parameters),
        "package": model.version,
        "base": base,
    }
