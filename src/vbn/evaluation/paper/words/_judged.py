"""Pairs of words with judgements: which are in the corpus, which are rare, which half chooses and which one reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from vbn.datasets import SimilaritySet

SHOWN = {"men": "MEN", "rw": "RW", "scws": "SCWS", "simlex999": "SL", "ws353": "WS"}
RAREST = 5  # a pair is rare if its rarer word occurs at most this often


@dataclass(frozen=True)
class Judged:
    """The pairs of one set.

    Attributes
    ----------
    left, right : tuple of str
    scores : ndarray
    known : ndarray of bool
        Both words are in the corpus.
    rare : ndarray of bool
        Known, and the rarer word occurs at most five times.
    reports : ndarray of bool
        Known pairs of the half that figures are reported on: every second one in the order of the file. The other half
        chooses settings.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    scores: np.ndarray
    known: np.ndarray
    rare: np.ndarray
    reports: np.ndarray

    @property
    def unseen(self) -> np.ndarray:
        """Known pairs of the reporting half, and all pairs with an absent word: no setting was chosen on these."""
        return np.asarray(self.reports | ~self.known)


def judged(found: SimilaritySet, counts: Mapping[str, int]) -> Judged:
    """Divide a set by what the corpus has."""
    rarer = np.array([min(counts.get(a, 0), counts.get(b, 0)) for a, b in zip(found.left, found.right, strict=True)])
    known = rarer > 0
    reports = known & (np.cumsum(known) % 2 == 0)
    return Judged(found.left, found.right, np.array(found.scores), known, known & (rarer <= RAREST), reports)
