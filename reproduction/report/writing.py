"""Write all forms of a report into a folder, and read its results back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from reproduction.claims import claims
from reproduction.opening import opening
from reproduction.report.html import html
from reproduction.report.markdown import markdown, sections
from reproduction.report.plots import Drawn, drawn
from reproduction.report.wording import About, times
from reproduction.results import DomainResult, Picture
from vbn._errors import DataError

_PICTURES, _AMOUNTS = "pictures", "amounts.json"
T = TypeVar("T")


def write_report(results: tuple[DomainResult, ...], folder: Path, made: About) -> tuple[Path, ...]:
    """Write report.md with its pictures, report.html and report.json.

    Parameters
    ----------
    results
        Of the domains, in the order in which they are shown.
    folder
        Where to.
    made
        Machine, commit and date.

    Returns
    -------
    tuple of Path
        The three files.
    """
    first = opening(results)
    pictures = _draw((*first.pictures, *(picture for result in results for picture in result.pictures)), folder)
    content = {
        "about": made.to_dict(),
        "claims": [asdict(claim) for claim in first.claims],
        "domains": [result.to_dict() for result in results],
    }
    texts = {
        "report.md": markdown(first, results, made, _PICTURES),
        "report.html": html(first, results, made, lambda picture: pictures[picture.name].svg),
        "report.json": json.dumps(content, indent=1, allow_nan=False) + "\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return tuple(folder / name for name in texts)


def write_amounts(results: tuple[DomainResult, ...], folder: Path, made: About) -> tuple[Path, ...]:
    """Write amounts.md with its pictures, and amounts.json, which `read_amounts` reads; returns the two files."""
    _draw(tuple(picture for result in results for picture in result.pictures), folder)
    told = [asdict(claim) for claim in claims(results)]
    content = {"about": made.to_dict(), "claims": told, "domains": [result.to_dict() for result in results]}
    head = ["# Score against the amount of data", "", *(f"- {line}" for line in (*made.lines(), *times(results)))]
    texts = {
        "amounts.md": "\n".join([*head, *sections(results, _PICTURES)]) + "\n",
        _AMOUNTS: json.dumps(content, indent=1, allow_nan=False) + "\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return tuple(folder / name for name in texts)


def read_amounts(folder: Path) -> tuple[DomainResult, ...]:
    """What a folder's amounts.json says; nothing where there is none."""
    path = folder / _AMOUNTS
    return read_results(path) if path.is_file() else ()


def _draw(pictures: tuple[Picture, ...], folder: Path) -> dict[str, Drawn]:
    """Draw pictures into the folder; by name."""
    (folder / _PICTURES).mkdir(parents=True, exist_ok=True)
    made = {picture.name: drawn(picture) for picture in pictures if picture.series}
    for name, picture in made.items():
        (folder / _PICTURES / f"{name}.png").write_bytes(picture.png)
    return made


def read_results(path: Path) -> tuple[DomainResult, ...]:
    """The results in a report.json."""
    return _read(path, lambda content: tuple(DomainResult.from_dict(entry) for entry in content["domains"]))


def read_about(path: Path) -> About:
    """What the report of a report.json was made with."""
    return _read(path, lambda content: About(**content["about"]))


def _read(path: Path, take: Callable[[dict[str, Any]], T]) -> T:
    try:
        return take(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise DataError(f"{path} is not the report.json of a reproduction: {error}.") from error
