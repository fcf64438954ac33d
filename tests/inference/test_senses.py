"""Occurrences split over parents: the bound never falls, simulated senses are found, errors say what to do."""

import numpy as np
import pytest
from scipy.special import digamma, gammaln

import vbn
from vbn.inference import expected_cooccurrences, split_occurrences

LAND = ["river", "water", "sand", "boat", "fish", "reed", "tide", "mud"]
FIRM = ["money", "loan", "rate", "debt", "cash", "credit", "stock", "fund"]


def text():
    """Banks of two kinds, twice as often at the river as with money, and words that have one of the meanings."""
    words = {"shore": LAND, "coast": LAND, "beach": LAND, "lender": FIRM, "broker": FIRM, "insurer": FIRM}
    pairs = [*words.items(), ("bank", LAND), ("bank", LAND), ("bank", FIRM)]
    return [[a, word, b] for word, contexts in pairs for a in contexts for b in contexts if a != b]


def data():
    kinds = {"bank": ["land", "firm"], "dune": ["land", "coast"]}
    kinds |= {word: ["land"] for word in ("shore", "coast", "beach")}
    kinds |= {word: ["firm"] for word in ("lender", "broker", "insurer")}
    return vbn.Dataset.from_sequences(text(), window=1).with_taxonomy(kinds)


@pytest.fixture(scope="module")
def model():
    return vbn.VBN(dim=8, epochs=30, dtype="float64", verbose=False).fit(data())


def split_of(model, entity="bank", sweeps=50, side="column"):
    shown = expected_cooccurrences(model.data_, model._sampler(model.data_), model.settings_["subsample"])
    return split_occurrences(model.trained_, entity, side, shown, sweeps)


def bound(split):
    """The lower bound of the row alone, written out term by term in a loop."""
    cells, (n, t) = split.cells, split.mean.shape
    v, v_variance, bias, bias_variance = split.side.at(cells.others)
    log_omega = digamma(split.dirichlet) - digamma(split.dirichlet.sum())
    total = gammaln(split.prior_dirichlet.sum()) - gammaln(split.prior_dirichlet).sum()
    total -= gammaln(split.dirichlet.sum()) - gammaln(split.dirichlet).sum()
    total += ((split.prior_dirichlet - split.dirichlet) * log_omega).sum()
    shape = split.gamma.shape
    for k in range(n):
        tau, log_tau = shape / split.rate[k], digamma(shape) - np.log(split.rate[k])
        gap = ((split.mean[k] - split.prior_mean[k]) ** 2 + split.variance[k] + split.prior_variance[k]).sum()
        total += t / 2 * log_tau - tau / 2 * gap + np.log(split.variance[k]).sum() / 2
        total += (split.gamma.alpha - shape) * log_tau - (split.gamma.beta - split.rate[k]) * tau
        total -= shape * np.log(split.rate[k])
        for j in range(len(cells.others)):
            mean = v[j] @ split.mean[k] + bias[j]
            variance = (v_variance[j] * (split.mean[k] ** 2 + split.variance[k]) + v[j] ** 2 * split.variance[k]).sum()
            xi = np.sqrt(mean**2 + variance + bias_variance[j])
            for sign, weight, r in (
                (1, cells.positive[j], split.positive[j, k]),
                (-1, cells.negative[j], split.negative[j, k]),
            ):
                if r > 0:
                    fit = -np.logaddexp(0, -xi) - xi / 2 + sign * mean / 2
                    total += weight * r * (log_omega[k] + fit - np.log(r))
    return total


def test_no_update_lowers_the_bound_of_the_row(model):
    split = split_of(model, sweeps=0)
    split.choose()
    before, rng = bound(split), np.random.default_rng(0)
    for _ in range(60):
        update = [split.choose, split.update_weights, split.update_densities][rng.integers(3)]
        update()
        after = bound(split)
        assert after >= before - 1e-9 * abs(before), update.__name__
        before = after


def test_senses_are_told_apart_by_their_contexts(model):
    table = model.senses("bank", k=3)
    assert [row.sense for row in table] == ["land", "firm"]
    assert set(table[0].contexts) < set(LAND)
    assert set(table[1].contexts) < set(FIRM)
    assert sum(row.weight for row in table) == pytest.approx(1.0)
    assert sum(row.count for row in table) == pytest.approx(
        model.data_.counts.to_scipy()[model.trained_.rows.id("bank")].sum()
    )
    assert table[0].count > table[1].count


def test_the_sense_of_an_occurrence(model):
    at_river, with_money = model.sense_of("bank", ["river", "boat"]), model.sense_of("bank", {"money": 2, "loan": 1})
    assert (at_river[0].sense, with_money[0].sense) == ("land", "firm")
    assert at_river[0].probability > 0.8
    assert sum(row.probability for row in at_river) == pytest.approx(1.0)
    alone = {row.sense: row.probability for row in model.sense_of("bank")}
    weights = {row.sense: row.weight for row in model.senses("bank")}
    assert alone == pytest.approx(weights, abs=0.02)


