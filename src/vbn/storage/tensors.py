"""A trained model as named tensors (arrays and names) plus a small JSON part, and back with everything checked.

Densities are written and read by looping over the fields that the blocks declare. `_from_format_1` gives the tensors of
files that version 0.1 wrote the names that they have now.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from vbn._errors import ModelFileError
from vbn.data import Counts, Dataset, Features, Labels, Relation, Source, Taxonomy, Vocabulary, heights
from vbn.model import (
    AUTO,
    COLD_PRECISIONS,
    COLUMN,
    KINDS,
    MEAN,
    PLAIN,
    PRIORS,
    ROW,
    Blueprint,
    Company,
    Holder,
    Hyperpriors,
    LeftOut,
    Posterior,
    RelationInfo,
    RowsLeftOut,
    Side,
    Trained,
    placeholder,
)
from vbn.storage.tensor_file import (
    BYTES,
    DOUBLE,
    FLOATS,
    IDS,
    LONG,
    TRUTH,
    holds,
    need_finite,
    need_moderate,
    need_positive,
    need_rows,
    take,
)

_NUMBERS = (int, float)
_POSTERIOR, _COMPANY = "posterior.", "company."


def to_tensors(trained: Trained) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return arrays by name, and what JSON holds better."""
    tensors = densities_out(_POSTERIOR, trained.posterior)
    tensors |= _names_out("columns", trained.columns) | _taxonomy_out("columns", trained.column_taxonomy)
    if not trained.shared:
        tensors |= _names_out("rows", trained.rows) | _taxonomy_out("rows", trained.row_taxonomy)
    tensors |= {
        "row_active": trained.row_active,
        "column_active": trained.column_active,
        "row_totals": trained.row_totals,
    }
    if trained.noise_counts is not None:
        tensors["noise_counts"] = trained.noise_counts
    if trained.company is not None:
        tensors |= {f"{_COMPANY}{name}": getattr(trained.company, name) for name in ("mean", "variance", "known")}
    fields = ("name", "symmetric", "prior", "rank", "scale", "shift")
    extra = {
        "shared": trained.shared,
        "relations": [{name: getattr(relation, name) for name in fields} for relation in trained.relations],
        "priors": {part: list(names) for part, names in trained.blueprint().priors.items()},
        "alpha": dict(trained.hyperpriors.alpha),
        "beta": dict(trained.hyperpriors.beta),
        "cold_precision": trained.hyperpriors.cold,
        "negatives": trained.negatives,
        "noise_power": trained.noise_power,
        "slope": trained.slope,
        "intercept": trained.intercept,
        "units": [trained.row_side.unit, trained.column_side.unit],
        "trained": [trained.row_side.trained, trained.column_side.trained],
    }
    sides = (
        {"columns": trained.column_side}
        if trained.shared
        else {"rows": trained.row_side, "columns": trained.column_side}
    )
    features = {name: _sources_out(side.features) for name, side in sides.items() if side.features is not None}
    if features:
        extra["features"] = features
        extra["content_strength"] = trained.sources
    if trained.relations_apart:
        extra["relations_apart"] = True
    if trained.dials:
        extra["dials"] = {favour: list(position) for favour, position in trained.dials.items()}
    if trained.rejects is not None:
        extra["rejects"] = trained.rejects
    if trained.left_out is not None:
        extra["left_out"] = asdict(trained.left_out)
    return tensors, extra


