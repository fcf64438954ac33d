"""The strength of features that held-out cold entities choose before a fit, `content_strength="auto"`.

Some entities with features lose all their pairs. Short fits to the rest, with one strength each and warm-started from
the same one, rank them by what parents and features say: for each partner of a pair, among all hidden entities. A
strength replaces another if it is better by more than a standard error over the hidden entities; the default is tried
first, and 0, which does not use the features, is among the others. The bound is not asked: it would choose too little.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vbn.data import Dataset, bytes_of, thinned
from vbn.engines import Engine
from vbn.estimators.automatic import reach
from vbn.estimators.checking import Settings
from vbn.estimators.training import prepare
from vbn.model import AUTO, CONTENT_STRENGTH, Trained, train

TRIED = (1.0, 4.0, 0.06, 0.0)
"""Strengths that are tried beside the default, in this order."""
LEAST = 60
"""Entities with features and data of which some are hidden; fewer say nothing."""
_SHARE, _FEWEST, _MOST = 0.15, 25, 400  # hidden entities
_EPOCHS, _MORE = 8, 4  # of the fit that the others start from, and of these
_CELLS = 1_000_000  # more only take longer
_CASES = 3_000


@dataclass(frozen=True)
class Trial:
    """A strength by source that was tried, and the mean percentile of the hidden entities among each other."""

    strengths: Mapping[str, float]
    percentile: float


@dataclass(frozen=True)
class Chosen:
    """Strengths by source, and what was tried for them: nothing, where too few entities have features."""

    strengths: dict[str, float]
    trials: tuple[Trial, ...] = ()


def choose_strengths(
    params: Mapping[str, Any], settings: Settings, data: Dataset, earlier: Trained | None, engine: Engine
) -> Chosen:
    """Return the strength of every source; what is given is kept, and so is what an earlier fit chose."""
    given = params["content_strength"]
    known = {name: given.get(name, CONTENT_STRENGTH) if isinstance(given, Mapping) else given for name in data.sources}
    wanted = [name for name, strength in known.items() if strength == AUTO]
    strengths = {name: CONTENT_STRENGTH if strength == AUTO else float(strength) for name, strength in known.items()}
    if earlier is not None:
        before = {name: earlier.sources[name] for name in wanted if name in earlier.sources}
        wanted, strengths = [name for name in wanted if name not in before], strengths | before
    trials: list[Trial] = []
    for side, features in (("column", data.column_features), ("row", None if data.shared else data.row_features)):
        own = [name for name in wanted if features is not None and name in features.widths]
        if features is None or not own:
            continue
        wanted = [name for name in wanted if name not in own]
        hidden = _hidden(data, side, features.selected(own).known, int(params["seed"]))
        if hidden is not None:
            judge = _Judge.of(params, settings, data, side, hidden, strengths, engine)
            strengths = _chosen(judge, strengths, own, trials)
    return Chosen(strengths, tuple(trials))


def _chosen(judge: _Judge, strengths: dict[str, float], sources: list[str], trials: list[Trial]) -> dict[str, float]:
    """Return the best strengths: one for all sources of a side, then each alone."""
    best, scores = strengths, judge.scores(strengths)
    trials.append(Trial(best, float(scores.mean())))

    def compare(tried: dict[str, float]) -> None:
        nonlocal best, scores
        found = judge.scores(tried)
        trials.append(Trial(tried, float(found.mean())))
        gain = found - scores
        if gain.mean() > gain.std(ddof=1) / np.sqrt(len(gain)):
            best, scores = tried, found

    for strength in TRIED:
        compare(strengths | dict.fromkeys(sources, strength))
    if len(sources) > 1:
        common = best[sources[0]] or CONTENT_STRENGTH
        for name in sources:
            for strength in (4.0 * common, 0.25 * common, 0.0):
                if best[name] != strength:
                    compare(best | {name: strength})
    return best


def _hidden(data: Dataset, side: str, known: np.ndarray, seed: int) -> np.ndarray | None:
    """Return some entities that have features and pairs; None if there are too few."""
    counts = data.counts
    sizes = np.bincount(counts.indices, minlength=counts.shape[1]) if side == "column" else np.diff(counts.indptr)
    entities = np.flatnonzero(known & (sizes > 0))
    if len(entities) < LEAST:
        return None
    number = min(max(int(_SHARE * len(entities)), _FEWEST), _MOST)
    return np.sort(np.random.default_rng([seed, 0xC01D]).permutation(entities)[:number])


@dataclass(frozen=True)
class _Judge:
    """Short fits without the hidden entities' pairs, which say how well a strength ranks these."""

    params: Mapping[str, Any]
    settings: Settings
    rest: Dataset
    side: str
    hidden: np.ndarray
    partners: np.ndarray  # entities of the other side
    cases: np.ndarray  # (n, 2): pairs that are asked for, as places among the partners and among the hidden entities
    has: np.ndarray  # (partners, hidden): which pairs are there
    base: Trained | None
    engine: Engine

    @classmethod
    def of(
        cls,
        params: Mapping[str, Any],
        settings: Settings,
        data: Dataset,
        side: str,
        hidden: np.ndarray,
        strengths: dict[str, float],
        engine: Engine,
    ) -> _Judge:
        """Hide the entities, and fit the model that all others start from."""
        rows, columns = data.counts.row_ids().astype(np.int64), data.counts.indices.astype(np.int64)
        own, other = (columns, rows) if side == "column" else (rows, columns)
        out = np.isin(own, hidden)
        asked = out & ~np.isin(other, hidden) if data.shared else out
        gone = out | np.isin(other, hidden) if data.shared else out
        rng = np.random.default_rng([int(params["seed"]), 0xA5CED])
        if len(own) > _CELLS:  # the pairs of some partners only
            used = rng.random(int(other.max()) + 1) < _CELLS / len(own)
            gone, asked = gone | ~used[other], asked & used[other]
        cells = np.flatnonzero(asked)
        cells = np.sort(rng.permutation(cells)[:_CASES])
        partners, at = np.unique(other[cells], return_inverse=True)
        has = np.zeros((len(partners), len(hidden)), dtype=bool)
        every = np.flatnonzero(out & np.isin(other, partners))
        has[np.searchsorted(partners, other[every]), np.searchsorted(hidden, own[every])] = True
        cases = np.column_stack([at.reshape(-1), np.searchsorted(hidden, own[cells])])
        quiet = {**params, "verbose": False, "checkpoint": None}
        judge = cls(quiet, settings, thinned(data, ~gone), side, hidden, partners, cases, has, None, engine)
        return replace(judge, base=judge._fitted(strengths, _EPOCHS))

    def scores(self, strengths: dict[str, float]) -> np.ndarray:
        """Return the mean percentile of each hidden entity with cases, among those that the partner does not have."""
        trained = self._fitted(strengths, _MORE)
        grid = np.repeat(self.partners, len(self.hidden)), np.tile(self.hidden, len(self.partners))
        moments = trained.cooccurrence.pair_moments(*(grid if self.side == "column" else grid[::-1]))
        logits = trained.link.logit(*moments).reshape(self.has.shape)
        at, targets = self.cases.T
        own, others, free = logits[at, targets][:, None], logits[at], ~self.has[at]
        below = ((others < own) & free).sum(axis=1) + 0.5 * ((others == own) & free).sum(axis=1)
        share = below / np.maximum(free.sum(axis=1), 1)
        asked = np.bincount(targets, minlength=len(self.hidden))
        return np.asarray(np.bincount(targets, share, len(self.hidden))[asked > 0] / asked[asked > 0])

    def _fitted(self, strengths: dict[str, float], epochs: int) -> Trained:
        settings = replace(self.settings, hyperpriors=replace(self.settings.hyperpriors, content=strengths))
        params = {**self.params, "average_epochs": min(int(self.params["average_epochs"]), epochs)}
        training = prepare(params, settings, self.rest, None, self.base, whole=True)
        memory = None if params["memory"] is None else bytes_of(params["memory"])
        for info in train(
            training.network,
            training.sampler,
            self.engine,
            epochs=epochs,
            resample=bool(params["resample"]),
            memory=memory,
            reach=reach(self.rest),
        ):
            training.take(info)
        return training.trained()
