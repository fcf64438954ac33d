"""`vbn.tune`: choose what matters on held-out pairs, and fit the best setting to all data."""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from vbn._errors import DataError, MissingExtraError, NumericalError, ParameterError
from vbn._parameters import one_of
from vbn.data import Dataset
from vbn.estimators import VBN, duration, fingerprints, need_datasets, need_flag, need_number, need_whole, resolved
from vbn.evaluation.judging import Judge, Judgement
from vbn.evaluation.space import Settings, Space, Values, changed, free_space, with_settings
from vbn.evaluation.trials import Trial, Trials
from vbn.inference import FAVOURS
from vbn.model import dial_words

_RUNGS = (0.25, 0.5)  # of the epochs: when a trial may be given up
_RANDOM = 6  # trials before the sampler learns from them
_BEFORE_PRUNING = 3  # trials that are finished in any case
_REPEATS = 30  # suggestions in a row that were tried already: there is nothing new
_TIE = 0.5  # standard errors of the defaults' objective by which a setting must be better than the defaults
_NAME, _JOURNAL = "vbn", "study.log"
_OTHER = {
    "data": "other data",
    "space": "another space",
    "estimator": "another estimator",
    "favour": "another favour",
    "seed": "another seed",
}
_FREE = ("favour", "n_threads", "engine", "memory", "verbose", "warm_start", "checkpoint", "checkpoint_every")


def tune(
    data: Dataset,
    trials: int = 8,
    minutes: float | None = None,
    favour: str | None = None,
    *,
    seed: int = 0,
    study: str | os.PathLike[str] | None = None,
    estimator: VBN | None = None,
    space: Mapping[str, Values] | None = None,
    verbose: bool = True,
) -> VBN:
    """Try settings on held-out pairs and return a model fitted to all data with the best of them.

    Trial 0 has the defaults. Others vary the strength of the prior, `negatives`, `noise_power` and `dim`
    (`vbn.evaluation.SPACE` says why). Every trial ranks the held-out pairs among the whole catalogue, without what is
    known, at the best of a few positions of the popularity dial; one that is behind the others is given up early. A
    setting is chosen only if it is better than the defaults by half a standard error. Where rows and columns are the
    same entities, the right entity of each held-out pair is ranked given the left one. Relations are learned as usual,
    but not judged.

    Needs pip install 'vbn[tune]'. Ctrl-C ends the tuning and fits the best of the trials so far.

    Parameters
    ----------
    data
        What to learn from.
    trials
        How many settings to try, the defaults and those of an earlier call with the same `study` included.
    minutes
        No trial begins after this time; the defaults are tried in any case.
    favour : {"all", "balanced", "rare"}, optional
        Which targets the mean of HR@10% and MPR is of: all, the rare ones, or half of each. The model's own dial,
        ``recommend(popularity="auto")``, is then best for these too. By default that of the estimator, "all".
    seed
        Of the held-out pairs, of what is tried, and of the models unless there is an `estimator`. Same seed, same data:
        the same trials, unless `minutes` ends them.
    study
        A file, or an existing folder for one, that keeps the trials. The same call goes on where the last one ended.
    estimator
        What is varied; `VBN(seed=seed)` by default. What it sets away from the defaults is kept as it is.
    space
        What to try in place of the default: {parameter: values}, or ("int" | "float" | "log", low, high) for a range.
        "prior" stands for alpha and beta of entities and categories.
    verbose
        Whether to tell about every trial on standard error.

    Returns
    -------
    VBN
        The model. Its `tuning_` is a table of the trials, with the chosen one as `best`, whose `popularity` and
        `popularity_floor` ranked its held-out pairs best. `recommend` takes them; by default it has the position that
        the model itself chose, as after every fit.

    Raises
    ------
    DataError
        If there is too little data, or if `study` is of other data or of another space.

    Examples
    --------
    >>> import vbn
    >>> users = [user for user in range(40) for _ in range(4)]
    >>> items = [f"{'tea' if user % 2 else 'beer'} {(user + 3 * n) % 8}" for user in range(40) for n in range(4)]
    >>> data = vbn.Dataset.from_interactions(users, items)
    >>> small = vbn.VBN(dim=4, epochs=5, verbose=False)
    >>> model = vbn.tune(data, trials=2, estimator=small, verbose=False)
    >>> [trial.label for trial in model.tuning_]
    ['defaults', 'prior=30']
    """
    _check(data, trials, minutes, favour, seed, verbose)
    if estimator is None:
        estimator = VBN(seed=seed, verbose=verbose)
    if not isinstance(estimator, VBN):
        raise ParameterError(f"estimator must be a vbn.VBN, got {type(estimator).__name__}.")
    if favour is not None:
        estimator = with_settings(estimator, {}, favour=favour)
    optuna = _optuna()
    varied = Space(free_space(changed(estimator), data) if space is None else space, estimator, data)
    say = _say if verbose else _say_nothing
    with _quiet(optuna):
        search = _Search(optuna, data, estimator, varied, estimator.favour or FAVOURS[0], seed, study, say)
        try:
            search.run(trials, None if minutes is None else time.monotonic() + 60.0 * minutes)
        except KeyboardInterrupt:
            search.interrupted = True
    return _fitted(search, data, estimator, say)


