"""What a figure was measured on, and where its raw output goes."""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import os
import platform
from pathlib import Path
from typing import Any

from vbn._cores import available_cores, processor

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
        "cpu": processor() or "unknown",
        "cores": os.cpu_count(),
        "usable_cores": available_cores(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": versions,
    }


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
