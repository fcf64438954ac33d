"""The checks: functions of an estimator and data that raise `CheckFailedError` or return a list of what they looked at.

The estimator is any one with this library's interface, fitted or not; it is copied and never changed. The data is what
the copies fit, by default a small example.
"""

from __future__ import annotations

import copy
import json
import tempfile
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from vbn._errors import NotFittedError, ParameterError, UnknownEntityError, VBNError
from vbn.data import Dataset
from vbn.estimators import load
from vbn.testing.questions import (
    answers,
    ask,
    columns_of,
    data_for,
    differing,
    fresh,
    large_example,
    pairs_of,
    relation_of,
    require,
    rows_of,
    verbs_of,
)

_RANKED = ("similar", "recommend", "related")
_PROBABILITIES = ("predict_proba", "relation_proba")
_ENTITIES = 3000  # of the check of memory
_ALLOWED = _ENTITIES * _ENTITIES * 2  # bytes: half of a float32 matrix of all pairs of them


def check_parameters(estimator: Any, data: Dataset | None = None) -> list[str]:  # noqa: ARG001 - a check's signature
    """Check that parameters are stored as given, read, set and cloned by name, and unknown ones refused."""
    params = estimator.get_params()
    twin = type(estimator)(**params)
    lost = [name for name, value in params.items() if twin.get_params().get(name) is not value]
    require(not lost, f"a copy made from get_params() does not have the same {', '.join(lost)}.")
    require(repr(twin) == repr(estimator), f"a copy prints as {twin!r}, the original as {estimator!r}.")
    require(repr(twin).startswith(type(estimator).__name__), f"the repr {twin!r} does not name the class.")
    marks = {name: object() for name in params}
    require(twin.set_params(**marks) is twin, "set_params must return the estimator itself.")
    unset = [name for name, mark in marks.items() if twin.get_params()[name] is not mark]
    require(not unset, f"set_params does not store {', '.join(unset)} as given; checks belong in fit.")
    error = _raised(lambda: twin.set_params(no_such_parameter=1))
    refused = isinstance(error, ParameterError) and "no_such_parameter" in str(error)
    require(refused, "set_params with an unknown name does not raise ParameterError.")
    return ["get_params", "set_params", "repr"]


def check_save_and_load(estimator: Any, data: Dataset | None = None) -> list[str]:
    """Check that a saved and loaded model has the same class, the same parameters and answers with the same bits."""
    if not hasattr(estimator, "save"):
        return []
    data = data_for(estimator, data)
    model = fresh(estimator).fit(data)
    with tempfile.TemporaryDirectory() as folder:
        again = load(model.save(folder))
        require(type(again) is type(model), f"a {type(model).__name__} was loaded as a {type(again).__name__}.")
        require(repr(again) == repr(model), f"{model!r} was loaded as {again!r}.")
        first = answers(model, data)
        changed = differing(first, answers(again, data))
        require(not changed, f"the loaded model differs from the saved one in {changed}.")
    return list(first)


def check_seeding(estimator: Any, data: Dataset | None = None) -> list[str]:
    """Check that the same seed gives the same bits, in a copy and in a second fit, and another seed other bits."""
    data = data_for(estimator, data)
    model = fresh(estimator, warm_start=False)  # a second fit then starts where the first did
    require(model.fit(data) is model, "fit must return the estimator itself.")
    first = answers(model, data)
    changed = differing(first, answers(fresh(estimator, warm_start=False).fit(data), data))
    require(not changed, f"two fits with the same seed and data differ in {changed}.")
    changed = differing(first, answers(model.fit(data), data))
    require(not changed, f"a second fit of the same estimator differs from the first in {changed}.")
    if "seed" not in estimator.get_params():
        return ["same data"]
    other = fresh(estimator, seed=int(estimator.get_params()["seed"] or 0) + 1).fit(data)
    require(bool(differing(first, answers(other, data))), "another seed gives the same bits: seed has no effect.")
    return ["same seed", "other seed"]


def check_threads(estimator: Any, data: Dataset | None = None) -> list[str]:
    """Check that any number of threads gives the same bits, also on data large enough to be divided among them."""
    if "n_threads" not in estimator.get_params():
        return []
    for sample in (large_example(), *([] if data is None else [data])):
        first = answers(fresh(estimator, epochs=2, n_threads=1).fit(sample), sample)
        for n in (2, 3):
            changed = differing(first, answers(fresh(estimator, epochs=2, n_threads=n).fit(sample), sample))
            require(not changed, f"{n} threads give other bits than one thread in {changed}.")
    return ["1, 2 and 3 threads"]


