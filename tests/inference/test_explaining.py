"""Explanations: shares that add up, moves that add up to the mean, and the pairs that were planted."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vbn
from vbn.data import Counts
from vbn.engines import make_engine
from vbn.inference import Expected, explain_moves
from vbn.model import EntityCells, Explained
from vbn.sampling import Sampler

TAXONOMY = {"poodle": {"dog": 3, "pet": 1}, "dog": ["animal"], "cat": ["animal"], "pet": ["animal"], "cow": ["animal"]}


def text(times=400, poodles=1):
    rng = np.random.default_rng(0)
    patterns = [["a", "dog", "barks"], ["the", "cat", "purrs"], ["the", "dog", "sleeps"], ["a", "cat", "sleeps"]]
    return [patterns[i] for i in rng.integers(0, 4, times)] + [["the", "poodle", "barks"]] * poodles


@pytest.fixture(scope="module")
def words():
    data = vbn.Dataset.from_sequences(text(), window=2).with_taxonomy(TAXONOMY)
    data = data.with_relation("sound", [("dog", "barks"), ("cat", "purrs")])
    options = {"relation_space": "joint", "relation_rank": 2, "relation_weight": 20.0}
    return vbn.VBN(dim=6, epochs=30, verbose=False, **options).fit(data)


@pytest.fixture(scope="module")
def settled():
    """A fit that has come to rest on one sample, in float64."""
    data = vbn.Dataset.from_sequences(text(), window=2).with_taxonomy(TAXONOMY)
    data = data.with_relation("sound", [("dog", "barks"), ("cat", "purrs")])
    options = {"relation_space": "joint", "relation_rank": 2, "relation_weight": 20.0, "negatives": 3}
    options |= {"dim": 4, "epochs": 3000, "resample": False, "average_epochs": 1, "dtype": "float64", "tol": 1e-13}
    model = vbn.VBN(verbose=False, **options)
    return model.fit(data)


@pytest.fixture(scope="module")
def shop():
    rng = np.random.default_rng(1)
    group = rng.integers(0, 2, 40)
    users = [f"u{u}" for u in range(40) for _ in range(12)]
    items = [f"i{2 * rng.integers(0, 8) + group[u]}" for u in range(40) for _ in range(12)]
    data = vbn.Dataset.from_interactions(users, items)
    data = data.with_taxonomy({f"i{i}": ["even" if i % 2 == 0 else "odd"] for i in range(16)})
    data = data.with_taxonomy({"u0": ["member"], "u1": ["member"]}, side="row")
    return vbn.VBN(dim=5, epochs=25, negatives=3, verbose=False).fit(data)


def total(moved):
    return moved.observed + moved.noise + sum(moved.relations.values()) + moved.unexplained


@pytest.mark.parametrize("name", ["dog", "poodle", "cow", "animal", "the", "pet"])
def test_shares_sum_to_one(words, name):
    for part in words.explain(name).parts:
        shares = part.prior_share, part.data_share, part.relation_share
        assert sum(shares) == pytest.approx(1.0)
        assert all(0.0 <= share <= 1.0 for share in shares)
        assert part.from_prior + part.from_data == pytest.approx(part.mean_length)
        if part.parents:
            assert sum(parent.share for parent in part.parents) == pytest.approx(1.0)
            assert sum(parent.weight for parent in part.parents) == pytest.approx(1.0)


def test_without_data_all_is_prior(words):
    found = words.explain("cow")
    assert [part.prior_share for part in found.parts] == [1.0, 1.0]
    assert all(part.std == part.prior_std for part in found.parts)
    assert found.parts[0].parents[0].cosine == pytest.approx(1.0)
    assert found.parts[0].parents[0].distance == pytest.approx(0.0, abs=1e-6)
    assert "100 % prior" in str(found)
    assert "no data: its density is what its parents say" in str(found)


def test_more_data_means_more_data_share():
    shares = []
    for poodles in (1, 10, 100):
        data = vbn.Dataset.from_sequences(text(poodles=poodles), window=2).with_taxonomy(TAXONOMY)
        model = vbn.VBN(dim=4, epochs=15, verbose=False).fit(data)
        part = model.explain("poodle").parts[0]
        shares.append(part.data_share)
        assert part.std < part.prior_std
    assert shares == sorted(shares)
    assert shares[0] < 0.8 < 0.95 < shares[-1]


def exact_moves(model, part, name):
    """Moves of the very cells that the fit saw, instead of the expected ones."""
    trained, data = model.trained_, model.data_
    sampler = Sampler(
        data,
        negatives=3,
        noise_power=0.75,
        subsample=None,
        reject_positives="auto",
        seed=0,
        dtype=np.dtype("float64"),
        relation_weight=20.0,
    )
    sample = sampler.sample(0, make_engine("threads", 1))
    i = trained.rows.id(name)

    def cells(drawn):
        rows = drawn if part == "u" else drawn.transposed
        span = slice(rows.indptr[i], rows.indptr[i + 1])
        return EntityCells(rows.indices[span], rows.positive[span], rows.positive[span], rows.negative[span])

    densities = trained.half(part).block
    prior_mean = densities.prior.means(np.array([i]))[0]
    own = Explained(part == "v", i, densities.mean[i], densities.variance[i], prior_mean)
    relations = {"sound": cells(sample.relations[0])}
    return own, explain_moves(trained, own, 3, cells(sample.cells), relations)[0]


@pytest.mark.parametrize("part", ["u", "v"])
@pytest.mark.parametrize("name", ["dog", "barks", "poodle", "the"])
def test_moves_add_up_to_the_way_from_the_prior_mean(settled, part, name):
    own, moved = exact_moves(settled, part, name)
    assert moved.distance == pytest.approx(np.linalg.norm(own.mean - own.prior_mean))
    assert moved.distance > 0.1
    assert abs(moved.unexplained) < 1e-3 * moved.distance
    assert total(moved) == pytest.approx(moved.distance)


def test_expected_noise_explains_nearly_as_much(settled):
    moved = settled.explain("dog").parts[0].moved
    assert abs(moved.unexplained) < 0.25 * moved.distance
    assert total(moved) == pytest.approx(moved.distance)


def test_precisions_of_the_cells_are_those_of_the_posterior(settled):
    """1 / variance = E[tau] + what the cells add, so the prior's share follows from the cells too."""
    trained, i = settled.trained_, settled.trained_.rows.id("sleeps")  # in no relation
    own, _ = exact_moves(settled, "u", "sleeps")
    sampler = Sampler(
        settled.data_,
        negatives=3,
        noise_power=0.75,
        subsample=None,
        reject_positives="auto",
        seed=0,
        dtype=np.dtype("float64"),
        relation_weight=20.0,
    )
    drawn = sampler.sample(0, make_engine("threads", 1)).cells
    span = slice(drawn.indptr[i], drawn.indptr[i + 1])
    cells = EntityCells(drawn.indices[span], drawn.positive[span], drawn.positive[span], drawn.negative[span])
    moves = trained.cooccurrence.moves(own, cells)
    tau = trained.posterior.u.tau[i]
    np.testing.assert_allclose(1.0 / own.variance, tau + moves.precision, rtol=1e-3)


