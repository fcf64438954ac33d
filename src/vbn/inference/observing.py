"""Events: what was just seen updates the densities of the entities that it touches, and nothing else.

The density of a row or column is its prior times the evidence of earlier data. Events are new cells beside that
evidence, and the updates of training give the new density in closed form: rows first, then columns with their biases.
Negatives are those that training would have drawn, in expectation: columns at even steps of the noise distribution, as
in `vbn.inference.folding`, and for a column the rows at even steps of their weight.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from vbn._errors import REMEDY, DataError, NumericalError, UnknownEntityError
from vbn.data import Counts, Dataset, Events, Vocabulary, known_ids
from vbn.inference.folding import SWEEPS
from vbn.inference.spares import copies, keep_spare
from vbn.kernels import DensityArrays, EventArrays, EvidenceArrays, TouchedPrior
from vbn.model import Block, Gaussians, Posterior, Side, Trained

_DIRECTED = ("pairs", "matrix")  # kinds of data whose pairs count in the direction in which they are given
_NEGATIVES = (
    256  # others that stand for the noise; twice as many, as fold-in has, rank no better and take twice as long
)
_SETTLED = 0.02  # means that move by fewer standard deviations are settled
_SINCE = 100_000  # events that are kept apart before they are merged with the counts


def known_events(trained: Trained, events: Events, skip: bool) -> Events:
    """Return the events whose entities the model has, or can give a density at once: rows, where these are no columns.

    Others are an error, unless they are to be skipped.
    """
    if trained.left_out is not None and not skip:
        raise DataError(
            f"this model was saved without its rows, such as users, which events go from; save it with {REMEDY}.",
            remedies=[("rows", True)],
        )
    unknown = known_ids(trained.columns, events.columns) < 0
    wrong = unknown[events.column] | (trained.left_out is not None)
    if trained.shared:
        wrong |= (known_ids(trained.rows, events.rows) < 0)[events.row]
    if skip or not wrong.any():
        return events.only(~wrong)
    first = int(np.argmax(wrong))
    on_right = unknown[events.column[first]]
    name = events.columns[events.column[first]] if on_right else events.rows[events.row[first]]
    if not trained.shared and name in trained.rows:
        told = "it is the name of a row: events go from a row to a column"
        raise UnknownEntityError(name, (), "column", told)
    told = f"give it a density first with {REMEDY}, or leave such events out with {REMEDY}"
    what = "entity" if trained.shared else "column"
    try:
        trained.columns.id(name)
    except UnknownEntityError as error:
        if error.elsewhere:  # the label of several
            raise UnknownEntityError(name, (), what, error.elsewhere) from None
        if error.closest:
            told = f"did you mean {' or '.join(map(repr, error.closest))}? If it is new, {told}"
    raise UnknownEntityError(name, (), what, told, [("", "add()"), ("missing", "skip")])


@dataclass(frozen=True)
class Cells:
    """Events as cells, one for each pair, by row and column; rows from `len(trained.rows)` on are the `new` ones."""

    rows: np.ndarray
    columns: np.ndarray
    weights: np.ndarray
    new: tuple[str, ...] = ()

    @classmethod
    def of(cls, trained: Trained, events: Events, both_ways: bool) -> Cells:
        """Return the cells of events, whatever their order."""
        places = known_ids(trained.rows, events.rows)
        new = tuple(sorted({events.rows[at] for at in events.row.tolist() if places[at] < 0}))
        number = {name: len(trained.rows) + at for at, name in enumerate(new)}
        for at in np.flatnonzero(places < 0).tolist():
            places[at] = number.get(events.rows[at], -1)
        rows, columns = places[events.row], known_ids(trained.columns, events.columns)[events.column]
        weights = events.weights
        if both_ways:
            rows, columns, weights = np.r_[rows, columns], np.r_[columns, rows], np.r_[weights, weights]
        order = np.lexsort((weights, columns, rows))  # so that sums do not depend on the order of events
        shape = len(trained.rows) + len(new), len(trained.columns)
        counts = Counts.from_coo(rows[order], columns[order], weights[order], shape)
        return cls(counts.row_ids(), counts.indices.astype(np.int64), counts.values, new)


@dataclass(frozen=True)
class Kept:
    """The data of a model and the events that it has observed since, which are merged when somebody asks for them."""

    data: Dataset
    names: tuple[Vocabulary, Vocabulary]  # of rows and columns, with all events counted
    rows: np.ndarray
    columns: np.ndarray
    weights: np.ndarray

    @cached_property
    def merged(self) -> Dataset:
        """Return the data with all events."""
        rows, columns = self.names
        old, shape = self.data.counts, (len(rows), len(columns))
        more = Counts.from_coo(self.rows, self.columns, self.weights, shape).to_scipy()
        found = (old.resized(shape).to_scipy() + more).tocsr()
        found.sort_indices()
        counts = Counts(found.indptr, found.indices, found.data, shape)
        return self.data._replaced(rows, columns, counts=counts)

    def columns_of(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return where the columns of each of some rows begin, and the columns; nothing is merged for that.

        The rows must be in order. A column that was seen again comes twice.
        """
        before, known = self.data.counts, np.minimum(rows, self.data.counts.shape[0])
        first, last = (before.indptr[np.minimum(known + more, before.shape[0])] for more in (0, 1))
        old = np.repeat(np.arange(len(rows)), last - first)
        cells = np.arange(len(old)) + (first - np.searchsorted(old, np.arange(len(rows))))[old]
        since = np.isin(self.rows, rows)
        new = np.searchsorted(rows, self.rows[since])
        return by_owner(len(rows), (old, before.indices[cells]), (new, self.columns[since]))

    def seen(self, rows: np.ndarray) -> list[np.ndarray]:
        """Return the columns that each of some rows, in any order, was seen with."""
        distinct, places = np.unique(rows, return_inverse=True)
        indptr, columns = self.columns_of(distinct)
        return [np.unique(columns[indptr[at] : indptr[at + 1]]) for at in places.tolist()]

    @cached_property
    def by_column(self) -> Counts:
        """Return the counts by column, without the events."""
        return self.data.counts.transpose()