def _check(data: object, trials: Any, minutes: Any, favour: Any, seed: Any, verbose: Any) -> None:
    need_datasets("tune", data, None)
    need_whole("trials", trials, 1)
    need_whole("seed", seed, 0)
    need_flag("verbose", verbose)
    if minutes is not None:
        need_number("minutes", minutes, above=0)
    if favour is not None and favour not in FAVOURS:
        raise ParameterError(f"favour={favour!r} must be {one_of(FAVOURS)}.")


def _fitted(search: _Search, data: Dataset, estimator: VBN, say: Callable[[str], None]) -> VBN:
    """Return the best setting so far, fitted to all data."""
    if not any(trial.state == "complete" for trial in search.done):
        raise KeyboardInterrupt("interrupted before the first trial was finished: there is no model")
    table = search.table()
    if search.interrupted:
        say("interrupted: fitting the best so far; Ctrl-C again ends without a model")
    say(f"fitting trial {table.best.number} to all data: {table.best.label}")
    model = with_settings(estimator, table.best.settings).fit(data)
    if model.interrupted_:
        raise KeyboardInterrupt("interrupted while the best setting was fitted: there is no model")
    model.tuning_ = table  # type: ignore[attr-defined]
    return model


class _Search:
    """Settings that were tried, and those to come; Optuna suggests them and keeps them."""

    def __init__(
        self,
        optuna: Any,
        data: Dataset,
        estimator: VBN,
        space: Space,
        favour: str,
        seed: int,
        study: str | os.PathLike[str] | None,
        say: Callable[[str], None],
    ) -> None:
        self._optuna, self._estimator, self._space, self._seed, self._say = optuna, estimator, space, seed, say
        self._study = _opened(optuna, study, _marks(data, estimator, space, favour, seed))
        kept = [trial.user_attrs["trial"] for trial in self._study.trials if "trial" in trial.user_attrs]
        self.done = [Trial(**facts) for facts in kept]
        self.interrupted = False
        self._judge = Judge(data, favour, seed)
        judged = "rows" if data.shared else "users"
        asked = f"{self._judge.pairs:,} pairs of {judged} held out; rare: {self._judge.rare}"
        say(asked + (f"; {len(self.done)} trials were done before" if self.done else ""))

    def run(self, trials: int, end: float | None) -> None:
        """Try settings until there are enough, the time is over or there is nothing new."""
        starts = self._space.starts()
        while len(self.done) < trials and not (self.done and end is not None and time.monotonic() >= end):
            if len(self.done) < len(starts):
                self._run_start(starts[len(self.done)])
            elif not self._run_suggested():
                self._say("there is nothing else to try")
                break

    def table(self) -> Trials:
        """Return what was tried."""
        judge = self._judge
        return Trials(
            self.done,
            _best(self.done).number,
            self._space.own,
            favour=judge.favour,
            pairs=judge.pairs,
            rare=judge.rare,
            interrupted=self.interrupted,
        )

    def _run_start(self, settings: Settings) -> None:
        """Try settings that are known beforehand."""
        seen: dict[int, float] = {}
        trial = self._tried(settings, lambda step, value: seen.update({step: value}) or False)
        if trial.state == "failed" and not trial.number:
            raise NumericalError(f"the defaults cannot be fitted to this data: {trial.error}")
        params, kinds = self._space.as_params(settings, self._optuna)
        state = self._optuna.trial.TrialState
        made = self._optuna.trial.create_trial(
            state=state.COMPLETE if trial.state == "complete" else state.FAIL,
            value=trial.objective if trial.state == "complete" else None,
            params=params,
            distributions=kinds,
            intermediate_values=seen,
            user_attrs={"trial": asdict(trial)},
        )
        self._study.add_trial(made)
        self._tell(trial)

    def _run_suggested(self) -> bool:
        """Try what the sampler suggests; return whether there was anything new."""
        for _ in range(_REPEATS):
            asked = self._asked()
            settings = self._space.suggested(asked)
            before = next((trial for trial in self.done if trial.settings == settings), None)
            if before is not None:
                asked.set_user_attr("repeats", before.number)
                self._finish(asked, before)
                continue

            def behind(step: int, value: float, asked: Any = asked) -> bool:
                asked.report(value, step)
                return bool(asked.should_prune())

            try:
                trial = self._tried(settings, behind)
            except KeyboardInterrupt:
                self._study.tell(asked, state=self._optuna.trial.TrialState.FAIL)
                raise
            asked.set_user_attr("trial", asdict(trial))
            self._finish(asked, trial)
            self._tell(trial)
            return True
        return False

    def _asked(self) -> Any:
        """Ask for a trial; its seed depends on how many there were, so that a study goes on as if never interrupted."""
        step = sum(1 for trial in self._study.trials if {"trial", "repeats"} & trial.user_attrs.keys())
        seed = int(np.random.SeedSequence([self._seed, step]).generate_state(1)[0])
        self._study.sampler = self._optuna.samplers.TPESampler(seed=seed, n_startup_trials=_RANDOM)
        return self._study.ask()

    def _finish(self, asked: Any, trial: Trial) -> None:
        states = self._optuna.trial.TrialState
        if trial.state == "complete":
            self._study.tell(asked, trial.objective)
        else:
            self._study.tell(asked, state=states.PRUNED if trial.state == "pruned" else states.FAIL)

    def _tried(self, settings: Settings, behind: Callable[[int, float], bool]) -> Trial:
        """Fit and judge settings; `behind` gets the objective at every rung, and says whether to give up."""
        run = {"verbose": False, "warm_start": False, "checkpoint": None, "favour": None}  # the judge turns the dial
        model = with_settings(self._estimator, settings, **run)
        epochs = int(resolved(model.get_params(), self._judge.train)["epochs"])
        rungs = {max(int(share * epochs), 1) for share in _RUNGS} - {epochs}
        judged: list[Judgement] = []
        pruned = False

        def watch(present: Any, _: object) -> bool:
            nonlocal pruned
            if present.n_iter_ in rungs:
                judged.append(self._judge.judge(present))
                pruned = behind(present.n_iter_, judged[-1].objective)
            return pruned

        number, started = len(self.done), time.perf_counter()
        try:
            model.fit(self._judge.train, callbacks=[watch])
        except (NumericalError, MemoryError) as error:
            return Trial(number, settings, "failed", seconds=time.perf_counter() - started, error=str(error))
        if model.interrupted_:
            raise KeyboardInterrupt
        last = judged[-1] if pruned else self._judge.judge(model)
        return Trial(
            number,
            settings,
            "pruned" if pruned else "complete",
            last.objective,
            last.figures,
            last.dial.weight,
            last.dial.floor,
            time.perf_counter() - started,
            last.error,
        )

    def _tell(self, trial: Trial) -> None:
        self.done.append(trial)
        if trial.state == "failed":
            self._say(f"trial {trial.number}: {trial.label}: failed: {trial.error}")
            return
        figures = [trial.figures[name] for name in trial.figures]
        told = "all {:.3f} / {:.3f}, rare {:.3f} / {:.3f}".format(*figures)
        best = trial.state == "complete" and trial.objective >= max(
            other.objective for other in self.done if other.state == "complete"
        )
        end = "; best so far" if best else "; given up" if trial.state == "pruned" else ""
        dial = dial_words(trial.popularity, trial.popularity_floor)
        self._say(
            f"trial {trial.number}: {trial.label}: HR@10% / MPR of {told}, popularity {dial}, "
            f"{duration(trial.seconds)}{end}"
        )


