"""Figures as text, the same in every form of the report."""

from __future__ import annotations

from typing import Any

from vbn.evaluation.paper._bootstrap import verdict
from vbn.evaluation.paper._options import duration
from vbn.evaluation.paper._results import Cell, DomainResult, Verdicts

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
    """How long one waits, and of which commit a domain is: domains of an earlier report stay in a later one."""
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
