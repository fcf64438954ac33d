"""From what a user calls a taxonomy (a dict, rows, a table, a file) to checked, weighted edges."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from vbn._errors import ParameterError, TaxonomyError
from vbn.data import _dag
from vbn.data._columns import read_columns, speaking_as
from vbn.data._cycles import closing_edges
from vbn.data._fields import Field
from vbn.data._missing import check_missing
from vbn.data._names import Coded, Encoder, Where, as_name, missing_name, row_number
from vbn.data._taxonomy import Taxonomy
from vbn.data._types import FloatArray, IdArray, as_index, summed
from vbn.data._vocabulary import Vocabulary
from vbn.data._wording import counted

_ENDS = 5  # names at either end of a long cycle that a message shows, and edges that a warning shows
FIELDS = (
    Field("child", ("child", "children", "entity", "item", "node", "hyponym")),
    Field("parent", ("parent", "parents", "category", "class", "hypernym")),
    Field("weight", ("weight", "weights", "probability"), number=True, optional=True, by_position=True),
)


@dataclass(frozen=True)
class Edges:
    """Edges as read: two columns of names in the order given, and weights if the user gave any."""

    child: Coded
    parent: Coded
    weights: FloatArray | None
    where: Where
    alone: tuple[str, ...] = ()  # nodes named without parents

    def build(self, vocabulary: Vocabulary, break_cycles: str = "error") -> Taxonomy:
        """Check the edges and return the taxonomy, over `vocabulary` with the new nodes appended."""
        if break_cycles not in ("error", "drop"):
            raise ParameterError(f'break_cycles must be "error" or "drop", not {break_cycles!r}')
        self._check_weights()
        full = vocabulary.extend([*self.child.names, *self.parent.names, *self.alone])
        child = full.ids(self.child.names)[self.child.codes]
        parent = full.ids(self.parent.names)[self.parent.codes]
        child, parent, weights, rank = _merged(child, parent, self.weights, len(full))
        dropped: list[tuple[str, str]] = []
        if break_cycles == "drop":
            closing = closing_edges(child, parent, rank, len(full))
            gone = np.flatnonzero(closing)[np.argsort(rank[closing])]
            dropped = [(full[int(child[edge])], full[int(parent[edge])]) for edge in gone]
            child, parent, weights = child[~closing], parent[~closing], weights[~closing]
        _refuse_self_parents(child, parent, full)
        taxonomy = _assemble(full, child, parent, weights, dropped)
        _refuse_cycles(taxonomy)
        _warn_of(dropped)
        return taxonomy

    def _check_weights(self) -> None:
        if self.weights is None:
            return
        wrong = ~((self.weights > 0) & np.isfinite(self.weights))
        if wrong.any():
            first = int(np.argmax(wrong))
            child = self.child.names[self.child.codes[first]]
            parent = self.parent.names[self.parent.codes[first]]
            raise TaxonomyError(
                f"the weight of {child!r} -> {parent!r} at {self.where(first)} is {self.weights[first]}; "
                "weights must be positive and finite (leave an edge out instead of giving it weight 0)"
            )


def read_edges(
    edges: object,
    columns: Mapping[str, str | int | None],
    header: bool | None = None,
    delimiter: str | None = None,
    missing: str = "error",
) -> Edges:
    """Read a taxonomy from any of the forms that `Dataset.with_taxonomy` documents."""
    check_missing(missing)
    with speaking_as(TaxonomyError, "taxonomy"):
        if isinstance(edges, Taxonomy):
            return _of_taxonomy(edges)
        if isinstance(edges, Mapping):
            return _of_mapping(edges, missing == "drop")
        read = read_columns(
            edges, (), columns, FIELDS, header=header, delimiter=delimiter, allow_empty=True, missing=missing
        )
        return Edges(read.labels["child"], read.labels["parent"], read.numbers.get("weight"), read.where)


def _of_taxonomy(taxonomy: Taxonomy) -> Edges:
    child, parent, weights = taxonomy.edges()
    names = list(taxonomy.vocabulary.names)
    used = np.unique(np.concatenate([child, parent]))
    rank = np.zeros(len(names), dtype=np.int64)
    rank[used] = np.arange(len(used))
    kept = [names[number] for number in used.tolist()]
    return Edges(Coded(kept, rank[child]), Coded(kept, rank[parent]), weights, row_number)


def _of_mapping(edges: Mapping[object, object], drop_missing: bool) -> Edges:
    child, parent, weights, alone = Encoder(), Encoder(), list[float](), list[str]()
    explicit = False
    for position, (name, given) in enumerate(edges.items()):
        if drop_missing and missing_name(name):
            continue
        key = as_name(name, f"key {position} (counted from 0)")
        rows = [row for row in _parents_of(key, given) if not (drop_missing and missing_name(row[0]))]
        if not rows:
            alone.append(key)
        explicit = explicit or isinstance(given, Mapping)
        names = [as_name(row[0], f"parent {number} of {key!r}") for number, row in enumerate(rows)]
        child.extend([key] * len(rows), lambda _: "the keys")
        parent.extend(names, lambda _: "the parents")
        weights.extend(row[1] for row in rows)

    def where(edge: int) -> str:
        coded = child.result()
        return f"key {coded.names[coded.codes[edge]]!r}"

    stated = np.asarray(weights, dtype=np.float64) if explicit else None
    return Edges(child.result(), parent.result(), stated, where, tuple(alone))


def _parents_of(child: str, given: object) -> Iterator[tuple[object, float]]:
    if isinstance(given, Mapping):
        for parent, weight in given.items():
            try:
                yield parent, float(weight)
            except (TypeError, ValueError, OverflowError):
                raise TaxonomyError(f"the weight of {child!r} -> {parent!r} is {weight!r}, not a number") from None
    elif isinstance(given, Iterable) and not isinstance(given, str | bytes):
        for parent in sorted(given, key=str) if isinstance(given, Set) else given:  # a set has no order of its own
            yield parent, 1.0
    else:
        yield given, 1.0


def _merged(
    child: IdArray, parent: IdArray, weights: FloatArray | None, n: int
) -> tuple[IdArray, IdArray, FloatArray, IdArray]:
    """Sort edges by (child, parent) and merge repeated ones: stated weights add, unstated ones do not.

    Returned with them is where each edge first stood.
    """
    indptr, parents, order = _dag.by_row(child, parent, n)
    children = np.repeat(np.arange(n, dtype=np.int64), np.diff(indptr))
    if len(order) == 0:
        return children, parents, np.zeros(0), order
    new = np.concatenate([[True], (children[1:] != children[:-1]) | (parents[1:] != parents[:-1])])
    start = np.flatnonzero(new)
    with np.errstate(over="ignore"):
        values = np.ones(len(start)) if weights is None else np.add.reduceat(weights[order], start)
    values = np.minimum(values, np.finfo(np.float64).max)  # so that repeated huge weights remain weights
    return children[start], parents[start], values, order[start]


def _warn_of(dropped: Sequence[tuple[str, str]]) -> None:
    if not dropped:
        return
    shown = ", ".join(f"{child!r} -> {parent!r}" for child, parent in dropped[:_ENDS])
    more = f" and {len(dropped) - _ENDS:,} more" if len(dropped) > _ENDS else ""
    warnings.warn(
        f"{counted(len(dropped), 'edge')} of the taxonomy (child -> parent) dropped to break cycles: {shown}{more}; "
        "taxonomy.dropped lists all of them",
        UserWarning,
        stacklevel=5,  # whoever called with_taxonomy
    )


def _refuse_self_parents(child: IdArray, parent: IdArray, vocabulary: Vocabulary) -> None:
    own = np.flatnonzero(child == parent)
    if len(own):
        more = f" (and {len(own) - 1} more)" if len(own) > 1 else ""
        raise TaxonomyError(
            f'{vocabulary[int(child[own[0]])]!r}{more} is its own parent; remove that edge, or pass break_cycles="drop"'
        )


def _assemble(
    vocabulary: Vocabulary,
    child: IdArray,
    parent: IdArray,
    weights: FloatArray,
    dropped: list[tuple[str, str]],
) -> Taxonomy:
    """Put sorted edges into compressed rows, each child's weights scaled to sum to 1."""
    n = len(vocabulary)
    shares = shares_of_parents(child, weights, n)
    gone = np.flatnonzero(shares == 0)
    if len(gone):
        edge = f"{vocabulary[int(child[gone[0]])]!r} -> {vocabulary[int(parent[gone[0]])]!r}"
        raise TaxonomyError(f"the weight of {edge} vanishes beside the others of that child; leave the edge out")
    indptr = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(child, minlength=n), out=indptr[1:])
    return Taxonomy(vocabulary, indptr, as_index(parent, n), shares, dropped)


