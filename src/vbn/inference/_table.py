"""The small table that queries return: rows of entity, score and standard deviation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from vbn._errors import MissingExtraError

if TYPE_CHECKING:
    import pandas
    import polars


class Row(NamedTuple):
    """One answer: an entity, its score, and how sure the model is of the score."""

    entity: str
    score: float
    std: float


class Table(Sequence[Row]):
    """Ranked answers; prints well, iterates over rows, converts to pandas and polars.

    Examples
    --------
    >>> table = Table(["theorem", "proof"], [0.91, 0.5], [0.04, 0.1], "cosine")
    >>> table
    entity   cosine   std
    theorem    0.91  0.04
    proof      0.50  0.10
    >>> table[0].entity, len(table)
    ('theorem', 2)
    """

    def __init__(self, entities: Sequence[str], scores: Any, stds: Any, measure: str = "score") -> None:
        self.entities = list(entities)
        self.scores = np.asarray(scores, dtype=np.float64)
        self.stds = np.asarray(stds, dtype=np.float64)
        self.measure = measure

    def __len__(self) -> int:
        return len(self.entities)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Table(self.entities[index], self.scores[index], self.stds[index], self.measure)
        return Row(self.entities[index], float(self.scores[index]), float(self.stds[index]))

    def __iter__(self) -> Iterator[Row]:
        return (self[i] for i in range(len(self)))

    def to_dicts(self) -> list[dict[str, Any]]:
        """Rows as dictionaries, ready for JSON."""
        return [row._asdict() for row in self]

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas data frame."""
        try:
            import pandas
        except ImportError as error:
            raise MissingExtraError("pandas is not installed: pip install 'vbn[tables]'.") from error
        return pandas.DataFrame({"entity": self.entities, "score": self.scores, "std": self.stds})

    def to_polars(self) -> polars.DataFrame:
        """The table as a polars data frame."""
        try:
            import polars
        except ImportError as error:
            raise MissingExtraError("polars is not installed: pip install 'vbn[tables]'.") from error
        return polars.DataFrame({"entity": self.entities, "score": self.scores, "std": self.stds})

    def __repr__(self) -> str:
        names = [_printable(name) for name in self.entities]
        left = max([6, *(len(name) for name in names)])
        right = max(6, len(self.measure))
        lines = [f"{'entity':<{left}}  {self.measure:>{right}}   std"]
        lines += [
            f"{name:<{left}}  {score:>{right}.2f}  {std:.2f}"
            for name, score, std in zip(names, self.scores, self.stds, strict=True)
        ]
        return "\n".join(lines)


def _printable(name: str) -> str:
    return name if name.isprintable() else repr(name)
