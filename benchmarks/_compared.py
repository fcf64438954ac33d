"""`VBN()` beside rivals: figures, differences with their intervals, and how they are printed."""

from __future__ import annotations

from typing import Any

from reproduction.models import Model
from reproduction.pool import FULL, RARE, Pool
from reproduction.tables import titles, verdicts

COLUMNS = (("HR@10%", FULL), ("MPR", FULL), ("NDCG@10", FULL), ("HR@10%", RARE), ("MPR", RARE))


def compared(pool: Pool, ours: Model, rivals: tuple[Model, ...]) -> dict[str, Any]:
    """Return the figures of all models, and ours less those of each rival with 95 % intervals."""
    found = verdicts("", ours, rivals, pool, columns=COLUMNS)
    told = {rival: _told(line) for rival, line in zip(found.rivals, found.differences, strict=True)}
    figures = {model.name: _figures(pool, model.key) for model in (ours, *rivals)}
    return {"cases": pool.number(FULL), "rare": pool.number(RARE), "figures": figures, "less": told}


def show(run: dict[str, Any]) -> None:
    """Print a line for each model: its figures, and whether ours is ahead of it."""
    for model, figures in run["figures"].items():
        shown = "  ".join(f"{title} {one['value']:.1f}" for title, one in figures.items())
        words = ", ".join(_word(one) for one in run["less"].get(model, {}).values())
        print(f"  {model:<24} {shown}  {words}", flush=True)


def _figures(pool: Pool, key: str) -> dict[str, Any]:
    cells = zip(titles(COLUMNS), (pool.cell(key, figure, part) for figure, part in COLUMNS), strict=True)
    return {title: {"value": cell.value, "spread": cell.spread} for title, cell in cells}


def _told(line: Any) -> dict[str, Any]:
    return {
        title: None if one is None else {"difference": one[0], "low": one[1], "high": one[2]}
        for title, one in zip(titles(COLUMNS), line, strict=True)
    }


def _word(one: dict[str, float] | None) -> str:
    if one is None:
        return ""
    return "behind" if one["high"] < 0 else "ahead" if one["low"] > 0 else "level"
