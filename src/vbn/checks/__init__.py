"""Checks that every estimator with this library's interface must pass: run them over your own with `check_estimator`.

Each check is a function of an estimator and (optionally) data. It raises `CheckFailedError` if the estimator breaks a
promise, and returns what it looked at: verbs that an estimator does not have are skipped.
"""

from vbn.checks._memory import check_memory
from vbn.checks._querying import (
    check_empty_query,
    check_probabilities,
    check_queries_are_pure,
    check_tables,
    check_unknown_entity,
)
from vbn.checks._report import CheckFailedError, Report, Result
from vbn.checks._running import all_checks, check_estimator
from vbn.checks._storing import check_parameters, check_save_and_load
from vbn.checks._training import check_not_fitted, check_parameters_untouched, check_seeding, check_threads

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
