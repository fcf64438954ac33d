"""Small tables for notebooks, in plain HTML."""

from __future__ import annotations

import html
import math
import numbers
from collections.abc import Mapping, Sequence
from typing import Any

_ROWS = 100  # that are shown
_LEFT, _RIGHT = ' style="text-align:left"', ' style="text-align:right"'


def html_table(columns: Mapping[str, Sequence[Any]], caption: str = "") -> str:
    """Return columns as an HTML table: text to the left, numbers to the right, everything escaped.

    >>> html_table({"entity": ["<b>"], "p": [0.25]}).count("&lt;b&gt;")
    1
    """
    columns = {name: list(values) for name, values in columns.items()}
    sides = {name: _RIGHT if _numeric(values) else _LEFT for name, values in columns.items()}
    heads = "".join(f"<th{sides[name]}>{html.escape(str(name))}</th>" for name in columns)
    rows = list(zip(*columns.values(), strict=True))
    lines = [
        "<tr>"
        + "".join(f"<td{side}>{_cell(value)}</td>" for side, value in zip(sides.values(), row, strict=True))
        + "</tr>"
        for row in rows[:_ROWS]
    ]
    if len(rows) > _ROWS:
        lines.append(f'<tr><td colspan="{len(columns)}"{_LEFT}>and {len(rows) - _ROWS:,} more</td></tr>')
    told = f"<caption{_LEFT}>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{told}<thead><tr>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def html_text(text: str) -> str:
    """Return text in which columns are aligned, as HTML."""
    return f"<pre>{html.escape(text)}</pre>"


def _numeric(values: Sequence[Any]) -> bool:
    there = [value for value in values if value is not None]
    return bool(there) and all(isinstance(value, numbers.Real) and not isinstance(value, bool) for value in there)


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, numbers.Real) and math.isnan(float(value))):
        return ""
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, numbers.Integral):
        return f"{int(value):,}"
    if isinstance(value, numbers.Real):
        return f"{float(value):.4g}"
    if isinstance(value, (list, tuple)):
        return html.escape(", ".join(map(str, value)))
    return html.escape(str(value))
