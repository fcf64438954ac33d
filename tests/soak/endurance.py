"""Memory over a thousand epochs of `partial_fit` and a million queries, and that queries leave the model as it was.

    python -m tests.soak.endurance [--epochs 1000] [--queries 1000000]

Prints memory as it goes; ends with an error if it grows.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import vbn

ENTITIES, PARENTS = 2000, 40
LOOKS = 20  # at memory, over a run
SETTLED = 0.3  # share of a run after which memory must not grow
ALLOWED_MB = 8.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=1000)
    parser.add_argument("--queries", type=int, default=1_000_000)
    chosen = parser.parse_args()
    model = vbn.VBN(dim=20, epochs=1, verbose=False, seed=0).fit(day(0).with_relation("opposite", [("e1", "e2")]))

    def epoch(number: int) -> None:
        model.partial_fit(day(number + 1))

    flat = watched("epochs of partial_fit", chosen.epochs, epoch)
    before = bits(model)
    asks = queries(model)

    def query(number: int) -> None:
        asks[number % len(asks)](f"e{number % ENTITIES}")

    flat &= watched("queries", chosen.queries, query)
    same = bits(model) == before
    print(f"memory flat: {flat}; the model's bits are those before the queries: {same}", flush=True)
    return 0 if flat and same else 1


def day(number: int) -> vbn.Dataset:
    """New pairs among the same entities; there are seven such days, so that the model stays as large."""
    rng = np.random.default_rng(number % 7)
    left, right = rng.integers(ENTITIES, size=(2, 5 * ENTITIES))
    names = [f"e{one}" for one in range(ENTITIES)]
    data = vbn.Dataset.from_pairs([names[one] for one in left], [names[one] for one in right])
    return data.with_taxonomy({name: [f"parent {one % PARENTS}"] for one, name in enumerate(names)})


def queries(model: vbn.VBN) -> list[Callable[[str], object]]:
    """One of each kind; a kind that takes longer comes once among several others."""
    often: list[Callable[[str], object]] = [
        lambda name: model.predict_proba(name, "e7"),
        lambda name: model.posterior(name),
        lambda name: model.predict_proba([name], ["e5"]),
        lambda name: model.uncertainty(name, "e3"),
    ]
    seldom: list[Callable[[str], object]] = [
        lambda name: model.similar(name, k=5),
        lambda name: model.recommend([name, "e11"], k=5),
        lambda name: model.recommend(user=name, k=5),
        lambda name: model.related(name, "opposite", k=5),
        lambda name: model.explain(name),
    ]
    return [ask for one in seldom for ask in (*often, *often, one)]


def watched(title: str, number: int, do: Callable[[int], None]) -> bool:
    """Do something many times; whether memory stayed where it was after the first part."""
    memory, started = [], time.perf_counter()
    for one in range(number):
        do(one)
        if (one + 1) % max(number // LOOKS, 1) == 0:
            memory.append(resident_mb())
            print(f"{one + 1:,} {title}, {time.perf_counter() - started:.0f} s: {memory[-1]:.1f} MB", flush=True)
    settled = memory[int(SETTLED * len(memory)) :]
    return max(settled) - settled[0] <= ALLOWED_MB


def resident_mb() -> float:
    """What this process holds in memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def bits(model: vbn.VBN) -> str:
    """A hash of all that was learned."""
    found = hashlib.sha256()
    for name, array in model._model().posterior.arrays().items():
        found.update(name.encode() + np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


if __name__ == "__main__":
    sys.exit(main())
