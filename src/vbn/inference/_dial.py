"""The popularity dial: how much being frequent counts beside what the model says, without training anew."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np

from vbn._errors import ParameterError
from vbn.model import Profile


@dataclass(frozen=True)
class Dial:
    """Adds weight * log(count + floor * mean count) to the logit of each column.

    Attributes
    ----------
    weight : float
        Above 0 favours popular entities, below 0 rare ones; 0 leaves the ranking as it is.
    floor : float
        Columns that are seen far less often than this many times the average count as equally popular: the dial lifts
        what is frequent and hardly moves the others.
    """

    weight: float = 0.0
    floor: float = 0.0

    def __bool__(self) -> bool:
        """Whether it changes anything."""
        return self.weight != 0.0

    def added(self, profile: Profile) -> np.ndarray:
        """What is added to the logits of a model's columns."""
        return self.weight * profile.log_popularity(self.floor)


def read_dial(popularity: Any, floor: Any = 0.0) -> Dial:
    """The dial as a user gives it.

    Examples
    --------
    >>> read_dial(1, floor=0.5)
    Dial(weight=1.0, floor=0.5)
    """
    if not _number(popularity):
        raise ParameterError(f"popularity={popularity!r} must be a finite number; 0 leaves the ranking as it is.")
    if not _number(floor) or float(floor) < 0.0:
        raise ParameterError(
            f"popularity_floor={floor!r} must be a finite number of at least 0: how many times the average count."
        )
    return Dial(float(popularity), float(floor))


def _number(given: Any) -> bool:
    if isinstance(given, bool) or not isinstance(given, numbers.Real):
        return False
    return bool(np.isfinite(float(given)))
