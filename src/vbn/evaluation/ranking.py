"""Held-out items of users: where a model ranks them among all that the user does not have yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from vbn._errors import DataError
from vbn.baselines import Entities, Scorer, as_scorer, known_of
from vbn.evaluation.metrics import hit_rate, mean_percentile_rank, ndcg, recall
from vbn.evaluation.tasks import known_pairs

_SCORES_AT_ONCE = 1 << 22
_K = 10


class _Ranks(NamedTuple):
    """One entry for each held-out pair."""

    users: np.ndarray
    items: np.ndarray
    ranks: np.ndarray
    candidates: np.ndarray


def evaluate_recommendation(
    model: Any,
    users: Sequence[object],
    items: Sequence[object],
    *,
    k: Sequence[int] = (_K,),
    rare: float = 10,
    exclude_seen: bool = True,
) -> list[dict[str, Any]]:
    """Rank held-out items among the catalogue, in all and by how often the item was seen in training.

    Candidates are all columns except those that are only parents, and except what the user has in the training data.
    Ties count half. Hit rates and the percentile rank are means over held-out pairs, recall and NDCG over users.

    Parameters
    ----------
    model
        A fitted model, `VBN` or a baseline, with its counts if `exclude_seen`.
    users, items
        The held-out pairs: names of rows and of columns. Repeated ones count once; pairs with an unknown name, and
        pairs that the training data has, are left out, and counted.
    k
        Where to cut off for recall.
    rare
        Items with a count of at most this are rare, those with more are frequent, those with none are cold.
    exclude_seen
        Whether to leave out what the user has.

    Returns
    -------
    list of dict
        For "all", "cold", "rare" and "frequent" items (those there are): "items", "pairs", "hr@10", "hr@10%", "mpr",
        "ndcg@10", "recall@k" for each k; for "all" also "unknown" and "seen", the pairs left out.

    Examples
    --------
    >>> import vbn
    >>> data = vbn.Dataset.from_interactions([1, 1, 2, 3], ["tea", "milk", "tea", "beer"])
    >>> model = vbn.VBN(dim=2, epochs=5, verbose=False).fit(data)
    >>> [row["items"] for row in evaluate_recommendation(model, [2, 3], ["milk", "tea"])]
    ['all', 'rare']
    """
    entities = known_of(model)
    if exclude_seen and model.data_ is None:
        raise DataError(
            "this model was saved without its counts, so what a user has is not known; pass {remedy}, or save it "
            "with {remedy}.",
            remedies=[("exclude_seen", False), ("counts", True)],
        )
    known = known_pairs(entities.rows, entities.columns, users, items)
    counts = model.data_.counts if exclude_seen else None
    pairs = np.unique(np.stack([known.rows, known.columns], axis=1), axis=0)
    parts = list(_ranked(entities, as_scorer(model), pairs, counts))
    found = _Ranks(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
    if not len(found.ranks):
        raise DataError("every held-out pair is in the training data; there is nothing to evaluate.")
    times = entities.columns.counts[found.items]
    bands = {"all": times >= 0, "cold": times == 0, "rare": (times > 0) & (times <= rare), "frequent": times > rare}
    rows = [_figures(name, found, chosen, k) for name, chosen in bands.items() if chosen.any()]
    rows[0] |= {"unknown": len(users) - len(known.chosen), "seen": len(pairs) - len(found.ranks)}
    return rows


def _ranked(known: Entities, scorer: Scorer, pairs: np.ndarray, counts: Any) -> Iterator[_Ranks]:
    """Yield the ranks of the held-out items of some users at a time; pairs come sorted by user."""
    catalogue = known.candidates.copy()
    catalogue[pairs[:, 1]] = True
    every = np.unique(pairs[:, 0])
    step = max(_SCORES_AT_ONCE // len(catalogue), 1)
    for first in range(0, len(every), step):
        block = every[first : first + step]
        logits = scorer.scores([known.rows[i] for i in block.tolist()])
        logits[:, ~catalogue] = -np.inf
        for at, user in enumerate(block.tolist()):
            own = pairs[slice(*np.searchsorted(pairs[:, 0], [user, user + 1])), 1]
            if counts is not None:
                has = counts.indices[counts.indptr[user] : counts.indptr[user + 1]]
                logits[at, has] = -np.inf
                own = own[~np.isin(own, has)]
            elif known.shared:
                logits[at, user] = -np.inf
                own = own[own != user]
            rest = np.sort(logits[at][np.isfinite(logits[at])])
            above = len(rest) - np.searchsorted(rest, logits[at, own], side="right")
            tied = len(rest) - above - np.searchsorted(rest, logits[at, own], side="left") - 1
            yield _Ranks(np.full(len(own), user), own, above + tied / 2.0, np.full(len(own), len(rest)))


def _figures(name: str, found: _Ranks, chosen: np.ndarray, cuts: Sequence[int]) -> dict[str, Any]:
    users, ranks, candidates = found.users[chosen], found.ranks[chosen], found.candidates[chosen]
    figures: dict[str, Any] = {
        "items": name,
        "pairs": len(ranks),
        f"hr@{_K}": hit_rate(ranks, _K),
        "hr@10%": hit_rate(ranks, candidates / 10.0),
        "mpr": mean_percentile_rank(ranks, candidates),
        f"ndcg@{_K}": ndcg(ranks, users, _K),
    }
    return figures | {f"recall@{cut}": recall(ranks, users, cut) for cut in cuts}
