"""Names that one may mean while typing: those that begin so, then those in which a word does, then any that hold it."""

from __future__ import annotations

import re
from bisect import bisect_left

import numpy as np

_WORD = re.compile(r"(?<=\W)(?=\w)")
_LAST = "\U0010ffff"


class TypeAhead:
    """Looks names up by how they, or words in them, begin; ignores case.

    Parameters
    ----------
    names
        All of them.
    counts
        How often each was seen: the more, the earlier it comes.

    Examples
    --------
    >>> found = TypeAhead(["green tea", "Tea", "coffee", "steak"], [1, 5, 9, 2])
    >>> found("tea", 10).tolist()
    [1, 0, 3]
    """

    def __init__(self, names: tuple[str, ...] | list[str], counts: np.ndarray | list[float]) -> None:
        folded = [name.casefold().replace("\n", " ").lstrip() for name in names]
        starts = [(text[at:], number, at > 0) for number, text in enumerate(folded) for at in _starts(text)]
        starts.sort(key=lambda entry: entry[0])
        self._keys = [key for key, _, _ in starts]
        self._numbers = np.array([number for _, number, _ in starts], dtype=np.int64)
        self._inner = np.array([inner for _, _, inner in starts], dtype=bool)
        self._counts = np.asarray(counts, dtype=np.float64)
        self._text = "\n".join(folded)
        self._ends = np.cumsum([len(text) + 1 for text in folded], dtype=np.int64)

    def __call__(self, typed: str, limit: int) -> np.ndarray:
        """Numbers of at most `limit` names, the likeliest first; the most frequent ones where nothing was typed."""
        text = typed.casefold().strip().replace("\n", " ")
        if not text:
            return np.argsort(-self._counts, kind="stable")[:limit]
        here = slice(bisect_left(self._keys, text), bisect_left(self._keys, text + _LAST))
        numbers, inner = self._numbers[here], self._inner[here]
        found = self._best(np.unique(numbers[~inner]), limit)
        found = self._joined(found, np.unique(numbers[inner]), limit)
        return self._joined(found, self._holding(text, 4 * limit), limit) if len(found) < limit else found

    def _best(self, numbers: np.ndarray, limit: int) -> np.ndarray:
        return numbers[np.argsort(-self._counts[numbers], kind="stable")[:limit]]

    def _joined(self, found: np.ndarray, more: np.ndarray, limit: int) -> np.ndarray:
        new = self._best(more[~np.isin(more, found)], limit)
        return np.concatenate([found, new])[:limit]

    def _holding(self, text: str, most: int) -> np.ndarray:
        places: list[int] = []
        at = self._text.find(text)
        while at >= 0 and len(places) < most:
            number = int(np.searchsorted(self._ends, at, side="right"))
            places.append(number)
            at = self._text.find(text, int(self._ends[number]))
        return np.array(places, dtype=np.int64)


def _starts(text: str) -> list[int]:
    """Where a name begins, and the words in it.

    Examples
    --------
    >>> _starts("elm green-tea")
    [0, 4, 10]
    """
    return [0, *(match.start() for match in _WORD.finditer(text) if match.start())]
