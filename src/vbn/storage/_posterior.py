"""A posterior as named tensors, and back with shapes, types and values checked."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from vbn._errors import ModelFileError
from vbn.model import Posterior
from vbn.storage._checks import DOUBLE, FLOATS, LONG, need_finite, need_moderate, need_positive, take


def posterior_out(prefix: str, posterior: Posterior) -> dict[str, np.ndarray]:
    """Arrays by name."""
    return {f"{prefix}{path}": array for path, array in posterior.arrays().items()}


def posterior_in(
    prefix: str,
    tensors: Mapping[str, np.ndarray],
    sizes: tuple[int, int],
    categories: tuple[int, int],
    n_relations: int,
) -> Posterior:
    """The posterior of a model with so many rows and columns, and categories above either."""
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
    """The arrays of a running average, each of the shape and type of the one in `like`."""
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
        "u.mean": (n, t), "u.variance": (n, t), "u.tau_rate": (n,), "v.mean": (m, t), "v.variance": (m, t),
        "v.tau_rate": (m,), "bias.mean": (m,), "bias.variance": (m,), "bias.tau_rate": (m,), "x.mean": (total, t),
        "x.variance": (total, t), "x.tau_rate": (total,), "y.mean": (total, t), "y.variance": (total, t),
        "y.tau_rate": (total,), "relation_bias.mean": (k, m), "relation_bias.variance": (k, m),
        "relation_bias.tau_rate": (k, m), "bias.centre_mean": (1,), "bias.centre_variance": (1,),
        "relation_bias.centre_mean": (k,), "relation_bias.centre_variance": (k,),
    }  # fmt: skip
    for owner, c, dim in zip(("u", "v", "bias"), categories, (t, t, 1), strict=True):
        shapes |= {f"{owner}.category_{what}": (c,) for what in ("variance", "rate")}
        shapes[f"{owner}.category_mean"] = (c, dim)
    return shapes
