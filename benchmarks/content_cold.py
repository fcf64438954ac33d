"""What a text tells of items that nobody has had yet: taxonomy only, text only, both.

    python benchmarks/content_cold.py --data DIR [--domains movies medical] [--seeds 3] [--users 2000] [--out auto]

A tenth of the items (drawn among those with at least five users) loses all its interactions before training. Every
user who had some of them is asked to rank the cold items; printed are the mean percentile rank and HR@10% of what they
really had among the cold items of which they had none, as mean over seeds with the standard error of the mean. Chance
is 50 and 10. Movies: title and genres as text, genre > director > movie as taxonomy. Diagnoses: what the ICD-9 codes
stand for, and category > block > chapter. All parameters are the defaults, the encoder is that of the extra `text`.
Nothing is chosen on these items; with several `--strengths` the table shows how much hangs on it.
"""

from __future__ import annotations

import argparse
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import vbn
from _data import add_data_option, data_folder
from _machine import write_result
from reproduction.datasets import load_medical
from reproduction.domains import above
from vbn.datasets import Interactions, load_movielens

DOMAINS = ["movies", "medical"]
LEAST = 5  # users of an item that may become cold
VARIANTS = {"neither": (), "taxonomy": ("taxonomy",), "text": ("text",), "both": ("taxonomy", "text")}


@dataclass(frozen=True)
class Domain:
    """Pairs, edges above the items, and texts of items and categories."""

    pairs: Interactions
    edges: list[tuple[str, str, float]]
    texts: dict[str, str]


def load(name: str, folder: Path, users: int) -> Domain:
    """Read a domain, with the first users of a fixed shuffle only."""
    if name == "movies":
        found = load_movielens(folder)
        texts = {item: f"{movie.title}. {', '.join(movie.genres)}" for item, movie in found.movies.items()}
        edges, pairs = found.taxonomy("mixed"), found.interactions.distinct()
    else:
        found = load_medical(folder)
        edges, pairs, texts = found.taxonomy(), found.interactions.distinct(), found.descriptions
    few = np.random.default_rng(0).permutation(len(pairs.users))[:users]
    pairs = pairs.keep(np.isin(pairs.user, few))
    return Domain(pairs, above(edges, pairs.items), texts)


def judged(domain: Domain, seed: int, strengths: list[float]) -> list[dict[str, Any]]:
    """Make items cold, train each variant, and rank the cold items for the users who had some."""
    pairs = domain.pairs
    often = np.flatnonzero(np.bincount(pairs.item) >= LEAST)
    cold = np.random.default_rng([seed, 0xC01D]).choice(often, len(pairs.items) // 10, replace=False)
    hidden = np.isin(pairs.item, cold)
    users, items = pairs.keep(~hidden).columns()
    known = set(users)
    data = vbn.Dataset.from_interactions(users, items)
    names = [pairs.items[item] for item in cold.tolist()]
    # cold items are entities without data: the taxonomy names all, and without one each hangs under one common node
    flat = [(name, "item", 1.0) for name in pairs.items]
    made = []
    for variant, parts in VARIANTS.items():
        given = data.with_taxonomy(domain.edges if "taxonomy" in parts else flat)
        if "text" in parts:
            texts = {name: text for name, text in domain.texts.items() if name in given.columns}
            given = given.with_text(texts)
        for strength in strengths if "text" in parts else strengths[:1]:
            started = time.perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = vbn.VBN(seed=seed, favour=None, verbose=False, content_strength=strength).fit(given)
            taken = time.perf_counter() - started
            figures = ranked(model, pairs, hidden, names, known)
            made.append({"variant": variant, "strength": strength, "seconds": taken, **figures})
    return made


def ranked(model: vbn.VBN, pairs: Interactions, hidden: np.ndarray, cold: list[str], known: set[str]) -> dict[str, Any]:
    """Percentile ranks of the cold items that users had, among those that they had not."""
    place = {name: number for number, name in enumerate(cold)}
    had: dict[str, list[int]] = {}
    for user, item in zip(pairs.user[hidden].tolist(), pairs.item[hidden].tolist(), strict=True):
        if pairs.users[user] in known:
            had.setdefault(pairs.users[user], []).append(place[pairs.items[item]])
    shares: list[float] = []
    for user, mine in had.items():
        scores = model.predict_proba([(user, name) for name in cold])
        others = np.delete(scores, mine)
        above_own = (others > scores[mine, None]).sum(axis=1) + 0.5 * (others == scores[mine, None]).sum(axis=1)
        shares += (above_own / len(others)).tolist()
    found = np.array(shares)
    return {"MPR": 100 * float(1 - found.mean()), "HR@10%": 100 * float((found < 0.1).mean()), "targets": len(found)}


def report(name: str, runs: list[dict[str, Any]]) -> None:
    """A table of means over seeds, with standard errors, and of differences to the taxonomy alone."""
    print(f"\n{name}: {'variant':<10} {'strength':>8} {'MPR':>14} {'HR@10%':>14} {'MPR above taxonomy':>20}")
    alone = {run["seed"]: run["MPR"] for run in runs if run["variant"] == "taxonomy"}
    for variant, strength in dict.fromkeys((run["variant"], run["strength"]) for run in runs):
        own = [run for run in runs if (run["variant"], run["strength"]) == (variant, strength)]
        told = []
        for values in (
            [run["MPR"] for run in own],
            [run["HR@10%"] for run in own],
            [run["MPR"] - alone[run["seed"]] for run in own],
        ):
            error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else float("nan")
            told.append(f"{np.mean(values):.1f} ± {error:.1f}")
        print(f"{' ' * len(name)}  {variant:<10} {strength:>8g} {told[0]:>14} {told[1]:>14} {told[2]:>20}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data_option(parser)
    parser.add_argument("--domains", nargs="+", choices=DOMAINS, default=DOMAINS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--users", type=int, default=2000, help="of each domain")
    parser.add_argument("--strengths", type=float, nargs="+", default=[0.25], help="of the content")
    parser.add_argument("--out", help="file for the raw output, or 'auto'")
    chosen = parser.parse_args()
    runs: list[dict[str, Any]] = []
    for name in chosen.domains:
        domain = load(name, data_folder(chosen.data, name), chosen.users)
        print(
            f"{name}: {len(domain.pairs.users):,} users, {len(domain.pairs.items):,} items, {len(domain.pairs):,} pairs"
        )
        for seed in range(chosen.seeds):
            for run in judged(domain, seed, chosen.strengths):
                runs.append({"domain": name, "seed": seed, **run})
                print(runs[-1], flush=True)
        report(name, [run for run in runs if run["domain"] == name])
    write_result("content_cold", vars(chosen), runs, chosen.out)


if __name__ == "__main__":
    main()