def from_tensors(tensors: Mapping[str, np.ndarray], extra: Mapping[str, Any], form: int) -> Trained:
    """Return what `to_tensors` was given; raises `ModelFileError` for anything that does not fit."""
    if form == 1:
        tensors, extra = _from_format_1(tensors, extra)
    shared = _flag(extra, "shared")
    columns = _names_in("columns", tensors)
    left_out = _left_out(extra, shared)
    rows = columns if shared else _names_in("rows", tensors, left_out is not None)
    column_taxonomy = _taxonomy_in("columns", tensors, columns)
    row_taxonomy = column_taxonomy if shared else _taxonomy_in("rows", tensors, rows)
    n, m = len(rows), len(columns)
    totals = take(tensors, "row_totals", DOUBLE, (n,))
    need_positive("row_totals", totals, or_zero=True)
    units, known = _units(extra), _trained(extra, (n, m))
    of_columns = _sources_in(extra, "columns", columns)
    of_rows = of_columns if shared else _sources_in(extra, "rows", rows)
    active = take(tensors, "row_active", TRUTH, (n,)), take(tensors, "column_active", TRUTH, (m,))
    sides = (
        Side(ROW, rows, row_taxonomy, active[0], units[0], known[0], of_rows),
        Side(COLUMN, columns, column_taxonomy, active[1], units[1], known[1], of_columns),
    )
    relations = _relations(extra.get("relations"), shared)
    strengths = _strengths(extra)
    hyperpriors = Hyperpriors(_by_kind(extra, "alpha"), _by_kind(extra, "beta"), _cold_precision(extra), strengths)
    means = take(tensors, f"{_POSTERIOR}u.mean", FLOATS, (n, None))
    if means.shape[1] < 1:
        raise ModelFileError("the model has no dimensions.")
    blueprint = Blueprint(*sides, relations, means.shape[1], means.dtype, hyperpriors, _priors(extra.get("priors")))
    return Trained(
        row_side=sides[0],
        column_side=sides[1],
        relations=relations,
        posterior=_posterior_in(tensors, blueprint),
        hyperpriors=hyperpriors,
        row_totals=totals,
        negatives=_number(extra, "negatives"),
        noise_power=_number(extra, "noise_power", or_zero=True),
        slope=_number(extra, "slope", 1.0 / _number(extra, "temperature", 1.0)),
        intercept=_finite(extra, "intercept", 0.0),
        rejects=_flag(extra, "rejects") if "rejects" in extra else None,
        relations_apart=_flag(extra, "relations_apart", False),
        dials=_dials(extra.get("dials", {})),
        noise_counts=_noise_counts(tensors, m),
        company=_company(tensors, m, means.shape[1]),
        left_out=left_out,
    )


def _left_out(extra: Mapping[str, Any], shared: bool) -> LeftOut | None:
    """Return what is known of rows that the model was saved without; None if it has its rows."""
    given = extra.get("left_out")
    if given is None:
        return None
    if shared or not isinstance(given, dict) or type(given.get("rows")) is not int or given["rows"] < 0:
        raise ModelFileError("what the model says about rows that were left out is damaged.")
    return LeftOut(given["rows"], _number(given, "total", or_zero=True), _number(given, "precision"))


def _noise_counts(tensors: Mapping[str, np.ndarray], n_columns: int) -> np.ndarray | None:
    """Return what negatives were drawn by; None in folders of before version 0.2."""
    if "noise_counts" not in tensors:
        return None
    counts = take(tensors, "noise_counts", DOUBLE, (n_columns,))
    need_positive("noise_counts", counts, or_zero=True)
    if not counts.any():
        raise ModelFileError("none of the columns of the model may be a negative.")
    return counts


def _company(tensors: Mapping[str, np.ndarray], n_columns: int, dim: int) -> Company | None:
    """Return the densities of columns as rows; None where rows were learned from alone."""
    if f"{_COMPANY}known" not in tensors:
        return None
    known = take(tensors, f"{_COMPANY}known", TRUTH, (None,))
    if len(known) > n_columns:
        raise ModelFileError(f"there are {n_columns} columns, but {len(known)} of them have company.")
    mean, variance = (take(tensors, f"{_COMPANY}{name}", FLOATS, (len(known), dim)) for name in ("mean", "variance"))
    need_finite(f"{_COMPANY}mean", mean)
    need_positive(f"{_COMPANY}variance", variance)
    return Company(mean, variance, known)


def densities_out(prefix: str, holder: Holder) -> dict[str, np.ndarray]:
    """Return the declared arrays by name."""
    return {f"{prefix}{path}": array for path, array in holder.arrays().items()}


