"""A trained model and its data as named tensors and a small JSON part, and back with everything checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from vbn._errors import ModelFileError
from vbn.data import Counts, Dataset, Relation, Taxonomy, Vocabulary, heights
from vbn.model import COLD_PRECISIONS, KINDS, Hyperpriors, Posterior, RelationInfo, Trained
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


def to_tensors(trained: Trained) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return arrays by name, and the facts that belong in JSON."""
    tensors = posterior_out("posterior.", trained.posterior)
    tensors |= _names_out("columns", trained.columns) | _taxonomy_out("columns", trained.column_taxonomy)
    if not trained.shared:
        tensors |= _names_out("rows", trained.rows) | _taxonomy_out("rows", trained.row_taxonomy)
    tensors |= {
        "row_active": trained.row_active,
        "column_active": trained.column_active,
        "row_totals": trained.row_totals,
    }
    extra = {
        "shared": trained.shared,
        "relations": [{"name": r.name, "symmetric": r.symmetric, "prior": r.prior} for r in trained.relations],
        "alpha": dict(trained.hyperpriors.alpha),
        "beta": dict(trained.hyperpriors.beta),
        "negatives": trained.negatives,
        "noise_power": trained.noise_power,
        "temperature": trained.temperature,
    }
    if trained.hyperpriors.cold != Hyperpriors.cold:
        extra["cold_precision"] = trained.hyperpriors.cold
    if trained.relations_apart:
        extra["relations_apart"] = True
    if trained.rejects is not None:
        extra["rejects"] = trained.rejects
    return tensors, extra


def from_tensors(tensors: Mapping[str, np.ndarray], extra: Mapping[str, Any]) -> Trained:
    """Return the model of `to_tensors`; raise `ModelFileError` for anything that does not fit."""
    shared = _flag(extra, "shared")
    columns = _names_in("columns", tensors)
    rows = columns if shared else _names_in("rows", tensors)
    column_taxonomy = _taxonomy_in("columns", tensors, columns)
    row_taxonomy = column_taxonomy if shared else _taxonomy_in("rows", tensors, rows)
    relations = _relations(extra.get("relations"), shared)
    categories = _n_categories(row_taxonomy), _n_categories(column_taxonomy)
    n, m = len(rows), len(columns)
    totals = take(tensors, "row_totals", DOUBLE, (n,))
    need_positive("row_totals", totals, or_zero=True)
    return Trained(
        rows=rows,
        columns=columns,
        row_taxonomy=row_taxonomy,
        column_taxonomy=column_taxonomy,
        relations=relations,
        posterior=posterior_in("posterior.", tensors, (n, m), categories, len(relations)),
        hyperpriors=Hyperpriors(_by_kind(extra, "alpha"), _by_kind(extra, "beta"), _cold_precision(extra)),
        row_active=take(tensors, "row_active", TRUTH, (n,)),
        column_active=take(tensors, "column_active", TRUTH, (m,)),
        row_totals=totals,
        negatives=_number(extra, "negatives"),
        noise_power=_number(extra, "noise_power", or_zero=True),
        temperature=_number(extra, "temperature") if "temperature" in extra else 1.0,
        rejects=_flag(extra, "rejects") if "rejects" in extra else None,
        relations_apart=_flag(extra, "relations_apart") if "relations_apart" in extra else False,
    )


def posterior_out(prefix: str, posterior: Posterior) -> dict[str, np.ndarray]:
    """Return the arrays of a posterior by name."""
    return {f"{prefix}{path}": array for path, array in posterior.arrays().items()}


def posterior_in(
    prefix: str,
    tensors: Mapping[str, np.ndarray],
    sizes: tuple[int, int],
    categories: tuple[int, int],
    n_relations: int,
) -> Posterior:
    """Return the posterior of a model; `sizes` and `categories` are numbers for rows and for columns."""
    offsets = take(tensors, f"{prefix}offsets", LONG, (n_relations + 1,))
    means = take(tensors, f"{prefix}u.mean", FLOATS, (sizes[0], None))
    dim, total = means.shape[1], int(offsets[-1])
    if dim < 1:
        raise ModelFileError("the model has no dimensions.")
    if offsets[0] != 0 or (offsets[1:] <= offsets[:-1]).any():
        raise ModelFileError("the ranks of the relations are damaged.")
    arrays = {"offsets": offsets}
    nested = len(take(tensors, f"{prefix}bias.category_rate", DOUBLE, (None,)))
    if nested not in (0, categories[1]):
        raise ModelFileError(f"the model has biases of {nested} categories, but {categories[1]} categories.")
    for path, shape in _shapes(*sizes, (*categories, nested), n_relations, total, dim).items():
        name = prefix + path
        types = DOUBLE if path.endswith("rate") or "centre" in path else (means.dtype,)
        arrays[path] = take(tensors, name, types, shape)
        if path.endswith("mean"):
            need_moderate(name, arrays[path])
        else:
            need_positive(name, arrays[path], or_zero="centre" in path)
    return Posterior.from_arrays(arrays)


