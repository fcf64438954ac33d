"""Write the table of all parameters into docs/parameters.md: python scripts/parameter_table.py."""

from __future__ import annotations

from pathlib import Path

from vbn._parameters import one_of
from vbn.estimators import GROUPS, PARAMETERS, Parameter

PAGE = Path(__file__).parents[1] / "docs" / "parameters.md"
BEGIN, END = "<!-- parameters: begin (written by scripts/parameter_table.py) -->", "<!-- parameters: end -->"


def updated(page: str) -> str:
    """Return the page with its table as `PARAMETERS` has it."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{table()}{END}{rest.partition(END)[2]}"


def table() -> str:
    """Return a table of all parameters, by group."""
    lines = ["", "| parameter | default | what it does |", "| --- | --- | --- |"]
    for group, title in GROUPS.items():
        lines += [f"| **{title}** | | |", *(row(parameter) for parameter in PARAMETERS if parameter.group == group)]
    return "\n".join([*lines, "", ""])


def row(parameter: Parameter) -> str:
    choices = f" ({one_of(parameter.choices)})" if parameter.choices else ""
    by = f" (by {parameter.by})" if parameter.by else ""
    symbol = f" (the paper's {parameter.symbol})" if parameter.symbol else ""
    return f"| `{parameter.name}` | `{parameter.default!r}` | {parameter.help}{choices}{by}{symbol} |"


if __name__ == "__main__":
    PAGE.write_text(updated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
