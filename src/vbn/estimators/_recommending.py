"""Ranked answers to a set of entities, or to rows seen in training: `recommend`."""

from __future__ import annotations

from vbn.estimators._queries import Queries


class Recommending(Queries):
    """Gives a model `recommend`."""
