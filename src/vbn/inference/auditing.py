"""Is the taxonomy right? What the data says against it, without training again.

`vbn.inference.placing` says how well each category explains each entity and each other category. This module turns that
into findings: edges, categories and levels that a person should look at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from vbn._errors import REMEDY, DataError
from vbn.inference.placing import Judged, Placing, seen, sums_by
from vbn.inference.table import Frames
from vbn.model import Trained

KINDS = {
    "contradicted": "edges that the data contradicts; score: log Bayes factor against the parent",
    "nearer": "children that fit their parent, but another category better; score: log Bayes factor against the parent",
    "scattered": "categories whose children have no more in common than random ones; score: spread, random is 1",
    "level": "levels that do not help; score: spread of children in a category, that of the level above is 1",
    "both": "names that are seen as an entity and are a parent too; score: how often they were seen",
}
"""The kinds of findings, and what their scores are."""
_NAMED = 3  # better parents that a finding names
_SHOWN = 10  # findings of a kind that are printed
_FEW = 3  # children: no verdict over a category with fewer
_MANY = 12  # children: no verdict over a level with fewer
_CLEAR = 1.64  # standard errors; a difference below is none
_POWER = 3.0  # standard errors that the typical category of a level stands out by, where the others are judged
_LONGEST = 32  # characters of a name in print


class Finding(NamedTuple):
    """One thing to look at: its kind, whom it is about, the best of the better parents, its score and the evidence."""

    kind: str
    entity: str
    parent: str | None
    suggestion: str | None
    score: float
    evidence: str
    suggestions: tuple[str, ...] = ()


class Suggestion(NamedTuple):
    """A category that may be the parent: its log Bayes factor against the present one, which it would replace."""

    entity: str
    score: float
    instead_of: str | None
    children: int


class Audit(Frames, Sequence[Finding]):
    """Findings by kind, the most certain first; prints well, iterates over findings, converts to pandas and polars.

    Examples
    --------
    >>> found = Finding("contradicted", "tea", "beers", "teas", 12.3, "below 'beers' ...", ("teas", "honeys"))
    >>> Audit([found], n_edges=40)
    40 edges judged, 1 finding
    <BLANKLINE>
    contradicted (1): edges that the data contradicts; score: log Bayes factor against the parent
      entity  parent  score  better
      tea     beers    12.3  teas, honeys
    """

    def __init__(self, findings: Sequence[Finding], n_edges: int) -> None:
        self.findings, self.n_edges = tuple(findings), n_edges

    def __len__(self) -> int:
        return len(self.findings)

    def __getitem__(self, index: Any) -> Any:
        return Audit(self.findings[index], self.n_edges) if isinstance(index, slice) else self.findings[index]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def of(self, *kinds: str) -> Audit:
        """Return the findings of some kinds."""
        return Audit([one for one in self.findings if one.kind in kinds], self.n_edges)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the findings as dictionaries, ready for JSON."""
        return [{**one._asdict(), "suggestions": list(one.suggestions)} for one in self.findings]

    def _columns(self) -> dict[str, Any]:
        names = [name for name in Finding._fields if name != "suggestions"]
        columns: dict[str, Any] = {name: [getattr(one, name) for one in self.findings] for name in names}
        return {**columns, "suggestions": [list(one.suggestions) for one in self.findings]}

    def __repr__(self) -> str:
        findings = f"{len(self):,} finding{'' if len(self) == 1 else 's'}"
        blocks = [f"{self.n_edges:,} edges judged, {findings}"]
        for kind, meaning in KINDS.items():
            own = self.of(kind).findings
            if own:
                blocks.append("\n".join([f"{kind} ({len(own):,}): {meaning}", *_printed(kind, own)]))
        return "\n\n".join(blocks)


