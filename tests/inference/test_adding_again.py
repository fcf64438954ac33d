"""What `add` gives is what training gave, with the rest held fixed: take entities out of a model, add them again."""

from dataclasses import replace

import numpy as np
import pytest

import vbn
from vbn.data import Taxonomy, Vocabulary
from vbn.model import Side, carry
from vbn.model.precisions import Siblings

N, GROUPS = 40, 4
TREE = {f"e{i}": f"g{i % GROUPS}" for i in range(N)} | {f"g{g}": "thing" for g in range(GROUPS)}

# One of the new entities has neither parents nor contexts, of which users are warned.
pytestmark = pytest.mark.filterwarnings("ignore:nothing is known of")

NEW = {
    "wolf": {"parents": {"g1": 2.0, "g2": 1.0}, "contexts": {f"e{GROUPS * i + 1}": 30.0 for i in range(8)}},
    "fox": {"parents": ["g3"], "contexts": {f"e{GROUPS * i + 3}": 12.0 for i in range(6)} | {"e2": 5.0}},
    "lynx": {"parents": None, "contexts": {f"e{GROUPS * i}": 9.0 for i in range(5)}},
    "cold": {"parents": ["g2", "thing"], "contexts": None},
    "nothing": {"parents": None, "contexts": None},
}


