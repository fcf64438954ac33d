"""Figures as they are returned: plain lists and dictionaries that notebooks show as tables."""

from __future__ import annotations

from typing import Any

from vbn.inference import html_table


class Figures(dict[str, float]):
    """Figures by name."""

    def _repr_html_(self) -> str:
        return html_table({name: [value] for name, value in self.items()})


class FigureRows(list[dict[str, Any]]):
    """Rows of figures; a row may lack some."""

    def _repr_html_(self) -> str:
        names = list(dict.fromkeys(name for row in self for name in row))
        return html_table({name: [row.get(name) for row in self] for name in names})
