"""Densities in the formats of other tools: `export` and `to_keyed_vectors`."""

from __future__ import annotations

from vbn.estimators._queries import Queries


class Exporting(Queries):
    """Gives a model `export` and `to_keyed_vectors`."""
