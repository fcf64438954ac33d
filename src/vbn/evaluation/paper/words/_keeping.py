"""One run of an experiment: from the cache or computed, and told to the progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from vbn.evaluation.paper._cache import Cache, Record
from vbn.evaluation.paper._options import Progress


def kept(
    cache: Cache, progress: Progress, label: str, what: Mapping[str, Any], compute: Callable[[], Record]
) -> Record:
    """The record of `what`, all that the outcome depends on."""
    started = time.perf_counter()
    found = cache.find(what)
    record = cache.run(what, lambda: _timed(compute)) if found is None else found
    progress.step(label, started, cached=found is not None, took=record.facts.get("seconds", 0.0))
    return record


def _timed(compute: Callable[[], Record]) -> Record:
    started = time.perf_counter()
    record = compute()
    return Record({**record.facts, "seconds": time.perf_counter() - started}, record.arrays)
