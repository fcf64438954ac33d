"""Positions of the popularity dial at which one trained model is ranked."""

from __future__ import annotations

from vbn.evaluation.paper._cache import Record
from vbn.inference import Dial

_WEIGHTS = (-0.25, -0.1875, -0.125, -0.0625, 0.0, 0.0625, 0.125, 0.1875, 0.25, 0.375, 0.5, 0.75)
_WEIGHTS_WITH_FLOOR = {
    1.0: (-0.5, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 1.0, 1.25),
    4.0: (-1.0, 0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0),
}

DIAL = (
    *(Dial(weight) for weight in _WEIGHTS),
    *(Dial(weight, floor) for floor, weights in _WEIGHTS_WITH_FLOOR.items() for weight in weights),
)
"""Positions that are judged, without and with a floor; that of the parameters comes on top."""


def label(dial: Dial) -> str:
    """A position in words.

    Examples
    --------
    >>> label(Dial(0.25)), label(Dial(1.0, 4.0))
    ('dial 0.25', 'dial 1, floor 4')
    """
    return f"dial {dial.weight:g}" + (f", floor {dial.floor:g}" if dial.floor else "")


def as_facts(dials: tuple[Dial, ...]) -> list[list[float]]:
    """Positions for the facts of a record, which are JSON."""
    return [[dial.weight, dial.floor] for dial in dials]


def positions(record: Record) -> tuple[Dial, ...]:
    """What each line of the ranks of a record is; the first is the one that tables show.

    Examples
    --------
    >>> positions(Record({"dial": [[0.25, 0.0], [0.5, 1.0]]}))
    (Dial(weight=0.25, floor=0.0), Dial(weight=0.5, floor=1.0))
    >>> positions(Record({"dial": []}))
    (Dial(weight=0.0, floor=0.0),)
    """
    return tuple(Dial(weight, floor) for weight, floor in record.facts["dial"]) or (Dial(),)


def curves(places: tuple[Dial, ...]) -> dict[str, list[int]]:
    """The numbers of the positions of each floor, by weight; where the dial is at 0, floors make no difference.

    Examples
    --------
    >>> curves((Dial(0.25), Dial(0.0), Dial(0.5, floor=1.0)))
    {'': [1, 0], 'floor 1': [1, 2]}
    """
    return {
        f"floor {floor:g}" if floor else "": sorted(
            (number for number, dial in enumerate(places) if dial.floor == floor or not dial),
            key=lambda number: places[number].weight,
        )
        for floor in sorted({dial.floor for dial in places})
    }
