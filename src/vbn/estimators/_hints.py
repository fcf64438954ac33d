"""Where rows and columns are different entities, a name that stands on the other side deserves more than "unknown"."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from vbn._errors import UnknownEntityError

Method = TypeVar("Method", bound=Callable[..., Any])

BY_SIDE = "pass side='{side}'"
PAIRS = "pairs go from a row to a column"


def hinting(remedy: str, column: str | None = None) -> Callable[[Method], Method]:
    """Let a method say where an unknown name is known, and what to do then (another thing for a column, if given)."""

    def decorate(method: Method) -> Method:
        @functools.wraps(method)
        def wrapped(self: Any, *args: Any, **options: Any) -> Any:
            try:
                return method(self, *args, **options)
            except UnknownEntityError as error:
                side = _other_side(self._trained, error)
                if side is None:
                    raise
                what = remedy if side == "row" or column is None else column
                elsewhere = f"it is the name of a {side}: {what.format(side=side)}"
                raise UnknownEntityError(error.name, (), error._what, elsewhere) from None

        return wrapped  # type: ignore[return-value]

    return decorate


def _other_side(trained: Any, error: UnknownEntityError) -> str | None:
    """The side on which the name is known, if it is on one only."""
    if trained is None or trained.shared or error.elsewhere:
        return None
    on_rows, on_columns = error.name in trained.rows, error.name in trained.columns
    if on_rows == on_columns:
        return None
    return "row" if on_rows else "column"
