"""Packages that only baselines need, imported when they are first used."""

from __future__ import annotations

import importlib
from contextlib import AbstractContextManager
from typing import Any

from vbn._errors import MissingExtraError

_EXTRAS = {"gensim": "baselines", "implicit": "baselines", "lightfm": "hybrids", "cmfrec": "hybrids"}


def need(module: str) -> Any:
    """Import a module, or say which extra brings it."""
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(f"{package} is not installed: pip install 'vbn[{_EXTRAS[package]}]'.") from error


def one_blas_thread() -> AbstractContextManager[Any]:
    """Keep BLAS to one thread: implicit has its own threads, and the bits do not depend on the machine's cores."""
    limits: AbstractContextManager[Any] = importlib.import_module("threadpoolctl").threadpool_limits(1, "blas")
    return limits
