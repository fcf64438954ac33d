"""A trained model as named tensors (arrays and names) plus a small JSON part, and back with every shape checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from vbn._errors import ModelFileError
from vbn.data import Taxonomy, Vocabulary
from vbn.model._hyper import KINDS, Hyperpriors
from vbn.model._posterior import Posterior
from vbn.model._trained import RelationInfo, Trained

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def to_tensors(trained: Trained) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Arrays by name, and what JSON holds better."""
    tensors = {f"posterior.{path}": np.ascontiguousarray(a) for path, a in trained.posterior.arrays().items()}
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
        "relations": [{"name": r.name, "symmetric": r.symmetric} for r in trained.relations],
        "alpha": dict(trained.hyperpriors.alpha),
        "beta": dict(trained.hyperpriors.beta),
        "negatives": trained.negatives,
        "noise_power": trained.noise_power,
        "temperature": trained.temperature,
    }
    return tensors, extra


def from_tensors(tensors: dict[str, np.ndarray], extra: dict[str, Any]) -> Trained:
    """The inverse of `to_tensors`; raises `ModelFileError` for anything that does not fit."""
    columns = _names_in("columns", tensors)
    rows = columns if extra["shared"] else _names_in("rows", tensors)
    column_taxonomy = _taxonomy_in("columns", tensors, columns)
    row_taxonomy = column_taxonomy if extra["shared"] else _taxonomy_in("rows", tensors, rows)
    prefix = "posterior."
    posterior = Posterior.from_arrays({k.removeprefix(prefix): a for k, a in tensors.items() if k.startswith(prefix)})
    trained = Trained(
        rows=rows, columns=columns, row_taxonomy=row_taxonomy, column_taxonomy=column_taxonomy,
        relations=tuple(RelationInfo(str(r["name"]), bool(r["symmetric"])) for r in extra["relations"]),
        posterior=posterior,
        hyperpriors=Hyperpriors(*({kind: float(extra[name][kind]) for kind in KINDS} for name in ("alpha", "beta"))),
        row_active=tensors["row_active"], column_active=tensors["column_active"], row_totals=tensors["row_totals"],
        negatives=float(extra["negatives"]), noise_power=float(extra["noise_power"]),
        temperature=float(extra.get("temperature", 1.0)),
    )  # fmt: skip
    _check(trained)
    return trained


def _names_out(prefix: str, vocabulary: Vocabulary) -> dict[str, np.ndarray]:
    encoded = [name.encode("utf-8", "surrogatepass") for name in vocabulary.names]
    ends = np.cumsum([len(name) for name in encoded], dtype=np.int64)
    return {
        f"{prefix}.names": np.frombuffer(b"".join(encoded), dtype=np.uint8).copy(),
        f"{prefix}.ends": ends,
        f"{prefix}.counts": np.array(vocabulary.counts),
    }


def _names_in(prefix: str, tensors: dict[str, np.ndarray]) -> Vocabulary:
    blob, ends = tensors[f"{prefix}.names"].tobytes(), tensors[f"{prefix}.ends"].tolist()
    starts = [0, *ends[:-1]]
    if ends and (ends[-1] != len(blob) or any(a > b for a, b in zip(starts, ends, strict=True))):
        raise ModelFileError("the names of the model are damaged.")
    names = [blob[a:b].decode("utf-8", "surrogatepass") for a, b in zip(starts, ends, strict=True)]
    return Vocabulary(names, tensors[f"{prefix}.counts"])


def _taxonomy_out(prefix: str, taxonomy: Taxonomy | None) -> dict[str, np.ndarray]:
    if taxonomy is None:
        return {}
    arrays = {"indptr": taxonomy.indptr, "indices": taxonomy.indices, "weights": taxonomy.weights}
    return {f"{prefix}.taxonomy.{name}": np.array(array) for name, array in arrays.items()}


def _taxonomy_in(prefix: str, tensors: dict[str, np.ndarray], names: Vocabulary) -> Taxonomy | None:
    if f"{prefix}.taxonomy.indptr" not in tensors:
        return None
    indptr, indices, weights = (tensors[f"{prefix}.taxonomy.{name}"] for name in ("indptr", "indices", "weights"))
    good = len(indptr) == len(names) + 1 and indptr[0] == 0 and indptr[-1] == len(indices) == len(weights)
    if not good or (np.diff(indptr) < 0).any() or (indices < 0).any() or (indices >= len(names)).any():
        raise ModelFileError("the taxonomy of the model does not fit its names.")
    taxonomy = Taxonomy(names, indptr, indices, weights)
    taxonomy.heights()  # raises for a cycle
    return taxonomy


def _check(trained: Trained) -> None:
    q, n, m = trained.posterior, len(trained.rows), len(trained.columns)
    k, total = len(trained.relations), int(q.offsets[-1])
    if q.u.mean.ndim != 2:
        raise ModelFileError("the tensor u.mean is not a matrix.")
    t = q.u.mean.shape[1]
    shapes = {
        "u.mean": (n, t), "u.variance": (n, t), "u.tau_rate": (n,), "v.mean": (m, t), "v.variance": (m, t),
        "v.tau_rate": (m,), "bias.mean": (m,), "bias.variance": (m,), "bias.tau_rate": (m,), "x.mean": (total, t),
        "x.variance": (total, t), "x.tau_rate": (total,), "y.mean": (total, t), "y.variance": (total, t),
        "y.tau_rate": (total,), "relation_bias.mean": (k, m), "relation_bias.variance": (k, m),
        "relation_bias.tau_rate": (k, m), "offsets": (k + 1,), "bias.centre_mean": (1,), "bias.centre_variance": (1,),
        "relation_bias.centre_mean": (k,), "relation_bias.centre_variance": (k,),
    }  # fmt: skip
    for side, part in (("u", trained.row_taxonomy), ("v", trained.column_taxonomy)):
        c = 0 if part is None else len(part.category_ids)
        shapes |= {f"{side}.category_mean": (c, t), f"{side}.category_variance": (c,), f"{side}.category_rate": (c,)}
    arrays = q.arrays()
    for path, shape in shapes.items():
        array = arrays[path]
        if array.shape != shape:
            raise ModelFileError(f"the tensor {path} has shape {array.shape} instead of {shape}.")
        if path != "offsets" and (array.dtype not in _FLOATS or not np.isfinite(array).all()):
            raise ModelFileError(f"the tensor {path} is not of finite floating-point numbers.")
        may_be_zero = "centre" in path
        if path.endswith(("variance", "rate")) and not ((array >= 0) if may_be_zero else (array > 0)).all():
            raise ModelFileError(f"the tensor {path} has values that are not positive.")
    flags = {"row_active": (trained.row_active, n), "column_active": (trained.column_active, m)}
    for name, (array, size) in flags.items():
        if array.shape != (size,) or array.dtype != np.bool_:
            raise ModelFileError(f"the tensor {name} is not of {size} truth values.")
    if trained.row_totals.shape != (n,) or not np.isfinite(trained.row_totals).all():
        raise ModelFileError("the tensor row_totals does not fit the rows.")
    if not (np.isfinite(trained.temperature) and trained.temperature > 0):
        raise ModelFileError(f"the temperature of the model is {trained.temperature}, which is not a positive number.")
    if (np.diff(q.offsets) < 1).any() or q.offsets[0] != 0:
        raise ModelFileError("the ranks of the relations are damaged.")
