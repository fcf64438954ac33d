"""What a wrong taxonomy costs: some of the items, or all, get the parents of other items.

    python benchmarks/wrong_taxonomy.py --data DIR [--domains movies music medical] [--seeds 3] [--out auto]

Two items masked a user (validation split); rows, parameters and position of the dial as in `make reproduce`. A share of
the items exchange their parents among each other at random; "none" is training without a taxonomy, with the same
parameters. Printed are HR@10% and MPR of all targets and of the rare ones (the least frequent fifth), as mean over
seeds, and what they lie above "none".
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

import numpy as np

import vbn
from _data import add_data_option, data_folder
from _machine import write_result
from reproduction.domains import Edges, load_domain
from reproduction.judging import contributions, ranks
from reproduction.masking import BOTH, ITEMS, Split, mask
from reproduction.models import BY_KEY, of_fit
from reproduction.winners import settings
from vbn.baselines import as_scorer
from vbn.inference import read_dial

DOMAINS = ["movies", "music", "medical"]
SHARES = (0.0, 0.1, 0.3, 1.0, None)  # of the items that exchange parents; None: no taxonomy
FIGURES = ("HR@10%", "MPR", "rare HR@10%", "rare MPR")


def shuffled(edges: Edges, items: set[str], share: float, seed: int) -> Edges:
    """The same edges, but that a share of the items have exchanged their parents."""
    rng = np.random.default_rng([seed, 0x5A])
    mine = sorted({child for child, _, _ in edges if child in items})
    moved = [child for child in mine if rng.random() < share]
    instead = dict(zip(moved, rng.permutation(moved).tolist(), strict=True)) if moved else {}
    return [(instead.get(child, child), parent, weight) for child, parent, weight in edges]


def judged(split: Split, edges: Edges | None, seed: int) -> dict[str, float]:
    """Train, and rank what was masked."""
    given = settings(split.domain.name)["vbn"]
    model = BY_KEY["vbn"].placed(given)
    fitted = model.fit(with_edges(split, model.setting, edges), of_fit(given), seed)
    scorer = as_scorer(fitted, query={ITEMS: "average", BOTH: "both"}.get(model.setting, "fold_in"))
    asking = replace(model.asking, prior=edges is not None)
    dial = read_dial(given["popularity"], given.get("popularity_floor", 0.0))
    offsets = dial.added(fitted.trained_.profile)[None]
    above, others = ranks(scorer, split.masked, split.which, asking, offsets)
    rare = split.masked.rare(split.which)[split.masked.cases(split.which)[1]]
    everything = np.ones(len(rare), dtype=bool)
    return {
        f"{part}{figure}": float(contributions(figure, above[0, at], others[at]).mean())
        for part, at in (("", everything), ("rare ", rare))
        for figure in ("HR@10%", "MPR")
    }


def with_edges(split: Split, setting: str, edges: Edges | None) -> vbn.Dataset:
    """What to train on, with these edges above the items."""
    data = split.data(setting)
    if edges is None:
        return data
    data = data.with_taxonomy(edges)
    return data.with_taxonomy(edges, side="row") if setting == BOTH else data


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data_option(parser)
    parser.add_argument("--domains", nargs="+", choices=DOMAINS, default=DOMAINS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--out", help="file for the raw output, or 'auto'")
    chosen = parser.parse_args()
    runs: list[dict[str, Any]] = []
    for name in chosen.domains:
        domain = load_domain(name, data_folder(chosen.data, name).parent)
        taxonomy = settings(name)["vbn"].get("taxonomy")
        for seed in range(chosen.seeds):
            split = Split(domain, mask(domain.interactions, domain.least, seed), "validation", f"masking {seed + 1}")
            for share in SHARES:
                edges = domain.edges(taxonomy)
                wrong = None if share is None else shuffled(edges, set(domain.interactions.items), share, seed)
                figures = judged(split, wrong, seed)
                runs.append({"domain": name, "seed": seed, "shuffled": share, **figures})
                print(runs[-1], flush=True)
        report(name, [run for run in runs if run["domain"] == name])
    write_result("wrong_taxonomy", vars(chosen), runs, chosen.out)


def report(name: str, runs: list[dict[str, Any]]) -> None:
    """A table of means over seeds, and of differences to training without a taxonomy, with their standard errors."""
    of = {share: np.array([[run[f] for f in FIGURES] for run in runs if run["shuffled"] == share]) for share in SHARES}
    print(f"{name}: {', '.join(FIGURES)}")
    for share, found in of.items():
        apart = found - of[None]
        error = apart.std(axis=0, ddof=1) / np.sqrt(len(apart)) if len(apart) > 1 else np.full(len(FIGURES), np.nan)
        told = [
            f"{m:.1f} ({d:+.1f} ± {e:.1f})"
            for m, d, e in zip(found.mean(axis=0), apart.mean(axis=0), error, strict=True)
        ]
        print(f"  {'none' if share is None else f'{share:.0%} shuffled'}: {', '.join(told)}", flush=True)


if __name__ == "__main__":
    main()
