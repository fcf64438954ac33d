"""What checks have found: results that print as a table, and the error that a broken promise raises."""

from __future__ import annotations

from dataclasses import dataclass

from vbn._errors import VBNError


class CheckFailedError(VBNError, AssertionError):
    """An estimator that breaks a promise of the interface.

    Attributes
    ----------
    report
        All results, if the error comes from `check_estimator`.
    """

    report: Report | None = None


def require(kept: bool, broken: str) -> None:
    """Raise a `CheckFailedError` that says what is broken, unless the promise was kept."""
    if not kept:
        raise CheckFailedError(broken)


@dataclass(frozen=True)
class Result:
    """How one check ended: `status` is "passed", "skipped" or "failed", `detail` says what was seen."""

    check: str
    status: str
    detail: str


@dataclass(frozen=True)
class Report:
    """How all checks of an estimator ended; prints as a table.

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