def _best(done: list[Trial]) -> Trial:
    """Return the best trial, or that of the defaults if it is hardly behind."""
    defaults = done[0]
    best = max((trial for trial in done if trial.state == "complete"), key=lambda trial: trial.objective)
    return best if best.objective > defaults.objective + _TIE * defaults.standard_error else defaults


def _marks(data: Dataset, estimator: VBN, space: Space, favour: str, seed: int) -> dict[str, str]:
    """Return what a study depends on, in words and digests."""
    params = {name: repr(value) for name, value in estimator.get_params().items() if name not in _FREE}
    return {
        "data": json.dumps(fingerprints(data, None, None), sort_keys=True),
        "space": repr(space),
        "estimator": json.dumps(params, sort_keys=True),
        "favour": favour,
        "seed": str(seed),
    }


def _opened(optuna: Any, study: str | os.PathLike[str] | None, marks: dict[str, str]) -> Any:
    """Return the study of a file, or one in memory."""
    storage = file = None
    if study is not None:
        file = Path(study) / _JOURNAL if Path(study).is_dir() else Path(study)
        _check_journal(file)
        storage = _journal(optuna, file)
    pruner = optuna.pruners.MedianPruner(n_startup_trials=_BEFORE_PRUNING, n_warmup_steps=0)
    made = optuna.create_study(
        study_name=_NAME, storage=storage, direction="maximize", pruner=pruner, load_if_exists=True
    )
    found = made.user_attrs.get("marks")
    if found is None:
        made.set_user_attr("marks", marks)
    elif found != marks:
        other = [_OTHER[name] for name, mark in marks.items() if found.get(name) != mark]
        raise DataError(
            f"the study {file} was made with {' and '.join(other)}: choose another {{remedy}}, or remove the file.",
            remedies=[("study",)],
        )
    return made


def _check_journal(file: Path) -> None:
    """Refuse a file that is something else, and cut off a last line that was not written to its end."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        return
    content = file.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    try:
        ours = all("op_code" in json.loads(line) for line in whole.splitlines())
    except (ValueError, TypeError):
        ours = False
    if not ours or (content and not whole):
        raise DataError(f"{file} is not a study; choose another {{remedy}}.", remedies=[("study",)])
    if len(whole) < len(content):
        os.truncate(file, len(whole))


def _journal(optuna: Any, file: Path) -> Any:
    try:
        from optuna.storages.journal import JournalFileBackend
    except ImportError:  # before version 4
        from optuna.storages import JournalFileStorage as JournalFileBackend
    return optuna.storages.JournalStorage(JournalFileBackend(str(file)))


@contextmanager
def _quiet(optuna: Any) -> Iterator[None]:
    """Keep Optuna from telling about its trials, and from warning that its journal is young."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            yield
    finally:
        optuna.logging.set_verbosity(before)


def _optuna() -> Any:
    try:
        import optuna
    except ImportError as error:
        raise MissingExtraError("optuna is not installed: pip install 'vbn[tune]'.") from error
    return optuna


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201


def _say_nothing(text: str) -> None:
    """Take a line that nobody wants to read."""
