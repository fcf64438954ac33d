"""Models that have one vector for each entity and no posterior: what they know, and what they answer."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vbn._errors import NotFittedError, NumericalError, ParameterError, UnknownEntityError
from vbn.baselines.baseline import Baseline, Entities
from vbn.data import Dataset, Vocabulary
from vbn.estimators import check_k
from vbn.inference import Table, read_min_count, top
from vbn.model import COLUMN, ROW, Blueprint, Hyperpriors, Side, Trained, lengths, placeholder
from vbn.storage import Densities, write_densities, write_folder

_POINT = 1e-12  # the format of model folders is that of densities and wants variances above 0
_NEGATIVES, _NOISE_POWER = 1.0, 0.75  # it wants these too; a model of vectors has no use for them


@dataclass(frozen=True)
class Vectors:
    """Vectors of rows (u) and of columns (v), and a bias for each column; entities seen in training are active."""

    row_side: Side
    column_side: Side
    u: np.ndarray
    v: np.ndarray
    bias: np.ndarray

    @classmethod
    def of(cls, data: Dataset, u: np.ndarray, v: np.ndarray, bias: np.ndarray | None = None) -> Vectors:
        """Return the vectors of a data set's rows and columns."""
        rows = Side(ROW, data.rows, data.row_taxonomy, data.counts.row_sums() > 0)
        columns = Side(COLUMN, data.columns, data.column_taxonomy, data.counts.column_sums() > 0)
        bias = np.zeros(len(v), np.float32) if bias is None else bias.astype(np.float32)
        _check_finite(u, v, bias)
        u, v = (np.ascontiguousarray(array, dtype=np.float32) for array in (u, v))
        return cls(rows, columns, u, v, bias)

    @classmethod
    def of_words(cls, words: Vocabulary, u: np.ndarray, v: np.ndarray) -> Vectors:
        """Return the vectors of words that no data set counted."""
        _check_finite(u, v)
        rows, columns = (Side(name, words, None, words.counts > 0) for name in (ROW, COLUMN))
        return cls(rows, columns, u, v, np.zeros(len(v), np.float32))

    @classmethod
    def of_trained(cls, trained: Trained) -> Vectors:
        """Return the means of a Bayesian model, or what a folder has."""
        q = trained.posterior
        return cls(trained.row_side, trained.column_side, q.u.mean, q.v.mean, q.bias.mean)

    def as_trained(self) -> Trained:
        """Return the vectors in the form of a model folder, whose variances are tiny and say nothing."""
        nothing: dict[str, list[str]] = {"u": [], "v": [], "bias": []}
        hyperpriors, dtype = Hyperpriors(), np.dtype(np.float32)
        plan = Blueprint(self.row_side, self.column_side, (), self.dim, dtype, hyperpriors, nothing)
        built = plan.build(placeholder)
        arrays = {path: np.full(array.shape, _POINT, array.dtype) for path, array in built.arrays().items()}
        arrays |= {"u.mean": self.u, "v.mean": self.v, "bias.mean": self.bias}
        return Trained(
            row_side=self.row_side,
            column_side=self.column_side,
            relations=(),
            posterior=built.with_arrays(arrays),
            hyperpriors=hyperpriors,
            row_totals=self.row_side.active.astype(np.float64),
            negatives=_NEGATIVES,
            noise_power=_NOISE_POWER,
        )

    @property
    def shared(self) -> bool:
        """Whether rows and columns are the same entities."""
        return self.row_side.names is self.column_side.names

    @property
    def dim(self) -> int:
        """Number of dimensions."""
        return int(self.v.shape[1])

    def side(self, name: str) -> Side:
        """Return the rows or the columns."""
        if name not in (ROW, COLUMN):
            raise ParameterError(f"side must be 'row' or 'column', got {name!r}.")
        return self.row_side if name == ROW else self.column_side

    def ids(self, names: Iterable[object], side: str) -> np.ndarray:
        """Return the ids of names; an unknown one that the other side knows is told so."""
        try:
            return self.side(side).names.ids(names)
        except UnknownEntityError as error:
            other = ROW if side == COLUMN else COLUMN
            if self.shared or error.name not in self.side(other).names:
                raise
            where = f"it is the name of a {other}: pass {{remedy}}"
            raise UnknownEntityError(error.name, (), elsewhere=where, remedies=[("side", other)]) from None

    def candidates(self, side: str) -> np.ndarray:
        """Return a mask of what may be an answer: all entities but parents without data of their own."""
        own = self.side(side)
        found = np.ones(len(own.names), dtype=bool)
        if own.taxonomy is not None:
            found[own.taxonomy.category_ids] = False
        seen = self.row_side.active | self.column_side.active if self.shared else own.active
        return np.asarray(found | seen)

    def read_out(self, readout: str, side: str) -> np.ndarray:
        """Return the vector that stands for each entity: "entity" (u, or v for columns that are no rows) or "both"."""
        if readout in ("entity", "auto"):
            return self.u if self.side(side) is self.row_side or self.shared else self.v
        if readout != "both":
            raise ParameterError(f"readout must be 'entity' or 'both' for a model of vectors, got {readout!r}.")
        if not self.shared:
            raise ParameterError(
                "{remedy} adds the row and the column vector of an entity; here rows and columns are different "
                "entities, which have one each. Use {remedy}.",
                remedies=[("readout", "both"), ("readout", "entity")],
            )
        return np.asarray(self.u + self.v)

    def pool(self, side: str, candidates: Any, min_count: float | None) -> np.ndarray:
        """Return a mask of what a user lets be an answer: a list of names, or by default `candidates`."""
        names = self.side(side).names
        if candidates is None or (isinstance(candidates, str) and candidates == "entities"):
            found = self.candidates(side)
        elif isinstance(candidates, str) or not isinstance(candidates, Iterable):
            raise ParameterError(
                f"candidates={candidates!r} must be a list of names: models of vectors have no categories."
            )
        else:
            found = np.zeros(len(names), dtype=bool)
            found[self.ids(candidates, side)] = True
        return found if min_count is None else np.asarray(found & (names.counts >= read_min_count(min_count)))

    def nearest(
        self, plus: Sequence[object], minus: Sequence[object], k: int, readout: str, side: str, allowed: np.ndarray
    ) -> Table:
        """Return the entities with the largest cosine to some and not to others, each counting as a unit vector."""
        vectors, ids = self.read_out(readout, side), self.ids([*plus, *minus], side)
        asked = vectors[ids].astype(np.float64)
        query = (np.r_[np.ones(len(plus)), -np.ones(len(minus))] / lengths(asked)) @ asked
        unit_query = query / max(float(np.linalg.norm(query)), 1e-30)
        # A sum for each row, not one product: equal rows get equal bits, so ties go by id.
        scores = np.einsum("ij,j->i", vectors.astype(np.float64), unit_query) / lengths(vectors)
        return self.best(scores, ids, k, side, "cosine", allowed)

    def near(self, entity: object, k: int, side: str, allowed: np.ndarray) -> Table:
        """Return the entities whose vectors as columns have the largest product with one's vector as a row."""
        if not self.shared:
            raise ParameterError(
                "{remedy} needs rows and columns that are the same entities; use {remedy}.",
                remedies=[("by", "context"), ("by", "cosine")],
            )
        ids = self.ids([entity], side)
        scores = self.v.astype(np.float64) @ self.u[ids[0]].astype(np.float64) + self.bias
        return self.best(scores, ids, k, side, "score", allowed)

    def best(
        self, scores: np.ndarray, hidden: np.ndarray, k: int, side: str, measure: str, allowed: np.ndarray
    ) -> Table:
        """Return the k allowed entities of a side that score best, without some."""
        names, allowed = self.side(side).names, allowed.copy()
        allowed[hidden] = False
        best = top(scores, allowed, k)
        return Table.of(names, best, scores[best], np.zeros(len(best)), measure)


