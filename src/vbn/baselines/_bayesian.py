"""Bayesian skip-gram (Barkan, 2017): the same model without prior knowledge."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Self

from vbn.baselines._absent import Absent
from vbn.data import Dataset
from vbn.estimators import VBN, Callback, need_datasets, registered


@registered
class BayesianSkipGram(VBN):
    """`VBN` on co-occurrences alone: a taxonomy and relations of the data are left aside.

    Parameters are those of `VBN`; those of relations do nothing. Entities that came with the taxonomy stay in the
    vocabulary, without data and without parents, so that ids are those of the data.

    Examples
    --------
    >>> import vbn
    >>> data = vbn.Dataset.from_pairs(["dog", "cat"], ["barks", "purrs"], [9, 9]).with_taxonomy({"dog": ["animal"]})
    >>> model = vbn.BayesianSkipGram(dim=2, epochs=3, verbose=False).fit(data)
    >>> model.posterior("animal").mean.tolist()
    [0.0, 0.0]
    """

    relation_proba = Absent("it learns no relations")
    related = Absent("it learns no relations")

    def fit(
        self, data: Dataset, validation: Dataset | None = None, callbacks: Iterable[Callback] = (),
        resume_from: str | os.PathLike[str] | None = None,
    ) -> Self:  # fmt: skip
        """Learn the densities from the counts; as in `VBN.fit`."""
        need_datasets("fit", data, validation)
        return super().fit(counts_only(data), validation, callbacks, resume_from)

    def partial_fit(
        self, data: Dataset, validation: Dataset | None = None, callbacks: Iterable[Callback] = (),
        resume_from: str | os.PathLike[str] | None = None,
    ) -> Self:  # fmt: skip
        """Add counts to what was learned; as in `VBN.partial_fit`."""
        need_datasets("partial_fit", data, validation)
        return super().partial_fit(counts_only(data), validation, callbacks, resume_from)


def counts_only(data: Dataset) -> Dataset:
    """The data without taxonomies and relations, over the same entities."""
    return Dataset(data.rows, None if data.shared else data.columns, data.counts, kind=data.kind)
