"""What a figure was measured on, and where its raw output goes."""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import os
import platform
import resource
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results"


def machine() -> dict[str, Any]:
    """Describe the machine and the versions that matter."""
    versions = {}
    for name in ("vbn", "numpy", "scipy", "numba"):
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = "not installed"
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "usable_cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": versions,
    }


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


def peak_memory_mb() -> float:
    """Return the largest resident size of this process so far, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if platform.system() == "Darwin" else 2**10)


def write_result(script: str, options: dict[str, Any], runs: list[dict[str, Any]], out: str | None) -> None:
    """Write the raw output: to `out`, or with ``--out auto`` to ``results/<script>-<date>.json``."""
    if out is None:
        return
    day = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    path = RESULTS / f"{script}-{day}.json" if out == "auto" else Path(out)
    path.parent.mkdir(parents=True, exist_ok=True)
    shown = {key: value for key, value in options.items() if key not in ("data", "out")}
    content = {"script": script, "date": day, "machine": machine(), "options": shown, "runs": runs}
    path.write_text(json.dumps(content, indent=1, default=float) + "\n", encoding="utf-8")
    print(f"raw output: {path.name}")
