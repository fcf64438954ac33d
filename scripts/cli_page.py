"""Write the list of all verbs into docs/cli.md: python scripts/cli_page.py."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import typer

from vbn.cli.app import VERBS, app

PAGE = Path(__file__).parents[1] / "docs" / "cli.md"
BEGIN, END = "<!-- verbs: begin (written by scripts/cli_page.py) -->", "<!-- verbs: end -->"


def updated(page: str) -> str:
    """Return the page with the verbs as the command line has them."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{rest.partition(END)[2]}"


def table() -> str:
    """Return a row for each verb: what it takes and what it does."""
    for name in dict.fromkeys(VERBS.values()):
        importlib.import_module(f"vbn.cli.{name}")
    group: Any = typer.main.get_command(app)
    rows = [line for name in VERBS for line in rows_of(name, group.commands[name])]
    return "\n".join(["| verb | what it does |", "| --- | --- |", *rows])


def rows_of(name: str, command: Any) -> list[str]:
    """Return the row of a verb, or those of the verbs below it."""
    if hasattr(command, "commands"):
        return [row for sub, below in command.commands.items() for row in rows_of(f"{name} {sub}", below)]
    does = (command.help or "").partition("\n\n")[0].replace("\n", " ").replace("|", "\\|").strip()
    takes = [argument(param) for param in command.params if param.param_type_name == "argument"]
    return [f"| `{' '.join(['vbn', name, *takes])}` | {does} |"]


def argument(param: Any) -> str:
    """Return the name of an argument, in brackets if it may be missing, with dots if there may be several."""
    name = (param.metavar or param.name).upper().strip("[]{}").removesuffix("...") + "..." * (param.nargs == -1)
    return name if param.required else f"[{name}]"


if __name__ == "__main__":
    PAGE.write_text(updated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