def averages_in(
    prefix: str, tensors: Mapping[str, np.ndarray], like: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Return the arrays of a running average, each with the shape and type of the one in `like`."""
    arrays = {}
    for path, model in like.items():
        arrays[path] = take(tensors, prefix + path, (model.dtype,), model.shape)
        if path.startswith("linear") or path.endswith("mean"):
            need_finite(prefix + path, arrays[path])
        else:
            need_positive(prefix + path, arrays[path], or_zero="centre" in path)
    return arrays


def _shapes(n: int, m: int, categories: tuple[int, ...], k: int, total: int, t: int) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {
        "bias.centre_mean": (1,),
        "bias.centre_variance": (1,),
        "relation_bias.centre_mean": (k,),
        "relation_bias.centre_variance": (k,),
    }
    factors = {"u": (n, t), "v": (m, t), "x": (total, t), "y": (total, t)}
    for owner, shape in (factors | {"bias": (m,), "relation_bias": (k, m)}).items():
        shapes |= {f"{owner}.mean": shape, f"{owner}.variance": shape}
        shapes[f"{owner}.tau_rate"] = shape[:1] if owner in factors else shape
    for owner, c, dim in zip(("u", "v", "bias"), categories, (t, t, 1), strict=True):
        shapes |= {f"{owner}.category_{what}": (c,) for what in ("variance", "rate")}
        shapes[f"{owner}.category_mean"] = (c, dim)
    return shapes


def data_to_tensors(data: Dataset) -> dict[str, np.ndarray]:
    """Return counts and relation pairs, which `partial_fit` needs after `load`, by name."""
    counts = data.counts
    tensors = {"data.indptr": counts.indptr, "data.indices": counts.indices, "data.values": counts.values}
    for number, relation in enumerate(data.relations.values()):
        for field in ("left", "right", "weights"):
            tensors[f"data.relation.{number}.{field}"] = getattr(relation, field)
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
        relations=relations,
        kind=kind,
    )


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
    encoded = [name.encode("utf-8", "surrogatepass") for name in vocabulary.names]
    ends = np.cumsum([len(name) for name in encoded], dtype=np.int64)
    return {
        f"{prefix}.names": np.frombuffer(b"".join(encoded), dtype=np.uint8),
        f"{prefix}.ends": ends,
        f"{prefix}.counts": vocabulary.counts,
    }


def _names_in(prefix: str, tensors: Mapping[str, np.ndarray]) -> Vocabulary:
    blob = take(tensors, f"{prefix}.names", BYTES, (None,)).tobytes()
    bounds = take(tensors, f"{prefix}.ends", LONG, (None,))
    ends = bounds.tolist()
    starts = [0, *ends[:-1]]
    if not ends or ends[-1] != len(blob) or any(a >= b for a, b in zip(starts, ends, strict=True)):
        raise ModelFileError(f"the names of the {prefix} of the model are damaged.")
    counts = take(tensors, f"{prefix}.counts", DOUBLE, bounds.shape)
    need_positive(f"{prefix}.counts", counts, or_zero=True)
    if not counts.any():
        raise ModelFileError(f"none of the {prefix} of the model was ever seen.")
    return Vocabulary([blob[a:b].decode("utf-8", "surrogatepass") for a, b in zip(starts, ends, strict=True)], counts)


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


def _n_categories(taxonomy: Taxonomy | None) -> int:
    return 0 if taxonomy is None else len(taxonomy.category_ids)


def _relations(entries: Any, shared: bool) -> tuple[RelationInfo, ...]:
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ModelFileError("the relations of the model are damaged.")
    names = [entry.get("name") for entry in entries]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ModelFileError("the names of the model's relations are damaged.")
    infos = tuple(RelationInfo(entry["name"], _flag(entry, "symmetric"), _prior(entry)) for entry in entries)
    if not shared and any(info.symmetric for info in infos):
        raise ModelFileError("a relation between different rows and columns cannot be symmetric.")
    return infos


def _prior(entry: Mapping[str, Any]) -> float:
    return _number(entry, "prior", or_zero=True) if "prior" in entry else 0.0  # older files have none


def _flag(values: Mapping[str, Any], name: str) -> bool:
    value = values.get(name)
    if not isinstance(value, bool):
        raise ModelFileError(f"{name}={value!r} of the model is not a truth value.")
    return value


def _number(values: Mapping[str, Any], name: str, or_zero: bool = False) -> float:
    value = values.get(name)
    good = isinstance(value, _NUMBERS) and not isinstance(value, bool) and math.isfinite(value)
    if not good or value < 0 or (value == 0 and not or_zero):  # type: ignore[operator]
        raise ModelFileError(f"{name}={value!r} of the model is not a positive number.")
    return float(value)  # type: ignore[arg-type]


def _by_kind(values: Mapping[str, Any], name: str) -> dict[str, float]:
    given = values.get(name)
    if not isinstance(given, dict):
        raise ModelFileError(f"{name}={given!r} of the model is not a value for each kind of variable.")
    return {kind: _number(given, kind) for kind in KINDS}


def _cold_precision(extra: Mapping[str, Any]) -> str:
    given = extra.get("cold_precision", Hyperpriors.cold)
    if not isinstance(given, str) or given not in COLD_PRECISIONS:
        raise ModelFileError(f"cold_precision={given!r} of the model is not one of {', '.join(COLD_PRECISIONS)}.")
    return given
