"""Summaries for people: numbers and sizes as they are written, and the description of a data set."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vbn._errors import ParameterError

if TYPE_CHECKING:
    from vbn.data.counts import BoolArray
    from vbn.data.dataset import Dataset
    from vbn.data.features import Features, Source
    from vbn.data.taxonomy import Taxonomy
    from vbn.data.vocabulary import Vocabulary

_EXACT = 1e15  # up to here a float64 holds every tenth
_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_UNITS |= {"kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}
_LISTED = 5  # names that a description shows; its `to_dict` has all of them
_SINGULAR = {"entities": "entity", "rows": "row", "columns": "column"}


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number of things, in the singular or the plural: "1 row", "2,000 rows"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def amount(value: float) -> str:
    """Return a total, whole where it is a whole number.

    Examples
    --------
    >>> amount(1034230.0), amount(1034230.25), amount(0.5), amount(1e20)
    ('1,034,230', '1,034,230.2', '0.5', '1e+20')
    """
    if abs(value) >= _EXACT:
        return f"{value:.6g}"
    if float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.1f}" if abs(value) >= 1e5 else f"{value:,.6g}"


def bytes_of(size: object) -> int:
    """Return the bytes of a size: a number, or a text such as "8GiB" or "500 MB".

    Examples
    --------
    >>> bytes_of("8GiB"), bytes_of("1.5 kB"), bytes_of(4096)
    (8589934592, 1500, 4096)
    """
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*", size) if isinstance(size, str) else None
    amount = float(found[1]) * _UNITS.get(found[2].lower(), math.nan) if found else math.nan
    if isinstance(size, numbers.Real):
        amount = float(size)
    if isinstance(size, bool) or not (math.isfinite(amount) and amount >= 1):
        message = "{remedy} is not an amount of memory; give one such as '8GiB', '500MB' or a number."
        raise ParameterError(message, remedies=[("memory", size)])
    return int(amount)


@dataclass(frozen=True)
class Description:
    """What `Dataset.describe` returns: prints as a few lines, and has `to_dict`."""

    facts: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, fit for JSON."""
        return {key: dict(value) if isinstance(value, dict) else value for key, value in self.facts.items()}

    def __repr__(self) -> str:
        return "\n".join(_lines(self.facts))


def describe(data: Dataset) -> Description:
    """Summarise a data set."""
    counts = data.counts
    facts: dict[str, Any] = {
        "kind": data.kind,
        "shared": data.shared,
        "read": data.reading,
        "cells": counts.nnz,
        "total": counts.total,
        "density": counts.density,
    }
    if data.shared:
        facts["entities"] = _side(data.columns, data.column_taxonomy, data.column_features)
    else:
        facts["rows"] = _side(data.rows, data.row_taxonomy, data.row_features)
        facts["columns"] = _side(data.columns, data.column_taxonomy, data.column_features)
    facts["relations"] = {
        name: {"pairs": len(relation), "symmetric": relation.symmetric, "skipped_pairs": relation.skipped}
        for name, relation in data.relations.items()
    }
    return Description(facts)


