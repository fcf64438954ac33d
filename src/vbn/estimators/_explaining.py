"""Why a density is where it is: `explain`."""

from __future__ import annotations

from vbn.estimators._queries import Queries


class Explaining(Queries):
    """Gives a model `explain`."""
