"""Checks of queries: asking changes nothing, unknown names and empty queries are met well, answers are well-formed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from vbn._errors import ParameterError, UnknownEntityError, VBNError
from vbn.checks._asking import (
    answers,
    ask,
    columns_of,
    data_for,
    differing,
    fresh,
    pairs_of,
    relation_of,
    rows_of,
    verbs_of,
)
from vbn.checks._report import require
from vbn.data import Dataset

_RANKED = ("similar", "recommend", "related")
_PROBABILITIES = ("predict_proba", "relation_proba")


def check_queries_are_pure(estimator: Any, data: Dataset | None = None) -> list[str]:
    """Asking does not change the model: the same questions, in whatever order, get the same bits.

    Parameters
    ----------
    estimator, data
        As in `check_seeding`.

    Returns
    -------
    list of str
        The verbs that were asked.
    """
    data = data_for(estimator, data)
    model = fresh(estimator).fit(data)
    params = repr(model.get_params())
    first = answers(model, data)
    for verb in reversed(first):
        require(ask(model, verb, data) == first[verb], f"{verb} answers otherwise when it is asked again.")
    changed = differing(first, answers(model, data))
    require(not changed, f"queries change the answers of {changed}.")
    require(repr(model.get_params()) == params, "queries change the parameters.")
    return list(first)


def check_unknown_entity(estimator: Any, data: Dataset | None = None) -> list[str]:
    """A misspelt name raises `UnknownEntityError` that names the closest ones that are known.

    Parameters
    ----------
    estimator, data
        As in `check_seeding`.

    Returns
    -------
    list of str
        The verbs that were asked.
    """
    data = data_for(estimator, data)
    model = fresh(estimator).fit(data)
    wrong = _misspelt(data)
    row, column = rows_of(data)[0], columns_of(data)[0]
    questions: dict[str, Callable[[], Any]] = {
        "posterior": lambda: model.posterior(wrong),
        "predict_proba": lambda: model.predict_proba([(row, column), (row, wrong)]),
        "similar": lambda: model.similar(wrong),
        "recommend": lambda: model.recommend([column, wrong]),
        "relation_proba": lambda: model.relation_proba(relation_of(data)[0], [(row, wrong)]),
        "related": lambda: model.related(relation_of(data)[0], wrong),
        "explain": lambda: model.explain(wrong),
    }
    asked = verbs_of(model, data, questions)
    for verb in asked:
        error = _raised(questions[verb])
        require(isinstance(error, UnknownEntityError), f"{verb} of {wrong!r} raises {error!r}, not UnknownEntityError.")
        close = getattr(error, "closest", [])
        require(bool(close) and close[0] in str(error), f"{verb} of {wrong!r} does not name the closest names.")
    return asked


def _misspelt(data: Dataset) -> str:
    """A name that neither side has, one letter from one that both sides' look-ups would find close."""
    name = max(columns_of(data), key=len)
    while name in data.columns or name in data.rows:
        name += name[-1]
    return name


def _raised(question: Callable[[], Any]) -> Exception | None:
    try:
        question()
    except Exception as error:  # noqa: BLE001 - whatever it is, the check says that it is the wrong one
        return error
    return None


def check_empty_query(estimator: Any, data: Dataset | None = None) -> list[str]:
    """No pairs give no probabilities; nothing to rank by, or no answers wanted, is a clear error.

    Parameters
    ----------
    estimator, data
        As in `check_seeding`.

    Returns
    -------
    list of str
        The verbs that were asked.
    """
    data = data_for(estimator, data)
    model = fresh(estimator).fit(data)
    asked = verbs_of(model, data, (*_PROBABILITIES, *_RANKED))
    if "predict_proba" in asked:
        require(np.shape(model.predict_proba([])) == (0,), "predict_proba of no pairs is not an empty array.")
    if "relation_proba" in asked:
        empty = model.relation_proba(relation_of(data)[0], [])
        require(np.shape(empty) == (0,), "relation_proba of no pairs is not an empty array.")
    for verb in ("similar", "recommend"):
        if verb in asked:
            error = _raised(getattr(model, verb))
            require(isinstance(error, VBNError), f"{verb}() of nothing raises {error!r}, not an error of this library.")
    if "recommend" in asked:
        error = _raised(lambda: model.recommend([]))
        require(error is None or isinstance(error, VBNError), f"recommend([]) raises {error!r}.")
    for verb in (verb for verb in asked if verb in _RANKED):
        error = _raised(lambda verb=verb: _ranking(model, verb, data, k=0))  # type: ignore[misc]
        require(isinstance(error, ParameterError), f"{verb} with k=0 raises {error!r}, not ParameterError.")
        many = len(_ranking(model, verb, data, k=10 * len(data.columns)))
        require(many <= len(data.columns), f"{verb} gives {many} answers, more than there are entities.")
    return asked


