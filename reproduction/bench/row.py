"""A row of the benchmark and its outcome, timing in turn, and code in a process of its own."""

from __future__ import annotations

import gc
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Setting:
    """How to measure.

    Attributes
    ----------
    data : Path or None
        Folder of the evaluation data; rows that need it are left out without.
    repeats : int
        How often each side of a ratio is timed, in turn; the fastest counts.
    scale : float
        Share of the full amount of work, for a quick look: the targets are those of 1.
    """

    data: Path | None = None
    repeats: int = 3
    scale: float = 1.0


@dataclass(frozen=True)
class Figure:
    """A number that is compared with a target.

    Attributes
    ----------
    name : str
        What it is: "ratio", "seconds", ...
    value : float
        The number.
    target : float
        What it should reach.
    at_least : bool
        Whether it should be at least, or at most, as large as the target.
    """

    name: str
    value: float
    target: float
    at_least: bool

    @property
    def met(self) -> bool:
        """Whether the target is reached."""
        return self.value >= self.target if self.at_least else self.value <= self.target

    def text(self) -> str:
        """Such as "1.62 (>= 1.5)".

        Examples
        --------
        >>> Figure("ratio", 1.62, 1.5, at_least=True).text()
        '1.62 (>= 1.5)'
        """
        return f"{self.value:.3g} ({'>=' if self.at_least else '<='} {self.target:g})"


@dataclass(frozen=True)
class Outcome:
    """What a row gave: its figures, and all that was measured on the way."""

    figures: tuple[Figure, ...]
    raw: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Fit for JSON."""
        return {"figures": [{**asdict(figure), "met": figure.met} for figure in self.figures], "raw": self.raw}


@dataclass(frozen=True)
class Row:
    """A row of the table.

    Attributes
    ----------
    key, work : str
        What to call it, and what is done, in a sentence.
    measure : callable
        (setting) -> outcome.
    packages : tuple of str
        Modules of peers that it needs.
    needs_data : bool
        Whether it reads the evaluation data.
    """

    key: str
    work: str
    measure: Callable[[Setting], Outcome]
    packages: tuple[str, ...] = ()
    needs_data: bool = False


def alternate(tasks: Mapping[str, Callable[[], Any]], repeats: int) -> dict[str, list[float]]:
    """Seconds of each task, once in each of several rounds; all are done once before the clock runs.

    Parameters
    ----------
    tasks
        What to time, by name.
    repeats
        Number of rounds.

    Examples
    --------
    >>> sorted(alternate({"a": lambda: 1, "b": lambda: 2}, repeats=2))
    ['a', 'b']
    """
    for task in tasks.values():
        task()
    found: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(repeats):
        for name, task in tasks.items():
            gc.collect()
            started = time.perf_counter()
            task()
            found[name].append(time.perf_counter() - started)
    return found


def best(times: Mapping[str, list[float]]) -> dict[str, float]:
    """The fastest time of each task."""
    return {name: min(seconds) for name, seconds in times.items()}


_CHECKOUT = Path(__file__).resolve().parents[2]
_AROUND = """
import json, sys, time
from reproduction.bench.row import peak
started = time.perf_counter()
kept = {}
exec(sys.argv[1], kept)
seconds = time.perf_counter() - started
print(json.dumps({"seconds": seconds, "peak": peak(), "facts": kept.get("facts", {})}))
"""


def in_child(code: str, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Run code; returns "seconds", "peak" (bytes), and as "facts" what the code leaves under that name.

    Examples
    --------
    >>> in_child("facts = {'sum': 1 + 1}")["facts"]
    {'sum': 2}
    """
    command = [sys.executable, "-c", _AROUND, code]
    found_in = os.pathsep.join(filter(None, (str(_CHECKOUT), os.environ.get("PYTHONPATH"))))
    variables = {**os.environ, "PYTHONPATH": found_in, **(environment or {})}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=variables)
    return dict(json.loads(done.stdout.splitlines()[-1]))


_STATUS = Path("/proc/self/status")


def forget_peak() -> bool:
    """Reset the peak of this process; returns whether the system can do that (Linux)."""
    if not _STATUS.exists():
        return False
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return True


def peak() -> int:
    """The most memory that this process had resident, in bytes, since `forget_peak` if the system can do that."""
    if _STATUS.exists():
        lines = dict(line.split(":", 1) for line in _STATUS.read_text(encoding="ascii").splitlines())
        return int(lines["VmHWM"].split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
