"""Where the row updates run: threads of this process, or a Ray cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vbn._errors import ParameterError
from vbn.engines.cluster import Place, Workers, connect, places, refuge, report
from vbn.engines.threads import ThreadEngine
from vbn.model import Engine

if TYPE_CHECKING:
    from vbn.engines.counting import count_files
    from vbn.engines.ray import RayEngine

ENGINES = ("threads", "ray")
_VERBS = ("map", "sample", "close")
_HOMES = {"RayEngine": "vbn.engines.ray", "count_files": "vbn.engines.counting"}


def check_engine(engine: Any) -> None:
    """Raise unless this is an engine or the name of one."""
    known = engine in ENGINES if isinstance(engine, str) else all(hasattr(engine, verb) for verb in _VERBS)
    if not known or isinstance(engine, type):
        raise ParameterError(
            f"engine={engine!r} is not known; choose one of {', '.join(map(repr, ENGINES))}, or give an engine such as "
            "vbn.engines.RayEngine(address=...)."
        )


def make_engine(engine: str | Engine, n_threads: int | None = None) -> Engine:
    """Return the engine of that name; an engine is returned as it is."""
    check_engine(engine)
    if not isinstance(engine, str):
        return engine
    if engine == "ray":
        from vbn.engines.ray import RayEngine

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
    "Place",
    "RayEngine",
    "ThreadEngine",
    "Workers",
    "check_engine",
    "connect",
    "count_files",
    "make_engine",
    "places",
    "refuge",
    "report",
]
