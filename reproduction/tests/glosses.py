"""A part of the bundled glosses as a domain: which words stand near which, hypernyms as taxonomy."""

from __future__ import annotations

from reproduction.domains import Domain
from vbn.datasets import Interactions, read_bundled

ASKED, ANSWERS = range(15, 101), range(6, 61)
"""How often a word occurs that takes the part of a user, or of an item."""


def glosses(every: int = 3) -> Domain:
    """Words as users and their neighbours with a hypernym as items; of the users one in `every`."""
    raw = read_bundled()
    seen = dict(enumerate(raw.frequency.tolist()))
    placed = set(raw.taxonomy[0].tolist())
    pairs = zip(raw.train[0].tolist(), raw.train[1].tolist(), strict=True)
    near = [
        (raw.names[user], raw.names[item], 1.0, -1)
        for pair in pairs
        for user, item in (pair, pair[::-1])
        if user % every == 0 and item in placed and seen.get(user, 0) in ASKED and seen.get(item, 0) in ANSWERS
    ]
    edges = [(child, parent, 1.0) for child, parent in raw.pairs(raw.taxonomy)]
    return Domain(
        "glosses",
        "Glosses",
        "WordNet's definitions.",
        Interactions.collect(near).distinct(),
        5,
        {"hypernyms": lambda: edges},
    )
