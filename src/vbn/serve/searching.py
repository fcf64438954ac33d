"""Search for names while somebody types: the exact name first, words in any order, without accents, near misses."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cached_property

import numpy as np

from vbn._errors import closest_names

_WORD = re.compile(r"(?<=\W)(?=\w)")
_FIRST = re.compile(r"\w+")
_LOOKED_AT = 50  # names that are spelt alike, of which the likeliest are offered
_CLEAR = 0.85  # how alike words are that are surely meant
_ENOUGH = 0.7  # share of the letters that names have in common with a text of which they lack a word
_LAST = "\U0010ffff"
_END = "\t"  # between a label and a name; sorts before all that a name holds
_AFTER_END = "\n"


def folded(text: str) -> str:
    r"""Return a text without case, accents and line breaks.

    >>> folded(" Amélie\nPoulain "), folded("STRASSE") == folded("Straße")
    ('amelie poulain', True)
    """
    text = " ".join(text.casefold().split())
    if text.isascii():
        return text
    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))


def _alike(a: str, b: str) -> float:
    return SequenceMatcher(None, a, b).ratio()


class TypeAhead:
    """Search for names, and labels if there are any.

    A name that is the text itself comes first. It is followed by those that begin with it, those with a word that does,
    those that hold all its words in any order, and those that hold it anywhere; within each, the most frequent first.

    >>> found = TypeAhead(["green tea", "Tea", "coffee", "steak"], [1, 5, 9, 2])
    >>> found("tea", 10).tolist(), found("tea gre", 10).tolist(), found.near("cofee", 3).tolist()
    ([1, 0, 3], [0], [2])
    """

    def __init__(
        self,
        names: Sequence[str],
        counts: np.ndarray | list[float],
        labels: Sequence[str | None] | None = None,
    ) -> None:
        forms = [folded(name) for name in names]
        if labels is not None:
            forms = [
                f"{folded(label)}{_END}{form}" if label else form for label, form in zip(labels, forms, strict=True)
            ]
        words = [[0, *(match.start() for match in _WORD.finditer(text) if match.start())] for text in forms]
        starts = [(forms[number][at:], number, at) for number, places in enumerate(words) for at in places]
        starts.sort(key=lambda entry: entry[0])
        self._keys = [key for key, _, _ in starts]
        self._numbers = np.array([number for _, number, _ in starts], dtype=np.int64)
        self._first = np.array([at == 0 or forms[number][at - 1] == _END for _, number, at in starts], dtype=bool)
        self._counts = np.asarray(counts, dtype=np.float64)
        self._text = "\n".join(forms)
        self._ends = np.cumsum([len(text) + 1 for text in forms], dtype=np.int64)

    def __call__(self, typed: str, limit: int) -> np.ndarray:
        """Return the numbers of at most `limit` names, the likeliest first; for an empty text, the most frequent."""
        return self.ranked(typed, limit)[0]

    def ranked(self, typed: str, limit: int) -> tuple[np.ndarray, list[int]]:
        """Return the same numbers, and for each how it was found: 0 exactly, 1 by its beginning, and so on."""
        text = folded(typed)
        if not text:
            found = np.argsort(-self._counts, kind="stable")[:limit]
            return found, [0] * len(found)
        found, ranks = np.empty(0, dtype=np.int64), list[int]()
        ways = (self._exact, self._begun, self._with_word, self._with_words, self._holding)
        for rank, way in enumerate(ways):
            if len(found) < limit:
                numbers = way(text, limit)
                new = self._best(numbers[~np.isin(numbers, found)], limit - len(found))
                found, ranks = np.concatenate([found, new]), ranks + [rank] * len(new)
        return found, ranks

    def near(self, typed: str, limit: int) -> np.ndarray:
        """Return the numbers of names that are spelt alike, as a whole or by their words, the likeliest first."""
        text, forms = folded(typed), self._text.split("\n")
        scores = self._spelt_like(text)
        clear = max(scores.values(), default=0.0) >= _CLEAR  # no look at whole names, which takes a while
        for form in [] if clear else closest_names(text, dict.fromkeys(self._text.replace(_END, "\n").split("\n"))):
            for number in self._exact(form).tolist():
                scores[number] = max(scores.get(number, 0.0), _alike(text, form))
        best = sorted(scores, key=lambda number: (-scores[number], -self._counts[number]))[: _LOOKED_AT + limit]
        whole = {number: max(_alike(text, form) for form in forms[number].split(_END)) for number in best}
        best.sort(key=lambda number: (-scores[number], -whole[number], -self._counts[number]))
        return np.array(best[:limit], dtype=np.int64)

    def _spelt_like(self, text: str) -> dict[int, float]:
        """Return the names that hold something like each word of a text, and how alike the words are on average.

        If there are none, those that hold most of it.
        """
        found: list[dict[int, float]] = []
        words = text.split()
        for typed in words:
            here: dict[int, float] = {}
            known = self._range(typed)
            for word in [typed] if known.stop > known.start else closest_names(typed, self._words):
                alike = 1.0 if word == typed else _alike(typed, word)
                for number in np.unique(self._numbers[self._range(word)]).tolist():
                    here[number] = max(here.get(number, 0.0), alike)
            found.append(here)
        both = set.intersection(*map(set, found)) if found else set[int]()
        if both:
            return {number: sum(here[number] for here in found) / len(found) for number in both}
        scores: dict[int, float] = {}
        share = 1 / max(sum(map(len, words)), 1)
        for typed, here in zip(words, found, strict=True):
            for number, alike in here.items():
                scores[number] = scores.get(number, 0.0) + len(typed) * share * alike
        return {number: score for number, score in scores.items() if score >= _ENOUGH}

    @cached_property
    def _words(self) -> list[str]:
        return list(dict.fromkeys(match.group() for key in self._keys if (match := _FIRST.match(key))))

    def _best(self, numbers: np.ndarray, limit: int) -> np.ndarray:
        return numbers[np.argsort(-self._counts[numbers], kind="stable")[:limit]]

    def _range(self, text: str, end: str = _LAST) -> slice:
        return slice(bisect_left(self._keys, text), bisect_left(self._keys, text + end))

    def _exact(self, text: str, _: int = 0) -> np.ndarray:
        """Return names or labels that are the text: their keys end with it, or go on with the name of the label."""
        here = self._range(text, _AFTER_END)
        return np.unique(self._numbers[here][self._first[here]])

    def _begun(self, text: str, _: int) -> np.ndarray:
        here = self._range(text)
        return np.unique(self._numbers[here][self._first[here]])

    def _with_word(self, text: str, _: int) -> np.ndarray:
        return np.unique(self._numbers[self._range(text)])

    def _with_words(self, text: str, _: int) -> np.ndarray:
        found, *others = (np.unique(self._numbers[self._range(word)]) for word in text.split())
        for other in others:
            found = np.intersect1d(found, other, assume_unique=True)
        return found

    def _holding(self, text: str, limit: int) -> np.ndarray:
        places: list[int] = []
        at = self._text.find(text)
        while at >= 0 and len(places) < 4 * limit:
            number = int(np.searchsorted(self._ends, at, side="right"))
            places.append(number)
            at = self._text.find(text, int(self._ends[number]))
        return np.array(places, dtype=np.int64)
