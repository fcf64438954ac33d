"""From the twin's arrays to the library's, and back: the same problem for both."""

from dataclasses import dataclass

import numpy as np

from tests.twin.problem import Problem
from tests.twin.state import State
from vbn.data import Taxonomy, Vocabulary
from vbn.engines import make_engine
from vbn.model import GivenSample, Hyperpriors, Network, PartGraph
from vbn.model._evidence import Evidence, Sites
from vbn.model._posterior import Biases, Factors, Part, Posterior, Scalars
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
    u_graph = _graph(problem.row_taxonomy, problem.active.u)
    v_graph = _graph(problem.col_taxonomy, problem.active.v)
    posterior = _posterior(problem, state, u_graph, v_graph, dtype)
    hyper = Hyperpriors(_kinds(problem.alpha), _kinds(problem.beta), problem.cold)
    r_active = np.array(problem.active.r, dtype=bool).reshape(len(problem.relations), problem.n_cols)
    network = Network(
        posterior, u_graph, v_graph, hyper, problem.active.bias, r_active, problem.centre_precision is not None,
        _evidence(problem, dtype), [relation.prior for relation in problem.relations],
    )  # fmt: skip
    sample = Sample(
        _cells(problem.cells, problem, dtype), tuple(_cells(r.cells, problem, dtype) for r in problem.relations)
    )
    return Twins(problem, state, network, GivenSample(sample, posterior), make_engine("threads", n_threads))


def assert_same(twins: Twins, rtol, atol):
    """All densities agree wherever they are active."""
    q, s, active = twins.network.posterior, twins.state, twins.problem.active
    for name in ("u", "v"):
        ours, theirs, graph = getattr(q, name), s.part(name), twins.network.part(name)[1]
        mask = active.entities(name)
        for field in ("mean", "variance", "tau_rate"):
            close(getattr(ours, field)[mask], getattr(theirs, field)[mask], rtol, atol, f"{name}.{field}")
        nodes = graph.category_nodes
        assert (graph.category_active == active.categories(name)[nodes]).all()
        live = graph.category_active
        pairs = (
            ("category_mean", "category_mean"),
            ("category_variance", "category_variance"),
            ("category_rate", "category_tau_rate"),
        )
        for field, other in pairs:
            close(getattr(ours, field)[live], getattr(theirs, other)[nodes[live]], rtol, atol, f"{name}.{field}")
    close(centre(q.bias, 0), s.bias_centre, rtol, atol, "bias.centre")
    if q.bias.nested:
        live = twins.network.v_graph.category_active
        nodes = twins.network.v_graph.category_nodes[live]
        close(q.bias.category_mean[live, 0], s.g_mean[nodes], rtol, atol, "bias.category_mean")
        close(q.bias.category_variance[live], s.g_var[nodes], rtol, atol, "bias.category_variance")
        close(q.bias.category_rate[live], s.g_tau_rate[nodes], rtol, atol, "bias.category_rate")
    for field, other in (("mean", "bias_mean"), ("variance", "bias_var"), ("tau_rate", "bias_tau_rate")):
        close(getattr(q.bias, field)[active.bias], getattr(s, other)[active.bias], rtol, atol, f"bias.{field}")
    for k, relation in enumerate(s.relations):
        close(centre(q.relation_bias, k), relation.r_centre, rtol, atol, "r.centre")
        rows = slice(q.offsets[k], q.offsets[k + 1])
        for field, other in (("mean", "mean"), ("variance", "var"), ("tau_rate", "tau_rate")):
            close(getattr(q.x, field)[rows], getattr(relation, f"x_{other}"), rtol, atol, f"x.{field}")
            close(getattr(q.y, field)[rows], getattr(relation, f"y_{other}"), rtol, atol, f"y.{field}")
            mine, theirs = getattr(q.relation_bias, field)[k], getattr(relation, f"r_{other}")
            close(mine[active.r[k]], theirs[active.r[k]], rtol, atol, f"r.{field}")


def centre(scalars, k):
    return scalars.centre_mean[k], scalars.centre_variance[k]


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


def _graph(taxonomy, active):
    return PartGraph.build(taxonomy_of(taxonomy), active.copy())


def _posterior(problem, state, u_graph, v_graph, dtype):
    def part(theirs, graph):
        nodes = graph.category_nodes
        return Part(
            theirs.mean.astype(dtype),
            theirs.variance.astype(dtype),
            theirs.tau_rate.copy(),
            theirs.category_mean[nodes].astype(dtype),
            theirs.category_variance[nodes].astype(dtype),
            theirs.category_tau_rate[nodes].copy(),
        )

    def stacked(side):
        fields = [[getattr(r, f"{side}_{f}") for r in state.relations] for f in ("mean", "var", "tau_rate")]
        empty = np.empty((0, problem.dim)), np.empty((0, problem.dim)), np.empty(0)
        mean, var, rate = (np.concatenate([e, *f]) for e, f in zip(empty, fields, strict=True))
        return Factors(mean.astype(dtype), var.astype(dtype), rate)

    def scalars(mean, variance, rate, centres, shape):
        mean, variance, rate = (np.array(a, dtype=float).reshape(shape) for a in (mean, variance, rate))
        centres = np.array(centres, dtype=float).reshape(-1, 2)
        return Scalars(mean.astype(dtype), variance.astype(dtype), rate, centres[:, 0].copy(), centres[:, 1].copy())

    n, k = problem.n_cols, len(problem.relations)
    bias = scalars(state.bias_mean, state.bias_var, state.bias_tau_rate, [state.bias_centre], (n,))
    nodes = v_graph.category_nodes if problem.nested_biases else []
    known = np.maximum(state.g_var[nodes], 1e-300)  # the library has a density for barren ones, too
    bias = Biases(
        **vars(bias),
        category_mean=state.g_mean[nodes][:, None].astype(dtype),
        category_variance=known.astype(dtype),
        category_rate=state.g_tau_rate[nodes].copy(),
    )
    r_fields = ([getattr(r, f"r_{f}") for r in state.relations] for f in ("mean", "var", "tau_rate", "centre"))
    r = scalars(*r_fields, (k, n))
    offsets = np.concatenate(([0], np.cumsum([r.rank for r in problem.relations]))).astype(np.int64)
    return Posterior(part(state.u, u_graph), part(state.v, v_graph), bias, stacked("x"), stacked("y"), r, offsets)


def _evidence(problem, dtype):
    """The library's form."""
    if problem.evidence is None:
        return None
    ours, empty, none = problem.evidence, np.empty((0, problem.dim)), np.empty((0, problem.n_cols))

    def sites(parts, start):
        arrays = ([getattr(part, field) for part in parts] for field in ("precision", "linear"))
        return Sites(*(np.concatenate([start, *array]).astype(dtype) for array in arrays))

    r = sites([Sites(s.precision[None], s.linear[None]) for s in ours.r], none)
    bias = Sites(ours.bias.precision.astype(dtype), ours.bias.linear.astype(dtype))
    return Evidence(sites([ours.u], empty), sites([ours.v], empty), bias, sites(ours.x, empty), sites(ours.y, empty), r)


def _cells(cells, problem, dtype):
    order = np.lexsort((cells.j, cells.i))
    indptr = np.concatenate(([0], np.cumsum(np.bincount(cells.i, minlength=problem.n_rows)))).astype(np.int64)
    weights = (w[order].astype(dtype) for w in (cells.w_pos, cells.w_neg))
    return Cells(indptr, cells.j[order].astype(np.int32), *weights, n_columns=problem.n_cols)