def test_the_strongest_pair_is_the_planted_one():
    rng = np.random.default_rng(3)
    names = [f"w{i}" for i in range(12)]
    counts = rng.poisson(4, (12, 12))
    counts[2, 7] = 60
    pairs = [(names[i], names[j], int(counts[i, j])) for i in range(12) for j in range(12) if counts[i, j]]
    data = vbn.Dataset.from_pairs(pairs, shared=False)
    model = vbn.VBN(dim=3, epochs=60, negatives=3, verbose=False).fit(data)
    strongest = model.explain("w2", side="row").parts[0].moved.pairs[0]
    assert (strongest.entity, strongest.count) == ("w7", 60)
    assert model.explain("w7").parts[0].moved.pairs[0].entity == "w2"


def test_relations_have_a_share(words):
    part = words.explain("dog").parts[0]
    assert part.relation_share > 0.02
    assert set(part.moved.relations) == {"sound"}
    assert words.explain("sleeps").parts[0].relation_share == 0.0


def test_ancestors_come_as_a_tree(words):
    dog, pet = words.explain("poodle").parts[0].parents
    assert (dog.entity, dog.weight, pet.entity, pet.weight) == ("dog", 0.75, "pet", 0.25)
    (animal,) = dog.parents
    assert (animal.entity, animal.weight, animal.through, animal.parents) == ("animal", 1.0, 0.75, ())


def test_a_category_is_only_that(words):
    found = words.explain("animal")
    assert found.kind == "category"
    assert "only a category, the parent of 4 entities" in str(found)
    assert found.parts[0].prior_share < 0.9
    assert sum(child.share for child in found.children) == pytest.approx(found.parts[0].data_share)
    assert {child.entity for child in found.children} <= {"dog", "cat", "pet", "cow"}
    assert "cow" not in {child.entity for child in found.children}  # says nothing about its parent


def test_rows_and_columns_have_one_density_each(shop):
    assert [part.part for part in shop.explain("i3").parts] == ["v"]
    user = shop.explain("u0", side="row")
    assert [part.part for part in user.parts] == ["u"]
    assert user.parts[0].parents[0].entity == "member"
    assert all(pair.entity.startswith("i") for pair in user.parts[0].moved.pairs)
    with pytest.raises(vbn.UnknownEntityError):
        shop.explain("u0")


