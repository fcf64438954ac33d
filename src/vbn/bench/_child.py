"""Code in a process of its own: its time and its peak of memory."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_AROUND = """
import json, sys, time
from vbn.bench._child import peak
started = time.perf_counter()
kept = {}
exec(sys.argv[1], kept)
seconds = time.perf_counter() - started
print(json.dumps({"seconds": seconds, "peak": peak(), "facts": kept.get("facts", {})}))
"""


def in_child(code: str, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Run code; returns "seconds", "peak" (bytes), and as "facts" what the code leaves under that name.

    Examples
    --------
    >>> in_child("facts = {'sum': 1 + 1}")["facts"]
    {'sum': 2}
    """
    command = [sys.executable, "-c", _AROUND, code]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, **(environment or {})}
    )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


_STATUS = Path("/proc/self/status")


def forget_peak() -> bool:
    """Let the peak of this process begin anew; returns whether the system can do that (Linux)."""
    if not _STATUS.exists():
        return False
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return True


def peak() -> int:
    """The most memory that this process had resident, in bytes, since `forget_peak` if the system can do that."""
    if _STATUS.exists():
        lines = dict(line.split(":", 1) for line in _STATUS.read_text(encoding="ascii").splitlines())
        return int(lines["VmHWM"].split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
