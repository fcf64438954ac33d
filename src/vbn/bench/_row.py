"""What a row of the benchmark table is, and what comes out of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Setting:
    """How to measure.

    Attributes
    ----------
    data : Path or None
        Folder of the evaluation data; rows that need it are left out without.
    repeats : int
        How often each side of a ratio is timed, in turn; the fastest counts.
    scale : float
        Share of the full amount of work, for a quick look: the targets are those of 1.
    """

    data: Path | None = None
    repeats: int = 3
    scale: float = 1.0


@dataclass(frozen=True)
class Figure:
    """A number that is compared with a target.

    Attributes
    ----------
    name : str
        What it is: "ratio", "seconds", ...
    value : float
        The number.
    target : float
        What it should reach.
    at_least : bool
        Whether it should be at least, or at most, as large as the target.
    """

    name: str
    value: float
    target: float
    at_least: bool

    @property
    def met(self) -> bool:
        """Whether the target is reached."""
        return self.value >= self.target if self.at_least else self.value <= self.target

    def text(self) -> str:
        """Such as "1.62 (>= 1.5)".

        Examples
        --------
        >>> Figure("ratio", 1.62, 1.5, at_least=True).text()
        '1.62 (>= 1.5)'
        """
        return f"{self.value:.3g} ({'>=' if self.at_least else '<='} {self.target:g})"


@dataclass(frozen=True)
class Outcome:
    """What a row gave: its figures, and all that was measured on the way."""

    figures: tuple[Figure, ...]
    raw: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Fit for JSON."""
        return {"figures": [{**asdict(figure), "met": figure.met} for figure in self.figures], "raw": self.raw}


@dataclass(frozen=True)
class Row:
    """A row of the table.

    Attributes
    ----------
    key, work : str
        What to call it, and what is done, in a sentence.
    measure : callable
        (setting) -> outcome.
    packages : tuple of str
        Modules of peers that it needs.
    needs_data : bool
        Whether it reads the evaluation data.
    """

    key: str
    work: str
    measure: Callable[[Setting], Outcome]
    packages: tuple[str, ...] = ()
    needs_data: bool = False
