"""The row about content: what features as prior add to an epoch."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from reproduction.bench.row import Figure, Outcome, Setting
from reproduction.bench.work import counts, epochs, prepared
from vbn.data import Dataset
from vbn.engines import ThreadEngine

_WIDTH = 384  # columns, of which the cost is the square: not scaled
_PERIOD = 6  # epochs after which an update of this size comes again


def content(setting: Setting) -> Outcome:
    """Epochs of 20 M cells over 1 M items with 384 features each, mapped from a file, against those without."""
    items = max(int(1_000_000 * setting.scale), 100)
    data = counts(int(10_000_000 * setting.scale), max(items // 2, 50), items)
    with tempfile.TemporaryDirectory() as folder:
        featured = data.with_features(_features(Path(folder) / "features.npy", items))
        seconds = {"without": _epochs(data), "with": _epochs(featured)}
    means = {name: float(np.mean(spent[2:])) for name, spent in seconds.items()}  # from the third on, a whole period
    added = means["with"] / means["without"] - 1.0
    raw = {"items": items, "columns": _WIDTH, "seconds": seconds}
    return Outcome((Figure("added share of an epoch", added, 0.3, at_least=False),), raw)


def _features(path: Path, items: int) -> np.ndarray:
    """Write features to a file, a block at a time, and map it."""
    array = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(items, _WIDTH))
    rng = np.random.default_rng(0)
    for first in range(0, items, 1 << 14):
        block = array[first : first + (1 << 14)]
        block[...] = rng.standard_normal(block.shape, dtype=np.float32)
    array.flush()
    return np.lib.format.open_memmap(path, mode="r")


def _epochs(data: Dataset) -> list[float]:
    training, engine = prepared(data, dim=50, negatives=1.0), ThreadEngine()
    seconds = [info.seconds for info in epochs(training, engine, 2 + _PERIOD)]
    engine.close()
    return seconds
