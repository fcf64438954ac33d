"""Make the pictures of docs/parameters.md from the raw output of benchmarks/parameters.py.

    python benchmarks/parameters.py --data DIR --out auto
    python scripts/parameter_plots.py [FILE]

Without a file the newest of benchmarks/results is taken. It writes docs/images/parameters-*.png: a column for each
parameter, HR@10% above MPR, all targets and rare ones.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl

from vbn.plot.style import BLUE, FAINT, INK, LINE, ORANGE, SMALL, plain_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HOME = Path(__file__).resolve().parents[1]
RESULTS, OUT = HOME / "benchmarks" / "results", HOME / "docs" / "images"
PICTURES = {
    "size": {"dim": "dim", "epochs": "epochs", "negatives": "negatives"},
    "balance": {"noise_power": "noise_power", "prior_weight": "alpha = beta", "popularity": "popularity (the dial)"},
}
FIGURES = ("HR@10%", "MPR")
PARTS = {"full": ("all targets", BLUE), "rare": ("rare targets", ORANGE)}
SPREAD = ("dim", "epochs", "negatives", "prior_weight")  # drawn on a logarithmic scale


def main() -> None:
    mpl.use("Agg")
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else newest()
    content = json.loads(file.read_text(encoding="utf-8"))
    for name, columns in PICTURES.items():
        draw(
            content["runs"], {**content["options"]["base"], "popularity": 0.0}, columns, OUT / f"parameters-{name}.png"
        )


def newest() -> Path:
    """The last raw output."""
    found = sorted(RESULTS.glob("parameters-*.json"))
    if not found:
        raise SystemExit(
            "no raw output in benchmarks/results: run benchmarks/parameters.py --data DIR --out auto first"
        )
    return found[-1]


def draw(runs: list[dict[str, Any]], base: dict[str, float], columns: dict[str, str], out: Path) -> None:
    """One picture: a column for each parameter, a line for each part of the targets."""
    from matplotlib import pyplot

    figure, grid = pyplot.subplots(
        len(FIGURES), len(columns), figsize=(8.8, 5.0), sharex="col", sharey="row", layout="constrained", dpi=100
    )
    for row, name in zip(grid, FIGURES, strict=True):
        for ax, parameter in zip(row, columns, strict=True):
            curves(ax, [run for run in runs if run["parameter"] == parameter], name, base[parameter])
            if parameter in SPREAD:
                logarithmic(ax, [run["value"] for run in runs if run["parameter"] == parameter])
        row[0].set_ylabel(name, color=INK)
    for ax, label in zip(grid[-1], columns.values(), strict=True):
        ax.set_xlabel(label, color=INK)
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper left", ncols=len(labels), frameon=False, fontsize=SMALL)
    figure.savefig(out, pil_kwargs={"optimize": True})
    print(f"{out.name}: {out.stat().st_size / 1000:.0f} kB")


def curves(ax: Axes, runs: list[dict[str, Any]], figure: str, base: float) -> None:
    """Full and rare against the value, each with a band of one standard error; a line where all others are varied."""
    values = [run["value"] for run in runs]
    ax.axvline(base, color=LINE, linewidth=1, linestyle=":", zorder=0, label="the base setting")
    for part, (label, colour) in PARTS.items():
        height = [run[f"{figure} {part}"] for run in runs]
        error = [run[f"{figure} {part} error"] for run in runs]
        low, high = ([y + sign * e for y, e in zip(height, error, strict=True)] for sign in (-1, 1))
        ax.fill_between(values, low, high, color=colour, alpha=0.15, linewidth=0)
        ax.plot(values, height, color=colour, marker="o", markersize=4, label=label)
    ax.grid(axis="y", color=LINE, linewidth=0.5, alpha=0.6)
    plain_frame(ax)


def logarithmic(ax: Axes, values: list[float]) -> None:
    """A logarithmic scale with the tried values as its ticks."""
    ax.set_xscale("log")
    ax.set_xticks(values, [f"{value:g}" for value in values], color=FAINT)
    ax.set_xticks([], minor=True)


if __name__ == "__main__":
    main()
