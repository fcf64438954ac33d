"""Measure rows one after the other."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable
from typing import Any

from vbn._errors import ParameterError
from vbn.bench._row import Outcome, Row, Setting
from vbn.bench._rows import ROWS


def measure(
    keys: Iterable[str], setting: Setting, tell: Callable[[str], Any] = lambda _: None
) -> list[tuple[Row, Outcome | str]]:
    """Outcomes of rows, or why a row was left out.

    Parameters
    ----------
    keys
        Which rows, by key; all if there are none.
    setting
        How to measure.
    tell
        Called with a line before each row.
    """
    wanted = list(keys)
    known = {row.key: row for row in ROWS}
    unknown = [key for key in wanted if key not in known]
    if unknown:
        raise ParameterError(f"no row is called {unknown[0]!r}; there are {', '.join(known)}.")
    found: list[tuple[Row, Outcome | str]] = []
    for row in (known[key] for key in wanted or known):
        reason = left_out(row, setting)
        tell(f"{row.key}: {reason or row.work}")
        found.append((row, reason or row.measure(setting)))
    return found


def left_out(row: Row, setting: Setting) -> str:
    """Why a row cannot be measured here; empty if it can."""
    missing = [name for name in row.packages if importlib.util.find_spec(name) is None]
    if missing:
        return f"left out: {', '.join(missing)} not installed (pip install 'vbn[bench]')"
    if row.needs_data and setting.data is None:
        return "left out: needs the evaluation data (--data DIR)"
    return ""
