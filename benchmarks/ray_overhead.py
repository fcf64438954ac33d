"""The Ray engine against threads at equal cores: time of an epoch, bytes between nodes, memory of workers, growth.

    python benchmarks/ray_overhead.py --out auto

Nodes are started on this machine (`ray.cluster_utils`), each with a share of its cores; what they send each other goes
through the loopback interface, whose counter is read before and after each epoch. Threads and clusters take turns, so
that a machine which is busy with something else slows all of them. Processor time is that of this process and of all
that it started, Ray's own included.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import vbn
from _machine import write_result
from larger_than_memory import write_counts
from vbn.engines import RayEngine, Workers

_DIM = 50


def expected_bytes(
    nodes: int, rows: int, columns: int, cells: float, half: bool = False, dim: int = _DIM, size: int = 4
) -> dict[str, float]:
    """What crosses from node to node in an epoch, by the formula of README.md; `size` is that of a float.

    What is saved where workers need few of the rows or columns is not in it.
    """
    away = (nodes - 1) / nodes  # share of rows, columns and cells that are not where they are needed
    density = 2 * dim * size
    return {
        "other side": (nodes - 1) * (rows + columns) * (2 * dim * 2 if half else density),
        "own rows, there and back": away * (rows + columns) * (2 * density + 8),
        "cells": away * cells * size,  # of whole weights; others take twice that
    }


def loopback_bytes() -> int:
    """Bytes that the loopback interface has carried so far."""
    for line in Path("/proc/net/dev").read_text().splitlines():
        name, _, figures = line.partition(":")
        if name.strip() == "lo":
            return int(figures.split()[0])
    raise SystemExit("this system does not count the bytes of its loopback interface in /proc/net/dev")


def processor_seconds() -> float:
    """Processor time so far of this process and of all processes below it."""
    below: dict[int, list[int]] = {}
    used: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        below.setdefault(int(fields[1]), []).append(int(folder.name))
        used[int(folder.name)] = int(fields[11]) + int(fields[12])
    total, found = 0, [os.getpid()]
    while found:
        process = found.pop()
        total += used.get(process, 0)
        found += below.get(process, [])
    return total / os.sysconf("SC_CLK_TCK")


def memory_of(process: int) -> dict[str, int]:
    """MiB of a process: its own, and shared memory that it has touched."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    fields = {"own MiB": "RssAnon", "shared MiB": "RssShmem", "files MiB": "RssFile"}
    return {title: round(int(status[field].split()[0]) / 1024) for title, field in fields.items()}


@contextmanager
def cluster_of(nodes: int, cores: int, store: int) -> Iterator[None]:
    """Nodes on this machine that this process is connected to."""
    import ray
    from ray.cluster_utils import Cluster

    each = {"num_cpus": cores, "object_store_memory": store}
    cluster = Cluster(initialize_head=True, head_node_args=each | {"include_dashboard": False})
    for _ in range(nodes - 1):
        cluster.add_node(**each)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    try:
        yield
    finally:
        ray.shutdown()
        cluster.shutdown()


def fitted(data: vbn.Dataset, epochs: int, engine: Any, threads: int | None = None) -> dict[str, Any]:
    """Seconds of each epoch, bytes over the loopback interface, memory of the workers after the last."""
    found: dict[str, Any] = {"seconds": [], "processor": [], "loopback bytes": [], "cells": 0, "workers": []}
    started_workers: list[Workers] = []
    hire = Workers.__init__

    def keep(self: Workers, *given: Any) -> None:
        hire(self, *given)
        started_workers.append(self)

    before = loopback_bytes(), processor_seconds()

    def note(_: Any, epoch: Any) -> bool:
        nonlocal before
        now = loopback_bytes(), processor_seconds()
        found["seconds"].append(epoch.seconds)
        for name, earlier, later in zip(("loopback bytes", "processor"), before, now, strict=True):
            found[name].append(later - earlier)
        found["cells"] = epoch.cells
        found["workers"] = [memory_of(process) for workers in started_workers for process in workers.processes]
        print(f"    epoch {epoch.epoch + 1}: {epoch.seconds:.1f} s, {found['processor'][-1]:.1f}", file=sys.stderr)
        before = loopback_bytes(), processor_seconds()
        return False

    Workers.__init__ = keep  # type: ignore[method-assign]
    started = time.perf_counter()
    try:
        model = vbn.VBN(dim=_DIM, epochs=epochs, average_epochs=1, engine=engine, n_threads=threads, verbose=False)
        model.fit(data, callbacks=[note])
    finally:
        Workers.__init__ = hire  # type: ignore[method-assign]
    found["seconds of all"] = time.perf_counter() - started
    found["bound"] = model.lower_bound_
    return found