def check_parameters_untouched(estimator: Any, data: Dataset | None = None) -> list[str]:
    """Check that `fit` neither replaces a parameter nor changes what is inside one."""
    model = fresh(estimator)
    before = model.get_params()
    inside = copy.deepcopy(before)
    model.fit(data_for(estimator, data))
    after = model.get_params()
    replaced = [name for name in before if after.get(name) is not before[name]]
    require(not replaced, f"fit replaced the parameters {', '.join(replaced)}; store derived values elsewhere.")
    changed = [name for name in before if repr(after[name]) != repr(inside[name])]
    require(not changed, f"fit changed what is inside the parameters {', '.join(changed)}.")
    return ["fit"]


def check_not_fitted(estimator: Any, data: Dataset | None = None) -> list[str]:
    """Check that questions to a model that has not been fitted raise `NotFittedError`."""
    data = data_for(estimator, data)
    asked = verbs_of(estimator, data)
    questions: dict[str, Callable[[], Any]] = {verb: partial(ask, fresh(estimator), verb, data) for verb in asked}
    with tempfile.TemporaryDirectory() as folder:
        if hasattr(estimator, "save"):
            questions["save"] = partial(fresh(estimator).save, folder)
        for verb, question in questions.items():
            refused = isinstance(_raised(question), NotFittedError)
            require(refused, f"{verb} of a model that has not been fitted does not raise NotFittedError.")
    return list(questions)


def check_queries_are_pure(estimator: Any, data: Dataset | None = None) -> list[str]:
    """Check that queries do not change the model: the same questions, in any order, get the same bits."""
    data = data_for(estimator, data)
    model = fresh(estimator).fit(data)
    params = repr(model.get_params())
    first = answers(model, data)
    for verb in reversed(first):
        require(ask(model, verb, data) == first[verb], f"{verb} gives another answer when asked again.")
    changed = differing(first, answers(model, data))
    require(not changed, f"queries change the answers of {changed}.")
    require(repr(model.get_params()) == params, "queries change the parameters.")
    return list(first)


def check_unknown_entity(estimator: Any, data: Dataset | None = None) -> list[str]:
    """Check that a misspelt name raises `UnknownEntityError` with the closest known names."""
    data = data_for(estimator, data)
    model = fresh(estimator).fit(data)
    wrong = _misspelt(data)
    row, column = rows_of(data)[0], columns_of(data)[0]
    questions: dict[str, Callable[[], Any]] = {
        "posterior": lambda: model.posterior(wrong),
        "predict_proba": lambda: model.predict_proba([(row, column), (row, wrong)]),
        "similar": lambda: model.similar(wrong),
        "recommend": lambda: model.recommend([column, wrong]),
        "audience": lambda: model.audience(wrong),
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
    """Return an unknown name that is close to a known one."""
    name = max(columns_of(data), key=len)
    while name in data.columns or name in data.rows:
        name += name[-1]
    return name


def _raised(question: Callable[[], Any]) -> Exception | None:
    try:
        question()
    except Exception as error:  # noqa: BLE001 - the check reports any wrong one
        return error
    return None


def check_empty_query(estimator: Any, data: Dataset | None = None) -> list[str]:
    """Check that no pairs give no probabilities, and that an empty query or k=0 is a clear error."""
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
            require(
                isinstance(error, VBNError), f"{verb}() without a query raises {error!r}, not an error of this library."
            )
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
    """Check that ranked answers have known entities, none twice, best first, finite, and can be printed and dumped."""
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
        require(fewer == entities[:2], f"{verb} ranks differently for k=2 and for k=5.")
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
    """Check that probabilities lie between 0 and 1 and do not depend on the other pairs of a query."""
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


def check_memory(estimator: Any, data: Dataset | None = None) -> list[str]:  # noqa: ARG001 - a check's signature
    """Check that 3,000 questions about 3,000 entities need less than half the memory of a float32 matrix of all pairs.

    The data is not used, because small data could not tell; parameters `dim` and `epochs` are set to small values.
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
        questions[verb](names[:2])  # compiles and caches what is not to be counted
        peak = _peak(lambda verb=verb: questions[verb](names))  # type: ignore[misc]
        require(peak < _ALLOWED, f"{verb} took {peak:,} bytes for {_ENTITIES:,} questions and entities.")
    return asked


def _peak(question: Callable[[], Any]) -> int:
    """Return the most bytes that a question needed at once."""
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
