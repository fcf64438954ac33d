"""Questions to a trained model: names in, tables and densities out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from vbn._errors import DataError, NotFittedError, ParameterError
from vbn.data import Dataset, pair_columns
from vbn.estimators._checking import need_whole
from vbn.estimators._hints import BY_SIDE, PAIRS, hinting
from vbn.inference import (
    Density,
    Table,
    check_readout,
    probability,
    probability_std,
    read_dial,
    read_out,
    related,
    relation_scores,
    similar,
)
from vbn.model import Trained


class Queries:
    """What every trained model answers."""

    _trained: Trained | None = None
    _data: Dataset | None = None
    seed: int

    def _model(self) -> Trained:
        if self._trained is None:
            raise NotFittedError(f"this {type(self).__name__} has not been fitted; call fit(data) first.")
        return self._trained

    @hinting(BY_SIDE)
    def posterior(self, entity: object, role: str = "entity", part: str | None = None, side: str = "column") -> Density:
        """The density of an entity.

        Parameters
        ----------
        entity
            Its name.
        role
            "entity": its density as a row (u); "context": as a column (v); "category": as a parent (h), where `part`
            "u" (default) or "v" says which. Where rows and columns are different entities, "entity" is the density of
            the given side. What is only a parent, without data, has as an entity the wide density of something unseen
            below its own parents; as a category it has one that its children hold in place.
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
        trained = self._model()
        trained.vocabulary(side)
        if role == "category":
            return self._category(trained, entity, part or ("u" if trained.shared or side == "row" else "v"))
        if role not in ("entity", "context"):
            raise ParameterError(f"role={role!r} is neither 'entity', 'context' nor 'category'.")
        if trained.shared:
            chosen, names = trained.part("u" if role == "entity" else "v"), trained.rows
        else:
            chosen, names = trained.part("u" if side == "row" else "v"), trained.vocabulary(side)
        i = names.id(entity)
        return Density(chosen.mean[i].copy(), chosen.variance[i].copy())

    @staticmethod
    def _category(trained: Trained, entity: object, part: str) -> Density:
        if part not in ("u", "v"):
            raise ParameterError(f"part={part!r} is neither 'u' nor 'v'.")
        names = trained.rows if part == "u" else trained.columns
        found = trained.category(part, names.id(entity))
        if found is None:
            raise DataError(f"{str(entity)!r} has no children in the taxonomy, so it has no density as a category.")
        return Density(found.mean, found.variance)

    @hinting(PAIRS)
    def relation_proba(self, relation: str, pairs: Any, return_std: bool = False) -> Any:
        """Probability that a relation holds from the first to the second entity of each pair.

        Parameters
        ----------
        relation
            Its name.
        pairs, return_std
            As in `predict_proba`.
        """
        trained = self._model()
        number = trained.relation_number(relation)
        left, right = pair_columns(pairs)
        scores = relation_scores(trained, number, trained.rows.ids(left), trained.columns.ids(right))
        return _answer(*scores, 1.0, return_std)

    @hinting(BY_SIDE)
    def similar(
        self, entity: object = None, k: int = 10, *, by: str = "cosine", positive: Sequence[object] | None = None,
        negative: Sequence[object] | None = None, side: str = "column", readout: str = "entity",
        smoothing: float = 3.0,
    ) -> Table:  # fmt: skip
        """The entities most similar to one, or to some and not to others.

        Parameters
        ----------
        entity
            A name; or give `positive` and `negative` lists for an analogy.
        k
            How many.
        by
            "cosine" of the posterior means, or "context": probability of occurring near it (the paper's ranking).
        side
            "row" or "column", where the two differ.
        readout, smoothing
            For "cosine": which vectors are compared, as in `vectors`. "smoothed" is the better one for rare entities of
            a good taxonomy.
        """
        trained = self._model()
        plus = [*([] if entity is None else [entity]), *_names(positive)]
        minus = _names(negative)
        if not plus and not minus:
            raise ParameterError("similar() needs an entity, or positive= and negative= lists.")
        trained.vocabulary(side)
        check_k(k)
        check_readout(trained, readout, smoothing)
        candidates = trained.profile.candidates(side)
        return similar(trained, plus, minus, int(k), by, side, candidates, readout, float(smoothing))

    @hinting(BY_SIDE)
    def vectors(
        self, names: Iterable[object] | None = None, *, readout: str = "entity", side: str = "column",
        smoothing: float = 3.0,
    ) -> tuple[list[str], np.ndarray]:  # fmt: skip
        """One vector for each entity: the mean of the density that stands for it.

        Parameters
        ----------
        names
            Whose; by default all entities of the side, those that are only parents included.
        readout
            "entity": the density as a row, u (for columns that are no rows: v). "both": u + v, where rows and columns
            are the same entities. "smoothed": these and, `smoothing` times as heavy, the means that the parents give to
            them, divided by 1 + smoothing; entities without parents stay u + v. Where rows and columns differ,
            "smoothed" draws the side's own density to its parents.
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
        trained = self._model()
        known = trained.vocabulary(side)
        if isinstance(names, str) or not (names is None or isinstance(names, Iterable)):
            raise ParameterError(f"names={names!r} must be a list of names.")
        mean = read_out(trained, readout, side, smoothing).mean
        if names is None:
            return list(known.names), mean.copy()
        ids = known.ids(list(names))
        return [known[int(i)] for i in ids], mean[ids]

    @hinting("relations lead from a row to a column")
    def related(
        self, relation: str, entity: object, k: int = 10, popularity: float = 0.0, popularity_floor: float = 0.0
    ) -> Table:
        """The entities to which a relation most probably leads from the given one.

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
        """
        trained = self._model()
        check_k(k)
        dial = read_dial(popularity, popularity_floor)
        return related(trained, relation, entity, int(k), trained.profile.candidates("column"), dial)


def _answer(mean: np.ndarray, variance: np.ndarray, temperature: float, return_std: bool) -> Any:
    p = probability(mean, variance, temperature)
    return (p, probability_std(mean, variance, temperature)) if return_std else p


def _names(given: Any) -> list[object]:
    """A list of names; a single one may be given as it is."""
    if given is None:
        return []
    return [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)


def check_k(k: Any) -> None:
    """Refuse what cannot be a number of answers."""
    need_whole("k", k, least=1)
