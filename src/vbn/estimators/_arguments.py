"""Checks of what `fit` is called with, all before anything is done."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from vbn._errors import DataError, ParameterError
from vbn.data import Dataset


def need_datasets(verb: str, data: object, validation: object) -> None:
    """Refuse what is not a data set, with a hint how to make one."""
    if not isinstance(data, Dataset):
        raise DataError(f"{verb} takes a vbn.Dataset, not {type(data).__name__}; make one with Dataset.from_... .")
    if validation is not None and not isinstance(validation, Dataset):
        raise DataError(f"validation must be a vbn.Dataset or None, not {type(validation).__name__}.")


def need_callbacks(callbacks: object) -> tuple[Callable[..., Any], ...]:
    """The callbacks as a tuple; refuses a bare function and what cannot be called."""
    if not isinstance(callbacks, Iterable):
        hint = f"; write callbacks=[{getattr(callbacks, '__name__', '...')}]" if callable(callbacks) else ""
        raise ParameterError(f"callbacks takes a list of functions, not {callbacks!r}{hint}.")
    given = tuple(callbacks)
    for position, callback in enumerate(given):
        if not callable(callback):
            raise ParameterError(f"callbacks[{position}]={callback!r} cannot be called; give functions (model, epoch).")
        if not _takes_two(callback):
            called = getattr(callback, "__name__", repr(callback))
            raise ParameterError(f"callbacks[{position}], {called}, must take two arguments: the model and the epoch.")
    return given


def _takes_two(function: Callable[..., Any]) -> bool:
    """Whether a function can be called with two arguments; yes where it does not say what it takes."""
    try:
        inspect.signature(function).bind(None, None)
    except TypeError:
        return False
    except ValueError:  # compiled, and without a signature
        return True
    return True
