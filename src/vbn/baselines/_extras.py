"""Packages that only baselines need, imported when they are first used."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from vbn._errors import MissingExtraError, NumericalError

_EXTRAS = {
    "gensim": "baselines",
    "implicit": "baselines",
    "threadpoolctl": "baselines",
    "lightfm": "hybrids",
    "cmfrec": "hybrids",
}


def need(module: str) -> Any:
    """Import a module, or say which extra brings it."""
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(f"{package} is not installed: pip install 'vbn[{_EXTRAS[package]}]'.") from error


@contextmanager
def fitting(diverged: type[Exception] = NumericalError) -> Iterator[None]:
    """Run another library's fit: BLAS on one thread, and an error of ours if it diverges.

    implicit has threads of its own, and with one BLAS thread the bits do not depend on the machine's cores. `diverged`
    is what the library raises for factors that are not finite.
    """
    try:
        with need("threadpoolctl").threadpool_limits(1, "blas"), np.errstate(over="ignore", invalid="ignore"):
            yield
    except diverged as error:
        raise NumericalError(f"training failed: {error} Try a smaller learning rate.") from error
