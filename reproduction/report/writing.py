"""Write all forms of a report into a folder, and read its results back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from reproduction.opening import opening
from reproduction.report.html import html
from reproduction.report.markdown import markdown
from reproduction.report.plots import drawn
from reproduction.report.wording import About
from reproduction.results import DomainResult
from vbn._errors import DataError

_PICTURES = "pictures"
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
    (folder / _PICTURES).mkdir(parents=True, exist_ok=True)
    pictures = {
        picture.name: drawn(picture)
        for picture in (*first.pictures, *(picture for result in results for picture in result.pictures))
        if picture.series
    }
    for name, picture in pictures.items():
        (folder / _PICTURES / f"{name}.png").write_bytes(picture.png)
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
