"""What earlier data said, read off the posterior: exact where the fit had converged, and never against reason."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import vbn
from vbn.engines import make_engine
from vbn.kernels import CellArrays
from vbn.model import (
    Block,
    Constant,
    Gamma,
    GivenSample,
    build_network,
    carry,
    common_places,
    continued,
    past_of,
    run_epoch,
    sites_of,
)
from vbn.sampling import Cells, Past, Sample, Sampler, with_negatives

WORDS = [f"w{i}" for i in range(12)]


def data(seed=0):
    rng = np.random.default_rng(seed)
    left = rng.integers(0, 12, 400)
    right = (left + rng.integers(0, 5, 400)) % 12
    found = vbn.Dataset.from_pairs([WORDS[i] for i in left], [WORDS[j] for j in right])
    found = found.with_taxonomy({name: [f"g{i % 3}"] for i, name in enumerate(WORDS)} | {"g0": ["top"], "g1": ["top"]})
    return found.with_relation("next", [(WORDS[i], WORDS[i + 1]) for i in range(8)])


def fitted(**options):
    settings = {
        "dim": 3,
        "epochs": 30,
        "negatives": 1,
        "relation_rank": 2,
        "verbose": False,
        "dtype": "float64",
    } | options
    return vbn.VBN(**settings).fit(data())


def network_of(model, more, dtype="float64"):
    """The network of a fit that goes on without counts, before its first epoch."""
    earlier, dtype = model.trained_, np.dtype(dtype)
    both = continued(earlier, more)
    sampler = Sampler(
        both,
        negatives=1,
        noise_power=0.75,
        subsample=None,
        reject_positives=False,
        seed=0,
        dtype=dtype,
        past=past_of(earlier, both),
    )
    sites, names = sites_of(earlier, earlier.relations), [info.name for info in earlier.relations]
    network = build_network(
        both, sampler, earlier.hyperpriors, earlier.relations, dim=model.dim, seed=0, dtype=dtype, sites=sites
    )
    places = common_places(earlier.rows, both.rows), common_places(earlier.columns, both.columns)
    carry(earlier.posterior, network.posterior, *places, names, names)
    return network, both


def no_cells(shape, dtype):
    none = np.empty(0, dtype)
    return Cells(np.zeros(shape[0] + 1, np.int64), np.empty(0, np.int32), none, none, shape[1])


@pytest.fixture(scope="module")
def converged():
    return fitted(epochs=1500, resample=False)


def test_without_new_data_the_converged_posterior_stays(converged):
    """Categories and precisions too, although only the factors of u, v, b, x, y and r hold them."""
    network, both = network_of(converged, vbn.Dataset.from_pairs(["w0"], ["w1"]))
    shape = len(both.rows), len(both.columns)
    nothing = no_cells(shape, np.float64)
    epoch = GivenSample(Sample(nothing, (nothing,)), network.posterior)
    before = network.posterior.copy().arrays()
    for _ in range(50):
        run_epoch(network, epoch, make_engine("threads", 1))
    after = network.posterior.arrays()
    del after["relation 0.r.centre.variance"]  # biases that no cell reached counted there, and do not any more
    for path, array in after.items():
        np.testing.assert_allclose(array, before[path], rtol=1e-2, atol=1e-2, err_msg=path)
    assert np.abs(before["u.mean"]).max() > 0.1


def test_evidence_is_what_the_cells_of_the_last_epoch_said(converged):
    """Checked against the definition: sums over the cells, with tau and partners as the update found them."""
    trained = converged.trained_
    evidence = sites_of(trained, trained.relations)
    sampler = Sampler(
        data(),
        negatives=1,
        noise_power=0.75,
        subsample=None,
        reject_positives="auto",
        seed=0,
        dtype=np.dtype(np.float64),
    )
    cells = sampler.sample(0, make_engine("threads", 1)).cells.transposed
    q, j = trained.posterior, trained.columns.id("w4")
    mine = slice(cells.indptr[j], cells.indptr[j + 1])
    i = cells.indices[mine]
    dot = q.u.mean[i] @ q.v.mean[j]
    variance = q.u.mean[i] ** 2 @ q.v.variance[j] + q.u.variance[i] @ (q.v.mean[j] ** 2 + q.v.variance[j])
    xi = np.sqrt((dot + q.bias.mean[j]) ** 2 + variance + q.bias.variance[j])
    weight = cells.positive[mine] + cells.negative[mine]
    slope = np.tanh(xi / 2) / (2 * xi) * weight
    assert evidence["bias"].precision[j] == pytest.approx(slope.sum(), rel=1e-3)
    target = 0.5 * (cells.positive[mine] - cells.negative[mine]) - slope * dot
    assert evidence["bias"].linear[j] == pytest.approx(target.sum(), rel=1e-2, abs=1e-2)


def divided(mean, variance, tau, centre):
    """What is left of densities once their prior N(centre, I / tau) is divided out."""
    everything = np.ones(len(mean), dtype=bool)
    gamma = Gamma(1.0, 1.0, mean.shape[1])
    return Block(mean, variance, gamma.shape / tau, Constant(centre), gamma, everything).as_sites()


numbers = {"elements": st.floats(-3, 3)}
positive = {"elements": st.floats(1e-3, 1e3)}


@settings(max_examples=60, deadline=None)
@given(
    arrays(float, (4, 3), **numbers),
    arrays(float, (4, 3), **positive),
    arrays(float, 4, **positive),
    arrays(float, (4, 3), **numbers),
)
def test_evidence_is_never_negative_and_gives_back_the_density(mean, variance, tau, centre):
    """Prior times factor is the density where E[tau] fits in it; where it does not, the density only gets surer."""
    sites = divided(mean, variance, tau, centre)
    assert (sites.precision >= 0).all()
    assert (sites.linear[sites.precision == 0] == 0).all()
    total = tau[:, None] + sites.precision
    known = sites.precision > 0
    assert (total >= 1 / variance * (1 - 1e-4)).all()
    fits = known & (tau <= (1 / variance).min(axis=1))[:, None]
    np.testing.assert_allclose(total[fits], (1 / variance)[fits], rtol=1e-9)
    again = (tau[:, None] * centre + sites.linear) / total
    np.testing.assert_allclose(again[fits], mean[fits], rtol=1e-6, atol=1e-9)


def test_rounding_is_no_evidence():
    """A density that is nothing but the prior, as float32 stores it."""
    tau = np.random.default_rng(0).uniform(0.1, 50.0, 200)
    centre = np.random.default_rng(1).normal(size=(200, 5))
    variance = np.repeat((1 / tau)[:, None], 5, axis=1).astype(np.float32)
    sites = divided(centre.astype(np.float32), variance, tau, centre)
    assert not sites.precision.any()


def test_old_ids_stay_and_counts_add_up():
    model = fitted()
    more = vbn.Dataset.from_pairs(["w1", "new"], ["new", "w1"], [3, 2]).with_taxonomy({"new": ["g0"]})
    both = continued(model.trained_, more)
    assert both.rows.names[: len(model.trained_.rows)] == model.trained_.rows.names
    seen = model.trained_.rows.counts[both.rows.id("w1")] + more.rows.counts[more.rows.id("w1")]
    assert both.rows.counts[both.rows.id("w1")] == seen
    assert both.counts.total == 5
    assert both.column_taxonomy.parents("new") == [("g0", 1.0)]
    assert both.column_taxonomy.parents("w4") == [("g1", 1.0)]
    assert list(both.relations) == ["next"]


def test_what_has_evidence_is_active_and_what_has_none_is_not():
    model = fitted()
    network, both = network_of(model, vbn.Dataset.from_pairs(["w0", "new"], ["w1", "w0"]))
    at = both.rows.id
    assert network.rows.active[at("w9")]
    assert network.rows.graph.category_active[network.rows.graph.category_of[at("g0")]]
    assert not network.columns.active[at("new")]
    assert not network.rows.active[at("g0")]
    assert network.posterior.bias.active[at("w9")]
    assert not network.posterior.bias.active[at("g0")]
    assert network.posterior.relations[0].r.active.any()


def test_a_relation_keeps_its_rank_when_its_counts_are_gone():
    model = fitted(relation_space="joint")
    with pytest.raises(vbn.ParameterError, match="relation_rank=5 of the relation 'next' differs from the 2"):
        sites_of(model.trained_, [replace(info, rank=5) for info in model.trained_.relations])


def past(n=50, new=5, total=1e5):
    noise = np.r_[np.full(n, 1 / n), np.zeros(new)]
    return Past(noise, np.r_[np.linspace(0, 1, n) * total / (0.5 * n), np.zeros(new)], None, noise)


def test_new_columns_get_the_negatives_of_the_old_positives():
    before = past()
    now = np.r_[np.full(50, 0.9 / 50), np.full(5, 0.02)]
    rows, columns, weights = before.missed(now, 2.0, 0, 0)
    assert set(columns) == set(range(50, 55))
    due = 2.0 * before.row_totals.sum() * 0.02
    np.testing.assert_allclose(np.bincount(columns, weights)[50:], due, rtol=1e-9)
    assert rows.max() < 50
    assert 0 not in rows  # it weighed nothing
    assert np.corrcoef(np.bincount(rows, minlength=50), before.row_totals[:50])[0, 1] > 0.9


def test_chance_growth_is_no_reason_for_more_negatives():
    before = past()
    now = before.noise * np.random.default_rng(0).uniform(0.6, 1.4, 55)
    assert len(before.missed(now, 1.0, 0, 0)[0]) == 0


def test_small_weights_come_by_chance_and_are_right_on_average():
    before = past(total=1.0)
    now = np.r_[np.full(50, 0.9 / 50), np.full(5, 0.02)]
    drawn = [before.missed(now, 1.0, 0, epoch)[2].sum() for epoch in range(3000)]
    assert np.mean(drawn) == pytest.approx(before.row_totals.sum() * 0.1, rel=0.2)
    assert set(np.unique(drawn)) <= {0.0, 1.0, 2.0, 3.0}


def test_each_fit_of_a_series_has_its_own_seed():
    one, other = past(), past(total=2e5)
    assert one.seed(3) == past().seed(3) != other.seed(3)
    assert one.seed(3) != one.seed(4)


@pytest.mark.parametrize("first", [0, 10])
def test_negatives_join_the_cells_of_their_rows(first):
    cells = CellArrays(
        np.array([0, 1, 1, 3]), np.array([2, 0, 1], np.int32), np.ones(3, np.float32), np.zeros(3, np.float32), first
    )
    rows = first + np.array([-1, 0, 1, 2, 3])
    more = with_negatives(cells, rows, np.array([9, 3, 3, 3, 9]), np.array([1.0, 6.0, 7.0, 5.0, 1.0]))
    assert more.first == first
    assert more.indptr.tolist() == [0, 2, 3, 6]
    assert more.indices.tolist() == [2, 3, 3, 0, 1, 3]
    assert more.positive.tolist() == [1, 0, 0, 1, 1, 0]
    assert more.negative.tolist() == [0, 6, 7, 0, 0, 5]
    assert more.negative.dtype == np.float32


def test_an_older_model_lets_new_data_decide_about_rejection():
    before, trained = past_of(fitted().trained_, data()), fitted().trained_
    assert before.rejects == trained.rejects
    for known in (True, False):
        sampler = Sampler(
            data(),
            negatives=1,
            noise_power=0.75,
            subsample=None,
            reject_positives="auto",
            seed=0,
            dtype=np.dtype(np.float32),
            past=replace(before, rejects=known),
        )
        assert sampler.reject is known
