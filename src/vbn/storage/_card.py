"""The model card: a README.md for the folder, so that whoever finds it knows what it is."""

from __future__ import annotations

from typing import Any

from vbn.model._trained import Trained

_BLOCKS = "▁▂▃▄▅▆▇█"


def model_card(trained: Trained, config: dict[str, Any]) -> str:
    """Markdown text about a saved model."""
    bounds = config["record"].get("lower_bounds", [])
    lines = [
        f"# A {config['estimator']} model",
        "",
        f"Entity embeddings as probability densities, made with vbn {config['version']}. Load it with "
        "`vbn.load(folder)`; nothing in it is executed.",
        "",
        "| | |",
        "| --- | --- |",
        *_facts(trained),
        f"| epochs | {len(bounds)} |",
    ]
    if bounds:
        lines += [
            f"| lower bound | {bounds[0]:,.1f} to {bounds[-1]:,.1f} |",
            "",
            f"Bound by epoch: `{sparkline(bounds)}`",
        ]
    lines += ["", "## Parameters", "", "| | |", "| --- | --- |"]
    lines += [f"| {name} | {value} |" for name, value in config["parameters"].items()]
    return "\n".join(lines) + "\n"


def sparkline(values: list[float]) -> str:
    """A curve in one line of text."""
    low, high = min(values), max(values)
    scale = (len(_BLOCKS) - 1) / (high - low) if high > low else 0.0
    return "".join(_BLOCKS[int((value - low) * scale)] for value in values)


def _facts(trained: Trained) -> list[str]:
    names = (
        f"{len(trained.columns):,}"
        if trained.shared
        else f"{len(trained.rows):,} rows, {len(trained.columns):,} columns"
    )
    facts = [f"| entities | {names} |", f"| dimension | {trained.posterior.dim} |"]
    for side, taxonomy in (
        ("columns", trained.column_taxonomy),
        ("rows", None if trained.shared else trained.row_taxonomy),
    ):
        if taxonomy is not None:
            facts.append(f"| taxonomy ({side}) | {taxonomy.n_edges:,} edges, {taxonomy.depth} levels |")
    if trained.relations:
        facts.append(f"| relations | {', '.join(r.name.replace('|', '/') for r in trained.relations)} |")
    return facts