def test_added_entities_are_explained_too(shop):
    shop = vbn.VBN(**shop.get_params()).fit(shop.data_)
    shop.add("new", parents=["even"])
    assert shop.explain("new").parts[0].prior_share == 1.0
    shop.add("warm", parents=["even"], contexts={"u0": 4, "u1": 2})
    part = shop.explain("warm").parts[0]
    assert 0.0 < part.data_share < 1.0
    assert {pair.entity for pair in part.moved.pairs} == {"u0", "u1"}


def test_without_counts_it_says_so(words, tmp_path):
    words.save(tmp_path, counts=False)
    found = vbn.load(tmp_path).explain("dog")
    assert found.parts[0].moved is None
    assert found.parts[0].prior_share == words.explain("dog").parts[0].prior_share
    assert "the counts were not kept" in str(found)
    assert "% data" in str(found)


def test_text_and_dict(words):
    found = words.explain("dog", k=3)
    lines = str(found).splitlines()
    assert 10 <= len(lines) <= 16
    assert repr(found) == str(found)
    assert lines[0].startswith("dog: seen")
    assert "also the parent of 1 entity" in lines[0]
    told = json.loads(json.dumps(found.to_dict()))
    assert told["entity"] == "dog"
    assert len(told["parts"][0]["moved"]["pairs"]) == 3
    assert told["parts"][0]["parents"][0]["entity"] == "animal"


def test_roles_and_many_parents_in_the_text(shop):
    assert "  as a column (v): " in str(shop.explain("i3"))
    assert "  as a row (u): " in str(shop.explain("u0", side="row"))
    data = vbn.Dataset.from_pairs(["a"], ["b"]).with_taxonomy({"a": [f"p{i}" for i in range(40)]})
    found = vbn.VBN(dim=2, epochs=2, verbose=False).fit(data).explain("a")
    assert len(found.parts[0].parents) == 40
    assert "and 34 more" in str(found)
    assert len(str(found).splitlines()) < 20


def test_explaining_changes_nothing(words):
    before = {name: array.tobytes() for name, array in words.trained_.posterior.arrays().items()}
    words.explain("dog")
    words.explain("animal")
    assert before == {name: array.tobytes() for name, array in words.trained_.posterior.arrays().items()}


def test_bad_questions(words):
    with pytest.raises(vbn.ParameterError, match="k=0"):
        words.explain("dog", k=0)
    with pytest.raises(vbn.UnknownEntityError, match="Did you mean 'dog'"):
        words.explain("dogg")
    with pytest.raises(vbn.ParameterError, match="must be 'row' or 'column', got 'left'"):
        words.explain("dog", side="left")
    with pytest.raises(vbn.NotFittedError):
        vbn.VBN().explain("dog")


def test_names_that_would_break_the_text():
    data = vbn.Dataset.from_pairs(["a\nb", "x" * 300], ["c", "c"]).with_taxonomy({"a\nb": ["p" * 300]})
    model = vbn.VBN(dim=2, epochs=2, verbose=False).fit(data)
    for name in ("a\nb", "x" * 300, "c"):
        assert max(len(line) for line in str(model.explain(name)).splitlines()) < 130


@given(st.integers(0, 2**32 - 1), st.booleans(), st.floats(0.5, 4.0))
def test_expected_cells_are_the_same_by_row_and_by_column(seed, reject, negatives):
    rng = np.random.default_rng(seed)
    dense = rng.poisson(0.7, (6, 5)).astype(float)
    counts = Counts.from_coo(*np.indices((6, 5)).reshape(2, -1), dense.ravel(), (6, 5))
    noise = rng.dirichlet(np.ones(5))
    expected = Expected(counts, (rng.uniform(0.2, 1, 6), rng.uniform(0.2, 1, 5)), noise, negatives, reject)
    by_row, by_column = np.zeros((2, 6, 5)), np.zeros((2, 6, 5))
    for i in range(6):
        cells = expected.row(i)
        by_row[0, i, cells.others], by_row[1, i, cells.others] = cells.positive, cells.negative
    for j in range(5):
        cells = expected.column(j)
        by_column[0, cells.others, j], by_column[1, cells.others, j] = cells.positive, cells.negative
    np.testing.assert_allclose(by_row, by_column, atol=1e-9)
    free = dense.all(axis=1) & reject  # nothing left to draw
    np.testing.assert_allclose(by_row[1].sum(axis=1), np.where(free, 0, negatives * by_row[0].sum(axis=1)))
