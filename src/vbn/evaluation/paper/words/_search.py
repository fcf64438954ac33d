"""Settings of the experiments on words by search, on validation data only, with as many trials for every family.

Similarity is judged on the half of the pairs that is not reported, sentence completion on the validation sentences.
What changes a trained model only (retrofitting, averaging over the graph) is tried on the best trial of its base.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from vbn._errors import ParameterError
from vbn.evaluation.paper._cache import Cache, Record
from vbn.evaluation.paper._options import Progress
from vbn.evaluation.paper._search import _optuna
from vbn.evaluation.paper._winners import FOLDER
from vbn.evaluation.paper.words._corpus import Words
from vbn.evaluation.paper.words._keeping import kept
from vbn.evaluation.paper.words._settings import winners, write_winners
from vbn.evaluation.paper.words._trials import FIRST, VALUES, Section, as_section
from vbn.evaluation.paper.words._validating import hidden_words, judged_pairs, readjusted, retrofits_of_hidden

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
        used = self.settings if settings is None else {
            name: settings[name] for name in ("corpus", "taxonomy", "families", family) if name in settings
        }  # fmt: skip
        return {
            "experiment": f"{self.experiment}, search",
            "corpus": self.words.mark,
            "family": family,
            "settings": used,
        }
