"""Checks of what outlives a session: parameters that can be read, set and cloned, and saved models."""

from __future__ import annotations

import tempfile
from typing import Any

from vbn._errors import ParameterError
from vbn.checks._asking import answers, data_for, differing, fresh
from vbn.checks._report import require
from vbn.data import Dataset
from vbn.estimators import load


def check_parameters(estimator: Any, data: Dataset | None = None) -> list[str]:  # noqa: ARG001 - a check's signature
    """Parameters are stored as given, read, set and cloned by name; an unknown one is a `ParameterError`.

    Parameters
    ----------
    estimator
        As in `check_seeding`.
    data
        Not used.

    Returns
    -------
    list of str
        What was looked at.
    """
    params = estimator.get_params()
    twin = type(estimator)(**params)
    lost = [name for name, value in params.items() if twin.get_params().get(name) is not value]
    require(not lost, f"a copy made from get_params() does not have the same {', '.join(lost)}.")
    require(repr(twin) == repr(estimator), f"a copy prints as {twin!r}, the original as {estimator!r}.")
    require(repr(twin).startswith(type(estimator).__name__), f"the repr {twin!r} does not name the class.")
    marks = {name: object() for name in params}
    require(twin.set_params(**marks) is twin, "set_params must return the estimator itself.")
    unset = [name for name, mark in marks.items() if twin.get_params()[name] is not mark]
    require(not unset, f"set_params does not store {', '.join(unset)} as given; checks belong in fit.")
    require(_refuses_unknown(twin), "set_params with an unknown name does not raise ParameterError.")
    return ["get_params", "set_params", "repr"]


def _refuses_unknown(estimator: Any) -> bool:
    try:
        estimator.set_params(no_such_parameter=1)
    except ParameterError as error:
        return "no_such_parameter" in str(error)
    return False


def check_save_and_load(estimator: Any, data: Dataset | None = None) -> list[str]:
    """A saved model, loaded, is of the same class, has the same parameters and answers with the same bits.

    Parameters
    ----------
    estimator, data
        As in `check_seeding`.

    Returns
    -------
    list of str
        The verbs whose answers were compared.
    """
    if not hasattr(estimator, "save"):
        return []
    data = data_for(estimator, data)
    model = fresh(estimator).fit(data)
    with tempfile.TemporaryDirectory() as folder:
        again = load(model.save(folder))
        require(type(again) is type(model), f"a {type(model).__name__} was loaded as a {type(again).__name__}.")
        require(repr(again) == repr(model), f"{model!r} was loaded as {again!r}.")
        first = answers(model, data)
        changed = differing(first, answers(again, data))
        require(not changed, f"the loaded model differs from the saved one in {changed}.")
    return list(first)
