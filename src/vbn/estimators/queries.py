"""Questions that every trained model answers: names in, tables and densities out."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self, TypeVar

import numpy as np

from vbn._errors import REMEDY, NotFittedError, ParameterError, UnknownEntityError
from vbn.data import Dataset, pair_columns
from vbn.estimators.checking import check_k, need_choice
from vbn.inference import (
    KNOWN,
    Asked,
    Density,
    Kept,
    Related,
    Similarity,
    Table,
    as_categories,
    check_readout,
    read_dial,
    read_out,
    read_pool,
    related,
    resolved_readout,
    similar,
    similarity,
)
from vbn.model import Gaussians, Half, Trained

Method = TypeVar("Method", bound=Callable[..., Any])
Hint = tuple[str, list[tuple[str, object] | tuple[str]]]  # what to do, and the remedies of it


def by_side(side: str) -> Hint:
    """Say that a name of the other side needs `side`."""
    return f"pass {REMEDY}", [("side", side)]


def pairs_have_sides(side: str) -> Hint:  # noqa: ARG001 - the same for both
    """Say which side of a pair is which."""
    return "pairs go from a row to a column", []


def hinting(hint: Callable[[str], Hint]) -> Callable[[Method], Method]:
    """Let a method say what to do with an unknown name that is known on the other side: `hint(side)`."""

    def decorate(method: Method) -> Method:
        @functools.wraps(method)
        def wrapped(self: Any, *args: Any, **options: Any) -> Any:
            try:
                return method(self, *args, **options)
            except UnknownEntityError as error:
                trained = self._trained
                if trained is None or trained.shared or error.elsewhere:
                    raise
                sides = [side for side in ("row", "column") if error.name in trained.vocabulary(side)]
                if len(sides) != 1:
                    raise
                text, remedies = hint(sides[0])
                elsewhere = f"it is the name of a {sides[0]}: {text}"
                raise UnknownEntityError(error.name, (), error.what, elsewhere, remedies) from None

        return wrapped  # type: ignore[return-value]

    return decorate


class Queries:
    """What every trained model answers."""

    _trained: Trained | None = None
    _kept: Dataset | Kept | None = None
    seed: int

    @property
    def _data(self) -> Dataset | None:
        """The data with all events that were observed since."""
        kept = self._kept
        return kept.merged if isinstance(kept, Kept) else kept

    @_data.setter
    def _data(self, data: Dataset | None) -> None:
        self._kept = data

    @property
    def trained_(self) -> Trained:
        """The fitted state: vocabularies, taxonomies and the posterior; raises `NotFittedError` before `fit`."""
        if self._trained is None:
            raise NotFittedError(f"this {type(self).__name__} has not been fitted; call fit(data) first.")
        return self._trained

    @property
    def data_(self) -> Dataset | None:
        """The data that the model has learned from; None if it was saved without its counts."""
        _ = self.trained_  # raises before `fit`
        return self._data

    @property
    def has_counts(self) -> bool:
        """Whether the model has the counts that it has learned from: whether `data_` is there, without making it."""
        return self._kept is not None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all entities, in the order of their ids; of the columns, where rows and columns differ."""
        return self.trained_.columns.names

    def __contains__(self, name: object) -> bool:
        return name in self.trained_.columns

    def with_trained(self, trained: Trained, data: Dataset | None = None) -> Self:
        """Return a copy of this model with another fitted state, such as a changed `trained_`.

        Parameters
        ----------
        trained
            The fitted state.
        data
            What the copy has as `data_`; None: it has no counts.

        Examples
        --------
        >>> import vbn
        >>> data = vbn.Dataset.from_pairs(["a", "b"], ["b", "a"])
        >>> model = vbn.VBN(dim=2, epochs=2, verbose=False).fit(data)
        >>> twin = model.with_trained(model.trained_, model.data_).add("c", contexts=["a"])
        >>> "c" in twin.trained_.rows, "c" in model.trained_.rows
        (True, False)
        """
        result = copy.copy(self)
        result._trained, result._data = trained, data
        return result

    @hinting(by_side)
    def posterior(
        self, entity: object, role: str | None = None, part: str | None = None, side: str = "column"
    ) -> Density:
        """Return the density of an entity.

        Parameters
        ----------
        entity
            Its name.
        role
            "entity": its density as a row (u); "context": as a column (v); "category": as a parent (h), where `part`
            says which. Where rows and columns are different entities, "entity" is the density of the given side. By
            default "category" for a parent without data of its own, whose density is held in place by its children,
            and "entity" for all others. As an "entity", such a parent has the wide density of something unseen below
            its own parents.
        part
            For "category": "u" (default) or "v".
        side
            "row" or "column": the namespace, where the two differ.

        Examples
        --------
        >>> import vbn
        >>> data = vbn.Dataset.from_pairs(["a", "b"], ["b", "a"])
        >>> model = vbn.VBN(dim=2, epochs=2, verbose=False).fit(data)
        >>> model.posterior("a").std.shape
        (2,)
        """
        trained = self.trained_
        names = trained.vocabulary(side)
        if role is None:
            role = "category" if as_categories(trained, side, names.ids([entity]))[0] else "entity"
        need_choice("role", role, ("entity", "context", "category"))
        if role == "category":
            return _category(trained, trained.halves(side)[0] if part is None else trained.half(part), entity)
        chosen, i = _part(trained, role, side), names.id(entity)
        return Density(chosen.mean[i].copy(), chosen.variance[i].copy())

    @hinting(pairs_have_sides)
    def relation_proba(self, relation: str, pairs: Any, return_std: bool = False) -> Any:
        """Return the probability that a relation holds from the first to the second entity of each pair.

        Parameters
        ----------
        relation
            Its name.
        pairs, return_std
            As in `predict_proba`.

        Notes
        -----
        With `relation_space="readout"` this is the probability among all columns, so most are small. Pairs that were
        given to training, and what resembles them, are more probable, unless the model was saved without its counts;
        each left entity with such pairs takes some milliseconds. With "joint" it is the paper's probability against
        noise.
        """
        trained = self.trained_
        asked = self._relation(relation)
        left, right = pair_columns(pairs)
        mean, variance = asked.pair_moments(trained.rows.ids(left), trained.columns.ids(right))
        link = trained.relation_link(relation)
        p = link.probability(mean, variance)
        return (p, link.std(mean, variance)) if return_std else p

    @hinting(by_side)
    def similar(
        self,
        entity: object = None,
        k: int = 10,
        *,
        by: str = "cosine",
        positive: Sequence[object] | None = None,
        negative: Sequence[object] | None = None,
        side: str = "column",
        readout: str = "auto",
        smoothing: float = 3.0,
        role: str | None = None,
        candidates: str | Iterable[object] | None = None,
        min_count: float | None = None,
    ) -> Table:
        """Return the entities most similar to one, or to some and not to others.

        A parent without data, such as a genre or a director, is asked about by its density as a category; its children
        are among the first answers then.

        Parameters
        ----------
        entity
            A name, or several that the answers should all be like; or give `positive` and `negative` for an analogy.
        k
            How many.
        by
            "cosine": the expected cosine of the two densities, E[a.b] / sqrt(E|a|^2 E|b|^2), which is small where
            little is known. "mean": the cosine of the posterior means, as gensim computes it; entities that were hardly
            seen may come first. "context": the probability of occurring near it (the paper's ranking).
        positive, negative
            Names that the answers should be like, and unlike. Each counts with a vector of length 1, less where little
            is known of it (`by="cosine"`).
        side
            "row" or "column", where the two differ.
        readout, smoothing
            For cosines: which vectors are compared, as in `vectors`. "auto": "smoothed" for words in text, "entity"
            otherwise. "smoothed" is better for rare entities of a good taxonomy. Categories are compared as h, or as
            the sum of both their densities, and are never smoothed.
        role
            "entity" or "category": which density of the names given is meant. By default "category" for parents without
            data, and "entity" for all others.
        candidates
            What may be an answer: "entities" (default: all except parents without data), "categories" (all parents, by
            their densities as categories), or a list of names.
        min_count
            Only answer with entities that were seen at least this often.

        Returns
        -------
        Table
            Entity, score and standard deviation: for cosines that of the cosine of two vectors drawn from the two
            densities.

        Examples
        --------
        >>> import vbn
        >>> data = vbn.Dataset.from_pairs(["dog", "cat", "car"], ["barks", "purrs", "honks"], [9, 9, 9])
        >>> data = data.with_taxonomy({"dog": ["animal"], "cat": ["animal"]})
        >>> model = vbn.VBN(dim=2, epochs=9, verbose=False).fit(data)
        >>> sorted(model.similar("animal", k=2, candidates=["dog", "cat", "car"]).entities)
        ['cat', 'dog']
        """
        trained = self.trained_
        plus = [*_names(entity), *_names(positive)]
        minus = _names(negative)
        if not plus and not minus:
            raise ParameterError(
                f"similar() needs an entity, or lists {REMEDY} and {REMEDY}.",
                remedies=[("positive",), ("negative",)],
            )
        trained.vocabulary(side)
        check_k(k)
        if readout == "auto":
            readout = "entity" if by == "context" else resolved_readout(trained)
        check_readout(trained, readout, smoothing)
        pool = read_pool(trained, side, candidates, min_count)
        return similar(trained, plus, minus, int(k), by, side, pool, readout, float(smoothing), role)

    @hinting(by_side)
    def similarity(
        self,
        a: Any,
        b: object = None,
        *,
        side: str = "column",
        readout: str = "auto",
        smoothing: float = 3.0,
        role: str | None = None,
    ) -> Similarity | list[Similarity]:
        """Return how similar two entities are: the cosine of their posterior means, with its standard deviation.

        Parameters
        ----------
        a, b
            Two names; or only pairs of names, in any form that `predict_proba` takes, for a list of answers.
        side, readout, smoothing, role
            As in `similar`.

        Returns
        -------
        Similarity or list of Similarity
            With `score` and `std`; `float(...)` of it is the score. The standard deviation is that of the cosine of two
            vectors drawn from the two densities: where it is large, the score says little.

        Examples
        --------
        >>> import vbn
        >>> data = vbn.Dataset.from_sequences([["a", "dog", "barks"], ["a", "cat", "purrs"]] * 5)
        >>> model = vbn.VBN(dim=2, epochs=9, verbose=False).fit(data)
        >>> near = model.similarity("dog", "cat")
        >>> -1 <= near.score <= 1 and near.std > 0
        True
        >>> len(model.similarity([("dog", "cat"), ("a", "purrs")]))
        2
        """
        trained = self.trained_
        trained.vocabulary(side)
        readout = resolved_readout(trained, readout)
        check_readout(trained, readout, smoothing)
        left, right = pair_columns(a) if b is None else ([a], [b])
        found = similarity(trained, left, right, side, readout, float(smoothing), role)
        return found if b is None else found[0]

    @hinting(by_side)
    def vectors(
        self,
        names: Iterable[object] | None = None,
        *,
        readout: str = "entity",
        side: str = "column",
        smoothing: float = 3.0,
    ) -> tuple[list[str], np.ndarray]:
        """Return one vector for each entity: the mean of its density.

        Parameters
        ----------
        names
            Whose vectors; by default those of all entities of the side. A parent without data is included as an entity
            that was not seen yet; `posterior` returns its density as a category.
        readout
            "entity": the density as a row, u (for columns that are not rows: v). "both": u + v, where rows and columns
            are the same entities. "smoothed": the mean of u + v and, `smoothing` times as heavy, of what the parents
            predict; entities without parents stay u + v. Where rows and columns differ, "smoothed" pulls the density of
            the side towards its parents. "auto": as in `similarity`.
        side
            "row" or "column", where the two differ.
        smoothing
            Weight of the parents in "smoothed"; 0 makes it "both".

        Returns
        -------
        names : list of str
        vectors : ndarray of shape (number of names, dim)

        Examples
        --------
        >>> import vbn
        >>> data = vbn.Dataset.from_pairs(["dog", "cat"], ["barks", "purrs"], [9, 9]).with_taxonomy({"dog": ["animal"]})
        >>> model = vbn.VBN(dim=2, epochs=3, verbose=False).fit(data)
        >>> names, vectors = model.vectors(["dog", "cat"], readout="smoothed")
        >>> names, vectors.shape
        (['dog', 'cat'], (2, 2))
        """
        trained = self.trained_
        known = trained.vocabulary(side)
        if isinstance(names, str) or not (names is None or isinstance(names, Iterable)):
            raise ParameterError(f"names={names!r} must be a list of names.")
        mean = read_out(trained, resolved_readout(trained, readout), side, smoothing).mean
        if names is None:
            return list(known.names), mean.copy()
        ids = known.ids(list(names))
        return [known[int(i)] for i in ids], mean[ids]

    @hinting(lambda _: ("relations lead from a row to a column", []))
    def related(
        self,
        relation: str,
        entity: object,
        k: int = 10,
        popularity: float = 0.0,
        popularity_floor: float = 0.0,
        known: str = "first",
    ) -> Related:
        """Return the entities to which a relation leads from the given one: known ones first, then the most probable.

        Parameters
        ----------
        relation
            Name of the relation.
        entity
            Where it starts.
        k
            Number of answers.
        popularity, popularity_floor
            The dial of `recommend`: this many times log(count + floor x mean count) is added to the logit when ranking.
            Scores stay probabilities.
        known
            Pairs that training was given come "first" (by weight, then by probability), are "ranked" by their
            probability like all others, or are "excluded".

        Returns
        -------
        Related
            A table with the fields entity, score (the probability), std and known: whether training was given the pair;
            None if the model was saved without its counts, and so without its pairs.

        Examples
        --------
        >>> import vbn
        >>> data = vbn.Dataset.from_pairs(["a", "b", "c"], ["b", "c", "a"]).with_relation("next", [("a", "c")])
        >>> model = vbn.VBN(dim=2, epochs=3, verbose=False).fit(data)
        >>> [(row.entity, row.known) for row in model.related("next", "a")]
        [('c', True), ('b', False)]
        >>> model.related("next", "a", known="excluded").entities
        ['b']
        """
        asked = self._relation(relation)
        check_k(k)
        need_choice("known", known, KNOWN)
        dial = read_dial(popularity, popularity_floor)
        return related(asked, entity, int(k), asked.trained.profile.candidates("column"), dial, known)

    def _relation(self, name: str) -> Asked:
        """Return a relation, with its pairs if the model has its data."""
        trained = self.trained_
        trained.relation_number(name)
        return Asked(trained, name, None if self._data is None else self._data.relations.get(name))


def _part(trained: Trained, role: str, side: str) -> Gaussians:
    return trained.halves(side)[0 if role == "entity" else -1].block


def _category(trained: Trained, half: Half, entity: object) -> Density:
    ids = half.names.ids([entity])
    as_categories(trained, half.side.name, ids, "category")  # raises if it has no children
    found = half.categories(ids)
    return Density(found.mean[0], found.variance[0])


def _names(given: Any) -> list[object]:
    """Return a list of names; a single one may be given as it is."""
    if given is None:
        return []
    return [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
