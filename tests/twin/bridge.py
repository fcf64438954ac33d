"""From the twin's arrays to the library's, and back: the same problem for both."""

from dataclasses import dataclass

import numpy as np

from tests.twin.problem import Problem
from tests.twin.state import State
from vbn.data import Features, Source, Taxonomy, Vocabulary
from vbn.engines import make_engine
from vbn.model import COLUMN, ROW, Blueprint, GivenSample, Hyperpriors, Network, RelationInfo, Side, Sites
from vbn.sampling import Cells, Sample


def one_relation_kind(problem: Problem) -> Problem:
    """The library has one (alpha, beta) for factors and biases of relations."""
    for table in (problem.alpha, problem.beta):
        table["relation_bias"] = table["relation_factor"]
    return problem


@dataclass
class Twins:
    """A problem with its state in the twin, and the same in the library."""

    problem: Problem
    state: State
    network: Network
    data: GivenSample
    engine: object


def make_twins(problem: Problem, state: State, dtype="float64", n_threads=1) -> Twins:
    one_relation_kind(problem)
    dtype = np.dtype(dtype)
    # a source for each column: the twin has a precision for each
    strengths = {} if problem.rho is None else {str(f): 1 / rho for f, rho in enumerate(problem.rho)}
    hyper = Hyperpriors(_kinds(problem.alpha), _kinds(problem.beta), problem.cold, strengths)
    relations = tuple(RelationInfo(str(k), False, r.prior, r.rank) for k, r in enumerate(problem.relations))
    parents, content = "mixture" if problem.mixture else "hierarchy", ["linear"] * (problem.rho is not None)
    biases = [parents] * problem.nested_biases + content + ["centre"] * (problem.centre_precision is not None)
    blueprint = Blueprint(
        rows=_side(ROW, problem.row_taxonomy, problem.active.u, problem.row_features),
        columns=_side(COLUMN, problem.col_taxonomy, problem.active.v, problem.col_features),
        relations=relations,
        dim=problem.dim,
        dtype=dtype,
        hyperpriors=hyper,
        priors={"u": [parents, *content], "v": [parents, *content], "bias": biases},
        bias_active=problem.active.bias,
        relation_active=np.array(problem.active.r, dtype=bool).reshape(len(problem.relations), problem.n_cols),
    )
    posterior = blueprint.build()
    for path, theirs in _paired(posterior, state, blueprint).items():
        array = posterior.arrays()[path]
        array[...] = np.reshape(theirs, array.shape)
    _give_evidence(problem, posterior)
    network = Network(posterior, blueprint.rows, blueprint.columns, relations, hyper)
    sample = Sample(
        _cells(problem.cells, problem, dtype), tuple(_cells(r.cells, problem, dtype) for r in problem.relations)
    )
    return Twins(problem, state, network, GivenSample(sample, posterior), make_engine("threads", n_threads))


def assert_same(twins: Twins, rtol, atol):
    """All densities agree wherever they are active."""
    q, network = twins.network.posterior, twins.network
    for side, name in ((network.rows, "u"), (network.columns, "v")):
        assert (side.graph.category_active == twins.problem.active.categories(name)[side.graph.category_nodes]).all()
    arrays, blocks = q.arrays(), q.blocks()
    for path, theirs in _paired(q, twins.state, network).items():
        block, live = blocks[next(name for name in blocks if path.startswith(f"{name}."))], slice(None)
        if path.endswith(".support"):
            continue
        if ".hierarchy." in path or ".mixture." in path:
            live = block.hierarchy.graph.category_active
        elif ".centre." not in path and ".linear." not in path:
            live = block.active
        close(arrays[path][live], np.reshape(theirs, arrays[path].shape)[live], rtol, atol, path)


