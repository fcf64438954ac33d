"""Questions that are put to any estimator, answers in a form that compares bit by bit, and data to ask about."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from vbn.data import Dataset

_ASKED = 4  # entities that are asked about


def example_data(relations: bool = True) -> Dataset:
    """A small data set with a taxonomy, a cold entity, and a relation unless told otherwise."""
    subjects = {"dog": "barks", "poodle": "barks", "cat": "purrs", "lion": "roars", "hen": "clucks", "duck": "quacks"}
    sentences = [
        ["the", name, sound, when] for name, sound in subjects.items() for when in ("today", "loudly", "again")
    ]
    data = Dataset.from_sequences(sentences * 4)
    data = data.with_taxonomy(
        {"poodle": ["dog"], "beagle": ["dog"], "dog": ["animal"], "cat": ["feline"], "lion": ["feline"],
         "feline": ["animal"], "hen": ["bird"], "duck": ["bird"], "bird": ["animal"]}
    )  # fmt: skip
    return data.with_relation("sound", list(subjects.items())) if relations else data


def large_example() -> Dataset:
    """Pairs of 2,000 entities, more of them than one thread is given at a time."""
    rng = np.random.default_rng(0)
    left, right = rng.integers(0, 2000, (2, 60_000))
    return Dataset.from_pairs(left, right)


def data_for(estimator: Any, data: Dataset | None) -> Dataset:
    """The data given, or the example with what the estimator can be asked about."""
    if data is not None:
        return data
    return example_data(relations=hasattr(estimator, "related") or hasattr(estimator, "relation_proba"))


def fresh(estimator: Any, **changes: Any) -> Any:
    """An unfitted, silent copy; changes of parameters that it does not have are left out."""
    params = copy.deepcopy(estimator.get_params())  # what a broken fit changes inside them stays here
    wanted = {"verbose": False, **changes}
    return type(estimator)(**params | {name: value for name, value in wanted.items() if name in params})


def columns_of(data: Dataset) -> list[str]:
    """A few columns that have counts."""
    return _seen(data.columns.names, data.counts.column_sums())


def rows_of(data: Dataset) -> list[str]:
    """A few rows that have counts."""
    return _seen(data.rows.names, data.counts.row_sums())


def _seen(names: Iterable[str], totals: np.ndarray) -> list[str]:
    return [name for name, total in zip(names, totals, strict=True) if total > 0][:_ASKED]


def pairs_of(data: Dataset) -> list[tuple[str, str]]:
    """Pairs of a row and a column."""
    return [(row, column) for row in rows_of(data) for column in columns_of(data)]


def relation_of(data: Dataset) -> tuple[str, list[tuple[str, str]]]:
    """The name and the first pairs of the first relation."""
    relation = next(iter(data.relations.values()))
    pairs = zip(relation.left[:_ASKED].tolist(), relation.right[:_ASKED].tolist(), strict=True)
    return relation.name, [(data.rows[left], data.columns[right]) for left, right in pairs]


def _ask_recommend(model: Any, data: Dataset) -> list[Any]:
    tables = [model.recommend([name], k=5) for name in columns_of(data)]
    return tables if data.shared else [*tables, *(model.recommend(user=name, k=5) for name in rows_of(data))]


def _ask_related(model: Any, data: Dataset) -> list[Any]:
    name, pairs = relation_of(data)
    return [model.related(name, left, k=5) for left, _ in pairs]


_QUESTIONS: dict[str, Callable[[Any, Dataset], Any]] = {
    "posterior": lambda model, data: [model.posterior(name) for name in columns_of(data)],
    "predict_proba": lambda model, data: model.predict_proba(pairs_of(data)),
    "similar": lambda model, data: [model.similar(name, k=5) for name in columns_of(data)],
    "recommend": _ask_recommend,
    "relation_proba": lambda model, data: model.relation_proba(*relation_of(data)),
    "related": _ask_related,
    "explain": lambda model, data: [str(model.explain(name)) for name in columns_of(data)],
}


def verbs_of(estimator: Any, data: Dataset, among: Iterable[str] = tuple(_QUESTIONS)) -> list[str]:
    """The verbs that can be asked: the estimator has them, and the data what they are about."""
    about_relations = ("relation_proba", "related")
    return [v for v in among if hasattr(estimator, v) and (data.relations or v not in about_relations)]


def missing_verbs(estimator: Any) -> list[str]:
    """The verbs that the estimator does not have."""
    return [verb for verb in (*_QUESTIONS, "save") if not hasattr(estimator, verb)]


def ask(model: Any, verb: str, data: Dataset) -> Any:
    """The answers to one verb's questions, in a form that compares bit by bit."""
    return frozen(_QUESTIONS[verb](model, data))


def answers(model: Any, data: Dataset) -> dict[str, Any]:
    """The answers to every question that the model can be asked."""
    return {verb: ask(model, verb, data) for verb in verbs_of(model, data)}


def frozen(answer: Any) -> Any:
    """Arrays, densities and tables (alone or in lists) as tuples of plain values and bytes."""
    if isinstance(answer, str):
        return answer
    if hasattr(answer, "mean") and hasattr(answer, "variance"):
        return frozen(np.asarray(answer.mean)), frozen(np.asarray(answer.variance))
    if isinstance(answer, np.ndarray):
        return answer.dtype.str, answer.shape, answer.tobytes()
    if hasattr(answer, "entity"):
        return answer.entity, float(answer.score).hex(), float(answer.std).hex()
    return tuple(frozen(part) for part in answer)


def differing(first: dict[str, Any], second: dict[str, Any]) -> str:
    """The verbs whose answers are not the same."""
    return ", ".join(verb for verb in first if first[verb] != second.get(verb))
