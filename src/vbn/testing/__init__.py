"""Checks that every estimator with this library's interface must pass; `check_estimator` runs them on your own.

Each check is a function of an estimator and (optionally) data. It raises `CheckFailedError` if the estimator breaks a
promise, and returns a list of what it looked at. Verbs that an estimator does not have are skipped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vbn._errors import ParameterError
from vbn.data import Dataset
from vbn.testing.checks import (
    check_empty_query,
    check_memory,
    check_not_fitted,
    check_parameters,
    check_parameters_untouched,
    check_probabilities,
    check_queries_are_pure,
    check_save_and_load,
    check_seeding,
    check_tables,
    check_threads,
    check_unknown_entity,
)
from vbn.testing.questions import CheckFailedError, Report, Result, missing_verbs

__all__ = [
    "CheckFailedError",
    "Report",
    "Result",
    "all_checks",
    "check_empty_query",
    "check_estimator",
    "check_memory",
    "check_not_fitted",
    "check_parameters",
    "check_parameters_untouched",
    "check_probabilities",
    "check_queries_are_pure",
    "check_save_and_load",
    "check_seeding",
    "check_tables",
    "check_threads",
    "check_unknown_entity",
]

Check = Callable[..., list[str]]


def all_checks() -> list[Check]:
    """Return all checks, for example to parametrise a test over them.

    Examples
    --------
    >>> import vbn, vbn.testing
    >>> [check.__name__ for check in vbn.testing.all_checks()][:2]
    ['check_parameters', 'check_parameters_untouched']
    >>> vbn.testing.check_parameters(vbn.VBN())
    ['get_params', 'set_params', 'repr']
    """
    return [
        check_parameters,
        check_parameters_untouched,
        check_not_fitted,
        check_seeding,
        check_threads,
        check_queries_are_pure,
        check_unknown_entity,
        check_empty_query,
        check_tables,
        check_probabilities,
        check_save_and_load,
        check_memory,
    ]


def check_estimator(estimator: Any, data: Dataset | None = None, on_fail: str = "raise") -> Report:
    """Check that an estimator keeps the promises of this library's interface.

    Parameters
    ----------
    estimator
        Any estimator with `fit(data)`, `get_params` and `set_params`; it is copied, not fitted itself. Verbs that it
        does not have (`relation_proba`, `save`, ...) are not checked, and the report says so.
    data
        A small data set to fit; by default words with a taxonomy, and a relation if the estimator has relations.
    on_fail
        "raise" a `CheckFailedError` after all checks if any has failed, or only "report" it.

    Returns
    -------
    Report
        The result of each check; prints as a table.

    Examples
    --------
    >>> import vbn, vbn.testing
    >>> report = vbn.testing.check_estimator(vbn.VBN(dim=4, epochs=3))
    >>> report.failed, "check_seeding" in report.passed
    ([], True)
    """
    if on_fail not in ("raise", "report"):
        raise ParameterError(f"on_fail must be 'raise' or 'report', got {on_fail!r}.")
    if isinstance(estimator, type) or not all(hasattr(estimator, verb) for verb in ("fit", "get_params", "set_params")):
        raise ParameterError(
            f"check_estimator needs an instance with fit, get_params and set_params, got {estimator!r}."
        )
    results = tuple(_run(check, estimator, data) for check in all_checks())
    report = Report(repr(estimator), results, tuple(missing_verbs(estimator)))
    if report.failed and on_fail == "raise":
        error = CheckFailedError(f"{len(report.failed)} checks failed.\n{report!r}")
        error.report = report
        raise error
    return report


def _run(check: Check, estimator: Any, data: Dataset | None) -> Result:
    name = getattr(check, "__name__", repr(check))
    try:
        seen = check(estimator, data)
    except CheckFailedError as error:
        return Result(name, "failed", str(error))
    except Exception as error:  # noqa: BLE001 - a broken estimator may raise anything, and the report shows it
        return Result(name, "failed", f"{type(error).__name__}: {error}")
    return Result(name, "passed" if seen else "skipped", ", ".join(seen) or "the estimator has nothing to check here")
