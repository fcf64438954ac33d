"""Questions to any estimator, data to ask about, and reports: what the checks are made of."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vbn._errors import VBNError
from vbn.data import Dataset

_ASKED = 4  # entities that are asked about


class CheckFailedError(VBNError, AssertionError):
    """An estimator breaks a promise of the interface."""

    report: Report | None = None  # all results, if the error comes from `check_estimator`


def require(kept: bool, broken: str) -> None:
    """Raise a `CheckFailedError` with the message `broken` unless the promise was kept."""
    if not kept:
        raise CheckFailedError(broken)


@dataclass(frozen=True)
class Result:
    """The result of one check: `status` is "passed", "skipped" or "failed", `detail` says what was seen."""

    check: str
    status: str
    detail: str


@dataclass(frozen=True)
class Report:
    """The results of all checks of an estimator; prints as a table.

    Attributes
    ----------
    estimator
        Its repr.
    results
        One for each check.
    missing
        Verbs that the estimator does not have, which were not checked.
    """

    estimator: str
    results: tuple[Result, ...]
    missing: tuple[str, ...] = ()

    @property
    def passed(self) -> list[str]:
        """Names of the checks that passed."""
        return self._named("passed")

    @property
    def skipped(self) -> list[str]:
        """Names of the checks that had nothing to look at."""
        return self._named("skipped")

    @property
    def failed(self) -> list[str]:
        """Names of the checks that failed."""
        return self._named("failed")

    def _named(self, status: str) -> list[str]:
        return [result.check for result in self.results if result.status == status]

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(self._named(status))} {status}" for status in ("passed", "skipped", "failed"))
        width = max([0, *(len(result.check) for result in self.results)])
        lines = [f"{self.estimator}: {counts}"]
        lines += [f"  {r.check:<{width}}  {r.status:<7}  {r.detail}" for r in self.results]
        if self.missing:
            lines.append(f"  not offered, so not checked: {', '.join(self.missing)}")
        return "\n".join(lines)


def example_data(relations: bool = True) -> Dataset:
    """Return a small data set with a taxonomy, a cold entity and, by default, a relation."""
    subjects = {"dog": "barks", "poodle": "barks", "cat": "purrs", "lion": "roars", "hen": "clucks", "duck": "quacks"}
    sentences = [
        ["the", name, sound, when] for name, sound in subjects.items() for when in ("today", "loudly", "again")
    ]
    taxonomy = {"poodle": "dog", "beagle": "dog", "dog": "animal", "bird": "animal", "feline": "animal"}
    taxonomy |= {"cat": "feline", "lion": "feline", "hen": "bird", "duck": "bird"}
    data = Dataset.from_sequences(sentences * 4).with_taxonomy(taxonomy)
    return data.with_relation("sound", list(subjects.items())) if relations else data


def large_example() -> Dataset:
    """Return pairs of 2,000 entities, more than one thread processes at a time."""
    rng = np.random.default_rng(0)
    left, right = rng.integers(0, 2000, (2, 60_000))
    return Dataset.from_pairs(left, right)


def data_for(estimator: Any, data: Dataset | None) -> Dataset:
    """Return the given data, or an example with relations if the estimator has them."""
    if data is not None:
        return data
    return example_data(relations=hasattr(estimator, "related") or hasattr(estimator, "relation_proba"))


def fresh(estimator: Any, **changes: Any) -> Any:
    """Return an unfitted, silent copy; changes of parameters that it does not have are ignored."""
    params = copy.deepcopy(estimator.get_params())  # a broken fit may change what is inside them
    wanted = {"verbose": False, **changes}
    return type(estimator)(**params | {name: value for name, value in wanted.items() if name in params})


def columns_of(data: Dataset) -> list[str]:
    """Return a few columns that have counts."""
    return _seen(data.columns.names, data.counts.column_sums())


def rows_of(data: Dataset) -> list[str]:
    """Return a few rows that have counts."""
    return _seen(data.rows.names, data.counts.row_sums())


def _seen(names: Iterable[str], totals: np.ndarray) -> list[str]:
    return [name for name, total in zip(names, totals, strict=True) if total > 0][:_ASKED]


def pairs_of(data: Dataset) -> list[tuple[str, str]]:
    """Return pairs of a row and a column."""
    return [(row, column) for row in rows_of(data) for column in columns_of(data)]


def relation_of(data: Dataset) -> tuple[str, list[tuple[str, str]]]:
    """Return the name and the first pairs of the first relation."""
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
    "audience": lambda model, data: [model.audience(name, k=5) for name in columns_of(data)],
    "relation_proba": lambda model, data: model.relation_proba(*relation_of(data)),
    "related": _ask_related,
    "explain": lambda model, data: [str(model.explain(name)) for name in columns_of(data)],
}


def verbs_of(estimator: Any, data: Dataset, among: Iterable[str] = tuple(_QUESTIONS)) -> list[str]:
    """Return the verbs that the estimator has and that apply to the data."""
    about_relations = ("relation_proba", "related")
    return [v for v in among if hasattr(estimator, v) and (data.relations or v not in about_relations)]


def missing_verbs(estimator: Any) -> list[str]:
    """Return the verbs that the estimator does not have."""
    return [verb for verb in (*_QUESTIONS, "save") if not hasattr(estimator, verb)]


def ask(model: Any, verb: str, data: Dataset) -> Any:
    """Return the answers to one verb's questions, in a form that compares bit by bit."""
    return frozen(_QUESTIONS[verb](model, data))


def answers(model: Any, data: Dataset) -> dict[str, Any]:
    """Return the answers to all questions that apply, by verb."""
    return {verb: ask(model, verb, data) for verb in verbs_of(model, data)}


def frozen(answer: Any) -> Any:
    """Return arrays, densities and tables (alone or in lists) as tuples of plain values and bytes."""
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
    """Return the verbs whose answers differ."""
    return ", ".join(verb for verb in first if first[verb] != second.get(verb))
