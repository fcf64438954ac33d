"""The model card: a README.md that tells what is in the folder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from vbn.model import Trained, dial_words

_BLOCKS = "▁▂▃▄▅▆▇█"
_WIDTH = 80  # characters of a curve, and of a name that is shown
_WHAT = "Entity embeddings as probability densities"
_VARIANCES = (
    "## What the variances are not",
    "",
    "The densities are a mean-field approximation: each variable has its own density, as if it did not depend on",
    "the others. Their variances show which entities the model knows well and which it does not, and they enter",
    "every prediction. They are not calibrated error bars and may be too small or too large. Similarities and",
    "probabilities reflect the data above, with all its gaps.",
)
_NO_VARIANCES = (
    "## No variances",
    "",
    "The model has points, not densities; the tiny variances in its file have no other meaning.",
)
_SPECIAL = frozenset("\\`*_{}[]()<>#+-.!|~&$:@")
_PLAIN = re.compile(
    r"[A-Za-z0-9.,+\- ]+(_[A-Za-z0-9.,+\- ]+)*"
)  # numbers and parameters: markdown leaves them as they are


def model_card(trained: Trained, config: dict[str, Any], records: Sequence[str] = ()) -> str:
    """Return a text in markdown about a saved model; `records` names what in the folder holds training records."""
    bounds, scores = config["record"]["lower_bounds"], config["record"]["validation"]
    lines = [
        f"# A {config['estimator']} model",
        "",
        f"{_WHAT if bounds else 'A baseline'}, made with vbn {config['version']}.",
        "",
        "```python",
        "import vbn",
        "",
        'model = vbn.load("this folder")',
        "```",
        "",
        "Nothing in the folder is executed when it is loaded.",
        _privacy(trained, records),
        "",
        *_table("Data", _data_facts(config["data"])),
        *_table("Training", {"dimension": trained.posterior.dim} | _bound_facts(bounds, scores)),
        *_table("Parameters", config["parameters"]),
        *_chosen(config),
        *(_table("Input files (sha256)", inputs) if (inputs := config["record"].get("inputs")) else []),
        *_table("Made with", config["versions"]),
        *(_VARIANCES if bounds else _NO_VARIANCES),
    ]
    return "\n".join(lines) + "\n"


def _privacy(trained: Trained, records: Sequence[str]) -> str:
    """Return whether a folder holds training records and names of rows."""
    which = f"contains training records ({', '.join(records)})" if records else "contains no training records"
    whose = "entities" if trained.shared else "rows (users, patients)"
    if trained.left_out is None:
        return f"The folder {which}; it contains the names of {len(trained.rows):,} {whose}."
    groups = f", only those of {len(trained.rows):,} groups" if len(trained.rows) else ""
    return f"The folder {which}; {trained.left_out.rows:,} {whose} were left out: it has none of their names{groups}."


def sparkline(values: list[float]) -> str:
    """Return a curve as one line of text; a long one is thinned out."""
    shown = values[:: -(-len(values) // _WIDTH)]
    low, high = min(shown), max(shown)
    scale = (len(_BLOCKS) - 1) / (high - low) if high > low else 0.0
    return "".join(_BLOCKS[int((value - low) * scale)] for value in shown)


def markdown_safe(text: str) -> str:
    """Return a name that markdown shows as it is, on one line."""
    if _PLAIN.fullmatch(text) and len(text) <= _WIDTH and "www." not in text:
        return text
    visible = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[:_WIDTH])
    escaped = "".join(f"\\{c}" if c in _SPECIAL else c for c in visible)
    return escaped + ("…" if len(text) > _WIDTH else "")


def _table(title: str, facts: dict[str, Any]) -> list[str]:
    rows = [f"| {markdown_safe(name)} | {_shown(value)} |" for name, value in facts.items()]
    return [f"## {title}", "", "| | |", "| --- | --- |", *rows, ""]


def _chosen(config: dict[str, Any]) -> list[str]:
    """Return a table of what the fit chose where parameters were "auto", and of the popularity dial."""
    given, used = config["parameters"], config["record"].get("settings", {})
    facts = {name: value for name, value in used.items() if given.get(name) == "auto" and value != "auto"}
    for favour, position in config["model"].get("dials", {}).items():
        facts[f"popularity, favour {favour}"] = dial_words(*position)
    return _table("What was chosen", facts) if facts else []


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{markdown_safe(str(key))} {_shown(item)}" for key, item in value.items())
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return markdown_safe(str(value))
    return f"{value:,}" if isinstance(value, int) else f"{value:,.10g}"


def _data_facts(data: dict[str, Any]) -> dict[str, Any]:
    facts: dict[str, Any] = {
        name: "not kept" if value is None else value for name, value in data.items() if name != "relations"
    }
    facts["taxonomy edges"] = facts.pop("taxonomy_edges")
    dropped = facts.pop("dropped_edges", None)
    if dropped:
        facts["edges dropped to break cycles"] = dropped["number"]
        facts |= {f"dropped edge {n}": " -> ".join(edge) for n, edge in enumerate(dropped["first"], 1)}
    for relation in data["relations"]:
        pairs = "" if relation["pairs"] is None else f": {relation['pairs']:,} pairs"
        facts[f"relation {relation['name']}{pairs}"] = ""
    return facts


def _bound_facts(bounds: list[float], scores: list[float]) -> dict[str, Any]:
    facts: dict[str, Any] = {"epochs": len(bounds)} if bounds else {}
    for name, values in (("lower bound", bounds), ("held-out log-likelihood", scores)):
        if values:
            facts[name] = f"{values[0]:,.6g} to {values[-1]:,.6g}"
            facts[f"{name} by epoch"] = sparkline(values)
    return facts
