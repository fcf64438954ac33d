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
    record = cache.run(what, compute) if found is None else found
    progress.step(label, started, cached=found is not None)
    return record
