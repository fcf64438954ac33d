"""What queries return: tables of entity, score and standard deviation, and densities of single entities."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from vbn._errors import MissingExtraError
from vbn.inference.html import html_table

if TYPE_CHECKING:
    import pandas
    import polars

    from vbn.data import Vocabulary

_SHOWN = 4  # dimensions of a density


@dataclass(frozen=True, eq=False)
class Density:
    """A diagonal Gaussian: its mean and its variance in each dimension.

    Examples
    --------
    >>> import numpy as np
    >>> density = Density(np.array([0.42]), np.array([0.25]))
    >>> density
    N(mean=0.42, std=0.50)
    >>> density.sample(3, seed=0).shape
    (3, 1)
    """

    mean: np.ndarray
    variance: np.ndarray

    @property
    def std(self) -> np.ndarray:
        """Standard deviation in each dimension."""
        return np.asarray(np.sqrt(self.variance))

    @property
    def dim(self) -> int:
        """Number of dimensions."""
        return len(self.mean)

    def sample(self, n: int = 1, seed: int | np.random.Generator | None = None) -> np.ndarray:
        """Draw n vectors, as an (n, dim) array."""
        rng = np.random.default_rng(seed)
        return np.asarray(self.mean + self.std * rng.standard_normal((n, self.dim)))

    def __repr__(self) -> str:
        return f"N(mean={_first_few(self.mean)}, std={_first_few(self.std)})"


def _first_few(values: np.ndarray) -> str:
    if len(values) == 1:
        return f"{values[0]:.2f}"
    more = ", ..." if len(values) > _SHOWN else ""
    return "[" + ", ".join(f"{value:.2f}" for value in values[:_SHOWN]) + more + "]"


class Frames(ABC):
    """Gives what has columns `to_pandas` and `to_polars`, and a table in notebooks."""

    @abstractmethod
    def _columns(self) -> dict[str, Any]:
        """Return the columns of a data frame."""

    def _repr_html_(self) -> str:
        return html_table(self._columns())

    def to_pandas(self) -> pandas.DataFrame:
        """Return all rows as a pandas data frame."""
        return cast("pandas.DataFrame", self._frame("pandas"))

    def to_polars(self) -> polars.DataFrame:
        """Return all rows as a polars data frame."""
        return cast("polars.DataFrame", self._frame("polars"))

    def _frame(self, package: str) -> Any:
        try:
            return importlib.import_module(package).DataFrame(self._columns())
        except ImportError as error:
            raise MissingExtraError(f"{package} is not installed: pip install 'vbn[tables]'.") from error


class _Fields(NamedTuple):
    entity: str
    score: float
    std: float


class Row(_Fields):
    """One answer: an entity, its score, and how sure the model is of the score; `label` is what people call it."""

    label: str | None = None


class Similarity(NamedTuple):
    """How similar two entities are, and how sure the model is of it; `float` gives the score.

    >>> near = Similarity(0.91, 0.04)
    >>> float(near), near.std
    (0.91, 0.04)
    """

    score: float
    std: float

    def __float__(self) -> float:
        return self.score


class Table(Frames, Sequence[Row]):
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

    def __init__(
        self,
        entities: Sequence[str],
        scores: Any,
        stds: Any,
        measure: str = "score",
        query: str | None = None,
        labels: Sequence[str | None] | None = None,
    ) -> None:
        self.entities = list(entities)
        self.labels = None if labels is None else list(labels)
        self.scores = np.asarray(scores, dtype=np.float64)
        self.stds = np.asarray(stds, dtype=np.float64)
        self.measure = measure
        self.query = query

    @classmethod
    def of(cls, names: Vocabulary, ids: Any, scores: Any, stds: Any, measure: str, query: str | None = None) -> Table:
        """Make a table of entities by their ids."""
        return cls([names[int(i)] for i in ids], scores, stds, measure, query, names.labels_of(ids))

    def __len__(self) -> int:
        return len(self.entities)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            labels = None if self.labels is None else self.labels[index]
            return Table(self.entities[index], self.scores[index], self.stds[index], self.measure, self.query, labels)
        row = Row(self.entities[index], float(self.scores[index]), float(self.stds[index]))
        return self._with_label(row, index)

    def _with_label(self, row: Any, index: int) -> Any:
        if self.labels is not None:
            row.label = self.labels[index]
        return row

    def __iter__(self) -> Iterator[Row]:
        return (self[i] for i in range(len(self)))

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries, ready for JSON."""
        rows = [row._asdict() for row in self]
        if self.labels is None:
            return rows
        return [{"entity": row["entity"], "label": label, **row} for row, label in zip(rows, self.labels, strict=True)]

    def _columns(self) -> dict[str, Any]:
        labels = {} if self.labels is None else {"label": self.labels}
        return {"entity": self.entities, **labels, "score": self.scores, "std": self.stds}

    def _repr_html_(self) -> str:
        return html_table({self.measure if name == "score" else name: row for name, row in self._columns().items()})

    def __repr__(self) -> str:
        titles = ["entity"] if self.labels is None else ["entity", "label"]
        return _rendered(titles, self.measure, [(_named(row)[: len(titles)], row) for row in self])


