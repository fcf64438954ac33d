"""The popularity dial that held-out pairs choose at the end of a fit.

A few pairs are taken out of the data, and a copy of the model does without them. Where the data is small, the copy is
fitted to the rest from scratch: a copy that only forgets remembers too much there, and the position comes out too near
to 0. Where it is larger, the copy forgets: rows and rare columns that had a pair start again from their priors, and a
few epochs on the rest settle everything. Where it is so large that a copy of the counts would hurt, rows that had a
pair are inferred again from their other pairs, as those of new users are, and columns stay as they are. What the copy
ranks best is the position. The model itself is left as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from vbn.data import Counts, Dataset, bytes_of, thinned
from vbn.engines import Engine
from vbn.estimators.checking import Settings
from vbn.estimators.training import Training, prepare
from vbn.inference import (
    DIALS,
    FAVOURS,
    TAILS,
    Cases,
    best_dial,
    contexts_of,
    fold_in,
    objectives,
    rare_targets,
    smooth_worth_of,
    worth_of,
)
from vbn.model import Block, Trained, train

_SMALL = 30_000  # cells: so few are fitted again in no time
_LARGE = 10_000_000  # cells: a column hardly remembers one of so many
_EPOCHS = 3  # of a copy that forgets
_SHARE, _SHARE_OF_FEW = 0.05, 0.1  # of the pairs, at most
_LEAST, _MOST = 30, 2_000  # pairs: fewer say nothing, more only take longer
_RARE, _SHARE_OF_RARE = 200, 0.2  # further pairs of the long tail, at most
_COMPARISONS = 10_000_000  # pairs x columns
_TIE = 0.001  # of the mean worth of all pairs: positions so near are told apart by rare ones
_PRICE = 0.004  # the same that lifting the long tail may cost at most unless rare ones are favoured
_RARE_MORE = 0.125  # of the objective that rare targets have beside their share of the pairs, within that price
_FEW = 50.0  # a column with fewer pairs remembers a single one


def choose_dials(
    params: Mapping[str, Any], settings: Settings, data: Dataset, trained: Trained, engine: Engine
) -> dict[str, tuple[float, float, float]]:
    """Return the best dial, as weight, floor and tail, by what is favoured; none where it cannot be told."""
    rng = np.random.default_rng([int(params["seed"]), 0xD1A1])
    if (drawn := _held_out(data, rng)) is None:
        return {}
    counts = data.counts
    further = _of_the_tail(counts, trained.profile.tail, drawn, rng)
    held = np.sort(np.concatenate([drawn, further]))
    plain = np.isin(held, drawn)
    rows, columns = np.searchsorted(counts.indptr, held, side="right") - 1, counts.indices[held].astype(np.int64)
    if _large(data):
        known = _rows_without(counts, rows, held)
        cases = Cases(rows, columns, rare_targets(data, columns)[0], known, plain)
        return _best(_folded(trained, known, rows), cases)
    kept = np.ones(counts.nnz, dtype=bool)
    kept[held] = False
    if data.shared:
        kept[_turned(counts, rows, columns)] = False
    rest = thinned(data, kept)
    cases = Cases(rows, columns, rare_targets(rest, columns)[0], rest.counts, plain)
    silent = {**params, "verbose": False, "checkpoint": None, "tol": None}
    if _small(data):
        training, epochs = prepare(silent, settings, rest, None, None, whole=True), int(params["epochs"])
    else:
        training, epochs = _forgetting(silent, settings, rest, trained, cases), _EPOCHS
    return _best(_fitted(training, engine, params, epochs), cases)


def _best(copy: Trained, cases: Cases) -> dict[str, tuple[float, float, float]]:
    """Return the best position by what is favoured, for a model that does not know the held-out pairs.

    First comes what is best for all pairs. From there the long tail is lifted, as far as all pairs hardly lose by it.
    """
    plain = slice(None) if cases.plain is None else cases.plain
    above, others = cases.ranks(copy)
    number = float(cases.rare[plain].mean())
    start = DIALS[_first(above, others, cases, "all", number, _cheap(above, others, plain, _TIE))]
    dials = [*DIALS, *(replace(start, tail=tail) for tail in TAILS[1:])]
    above = np.concatenate([above, cases.ranks(copy, dials[len(DIALS) :])[0]])
    number += (1.0 - number) * _RARE_MORE
    allowed = np.array([replace(dial, tail=0.0) == start for dial in dials]) & _cheap(above, others, plain, _PRICE)
    found: dict[str, tuple[float, float, float]] = {}
    for favour in FAVOURS:  # from all targets to rare ones: no position favours what is popular more than the last one
        chosen = dials[_first(above, others, cases, favour, number, allowed)]
        found[favour] = chosen.weight, chosen.floor, chosen.tail
        allowed = np.array([dial.weight <= chosen.weight for dial in dials])
    return found


def _cheap(above: np.ndarray, others: np.ndarray, plain: np.ndarray | slice, price: float) -> np.ndarray:
    """Return which positions cost at most that much more than the best one, over all pairs."""
    mean = smooth_worth_of(above[:, plain], others[plain]).mean(axis=-1)
    return np.asarray(mean >= mean.max() - price)


def _first(above: np.ndarray, others: np.ndarray, cases: Cases, favour: str, number: float, allowed: np.ndarray) -> int:
    """Return the first of the allowed positions that are hardly behind the best of them."""
    worth = objectives(worth_of(above, others), cases.rare, favour, number)
    return best_dial(np.where(allowed, worth, -np.inf))


def _held_out(data: Dataset, rng: np.random.Generator) -> np.ndarray | None:
    """Return some cells, at most one of a row, by row; None if there are too few rows with several."""
    counts = data.counts
    sizes = np.diff(counts.indptr)
    rows = np.flatnonzero(sizes >= 2)
    share = _SHARE_OF_FEW if _small(data) else _SHARE
    wanted = min(_MOST, int(share * counts.nnz), _COMPARISONS // max(counts.shape[1], 1))
    wanted = max(wanted, min(_LEAST, len(rows) // 2))
    if len(rows) < _LEAST or wanted < _LEAST:
        return None
    chosen = np.sort(rng.permutation(rows)[:wanted])
    return np.asarray(counts.indptr[chosen] + (rng.random(len(chosen)) * sizes[chosen]).astype(np.int64))


def _of_the_tail(counts: Counts, tail: np.ndarray, held: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return some cells of the long tail, at most one of a row and none of a row with a cell that is held out already.

    Of all pairs so few are of rare columns that those held out hardly tell what a position does to them.
    """
    cells = np.flatnonzero(tail[counts.indices])
    rows = np.searchsorted(counts.indptr, cells, side="right") - 1
    taken = np.searchsorted(counts.indptr, held, side="right") - 1
    free = (np.diff(counts.indptr)[rows] >= 2) & ~np.isin(rows, taken)
    order = rng.permutation(np.flatnonzero(free))
    order = order[np.unique(rows[order], return_index=True)[1]]
    return np.asarray(cells[rng.permutation(order)[: min(_RARE, int(_SHARE_OF_RARE * len(cells)))]])


