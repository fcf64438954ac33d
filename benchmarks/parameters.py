"""What each parameter does to rankings, one varied at a time around a base setting.

    python benchmarks/parameters.py --data DIR [--maskings 1] [--only dim negatives] [--cache DIR] [--out auto]

MovieLens 1M, users x items, taxonomy as in `make reproduce`, validation pairs only: two items masked a user, ranked
among the whole catalogue. Each masking is drawn and trained with a seed of its own. Printed are HR@10% and MPR, both
times 100, of all targets and of rare ones (the least frequent fifth of the items), each with its standard error over
the cases. The popularity dial is turned after training, so that its values are of the base setting. A cache keeps
trainings that are done; `scripts/parameter_plots.py` draws the result.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from _data import add_data_option, data_folder
from _machine import write_result
from reproduction.cache import Cache, Record
from reproduction.domains import load_domain
from reproduction.judging import MAIN
from reproduction.masking import Split, mask
from reproduction.models import BY_KEY
from reproduction.pool import FULL, RARE, Cases, Pool
from reproduction.running import Progress
from reproduction.runs import Runner

MODEL = "vbn"
BASE = {"dim": 50, "epochs": 20, "negatives": 4, "noise_power": 0.75, "prior_weight": 10.0}
TRIED: dict[str, tuple[float, ...]] = {
    "dim": (10, 20, 50, 100),
    "epochs": (2, 5, 10, 20, 40),
    "negatives": (1, 2, 4, 8),
    "noise_power": (0.0, 0.5, 0.75, 1.0),
    "prior_weight": (1.0, 3.0, 10.0, 30.0),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data_option(parser)
    parser.add_argument("--maskings", type=int, default=1, help="how often two items a user are masked")
    parser.add_argument("--only", nargs="+", choices=list(TRIED), default=list(TRIED), help="default: all of them")
    parser.add_argument("--cache", type=Path, help="folder that keeps trainings which are done")
    parser.add_argument("--out", help="file for the raw output, or 'auto'")
    chosen = parser.parse_args()
    domain = load_domain("movies", data_folder(chosen.data, "movies").parent)
    splits = [
        Split(domain, mask(domain.interactions, domain.least, seed), "validation", f"masking {seed + 1}")
        for seed in range(chosen.maskings)
    ]
    with tempfile.TemporaryDirectory() as own:
        runs = measured(splits, chosen.only, Cache(chosen.cache or own))
    pool = Pool(1, [Cases.of(split.masked, "validation") for split in splits])
    about = {
        "base": BASE,
        "maskings": chosen.maskings,
        "cases": {part: pool.number(part) for part in (FULL, RARE)},
        "taxonomy": next(iter(domain.taxonomies)),
    }
    write_result("parameters", about, runs, chosen.out)


def measured(splits: list[Split], parameters: list[str], cache: Cache) -> list[dict[str, Any]]:
    """A run for each value of each parameter, and for each position of the dial; the base setting is trained once."""
    varied = [(name, value) for name in parameters for value in TRIED[name]]
    runner = Runner(cache, Progress("movies", total=len(varied) * len(splits)))
    records: dict[tuple[str, float], list[Record]] = {each: [] for each in varied}
    for seed, split in enumerate(splits):
        for name, value in varied:
            given = {**BASE, name: value, "popularity": 0.0}
            records[name, value].append(runner.run(BY_KEY[MODEL], split, {MODEL: given}, seed))
    cases = [Cases.of(split.masked, "validation") for split in splits]
    pools = {each: Pool(1, cases, {MODEL: found}) for each, found in records.items()}
    runs = [told(name, value, pool) for (name, value), pool in pools.items()]
    base = pools[parameters[0], BASE[parameters[0]]]
    dial = base.records[MODEL][0].facts["dial"]
    order = sorted(range(len(dial)), key=lambda variant: dial[variant])
    runs += [told("popularity", dial[variant], base, variant) for variant in order]
    for run in runs:
        print(", ".join(f"{name} {value}" for name, value in run.items()), flush=True)
    return runs


def told(parameter: str, value: float, pool: Pool, variant: int = 0) -> dict[str, Any]:
    """The four figures of one setting, each with its standard error."""
    run: dict[str, Any] = {"parameter": parameter, "value": value}
    for part in (FULL, RARE):
        for figure in MAIN:
            values = np.concatenate(pool.values(MODEL, figure, part, variant))
            error = values.std(ddof=1) / np.sqrt(len(values))
            run |= {
                f"{figure} {part}": round(float(values.mean()), 2),
                f"{figure} {part} error": round(float(error), 2),
            }
    return run


if __name__ == "__main__":
    main()
