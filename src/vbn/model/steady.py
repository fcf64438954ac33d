"""Linear algebra whose bits do not depend on the number of threads."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


@cache
def _blas() -> Any:
    import scipy.linalg  # noqa: F401 - its BLAS is another one than numpy's, and must be there to be found
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()


def steadily(function: Callable[P, R]) -> Callable[P, R]:
    """Run a function with one thread of BLAS for each of ours."""

    @wraps(function)
    def run(*given: P.args, **named: P.kwargs) -> R:
        with _blas().limit(limits=1, user_api="blas"):
            return function(*given, **named)

    return run
