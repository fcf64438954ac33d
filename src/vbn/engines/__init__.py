"""Where the row updates run. `make_engine` gives one by name; each lives in a module of its own."""

from __future__ import annotations

from vbn._errors import ParameterError
from vbn.model._engine import Engine

ENGINES = ("threads",)


def make_engine(name: str, n_threads: int | None = None) -> Engine:
    """The engine of that name, ready to run."""
    if name == "threads":
        from vbn.engines._threads import ThreadEngine

        return ThreadEngine(n_threads)
    raise ParameterError(f"engine={name!r} is not known; choose one of {', '.join(map(repr, ENGINES))}.")


__all__ = ["ENGINES", "Engine", "make_engine"]
