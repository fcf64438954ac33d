"""Events posted to a server that is killed with SIGKILL at a random moment: which of them are there afterwards.

    python benchmarks/kill_nine.py [--kills 50] [--out auto]

A small model of users and items is served from a writable folder, two callers post events of new users without pause,
and the server is killed. Then the folder is loaded in this process: every acknowledged event must be there once, and
besides these at most the one that each caller was waiting for. The next server goes on with the same folder; every
tenth time the model is saved in between, which folds the journal in.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import vbn
from _machine import write_result

CALLERS = 2
ITEMS = ["tea", "milk", "honey", "beer", "nuts"]


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--longest", type=float, default=1.0, help="seconds of posting before a kill, at most")
    parser.add_argument("--out", help="file for the raw output, or 'auto'")
    return parser.parse_args()


def main() -> None:
    given = options()
    rng = random.Random(0)
    with tempfile.TemporaryDirectory() as place:
        folder, acknowledged, runs = make_model(Path(place)), set[str](), []
        for number in range(given.kills):
            run = one_kill(folder, number, rng.uniform(0.0, given.longest), acknowledged)
            runs.append(run)
            print(run, flush=True)
    total = {
        "kills": len(runs),
        "acknowledged": len(acknowledged),
        "lost": sum(run["lost"] for run in runs),
        "twice": sum(run["twice"] for run in runs),
        "torn_lines": sum(run["torn"] for run in runs),
    }
    print(total)
    write_result("kill_nine", vars(given), [*runs, total], given.out)
    if total["lost"] or total["twice"]:
        sys.exit(1)


def make_model(place: Path) -> Path:
    """A small model in a folder."""
    users = [f"user {number % 40}" for number in range(400)]
    items = [ITEMS[number // 7 % 5] for number in range(400)]
    data = vbn.Dataset.from_interactions(users, items)
    return vbn.VBN(dim=8, epochs=5, favour=None, verbose=False).fit(data).save(place / "model")


def one_kill(folder: Path, number: int, seconds: float, acknowledged: set[str]) -> dict[str, Any]:
    """Serve, post, kill, load and compare."""
    command = [sys.executable, "-m", "vbn", "serve", str(folder), "--port", "0", "--writable"]
    before = len(acknowledged)
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "VBN_TOKEN": ""}) as server:
        assert server.stderr is not None
        told = server.stderr.readline()
        found = re.search(r"http://([^:]+):(\d+)", told)
        while found is None:  # a warning of a torn line comes first
            told = server.stderr.readline()
            found = re.search(r"http://([^:]+):(\d+)", told)
        address = found.group(1), int(found.group(2))
        post(http.client.HTTPConnection(*address, timeout=60), f"first of {number}")  # waits until it is up
        acknowledged.add(f"first of {number}")
        callers = [
            threading.Thread(target=call, args=(address, f"{number}.{caller}", acknowledged))
            for caller in range(CALLERS)
        ]
        for caller in callers:
            caller.start()
        time.sleep(seconds)
        server.send_signal(signal.SIGKILL)
        server.wait()
        for caller in callers:
            caller.join()
    return {"kill": number, "seconds": round(seconds, 3), "acknowledged": len(acknowledged) - before} | compared(
        folder, number, acknowledged
    )


def call(address: tuple[str, int], name: str, acknowledged: set[str]) -> None:
    """Post events of new users until the server is gone."""
    connection = http.client.HTTPConnection(*address, timeout=60)
    for number in range(1_000_000):
        try:
            post(connection, f"{name}.{number}")
        except (OSError, http.client.HTTPException):
            return
        acknowledged.add(f"{name}.{number}")


def post(connection: http.client.HTTPConnection, user: str) -> None:
    body = json.dumps({"events": [[user, random.choice(ITEMS)]]})
    connection.request("POST", "/api/v1/events", body, {"content-type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    if answer.status != 200:
        raise RuntimeError(f"an event was refused with status {answer.status}")


def compared(folder: Path, number: int, acknowledged: set[str]) -> dict[str, Any]:
    """Compare what is there with what was acknowledged."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = vbn.load(folder)
    rows = model.trained_.rows
    there = {name for name in rows.names if not name.startswith("user ")}
    twice = sum(float(rows.counts[rows.id(name)]) != 1.0 for name in there)
    result = {
        "lost": len(acknowledged - there),
        "twice": int(twice),
        "not_acknowledged_but_there": len(there - acknowledged),
        "torn": sum("incomplete" in str(each.message) for each in told),
    }
    acknowledged |= there  # the server may have written them and died before it could say so
    if number % 10 == 9:
        model.save(folder)
        assert not (folder / "events.journal").exists()
    return result


if __name__ == "__main__":
    main()
