"""Cold start after the fact: a ridge regression from content to trained vectors (Gantner et al., 2010)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from reproduction.kernels import count_above
from vbn._errors import DataError
from vbn.data import Dataset, thinned
from vbn.estimators import VBN

PENALTIES = tuple(10.0**power for power in range(-2, 5))
"""Weights of the squared length of the coefficients, among which hidden items choose."""
_SHARE, _FEWEST = 0.1, 5  # of the items with data are hidden for that, if there are so many


def ridge_from_content(data: Dataset, seed: int = 0, **parameters: Any) -> VBN:
    """Train `VBN` on the counts alone, then give columns without data the vector and bias that their features predict.

    What has data keeps what it has learned, and variances stay as they are.

    Parameters
    ----------
    data
        Users x items with features of the items.
    seed
        Of training, and of what is hidden to choose the penalty.
    parameters
        Of `VBN`.

    Examples
    --------
    >>> import vbn
    >>> users = [f"user {n}" for n in range(60) for _ in range(3)]
    >>> items = [f"{'ab'[n % 2]}{(n // 2 + step) % 10}" for n in range(60) for step in range(3)]
    >>> data = vbn.Dataset.from_interactions(users, items).with_taxonomy({"a new": "item", "b new": "item"})
    >>> kinds = {name: [float(name[0] == "a"), float(name[0] == "b")] for name in data.columns if name != "item"}
    >>> data = data.with_features(list(kinds.values()), ids=list(kinds))
    >>> model = ridge_from_content(data, dim=4)
    >>> a, b = model.predict_proba([("user 0", "a new"), ("user 0", "b new")])
    >>> bool(a > b)
    True
    """
    features = data.column_features
    if features is None:
        raise DataError("a regression from content needs features of the columns; use with_features or with_text.")
    content = features.scaled(np.arange(len(data.columns)), *features.scaling())
    seen = data.columns.counts > 0
    hidden = _hidden(seen & features.known, seed)
    out = np.isin(data.counts.indices, hidden)
    rest = _fitted(data, ~out, seed, parameters)
    known = seen.copy()
    known[hidden] = False
    users, items = data.counts.row_ids()[out], np.searchsorted(hidden, data.counts.indices[out])
    judged = [_percentile(rest, hidden, _predicted(rest, content, known, p)[hidden], users, items) for p in PENALTIES]
    model = _fitted(data, np.ones(len(out), dtype=bool), seed, parameters)
    found = _predicted(model, content, seen, PENALTIES[int(np.argmax(judged))])
    q = model.trained_.posterior
    v = np.where(seen[:, None], q.v.mean, found[:, :-1]).astype(q.v.mean.dtype)
    bias = np.where(seen, q.bias.mean, found[:, -1]).astype(q.bias.mean.dtype)
    changed = replace(q, v=replace(q.v, mean=v), bias=replace(q.bias, mean=bias))
    return model.with_trained(model.trained_.with_posterior(changed), model.data_)


def _hidden(candidates: np.ndarray, seed: int) -> np.ndarray:
    """Ids of the validation cold items."""
    ids = np.flatnonzero(candidates)
    if len(ids) < _FEWEST:
        raise DataError(f"{len(ids)} columns with data and features are too few to choose a penalty on some of them.")
    return np.sort(np.random.default_rng([seed, 0x41D6E]).permutation(ids)[: max(round(_SHARE * len(ids)), 2)])


def _fitted(data: Dataset, kept: np.ndarray, seed: int, parameters: dict[str, Any]) -> VBN:
    """The model of some counts alone."""
    return VBN(**parameters, seed=seed, verbose=False).fit(thinned(data, kept, with_knowledge=False))


def _predicted(model: VBN, content: np.ndarray, known: np.ndarray, penalty: float) -> np.ndarray:
    """Vector and bias of every column as a regression on those of the known ones has them."""
    q = model.trained_.posterior
    targets = np.column_stack([q.v.mean, q.bias.mean])[known].astype(np.float64)
    centre, middle = content[known].mean(axis=0), targets.mean(axis=0)
    x = content - centre
    with threadpool_limits(1, "blas"):  # with more, sums depend on the machine
        left = x[known].T @ x[known] + penalty * np.eye(x.shape[1])
        slopes = np.linalg.solve(left, x[known].T @ (targets - middle))
        return np.asarray(x @ slopes + middle)


def _percentile(model: VBN, hidden: np.ndarray, found: np.ndarray, users: np.ndarray, items: np.ndarray) -> float:
    """Mean share of the other hidden items that rank below the one that a user has."""
    everybody, rows = np.unique(users, return_inverse=True)
    scores = model.trained_.posterior.u.mean[everybody] @ found[:, :-1].T + found[:, -1]
    above = np.empty(len(items))
    count_above(scores, np.zeros(len(hidden)), rows.reshape(-1), items, above)
    return 1.0 - float(above.mean()) / (len(hidden) - 1)
