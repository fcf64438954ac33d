"""Relations with a prior mean, and relations that are learned apart, on vectors read out of the densities."""

from types import SimpleNamespace

import numpy as np
import pytest

import vbn
from tests.kernels.test_against_twin import priors, relations
from vbn.engines import make_engine
from vbn.model import (
    Bilinear,
    Centre,
    GivenSample,
    Hyperpriors,
    RelationInfo,
    build_network,
    lower_bound,
    relation_bound,
    run_epoch,
)
from vbn.sampling import Sampler

PAIRS = [(f"w{i}", f"w{i + 1}") for i in range(0, 16, 2)]
APART = {"relation_space": "readout", "relation_prior": 3.0}


def data(relation=True, seed=0):
    """Words i and i + 1 (i even) share a parent and most of their contexts."""
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 20, 600)
    near = words // 2 * 2 + rng.integers(0, 2, 600)
    other = np.where(rng.random(600) < 0.7, near, rng.integers(0, 20, 600))
    built = vbn.Dataset.from_pairs([f"w{i}" for i in words], [f"w{i}" for i in other], shared=True)
    built = built.with_taxonomy([(f"w{i}", f"p{i // 2}") for i in range(20)])
    return built.with_relation("antonym", PAIRS[:5], symmetric=True) if relation else built


def fitted(relation=True, **options):
    settings = {"dim": 4, "epochs": 15, "negatives": 2, "verbose": False, "dtype": "float64"} | options
    return vbn.VBN(**settings).fit(data(relation))


@pytest.fixture(scope="module")
def apart():
    return fitted(**APART)


@pytest.mark.parametrize("seed", range(3))
def test_no_block_lowers_the_bound_of_relations_learned_apart(seed):
    built, dtype, engine = data(seed=seed), np.dtype(np.float64), make_engine("threads", 1)
    sampler = Sampler(
        built,
        negatives=2,
        noise_power=0.75,
        subsample=None,
        reject_positives=False,
        seed=seed,
        dtype=dtype,
        relation_weight=20.0,
    )
    infos = [RelationInfo("antonym", symmetric=True, prior=2.0, rank=4)]
    network = build_network(built, sampler, Hyperpriors(), infos, dim=4, seed=seed, dtype=dtype, apart=True)
    sample = GivenSample(sampler.sample(0, engine), network.posterior, apart=True)
    for _ in range(5):
        run_epoch(network, sample, engine)
    twins = SimpleNamespace(network=network, data=sample, engine=engine)

    def precisions():
        for path, block in network.posterior.blocks().items():
            if path.startswith("relation"):
                block.update_precisions(block.measure(engine))

    blocks = {
        "x": relations(lambda r, cells: r.update_factors(cells, columns=False)),
        "y": relations(lambda r, cells: r.update_factors(cells, columns=True)),
        "shift": relations(Bilinear.move_biases),
        "r": relations(Bilinear.update_biases),
        "centres": priors(Centre, "r"),
        "tau": lambda _: precisions(),
    }
    whole, before = lower_bound(network, sample, engine), relation_bound(network, sample, engine)
    start = before
    for _ in range(10):
        for name in np.random.default_rng(seed).permutation(list(blocks)):
            blocks[name](twins)
            after = relation_bound(network, sample, engine)
            assert after >= before - 1e-10 * abs(before), name
            before = after
    assert before > start
    assert lower_bound(network, sample, engine) == whole  # which is about the rest of the model


def test_vectors_without_variance_take_a_shorter_way_to_the_same_densities():
    def learned(certain):
        built, engine = data(), make_engine("threads", 1)
        options = {"negatives": 2, "noise_power": 0.75, "subsample": None, "reject_positives": False, "seed": 1}
        sampler = Sampler(built, dtype=np.dtype(np.float64), **options)
        infos = [RelationInfo("antonym", symmetric=True, prior=2.0, rank=4)]
        network = build_network(
            built, sampler, Hyperpriors(), infos, dim=4, seed=1, dtype=np.dtype(np.float64), apart=True
        )
        (likelihood,), bounds = network.relation_likelihoods(), []
        likelihood.__dict__["certain"] = certain
        cells = GivenSample(sampler.sample(0, engine), network.posterior, apart=True).relations.lists[0]
        for _ in range(4):
            likelihood.update(cells)
            bounds.append(likelihood.log_likelihood(cells))
        return bounds, network.posterior.arrays()

    bounds, short = learned(certain=True)
    expected, full = learned(certain=False)
    np.testing.assert_allclose(bounds, expected, rtol=1e-10)
    assert np.abs(full["relation 0.x.mean"] - 2.0 * np.eye(4)).max() > 0.1
    for path in ("relation 0.x.mean", "relation 0.y.variance", "relation 0.r.mean"):
        np.testing.assert_allclose(short[path], full[path], rtol=1e-9, atol=1e-12)


