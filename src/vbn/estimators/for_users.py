"""Users and items: who may like an item, why this item for this user, and answers for any number of users."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from vbn._errors import REMEDY, DataError, ParameterError
from vbn.estimators.batches import Batches, in_batches
from vbn.estimators.by_parents import ByParents
from vbn.estimators.checking import check_k, need_choice, need_flag
from vbn.estimators.queries import Hint, hinting, pairs_have_sides
from vbn.estimators.recommending import contexts_of_baskets, read_baskets
from vbn.inference import (
    RANK_BY,
    Asking,
    Dial,
    Reasons,
    Table,
    Tables,
    audience,
    expected_cooccurrences,
    fold_in,
    folded_cells,
    give_reasons,
    rows_with,
)
from vbn.model import Trained

if TYPE_CHECKING:
    from vbn.data import Dataset
    from vbn.sampling import Sampler


def _of_an_item(side: str) -> Hint:  # noqa: ARG001 - a row
    return f"an audience is that of a column; what a row may like is {REMEDY}", [("", "recommend(user=...)")]


class ForUsers(ByParents):
    """Questions about users and items, beyond those about single entities."""

    if TYPE_CHECKING:

        @property
        def settings_(self) -> dict[str, Any]:
            """The parameters of the last fit."""

        def _sampler(self, data: Dataset) -> Sampler: ...

        def _dial(self, popularity: Any, floor: Any = 0.0, favour: str | None = None) -> Dial: ...

    @hinting(_of_an_item)
    def audience(
        self,
        item: Any,
        k: int = 100,
        *,
        exclude_seen: bool = True,
        candidates: Iterable[object] | None = None,
        popularity: float | str = 0.0,
        popularity_floor: float = 0.0,
        rank_by: str = "probability",
    ) -> Table | Tables:
        """Return who may like an item: the rows that go best with a column, one that nobody has had yet included.

        Parameters
        ----------
        item
            Its name, or a list of names (a batch). For an item that is not in the model, `add` it first.
        k
            How many answers.
        exclude_seen
            Whether to leave out the rows that were seen with it; where rows are columns, only itself.
        candidates
            Names of the only rows that may be an answer; by default all except parents without data.
        popularity, popularity_floor
            The dial of `recommend`. It adds the same to all scores of an item, so it changes them, but not their order.
        rank_by
            As in `recommend`.

        Returns
        -------
        Table or Tables
            Entity (the row), score and standard deviation: those of `predict_proba` for each pair, unless there is a
            dial or another `rank_by`, which give those of `recommend`.

        Examples
        --------
        >>> import vbn
        >>> users = ["ann", "ann", "ben", "ben", "cem", "cem", "dee", "dee"] * 5
        >>> items = ["tea", "milk", "tea", "honey", "beer", "crisps", "beer", "nuts"] * 5
        >>> data = vbn.Dataset.from_interactions(users, items).with_taxonomy({"tea": ["hot drinks"]})
        >>> model = vbn.VBN(dim=4, epochs=20, negatives=2, verbose=False).fit(data)
        >>> model.audience("nuts", k=1).entities
        ['cem']
        >>> sorted(model.add("cocoa", parents=["hot drinks"]).audience("cocoa", k=2).entities)
        ['ann', 'ben']
        """
        trained = self.trained_
        _need_rows(trained)
        check_k(k)
        need_flag("exclude_seen", exclude_seen)
        need_choice("rank_by", rank_by, tuple(RANK_BY))
        dial = self._dial(popularity, popularity_floor)
        many = not isinstance(item, (str, bytes, numbers.Number)) and isinstance(item, Iterable)
        columns, allowed = trained.columns.ids(item if many else [item]), _rows(trained, candidates)
        found = []
        for column in columns.tolist():
            some = allowed.copy()
            some[self._seen_with(column) if exclude_seen else []] = False
            found.append(audience(trained, column, int(k), some, dial, rank_by))
        return Tables(found) if many else found[0]

    def recommend_all(
        self,
        users: Iterable[object] | None = None,
        k: int = 10,
        *,
        skip_unknown: bool = False,
        batch_size: int = 1024,
        **options: Any,
    ) -> Batches:
        """Answer any number of users, some at a time: memory does not grow with their number.

        Parameters
        ----------
        users
            Names of rows seen in training; by default all rows except parents without data.
        k
            How many answers for each.
        skip_unknown
            Whether to leave out names that the model does not know. Otherwise they are an error, before anything is
            computed.
        batch_size
            How many users are answered at a time. The answers do not depend on it, unless they are drawn (`sample`).
        **options
            Those of `recommend`, such as `popularity`, `exclude_seen` and `candidates`.

        Returns
        -------
        Batches
            Iterates over the batches, each computed when it is asked for: `Tables`, whose tables name their user in
            `query`. Has the lists `users` and `unknown`.

        Examples
        --------
        >>> import vbn
        >>> data = vbn.Dataset.from_interactions([1, 1, 2, 2, 3], ["tea", "milk", "tea", "nuts", "milk"])
        >>> model = vbn.VBN(dim=2, epochs=5, verbose=False).fit(data)
        >>> [(table.query, len(table)) for batch in model.recommend_all(k=1) for table in batch]
        [('1', 1), ('2', 1), ('3', 1)]
        >>> [table.query for batch in model.recommend_all([2, "9", "3"], skip_unknown=True) for table in batch]
        ['2', '3']
        """
        trained = self.trained_
        if users is None:
            _need_rows(trained)
        everybody = trained.profile.candidates("row")
        return in_batches(self, trained.rows, trained.columns, everybody, users, k, skip_unknown, batch_size, options)

    @hinting(pairs_have_sides)
    def _reasons(self, user: Any, item: object, k: int, dial: Dial, ranked: bool) -> Reasons:
        check_k(k)
        trained = self.trained_
        column = trained.columns.id(item)
        single = isinstance(user, (str, bytes, numbers.Number))
        asking = self._row(user) if single else self._folded_in(user)
        return give_reasons(trained, asking, column, int(k), dial, ranked)

    def _row(self, user: object) -> Asking:
        """Return the density of a row, with the cells that training showed it."""
        trained, data = self.trained_, self.data_
        i, u = trained.rows.id(user), trained.posterior.u
        cells = None
        if data is not None:
            shown = expected_cooccurrences(data, self._sampler(data), self.settings_["subsample"])
            cells = shown.row(i)
        sites = u.sites
        evidence = (
            None if sites is None else (sites.precision[i].astype(np.float64), sites.linear[i].astype(np.float64))
        )
        return Asking(
            trained.rows[i],
            trained.rows.label(i),
            u.mean[i].astype(np.float64),
            u.variance[i].astype(np.float64),
            u.prior.means(np.array([i]))[0],
            float(u.tau[i]),
            bool(trained.row_active[i]),
            cells,
            evidence,
        )

    def _folded_in(self, items: Any) -> Asking:
        """Return the density of a new user with these items."""
        trained = self.trained_
        many, baskets = read_baskets(items)
        if many:
            raise ParameterError("explain() takes one user: a name, or a list of items.")
        _, contexts = contexts_of_baskets(trained, baskets)
        query = fold_in(trained, contexts)
        cells, tau = folded_cells(trained, contexts, query)
        mean, variance = (array[0].astype(np.float64) for array in (query.mean, query.variance))
        return Asking("a new user", None, mean, variance, np.zeros_like(mean), tau, bool(baskets[0]), cells)

    def _seen_with(self, column: int) -> np.ndarray:
        """Return the rows that are no answer for a column: those seen with it, or itself where rows are columns."""
        trained, data = self.trained_, self.data_
        if trained.shared:
            return np.array([column])
        if data is None:
            raise DataError(
                f"this model was saved without its counts, so who has an item is not known. Pass {REMEDY}, or save it "
                f"with {REMEDY}.",
                remedies=[("exclude_seen", False), ("counts", True)],
            )
        return rows_with(data.counts, column)


def _need_rows(trained: Trained) -> None:
    """Refuse to ask all rows of a model that has none."""
    if trained.left_out is not None and not trained.row_active.any():
        raise DataError(
            f"this model was saved without its rows, such as users: nobody is there to ask; save with {REMEDY}.",
            remedies=[("rows", True)],
        )


def _rows(trained: Trained, candidates: Any) -> np.ndarray:
    """Return a mask of the rows that may be an answer."""
    if candidates is None:
        return trained.profile.candidates("row")
    if isinstance(candidates, str) or not isinstance(candidates, Iterable):
        raise ParameterError(f"candidates={candidates!r} must be a list of names.")
    mask = np.zeros(len(trained.rows), dtype=bool)
    mask[trained.rows.ids(candidates)] = True
    return mask
