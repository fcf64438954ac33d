"""A taxonomy: a directed acyclic graph over the entities of one vocabulary, each edge with a weight."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vbn._errors import REMEDY, ParameterError, TaxonomyError, VBNWarning, caller_level
from vbn.data import graph
from vbn.data.counts import FloatArray, IdArray, IndexArray, as_index, first_of_runs, read_only, starts_of, summed
from vbn.data.describe import counted
from vbn.data.io.columns import Field
from vbn.data.io.inputs import read_columns, speaking_as
from vbn.data.vocabulary import Coded, Encoder, Vocabulary, Where, as_name, check_missing, missing_name, row_number

_ENDS = 5  # names at either end of a long cycle that a message shows, and edges that a warning shows
_FIELDS = (
    Field(
        "child",
        (
            *(
                "child",
                "children",
                "entity",
                "item",
                "node",
                "hyponym",
                "code",
                "id",
                "name",
                "term",
                "word",
                "narrower",
            ),
            *("product", "species", "diagnosis", "subcategory", "unterbegriff", "begriff", "artikel", "produkt"),
        ),
    ),
    Field(
        "parent",
        (
            *("parent", "parents", "category", "class", "hypernym", "parent_id", "parent_code", "broader"),
            *("kind", "type", "group", "oberbegriff", "kategorie", "oberkategorie", "warengruppe"),
        ),
        gaps=True,
    ),
    Field("weight", ("weight", "weights", "probability"), number=True, optional=True, by_position=True),
)


class Taxonomy:
    """Parents of entities; immutable. Build one with `from_edges` or `Dataset.with_taxonomy`.

    The parents of entity ``i`` are ``indices[indptr[i]:indptr[i + 1]]``, by rising id; the weights of one entity's
    parents are positive and sum to 1.

    Parameters
    ----------
    vocabulary
        The entities, categories among them.
    indptr, indices, weights
        The parents of each entity in compressed rows, as above.
    dropped
        (child, parent) edges left out because they closed a cycle.
    ambiguous
        Names that stand for several things in the catalogue that it came from.
    levels
        The columns of that catalogue in chains, each general first.

    Examples
    --------
    >>> taxonomy = Taxonomy.from_edges({"poodle": ["dog", "pet"], "dog": "animal", "pet": "animal"})
    >>> taxonomy.parents("poodle"), taxonomy.ancestors("poodle"), taxonomy.depth
    ([('dog', 0.5), ('pet', 0.5)], ['dog', 'pet', 'animal'], 2)
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        indptr: IdArray,
        indices: IndexArray,
        weights: FloatArray,
        dropped: Iterable[tuple[str, str]] = (),
        ambiguous: Iterable[str] = (),
        levels: Iterable[tuple[str, ...]] = (),
    ) -> None:
        self.vocabulary = vocabulary
        self.indptr: IdArray = read_only(np.asarray(indptr, dtype=np.int64))
        self.indices: IndexArray = read_only(as_index(np.asarray(indices), len(vocabulary)))
        self.weights: FloatArray = read_only(np.asarray(weights, dtype=np.float64))
        self.dropped = tuple(dropped)
        self.ambiguous = tuple(ambiguous)
        self.levels = tuple(levels)
        if len(self.indptr) != len(vocabulary) + 1 or len(self.indices) != len(self.weights):
            raise TaxonomyError("the arrays of a Taxonomy do not fit its vocabulary; use from_edges")

    @classmethod
    def from_edges(
        cls,
        edges: object,
        vocabulary: Vocabulary | None = None,
        *,
        child: str | int | None = None,
        parent: str | int | None = None,
        weight: str | int | None = None,
        break_cycles: str = "auto",
        header: bool | None = None,
        delimiter: str | None = None,
        missing: str = "auto",
    ) -> Taxonomy:
        """Build a taxonomy; see `Dataset.with_taxonomy` for the forms that `edges` may take.

        Nodes that `vocabulary` does not hold are appended to it: the result's own `vocabulary` has all of them.
        """
        check_missing(missing)
        with speaking_as(TaxonomyError, "taxonomy"):
            if isinstance(edges, Taxonomy):
                found = _of_taxonomy(edges)
            elif isinstance(edges, Mapping):
                found = _of_mapping(edges, missing == "drop")
            else:
                columns = {"child": child, "parent": parent, "weight": weight}
                read = read_columns(
                    edges, (), columns, _FIELDS, header=header, delimiter=delimiter, allow_empty=True, missing=missing
                )
                found = Edges(read.labels["child"], read.labels["parent"], read.numbers.get("weight"), read.where)
        return found.build(Vocabulary(()) if vocabulary is None else vocabulary, settled_cycles(break_cycles, edges))

    @property
    def n_edges(self) -> int:
        """Number of (child, parent) edges."""
        return len(self.indices)

    @cached_property
    def _children(self) -> tuple[IdArray, IndexArray, FloatArray]:
        child, parent, _ = self.edges()
        indptr, children, order = graph.by_row(parent, child, len(self.vocabulary))
        stored = as_index(children, len(self.vocabulary))
        return read_only(indptr), read_only(stored), read_only(self.weights[order])

    def children(self) -> tuple[IdArray, IndexArray, FloatArray]:
        """Return (indptr, children, weights) in compressed rows by parent.

        The weight of an edge is the one it has among its child's parents.
        """
        return self._children

    @cached_property
    def category_ids(self) -> IdArray:
        """Ids of the nodes that have children, rising."""
        return read_only(np.unique(self.indices).astype(np.int64))

    @cached_property
    def roots(self) -> IdArray:
        """Ids of the nodes that have children but no parents, rising."""
        ids = self.category_ids
        return read_only(ids[self.indptr[ids + 1] == self.indptr[ids]])

    @cached_property
    def _heights(self) -> IdArray:
        return read_only(graph.heights(self.indptr, self.indices)[0])

    def heights(self) -> IdArray:
        """Return the height of each node: 0 without children, else one more than the highest child."""
        return self._heights

    @property
    def depth(self) -> int:
        """Number of edges on the longest way up."""
        return int(self._heights.max(initial=0))

    def parents(self, name: object) -> list[tuple[str, float]]:
        """Return the parents of an entity with their weights."""
        number = self.vocabulary.id(name)
        row = slice(self.indptr[number], self.indptr[number + 1])
        parents = zip(self.indices[row].tolist(), self.weights[row].tolist(), strict=True)
        return [(self.vocabulary[parent], weight) for parent, weight in parents]

    def children_of(self, name: object) -> list[str]:
        """Return the children of a category, by rising id."""
        indptr, children, _ = self._children
        number = self.vocabulary.id(name)
        return [self.vocabulary[int(child)] for child in children[indptr[number] : indptr[number + 1]]]

    def ancestors(self, name: object) -> list[str]:
        """Return all nodes above an entity, the nearest first."""
        found = [self.vocabulary.id(name)]
        met = set(found)
        for node in found:  # grows as it is walked
            for parent in self.indices[self.indptr[node] : self.indptr[node + 1]].tolist():
                if parent not in met:
                    met.add(parent)
                    found.append(parent)
        return [self.vocabulary[node] for node in found[1:]]

    def edges(self) -> tuple[IdArray, IdArray, FloatArray]:
        """Return the edges as (child ids, parent ids, weights), by child."""
        child = np.repeat(np.arange(len(self.vocabulary), dtype=np.int64), np.diff(self.indptr))
        return child, self.indices.astype(np.int64), self.weights

    def over(self, vocabulary: Vocabulary) -> Taxonomy:
        """Return the same taxonomy over a vocabulary that continues this one."""
        if vocabulary is self.vocabulary:
            return self
        known = self.vocabulary.names
        if vocabulary.names is not known and vocabulary.names[: len(known)] != known:
            raise TaxonomyError("the new vocabulary must begin with the names of the old one")
        indptr = np.pad(self.indptr, (0, len(vocabulary) - len(self.vocabulary)), mode="edge")
        return Taxonomy(vocabulary, indptr, self.indices, self.weights, self.dropped, self.ambiguous, self.levels)

    def marked(self, ambiguous: Iterable[str], levels: Iterable[tuple[str, ...]]) -> Taxonomy:
        """Return the same taxonomy with names that stand for several things, and the columns that it came from."""
        return Taxonomy(self.vocabulary, self.indptr, self.indices, self.weights, self.dropped, ambiguous, levels)

    def __repr__(self) -> str:
        dropped = f", {len(self.dropped)} dropped" if self.dropped else ""
        size = f"{counted(self.n_edges, 'edge')}, {counted(len(self.category_ids), 'category', 'categories')}"
        return f"Taxonomy({size}, depth {self.depth}{dropped})"


