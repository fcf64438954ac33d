"""A trained model as named tensors (arrays and names) plus a small JSON part, and back with everything checked.

Densities are written and read by looping over the fields that the blocks declare. `format_1` turns
files that version 0.1 wrote into those of today.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from vbn._errors import ModelFileError
from vbn.data import Features, Labels, Source, Taxonomy, Vocabulary, heights
from vbn.model import (
    COLUMN,
    MEAN,
    PLAIN,
    ROW,
    Affinity,
    Blueprint,
    Company,
    Holder,
    Hyperpriors,
    Posterior,
    RowsLeftOut,
    Side,
    Trained,
    placeholder,
)
from vbn.storage.format_1 import POSTERIOR, from_format_1
from vbn.storage.settings_in import (
    read_by_kind,
    read_cold_precision,
    read_dials,
    read_finite,
    read_flag,
    read_left_out,
    read_number,
    read_priors,
    read_relations,
    read_strengths,
    read_trained,
    read_units,
)
from vbn.storage.tensor_file import (
    BYTES,
    DOUBLE,
    FLOATS,
    IDS,
    LONG,
    TRUTH,
    need_finite,
    need_moderate,
    need_positive,
    need_rows,
    take,
)

_COMPANY, _AFFINITY = "company.", "affinity."


def to_tensors(trained: Trained) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return arrays by name, and what JSON holds better."""
    tensors = densities_out(POSTERIOR, trained.posterior)
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
    if trained.affinity is not None:
        tensors |= {f"{_AFFINITY}{name}": getattr(trained.affinity, name) for name in ("columns", "weights")}
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
    if trained.of_text:
        extra["of_text"] = True
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
        tensors, extra = from_format_1(tensors, extra)
    shared = read_flag(extra, "shared")
    columns = _names_in("columns", tensors)
    left_out = read_left_out(extra, shared)
    rows = columns if shared else _names_in("rows", tensors, left_out is not None)
    column_taxonomy = _taxonomy_in("columns", tensors, columns)
    row_taxonomy = column_taxonomy if shared else _taxonomy_in("rows", tensors, rows)
    n, m = len(rows), len(columns)
    totals = take(tensors, "row_totals", DOUBLE, (n,))
    need_positive("row_totals", totals, or_zero=True)
    units, known = read_units(extra), read_trained(extra, (n, m))
    of_columns = _sources_in(extra, "columns", columns)
    of_rows = of_columns if shared else _sources_in(extra, "rows", rows)
    active = take(tensors, "row_active", TRUTH, (n,)), take(tensors, "column_active", TRUTH, (m,))
    sides = (
        Side(ROW, rows, row_taxonomy, active[0], units[0], known[0], of_rows),
        Side(COLUMN, columns, column_taxonomy, active[1], units[1], known[1], of_columns),
    )
    relations = read_relations(extra.get("relations"), shared)
    strengths = read_strengths(extra)
    hyperpriors = Hyperpriors(
        read_by_kind(extra, "alpha"), read_by_kind(extra, "beta"), read_cold_precision(extra), strengths
    )
    means = take(tensors, f"{POSTERIOR}u.mean", FLOATS, (n, None))
    if means.shape[1] < 1:
        raise ModelFileError("the model has no dimensions.")
    blueprint = Blueprint(*sides, relations, means.shape[1], means.dtype, hyperpriors, read_priors(extra.get("priors")))
    return Trained(
        row_side=sides[0],
        column_side=sides[1],
        relations=relations,
        posterior=_posterior_in(tensors, blueprint),
        hyperpriors=hyperpriors,
        row_totals=totals,
        negatives=read_number(extra, "negatives"),
        noise_power=read_number(extra, "noise_power", or_zero=True),
        slope=read_number(extra, "slope", 1.0 / read_number(extra, "temperature", 1.0)),
        intercept=read_finite(extra, "intercept", 0.0),
        rejects=read_flag(extra, "rejects") if "rejects" in extra else None,
        relations_apart=read_flag(extra, "relations_apart", False),
        dials=read_dials(extra.get("dials", {})),
        noise_counts=_noise_counts(tensors, m),
        company=_company(tensors, m, means.shape[1]),
        left_out=left_out,
        of_text=read_flag(extra, "of_text", False),
        affinity=_affinity(tensors, m),
    )


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


def _affinity(tensors: Mapping[str, np.ndarray], n_columns: int) -> Affinity | None:
    """Return which columns speak for which; None where that was not learned."""
    if f"{_AFFINITY}columns" not in tensors:
        return None
    columns = take(tensors, f"{_AFFINITY}columns", IDS, (None, None))
    weights = take(tensors, f"{_AFFINITY}weights", FLOATS, columns.shape)
    if len(columns) > n_columns or (columns.size and not -1 <= columns.min() <= columns.max() < len(columns)):
        raise ModelFileError("the affinity of the columns of the model does not fit its columns.")
    need_finite(f"{_AFFINITY}weights", weights)
    return Affinity(columns, weights)


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
    arrays = densities_in(POSTERIOR, tensors, skeleton)
    for name in tensors:
        if name.startswith(POSTERIOR) and name.removeprefix(POSTERIOR) not in arrays:
            raise ModelFileError(f"the tensor {name[:80]} belongs to no variable of the model.")
    return skeleton.with_arrays(arrays)


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
    if taxonomy.dropped:
        arrays["dropped"] = taxonomy.vocabulary.ids([name for edge in taxonomy.dropped for name in edge]).reshape(-1, 2)
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
    return Taxonomy(names, indptr, indices, weights, _dropped_in(f"{prefix}.dropped", tensors, names))


def _dropped_in(key: str, tensors: Mapping[str, np.ndarray], names: Vocabulary) -> list[tuple[str, str]]:
    """Return the edges that were dropped to break cycles."""
    if key not in tensors:
        return []
    ids = take(tensors, key, LONG, (None, 2))
    if len(ids) and not 0 <= ids.min() <= ids.max() < len(names):
        raise ModelFileError("the edges dropped from the taxonomy of the model do not fit its names.")
    return [(names[child], names[parent]) for child, parent in ids.tolist()]
