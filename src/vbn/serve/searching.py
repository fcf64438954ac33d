"""Search for names while somebody types: the exact name first, words in any order, without accents, near misses."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from vbn._errors import closest_names

_WORD = re.compile(r"(?<=\W)(?=\w)")
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
        """Return the numbers of names that are spelt alike."""
        text = folded(typed)
        forms = list(dict.fromkeys(self._text.replace(_END, "\n").split("\n")))
        found = [number for form in closest_names(text, forms) for number in self._exact(form).tolist()]
        return np.array(list(dict.fromkeys(found))[:limit], dtype=np.int64)

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
