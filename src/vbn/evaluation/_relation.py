"""Held-out pairs of a relation: told from random pairs, and found again among all answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vbn.evaluation._known import known_pairs
from vbn.evaluation._metrics import area_under_curve, mean_log_probability

_FIRST = 10
_DRAWS = 10  # random right entities for each pair


def evaluate_relation(
    model: Any, relation: str, left: Sequence[object], right: Sequence[object], seed: int = 0
) -> dict[str, float]:
    """How well a model knows held-out pairs of a relation.

    Parameters
    ----------
    model
        A trained model.
    relation
        Name of the relation.
    left, right
        The held-out pairs, by name; those with an unknown name are left out, and counted.
    seed
        Seed of the random pairs.

    Returns
    -------
    dict
        "pairs" used and "unknown" ones; "log_probability" of the pairs; "auc" against right entities drawn evenly;
        "hits@1", "hits@10" and "mrr@10" (mean reciprocal rank, 0 beyond 10) of the right entity among all answers.

    Examples
    --------
    >>> import vbn
    >>> data = vbn.Dataset.from_pairs(["a", "b"], ["b", "c"]).with_relation("next", [("a", "b"), ("b", "c")])
    >>> model = vbn.VBN(dim=2, epochs=5, verbose=False).fit(data)
    >>> evaluate_relation(model, "next", ["a"], ["b"])["hits@10"]
    1.0
    """
    trained = model._model()
    trained.relation_number(relation)
    known = known_pairs(trained.rows, trained.columns, left, right)
    pairs = [(trained.rows[int(i)], trained.columns[int(j)]) for i, j in zip(known.rows, known.columns, strict=True)]
    drawn = np.random.default_rng([seed, 0xE7A2]).integers(len(trained.columns), size=len(pairs) * _DRAWS)
    random = [(pairs[n // _DRAWS][0], trained.columns[int(j)]) for n, j in enumerate(drawn)]
    p = model.relation_proba(relation, pairs)
    places = _places(model, relation, pairs)
    return {
        "pairs": len(pairs),
        "unknown": len(left) - len(pairs),
        "log_probability": mean_log_probability(p, np.ones(len(p))),
        "auc": area_under_curve(p, model.relation_proba(relation, random)),
        "hits@1": float(np.mean(places == 1)),
        "hits@10": float(np.mean(places <= _FIRST)),
        "mrr@10": float(np.mean(np.where(places <= _FIRST, 1.0 / places, 0.0))),
    }


def _places(model: Any, relation: str, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
    """Place of the right entity among the answers to the left one, from 1; one more than is looked at if not found."""
    answers: dict[str, list[str]] = {}
    for left, _ in pairs:
        if left not in answers:
            answers[left] = [row.entity for row in model.related(relation, left, k=_FIRST)]
    return np.array(
        [answers[left].index(right) + 1 if right in answers[left] else _FIRST + 1 for left, right in pairs],
        dtype=np.float64,
    )
