"""Entities that come after training: `add`."""

from __future__ import annotations

import warnings
from typing import Any, Self

from vbn.estimators._hints import hinting
from vbn.estimators._progress import announced
from vbn.estimators._queries import Queries
from vbn.inference import add_entities, read_newcomers, with_added


class Growing(Queries):
    """Gives a model `add`."""

    verbose: bool

    @hinting("parents stand on the same side as what is added, contexts on the other; see side=")
    def add(self, name: Any, parents: Any = None, contexts: Any = None, side: str = "column") -> Self:
        """Give entities that did not exist a density at once, without retraining; the model itself grows.

        Parameters
        ----------
        name
            A name. Or many at once, in any order: ``{name: {"parents": ..., "contexts": ...}}`` or ``{name: parents}``;
            rows (name, parent[, weight]), a table with such columns, or the path of one (text that ends in .csv, .tsv,
            .txt or .parquet, with or without .gz, is a path).
        parents
            Its parent, a list of parents, or {parent: weight}: entities that the model knows, or that are added in the
            same call.
        contexts
            What it was seen with: {entity: count}, or a list in which each occurrence counts 1. Folded in by the
            updates of training, all else held fixed. Of an item these are users, where the two differ.
        side
            "row" or "column", where the two differ.

        Raises
        ------
        UnknownEntityError
            For a parent or a context that the model does not know, with the closest names.
        TaxonomyError
            For new entities that are their own or each other's ancestors.
        DataError
            For a name that is taken, and for anything that cannot be a name, a weight or a count. As with the others,
            nothing has been added then.

        Examples
        --------
        >>> import vbn
        >>> data = vbn.Dataset.from_pairs(["dog", "cat"], ["barks", "purrs"], [9, 9])
        >>> data = data.with_taxonomy({"dog": "animal", "cat": "animal"})
        >>> model = vbn.VBN(dim=2, epochs=3, verbose=False).fit(data)
        >>> _ = model.add("wolf", parents=["animal"], contexts={"barks": 2})
        >>> _ = model.add({"pug": ["lapdog"], "lapdog": {"parents": {"dog": 3, "animal": 1}}})
        >>> model.posterior("pug").mean.shape
        (2,)
        """
        trained = self._model()
        trained.vocabulary(side)  # refuses an unknown side, also where nothing is added
        new = read_newcomers(name, parents, contexts)
        if new:
            with announced(f"inferring the densities of {len(new):,} new entities", self.verbose):
                grown = add_entities(trained, new, side, self.seed)
            if self._data is not None:
                self._data = with_added(self._data, grown, new, side)
            self._trained = grown
        _warn_of_the_unknown([entity.name for entity in new if not entity.parents and not entity.contexts])
        return self


def _warn_of_the_unknown(names: list[str]) -> None:
    if names:
        others = f" and {len(names) - 1:,} others" if names[1:] else ""
        warnings.warn(
            f"nothing is known of {names[0]!r}{others}: neither parents nor contexts were given, so any answer about "
            "such an entity is arbitrary.",
            stacklevel=4,  # the line that called add()
        )