class Suggestions(Frames, Sequence[Suggestion]):
    """Categories that may be the parent, the best first.

    Examples
    --------
    >>> Suggestions("tea", [Suggestion("teas", 12.3, "beers", 8)])
    parent  score  instead of  children
    teas     12.3  beers              8
    """

    def __init__(self, entity: str, rows: Sequence[Suggestion]) -> None:
        self.query, self.rows = entity, tuple(rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        return Suggestions(self.query, self.rows[index]) if isinstance(index, slice) else self.rows[index]

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries, ready for JSON."""
        return [row._asdict() for row in self.rows]

    def _columns(self) -> dict[str, Any]:
        return {name: [getattr(row, name) for row in self.rows] for name in Suggestion._fields}

    def __repr__(self) -> str:
        cells = [[row.entity, f"{row.score:.1f}", row.instead_of or "", f"{row.children:,}"] for row in self.rows]
        return "\n".join(_aligned(["parent", "score", "instead of", "children"], cells, right=(1, 3)))


def audit(trained: Trained, side: str, min_score: float) -> Audit:
    """Return what the data says against the taxonomy of a side."""
    placing = _placing(trained, side)
    judged = placing.judge(_NAMED)
    findings = [
        *_edges(placing, judged, min_score),
        *_scattered(placing),
        *_levels(placing),
        *_both(placing),
    ]
    return Audit(findings, len(judged.rows))


def judge_edges(trained: Trained, side: str, k: int = _NAMED) -> list[tuple[str, str, float, list[str]]]:
    """Return every judged edge: child, parent, score, and the k best other parents."""
    placing = _placing(trained, side)
    judged = placing.judge(k)
    return [
        (
            placing.names[int(placing.node[row])],
            placing.named(int(parent)),
            float(score),
            [placing.named(int(one)) for one in best if one >= 0],
        )
        for row, parent, score, best in zip(judged.rows, judged.parents, judged.score, judged.best, strict=True)
    ]


def suggest_parents(trained: Trained, entity: str, side: str, k: int) -> Suggestions:
    """Return the categories that explain best what was observed of an entity, or of the children of a category."""
    placing = _placing(trained, side)
    i = placing.names.id(entity)
    row = placing.row_of_entity.get(i, placing.row_of_category.get(i))
    if row is None:
        raise DataError(
            f"nothing was observed of {placing.names[i]!r}, neither of itself nor of children, so the data cannot tell "
            f"where it belongs. {REMEDY} takes what it was seen with.",
            remedies=[("", "add(name, contexts=...)")],
        )
    rows = _in_place_of_present(placing, row, k) or _without_present(placing, row, k)
    return Suggestions(placing.names[i], rows)


def _placing(trained: Trained, side: str) -> Placing:
    if trained.taxonomy(side) is None:
        where = "" if trained.shared else f" above its {side}s"
        raise DataError(
            f"this model has no taxonomy{where} that could be judged; train it with {REMEDY}.",
            remedies=[("", "data.with_taxonomy(...)")],
        )
    return Placing(trained, side)


def _in_place_of_present(placing: Placing, row: int, k: int) -> list[Suggestion]:
    """Return the best categories at the levels of the present parents; each is compared with the best one there."""
    judged = placing.judge(k, np.flatnonzero(placing.edges.rows == row))
    gains: dict[int, float] = {}
    places: dict[int, int] = {}
    worst: dict[int, tuple[float, int]] = {}
    for parent, fit, best, gain in zip(judged.parents, judged.fit, judged.best, judged.gain, strict=True):
        for place, (category, value) in enumerate(zip(best.tolist(), gain.tolist(), strict=True)):
            if category >= 0:
                places[category] = min(place, places.get(category, place))
                gains[category] = min(value, gains.get(category, value))
                worst[category] = min((float(fit), int(parent)), worst.get(category, (float(fit), int(parent))))
    ranked = sorted(gains, key=lambda category: (places[category], -gains[category], category))[:k]
    return [Suggestion(placing.named(c), gains[c], placing.named(worst[c][1]), placing.n_children(c)) for c in ranked]


def _without_present(placing: Placing, row: int, k: int) -> list[Suggestion]:
    """Return the best categories for a row without parents, or without others at their level."""
    best, gain = placing.best_of_all(row, k)
    found = zip(best.tolist(), gain.tolist(), strict=True)
    return [Suggestion(placing.named(c), value, None, placing.n_children(c)) for c, value in found]


def _edges(placing: Placing, judged: Judged, min_score: float) -> list[Finding]:
    """Return the edges with at least this score, contradicted ones first."""
    chosen = np.flatnonzero(judged.score >= min_score)
    fits = judged.fit[chosen] >= 0
    chosen = chosen[np.lexsort((-judged.score[chosen], fits))]
    rows, parents, best = judged.rows[chosen], judged.parents[chosen], judged.best[chosen]
    own = placing.cosines(rows, placing.left_out(rows, parents)[0])
    other = placing.cosines(rows, placing.mean[best[:, 0]])
    found = []
    for at, edge in enumerate(chosen.tolist()):
        names = tuple(placing.named(int(category)) for category in best[at] if category >= 0)
        parent = placing.named(int(parents[at]))
        evidence = (
            f"{placing.described(int(rows[at]))}; cosine {own[at]:.2f} with the other children of {parent!r}, "
            f"{other[at]:.2f} with those of {names[0]!r}"
        )
        kind = "contradicted" if judged.fit[edge] < 0 else "nearer"
        entity = placing.names[int(placing.node[rows[at]])]
        found.append(Finding(kind, entity, parent, names[0], float(judged.score[edge]), evidence, names))
    return found


def _scattered(placing: Placing) -> list[Finding]:
    """Return the categories whose children are as far from each other as random ones, where most others are not.

    The mean inner product of n random directions has mean 0 and standard error sqrt(2 tr(C^2) / (n (n - 1))), with C
    the matrix of second moments. A category is judged if the typical category of its level would clearly stand out with
    as many children.
    """
    found: list[Finding] = []
    for categories in (False, True):
        x, owner = placing.children(categories)
        if len(x) == 0:
            continue
        moments, n = x.T @ x / len(x), np.bincount(owner)
        sums = sums_by(owner, x, len(n))
        squares = np.bincount(owner, (x**2).sum(axis=1))
        judged = np.flatnonzero(n >= _FEW)
        pairs = (n * (n - 1.0))[judged]
        alike = ((sums**2).sum(axis=1) - squares)[judged] / pairs
        error = np.sqrt(2.0 * np.sum(moments**2) / pairs)
        typical, random = _typical(placing.heights[judged], alike), float(np.trace(moments))
        for at in np.flatnonzero((alike < _CLEAR * error) & (typical > _POWER * error)).tolist():
            category, spread, usual = int(judged[at]), 1.0 - alike[at] / random, 1.0 - typical[at] / random
            what = "categories below it" if categories else "children"
            evidence = f"{n[category]:,} {what} with data, spread {spread:.2f}; usual at this level: {usual:.2f}"
            found.append(Finding("scattered", placing.named(category), None, None, float(spread), evidence))
    return sorted(found, key=lambda one: (-one.score, one.entity))


def _typical(groups: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the median of the values of each value's group."""
    found, at = np.unique(groups, return_inverse=True)
    return np.array([np.median(values[groups == group]) for group in found.tolist()])[at]


def _levels(placing: Placing) -> list[Finding]:
    """Return the levels whose categories hold together no more than the level above does."""
    found = []
    own, above, both = placing.apart()
    heights = placing.heights[placing.edges.parents]
    for height in np.unique(heights).tolist():
        at, categories = (heights == height) & both, np.unique(placing.edges.parents[heights == height])
        n, such = int(at.sum()), f"{len(categories):,} categories such as {placing.named(int(categories[0]))!r}"
        if n < _MANY or len(categories) < _FEW:
            continue
        nearer = above[at] - own[at]
        if float(nearer.mean()) < _CLEAR * float(nearer.std()) / np.sqrt(n):
            ratio = float(own[at].sum() / above[at].sum())
            evidence = f"{such}; {n:,} children are no nearer to their siblings than to those of the level above"
            found.append(Finding("level", f"level {height}", None, None, ratio, evidence))
    return found


def _both(placing: Placing) -> list[Finding]:
    """Return the names that have data of their own and children, the most frequent first."""
    found = []
    for node in sorted(set(placing.row_of_entity) & set(placing.graph.category_nodes.tolist())):
        category = int(placing.graph.category_of[node])
        count = float(placing.names.counts[node])
        evidence = f"{seen(count)}, and a parent of {placing.n_children(category):,}"
        found.append(Finding("both", placing.names[node], None, None, count, evidence))
    return sorted(found, key=lambda one: (-one.score, one.entity))


def _printed(kind: str, findings: Sequence[Finding]) -> list[str]:
    """Return the lines of the findings of a kind, the first few of many."""
    if kind in ("contradicted", "nearer"):
        titles, right = ["entity", "parent", "score", "better"], (2,)
        cells = [
            [one.entity, one.parent or "", f"{one.score:.1f}", ", ".join(one.suggestions)] for one in findings[:_SHOWN]
        ]
    else:
        titles, right = ["entity", "score", "evidence"], (1,)
        cells = [[one.entity, f"{one.score:.3g}", one.evidence] for one in findings[:_SHOWN]]
    lines = [f"  {line}" for line in _aligned(titles, cells, right)]
    return lines if len(findings) <= _SHOWN else [*lines, f"  ... and {len(findings) - _SHOWN:,} more"]


def _aligned(titles: list[str], cells: list[list[str]], right: tuple[int, ...]) -> list[str]:
    """Return lines of text in columns; the last column is never cut."""
    from rich.cells import cell_len, set_cell_size

    last = len(titles) - 1
    shown = [titles] + [[text if text.isprintable() else repr(text) for text in line] for line in cells]
    for line in shown[1:]:
        line[:last] = [
            text if cell_len(text) <= _LONGEST else f"{set_cell_size(text, _LONGEST - 1)}…" for text in line[:last]
        ]
    widths = [max(cell_len(line[at]) for line in shown) for at in range(len(titles))]

    def padded(line: list[str]) -> str:
        parts = []
        for at, (text, width) in enumerate(zip(line, widths, strict=True)):
            space = " " * (width - cell_len(text))
            parts.append(space + text if at in right else text + space)
        return "  ".join(parts).rstrip()

    return [padded(line) for line in shown]