def densities_in(
    prefix: str, tensors: Mapping[str, np.ndarray], like: Holder, natural: bool = False
) -> dict[str, np.ndarray]:
    """Return the arrays that a model like this one declares, by path, with types, shapes and values checked.

    `natural`: they are running averages, whose means are natural parameters of any size.
    """
    arrays = {}
    for path, field, model in like.declared():
        name = prefix + path
        arrays[path] = take(tensors, name, (model.dtype,), model.shape)
        if field.role == PLAIN or (field.role == MEAN and natural):
            need_finite(name, arrays[path])
        elif field.role == MEAN:
            need_moderate(name, arrays[path])
        else:
            need_positive(name, arrays[path], or_zero=field.or_zero)
    return arrays


def _posterior_in(tensors: Mapping[str, np.ndarray], blueprint: Blueprint) -> Posterior:
    skeleton = blueprint.build(placeholder)
    for part, names in blueprint.priors.items():
        if list(skeleton.blocks()[part].parts()) != list(names):
            raise ModelFileError(f"the priors of {part}, {', '.join(names)}, do not fit its entities.")
    arrays = densities_in(_POSTERIOR, tensors, skeleton)
    for name in tensors:
        if name.startswith(_POSTERIOR) and name.removeprefix(_POSTERIOR) not in arrays:
            raise ModelFileError(f"the tensor {name[:80]} belongs to no variable of the model.")
    return skeleton.with_arrays(arrays)


def _priors(given: Any) -> dict[str, list[str]]:
    if not isinstance(given, dict) or not all(isinstance(given.get(part), list) for part in ("u", "v", "bias")):
        raise ModelFileError("the priors of the model are damaged.")
    for name in [*given["u"], *given["v"], *given["bias"]]:
        if not isinstance(name, str) or name not in PRIORS:
            raise ModelFileError(
                f"it has a prior of unknown kind {str(name)[:80]!r}; import the package that registers it first."
            )
    return {part: given[part] for part in ("u", "v", "bias")}


