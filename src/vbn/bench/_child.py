"""Code in a process of its own: its time and its peak of memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

_AROUND = """
import json, resource, sys, time
started = time.perf_counter()
kept = {}
exec(sys.argv[1], kept)
seconds = time.perf_counter() - started
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(json.dumps({"seconds": seconds, "peak": peak, "facts": kept.get("facts", {})}))
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
