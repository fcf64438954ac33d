"""Retrofitting (Faruqui et al., 2015): pull the vectors of neighbours in a taxonomy together after training."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from vbn._errors import DataError, ParameterError
from vbn.baselines.vectors import VectorModel, Vectors, fitted
from vbn.data import Taxonomy, known_ids
from vbn.estimators import VBN, need_number, need_whole
from vbn.model import Side

M = TypeVar("M", bound=VectorModel | VBN)


def retrofit(
    model: M,
    taxonomy: Any,
    iterations: int = 10,
    alpha: float = 1.0,
    beta: float | str = "degree",
    missing: str = "infer",
) -> M:
    """Return a copy of a model whose vectors are pulled towards those of their parents and children.

    Each iteration goes through the entities by rising id and sets the vector of each, in place, to

        (alpha * trained vector + beta * sum of its neighbours' present vectors) / (alpha + beta * number of neighbours)

    for the means of u and of v. Variances stay as they are, biases too. With SG that is the paper's SG-R, with Bayesian
    skip-gram its BSG-R.

    Parameters
    ----------
    model
        A fitted model with vectors: `SkipGram`, `BayesianSkipGram`, `VBN`, ... It does not change.
    taxonomy
        A `Taxonomy`, such as `data.taxonomy`, or edges in any form that `Dataset.with_taxonomy` takes. Edges hold
        both ways and weigh the same, as published. Where rows and columns differ, it is the columns'.
    iterations : int, default 10
        As published.
    alpha : float, default 1.0
        Weight of the trained vector.
    beta : float or "degree", default "degree"
        Weight of each neighbour; "degree" is one over the number of neighbours, as published.
    missing : {"infer", "skip"}, default "infer"
        Nodes that have no trained vector: categories that no data was seen of, as genres of movies are. "infer": they
        take the mean of their neighbours (alpha is 0 for them) and so connect their children with each other. "skip":
        they and their edges are left out, as published, where all nodes are words of the text.

    Returns
    -------
    The same kind of model, which can be queried and saved.

    Notes
    -----
    With a number as beta the iterations descend sum_i alpha |q_i - p_i|^2 + sum_edges beta |q_i - q_j|^2. With "degree"
    the weights of the two directions of an edge differ; the same steps then descend the sum with alpha * degree of i in
    place of alpha, and beta 1.

    Examples
    --------
    >>> import vbn
    >>> text = [["a", "dog", "barks"], ["a", "cat", "purrs"], ["the", "poodle", "barks"]] * 5
    >>> data = vbn.Dataset.from_sequences(text).with_taxonomy({"poodle": ["dog"], "dog": ["animal"], "cat": ["animal"]})
    >>> model = vbn.SkipGram(dim=4).fit(data)
    >>> closer = vbn.retrofit(model, data.taxonomy)
    >>> def cosine(of):
    ...     return next(row.score for row in of.similar("dog", k=9) if row.entity == "poodle")
    >>> cosine(closer) > cosine(model)
    True
    """
    if not isinstance(model, (VectorModel, VBN)):
        raise ParameterError(f"retrofit takes a fitted model with vectors, not {type(model).__name__}.")
    start = fitted(model) if isinstance(model, VectorModel) else Vectors.of_trained(model.trained_)
    need_whole("iterations", iterations, least=1)
    need_number("alpha", alpha, above=0.0)
    if not (isinstance(beta, str) and beta == "degree"):
        need_number("beta", beta, above=0.0)
    if missing not in ("infer", "skip"):
        raise ParameterError(f"missing must be 'infer' or 'skip', got {missing!r}.")
    if taxonomy is None:
        raise DataError("the data has no taxonomy to retrofit to; add one with with_taxonomy.")
    edges = taxonomy if isinstance(taxonomy, Taxonomy) else Taxonomy.from_edges(taxonomy)
    steps = Steps(int(iterations), float(alpha), beta, missing == "infer")
    u = _retrofitted(start.u, start.row_side, edges, steps) if start.shared else start.u
    v = _retrofitted(start.v, start.column_side, edges, steps)
    if isinstance(model, VBN):
        trained = model.trained_
        q = trained.posterior
        changed = trained.with_posterior(replace(q, u=replace(q.u, mean=u), v=replace(q.v, mean=v)))
        return model.with_trained(changed, model.data_)
    result = copy.copy(model)
    result._vectors = replace(start, u=u, v=v)
    return result


@dataclass(frozen=True)
class Steps:
    """Iterations, weights, and whether nodes without a vector take part."""

    iterations: int
    alpha: float
    beta: float | str
    infer: bool


def _retrofitted(vectors: np.ndarray, side: Side, edges: Taxonomy, steps: Steps) -> np.ndarray:
    """Return the vectors of one side, retrofitted."""
    nodes = edges.vocabulary
    place = known_ids(side.names, nodes)
    start = np.zeros((len(nodes), vectors.shape[1]))
    given = place >= 0
    start[given] = vectors[place[given]]
    trained = np.zeros(len(nodes), dtype=bool)
    trained[given] = side.active[place[given]]
    found, has = retrofitted_vectors(start, trained, neighbours_of(edges), steps)
    result = vectors.copy()
    written = given & has
    result[place[written]] = found[written]
    return result


def neighbours_of(taxonomy: Taxonomy) -> list[np.ndarray]:
    """Return the parents and children of every node."""
    child, parent, _ = taxonomy.edges()
    pairs = np.unique(np.stack([np.r_[child, parent], np.r_[parent, child]]), axis=1)
    bounds = np.searchsorted(pairs[0], np.arange(1, len(taxonomy.vocabulary)))
    return np.split(pairs[1], bounds)


def retrofitted_vectors(
    start: np.ndarray, trained: np.ndarray, neighbours: list[np.ndarray], steps: Steps
) -> tuple[np.ndarray, np.ndarray]:
    """Return the vectors after the iterations, and which nodes have one.

    `trained` says which vectors in `start` are real. A node to be inferred has no vector, and counts as no neighbour,
    until one of its neighbours has one.
    """
    from vbn.kernels.drawing import draw_together

    start = np.ascontiguousarray(start, dtype=np.float64)
    vectors, has = start.copy(), np.array(trained, dtype=bool)
    takes_part = np.ones(len(has), dtype=bool) if steps.infer else has.copy()
    near = [ids[takes_part[ids]] for ids in neighbours]
    order = np.array([i for i in range(len(start)) if takes_part[i] and len(near[i])], dtype=np.int64)
    indptr = np.concatenate(([0], np.cumsum([len(ids) for ids in near]))).astype(np.int64)
    indices = np.concatenate([*near, np.empty(0, np.int64)]).astype(np.int64)
    beta = -1.0 if isinstance(steps.beta, str) else float(steps.beta)
    known = has.copy()
    for _ in range(steps.iterations):
        draw_together(vectors, has, start, known, order, indptr, indices, float(steps.alpha), beta)
    return vectors, has
