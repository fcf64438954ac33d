"""Questions to a trained model: names in, tables and densities out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from vbn._errors import DataError, NotFittedError, ParameterError
from vbn.data import Dataset
from vbn.inference._density import Density
from vbn.inference._neighbours import similar
from vbn.inference._predictive import pair_scores, probability, relation_scores
from vbn.inference._related import related
from vbn.inference._table import Table
from vbn.model._trained import Trained

Pairs = Iterable[tuple[Any, Any]]


class Queries:
    """What every trained model answers."""

    _trained: Trained | None = None
    _data: Dataset | None = None
    seed: int

    def _model(self) -> Trained:
        if self._trained is None:
            raise NotFittedError(f"this {type(self).__name__} has not been fitted; call fit(data) first.")
        return self._trained

    def posterior(self, entity: object, role: str = "entity", part: str | None = None, side: str = "column") -> Density:
        """The density of an entity.

        Parameters
        ----------
        entity
            Its name.
        role
            "entity": its density as a row (u); "context": as a column (v); "category": as a parent (h), where `part`
            "u" (default) or "v" says which. Where rows and columns are different entities, "entity" is the density of
            the given side.
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
        graph, densities = trained.graph(part), trained.part(part)
        number = graph.category_of[names.id(entity)]
        if number < 0:
            raise DataError(f"{str(entity)!r} has no children in the taxonomy, so it has no density as a category.")
        mean = densities.category_mean[number].copy()
        return Density(mean, np.full_like(mean, densities.category_variance[number]))

    def predict_proba(self, pairs: Pairs) -> np.ndarray:
        """Probability that the second entity of each pair occurs near the first (paper, posterior predictive)."""
        trained = self._model()
        left, right = _columns(pairs)
        scores = pair_scores(trained, trained.rows.ids(left), trained.columns.ids(right))
        return probability(*scores, trained.temperature)

    def relation_proba(self, relation: str, pairs: Pairs) -> np.ndarray:
        """Probability that a relation holds from the first to the second entity of each pair."""
        trained = self._model()
        number = trained.relation_number(relation)
        left, right = _columns(pairs)
        return probability(*relation_scores(trained, number, trained.rows.ids(left), trained.columns.ids(right)))

    def similar(
        self, entity: object = None, k: int = 10, *, by: str = "cosine", positive: Sequence[object] | None = None,
        negative: Sequence[object] | None = None, side: str = "column",
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
        """
        trained = self._model()
        plus = [] if entity is None else [entity]
        plus, minus = [*plus, *(positive or [])], list(negative or [])
        if not plus and not minus:
            raise ParameterError("similar() needs an entity, or positive= and negative= lists.")
        trained.vocabulary(side)
        check_k(k)
        return similar(trained, plus, minus, int(k), by, side, trained.profile.candidates(side))

    def related(self, relation: str, entity: object, k: int = 10) -> Table:
        """The entities to which a relation most probably leads from the given one."""
        trained = self._model()
        check_k(k)
        return related(trained, relation, entity, int(k), trained.profile.candidates("column"))


def _columns(pairs: Pairs) -> tuple[list[Any], list[Any]]:
    rows = [tuple(pair) for pair in pairs]
    for number, row in enumerate(rows):
        if len(row) != 2:
            raise DataError(f"pair {number} has {len(row)} entries instead of 2: {row!r}.")
    return [row[0] for row in rows], [row[1] for row in rows]


def check_k(k: Any) -> None:
    """Refuse what cannot be a number of answers."""
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise ParameterError(f"k={k!r} must be a whole number of at least 1.")