def _turned(counts: Counts, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return the cells that are some others turned round."""
    found = []
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        begin, end = counts.indptr[column : column + 2].tolist()
        at = begin + int(np.searchsorted(counts.indices[begin:end], row))
        if at < end and counts.indices[at] == row:
            found.append(at)
    return np.array(found, np.int64)


def _large(data: Dataset) -> bool:
    """Return whether columns are taken as they are; rows must have no prior but zero."""
    return data.counts.nnz > _LARGE and data.row_taxonomy is None and data.row_features is None


def _rows_without(counts: Counts, rows: np.ndarray, held: np.ndarray) -> Counts:
    """Return the counts of some rows, each without a cell, and nothing of the others."""
    spans = [np.arange(counts.indptr[row], counts.indptr[row + 1]) for row in rows.tolist()]
    cells = np.setdiff1d(np.concatenate(spans), held)
    sizes = np.zeros(counts.shape[0] + 1, np.int64)
    sizes[rows + 1] = np.diff(counts.indptr)[rows] - 1
    return Counts(np.cumsum(sizes), counts.indices[cells], counts.values[cells], counts.shape)


def _folded(trained: Trained, known: Counts, rows: np.ndarray) -> Trained:
    """Return a model whose densities of some rows are inferred from what is known of them, given all columns."""
    q = trained.posterior
    folded = fold_in(trained, contexts_of(known, rows))
    mean, variance = q.u.mean.copy(), q.u.variance.copy()
    mean[rows], variance[rows] = folded.mean, folded.variance
    return replace(trained, posterior=q.with_arrays(q.arrays() | {"u.mean": mean, "u.variance": variance}))


def _small(data: Dataset) -> bool:
    return data.counts.nnz <= _SMALL


def _forgetting(
    params: Mapping[str, Any], settings: Settings, rest: Dataset, trained: Trained, cases: Cases
) -> Training:
    """Return a training that starts from the model, except for what the held-out pairs told it."""
    training = prepare({**params, "average_epochs": _EPOCHS}, settings, rest, None, trained, whole=True)
    q = training.network.posterior
    _start_again(q.u, np.unique(cases.rows))
    few = rest.counts.column_sums() < _FEW
    forgotten = np.unique(cases.columns[few[cases.columns]])
    _start_again(q.v, forgotten)
    if training.fitted is not None:
        _start_again(q.u, len(rest.rows) + forgotten)
    return training


def _fitted(training: Training, engine: Engine, params: Mapping[str, Any], epochs: int) -> Trained:
    for info in train(
        training.network,
        training.sampler,
        engine,
        epochs=epochs,
        resample=bool(params["resample"]),
        memory=None if params["memory"] is None else bytes_of(params["memory"]),
    ):
        training.take(info)
    return training.trained()


def _start_again(block: Block, rows: np.ndarray) -> None:
    """Set the densities of some rows to their priors."""
    moments = block.moments(rows)
    block.mean[rows] = moments.mean.reshape(block.mean[rows].shape)
    block.variance[rows] = (1.0 / block.tau[rows]).reshape(-1, *[1] * (block.mean.ndim - 1))
