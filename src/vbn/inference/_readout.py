"""Which vector stands for an entity: its density as a row, both its densities, or these drawn to what its parents say.

Nothing is learned here: a readout is a sum of independent densities of the posterior, so means add and variances too.
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from vbn._errors import ParameterError
from vbn.model import Gaussians, Trained, smoothed

READOUTS = ("entity", "both", "smoothed")


def check_readout(trained: Trained, readout: Any, smoothing: Any) -> None:
    """Refuse what is no readout of this model."""
    if readout not in READOUTS:
        raise ParameterError(f"readout={readout!r} is neither 'entity', 'both' nor 'smoothed'.")
    if readout == "both" and not trained.shared:
        raise ParameterError(
            "readout='both' adds the row and the column density of an entity; here rows and columns are different "
            "entities, which have one each. Use readout='entity' or 'smoothed'."
        )
    number = isinstance(smoothing, numbers.Real) and not isinstance(smoothing, bool)
    if not number or not 0 <= float(smoothing) < np.inf:
        raise ParameterError(f"smoothing={smoothing!r} must be a finite number of at least 0.")


def read_out(trained: Trained, readout: str, side: str, smoothing: float) -> Gaussians:
    """The density that stands for each entity of a side, in the order of its vocabulary.

    Parameters
    ----------
    readout
        "entity": u, or v for columns that are no rows. "both": u + v. "smoothed": (u + v + w (m_u + m_v)) / (1 + w)
        with w the smoothing and m the mean that the parents give; u + v for what has no parents. Divided by 1 + w both
        are about as long, so that lengths can be compared. Where rows and columns differ, there is one of u and v.
    """
    check_readout(trained, readout, smoothing)
    letters = ("u", "v") if trained.shared else ("u",) if side == "row" else ("v",)
    if readout == "entity":
        return trained.part(letters[0])
    parts = [trained.part(letter) for letter in letters]
    if readout == "smoothed":
        taxonomies = [trained.row_taxonomy if letter == "u" else trained.column_taxonomy for letter in letters]
        sums = [smoothed(*given, float(smoothing)) for given in zip(parts, taxonomies, strict=True)]
    else:
        sums = [Gaussians(part.mean, part.variance) for part in parts]
    dtype = parts[0].mean.dtype
    mean, variance = sum(one.mean for one in sums), sum(one.variance for one in sums)
    return Gaussians(np.asarray(mean, dtype), np.asarray(variance, dtype))
