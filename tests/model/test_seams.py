"""A prior that the library does not have, defined here, works everywhere: docs/api.md walks through it."""

import numpy as np
import pytest

import vbn
from vbn.engines import ThreadEngine
from vbn.model import (
    PLAIN,
    PRIORS,
    Cooccurrence,
    Field,
    GivenSample,
    Hyperpriors,
    Prior,
    Share,
    build_network,
    lower_bound,
    register,
    run_epoch,
)
from vbn.sampling import Sampler

YEARS = {f"w{i}": (i - 6) / 6.0 for i in range(14)} | {"newcomer": 1.5}
OFFSET = 0.8


class Trend(Prior):
    """Entities differ by a number that is known of each: m_i = OFFSET number_i e_0, e_0 the first unit vector."""

    name = "trend"
    fields = (Field("numbers", PLAIN, ("entity",)),)

    def __init__(self, numbers, dim):
        self.numbers, self.dim = numbers, dim

    @classmethod
    def of(cls, side, setting):
        if setting.kind != "entity" or not any(name in YEARS for name in side.names):
            return None
        numbers = setting.full(len(side.names), 0.0, np.float64)
        if numbers.flags.writeable:  # else a file has them
            numbers[:] = [YEARS.get(name, 0.0) for name in side.names]
        return cls(numbers, setting.dim)

    def means(self, rows):
        means = np.zeros((len(rows), self.dim))
        means[:, 0] = OFFSET * self.numbers[rows]
        return means

    def informs(self, rows):
        return self.numbers[rows] != 0

    def shares(self, i, names):  # noqa: ARG002
        return [Share(f"the number {self.numbers[i]:.2f}", 1.0, self.means(np.array([i]))[0])]


@pytest.fixture(autouse=True)
def _known():
    register(Trend)
    yield
    del PRIORS["trend"]


def data(n=400, seed=0):
    rng = np.random.default_rng(seed)
    left = rng.integers(0, 12, n)
    right = np.clip(left + rng.integers(-2, 3, n), 0, 11)
    found = vbn.Dataset.from_pairs([f"w{i}" for i in left], [f"w{i}" for i in right], shared=True)
    return found.with_taxonomy({f"w{i}": [f"g{i % 3}"] for i in range(14)})


def settings(**more):
    return {"dim": 4, "epochs": 5, "dtype": "float64", "seed": 3, "verbose": False} | more


def fitted(**more):
    return vbn.VBN(**settings(**more)).fit(data())


def bits(model):
    return {path: array.tobytes() for path, array in model.trained_.posterior.arrays().items()}


def test_it_is_summed_with_the_taxonomy_and_part_of_the_model():
    model = fitted()
    q = model.trained_.posterior
    assert list(q.u.parts()) == ["hierarchy", "trend"]
    assert list(q.bias.parts()) == ["hierarchy", "centre"]
    alone = q.u.parts()["hierarchy"].means(np.arange(3)) + q.u.parts()["trend"].means(np.arange(3))
    np.testing.assert_array_equal(q.u.prior.means(np.arange(3)), alone)


def test_the_bound_never_falls_and_updates_are_stationary():
    sampler = Sampler(
        data(),
        negatives=2,
        noise_power=0.75,
        subsample=None,
        reject_positives=False,
        seed=0,
        dtype=np.dtype(np.float64),
    )
    network = build_network(data(), sampler, Hyperpriors(), dim=3, seed=1, dtype=np.dtype(np.float64))
    engine = ThreadEngine(1)
    sample = GivenSample(sampler.sample(0, engine), network.posterior)
    bounds = []
    for _ in range(30):
        run_epoch(network, sample, engine)
        bounds.append(lower_bound(network, sample, engine))
    assert (np.diff(bounds) >= -1e-10 * np.abs(bounds[:-1])).all()
    u, step = network.posterior.u, 1e-5
    for _ in range(200):  # the rest held fixed, u comes to rest
        Cooccurrence.of(network.posterior).update_rows(sample, engine)
    for i, d in ((0, 0), (5, 1), (9, 2)):
        values = []
        for sign in (-1, 1):
            u.mean[i, d] += sign * step
            values.append(lower_bound(network, sample, engine))
            u.mean[i, d] -= sign * step
        assert abs(values[1] - values[0]) / (2 * step) < 1e-4


def test_entities_without_data_lie_where_it_says():
    model = fitted()
    with_number, without = model.posterior("w13"), model.posterior("g1", role="entity")
    parents = model.posterior("g1", role="category").mean
    np.testing.assert_allclose(with_number.mean, parents + np.eye(4)[0] * OFFSET * YEARS["w13"], rtol=1e-12)
    assert without.mean[0] == 0.0


def test_entities_can_be_added_and_explained():
    model = fitted().add("newcomer", parents=["g1"])
    parents = model.posterior("g1", role="category").mean
    expected = parents + np.eye(4)[0] * OFFSET * YEARS["newcomer"]
    np.testing.assert_allclose(model.posterior("newcomer").mean, expected, rtol=1e-12)
    told = model.explain("newcomer")
    assert [parent.entity for parent in told.parts[0].parents] == ["g1", "the number 1.50"]
    assert sum(parent.share for parent in told.parts[0].parents) == pytest.approx(1.0)
    assert "the number 1.50" in repr(told)


@pytest.mark.parametrize("counts", [True, False])
def test_it_is_saved_loaded_and_fitted_further(tmp_path, counts):
    model = fitted()
    again = vbn.load(model.save(tmp_path / "model", counts=counts))
    assert bits(again) == bits(model)
    more = again.partial_fit(data(50, seed=1))
    assert list(more.trained_.posterior.u.parts()) == ["hierarchy", "trend"]
    if counts:
        assert bits(more) == bits(model.partial_fit(data(50, seed=1)))


def test_a_model_with_it_needs_it_registered(tmp_path):
    folder = fitted().save(tmp_path / "model")
    kind = PRIORS.pop("trend")
    try:
        with pytest.raises(vbn.ModelFileError, match="prior of unknown kind 'trend'"):
            vbn.load(folder)
    finally:
        register(kind)


def test_a_fit_is_resumed_to_the_same_bits(tmp_path):
    vbn.VBN(**settings(checkpoint=tmp_path / "c")).fit(data(), callbacks=[lambda _, epoch: epoch.epoch == 2])
    assert bits(vbn.VBN(**settings()).fit(data(), resume_from=tmp_path / "c")) == bits(fitted())


@pytest.mark.parametrize("threads", [1, 3])
def test_any_number_of_threads_gives_the_same_bits(threads):
    assert bits(fitted(n_threads=threads)) == bits(fitted())


def test_a_cluster_gives_the_same_bits():
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'vbn[ray]'")
    if not ray.is_initialized():
        ray.init(address="local", num_cpus=2, log_to_driver=False, include_dashboard=False)
    try:
        engine = vbn.engines.RayEngine(workers=2, threads=1)
        assert bits(fitted(engine=engine)) == bits(fitted())
    finally:
        ray.shutdown()
