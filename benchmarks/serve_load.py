"""The service under load: /api/v1/similar of a model of 100,000 entities, beside the bare call.

    python benchmarks/serve_load.py [--minutes 10] [--out auto]

Needs wrk (apt-get install wrk) and two cores. With one worker, `vbn serve` and the bare call `model.similar` run on the
first core and wrk on the second, over loopback; with several workers, everything runs on all cores. Asked are the ten
nearest of entities drawn at random. Printed are requests a second with p50 and p99 by number of connections, the
processor time of a request, the calls a second without a server, and how much memory of its own the server had over the
last and longest run (--minutes 0: none).

    python benchmarks/serve_load.py --flood 4 [--out auto]

asks something else: how long /api/v1/health takes while so many callers post events to a writable server without pause,
from its start on, beside a server of a few lines that runs on the same machine and does nothing else.

Kept with each run is the load of the machine before it (processes that want to run, over a minute). Above 1 or so,
others took part in the run, and requests a second and times say little; the processor time of a request says more.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import multiprocessing
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

import vbn
from _machine import write_result
from _service import make_model, serving

SERVER, CLIENT = "0", "1"  # cores
PAUSE = 0.02  # seconds between two questions for health
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
ASKING = """
math.randomseed(7)
request = function()
  return wrk.format("GET", "/api/v1/similar?k=10&entity=e" .. math.random(0, {last}))
end
done = function(summary, latency, requests)
  local e = summary.errors
  local form = '{{"requests": %d, "seconds": %.3f, "p50_ms": %.3f, "p99_ms": %.3f, "max_ms": %.3f, "errors": %d}}\\n'
  io.write(string.format(form, summary.requests, summary.duration / 1e6,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    latency.max / 1e3, e.connect + e.read + e.write + e.status + e.timeout))
end
"""


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entities", type=int, default=100_000)
    parser.add_argument("--dim", type=int, default=50)
    parser.add_argument("--connections", type=int, nargs="+", default=[1, 4, 16], help="of wrk, one run each")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2], help="of the server, all runs with each")
    parser.add_argument("--seconds", type=int, default=30, help="of each of these runs, and of the bare call")
    parser.add_argument("--minutes", type=float, default=10.0, help="of the run that memory is watched over")
    parser.add_argument("--unpinned", action="store_true", help="let one worker use all cores too, and wrk with it")
    parser.add_argument("--out", help="file for the raw output, or 'auto'")
    parser.add_argument("--flood", type=int, default=0, metavar="CALLERS", help="post events, and time health")
    parser.add_argument("--size", type=int, nargs="+", default=[1, 100, 1000], help="events in a request of --flood")
    parser.add_argument("--bare", help=argparse.SUPPRESS)  # what the child process measures
    return parser.parse_args()


def main() -> None:
    chosen = options()
    if chosen.bare:
        print(json.dumps(bare_calls(chosen.bare, chosen.entities, chosen.seconds)))
        return
    if chosen.flood:
        with tempfile.TemporaryDirectory() as place:
            folder = make_model(Path(place), chosen.entities, chosen.dim)
            runs = [flooded(folder, size, chosen) for size in chosen.size]
        write_result("serve_flood", vars(chosen), runs, chosen.out)
        return
    for program in ("wrk", "taskset"):
        if shutil.which(program) is None:
            raise SystemExit(f"needs {program}: apt-get install {'wrk' if program == 'wrk' else 'util-linux'}")
    if len(os.sched_getaffinity(0)) < 2:
        raise SystemExit("needs two cores: one for the server, one for wrk")
    with tempfile.TemporaryDirectory() as place:
        folder = make_model(Path(place), chosen.entities, chosen.dim)
        runs = [bare(folder, chosen), *served(folder, chosen), bare(folder, chosen)]
    shown = {key: value for key, value in vars(chosen).items() if key != "bare"}
    write_result("serve_load", shown, runs, chosen.out)


def bare(folder: Path, chosen: argparse.Namespace) -> dict[str, Any]:
    """The call without a server, on the server's core."""
    command = [sys.executable, __file__, "--bare", str(folder)]
    command += ["--entities", str(chosen.entities), "--seconds", str(chosen.seconds)]
    done = subprocess.run(
        ["taskset", "-c", SERVER, *command],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **ONE_THREAD},
    )
    found: dict[str, Any] = json.loads(done.stdout)
    print(f"bare call: {found['per_second']:.0f} a second, p99 {found['p99_ms']:.1f} ms", flush=True)
    return found