def _check_finite(*arrays: np.ndarray) -> None:
    if not all(np.isfinite(array).all() for array in arrays):
        raise NumericalError("training ended with vectors that are not finite; try a smaller learning rate.")


def fitted(model: Any) -> Vectors:
    """Return the vectors of a model; an error before its `fit`."""
    vectors: Vectors | None = model._vectors
    if vectors is None:
        raise NotFittedError(f"this {type(model).__name__} has not been fitted; call fit(data) first.")
    return vectors


class Stored(Baseline):
    """A model that is saved as vectors."""

    _vectors: Vectors | None = None

    def save(self, folder: str | os.PathLike[str], counts: bool = True) -> Path:
        """Write the model to a folder that `vbn.load` reads; replaces a model that is there.

        Parameters
        ----------
        folder
            Where to; made if it does not exist.
        counts
            Whether to keep the counts, which say what a user has.
        """
        trained = fitted(self).as_trained()
        self._check_for_saving()
        record: dict[str, Any] = {"lower_bounds": [], "validation": [], "converged": False}
        name, params = type(self).__name__, self.get_params()
        return write_folder(folder, trained, self.data_, name, params, record, counts=bool(counts))

    def _check(self) -> None:
        """Raise for parameters out of their range."""

    def _check_for_saving(self) -> None:
        """Raise for parameters that `vbn.load` would refuse."""
        self._check()

    def _restore(self, trained: Trained, data: Dataset | None, _: dict[str, Any]) -> None:
        self._vectors, self.data_ = Vectors.of_trained(trained), data

    def _known(self) -> Entities:
        vectors = fitted(self)
        return Entities(vectors.row_side.names, vectors.column_side.names, vectors.candidates(COLUMN))