def shares_of_parents(child: IdArray, weights: FloatArray, n: int) -> FloatArray:
    """Scale the weights of each child's parents to sum to 1, however large they are."""
    largest = np.zeros(n)
    np.maximum.at(largest, child, weights)
    with np.errstate(over="ignore"):
        sums = summed(child, weights, n)
    if np.isfinite(sums).all():
        return weights / sums[child]
    scaled = weights / largest[child]
    return scaled / summed(child, scaled, n)[child]


def _refuse_cycles(taxonomy: Taxonomy) -> None:
    _, left_over = _dag.heights(taxonomy.indptr, taxonomy.indices)
    if len(left_over):
        cycle = _dag.one_cycle(taxonomy.indptr, taxonomy.indices, left_over)
        raise TaxonomyError(
            f"the taxonomy has a cycle (each a child of the next): {cycle_text(cycle, taxonomy.vocabulary.names)}; "
            'remove one of these edges, or pass break_cycles="drop"'
        )


def cycle_text(cycle: Sequence[int], names: Sequence[str]) -> str:
    """Write a cycle as "a -> b -> a", a long one without its middle."""
    steps = [names[node] for node in [*cycle, cycle[0]]]
    if len(steps) > 2 * _ENDS:
        steps[_ENDS:-_ENDS] = [f"... ({len(steps) - 2 * _ENDS:,} more) ..."]
    return " -> ".join(steps)
