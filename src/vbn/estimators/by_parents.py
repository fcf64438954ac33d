"""What a model says of the parents of its entities: senses of a word, and whether the taxonomy fits the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vbn._errors import REMEDY, DataError
from vbn.data import Vocabulary
from vbn.estimators.checking import check_k, need_number
from vbn.estimators.exporting import Exports
from vbn.estimators.queries import by_side, hinting
from vbn.inference import (
    Audit,
    Senses,
    SensesOf,
    Split,
    Suggestions,
    audit,
    expected_cooccurrences,
    read_contexts,
    sense_of,
    senses,
    split_occurrences,
    suggest_parents,
)

if TYPE_CHECKING:
    from vbn.data import Dataset
    from vbn.sampling import Sampler


class ByParents(Exports):
    """Questions about parents, beyond `Queries`."""

    if TYPE_CHECKING:

        @property
        def settings_(self) -> dict[str, Any]:
            """The parameters of the last fit."""

        def _sampler(self, data: Dataset) -> Sampler: ...

    @hinting(by_side)
    def senses(self, entity: object, side: str = "column", k: int = 5) -> Senses:
        """Split the occurrences of an entity over its parents, such as those of a word over its meanings.

        Nothing is trained: the pairs that the entity was seen in are divided among its parents, and each parent gets a
        density of the entity of its own, until the two agree.

        Parameters
        ----------
        entity
            Its name. It needs at least two parents, and the model its counts.
        side
            "row" or "column", where the two differ.
        k
            How many contexts to name for each sense.

        Returns
        -------
        Senses
            A table, the most frequent sense first: the parent, its weight (the share of all occurrences), how many
            pairs it explains, and the contexts that tell it from the others.

        Examples
        --------
        >>> import vbn
        >>> text = [["river", "bank", "water"], ["money", "bank", "loan"], ["river", "shore", "water"]] * 20
        >>> text += [["money", "lender", "loan"], ["shore", "sand", "river"], ["lender", "money", "rate"]] * 20
        >>> kinds = {"bank": ["land", "firm"], "shore": ["land"], "lender": ["firm"]}
        >>> data = vbn.Dataset.from_sequences(text, window=2).with_taxonomy(kinds)
        >>> model = vbn.VBN(dim=8, epochs=30, verbose=False).fit(data)
        >>> {row.sense: sorted(row.contexts) for row in model.senses("bank", k=2)} == {
        ...     "land": ["river", "water"], "firm": ["loan", "money"]}
        True
        >>> model.sense_of("bank", context=["river", "water"])[0].sense
        'land'
        """
        check_k(k)
        split, others, _ = self._split(entity, side)
        return senses(split, others, int(k))

    @hinting(by_side)
    def sense_of(self, entity: object, context: Any = (), side: str = "column") -> SensesOf:
        """Return the probability of each sense of an entity in a context.

        Parameters
        ----------
        entity
            Its name, as in `senses`.
        context
            What it occurs with: names, or {name: count}. Without any, the weights of the senses decide.
        side
            "row" or "column", where the two differ.

        Returns
        -------
        SensesOf
            A table of senses and probabilities, the most probable first.
        """
        split, others, keep = self._split(entity, side)
        return sense_of(split, others, read_contexts(context), keep)

    def _split(self, entity: object, side: str) -> tuple[Split, Vocabulary, np.ndarray]:
        """Return the occurrences of an entity by sense, the names of its contexts and how much each of these counts."""
        trained, data = self.trained_, self.data_
        trained.vocabulary(side)
        if data is None:
            raise DataError(
                f"this model was saved without its counts, which senses are found from. Save it with {REMEDY}.",
                remedies=[("counts", True)],
            )
        shown = expected_cooccurrences(data, self._sampler(data), self.settings_["subsample"])
        split = split_occurrences(trained, str(entity), side, shown)
        as_row = trained.halves(side)[0].letter == "u"
        return split, trained.columns if as_row else trained.rows, shown.keep[1 if as_row else 0]

    def audit(self, side: str = "column", min_score: float = 3.0) -> Audit:
        """Say where the data speaks against the taxonomy, without training again.

        Parameters
        ----------
        side
            "row" or "column": whose taxonomy, where the two differ.
        min_score
            Edges with a lower log Bayes factor against the present parent are left out. 3 is an even chance if one edge
            in twenty is wrong.

        Returns
        -------
        Audit
            Findings with `kind`, `entity`, `parent`, `suggestion`, `score`, `evidence` and `suggestions`: edges that
            the data contradicts, children nearer to another category, categories whose children have nothing in common,
            levels that do not help, and names that are an entity and a parent at once. Prints as tables; has
            `of(kind)`, `to_pandas()` and `to_polars()`.

        Examples
        --------
        >>> import vbn
        >>> users = [f"u{n % 20}" for n in range(120)]
        >>> items = [f"{'tea' if n % 2 else 'beer'}{n // 20}" for n in range(120)]
        >>> taxonomy = {f"{kind}{n}": f"{kind}s" for kind in ("tea", "beer") for n in range(6)} | {"tea5": "beers"}
        >>> data = vbn.Dataset.from_interactions(users, items).with_taxonomy(taxonomy)
        >>> model = vbn.VBN(dim=4, verbose=False).fit(data)
        >>> [(finding.entity, finding.parent, finding.suggestion) for finding in model.audit(min_score=2.0)]
        [('tea5', 'beers', 'teas')]
        """
        need_number("min_score", min_score, least=0.0)
        return audit(self.trained_, side, float(min_score))

    @hinting(by_side)
    def suggest_parents(self, entity: object, k: int = 3, side: str = "column") -> Suggestions:
        """Return the categories that explain best what was observed of an entity, whatever its present parents are.

        Parameters
        ----------
        entity
            Its name; of a category without data of its own, what was observed of its children counts.
        k
            How many.
        side
            "row" or "column", where the two differ.

        Returns
        -------
        Suggestions
            Rows with the category as `entity`, `score`, the log Bayes factor against the best present parent at the
            same level of the taxonomy (below 0: the present one is better), `instead_of` and `children`.

        Raises
        ------
        DataError
            If the model has no taxonomy, or nothing was observed of the entity.
        """
        check_k(k)
        return suggest_parents(self.trained_, str(entity), side, int(k))
