"""Ways in which one trained model is ranked: positions of the popularity dial, and kinds of score that it turns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from vbn.evaluation.paper._cache import Record


@dataclass(frozen=True)
class Position:
    """A position of the dial; `kind` names the score where there are several, such as "mean"."""

    dial: float
    kind: str = ""

    @property
    def label(self) -> str:
        """Such as "dial 0.25", or "mean, dial 0.25"."""
        return f"{self.kind}, dial {self.dial:g}" if self.kind else f"dial {self.dial:g}"


def positions(record: Record) -> tuple[Position, ...]:
    """What each line of the ranks of a record is; the first is the one that tables show.

    Examples
    --------
    >>> [position.label for position in positions(Record({"dial": [0.25, 0.0], "kinds": ["", "mean"]}))]
    ['dial 0.25', 'mean, dial 0']
    >>> positions(Record({"dial": []}))
    (Position(dial=0.0, kind=''),)
    """
    dials: Iterable[float] = record.facts["dial"] or [0.0]
    dials = list(dials)
    kinds = record.facts.get("kinds") or [""] * len(dials)  # most models have one kind of score
    return tuple(Position(float(dial), kind) for dial, kind in zip(dials, kinds, strict=True))


def curves(record: Record) -> dict[str, list[int]]:
    """The numbers of the positions of each kind, by dial.

    Examples
    --------
    >>> curves(Record({"dial": [0.25, 0.0, 0.5]}))
    {'': [1, 0, 2]}
    """
    found: dict[str, list[int]] = {}
    all_of_them = positions(record)
    for number in sorted(range(len(all_of_them)), key=lambda number: all_of_them[number].dial):
        found.setdefault(all_of_them[number].kind, []).append(number)
    return found