def check_tables(estimator: Any, data: Dataset | None = None) -> list[str]:
    """Ranked answers are well-formed: known entities, none twice, best first, finite, ready for JSON and for print.

    Parameters
    ----------
    estimator, data
        As in `check_seeding`.

    Returns
    -------
    list of str
        The verbs that were asked.
    """
    data = data_for(estimator, data)
    model = fresh(estimator).fit(data)
    asked = verbs_of(model, data, _RANKED)
    for verb in asked:
        table = _ranking(model, verb, data, k=5)
        rows = list(table)
        entities, scores = [row.entity for row in rows], [row.score for row in rows]
        require(0 < len(rows) <= 5 and len(table) == len(rows), f"{verb} with k=5 gives {len(rows)} rows.")
        require(len(set(entities)) == len(entities), f"{verb} names an entity twice.")
        require(all(entity in data.columns for entity in entities), f"{verb} names an entity that is not known.")
        require(_asked_about(verb, data) not in entities, f"{verb} answers with the entity that it was asked about.")
        require(bool(np.isfinite(scores).all()), f"{verb} gives scores that are not finite.")
        require(scores == sorted(scores, reverse=True), f"{verb} does not put the best score first.")
        stds = np.array([row.std for row in rows])
        require(bool(np.isfinite(stds).all() and (stds >= 0).all()), f"{verb} gives standard deviations below 0.")
        fewer = [row.entity for row in _ranking(model, verb, data, k=2)]
        require(fewer == entities[:2], f"{verb} ranks otherwise for k=2 than for k=5.")
        as_text = json.dumps(table.to_dicts(), allow_nan=False)
        require([row["entity"] for row in json.loads(as_text)] == entities, f"{verb} loses its rows in to_dicts.")
        require(all(repr(e)[1:-1] in repr(table) for e in entities), f"the printed table of {verb} lacks rows.")
    return asked


def _asked_about(verb: str, data: Dataset) -> str | None:
    if verb == "related":
        return relation_of(data)[1][0][0] if data.shared else None
    return columns_of(data)[0]


def _ranking(model: Any, verb: str, data: Dataset, k: int) -> Any:
    if verb == "similar":
        return model.similar(columns_of(data)[0], k=k)
    if verb == "recommend":
        return model.recommend([columns_of(data)[0]], k=k)
    name, pairs = relation_of(data)
    return model.related(name, pairs[0][0], k=k)


def check_probabilities(estimator: Any, data: Dataset | None = None) -> list[str]:
    """Probabilities lie between 0 and 1, and a pair has the same one alone as among others.

    Parameters
    ----------
    estimator, data
        As in `check_seeding`.

    Returns
    -------
    list of str
        The verbs that were asked.
    """
    data = data_for(estimator, data)
    model = fresh(estimator).fit(data)
    asked = verbs_of(model, data, _PROBABILITIES)
    for verb in asked:
        relation = [relation_of(data)[0]] if verb == "relation_proba" else []
        pairs = pairs_of(data)
        together = np.asarray(getattr(model, verb)(*relation, pairs))
        require(together.shape == (len(pairs),), f"{verb} of {len(pairs)} pairs has the shape {together.shape}.")
        require(bool(((together >= 0) & (together <= 1)).all()), f"{verb} leaves the range from 0 to 1.")
        alone = [float(getattr(model, verb)(*relation, [pair])[0]) for pair in pairs]
        require(bool(np.allclose(alone, together, rtol=1e-5)), f"{verb} of a pair depends on the other pairs.")
    return asked
