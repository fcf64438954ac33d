"""Families of word forms as further parents: *potent*, *impotent* and *impotently* all hang under ``~potent``.

Half of the rare words of a corpus are such forms, and a dictionary of meanings does not connect them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from vbn.evaluation.paper.words._corpus import Edge

_PREFIXES = (
    "counter", "under", "super", "inter", "trans", "over", "anti", "fore", "post", "semi", "dis", "mis", "non", "out",
    "pre", "sub", "un", "in", "im", "ir", "il", "re", "de", "en", "up", "co",
)  # fmt: skip
_SUFFIXES = (
    "fulness", "lessness", "ically", "ization", "ation", "ness", "less", "ment", "able", "ible", "ship", "hood", "ally",
    "like", "wise", "ful", "ity", "ism", "ist", "ize", "ive", "ous", "ion", "ly", "al", "er", "or", "en", "ic", "y",
)  # fmt: skip
_SHORTEST = 4  # letters of a stem: shorter ones are mostly chance


def stem(word: str, known: Collection[str]) -> str:
    """Take affixes off while what is left is a known word.

    Examples
    --------
    >>> stem("unhappiness", {"unhappy", "happy", "unhappiness"})
    'happy'
    >>> stem("reason", {"reason", "son"})
    'reason'
    """
    shorter = next((part for part in _parts(word) if len(part) >= _SHORTEST and part in known), None)
    return word if shorter is None else stem(shorter, known)


def _parts(word: str) -> list[str]:
    """What is left of a word without one of its affixes, with the usual changes of spelling."""
    found = [word.removeprefix(prefix) for prefix in _PREFIXES if word.startswith(prefix)]
    for suffix in _SUFFIXES:
        if word.endswith(suffix):
            rest = word.removesuffix(suffix)
            found += [rest, rest + "e", rest.removesuffix("i") + "y"] if rest.endswith("i") else [rest, rest + "e"]
    return found


def with_families(edges: Sequence[Edge], words: Collection[str], share: float) -> list[Edge]:
    """Edges of a graph, and those of words to their families.

    Parameters
    ----------
    edges
        (child, parent, weight).
    words
        All words; a family has at least two of them.
    share
        Weight of a family, as a share of all other parents of the word together; 0 leaves families out.
    """
    if share == 0:
        return list(edges)
    known = set(words)
    members = defaultdict(list)
    for word in sorted(known):
        if word.isalpha():
            members[stem(word, known)].append(word)
    totals: dict[str, float] = defaultdict(float)
    for child, _, weight in edges:
        totals[child] += weight
    families = [
        (word, f"~{name}", share * totals.get(word, 1.0 / share))
        for name, family in sorted(members.items())
        if len(family) > 1
        for word in family
    ]
    return [*edges, *families]
