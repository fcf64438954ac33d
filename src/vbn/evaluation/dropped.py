"""Warn where so many held-out pairs are left out that the figures of the rest say little."""

from __future__ import annotations

import warnings

from vbn._errors import VBNWarning, caller_level

_MANY = 0.2  # share of the held-out pairs


def warn_of_unknown(unknown: int, pairs: int) -> None:
    """Warn if more than a fifth of the pairs to evaluate has a name that the model does not know."""
    if unknown > _MANY * pairs:
        _warn(
            f"{unknown:,} of {pairs:,} held-out pairs ({unknown / pairs:.0%}) are left out, because the model does not "
            "know one of their names; the figures are of the others only. Check that names are spelled as in training."
        )


def warn_of_lost(lost: int, pairs: int) -> None:
    """Warn if more than a fifth of the pairs held out is of an entity without a pair to train on."""
    if lost > _MANY * pairs:
        _warn(
            f"{lost:,} of {pairs:,} held-out pairs ({lost / pairs:.0%}) are of a row or a column that has no pair left "
            "to train on; what a model says of these comes from its prior. Hold out a smaller share to test what it "
            "learned."
        )


def _warn(message: str) -> None:
    warnings.warn(VBNWarning(message), stacklevel=caller_level())