def settled_cycles(break_cycles: str, source: object) -> str:
    """Return what to do about cycles: by default, those of a file are broken, others are an error."""
    if break_cycles not in ("auto", "error", "drop"):
        raise ParameterError(f'break_cycles must be "auto", "error" or "drop", got {break_cycles!r}')
    if break_cycles == "auto":
        return "drop" if isinstance(source, str | os.PathLike) else "error"
    return break_cycles


@dataclass(frozen=True)
class Edges:
    """Edges as read: two columns of names in the order given, and weights if there are any."""

    child: Coded
    parent: Coded
    weights: FloatArray | None
    where: Where
    alone: tuple[str, ...] = ()  # nodes named without parents

    def build(self, vocabulary: Vocabulary, break_cycles: str = "error") -> Taxonomy:
        """Check the edges and return the taxonomy, over `vocabulary` with the new nodes appended."""
        self._check_weights()
        full = vocabulary.extend([*self.child.names, *self.parent.names, *self.alone])
        child = full.ids(self.child.names)[self.child.codes]
        parent = full.ids(self.parent.names)[self.parent.codes]
        child, parent, weights, rank = _merged(child, parent, self.weights, len(full))
        dropped: list[tuple[str, str]] = []
        if break_cycles == "drop":
            closing = graph.closing_edges(child, parent, rank, len(full))
            gone = np.flatnonzero(closing)[np.argsort(rank[closing])]
            dropped = [(full[int(child[edge])], full[int(parent[edge])]) for edge in gone]
            child, parent, weights = child[~closing], parent[~closing], weights[~closing]
        _refuse_self_parents(child, parent, full)
        taxonomy = _assemble(full, child, parent, weights, dropped)
        _refuse_cycles(taxonomy)
        if dropped:
            shown = ", ".join(f"{child!r} -> {parent!r}" for child, parent in dropped[:_ENDS])
            more = f" and {len(dropped) - _ENDS:,} more" if len(dropped) > _ENDS else ""
            edges = counted(len(dropped), "edge")
            message = (
                f"{edges} of the taxonomy (child -> parent) dropped to break cycles: {shown}{more}; with {REMEDY} a "
                "cycle is an error"
            )
            warning = VBNWarning(message, remedies=[("break_cycles", "error")])
            warnings.warn(warning, stacklevel=caller_level())
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


