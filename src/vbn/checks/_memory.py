"""Check of memory: many questions at once must not need a matrix of all questions against all entities."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

from vbn.checks._asking import fresh
from vbn.checks._report import require
from vbn.data import Dataset

_ENTITIES = 3000
_ALLOWED = _ENTITIES * _ENTITIES * 2  # bytes: half of such a matrix in float32


def check_memory(estimator: Any, data: Dataset | None = None) -> list[str]:  # noqa: ARG001 - a check's signature
    """Asking 3,000 questions of 3,000 entities takes less memory than half of a float32 matrix of all pairs.

    Parameters
    ----------
    estimator
        As in `check_seeding`; fitted for one epoch in few dimensions, where it has such parameters.
    data
        Not used: small data could not tell.

    Returns
    -------
    list of str
        The verbs that were asked.
    """
    names = [f"entity {i}" for i in range(_ENTITIES)]
    ring = Dataset.from_pairs(names, [*names[1:], names[0]])
    model = fresh(estimator, dim=4, epochs=1).fit(ring)
    questions: dict[str, Callable[[list[str]], Any]] = {
        "predict_proba": lambda some: model.predict_proba([(name, names[0]) for name in some]),
        "similar": lambda some: model.similar(some[0], k=5),
        "recommend": lambda some: model.recommend([[name] for name in some], k=5),
    }
    asked = [verb for verb in questions if hasattr(model, verb)]
    for verb in asked:
        questions[verb](names[:2])  # what is compiled or kept after the first question is not the question's
        peak = _peak(lambda verb=verb: questions[verb](names))  # type: ignore[misc]
        require(peak < _ALLOWED, f"{verb} took {peak:,} bytes for {_ENTITIES:,} questions and entities.")
    return asked


def _peak(question: Callable[[], Any]) -> int:
    """Most bytes that were in use at once beyond those before."""
    running = tracemalloc.is_tracing()
    if not running:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        question()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        if not running:
            tracemalloc.stop()
