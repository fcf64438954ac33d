"""Memory over a thousand epochs of `partial_fit` and a million queries, and that queries leave the model as it was.

    python -m tests.soak.endurance [--epochs 1000] [--queries 1000000] [--out auto]

Prints memory as it goes; ends with an error if it grows. Free memory that the C library keeps for later is given back
before each look: it goes up and down by some MB with the sizes of what was freed, and would hide a leak. For the same
reason the run starts itself anew with MALLOC_ARENA_MAX=1: with a heap for each thread, what is free between two pieces
that are in use cannot be given back (some 30 MB after 400 epochs, with the same number of bytes in use). With --out,
memory at each look, before and after giving back, goes to a file as raw output.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import hashlib
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks._machine import write_result

import vbn

ENTITIES, PARENTS = 2000, 40
LOOKS = 20  # at memory, over a run
SETTLED = 0.3  # share of a run after which memory must not grow
ALLOWED_MB = 8.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=1000)
    parser.add_argument("--queries", type=int, default=1_000_000)
    parser.add_argument("--out", help="file for the raw output, or 'auto'")
    chosen = parser.parse_args()
    if "MALLOC_ARENA_MAX" not in os.environ:
        again = [sys.executable, "-m", "tests.soak.endurance", *sys.argv[1:]]
        os.execve(sys.executable, again, os.environ | {"MALLOC_ARENA_MAX": "1"})
    runs, same = endured(chosen.epochs, chosen.queries)
    flat = all(run["flat"] for run in runs)
    print(f"memory flat: {flat}; the model's bits are those before the queries: {same}", flush=True)
    write_result("endurance", vars(chosen), [*runs, {"bits unchanged by queries": same}], chosen.out)
    return 0 if flat and same else 1


def endured(epochs: int, number: int) -> tuple[list[dict[str, Any]], bool]:
    """Memory while a model trains on and then answers, and whether the answers left its bits as they were."""
    model = vbn.VBN(dim=20, epochs=1, verbose=False, seed=0).fit(day(0).with_relation("opposite", [("e1", "e2")]))

    def epoch(one: int) -> None:
        model.partial_fit(day(one + 1))

    trained = watched("epochs of partial_fit", epochs, epoch)
    before = bits(model)
    asks = queries(model)

    def query(one: int) -> None:
        asks[one % len(asks)](f"e{one % ENTITIES}")

    return [trained, watched("queries", number, query)], bits(model) == before


def day(number: int) -> vbn.Dataset:
    """New pairs among the same entities; there are seven such days, so that the model stays as large."""
    rng = np.random.default_rng(number % 7)
    left, right = rng.integers(ENTITIES, size=(2, 5 * ENTITIES))
    names = [f"e{one}" for one in range(ENTITIES)]
    data = vbn.Dataset.from_pairs([names[one] for one in left], [names[one] for one in right])
    return data.with_taxonomy({name: [f"parent {one % PARENTS}"] for one, name in enumerate(names)})


def queries(model: vbn.VBN) -> list[Callable[[str], object]]:
    """Every kind; one that takes longer comes less often."""
    often: list[Callable[[str], object]] = [
        lambda name: model.predict_proba([(name, "e7")]),
        lambda name: model.predict_proba([(name, "e5"), ("e5", name)], return_std=True),
        lambda name: model.posterior(name),
    ]
    seldom: list[Callable[[str], object]] = [
        lambda name: model.similar(name, k=5),
        lambda name: model.recommend([name, "e11"], k=5),
        lambda name: model.recommend(user=name, k=5),
        lambda name: model.related("opposite", name, k=5),
    ]
    rarely: list[Callable[[str], object]] = [
        lambda name: model.explain(name),
        lambda name: model.reliability([(name, "e3", 1), (name, "e4", 0)]),
    ]
    return [ask for one in (*seldom, *seldom, *seldom, *rarely) for ask in (*often, *often, one)]


def watched(title: str, number: int, do: Callable[[int], None]) -> dict[str, Any]:
    """Do something many times: memory at each look, and whether it stayed where it was after the first part."""
    looks: list[dict[str, float]] = []
    started = time.perf_counter()
    for one in range(number):
        do(one)
        if (one + 1) % max(number // LOOKS, 1) == 0:
            looks.append({"done": one + 1, "seconds": time.perf_counter() - started, "MB with free": resident_mb()})
            give_back()
            looks[-1]["MB"] = resident_mb()
            print(f"{one + 1:,} {title}, {looks[-1]['seconds']:.0f} s: {looks[-1]['MB']:.1f} MB", flush=True)
    settled = [look["MB"] for look in looks[int(SETTLED * len(looks)) :]]
    return {"what": title, "number": number, "flat": max(settled) - settled[0] <= ALLOWED_MB, "looks": looks}


def give_back() -> None:
    """Give free memory back to the system, where the C library can."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        gc.collect()
        trim(0)


def resident_mb() -> float:
    """What this process holds in memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def bits(model: vbn.VBN) -> str:
    """A hash of all that was learned."""
    found = hashlib.sha256()
    for name, array in model.trained_.posterior.arrays().items():
        found.update(name.encode() + np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


if __name__ == "__main__":
    sys.exit(main())
