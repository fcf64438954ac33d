"""The table of what a tuning has tried."""

from __future__ import annotations

import csv
import importlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vbn.evaluation.judging import FIGURES
from vbn.inference import Dial, Frames
from vbn.model import dial_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Trial:
    """One setting and how it did.

    Attributes
    ----------
    number : int
        0 is the one without any change.
    settings : dict
        What differs from trial 0.
    state : "complete", "pruned" or "failed"
        Pruned: given up before its last epoch, as it was behind. Failed: `error` says why.
    objective : float
        What is compared: the mean of "hr@10%" and "mpr", of the targets that are favoured.
    figures : dict
        "hr@10%" and "mpr" of all and of rare targets; of a pruned trial as it was when it was given up.
    popularity, popularity_floor : float
        The position of the dial with these figures, as `VBN.recommend` takes it.
    seconds : float
        How long it took.
    """

    number: int
    settings: dict[str, Any]
    state: str
    objective: float = float("nan")
    figures: dict[str, float] = field(default_factory=dict)
    popularity: float = 0.0
    popularity_floor: float = 0.0
    seconds: float = 0.0
    standard_error: float = float("nan")
    error: str = ""

    @property
    def label(self) -> str:
        """The settings in words."""
        return ", ".join(f"{name}={_short(value)}" for name, value in self.settings.items()) or "defaults"

    @property
    def dial(self) -> Dial:
        """The position of the popularity dial."""
        return Dial(self.popularity, self.popularity_floor)


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


class Trials(Frames, Sequence[Trial]):
    """What `vbn.tune` has tried: prints well, iterates over trials, converts to pandas and polars, can be drawn.

    Attributes
    ----------
    best : Trial
        The one that the model was fitted with: the best one, or trial 0 if that is hardly behind.
    favour : str
        What was favoured.
    pairs : int
        Number of held-out pairs.
    rare : str
        Which targets count as rare, in words.
    interrupted : bool
        Whether Ctrl-C ended the tuning early.

    Examples
    --------
    >>> figures = {"hr@10%": 0.5, "mpr": 0.7, "rare hr@10%": 0.2, "rare mpr": 0.5}
    >>> tried = [Trial(0, {}, "complete", 0.6, figures), Trial(1, {"dim": 20}, "pruned", 0.55, figures)]
    >>> Trials(tried, best=0)
    trial     settings  hr@10%     mpr  rare hr@10%  rare mpr  popularity  objective  seconds  state
    0      *  defaults  0.5000  0.7000       0.2000    0.5000           0     0.6000      0.0  complete
    1         dim=20    0.5000  0.7000       0.2000    0.5000           0     0.5500      0.0  pruned
    """

    def __init__(
        self,
        trials: Sequence[Trial],
        best: int,
        own: Mapping[str, Any] | None = None,
        *,
        favour: str = "all",
        pairs: int = 0,
        rare: str = "",
        interrupted: bool = False,
    ) -> None:
        self._trials = list(trials)
        self._own = dict(own or {})  # the values of trial 0, by name
        self.best = next(trial for trial in self._trials if trial.number == best)
        self.favour, self.pairs, self.rare, self.interrupted = favour, pairs, rare, interrupted

    def __len__(self) -> int:
        return len(self._trials)

    def __getitem__(self, index: Any) -> Any:
        return self._trials[index]

    def __iter__(self) -> Iterator[Trial]:
        return iter(self._trials)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the trials as dictionaries, ready for JSON."""
        return [asdict(trial) | {"best": trial is self.best} for trial in self._trials]

    def _columns(self) -> dict[str, Any]:
        names = [*self._own, *dict.fromkeys(name for trial in self for name in trial.settings)]
        columns: dict[str, Any] = {"number": [trial.number for trial in self]}
        for name in dict.fromkeys(names):
            columns[name] = [trial.settings.get(name, self._own.get(name)) for trial in self]
        for name in FIGURES:
            columns[name] = [trial.figures.get(name, float("nan")) for trial in self]
        for name in ("popularity", "popularity_floor", "objective", "seconds", "state"):
            columns[name] = [getattr(trial, name) for trial in self]
        return columns | {"best": [trial is self.best for trial in self]}

    def to_csv(self, file: str | os.PathLike[str]) -> None:
        """Write the columns of `to_pandas` to a csv file; a value that there is not is left empty."""
        columns = self._columns()
        with Path(file).open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(columns)
            for row in zip(*columns.values(), strict=True):
                writer.writerow("" if value is None or value != value else value for value in row)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw it; the same as `vbn.plot.trials`."""
        # imported by name: `vbn.plot` is an outer room, and only this call needs it
        axes: Axes = importlib.import_module("vbn.plot").trials(self, ax=ax)
        return axes

    def __repr__(self) -> str:
        titles = ["trial", "", "settings", *FIGURES, "popularity", "objective", "seconds", "state"]
        lines = [titles, *(self._cells(trial) for trial in self)]
        widths = [max(len(line[at]) for line in lines) for at in range(len(titles))]
        to_left = {"trial", "", "settings", "state"}
        return "\n".join(
            "  ".join(
                f"{cell:<{width}}" if title in to_left else f"{cell:>{width}}"
                for title, cell, width in zip(titles, line, widths, strict=True)
            ).rstrip()
            for line in lines
        )

    def _cells(self, trial: Trial) -> list[str]:
        figures = [f"{trial.figures[name]:.4f}" if name in trial.figures else "" for name in FIGURES]
        judged = (
            [dial_words(trial.popularity, trial.popularity_floor), f"{trial.objective:.4f}"]
            if trial.figures
            else ["", ""]
        )
        mark = "*" if trial is self.best else ""
        return [str(trial.number), mark, trial.label, *figures, *judged, f"{trial.seconds:.1f}", trial.state]