def asked_about(entity: Any, positive: Any, negative: Any) -> tuple[list[object], list[object]]:
    """Return the names that an answer of `similar` should be near, and those it should be far from."""
    lists = []
    for given in (entity, positive, negative):
        single = isinstance(given, str) or not isinstance(given, Iterable)
        lists.append([] if given is None else [given] if single else list(given))
    plus, minus = [*lists[0], *lists[1]], lists[2]
    if not plus and not minus:
        raise ParameterError(
            "similar() needs an entity, or {remedy} and {remedy} lists.", remedies=[("positive",), ("negative",)]
        )
    return plus, minus


class VectorModel(Stored):
    """A model of vectors; scores are u.v + b unless a class says otherwise."""

    def similar(
        self,
        entity: object = None,
        k: int = 10,
        *,
        by: str = "cosine",
        positive: Sequence[object] | None = None,
        negative: Sequence[object] | None = None,
        side: str = "column",
        readout: str = "entity",
        role: None = None,
        candidates: Iterable[object] | None = None,
        min_count: float | None = None,
    ) -> Table:
        """Return the entities most similar to one, or to some and not to others.

        Parameters
        ----------
        entity
            A name; or give `positive` and `negative` lists for an analogy.
        k
            How many.
        by
            "cosine" of the vectors (or "mean", the same here), or "context": the product of the entity's row vector
            with all column vectors.
        side
            "row" or "column", where the two differ.
        readout
            For "cosine": which vectors are compared, as in `vectors`.
        role
            Must be None: models of vectors have no categories.
        candidates
            Names of the only entities that may be an answer; by default all but those that are parents only.
        min_count
            Only answer with entities that were seen at least this often.
        """
        vectors = fitted(self)
        plus, minus = asked_about(entity, positive, negative)
        check_k(k)
        if role is not None:
            raise ParameterError(f"role is for models with categories; it must be None, got {role!r}.")
        allowed = vectors.pool(side, candidates, min_count)
        if by in ("cosine", "mean"):
            return vectors.nearest(plus, minus, int(k), readout, side, allowed)
        if by != "context":
            raise ParameterError(f"by must be 'cosine', 'mean' or 'context', got {by!r}.")
        if minus or len(plus) != 1:
            raise ParameterError(
                "{remedy} ranks what occurs near one entity; give one name, or use {remedy}.",
                remedies=[("by", "context"), ("by", "cosine")],
            )
        return vectors.near(plus[0], int(k), side, allowed)

    def vectors(
        self, names: Iterable[object] | None = None, *, readout: str = "entity", side: str = "column"
    ) -> tuple[list[str], np.ndarray]:
        """Return one vector for each entity.

        Parameters
        ----------
        names
            Whose; by default all entities of the side, including those that are only parents.
        readout
            "entity": the row vector, u (for columns that are no rows: v). "both": u + v, where rows and columns are
            the same entities.
        side
            "row" or "column", where the two differ.

        Returns
        -------
        names : list of str
        vectors : ndarray of shape (number of names, dim)
        """
        vectors = fitted(self)
        if isinstance(names, str) or not (names is None or isinstance(names, Iterable)):
            raise ParameterError(f"names={names!r} must be a list of names.")
        found, entities = vectors.read_out(readout, side), vectors.side(side).names
        if names is None:
            return list(entities.names), found.copy()
        ids = vectors.ids(list(names), side)
        return [entities[int(i)] for i in ids], found[ids]

    def export(
        self,
        path: str | os.PathLike[str],
        format: str | None = None,  # noqa: A002 - the name that VBN.export has
        *,
        role: str = "entity",
        side: str = "column",
        categories: bool = True,
    ) -> Path:
        """Write the vectors to one file that other tools open, in the formats of `VBN.export`; variances are 0.

        Parameters
        ----------
        path, format
            Name of the file, and its format; by default what the suffix says.
        role
            "entity": vectors of rows (u); "context": of columns (v). Where rows and columns are different entities,
            the vectors are those of the given side.
        side
            "row" or "column", where the two differ.
        categories
            Whether to include entities that were never seen and are only parents of others.
        """
        vectors = fitted(self)
        if role not in ("entity", "context"):
            raise ParameterError(f"role must be 'entity' or 'context', got {role!r}.")
        names, taxonomy = vectors.side(side).names, vectors.side(side).taxonomy
        as_row = role == "entity" if vectors.shared else side == "row"
        mean = vectors.u if as_row else vectors.v
        ids = np.arange(len(names)) if categories else np.flatnonzero(vectors.candidates(side))
        chosen = [names[i] for i in ids.tolist()]
        numbers = names.counts[ids], mean[ids], np.zeros_like(mean[ids])
        found = Densities(chosen, *numbers, taxonomy, ids, names.labels_of(ids))
        return write_densities(path, found, format)

    def _row_scores(self, rows: np.ndarray) -> np.ndarray:
        return self._vector_scores(fitted(self).u[rows])

    def _basket_scores(self, baskets: Any) -> np.ndarray:
        return self._vector_scores(self._folded_in(baskets))

    def _folded_in(self, baskets: Any) -> np.ndarray:
        """Return a vector for each basket: by default the mean of its columns' vectors."""
        return mean_vectors(baskets, fitted(self).v)

    def _vector_scores(self, queries: np.ndarray) -> np.ndarray:
        vectors = fitted(self)
        return np.asarray(queries.astype(np.float64) @ vectors.v.T.astype(np.float64) + vectors.bias)


def mean_vectors(baskets: Any, vectors: np.ndarray) -> np.ndarray:
    """Return the mean of the vectors of each basket's columns, weighted by their counts; 0 for an empty basket."""
    totals = np.asarray(baskets.sum(axis=1), dtype=np.float64)
    return np.asarray((baskets @ vectors.astype(np.float64)) / np.where(totals > 0, totals, 1.0)[:, None])


def unit(vectors: np.ndarray) -> np.ndarray:
    """Return vectors of length 1; a vector of 0 stays 0."""
    vectors = vectors.astype(np.float64)
    sizes = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(sizes > 0, sizes, 1.0))