def pairs(seed=0, size=6000):
    """Pairs that mostly stay within their group."""
    rng = np.random.default_rng(seed)
    left = rng.integers(0, N, size)
    near = rng.integers(0, N // GROUPS, size) * GROUPS + left % GROUPS
    right = np.where(rng.random(size) < 0.8, near, rng.integers(0, N, size))
    return [f"e{i}" for i in left], [f"e{i}" for i in right]


def context_rows():
    rows = [(name, other, count) for name, s in NEW.items() for other, count in (s["contexts"] or {}).items()]
    return [list(column) for column in zip(*rows, strict=True)]


def edges():
    """The taxonomy of the new ones; entities without parents or data come in as children and parents of nobody."""
    return {name: s["parents"] or [] for name, s in NEW.items()}


def shared_data():
    left, right = pairs()
    base = vbn.Dataset.from_pairs(left + right, right + left).with_taxonomy(TREE)
    names, others, counts = context_rows()
    return base.merge(vbn.Dataset.from_pairs(names + others, others + names, counts * 2).with_taxonomy(edges()))


def interactions(side):
    base = vbn.Dataset.from_interactions(*pairs()).with_taxonomy(TREE, side="row").with_taxonomy(TREE, side="column")
    names, others, counts = context_rows()
    columns = (names, others) if side == "row" else (others, names)
    return base.merge(vbn.Dataset.from_interactions(*columns, counts).with_taxonomy(edges(), side=side))


def cut_vocabulary(names):
    return Vocabulary(names.names[: -len(NEW)], names.counts[: -len(NEW)])


def cut_taxonomy(taxonomy, names):
    last = taxonomy.indptr[len(names)]
    return Taxonomy(names, taxonomy.indptr[: len(names) + 1], taxonomy.indices[:last], taxonomy.weights[:last])


def without_new(trained, side):
    """The trained model as if the last entities of a side had never been there."""
    assert trained.vocabulary(side).names[-len(NEW) :] == tuple(NEW)
    both, cut = trained.shared, slice(None, -len(NEW))
    names = cut_vocabulary(trained.vocabulary(side))
    taxonomy = cut_taxonomy(trained.taxonomy(side), names)
    sides = [
        Side(one.name, names, taxonomy, one.active[cut]) if both or side == one.name else one
        for one in (trained.row_side, trained.column_side)
    ]
    blueprint = replace(trained.blueprint(), rows=sides[0], columns=sides[1])
    posterior = blueprint.build()
    relations = [info.name for info in trained.relations]
    places = [np.arange(len(one.names)) for one in sides]
    carry(trained.posterior, posterior, *((at, at) for at in places), relations, relations)
    changed = {"posterior": posterior, "row_side": sides[0], "column_side": sides[1]}
    if both or side == "row":
        changed["row_totals"] = trained.row_totals[cut]
    if trained.noise_counts is not None and (both or side == "column"):
        changed["noise_counts"] = trained.noise_counts[cut]
    return replace(trained, **changed)


def added_again(fitted, side):
    model = vbn.VBN(verbose=False).with_trained(without_new(fitted.trained_, side))
    return model.add(NEW, side=side)


def logits(model, questions):
    p = model.predict_proba(questions)
    return np.log(p) - np.log1p(-p)


def assert_alike(fitted, again, questions):
    differences = np.abs(logits(fitted, questions) - logits(again, questions))
    assert differences.mean() < 0.3
    assert np.corrcoef(logits(fitted, questions), logits(again, questions))[0, 1] > 0.95


def density(model, name, part):
    half = model.trained_.half(part)
    i = half.names.id(name)
    return half.block.mean[i], half.block.variance[i]


def without_new_siblings(fitted, name, part):
    """The variance of an entity without data if the other new ones, which count much, were not among its siblings."""
    half = fitted.trained_.half(part)
    block, row = half.block, np.array([half.names.id(name)])
    known = block.active.copy()
    known[-len(NEW) :] = False
    siblings = Siblings(known, block.tau, block.gamma.alpha)
    return float((1.0 / block.prior.precision_of_siblings(row, siblings) + block.moments(row).variance)[0])


def assert_densities(fitted, again, part):
    for name, known in NEW.items():
        (mean, variance), (mean_again, variance_again) = density(fitted, name, part), density(again, name, part)
        if known["contexts"]:
            assert np.linalg.norm(mean - mean_again) < 0.3 * np.linalg.norm(mean)
            np.testing.assert_allclose(np.log(variance_again / variance), 0.0, atol=0.6)
        else:  # what the taxonomy alone says is in closed form
            np.testing.assert_allclose(mean_again, mean, atol=1e-6)
            np.testing.assert_allclose(variance_again, without_new_siblings(fitted, name, part), rtol=0.02)


def assert_biases(fitted, again):
    for name, known in NEW.items():
        i = fitted.trained_.columns.id(name)
        (b, c) = (model.trained_.posterior.bias for model in (fitted, again))
        if known["contexts"]:
            assert abs(b.mean[i] - c.mean[i]) < 0.5
            assert abs(np.log(c.variance[i] / b.variance[i])) < 0.5
        else:
            np.testing.assert_allclose(c.mean[i], b.mean[i], atol=1e-6)
            np.testing.assert_allclose(c.variance[i], b.variance[i], rtol=0.2)


OTHERS = [f"e{i}" for i in range(N)]


@pytest.fixture(scope="module")
def shared():
    fitted = vbn.VBN(dim=6, epochs=150, verbose=False, dtype="float64").fit(shared_data())
    return fitted, added_again(fitted, "column")


@pytest.fixture(scope="module", params=["row", "column"])
def one_side(request):
    fitted = vbn.VBN(dim=6, epochs=150, company=False, verbose=False, dtype="float64").fit(interactions(request.param))
    return fitted, added_again(fitted, request.param), request.param


def test_words(shared):
    fitted, again = shared
    for name in NEW:
        assert_alike(fitted, again, [(name, other) for other in OTHERS])
        assert_alike(fitted, again, [(other, name) for other in OTHERS])
    assert_densities(fitted, again, "u")
    assert_densities(fitted, again, "v")
    assert_biases(fitted, again)


def test_users_and_items(one_side):
    fitted, again, side = one_side
    for name in NEW:
        assert_alike(fitted, again, [(name, o) if side == "row" else (o, name) for o in OTHERS])
    assert_densities(fitted, again, "u" if side == "row" else "v")
    if side == "column":
        assert_biases(fitted, again)


def test_one_by_one_or_all_at_once(shared):
    fitted, again = shared
    model = vbn.VBN(verbose=False).with_trained(without_new(fitted.trained_, "column"))
    for name, known in NEW.items():
        model.add(name, **known)
    for name in NEW:
        assert_alike(again, model, [(name, other) for other in OTHERS])
        assert_alike(again, model, [(other, name) for other in OTHERS])


def test_the_order_does_not_matter(shared):
    fitted, again = shared
    model = vbn.VBN(verbose=False).with_trained(without_new(fitted.trained_, "column"))
    model.add({name: NEW[name] for name in reversed(NEW)})
    for name in NEW:
        for part in ("u", "v"):
            for one, other in zip(density(again, name, part), density(model, name, part), strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def test_levels_of_new_parents_are_the_prior_passed_down(shared):
    """A chain of new categories: each has the mean of the one above and is less sure of it."""
    model = shared[1].with_trained(shared[1].trained_)
    model.add({"pup": ["cub"], "cub": ["canine"], "canine": {"parents": {"g1": 1.0}}})
    above = model.posterior("g1", role="category").mean
    stds = []
    for name in ("canine", "cub"):
        category = model.posterior(name, role="category")
        np.testing.assert_allclose(category.mean, above, atol=1e-9)
        stds.append(float(category.std.mean()))
    np.testing.assert_allclose(model.posterior("pup").mean, above, atol=1e-9)
    assert float(model.posterior("pup").std.mean()) > stds[1] > stds[0]
