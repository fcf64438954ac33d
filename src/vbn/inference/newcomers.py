"""Read what a user says of entities to be added (a name, a dict, rows, a table, a file) into one form."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real

import numpy as np

from vbn._errors import DataError, closest_names
from vbn.data import TEXT, Columns, Field, as_name, as_table, read_columns, speaking_as

_FIELDS = (
    Field("name", ("name", "names", "child", "entity", "item", "user", "node")),
    Field("parent", ("parent", "parents", "category", "class", "hypernym")),
    Field("weight", ("weight", "weights", "probability"), number=True, optional=True, by_position=True),
)
_KEYS = ("parents", "contexts", "features", "text")
_SUFFIXES = tuple(f".{kind}{gz}" for kind in (*TEXT, "parquet") for gz in ("", ".gz"))


@dataclass(frozen=True)
class NewEntity:
    """An entity to be added: its parents with weights, how often it was seen with each context, features and texts.

    Features and texts are by source; those of the only source may have the key "".
    """

    name: str
    parents: Mapping[str, float] = field(default_factory=dict)
    contexts: Mapping[str, float] = field(default_factory=dict)
    features: Mapping[str, np.ndarray] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)


def read_newcomers(
    name: object, parents: object = None, contexts: object = None, features: object = None, text: object = None
) -> list[NewEntity]:
    """Read entities from any of the forms that `VBN.add` documents."""
    if not _is_many(name):
        single = as_name(name, "what to add")
        known = _parents(single, parents), _contexts(single, contexts), _features(single, features)
        return [NewEntity(single, *known, _texts(single, text))]
    if any(given is not None for given in (parents, contexts, features, text)):
        raise DataError(
            "many entities are added at once, so what is known of each goes with it: "
            '{name: {"parents": [...], "contexts": {...}, "features": [...], "text": "..."}}, or a table with the '
            "columns name and parent."
        )
    if isinstance(name, Mapping):
        return [_described(as_name(key, "the keys of what to add"), value) for key, value in name.items()]
    return read_rows(name)


def read_rows(source: object, columns: Sequence[str | int | None] = ()) -> list[NewEntity]:
    """Read rows (name, parent[, weight]) of a table or file, whose columns may be named in this order."""
    with speaking_as(DataError, "what to add"):
        return list(_listed(read_columns(source, tuple(columns), {}, _FIELDS, allow_empty=True, ask=False)))


def read_new(source: object, columns: Sequence[str | int | None]) -> dict[str, dict[str, dict[str, float]]]:
    """Return what `read_rows` finds in the form that `VBN.add` takes."""
    return {new.name: {"parents": dict(new.parents)} for new in read_rows(source, columns)}


def _is_many(name: object) -> bool:
    """Return whether this is more than a name: text is one name unless it ends like the name of a table's file."""
    if isinstance(name, str):
        return name.lower().endswith(_SUFFIXES)
    if isinstance(name, bytes | int | float):
        return False
    return isinstance(name, os.PathLike | Iterable) or as_table(name) is not None


def _described(name: str, known: object) -> NewEntity:
    """Read what is known of one of several entities: its parents, or a mapping of parents and contexts."""
    if not isinstance(known, Mapping):
        return NewEntity(name, _parents(name, known))
    for key in known:
        if key not in _KEYS:
            listed = f"{', '.join(_KEYS[:-1])} and {_KEYS[-1]}"
            close = closest_names(str(key), _KEYS)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise DataError(f"{name!r} comes with {key!r}; what may be known of an entity is {listed}.{hint}")
    parents, contexts = _parents(name, known.get("parents")), _contexts(name, known.get("contexts"))
    return NewEntity(name, parents, contexts, _features(name, known.get("features")), _texts(name, known.get("text")))