def by_owner(n: int, *parts: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return where the values of each of n owners begin, and the values, given owners and values in several parts."""
    owner, values = (np.concatenate([part[at] for part in parts]) for at in (0, 1))
    order = np.argsort(owner, kind="stable")
    return np.searchsorted(owner[order], np.arange(n + 1)), values[order].astype(np.int64)


def kept_with(kept: Dataset | Kept | None, trained: Trained, cells: Cells) -> Kept | None:
    """Return the data of a model with further events; `trained` has counted them already."""
    if kept is None:
        return None
    names = trained.rows, trained.columns
    if isinstance(kept, Dataset):
        return Kept(kept, names, cells.rows, cells.columns, cells.weights)
    if len(kept.rows) > _SINCE:
        return kept_with(kept.merged, trained, cells)
    made = Kept(
        kept.data,
        names,
        np.concatenate([kept.rows, cells.rows]),
        np.concatenate([kept.columns, cells.columns]),
        np.concatenate([kept.weights, cells.weights]),
    )
    if "by_column" in kept.__dict__:
        made.__dict__["by_column"] = kept.by_column
    return made


def counts_both_ways(trained: Trained, kept: Dataset | Kept | None) -> bool:
    """Return whether a pair counts in both directions, as in texts and baskets."""
    data = kept.data if isinstance(kept, Kept) else kept
    return trained.shared and (data is None or data.kind not in _DIRECTED)


def observe(trained: Trained, cells: Cells, kept: Dataset | Kept | None) -> Trained:
    """Return the model with the densities of the rows and columns of some cells updated."""
    if isinstance(kept, Dataset):
        none = np.empty(0, np.int64)
        kept = Kept(kept, (kept.rows, kept.columns), none, none, np.empty(0))
    made = _counted(trained, cells)
    q = made.posterior
    rows, columns = _Touched(cells.rows, cells.columns, cells), _Touched(cells.columns, cells.rows, cells)
    weights = trained.negatives * rows.totals
    noise = trained.profile.negatives(_NEGATIVES)
    events = _events(rows, noise, weights, bool(trained.rejects), True, kept)
    earlier = _without_company(trained, q, rows, kept)
    _update(events, q.u, None, q, earlier, trained.profile.row_precision if cells.new else None)
    _join_company(trained, q, rows, kept)
    totals = made.column_totals()[columns.ids]
    weights = trained.negatives * columns.totals * made.row_totals.sum() * made.noise()[columns.ids] / totals
    opponents = trained.profile.opponents(_NEGATIVES)
    events = _events(columns, opponents, weights, bool(trained.rejects), False, kept)
    _update(events, q.v, q.bias, q, trained.posterior.v)
    _check(made, rows.ids, columns.ids)
    if len(made.rows) == len(trained.rows):
        keep_spare(made, trained, rows.ids, columns.ids)
    return made


def _without_company(trained: Trained, q: Posterior, rows: _Touched, kept: Kept | None) -> Block:
    """Take what their columns say out of the rows that are updated, and return the block before the events likewise.

    Without counts the columns of a row are not known, and its density stays as it is.
    """
    u, n = trained.posterior.u, len(trained.rows)
    if trained.company is None or kept is None:
        return u
    known = rows.ids[rows.ids < n]
    own = trained.company.apart(Gaussians(u.mean[known], u.variance[known]), *kept.columns_of(known))
    q.u.mean[known], q.u.variance[known] = own.mean, own.variance
    return replace(u, mean=q.u.mean[:n], variance=q.u.variance[:n])


def _join_company(trained: Trained, q: Posterior, rows: _Touched, kept: Kept | None) -> None:
    """Let what their columns say be a part of rows again, those of the events included."""
    if trained.company is None:
        return
    first = 0 if kept is not None else int(np.searchsorted(rows.ids, len(trained.rows)))  # only new rows
    ids = rows.ids[first:]
    parts = [(np.repeat(np.arange(len(rows.ids)), np.diff(rows.indptr)), rows.others)]
    if kept is not None:
        indptr, columns = kept.columns_of(ids)
        parts.append((np.repeat(np.arange(len(ids)), np.diff(indptr)), columns))
    indptr, columns = by_owner(len(rows.ids), *parts)
    joined = trained.company.joined(
        Gaussians(q.u.mean[ids], q.u.variance[ids]), indptr[first:] - indptr[first], columns[indptr[first] :]
    )
    q.u.mean[ids], q.u.variance[ids] = joined.mean, joined.variance


class _Touched:
    """The entities of a side that cells touch, with the others of each."""

    def __init__(self, own: np.ndarray, others: np.ndarray, cells: Cells) -> None:
        self.is_row = own is cells.rows
        order = np.lexsort((others, own))
        self.ids, starts = np.unique(own[order], return_index=True)
        self.indptr = np.append(starts, len(order)).astype(np.int64)
        self.others, self.weights = others[order], cells.weights[order]
        self.totals = np.add.reduceat(self.weights, starts) if len(order) else np.empty(0)


def _counted(trained: Trained, cells: Cells) -> Trained:
    """Return the model with the cells in all its counts, and with new rows; all arrays may be written to."""
    n, m = len(trained.rows) + len(cells.new), len(trained.columns)
    of_rows, of_columns = np.bincount(cells.rows, cells.weights, n), np.bincount(cells.columns, cells.weights, m)
    total = trained.row_totals.sum()
    before = np.pad(trained.rows.counts, (0, len(cells.new)))
    if trained.shared:  # an entity counts as the mean of its row and its column
        unit = total / before.sum()
        rows = columns = trained.rows.recounted(before + (of_rows + of_columns) / (2 * unit))
    else:
        rows = trained.rows.recounted(before + of_rows / (total / before.sum()), cells.new)
        columns = trained.columns.recounted(
            trained.columns.counts + of_columns / (total / trained.columns.counts.sum())
        )
    row_active, column_active = np.pad(trained.row_active, (0, len(cells.new))), trained.column_active.copy()
    row_active[cells.rows] = column_active[cells.columns] = True
    sides = trained.row_side.over(rows, row_active), trained.column_side.over(columns, column_active)
    noise = trained.noise_counts
    made = replace(
        trained,
        row_totals=np.pad(trained.row_totals, (0, len(cells.new))) + of_rows,
        noise_counts=None if noise is None else noise + of_columns / (total / noise.sum()),
    )
    if cells.new or not _same_active(trained, *sides):
        return _rebuilt(made, *sides)
    return replace(made, row_side=sides[0], column_side=sides[1], posterior=_copied(trained, *sides))


def _same_active(trained: Trained, rows: Side, columns: Side) -> bool:
    return bool(
        np.array_equal(trained.row_active, rows.active) and np.array_equal(trained.column_active, columns.active)
    )


def _rebuilt(trained: Trained, rows: Side, columns: Side) -> Trained:
    """Return the model over sides with new rows or other active entities; all known densities stay as they are."""
    before = trained.posterior.arrays()
    made = trained.grown(rows, columns)
    for path, array in made.posterior.arrays().items():
        old = before[path]
        array[tuple(slice(size) for size in old.shape)] = old
    return made


def _copied(trained: Trained, rows: Side, columns: Side) -> Posterior:
    """Return the posterior with copies of what events may change, and priors of precisions that follow the counts."""
    q, (u, v, bias) = trained.posterior, copies(trained)
    of_rows, of_columns = (trained.hyperpriors.of("entity", q.dim, side.evidence) for side in (rows, columns))
    return replace(q, u=replace(u, gamma=of_rows), v=replace(v, gamma=of_columns), bias=bias)


def _events(
    touched: _Touched,
    noise: np.ndarray,
    negative: np.ndarray,
    rejects: bool,
    made_up: bool,
    kept: Kept | None,
) -> EventArrays:
    """Return the cells of touched entities as kernels take them."""
    distinct, shares = np.unique(noise, return_counts=True)
    known, since = Counts.from_coo([], [], [], (0, 0)), Counts.from_coo([], [], [], (len(touched.ids), 0))
    if rejects and kept is not None:
        known = kept.data.counts if touched.is_row else kept.by_column
        own, others = (kept.rows, kept.columns) if touched.is_row else (kept.columns, kept.rows)
        there = np.isin(own, touched.ids)
        place = np.searchsorted(touched.ids, own[there])
        largest = int(others.max(initial=-1)) + 1
        since = Counts.from_coo(place, others[there], kept.weights[there], (len(touched.ids), largest))
    return EventArrays(
        touched.indptr,
        touched.others,
        touched.weights,
        distinct.astype(np.int64),
        shares.astype(np.float64),
        negative,
        rejects,
        made_up,
        touched.ids,
        np.asarray(known.indptr),
        np.asarray(known.indices),
        since.indptr,
        since.indices,
    )


def _update(
    events: EventArrays, block: Block, bias: Block | None, q: Posterior, earlier: Block, start: float | None = None
) -> None:
    """Update the touched entities of a block in place, with their biases if they have any.

    `earlier` is the block before the events. Entities that it does not have start from the precision `start`.
    """
    from vbn.kernels.observing import observe

    ids, dtype = events.ids, block.mean.dtype
    own, prior = _gathered(block, ids, earlier, start)
    none = np.empty(0, dtype)
    empty = np.empty(0)
    if bias is None:
        biases = DensityArrays(none, none)
        bias_prior = TouchedPrior(empty, empty, empty, empty, empty, EvidenceArrays(empty, empty))
    else:
        biases, bias_prior = _gathered(bias, ids, bias, None)
    other, theirs = (q.v, q.bias.densities) if bias is None else (q.u, DensityArrays(none, none))
    observe(events, own, prior, biases, bias_prior, other.densities, theirs, SWEEPS, _SETTLED)
    for target, density, known in ((block, own, prior), (bias, biases, bias_prior)):
        if target is not None:
            target.mean[ids], target.variance[ids] = density
            target.rate[ids] = known.shape / known.tau


def _gathered(block: Block, ids: np.ndarray, earlier: Block, start: float | None) -> tuple[DensityArrays, TouchedPrior]:
    """Return the densities of some rows and their priors, with the evidence of earlier data."""
    gamma, moments, known = block.gamma.at(ids), block.moments(ids), ids < len(earlier)
    shape, rate = (np.broadcast_to(np.float64(value), len(ids)).copy() for value in (gamma.shape, gamma.beta))
    tau, mean, variance = np.empty(len(ids)), block.mean[ids], block.variance[ids]
    tau[known] = earlier.tau[ids[known]]
    sites = earlier.as_sites(ids[known])
    precision, linear = np.zeros(mean.shape), np.zeros(mean.shape)
    informed = earlier.active[ids[known]].reshape(-1, *[1] * (mean.ndim - 1))
    precision[known], linear[known] = sites.precision * informed, sites.linear * informed
    prior_mean = moments.mean.reshape(mean.shape)
    if start is not None and not known.all():
        tau[~known], mean[~known], variance[~known] = start, prior_mean[~known], 1.0 / start
    prior = TouchedPrior(
        np.ascontiguousarray(prior_mean),
        np.asarray(block.gamma.dim * moments.variance),
        tau,
        shape,
        rate,
        EvidenceArrays(precision, linear),
    )
    return DensityArrays(mean, variance), prior


def _check(trained: Trained, rows: np.ndarray, columns: np.ndarray) -> None:
    """Raise an error if a density is not finite."""
    q = trained.posterior
    for block, ids, names in ((q.u, rows, trained.rows), (q.v, columns, trained.columns)):
        good = (np.isfinite(block.mean[ids]) & np.isfinite(block.variance[ids])).all(axis=1)
        if not good.all():
            name = names[int(ids[np.argmin(good)])]
            raise NumericalError(f"the density of {name!r} would no longer be finite; are the weights too large?")