def _from_format_1(
    tensors: Mapping[str, np.ndarray], extra: Mapping[str, Any]
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return tensors and JSON part of a folder of format 1 as format 2 has them."""
    kept = {name: array for name, array in tensors.items() if not name.startswith(_POSTERIOR)}
    old = {name.removeprefix(_POSTERIOR): a for name, a in tensors.items() if name.startswith(_POSTERIOR)}
    offsets = _offsets(old)
    renamed = _renamed(old, offsets)
    nested, centred = "bias.hierarchy.mean" in renamed, "bias.centre.mean" in renamed
    parts = {part: ["hierarchy"] if f"{part}.hierarchy.mean" in renamed else [] for part in ("u", "v")}
    parts["bias"] = ["hierarchy"] * nested + ["centre"] * centred
    entries, ranks = extra.get("relations"), np.diff(offsets).tolist()
    if not isinstance(entries, list) or len(entries) != len(ranks):
        raise ModelFileError("the relations of the model are damaged.")
    relations = [
        {**entry, "rank": rank} if isinstance(entry, dict) else entry
        for entry, rank in zip(entries, ranks, strict=True)
    ]
    found = {f"{_POSTERIOR}{path}": array for path, array in renamed.items()}
    return kept | found, {**extra, "relations": relations, "priors": parts}


def state_from_format_1(tensors: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the tensors of a checkpoint of format 1 as format 2 has them."""
    network = {name.removeprefix("network."): a for name, a in tensors.items() if name.startswith("network.")}
    averages = {
        name.split(".", 2)[2]: a for name, a in tensors.items() if name.startswith("average.") and name.count(".") > 2
    }
    offsets = _offsets(network)
    found = {f"network.{path}": array for path, array in _renamed(network, offsets).items()}
    return found | {f"average.{path}": array for path, array in _renamed(averages, offsets).items()}


def _offsets(old: Mapping[str, np.ndarray]) -> np.ndarray:
    offsets = take(old, "offsets", LONG, (None,))
    if len(offsets) == 0 or offsets[0] != 0 or (offsets[1:] <= offsets[:-1]).any():
        raise ModelFileError("the ranks of the relations are damaged.")
    return offsets


def _renamed(old: Mapping[str, np.ndarray], offsets: np.ndarray) -> dict[str, np.ndarray]:
    """Return the arrays of format 1 under the names of today: categories and centres are priors, relations apart."""
    found = {}
    words = {"tau_rate": "rate", "category_": "hierarchy.", "centre_": "centre."}
    for path, array in old.items():
        owner, _, name = path.partition(".")
        for word, new in words.items():
            name = name.replace(word, new)
        if owner in ("u", "v", "bias"):
            if array.ndim == 0 or not (name.startswith("hierarchy") and len(array) == 0):
                found[f"{owner}.{name}"] = array
        elif owner in ("x", "y", "relation_bias") and array.ndim > 0:
            bounds: Sequence[int] = offsets.tolist() if owner != "relation_bias" else range(len(offsets))
            for k in range(len(offsets) - 1):
                rows = array[bounds[k] : bounds[k + 1]]
                single = owner == "relation_bias" and not name.startswith("centre") and len(rows)
                found[f"relation {k}.{'r' if owner == 'relation_bias' else owner}.{name}"] = rows[0] if single else rows
    if not np.any(found.get("bias.centre.variance", 0.0)):  # the prior mean of all biases was fixed at 0
        found = {path: array for path, array in found.items() if ".centre." not in path}
    return found


def data_to_tensors(data: Dataset) -> dict[str, np.ndarray]:
    """Return counts and relation pairs, which `partial_fit` needs after `load`, by name."""
    counts = data.counts
    tensors: dict[str, np.ndarray] = {
        "data.indptr": counts.indptr,
        "data.indices": counts.indices,
        "data.values": counts.values,
    }
    for number, relation in enumerate(data.relations.values()):
        for field in ("left", "right", "weights"):
            tensors[f"data.relation.{number}.{field}"] = getattr(relation, field)
    sides = (
        {"columns": data.column_features}
        if data.shared
        else {"rows": data.row_features, "columns": data.column_features}
    )
    for side, features in sides.items():
        for source in () if features is None else features.sources:
            name = f"data.features.{side}.{source.name}"
            values = source.taken(slice(None)).astype(np.float32, copy=False)
            tensors |= {f"{name}.values": values, f"{name}.rows": source.rows}
    return tensors


def data_from_tensors(tensors: Mapping[str, np.ndarray], trained: Trained, kind: object) -> Dataset | None:
    """Return the data of `data_to_tensors` with the model's names; None if the folder has no counts."""
    if "data.indptr" not in tensors:
        return None
    if not isinstance(kind, str):
        raise ModelFileError(f"the kind of the model's data must be a word, got {kind!r}.")
    shape = len(trained.rows), len(trained.columns)
    indptr = take(tensors, "data.indptr", LONG, (shape[0] + 1,))
    indices = take(tensors, "data.indices", IDS, (None,))
    values = take(tensors, "data.values", DOUBLE, indices.shape)
    need_rows("the counts", indptr, indices, shape[1])
    need_positive("data.values", values)
    relations = {
        info.name: _relation(info.name, info.symmetric, tensors, number, shape)
        for number, info in enumerate(trained.relations)
    }
    return Dataset(
        trained.rows,
        None if trained.shared else trained.columns,
        Counts(indptr, indices, values, shape),
        row_taxonomy=trained.row_taxonomy,
        column_taxonomy=trained.column_taxonomy,
        row_features=None if trained.shared else _features(tensors, "rows", trained.row_side),
        column_features=_features(tensors, "columns", trained.column_side),
        relations=relations,
        kind=kind,
    )


def _features(tensors: Mapping[str, np.ndarray], side: str, known: Side) -> Features | None:
    """Return the features of the model's data: those that it uses, and those that it does not."""
    prefix = f"data.features.{side}."
    made = {} if known.features is None else {own.name: own for own in known.features.sources}
    for key in sorted(name for name in tensors if name.startswith(prefix) and name.endswith(".values")):
        name = key.removeprefix(prefix).removesuffix(".values")
        rows = take(tensors, f"{prefix}{name}.rows", LONG, (None,))
        values = take(tensors, key, FLOATS[:1], (len(rows), None))
        need_finite(key, values)
        inside = len(rows) == 0 or (rows[0] >= 0 and rows[-1] < len(known.names))
        own = made.get(name)
        if not inside or (np.diff(rows) <= 0).any() or (own is not None and own.width != values.shape[1]):
            raise ModelFileError(f"the features {name[:80]!r} of the model are damaged.")
        made[name] = Source(name, values, rows) if own is None else replace(own, values=values, rows=rows)
    return Features(known.names, tuple(made.values())) if made else None


def _sources_out(features: Features) -> list[dict[str, Any]]:
    return [
        {
            "name": own.name,
            "width": own.width,
            "columns": None if own.columns is None else list(own.columns),
            **({} if own.encoder is None else {"encoder": own.encoder}),
        }
        for own in features.sources
    ]


def _sources_in(extra: Mapping[str, Any], side: str, names: Vocabulary) -> Features | None:
    """Return the sources of features that the model was trained with, without those of any entity."""
    given = extra.get("features", {})
    entries = given.get(side) if isinstance(given, dict) else "damaged"
    if entries is None:
        return None
    damaged = ModelFileError(f"the features of the {side} of the model are damaged.")
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
        raise damaged
    sources = []
    for entry in entries:
        name, width, columns = (entry.get(key) for key in ("name", "width", "columns"))
        if not isinstance(name, str) or type(width) is not int or not 0 < width < 1 << 20:
            raise damaged
        listed = isinstance(columns, list) and len(columns) == width and all(isinstance(each, str) for each in columns)
        encoder = entry.get("encoder")
        if (columns is not None and not listed) or not isinstance(encoder, str | None):
            raise damaged
        none = np.broadcast_to(np.float32(0), (0, width))
        named = None if columns is None else tuple(columns)
        sources.append(Source(name, none, np.empty(0, np.int64), named, encoder=encoder))
    if len({own.name for own in sources}) < len(sources):
        raise damaged
    return Features(names, sources)


def _strengths(extra: Mapping[str, Any]) -> dict[str, float]:
    given = extra.get("content_strength", {})
    if not isinstance(given, dict):
        raise ModelFileError(f"content_strength={given!r} of the model is not a number for each source of features.")
    return {str(name): _number(given, name) for name in given}


def _relation(
    name: str, symmetric: bool, tensors: Mapping[str, np.ndarray], number: int, shape: tuple[int, int]
) -> Relation:
    prefix = f"data.relation.{number}."
    left = take(tensors, f"{prefix}left", IDS, (None,))
    right = take(tensors, f"{prefix}right", IDS, left.shape)
    weights = take(tensors, f"{prefix}weights", DOUBLE, left.shape)
    need_positive(f"{prefix}weights", weights)
    inside = all(
        holds(ids, lambda part, size=size: (part >= 0) & (part < size))  # type: ignore[misc]
        for ids, size in zip((left, right), shape, strict=True)
    )
    if not inside:
        raise ModelFileError(f"the pairs of relation {name!r} do not fit the names of the model.")
    return Relation(name, left, right, weights, symmetric)


def _names_out(prefix: str, vocabulary: Vocabulary) -> dict[str, np.ndarray]:
    names, ends = _texts_out(vocabulary.names)
    tensors = {f"{prefix}.names": names, f"{prefix}.ends": ends, f"{prefix}.counts": vocabulary.counts}
    if vocabulary.labels is not None:
        labels = vocabulary.labels_of(range(len(vocabulary))) or []
        tensors[f"{prefix}.labels"], tensors[f"{prefix}.label_ends"] = _texts_out([text or "" for text in labels])
    return tensors


def _texts_out(texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return texts as bytes one after the other, and where each ends."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), ends


def _labels_in(prefix: str, tensors: Mapping[str, np.ndarray], size: int) -> Labels | None:
    """Return the labels of a side; None for models without any."""
    if f"{prefix}.labels" not in tensors:
        return None
    blob = take(tensors, f"{prefix}.labels", BYTES, (None,)).tobytes()
    ends = take(tensors, f"{prefix}.label_ends", LONG, (size,)).tolist()
    starts = [0, *ends[:-1]]
    if ends[-1:] != [len(blob)] or any(a > b for a, b in zip(starts, ends, strict=True)):
        raise ModelFileError(f"the labels of the {prefix} of the model are damaged.")
    return Labels(blob[a:b].decode("utf-8", "surrogatepass") for a, b in zip(starts, ends, strict=True))


def _names_in(prefix: str, tensors: Mapping[str, np.ndarray], left_out: bool = False) -> Vocabulary:
    """Return the names of a side; if rows were `left_out`, there may be none, and none that was ever seen."""
    blob = take(tensors, f"{prefix}.names", BYTES, (None,)).tobytes()
    bounds = take(tensors, f"{prefix}.ends", LONG, (None,))
    ends = bounds.tolist()
    starts = [0, *ends[:-1]]
    whole = ends[-1] == len(blob) if ends else left_out and not blob
    if not whole or any(a >= b for a, b in zip(starts, ends, strict=False)):
        raise ModelFileError(f"the names of the {prefix} of the model are damaged.")
    counts = take(tensors, f"{prefix}.counts", DOUBLE, bounds.shape)
    need_positive(f"{prefix}.counts", counts, or_zero=True)
    if not counts.any() and not left_out:
        raise ModelFileError(f"none of the {prefix} of the model was ever seen.")
    names = [blob[a:b].decode("utf-8", "surrogatepass") for a, b in zip(starts, ends, strict=False)]
    return (RowsLeftOut if left_out else Vocabulary)(names, counts, _labels_in(prefix, tensors, len(names)))


def _taxonomy_out(prefix: str, taxonomy: Taxonomy | None) -> dict[str, np.ndarray]:
    if taxonomy is None:
        return {}
    arrays = {"indptr": taxonomy.indptr, "indices": taxonomy.indices, "weights": taxonomy.weights}
    return {f"{prefix}.taxonomy.{name}": array for name, array in arrays.items()}


def _taxonomy_in(prefix: str, tensors: Mapping[str, np.ndarray], names: Vocabulary) -> Taxonomy | None:
    prefix = f"{prefix}.taxonomy"
    if f"{prefix}.indptr" not in tensors:
        return None
    indptr = take(tensors, f"{prefix}.indptr", LONG, (len(names) + 1,))
    indices = take(tensors, f"{prefix}.indices", IDS, (None,))
    weights = take(tensors, f"{prefix}.weights", DOUBLE, indices.shape)
    need_rows("the edges of the taxonomy", indptr, indices, len(names))
    need_positive(f"{prefix}.weights", weights)
    child = np.repeat(np.arange(len(names)), np.diff(indptr))
    sums = np.bincount(child, weights, minlength=len(names))
    if not np.allclose(sums[np.diff(indptr) > 0], 1.0, rtol=0, atol=1e-6):
        raise ModelFileError("the weights of the parents in the taxonomy of the model do not sum to 1.")
    if len(heights(indptr, indices)[1]):
        raise ModelFileError("the taxonomy of the model has a cycle.")
    return Taxonomy(names, indptr, indices, weights)


def _relations(entries: Any, shared: bool) -> tuple[RelationInfo, ...]:
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ModelFileError("the relations of the model are damaged.")
    names = [entry.get("name") for entry in entries]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ModelFileError("the names of the model's relations are damaged.")
    infos = tuple(
        RelationInfo(
            entry["name"],
            _flag(entry, "symmetric"),
            _number(entry, "prior", 0.0, or_zero=True),
            _rank(entry),
            _number(entry, "scale", 1.0),
            _shift(entry),
        )
        for entry in entries
    )
    if not shared and any(info.symmetric for info in infos):
        raise ModelFileError("a relation between different rows and columns cannot be symmetric.")
    return infos


def _rank(entry: Mapping[str, Any]) -> int:
    rank = entry.get("rank")
    if type(rank) is not int or not 0 < rank < 1 << 20:
        raise ModelFileError(f"rank={rank!r} of a relation of the model is not a positive whole number.")
    return rank


def _shift(entry: Mapping[str, Any]) -> float:
    shift = entry.get("shift", 0.0)
    if type(shift) not in _NUMBERS or not math.isfinite(shift):
        raise ModelFileError(f"shift={shift!r} of a relation of the model is not a finite number.")
    return float(shift)


def _flag(values: Mapping[str, Any], name: str, default: bool | None = None) -> bool:
    value = values.get(name, default)
    if not isinstance(value, bool):
        raise ModelFileError(f"{name}={value!r} of the model is not a truth value.")
    return value


def _number(values: Mapping[str, Any], name: str, default: float | None = None, or_zero: bool = False) -> float:
    """Return a positive number, or the default for files that are older than it."""
    value = values.get(name, default)
    good = isinstance(value, _NUMBERS) and not isinstance(value, bool) and math.isfinite(value)
    if not good or value < 0 or (value == 0 and not or_zero):
        raise ModelFileError(f"{name}={value!r} of the model is not a positive number.")
    return float(value)


def _finite(values: Mapping[str, Any], name: str, default: float) -> float:
    """Return a number of any sign, or the default for files that are older than it."""
    value = values.get(name, default)
    if not isinstance(value, _NUMBERS) or isinstance(value, bool) or not math.isfinite(value):
        raise ModelFileError(f"{name}={value!r} of the model is not a finite number.")
    return float(value)


def _units(values: Mapping[str, Any]) -> list[float]:
    """Return the units of both sides; 1 for files that are older than them, where nothing depends on them."""
    given = values.get("units", [1.0, 1.0])
    if not isinstance(given, list) or len(given) != 2:
        raise ModelFileError(f"units={given!r} of the model is not a pair of numbers.")
    return [_number({"units": unit}, "units", or_zero=True) for unit in given]


def _trained(values: Mapping[str, Any], most: tuple[int, int]) -> list[int | None]:
    """Return how many entities of each side training saw; None for all."""
    given = values.get("trained", [None, None])
    if not isinstance(given, list) or len(given) != 2:
        raise ModelFileError(f"trained={given!r} of the model is not a pair of numbers.")
    for number, largest in zip(given, most, strict=True):
        if number is not None and (type(number) is not int or not 0 <= number <= largest):
            raise ModelFileError(f"trained={number!r} of the model is not a number of its entities.")
    return given


def _dials(given: Any) -> dict[str, tuple[float, float]]:
    """Return the positions of the popularity dial that a fit chose."""
    if not isinstance(given, dict) or not all(isinstance(at, list) and len(at) == 2 for at in given.values()):
        raise ModelFileError("the positions of the popularity dial of the model are damaged.")
    return {
        str(favour): (_finite({"dial": weight}, "dial", 0.0), _number({"dial": floor}, "dial", or_zero=True))
        for favour, (weight, floor) in given.items()
    }


def _by_kind(values: Mapping[str, Any], name: str) -> dict[str, float | str]:
    given = values.get(name)
    if not isinstance(given, dict):
        raise ModelFileError(f"{name}={given!r} of the model is not a value for each kind of variable.")
    return {kind: AUTO if given.get(kind) == AUTO else _number(given, kind) for kind in KINDS}


def _cold_precision(extra: Mapping[str, Any]) -> str:
    given = extra.get("cold_precision", "mean_field")  # what models were before it could be chosen
    if not isinstance(given, str) or given not in COLD_PRECISIONS:
        raise ModelFileError(f"cold_precision={given!r} of the model is not one of {', '.join(COLD_PRECISIONS)}.")
    return given
