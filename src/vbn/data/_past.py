"""What earlier data, which is not at hand any more, left behind that a sample of new data depends on."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Past:
    """Earlier data, as far as sampling goes.

    `columns` says which columns it had (they stay among the negatives), `row_totals` how much each row weighed in a
    sample, and `rejects` whether a negative that was an observed pair was drawn anew (None: not known).
    """

    columns: np.ndarray
    row_totals: np.ndarray
    rejects: bool | None

    def seed(self, seed: int) -> int:
        """A seed of its own for each fit of a series, so that every one draws other negatives."""
        before = zlib.crc32(np.ascontiguousarray(self.row_totals).tobytes())
        return int(np.random.SeedSequence([seed, before]).generate_state(1, np.uint32)[0])
