"""What "auto" stands for: choices by the kind and the shape of the data, each with its reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from vbn._parameters import PARAMETERS
from vbn.data import Dataset, columns_are_rows, has_short_rows, is_mapped
from vbn.model import AUTO

_PAIRS = 1e5  # a data set of this size is fitted for `_EPOCHS` epochs, or `_EPOCHS_OF_USERS` if it is users x items
_EPOCHS, _EPOCHS_OF_USERS, _FEWEST, _MOST = 30, 16, 12, 40
_REACH = 1.5
_MANY = 10_000_000
_RARELY, _OFTEN = 1e-4, 100.0  # words are thinned out above this frequency, but none that occurs less often than that


class Choice(NamedTuple):
    """A value and why it was chosen."""

    value: Any
    reason: str


def resolved(params: Mapping[str, Any], data: Dataset) -> dict[str, Any]:
    """Return parameters with what "auto" stands for on this data."""
    found = choices(params, data)
    return {name: found[name].value if name in found else value for name, value in params.items()}


def choices(params: Mapping[str, Any], data: Dataset) -> dict[str, Choice]:
    """Return what is chosen for each parameter that is "auto".

    Examples
    --------
    >>> data = Dataset.from_interactions(["ann", "ben"], ["tea", "tea"])
    >>> choices({"negatives": "auto", "dim": 50}, data)["negatives"].value
    4
    """
    asked = [item.name for item in PARAMETERS if item.name in _RULES and params.get(item.name) == AUTO]
    return {name: _RULES[name](data) for name in asked}


def reach(data: Dataset) -> float:
    """Return how much further than to the best place means move in an update.

    Longer steps save a third of the epochs of text, where a word has many cells. Users with few cells follow the noise
    of each sample instead, a third of a point of HR@10% worse on movies and tracks, and short texts have epochs enough.
    """
    return _REACH if data.kind == "sequences" and data.counts.nnz >= _PAIRS else 1.0


def _negatives(data: Dataset) -> Choice:
    if not data.shared:
        return Choice(4, "users x items: a row has few pairs, and noise tells it as much about a row as pairs do")
    if data.kind == "baskets":
        return Choice(1, "baskets: an item has many pairs, and more noise would only take longer")
    return Choice(2, "words and pairs: an entity has many pairs, so that a little noise is enough")


def _noise_power(data: Dataset) -> Choice:  # noqa: ARG001 - all rules take the data
    return Choice(0.75, "between ranking by probability (0) and by association (1)")


def _subsample(data: Dataset) -> Choice:
    if data.kind == "sequences":
        threshold = max(_RARELY, _OFTEN / max(float(data.columns.counts.sum()), _OFTEN))
        return Choice(threshold, "words in text: the, of and to say little about their neighbours")
    return Choice(None, "all pairs count: frequent items are what most people have")


def _epochs(data: Dataset) -> Choice:
    epochs, power = (_EPOCHS, 0.2) if data.shared else (_EPOCHS_OF_USERS, 0.3)
    wanted = epochs * (_PAIRS / max(data.counts.nnz, 1)) ** power
    return Choice(
        int(min(max(round(wanted), _FEWEST), _MOST)), f"{data.counts.nnz:,} cells: the more, the fewer epochs"
    )


def _company(data: Dataset) -> Choice:
    if data.shared:
        return Choice(False, "rows and columns are the same entities: all pairs are company already")
    if data.relations:
        return Choice(False, "relations are learned from the rows as they are")
    if is_mapped(data):
        return Choice(False, "the counts are in a file and stay there: company would be counted in memory")
    if has_short_rows(data):
        return Choice(True, "rows are short and outnumber columns: what occurs together tells more than a row alone")
    return Choice(False, "rows are long or fewer than columns: each of them tells enough")


def _affinity(data: Dataset) -> Choice:
    if data.shared:
        return Choice(False, "rows and columns are the same entities: all pairs are learned as such")
    if is_mapped(data):
        return Choice(False, "the counts are in a file and stay there: what occurs together would be counted in memory")
    if data.counts.nnz > _MANY:
        return Choice(False, "so many cells would take long to compare, and tell much about each column anyway")
    if columns_are_rows(data):
        return Choice(False, "columns are rows already, with what they occur with")
    return Choice(True, "some things belong together beyond their kind, such as the parts of a series")


_RULES: dict[str, Callable[[Dataset], Choice]] = {
    "negatives": _negatives,
    "noise_power": _noise_power,
    "subsample": _subsample,
    "epochs": _epochs,
    "company": _company,
    "affinity": _affinity,
}
