"""Training on more than fits: what files cost while they are cached, and 500 million cells in a process of 4 GiB.

    python benchmarks/larger_than_memory.py --out auto

First, counts of `--small` cells: epochs with the sample in memory and in files, in turn, all of it cached by the
system. Then, `--cells` cells (negatives included) in a process whose memory, cached files included, is limited by a
control group (root is needed; without, by RLIMIT_DATA, which counts no cached files).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import vbn
from _machine import write_result
from reproduction.bench.row import peak

_ROWS_AT_ONCE = 20_000
_GROUPS = (
    (Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes"),  # version 1
    (Path("/sys/fs/cgroup"), "memory.max"),
)


def write_counts(folder: Path, cells: int, each: int, columns: int) -> None:
    """A data set of `cells` counts, `each` in a row, one in every stratum of the columns; never whole in memory."""
    rows = cells // each
    folder.mkdir(parents=True)
    indices = np.lib.format.open_memmap(folder / "indices.npy", "w+", np.int32, (rows * each,))
    values = np.lib.format.open_memmap(folder / "values.npy", "w+", np.float64, (rows * each,))
    edges = np.linspace(0, columns, each + 1).astype(np.int64)
    seen, rng = np.zeros(columns), np.random.default_rng(0)
    for first in range(0, rows, _ROWS_AT_ONCE):
        n = min(_ROWS_AT_ONCE, rows - first)
        drawn = edges[:-1] + (rng.random((n, each)) ** 2 * np.diff(edges)).astype(np.int64)
        span = slice(first * each, (first + n) * each)
        indices[span], values[span] = drawn.ravel(), 1.0
        seen += np.bincount(drawn.ravel(), minlength=columns)
    del indices, values
    np.save(folder / "indptr.npy", np.arange(rows + 1, dtype=np.int64) * each)
    for side, n, counts in (("row", rows, np.full(rows, float(each))), ("column", columns, seen)):
        with (folder / f"{side}s.jsonl").open("w", encoding="utf-8") as stream:
            stream.writelines(f'"{side[0]}{number}"\n' for number in range(n))
        np.save(folder / f"{side}_counts.npy", counts)
    about = {"format": 1, "kind": "generated", "shared": False, "shape": [rows, columns]}
    (folder / "dataset.json").write_text(json.dumps(about), encoding="utf-8")


def fitted(folder: Path, memory: str | None, epochs: int) -> dict[str, Any]:
    """Seconds and cells of each epoch, and what memory the process had at most."""
    found: dict[str, Any] = {"seconds": [], "cells": [], "anonymous MiB": [], "swapped MiB": []}

    def note(_: Any, epoch: Any) -> bool:
        found["seconds"].append(epoch.seconds)
        found["cells"].append(epoch.cells)
        status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        for key, field in (("anonymous MiB", "RssAnon"), ("swapped MiB", "VmSwap")):
            found[key].append(round(int(status[field].split()[0]) / 1024))
        print(f"  epoch {epoch.epoch + 1}: {epoch.cells:,} cells in {epoch.seconds:.1f} s", file=sys.stderr, flush=True)
        return False

    data = vbn.Dataset.from_folder(folder)
    model = vbn.VBN(dim=50, negatives=1, epochs=epochs, average_epochs=1, memory=memory, verbose=False)
    model.fit(data, callbacks=[note])
    found["peak resident MiB"] = round(peak() / 2**20)
    return found


def _join(processes: Path) -> None:
    processes.write_text(str(os.getpid()))


@contextmanager
def limited(limit: int) -> Iterator[tuple[str, Any]]:
    """How a child is limited, and what it must do before it begins."""
    for root, name in _GROUPS:
        group = root / f"vbn-bench-{os.getpid()}"
        try:
            group.mkdir()
            (group / name).write_text(str(limit))
        except OSError:
            if group.exists():
                group.rmdir()
            continue
        yield f"control group, {name}", partial(_join, group / "cgroup.procs")
        time.sleep(1.0)
        group.rmdir()
        return
    yield "RLIMIT_DATA", lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def main() -> None:
    """Measure, print, and write the raw output."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cells", type=float, default=5e8, help="cells of an epoch, half of them negatives")
    options.add_argument("--small", type=float, default=5e7, help="cells of the comparison in memory")
    options.add_argument("--limit", type=float, default=4.0, help="GiB that the process may have")
    options.add_argument("--memory", default="256MiB", help="of this, for the cells of a sample")
    options.add_argument("--epochs", type=int, default=2)
    options.add_argument("--repeats", type=int, default=3, help="pairs of fits in the comparison")
    options.add_argument("--folder", help="where the files go; a temporary folder by default")
    options.add_argument("--out", help="'auto' or a file")
    options.add_argument("--child", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.child:
        print(json.dumps(fitted(Path(given.child), given.memory, given.epochs)))
        return
    runs = []
    with tempfile.TemporaryDirectory(prefix="vbn-large-", dir=given.folder) as scratch:
        os.environ["TMPDIR"] = tempfile.tempdir = scratch
        runs.append(_cached(Path(scratch) / "small", given))
        runs.append(_large(Path(scratch) / "large", given))
    del given.child
    write_result("larger_than_memory", vars(given), runs, given.out)


def _cached(folder: Path, given: argparse.Namespace) -> dict[str, Any]:
    write_counts(folder, int(given.small / 2), 100, 50_000)
    seconds: dict[str, list[float]] = {"memory": [], "files": []}
    for _ in range(given.repeats):
        for where, memory in (("memory", None), ("files", "1MB")):
            seconds[where] += fitted(folder, memory, 2)["seconds"][1:]
    loss = min(seconds["files"]) / min(seconds["memory"]) - 1.0
    print(f"cells in files, cached: {100 * loss:.0f} % slower than in memory")
    return {"run": "cached", "seconds": seconds, "loss": loss}


def _forget(folder: Path) -> None:
    """Let the system drop what it has cached of the files: pages that are there already count for nobody's limit."""
    for path in folder.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _large(folder: Path, given: argparse.Namespace) -> dict[str, Any]:
    write_counts(folder, int(given.cells / 2), 250, 200_000)
    _forget(folder)
    command = [sys.executable, __file__, "--child", str(folder)]
    command += ["--memory", given.memory, "--epochs", str(given.epochs)]
    with limited(int(given.limit * 2**30)) as (how, before):
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, preexec_fn=before)
    print(f"{given.cells:,.0f} cells within {given.limit:g} GiB ({how}): exit code {done.returncode}")
    found = json.loads(done.stdout) if done.returncode == 0 else {}
    size = sum(file.stat().st_size for file in folder.iterdir())
    return {"run": "large", "limit": how, "exit code": done.returncode, "bytes of counts": size, **found}


if __name__ == "__main__":
    main()