def bare_calls(folder: str, entities: int, seconds: float) -> dict[str, Any]:
    model, rng, took = vbn.load(folder), np.random.default_rng(7), []
    for number in rng.integers(entities, size=50):
        model.similar(f"e{number}", 10)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        name = f"e{rng.integers(entities)}"
        started = time.perf_counter()
        model.similar(name, 10)
        took.append(time.perf_counter() - started)
    p50, p99 = np.percentile(took, [50, 99]) * 1000
    return {
        "run": "bare model.similar",
        "calls": len(took),
        "per_second": len(took) / sum(took),
        "p50_ms": p50,
        "p99_ms": p99,
    }


def served(folder: Path, chosen: argparse.Namespace) -> list[dict[str, Any]]:
    """Requests a second by number of workers and of connections, then a long run with an eye on memory."""
    asking = folder.parent / "asking.lua"
    asking.write_text(ASKING.format(last=chosen.entities - 1), encoding="utf-8")
    runs = []
    for workers in chosen.workers:
        before = ("taskset", "-c", SERVER) if workers == 1 and not chosen.unpinned else ()
        with serving(folder, before, options=("--workers", str(workers))) as (url, pid):
            load(asking, url, pid, workers, 1, 5, chosen.unpinned)  # the first requests get things ready
            runs += [load(asking, url, pid, workers, n, chosen.seconds, chosen.unpinned) for n in chosen.connections]
            if chosen.minutes and workers == chosen.workers[-1]:
                runs.append(watched(asking, url, pid, workers, chosen))
    return runs


def load(
    asking: Path, url: str, pid: int, workers: int, connections: int, seconds: int, unpinned: bool = False
) -> dict[str, Any]:
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", str(asking), url]
    client = ("taskset", "-c", CLIENT) if workers == 1 and not unpinned else ()
    busy, used = os.getloadavg()[0], processor_seconds(pid)
    done = subprocess.run([*client, *command], check=True, capture_output=True, text=True)
    told = json.loads(done.stdout.strip().splitlines()[-1])
    found = {
        "run": "served",
        "workers": workers,
        "connections": connections,
        "pinned": bool(client),
        **told,
        "per_second": told["requests"] / told["seconds"],
        "processor_ms_of_a_request": 1000 * (processor_seconds(pid) - used) / max(told["requests"], 1),
        "load_before": busy,
    }
    print(
        f"{workers} workers, {connections} at a time: {found['per_second']:.0f} a second, "
        f"p50 {found['p50_ms']:.1f} ms, p99 {found['p99_ms']:.1f} ms, {found['errors']} errors, "
        f"{found['processor_ms_of_a_request']:.2f} ms of a processor each; load before {busy:.1f}",
        flush=True,
    )
    return found


def watched(asking: Path, url: str, pid: int, workers: int, chosen: argparse.Namespace) -> dict[str, Any]:
    """A long run; every ten seconds the server's resident memory is read."""
    memory: list[float] = []
    over = threading.Event()

    def watch() -> None:
        while not over.is_set():
            memory.append(sum(resident_mb(one) for one in processes(pid)))
            over.wait(10.0)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        found = load(asking, url, pid, workers, chosen.connections[-1], round(60 * chosen.minutes), chosen.unpinned)
    finally:
        over.set()
        watcher.join()
    print(f"memory: {memory[0]:.1f} MB at first, {memory[-1]:.1f} MB at last, {max(memory):.1f} MB at most", flush=True)
    return {**found, "run": "served, memory watched", "resident_mb_every_10_s": memory}