def compared(data: vbn.Dataset, given: argparse.Namespace, nodes: int, workers: int, threads: int) -> dict[str, Any]:
    """Threads and a cluster in turn, on the same total of cores."""
    total = workers * threads
    runs: dict[str, list[dict[str, Any]]] = {"threads": [], "ray": []}
    with cluster_of(nodes, total // nodes, int(given.store * 2**30)):
        for _ in range(given.repeats):
            runs["threads"].append(fitted(data, given.epochs, "threads", total))
            engine = RayEngine(workers=workers, threads=threads, half=given.half)
            runs["ray"].append(fitted(data, given.epochs, engine))
    best, used = (
        {name: min(min(run[figure][1:]) for run in each) for name, each in runs.items()}
        for figure in ("seconds", "processor")
    )
    moved = statistics.median(figure for run in runs["ray"] for figure in run["loopback bytes"][1:])
    formula = expected_bytes(nodes, len(data.rows), len(data.columns), runs["ray"][0]["cells"], given.half)
    result = {
        "nodes": nodes,
        "workers": workers,
        "threads of each": threads,
        "seconds": best,
        "overhead": best["ray"] / best["threads"],
        "processor seconds": used,
        "overhead of processor": used["ray"] / used["threads"],
        "bytes an epoch": moved,
        "bytes by the formula": formula,
        "same bound": len({run["bound"] for each in runs.values() for run in each}) == 1,
        "runs": runs,
    }
    print(
        f"{nodes} nodes, {workers} workers of {threads} threads: {best['ray']:.2f} s an epoch, "
        f"{result['overhead']:.2f} times threads, {result['overhead of processor']:.2f} of processor time; "
        f"{moved / 1e6:,.0f} MB between nodes, {sum(formula.values()) / 1e6:,.0f} by the formula; "
        f"same bound: {result['same bound']}",
        flush=True,
    )
    return result


def main() -> None:
    """Measure, print, and write the raw output."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cells", type=float, default=5e7, help="cells of an epoch, half of them negatives")
    options.add_argument("--each", type=int, default=100, help="counts in a row")
    options.add_argument("--columns", type=int, default=50_000)
    options.add_argument("--epochs", type=int, default=4, help="of which the first is left out")
    options.add_argument("--repeats", type=int, default=2)
    options.add_argument("--store", type=float, default=2.0, help="GiB of the object store of each node")
    options.add_argument("--settings", default="1x1x2,2x2x1,2x4x1", help="nodes x workers x threads of each, by comma")
    options.add_argument("--half", action="store_true", help="send densities in 16 bits: other bounds than on threads")
    options.add_argument("--out", help="'auto' or a file")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="vbn-ray-") as folder:
        counts = Path(folder) / "counts"
        write_counts(counts, int(given.cells / 2), given.each, given.columns)
        data = vbn.Dataset.from_folder(counts)
        runs = [
            compared(data, given, *(int(figure) for figure in setting.split("x")))
            for setting in given.settings.split(",")
        ]
    write_result("ray_overhead", vars(given), runs, given.out)


if __name__ == "__main__":
    main()