def _named(row: Any) -> list[str]:
    """Return the name and the label of a row."""
    return [row.entity, row.label or ""]


class _RelatedFields(NamedTuple):
    entity: str
    score: float
    std: float
    known: bool | None


class RelatedRow(_RelatedFields):
    """One answer of a relation: `known` says whether training was given the pair, None if the model does not know."""

    label: str | None = None


class Related(Table):
    """Answers of a relation; pairs that training was given are marked as `known`.

    Examples
    --------
    >>> Related(["cold", "cool"], [0.41, 0.003], [0.1, 0.001], [True, False])
    entity       p   std  known
    cold      0.41  0.10  yes
    cool     0.003  0.00
    """

    def __init__(
        self,
        entities: Sequence[str],
        scores: Any,
        stds: Any,
        known: Sequence[bool | None],
        labels: Sequence[str | None] | None = None,
    ) -> None:
        super().__init__(entities, scores, stds, "p", labels=labels)
        self.known = list(known)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            labels = None if self.labels is None else self.labels[index]
            return Related(self.entities[index], self.scores[index], self.stds[index], self.known[index], labels)
        row = super().__getitem__(index)
        return self._with_label(RelatedRow(row.entity, row.score, row.std, self.known[index]), index)

    def _columns(self) -> dict[str, Any]:
        return {**super()._columns(), "known": self.known}

    def __repr__(self) -> str:
        title, *lines = super().__repr__().splitlines()
        if not any(self.known):
            return "\n".join([title, *lines])
        marks = ["yes" if known else "" for known in self.known]
        shown = [f"{line}  {mark}".rstrip() for line, mark in zip(lines, marks, strict=True)]
        return "\n".join([f"{title}  known", *shown])


class Tables(Frames, Sequence[Table]):
    """Answers to several queries: a table for each, in their order; its `.query` names the query.

    Examples
    --------
    >>> Tables([Table(["Heat"], [0.9], [0.1], "p", query="ann"), Table(["Big"], [0.8], [0.1], "p", query="ben")])
    query  entity       p   std
    ann    Heat      0.90  0.10
    ben    Big       0.80  0.10
    """

    def __init__(self, tables: Sequence[Table]) -> None:
        self._tables = list(tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __getitem__(self, index: Any) -> Any:
        return Tables(self._tables[index]) if isinstance(index, slice) else self._tables[index]

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return all rows as dictionaries, each with its query, ready for JSON."""
        return [{"query": table.query, **row} for table in self._tables for row in table.to_dicts()]

    def _columns(self) -> dict[str, Any]:
        rows = self.to_dicts()
        labels = ["label"] if any(table.labels for table in self._tables) else []
        return {name: [row[name] for row in rows] for name in ("query", "entity", *labels, "score", "std")}

    def __repr__(self) -> str:
        measure = self._tables[0].measure if self._tables else "score"
        titles = ["query", "entity", *(["label"] if any(table.labels for table in self._tables) else [])]
        rows = [([str(table.query), *_named(row)][: len(titles)], row) for table in self._tables for row in table]
        return _rendered(titles, measure, rows)


def _rendered(titles: list[str], measure: str, rows: list[tuple[list[str], Any]]) -> str:
    """Return lines of text: names to the left, score and standard deviation to the right."""
    from rich.cells import cell_len  # a Chinese character or an emoji takes two cells of a terminal

    names = [[name if name.isprintable() else repr(name) for name in given] for given, _ in rows]
    widths = [max(map(cell_len, column)) for column in zip(titles, *names, strict=True)]

    def padded(given: list[str]) -> str:
        return "  ".join(name + " " * (width - cell_len(name)) for name, width in zip(given, widths, strict=True))

    right = max(6, len(measure))
    lines = [padded(titles) + f"  {measure:>{right}}   std"]
    for given, (_, row) in zip(names, rows, strict=True):
        lines.append(padded(given) + f"  {_score(row.score):>{right}}  {row.std:.2f}")
    return "\n".join(lines)


def _score(value: float) -> str:
    """Return two decimals, or one digit of a number that these would show as 0; no probability prints as 1."""
    if 0 < abs(value) < 0.005:
        return f"{value:.1g}"
    return ">0.99" if 0.995 <= value < 1.0 else f"{value:.2f}"
