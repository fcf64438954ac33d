"""A taxonomy: a directed acyclic graph over the entities of one vocabulary, each edge with a weight."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from vbn._errors import TaxonomyError
from vbn.data import _dag
from vbn.data._types import FloatArray, IdArray, IndexArray, as_index, read_only
from vbn.data._vocabulary import Vocabulary
from vbn.data._wording import counted


class Taxonomy:
    """Parents of entities; immutable. Build one with `from_edges` or `Dataset.with_taxonomy`.

    The parents of entity ``i`` are ``indices[indptr[i]:indptr[i + 1]]``, by rising id; the weights
    of one entity's parents are positive and sum to 1.

    Parameters
    ----------
    vocabulary
        The entities, categories among them.
    indptr, indices, weights
        The parents of each entity in compressed rows, as above.
    dropped
        (child, parent) edges left out because they closed a cycle.

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
    ) -> None:
        self.vocabulary = vocabulary
        self.indptr: IdArray = read_only(np.asarray(indptr, dtype=np.int64))
        self.indices: IndexArray = read_only(as_index(np.asarray(indices), len(vocabulary)))
        self.weights: FloatArray = read_only(np.asarray(weights, dtype=np.float64))
        self.dropped = tuple(dropped)
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
        break_cycles: str = "error",
        header: bool | None = None,
        delimiter: str | None = None,
        missing: str = "error",
    ) -> Taxonomy:
        """Build a taxonomy; see `Dataset.with_taxonomy` for the forms that `edges` may take.

        Nodes that `vocabulary` does not hold are appended to it: the result's own `vocabulary` has
        all of them.
        """
        from vbn.data._edges import read_edges

        options = {"child": child, "parent": parent, "weight": weight}
        read = read_edges(edges, options, header=header, delimiter=delimiter, missing=missing)
        return read.build(Vocabulary(()) if vocabulary is None else vocabulary, break_cycles)

    @property
    def n_edges(self) -> int:
        """Number of (child, parent) edges."""
        return len(self.indices)

    @cached_property
    def _children(self) -> tuple[IdArray, IndexArray, FloatArray]:
        child = np.repeat(np.arange(len(self.vocabulary)), np.diff(self.indptr))
        indptr, children, order = _dag.by_row(self.indices.astype(np.int64), child, len(self.vocabulary))
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
        return read_only(_dag.heights(self.indptr, self.indices)[0])

    def heights(self) -> IdArray:
        """Return the height of each node: 0 without children, else one more than the highest child."""
        return self._heights

    @property
    def depth(self) -> int:
        """Number of edges on the longest way up."""
        return int(self._heights.max(initial=0))

    def parents(self, name: object) -> list[tuple[str, float]]:
        """Return the parents of an entity with their weights."""
        row = self._row(self.vocabulary.id(name))
        return [(self.vocabulary[int(self.indices[edge])], float(self.weights[edge])) for edge in row]

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
        if vocabulary.names[: len(self.vocabulary)] != self.vocabulary.names:
            raise TaxonomyError("the new vocabulary must begin with the names of the old one")
        indptr = np.pad(self.indptr, (0, len(vocabulary) - len(self.vocabulary)), mode="edge")
        return Taxonomy(vocabulary, indptr, self.indices, self.weights, self.dropped)

    def _row(self, number: int) -> range:
        return range(int(self.indptr[number]), int(self.indptr[number + 1]))

    def __repr__(self) -> str:
        dropped = f", {len(self.dropped)} dropped" if self.dropped else ""
        size = f"{counted(self.n_edges, 'edge')}, {counted(len(self.category_ids), 'category', 'categories')}"
        return f"Taxonomy({size}, depth {self.depth}{dropped})"