def test_densities_hear_nothing_of_relations_that_are_learned_apart(apart):
    alone = fitted(relation=False)
    for path in ("u.mean", "u.variance", "v.mean", "v.rate", "bias.mean", "u.hierarchy.mean"):
        ours, theirs = (model.trained_.posterior.arrays()[path] for model in (apart, alone))
        assert np.array_equal(ours, theirs), path
    np.testing.assert_allclose(apart.lower_bounds_, alone.lower_bounds_, rtol=1e-12)
    joint = fitted(relation_space="joint")
    assert not np.array_equal(joint.trained_.posterior.u.mean, alone.trained_.posterior.u.mean)


def test_vectors_that_relations_are_about_have_unit_length_and_are_those_that_are_read_out(apart):
    rows, columns = apart.trained_.relation_parts
    known = apart.trained_.row_active
    np.testing.assert_allclose(np.linalg.norm(rows.mean[known], axis=1), 1.0)
    assert rows is columns
    smooth = apart.vectors(readout="smoothed")[1][known]
    np.testing.assert_allclose(rows.mean[known], smooth / np.linalg.norm(smooth, axis=1)[:, None], atol=1e-12)


def test_a_prior_of_similarity_finds_pairs_that_training_has_not_seen(apart):
    def rank(model):
        answers = [[row.entity for row in model.related("antonym", a, k=19)] for a, _ in PAIRS[5:]]
        return np.mean([found.index(b) for found, (_, b) in zip(answers, PAIRS[5:], strict=True)])

    assert rank(apart) < 2
    assert rank(fitted(relation_space="joint", relation_prior=1.0)) < 4
    assert rank(apart) < rank(fitted(relation_space="joint", relation_rank=4))


def test_a_saved_model_gives_the_same_and_goes_on_without_its_counts(apart, tmp_path):
    whole, loaded = (vbn.load(apart.save(tmp_path / f"{counts}", counts=counts)) for counts in (True, False))
    new, known = [*PAIRS[5:], ("w10", "w7")], PAIRS[:5]
    for pairs in (new, known):
        assert np.array_equal(whole.relation_proba("antonym", pairs), apart.relation_proba("antonym", pairs))
    assert np.array_equal(loaded.relation_proba("antonym", new), apart.relation_proba("antonym", new))
    assert (loaded.relation_proba("antonym", known) < apart.relation_proba("antonym", known)).all()
    assert loaded.trained_.relations == apart.trained_.relations
    before, more = (
        loaded.relation_proba("antonym", known),
        vbn.Dataset.from_pairs(["w0", "new"], ["w1", "w0"], shared=True),
    )
    loaded.partial_fit(more.with_relation("antonym", [("w0", "new")], symmetric=True))
    np.testing.assert_allclose(loaded.relation_proba("antonym", known), before, atol=0.3)
    assert [row.known for row in loaded.related("antonym", "w0", k=2)] == [None, None]
    assert loaded.trained_.relations_apart


def test_added_entities_take_part(apart):
    grown = fitted(**APART)
    grown.add("twin", parents=["p6"])
    assert "twin" in [row.entity for row in grown.related("antonym", "w12", k=4)]
    assert grown.explain("w0").to_dict()


def test_any_number_of_threads_gives_the_same_bits(apart):
    two = fitted(n_threads=2, **APART).trained_.posterior.arrays()
    for path, array in apart.trained_.posterior.arrays().items():
        assert np.array_equal(array, two[path]), path


def test_users_and_items_have_vectors_of_their_own():
    rng = np.random.default_rng(0)
    users, items = rng.integers(0, 10, 200), rng.integers(0, 12, 200)
    built = vbn.Dataset.from_interactions([f"u{i}" for i in users], [f"i{i}" for i in items])
    built = built.with_relation("returned", [("u0", "i1"), ("u1", "i2")])
    model = vbn.VBN(dim=3, epochs=4, verbose=False, **APART).fit(built)
    rows, columns = model.trained_.relation_parts
    assert rows.mean.shape == (10, 3)
    assert columns.mean.shape == (12, 3)
    assert len(model.related("returned", "u0", k=3)) == 3


def test_the_dial_of_related_moves_popular_answers_up(apart):
    counts = apart.trained_.columns.counts
    names = apart.trained_.columns

    def popularity(dial):
        return np.mean([counts[names.id(row.entity)] for row in apart.related("antonym", "w0", k=5, popularity=dial)])

    assert popularity(50.0) > popularity(0.0) > popularity(-50.0)
    with pytest.raises(vbn.ParameterError, match="popularity='x'"):
        apart.related("antonym", "w0", popularity="x")