def _paired(posterior, state, sides):
    """The twin's array for each path of the library's."""
    found = {"bias.centre.mean": state.bias_centre[0], "bias.centre.variance": state.bias_centre[1]}
    columns = sides.columns.graph.category_nodes
    for name, part, nodes in (("u", state.u, sides.rows.graph.category_nodes), ("v", state.v, columns)):
        found |= {f"{name}.mean": part.mean, f"{name}.variance": part.variance, f"{name}.rate": part.tau_rate}
        found[f"{name}.hierarchy.mean"] = part.category_mean[nodes]
        found[f"{name}.hierarchy.variance"] = part.category_variance[nodes]
        found[f"{name}.hierarchy.rate"] = part.category_tau_rate[nodes]
    found |= {"bias.mean": state.bias_mean, "bias.variance": state.bias_var, "bias.rate": state.bias_tau_rate}
    found["bias.hierarchy.mean"] = state.g_mean[columns]
    # the library has a density for categories without data, too
    found["bias.hierarchy.variance"] = np.maximum(state.g_var[columns], 1e-300)
    found["bias.hierarchy.rate"] = state.g_tau_rate[columns]
    found |= {path.replace(".hierarchy.", ".mixture."): array for path, array in found.items() if ".hierarchy." in path}
    if state.chosen_u:
        found["u.mixture.support"] = _support(sides.rows, state.chosen_u)
        found["v.mixture.support"] = found["bias.mixture.support"] = _support(sides.columns, state.chosen_v)
    for k, relation in enumerate(state.relations):
        for block in ("x", "y", "r"):
            for ours, theirs in (("mean", "mean"), ("variance", "var"), ("rate", "tau_rate")):
                found[f"relation {k}.{block}.{ours}"] = getattr(relation, f"{block}_{theirs}")
        for ours, value in zip(("mean", "variance"), relation.r_centre, strict=True):
            found[f"relation {k}.r.centre.{ours}"] = value
    for name, content in (("u", state.u.content), ("v", state.v.content), ("bias", state.bias_content)):
        if content is not None:
            nodes = range(len(content.features))
            found |= {f"{name}.linear.weights": content.mean.T, f"{name}.linear.covariance": content.covariance}
            found |= {f"{name}.linear.centre": 0 * content.rho, f"{name}.linear.factor": 0 * content.rho + 1}
            found[f"{name}.linear.shift"] = np.array([content.shift(node) for node in nodes])
            found[f"{name}.linear.leverage"] = np.array([content.leverage(node) for node in nodes])
    return {path: found[path] for path in posterior.arrays()}


def _support(side, chosen):
    """The log evidence for each parent that gives these probabilities; the library sorts parents, as the twin does."""
    graph, r = side.graph, np.concatenate(chosen)
    return np.log(np.maximum(r, 1e-300)) - np.log(graph.parent_weights)


def close(ours, theirs, rtol, atol, what):
    np.testing.assert_allclose(np.asarray(ours, dtype=float), theirs, rtol=rtol, atol=atol, err_msg=what)


def _kinds(table):
    kinds = {"entity": "entity", "category": "category", "bias": "bias", "relation": "relation_factor"}
    return {ours: table[theirs] for ours, theirs in kinds.items()}


def taxonomy_of(taxonomy):
    """The library's form, None where there are no edges."""
    names = Vocabulary([str(node) for node in range(len(taxonomy))])
    edges = [(str(c), str(p), w) for c in range(len(taxonomy)) for p, w in taxonomy.edges(c)]
    return Taxonomy.from_edges(edges, names) if edges else None


def _side(name, taxonomy, active, features):
    names = Vocabulary([str(node) for node in range(len(active))])
    known = None
    if features is not None:
        rows = np.flatnonzero(features.any(axis=1))
        known = Features(names, [Source(str(f), features[rows, f : f + 1], rows) for f in range(features.shape[1])])
    return Side(name, names, taxonomy_of(taxonomy), active.copy(), features=known)


def _give_evidence(problem, posterior):
    """Give every block what earlier data said, in the library's form."""
    if problem.evidence is None:
        return
    ours = problem.evidence
    parts = {"u": ours.u, "v": ours.v, "bias": ours.bias}
    for k in range(len(posterior.relations)):
        parts |= {f"relation {k}.{name}": getattr(ours, name)[k] for name in ("x", "y", "r")}
    for path, block in posterior.blocks().items():
        dtype = block.mean.dtype
        block.sites = Sites(parts[path].precision.astype(dtype), parts[path].linear.astype(dtype))


def _cells(cells, problem, dtype):
    order = np.lexsort((cells.j, cells.i))
    indptr = np.concatenate(([0], np.cumsum(np.bincount(cells.i, minlength=problem.n_rows)))).astype(np.int64)
    weights = (w[order].astype(dtype) for w in (cells.w_pos, cells.w_neg))
    return Cells(indptr, cells.j[order].astype(np.int32), *weights, n_columns=problem.n_cols)