def test_a_word_that_was_never_seen_has_the_weights_of_its_parents(model):
    table = model.senses("dune")
    assert {row.sense: (row.weight, row.count, row.contexts) for row in table} == {
        "land": (0.5, 0.0, ()),
        "coast": (0.5, 0.0, ()),
    }
    assert model.sense_of("dune", ["river"])[0].probability < 1.0


def test_it_is_deterministic_and_changes_nothing(model):
    before = {path: array.tobytes() for path, array in model.trained_.posterior.arrays().items()}
    assert model.senses("bank").to_dicts() == model.senses("bank").to_dicts()
    assert {path: array.tobytes() for path, array in model.trained_.posterior.arrays().items()} == before


def test_items_have_senses_too():
    users = [f"u{n}" for n in range(20) for _ in range(3)]
    items = [item for n in range(20) for item in (("rum", "beer", "ale") if n % 2 else ("rum", "tea", "milk"))]
    shop = vbn.Dataset.from_interactions(users, items)
    shop = shop.with_taxonomy(
        {"rum": ["pub", "baking"], "beer": ["pub"], "ale": ["pub"], "tea": ["baking"], "milk": ["baking"]}
    )
    model = vbn.VBN(dim=4, epochs=30, negatives=2, verbose=False).fit(shop)
    table = model.senses("rum", k=20)
    pub = next(row for row in table if row.sense == "pub")
    assert {int(name[1:]) % 2 for name in pub.contexts} == {1}
    assert model.sense_of("rum", ["u1", "u3"])[0].sense == "pub"


def test_simulated_weights_are_found():
    """70 % of the occurrences of a word are of one sense: the weight says so, and contexts are resolved."""
    rng = np.random.default_rng(1)
    kinds = {"x": ["a", "b"]} | {f"{side}{n}": [side] for side in "ab" for n in range(8)}
    words = {side: [f"{side} context {n}" for n in range(12)] for side in "ab"}
    sentences = [[f"{side}{n}", *rng.choice(words[side], 2)] for side in "ab" for n in range(8) for _ in range(40)]
    sides = ["a" if rng.random() < 0.7 else "b" for _ in range(300)]
    sentences += [["x", *rng.choice(words[side], 2)] for side in sides]
    made = vbn.Dataset.from_sequences(sentences, window=2).with_taxonomy(kinds)
    model = vbn.VBN(dim=8, epochs=25, subsample=None, verbose=False).fit(made)
    table = {row.sense: row for row in model.senses("x")}
    assert table["a"].count / 600 == pytest.approx(0.7, abs=0.08)
    right = [model.sense_of("x", [word])[0].sense == side for side in "ab" for word in words[side]]
    assert np.mean(right) > 0.95


@pytest.mark.parametrize(("entity", "said"), [("river", "has no parents"), ("shore", "has one parent, 'land'")])
def test_an_entity_needs_several_parents(model, entity, said):
    with pytest.raises(vbn.DataError, match=rf"{said}.*with data\.with_taxonomy\(\)"):
        model.senses(entity)


def test_a_model_without_taxonomy_or_counts_says_so(model, tmp_path):
    plain = vbn.VBN(dim=2, epochs=2, verbose=False).fit(vbn.Dataset.from_pairs(["a"], ["b"], [3]))
    with pytest.raises(vbn.DataError, match="no taxonomy"):
        plain.senses("a")
    without = vbn.load(model.save(tmp_path / "m", counts=False))
    with pytest.raises(vbn.DataError, match="counts=True"):
        without.sense_of("bank", ["river"])
    with pytest.raises(vbn.UnknownEntityError, match="river"):
        model.sense_of("bank", ["rivr"])
    with pytest.raises(vbn.UnknownEntityError, match="bank"):
        model.senses("bnk")
    with pytest.raises(vbn.ParameterError):
        model.senses("bank", k=0)


def test_tables_convert_and_slice(model):
    table = model.senses("bank")
    assert list(table.to_pandas().columns) == ["sense", "weight", "count", "contexts"]
    assert len(table[:1]) == 1
    assert repr(table).splitlines()[0].split() == ["sense", "weight", "count", "contexts"]
    assert list(model.sense_of("bank").to_pandas().columns) == ["sense", "probability"]


def test_a_mixture_has_senses_too():
    model = vbn.VBN(dim=8, epochs=20, parents="mixture", verbose=False).fit(data())
    assert model.sense_of("bank", ["river", "boat"])[0].sense == "land"