def _of_taxonomy(taxonomy: Taxonomy) -> Edges:
    child, parent, weights = taxonomy.edges()
    used, codes = np.unique(np.concatenate([child, parent]), return_inverse=True)
    children, parents = codes.reshape(2, -1)
    names = [taxonomy.vocabulary[number] for number in used.tolist()]
    return Edges(Coded(names, children), Coded(names, parents), weights, row_number)


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
        for parent in sorted(given, key=str) if isinstance(given, Set) else given:  # a set has no fixed order
            yield parent, 1.0
    else:
        yield given, 1.0


def _merged(
    child: IdArray, parent: IdArray, weights: FloatArray | None, n: int
) -> tuple[IdArray, IdArray, FloatArray, IdArray]:
    """Sort edges by (child, parent) and merge repeated ones: stated weights add up, others stay 1.

    The last array returned is the first position of each edge in the input.
    """
    indptr, parents, order = graph.by_row(child, parent, n)
    children = np.repeat(np.arange(n, dtype=np.int64), np.diff(indptr))
    if len(order) == 0:
        return children, parents, np.zeros(0), order
    start = first_of_runs(children, parents)
    with np.errstate(over="ignore"):
        values = np.ones(len(start)) if weights is None else np.add.reduceat(weights[order], start)
    values = np.minimum(values, np.finfo(np.float64).max)  # repeated huge weights stay finite
    return children[start], parents[start], values, order[start]


def _refuse_self_parents(child: IdArray, parent: IdArray, vocabulary: Vocabulary) -> None:
    own = np.flatnonzero(child == parent)
    if len(own):
        more = f" (and {len(own) - 1} more)" if len(own) > 1 else ""
        name = vocabulary[int(child[own[0]])]
        message = f"{name!r}{more} is its own parent; remove that edge, or pass {REMEDY}"
        raise TaxonomyError(message, remedies=[("break_cycles", "drop")])


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
    return Taxonomy(vocabulary, starts_of(child, n), as_index(parent, n), shares, dropped)


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
    _, left_over = graph.heights(taxonomy.indptr, taxonomy.indices)
    if len(left_over):
        cycle = graph.one_cycle(taxonomy.indptr, taxonomy.indices, left_over)
        raise TaxonomyError(
            f"the taxonomy has a cycle (each a child of the next): {cycle_text(cycle, taxonomy.vocabulary.names)}; "
            f"remove one of these edges, or pass {REMEDY}",
            remedies=[("break_cycles", "drop")],
        )


def cycle_text(cycle: Sequence[int], names: Sequence[str]) -> str:
    """Write a cycle as "a -> b -> a", a long one without its middle."""
    steps = [names[node] for node in [*cycle, cycle[0]]]
    if len(steps) > 2 * _ENDS:
        steps[_ENDS:-_ENDS] = [f"... ({len(steps) - 2 * _ENDS:,} more) ..."]
    return " -> ".join(steps)
