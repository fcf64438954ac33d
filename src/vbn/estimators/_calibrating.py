"""How far predicted probabilities can be trusted: `uncertainty` and `calibrate`."""

from __future__ import annotations

from vbn.estimators._queries import Queries


class Calibrating(Queries):
    """Gives a model `uncertainty` and `calibrate`."""
