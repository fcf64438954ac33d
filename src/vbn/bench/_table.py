"""What was measured, as a table to read and as JSON to keep."""

from __future__ import annotations

from typing import Any

from vbn.bench._row import Outcome, Row, Setting

Found = list[tuple[Row, Outcome | str]]


def lines(found: Found) -> list[tuple[str, str, str]]:
    """Key, figures with their targets, and whether these are met, of each row.

    Examples
    --------
    >>> from vbn.bench._row import Figure
    >>> row = Row("kernel", "a half-sweep", lambda _: Outcome(()))
    >>> lines([(row, Outcome((Figure("ratio", 0.71, 0.6, at_least=True),))), (row, "left out: no data")])
    [('kernel', 'ratio 0.71 (>= 0.6)', 'met'), ('kernel', 'left out: no data', '')]
    """
    result = []
    for row, outcome in found:
        if isinstance(outcome, str):
            result.append((row.key, outcome, ""))
        else:
            figures = ", ".join(f"{figure.name} {figure.text()}" for figure in outcome.figures)
            met = [figure.met for figure in outcome.figures]
            result.append((row.key, figures, "met" if all(met) else "not met" if not any(met) else "in part"))
    return result


def as_dict(found: Found, setting: Setting, machine: dict[str, Any]) -> dict[str, Any]:
    """All of it, with the machine that it was measured on."""
    return {
        "machine": machine,
        "scale": setting.scale,
        "repeats": setting.repeats,
        "rows": {
            row.key: {"work": row.work, **({"left out": outcome} if isinstance(outcome, str) else outcome.to_dict())}
            for row, outcome in found
        },
    }