def flooded(folder: Path, size: int, chosen: argparse.Namespace) -> dict[str, Any]:
    """Times of health while events are posted, and of a bare server."""
    busy, heard = os.getloadavg()[0], multiprocessing.SimpleQueue()
    (folder / "events.journal").unlink(missing_ok=True)
    with serving(folder, options=("--writable",)) as (url, pid), multiprocessing.Pool(1) as other:
        idle = f"http://127.0.0.1:{other.apply(free_port)}"
        other.apply_async(serve_nothing, [int(idle.rpartition(":")[2])])
        end = time.time() + chosen.seconds
        asking = [("health", f"{url}/api/v1/health"), ("bare", idle)]
        children = [multiprocessing.Process(target=ask, args=(*one, end, heard)) for one in asking]
        children += [
            multiprocessing.Process(target=post, args=(url, size, chosen.entities, seed, end, heard))
            for seed in range(chosen.flood)
        ]
        for child in children:
            child.start()
        told = [heard.get() for _ in children]
        for child in children:
            child.join()
        memory = sum(resident_mb(one) for one in processes(pid))
    took = {name: np.concatenate([times for by, times in told if by == name]) for name, _ in told}
    found: dict[str, Any] = {
        "run": "health under events",
        "callers": chosen.flood,
        "events_in_a_request": size,
        "events_per_second": size * len(took["events"]) / chosen.seconds,
        "resident_mb_at_the_end": memory,
        "load_before": busy,
    }
    for name, times in took.items():  # the first answer of all waits for the start
        p50, p99, most = (float(one) for one in np.percentile(times, [50, 99, 100]) * 1000)
        found |= {f"{name}_p50_ms": p50, f"{name}_p99_ms": p99, f"{name}_max_ms": most}
    health = took["health"]
    found["health_first_ms"] = float(1000 * health[0])
    found["health_max_after_first_ms"] = float(1000 * health[1:].max())
    found["health_max_after_first_at"] = float(np.cumsum(health + PAUSE)[1 + int(health[1:].argmax())])
    print({key: round(value, 1) if isinstance(value, float) else value for key, value in found.items()}, flush=True)
    return found


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def serve_nothing(port: int) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readline() != b"":
            while await reader.readline() not in (b"\r\n", b""):
                pass
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")

    async def main() -> None:
        async with await asyncio.start_server(answer, "127.0.0.1", port) as server:
            await server.serve_forever()

    asyncio.run(main())


def ask(name: str, url: str, end: float, heard: Any) -> None:
    """Get an address again and again, and tell how long each answer took."""
    address, took = urlsplit(url), []
    connection = http.client.HTTPConnection(address.netloc, timeout=60)
    while time.time() < end:
        started = time.perf_counter()
        try:
            connection.request("GET", address.path or "/")
            connection.getresponse().read()
        except ConnectionError:  # not up yet
            connection.close()
            time.sleep(0.1)
            continue
        took.append(time.perf_counter() - started)
        time.sleep(PAUSE)
    heard.put((name, took))


def post(url: str, size: int, entities: int, seed: int, end: float, heard: Any) -> None:
    """Post events again and again, and tell how long each answer took."""
    rng, took = np.random.default_rng(seed), []
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
    while time.time() < end:
        body = json.dumps(
            {"events": [[f"e{left}", f"e{right}"] for left, right in rng.integers(entities, size=(size, 2))]}
        )
        started = time.perf_counter()
        connection.request("POST", "/api/v1/events", body, {"content-type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, answer.status
        took.append(time.perf_counter() - started)
    heard.put(("events", took))


def processes(pid: int) -> list[int]:
    """The server and its workers."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    return [pid, *(int(child) for child in children)]


def processor_seconds(pid: int) -> float:
    """What the server and its workers have used so far."""
    found = 0
    for one in processes(pid):
        fields = Path(f"/proc/{one}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        found += int(fields[11]) + int(fields[12])
    return found / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    found = re.search(r"RssAnon:\s+(\d+) kB", status)
    assert found is not None
    return int(found.group(1)) / 1024


if __name__ == "__main__":
    main()
