"""Labels: what people call the entities of a vocabulary, such as titles, beside their ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from vbn._errors import UnknownEntityError

_SHOWN = 5  # entities that an error lists


class Labels:
    """One label for each entity of a vocabulary, by number; empty for entities without one. Immutable.

    Examples
    --------
    >>> labels = Labels(["Heat", "Heat", "Casino"])
    >>> labels.find("Casino", ["m6", "m7", "m8"])
    2
    >>> labels.find("Heat", ["m6", "m7", "m8"])
    Traceback (most recent call last):
    ...
    vbn.UnknownEntityError: unknown entity 'Heat'; it is the label of 2 entities: 'm6', 'm7'; give one of these.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts: tuple[str, ...] = tuple(texts)

    @cached_property
    def _numbers(self) -> Mapping[str, tuple[int, ...]]:
        found: dict[str, tuple[int, ...]] = {}
        for number, text in enumerate(self.texts):
            if text:
                found[text] = (*found.get(text, ()), number)
        return found

    def __len__(self) -> int:
        return sum(map(bool, self.texts))

    def __contains__(self, text: object) -> bool:
        return len(self._numbers.get(str(text), ())) == 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Labels) and self.texts == other.texts

    def __hash__(self) -> int:
        return hash(self.texts)

    def __getstate__(self) -> dict[str, object]:
        return {"texts": self.texts}

    def of(self, number: int) -> str | None:
        """Return the label of an entity, if it has one."""
        return (self.texts[number] or None) if number < len(self.texts) else None

    def find(self, text: object, names: Sequence[str]) -> int | None:
        """Return the number of the only entity with a label, or None if there is none; `names` are for the error."""
        numbers = self._numbers.get(str(text), ())
        if len(numbers) > 1:
            shown = ", ".join(repr(names[number]) for number in numbers[:_SHOWN])
            more = ", ..." if len(numbers) > _SHOWN else ""
            told = f"it is the label of {len(numbers):,} entities: {shown}{more}; give one of these"
            raise UnknownEntityError(str(text), (), elsewhere=told)
        return numbers[0] if numbers else None

    def joined(self, others: Mapping[int, str], size: int) -> Labels:
        """Return these labels and others by number, for `size` entities; an entity that has one keeps it."""
        texts = [*self.texts, *[""] * (size - len(self.texts))]
        for number, text in others.items():
            texts[number] = texts[number] or text
        return Labels(texts)
