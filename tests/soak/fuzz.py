"""Random files for every reader, drawn so that they reach new lines of it (atheris, extra "soak").

    python -m tests.soak.fuzz [READER ...] [--minutes 10] [--patience 10] [--keep] [--out auto]

An input that ends in anything but an answer or one of this library's errors, or takes longer than --patience seconds
(by the clock: give more on a machine that has other things to do), is written to fuzz-found/ and ends the run of that
reader. With --keep, the inputs that reach new lines are put beside the seeds, as few as there can be; the tests read
all of them. With --out, how long each reader ran and how many inputs it was given go to a file as raw output, after
each reader.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks._machine import write_result

from tests.soak.make_seeds import seeds
from tests.soak.readers import READERS, SEEDS

FOUND = Path("fuzz-found")
LONGEST = 4096  # bytes, or twice the largest seed
KEPT = 40  # inputs of a reader at most, the shortest


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("readers", nargs="*", metavar="READER", help=f"one of {', '.join(READERS)}; default all")
    parser.add_argument("--minutes", type=float, default=10.0, help="for each reader")
    parser.add_argument("--patience", type=int, default=10, help="seconds that one input may take")
    parser.add_argument("--keep", action="store_true", help="put inputs that reach new lines beside the seeds")
    parser.add_argument("--out", help="file for the raw output, or 'auto'")
    chosen = parser.parse_args()
    for name in chosen.readers:
        if name not in READERS:
            parser.error(f"no reader {name!r}; there are {', '.join(READERS)}")
    runs: list[dict[str, Any]] = []
    for name in chosen.readers or READERS:
        runs.append(fuzzed(name, chosen.minutes, chosen.patience, chosen.keep))
        write_result("fuzz", vars(chosen), runs, chosen.out)
    failed = [run["reader"] for run in runs if run["fault"]]
    print(f"faults: {', '.join(failed)}, see {FOUND}" if failed else "no faults", flush=True)
    return len(failed)


def fuzzed(name: str, minutes: float, patience: int, keep: bool) -> dict[str, Any]:
    """How many inputs a reader was given in how many seconds, and whether one was its fault."""
    (FOUND / name).mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as reached:
        for label, content in seeds()[name].items():  # those of a model must be of one that was trained here
            (Path(reached) / label).write_bytes(content)
        limits = (f"-timeout={patience}", f"-max_len={_longest(name)}", "-rss_limit_mb=4096")
        places = (f"-artifact_prefix={FOUND / name}/", reached, str(SEEDS / name))
        done = _child(name, f"-max_total_time={round(60 * minutes)}", "-print_final_stats=1", *limits, *places)
        runs = done.stderr.partition("stat::number_of_executed_units:")[2].split("\n")[0].strip()
        print(f"{name}: {runs or 'no'} inputs, {'no fault' if done.returncode == 0 else 'a fault'}", flush=True)
        if done.returncode:
            print(done.stdout[-4000:])
        if keep and runs:
            _keep(name, Path(reached))
    seconds = round(time.perf_counter() - started, 1)
    return {"reader": name, "seconds": seconds, "inputs": int(runs or 0), "fault": done.returncode != 0}


def _longest(name: str) -> int:
    """Longer inputs are cut off, so that a seed must fit."""
    return max(LONGEST, *(2 * path.stat().st_size for path in (SEEDS / name).iterdir()))


def _keep(name: str, reached: Path) -> None:
    with tempfile.TemporaryDirectory() as fewest:
        _child(name, "-merge=1", f"-max_len={_longest(name)}", fewest, str(SEEDS / name), str(reached))
        own = {path.read_bytes() for path in (SEEDS / name).iterdir()}
        new = sorted((path for path in Path(fewest).iterdir() if path.read_bytes() not in own), key=_size)
        for path in new[: max(KEPT - len(own), 0)]:
            (SEEDS / name / path.name[:12]).write_bytes(path.read_bytes())


def _size(path: Path) -> tuple[int, str]:
    return path.stat().st_size, path.name


def _child(name: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.soak.target", name, *options]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)


if __name__ == "__main__":
    sys.exit(main())