def _side(names: Vocabulary, taxonomy: Taxonomy | None, features: Features | None) -> dict[str, Any]:
    """Return how many entities there are, how their counts fall off, and what is known of them."""
    seen = np.sort(names.counts[names.counts > 0])[::-1]
    top = seen[: -(-len(seen) // 10)]
    share_of = 1.0 / max(1, len(seen))
    return {
        "number": len(names),
        "seen": len(seen),
        "seen_at_most_once": float((seen <= 1).sum() * share_of),
        "seen_at_most_5_times": float((seen <= 5).sum() * share_of),
        "top_tenth_holds": float(top.sum() / seen.sum()) if len(seen) else 0.0,
        "taxonomy": None if taxonomy is None else _taxonomy(taxonomy, names),
        "features": {} if features is None else {own.name: _source(own, names) for own in features.sources},
        "labels": 0 if names.labels is None else len(names.labels),
        "spaces": [name for name in names.names if name != name.strip() and name.strip() in names],
    }


def _source(source: Source, names: Vocabulary) -> dict[str, Any]:
    seen = names.counts > 0
    coverage = float(seen[source.rows].sum() / max(1, seen.sum()))
    return {"columns": source.width, "entities": len(source), "coverage": coverage}


def _taxonomy(taxonomy: Taxonomy, names: Vocabulary) -> dict[str, Any]:
    has_parents = np.diff(taxonomy.indptr) > 0
    seen = names.counts > 0
    return {
        "nodes": len(np.union1d(np.flatnonzero(has_parents), taxonomy.category_ids)),
        "categories": len(taxonomy.category_ids),
        "edges": taxonomy.n_edges,
        "depth": taxonomy.depth,
        "coverage": float((has_parents & seen).sum() / max(1, seen.sum())),
        "dropped_edges": len(taxonomy.dropped),
        "levels": [list(chain) for chain in taxonomy.levels],
        "items_and_categories": [names[number] for number in taxonomy.category_ids.tolist() if seen[number]],
        "in_several_levels": list(taxonomy.ambiguous),
        "spelled_otherwise": _spelled_otherwise(names, has_parents, seen, taxonomy.category_ids.tolist()),
    }


def _spelled_otherwise(
    names: Vocabulary, has_parents: BoolArray, seen: BoolArray, categories: Sequence[int]
) -> dict[str, str]:
    """Return names without a parent that differ from one of the taxonomy in case, spaces or punctuation only."""
    known = {_bare(names[at]): names[at] for at in (*categories, *np.flatnonzero(has_parents).tolist())}
    strangers = np.setdiff1d(np.flatnonzero(seen & ~has_parents), categories)
    alike = ((names[at], known.get(_bare(names[at]))) for at in strangers.tolist())
    return {name: other for name, other in alike if other is not None and _bare(name)}


def _bare(name: str) -> str:
    """Return the letters and digits of a name.

    Examples
    --------
    >>> _bare("M17.1"), _bare(" m 171")
    ('m171', 'm171')
    """
    return "".join(filter(str.isalnum, name.casefold()))


def _lines(facts: dict[str, Any]) -> Iterator[str]:
    sides = [side for side in ("entities", "rows", "columns") if side in facts]
    size = " x ".join(counted(facts[side]["number"], _SINGULAR[side], side) for side in sides)
    yield f"Dataset of {facts['kind']}: {size}"
    if facts["read"]:
        columns = ", ".join(f"{key} from {column!r}" for key, column in facts["read"].items() if column is not None)
        yield f"  read       {columns}" + ("; every row counts 1" if None in facts["read"].values() else "")
    yield f"  cells      {facts['cells']:,}, total count {amount(facts['total'])}, density {facts['density']:.3g}"
    for side in sides:
        yield from _side_lines(side, facts[side])
    for name, relation in facts["relations"].items():
        kind = ", symmetric" if relation["symmetric"] else ""
        gone = relation["skipped_pairs"]
        skipped = f"; {gone:,} skipped (unknown or unnamed entities)" if gone else ""
        yield f"  relation   {name}: {counted(relation['pairs'], 'pair')}{kind}{skipped}"


def _side_lines(side: str, facts: dict[str, Any]) -> Iterator[str]:
    yield (
        f"  {side:<10} {facts['seen']:,} seen: {facts['seen_at_most_once']:.1%} at most once, "
        f"{facts['seen_at_most_5_times']:.1%} at most 5 times; "
        f"the top 10 % hold {facts['top_tenth_holds']:.1%} of the total"
    )
    for name, source in facts["features"].items():
        yield (
            f"  features   {name}: {counted(source['columns'], 'column')}; {source['coverage']:.1%} of the {side} seen "
            "have some"
        )
    if facts["spaces"]:
        spaced = facts["spaces"]
        shown = ", ".join(map(repr, spaced[:_LISTED])) + (", ..." if len(spaced) > _LISTED else "")
        yield f"  spaces     {counted(len(spaced), 'name')} of the {side} with spaces around, and without: {shown}"
    if facts["labels"]:
        yield f"  labels     {counted(facts['labels'], 'label')} of the {side}"
    taxonomy = facts["taxonomy"]
    if taxonomy is None:
        return
    dropped = taxonomy["dropped_edges"]
    yield (
        f"  taxonomy   {counted(taxonomy['nodes'], 'node')} "
        f"({counted(taxonomy['categories'], 'category', 'categories')}), "
        f"{counted(taxonomy['edges'], 'edge')}, depth {taxonomy['depth']}; "
        f"{taxonomy['coverage']:.1%} of the {side} seen have a parent"
        + ("" if taxonomy["coverage"] else " (is it child, then parent, with names spelled as in the data?)")
        + (f"; {counted(dropped, 'edge')} dropped to break cycles" if dropped else "")
    )
    if taxonomy["spelled_otherwise"]:
        alike = taxonomy["spelled_otherwise"]
        shown = ", ".join(f"{name!r} ({other!r})" for name, other in list(alike.items())[:_LISTED])
        yield (
            f"  spelling   {counted(len(alike), 'name')} without a parent that the taxonomy has in other case or "
            f"punctuation: {shown}" + (", ..." if len(alike) > _LISTED else "")
        )
    if taxonomy["levels"]:
        yield f"  levels     {', '.join(' > '.join(chain) for chain in taxonomy['levels'])} (columns of the catalogue)"
    both = dict.fromkeys([*taxonomy["in_several_levels"], *taxonomy["items_and_categories"]])
    if both:
        several = "stands" if len(both) == 1 else "stand"
        shown = ", ".join(map(repr, list(both)[:_LISTED])) + (", ..." if len(both) > _LISTED else "")
        yield f"  both       {counted(len(both), 'name')} {several} for an item and a category, or for two: {shown}"
