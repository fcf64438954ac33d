"""Where the row updates run. `make_engine` gives one by name; each lives in a module of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vbn._errors import ParameterError
from vbn.engines._cluster import report
from vbn.engines._threads import ThreadEngine
from vbn.model import Engine

if TYPE_CHECKING:
    from vbn.engines._counting import count_files
    from vbn.engines._ray import RayEngine

ENGINES = ("threads", "ray")
_VERBS = ("map", "sample", "close")
_HOMES = {"RayEngine": "vbn.engines._ray", "count_files": "vbn.engines._counting"}


def check_engine(engine: Any) -> None:
    """Raise unless it is the name of an engine, or one."""
    known = engine in ENGINES if isinstance(engine, str) else all(hasattr(engine, verb) for verb in _VERBS)
    if not known or isinstance(engine, type):
        raise ParameterError(
            f"engine={engine!r} is not known; choose one of {', '.join(map(repr, ENGINES))}, or give an engine such as "
            "vbn.engines.RayEngine(address=...)."
        )


def make_engine(engine: str | Engine, n_threads: int | None = None) -> Engine:
    """The engine of that name, ready to run; one that was given is returned as it is."""
    check_engine(engine)
    if not isinstance(engine, str):
        return engine
    if engine == "ray":
        from vbn.engines._ray import RayEngine

        return RayEngine()
    return ThreadEngine(n_threads)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'vbn.engines' has no attribute {name!r}")


__all__ = [
    "ENGINES",
    "Engine",
    "RayEngine",
    "ThreadEngine",
    "check_engine",
    "count_files",
    "make_engine",
    "report",
]