def _listed(rows: Columns) -> Iterator[NewEntity]:
    """Gather rows (name, parent, weight) by name; weights of the same parent add up."""
    names, parents, weights = rows.labels["name"], rows.labels["parent"], rows.numbers.get("weight")
    known: dict[str, dict[str, float]] = {name: {} for name in names.names}
    for row, (child, parent) in enumerate(zip(names.codes.tolist(), parents.codes.tolist(), strict=True)):
        of_child, key = known[names.names[child]], parents.names[parent]
        if weights is None:
            of_child[key] = 1.0
            continue
        what = f"the weight of the parent {key!r} of {names.names[child]!r} ({rows.where(row)})"
        of_child[key] = of_child.get(key, 0.0) + _weight(float(weights[row]), what)
    yield from (NewEntity(name, given) for name, given in known.items())


def _parents(name: str, given: object) -> dict[str, float]:
    """Read parents, with weights if given; the weights of one that is named twice add up."""
    where = f"the parents of {name!r}"
    if not isinstance(given, Mapping):
        return dict.fromkeys(_names(given, where), 1.0)
    result: dict[str, float] = {}
    for key, weight in given.items():
        parent = as_name(key, where)
        result[parent] = result.get(parent, 0.0) + _weight(weight, f"the weight of the parent {parent!r} of {name!r}")
    return result


def _contexts(name: str, given: object) -> dict[str, float]:
    """Read contexts, with counts if given; the counts of one that is named twice add up."""
    where = f"the contexts of {name!r}"
    result: dict[str, float] = {}
    pairs = given.items() if isinstance(given, Mapping) else ((context, 1.0) for context in _names(given, where))
    for key, count in pairs:
        context = as_name(key, where)
        what = f"the count of the context {context!r} of {name!r}"
        seen = _number(count, what)
        if seen < 0:
            raise DataError(f"{what} is negative: {count!r}.")
        if seen > 0:
            result[context] = result.get(context, 0.0) + seen
    if not math.isfinite(sum(result.values())):
        raise DataError(f"the counts of {where} add up to more than a number can hold.")
    return result


def _features(name: str, given: object) -> dict[str, np.ndarray]:
    """Read a vector of features, or vectors by source."""
    if given is None:
        return {}
    sources = {str(key): value for key, value in given.items()} if isinstance(given, Mapping) else {"": given}
    found = {}
    for source, value in sources.items():
        what = f"the features {source!r} of {name!r}" if source else f"the features of {name!r}"
        try:
            vector = np.atleast_1d(np.asarray(value, dtype=np.float64))
        except (TypeError, ValueError) as error:
            raise DataError(f"{what} must be a vector of numbers: {error}.") from error
        if vector.ndim != 1 or not np.isfinite(vector).all():
            raise DataError(f"{what} must be a vector of finite numbers.")
        found[source] = vector
    return found


def _texts(name: str, given: object) -> dict[str, str]:
    """Read a text, or texts by source."""
    if given is None:
        return {}
    found = {}
    for source, value in (given if isinstance(given, Mapping) else {"": given}).items():
        if not isinstance(value, str):
            told = f"the text {source!r} of" if source else "the text of"
            raise DataError(f"{told} {name!r} must be a string, not a value of type {type(value).__name__}.")
        found[str(source)] = value
    return found


def read_contexts(given: object) -> dict[str, float]:
    """Read the contexts of one occurrence: names, or {name: count}."""
    return _contexts("the occurrence", given)


def _names(given: object, where: str) -> list[str]:
    """Return the names of a list, in which one may come several times, or of a single name."""
    if given is None:
        return []
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        given = [given]
    return [as_name(name, where) for name in given]


def _weight(value: object, what: str) -> float:
    """Check a weight."""
    weight = _number(value, what)
    if weight <= 0:
        raise DataError(f"{what} is not positive: {value!r}; omit the parent instead.")
    return weight


def _number(value: object, what: str) -> float:
    """Check a finite number."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise DataError(f"{what} is {value!r}, not a number.")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise DataError(f"{what} is {value!r}, not a finite number.")
    return number
