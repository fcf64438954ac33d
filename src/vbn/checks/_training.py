"""Checks of training: seeds, threads, parameters, and questions asked too early."""

from __future__ import annotations

import copy
import tempfile
from typing import Any

from vbn._errors import NotFittedError
from vbn.checks._asking import answers, ask, data_for, differing, fresh, large_example, verbs_of
from vbn.checks._report import require
from vbn.data import Dataset


def check_seeding(estimator: Any, data: Dataset | None = None) -> list[str]:
    """Same seed, same bits: fitted twice, and fitted again; another seed gives another model.

    Parameters
    ----------
    estimator
        Any estimator with this library's interface, fitted or not; it is left as it is.
    data
        What to fit; a small example by default.

    Returns
    -------
    list of str
        What was looked at.
    """
    data = data_for(estimator, data)
    model = fresh(estimator, warm_start=False)  # so that a second fit starts where the first did
    require(model.fit(data) is model, "fit must return the estimator itself.")
    first = answers(model, data)
    changed = differing(first, answers(fresh(estimator, warm_start=False).fit(data), data))
    require(not changed, f"two fits with the same seed and data differ in {changed}.")
    changed = differing(first, answers(model.fit(data), data))
    require(not changed, f"a second fit of the same estimator differs from the first in {changed}.")
    if "seed" not in estimator.get_params():
        return ["same data"]
    other = fresh(estimator, seed=int(estimator.get_params()["seed"] or 0) + 1).fit(data)
    require(bool(differing(first, answers(other, data))), "another seed gives the same bits: seed has no effect.")
    return ["same seed", "other seed"]


def check_threads(estimator: Any, data: Dataset | None = None) -> list[str]:
    """Any number of threads gives the same bits, also on data that is large enough to be shared out among them.

    Parameters
    ----------
    estimator
        As in `check_seeding`.
    data
        What to fit besides the large example.

    Returns
    -------
    list of str
        What was looked at.
    """
    if "n_threads" not in estimator.get_params():
        return []
    for sample in (large_example(), *([] if data is None else [data])):
        first = answers(fresh(estimator, epochs=2, n_threads=1).fit(sample), sample)
        for n in (2, 3):
            changed = differing(first, answers(fresh(estimator, epochs=2, n_threads=n).fit(sample), sample))
            require(not changed, f"{n} threads give other bits than 1 in {changed}.")
    return ["1, 2 and 3 threads"]


def check_parameters_untouched(estimator: Any, data: Dataset | None = None) -> list[str]:
    """`fit` neither replaces a parameter nor changes what is inside one.

    Parameters
    ----------
    estimator, data
        As in `check_seeding`.

    Returns
    -------
    list of str
        What was looked at.
    """
    model = fresh(estimator)
    before = model.get_params()
    inside = copy.deepcopy(before)
    model.fit(data_for(estimator, data))
    after = model.get_params()
    replaced = [name for name in before if after.get(name) is not before[name]]
    require(not replaced, f"fit replaced the parameters {', '.join(replaced)}; store what it works out elsewhere.")
    changed = [name for name in before if repr(after[name]) != repr(inside[name])]
    require(not changed, f"fit changed what is inside the parameters {', '.join(changed)}.")
    return ["fit"]


def check_not_fitted(estimator: Any, data: Dataset | None = None) -> list[str]:
    """Questions to a model that has not been fitted raise `NotFittedError`.

    Parameters
    ----------
    estimator, data
        As in `check_seeding`.

    Returns
    -------
    list of str
        What was looked at.
    """
    data = data_for(estimator, data)
    asked = verbs_of(estimator, data)
    for verb in asked:
        require(_refuses(lambda verb=verb: ask(fresh(estimator), verb, data)), _early(verb))
    if hasattr(estimator, "save"):
        with tempfile.TemporaryDirectory() as folder:
            require(_refuses(lambda: fresh(estimator).save(folder)), _early("save"))
        asked.append("save")
    return asked


def _early(verb: str) -> str:
    return f"{verb} of a model that has not been fitted does not raise NotFittedError."


def _refuses(question: Any) -> bool:
    try:
        question()
    except NotFittedError:
        return True
    return False
