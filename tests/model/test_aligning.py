"""Coordinates: what a rotation leaves alone, to the last digit or nearly, and that trainings stay comparable."""

import copy

import numpy as np
import pytest

import vbn
from vbn.inference import aligned
from vbn.model import turn_to, turned

FAST = {"verbose": False, "favour": None}


def orthogonal(dim, seed=0):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(dim, dim)))[0]


def shop(seed=0, n=240, m=80, share=1.0):
    """Users x items of four tastes, enough of each to be known."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n, 4)) @ rng.normal(size=(4, m))
    i, j = np.nonzero(rng.random((n, m)) < 1 / (1 + np.exp(0.8 - scores)))
    kept = rng.random(len(i)) < share
    data = vbn.Dataset.from_interactions([f"u{a}" for a in i[kept]], [f"i{b}" for b in j[kept]])
    return data.with_taxonomy({f"i{b}": [f"c{b % 5}"] for b in range(m)} | {"c0": "c", "c1": "c"})


def full():
    """Everything that has coordinates: categories, content and relations of both kinds of prior."""
    rng = np.random.default_rng(5)
    text = [[f"w{a}" for a in rng.integers(0, 30, 6)] for _ in range(300)]
    data = vbn.Dataset.from_sequences(text).with_taxonomy({f"w{a}": [f"c{a % 4}", f"d{a % 3}"] for a in range(30)})
    data = data.with_features({f"w{a}": rng.normal(size=3) for a in range(25)}, name="text")
    pairs = [(f"w{a}", f"w{(a + 7) % 30}") for a in range(20)]
    return data.with_relation("next", pairs).with_relation("other", [(b, a) for a, b in pairs])


def cosines(a, b, side, without=()):
    """Of the entities with data whose mean is longer than half its standard deviation: others have no direction."""
    x, y = (model.trained_.halves(side)[0] for model in (a, b))
    clear = (x.block.mean**2).sum(axis=1) > 0.25 * x.block.variance.sum(axis=1)
    names = [
        name
        for name, known in zip(x.names.names, clear & x.side.active, strict=True)
        if known and name in y.names and name not in without
    ]
    p, q = (half.block.mean[half.names.ids(names)].astype(np.float64) for half in (x, y))
    return (p * q).sum(axis=1) / np.linalg.norm(p, axis=1) / np.linalg.norm(q, axis=1)


@pytest.mark.parametrize("space", ["readout", "joint"])
@pytest.mark.parametrize("parents", ["blend", "mixture"])
def test_means_of_all_scores_stay_the_same(space, parents):
    prior = {"next": 2.0, "other": 0.0}
    ranks = {"next": 5, "other": 3}
    options = {"relation_space": space, "relation_prior": prior, "relation_rank": ranks, "parents": parents}
    model = vbn.VBN(dim=5, epochs=6, dtype="float64", **options, **FAST).fit(full())
    before = model.trained_
    after = turned(before, orthogonal(5))
    rows, columns = np.divmod(np.arange(len(before.rows) ** 2), len(before.rows))
    means = [each.cooccurrence.pair_moments(rows, columns)[0] for each in (before, after)]
    np.testing.assert_allclose(*means, atol=1e-10)
    for name in ("next", "other"):
        means = [each.relation(name).pair_moments(rows, columns)[0] for each in (before, after)]
        np.testing.assert_allclose(*means, atol=1e-8)
    for letter in ("u", "v"):
        one, two = before.half(letter).block, after.half(letter).block
        np.testing.assert_allclose(one.variance.sum(axis=1), two.variance.sum(axis=1))
        everyone = np.arange(len(one))
        np.testing.assert_allclose(one.measured(everyone).distance, two.measured(everyone).distance)  # so tau stays
        np.testing.assert_allclose(one.moments().mean @ orthogonal(5), two.moments().mean, atol=1e-10)
    factors = (each.posterior.relations[0].x for each in (before, after))
    one, two = (each.measured(np.arange(5)).distance.sum() for each in factors)
    np.testing.assert_allclose(one, two)


def test_swaps_and_flips_change_nothing_at_all():
    model = vbn.VBN(dim=4, epochs=5, dtype="float64", **FAST).fit(shop())
    swap = np.array([[0, 0, 1, 0], [-1, 0, 0, 0], [0, 0, 0, -1], [0, 1, 0, 0]], dtype=np.float64)
    pairs = [(f"u{a}", f"i{b}") for a in range(20) for b in range(20)]
    other = model.with_trained(turned(model.trained_, swap), model.data_)
    for one, two in zip(
        model.predict_proba(pairs, return_std=True), other.predict_proba(pairs, return_std=True), strict=True
    ):
        np.testing.assert_allclose(one, two, rtol=1e-9)


def test_the_variance_is_that_of_the_nearest_density_that_factorises():
    rng = np.random.default_rng(1)
    own, rotation = rng.uniform(0.1, 3.0, 4), orthogonal(4, 2)
    covariance = rotation.T @ np.diag(own) @ rotation  # of z R

    def distance(variance):  # KL(turned || diagonal), up to a constant
        return 0.5 * (np.trace(covariance / variance) + np.log(variance).sum())

    best = own @ rotation**2
    np.testing.assert_allclose(best, np.diag(covariance))
    for _ in range(50):
        assert distance(best) <= distance(best * np.exp(0.1 * rng.normal(size=4)))


def test_the_turn_is_found_again():
    model = vbn.VBN(dim=6, epochs=8, **FAST).fit(shop())
    rotation = orthogonal(6, 3)
    turn = turn_to(turned(model.trained_, rotation), model.trained_)
    np.testing.assert_allclose(turn.rotation, rotation.T, atol=1e-4)
    assert turn.after > 0.9999
    assert turn.before < 0.9


def test_an_update_leaves_what_its_data_does_not_move():
    data = shop()
    old = vbn.VBN(dim=8, epochs=30, **FAST).fit(data)
    today = vbn.Dataset.from_interactions(["u1", "u2", "zoe", "zoe"], ["i7", "i8", "i9", "fresh"])
    new = copy.copy(old).set_params(epochs=10).partial_fit(today)
    for side in ("row", "column"):
        found = cosines(old, new, side, without=("u1", "u2", "i7", "i8", "i9"))
        assert len(found) > 70
        assert found.min() > 0.9
    assert new.posterior("fresh").dim == 8


def test_what_drifted_is_turned_back(monkeypatch):
    import vbn.estimators.vbn as fitting
    from vbn.inference import comparable

    old = vbn.VBN(dim=8, epochs=30, **FAST).fit(shop())
    drift = orthogonal(8, 4)

    def drifted(trained, earlier):  # as if the epochs had turned it
        return comparable(turned(trained, drift), earlier)

    monkeypatch.setattr(fitting, "comparable", drifted)
    today = vbn.Dataset.from_interactions(["u1", "zoe"], ["i7", "i9"])
    new = copy.copy(old).set_params(epochs=10).partial_fit(today)
    assert np.median(cosines(old, new, "row")) > 0.9
    assert cosines(old, new, "column").min() > 0.9


def test_a_fresh_fit_can_be_aligned():
    data = shop()
    monday = vbn.VBN(dim=6, epochs=30, seed=1, **FAST).fit(data)
    tuesday = vbn.VBN(dim=6, epochs=30, seed=2, **FAST).fit(shop(share=0.95))
    assert np.median(cosines(monday, tuesday, "column")) < 0.5
    p = tuesday.predict_proba([(f"u{a}", f"i{a}") for a in range(80)])
    found = vbn.align(tuesday, monday)
    assert np.median(cosines(monday, found, "column")) > 0.9
    assert np.median(cosines(monday, found, "row")) > 0.9
    again = found.predict_proba([(f"u{a}", f"i{a}") for a in range(80)])
    assert np.abs(p - again).mean() < 0.005
    assert aligned(tuesday.trained_, monday.trained_).change < 0.005
    assert np.median(cosines(monday, tuesday, "column")) < 0.5  # it is a copy
    assert len(found.partial_fit(vbn.Dataset.from_interactions(["u1"], ["i2"])).recommend(user="u1")) == 10


def test_what_cannot_be_aligned_is_refused():
    one = vbn.VBN(dim=4, epochs=2, **FAST).fit(shop())
    with pytest.raises(vbn.ParameterError, match="4 and 3 dimensions"):
        vbn.align(one, vbn.VBN(dim=3, epochs=2, **FAST).fit(shop()))
    with pytest.raises(vbn.DataError, match="share fewer entities"):
        vbn.align(one, vbn.VBN(dim=4, epochs=2, **FAST).fit(vbn.Dataset.from_pairs(["a", "b"], ["b", "a"])))
    with pytest.raises(vbn.ParameterError, match="two models"):
        vbn.align(one, "monday")
    with pytest.raises(vbn.DataError, match=r"aligning would change probabilities.*tolerance=0"):
        vbn.align(one, vbn.VBN(dim=4, epochs=9, seed=3, **FAST).fit(shop()), tolerance=0)
    with pytest.raises(vbn.NotFittedError):
        vbn.align(vbn.VBN(), one)
