"""The sampler: the same for any threads, unbiased, and with negatives where they belong."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vbn._errors import ParameterError
from vbn.data import Dataset, ranges_by_cells
from vbn.engines import make_engine
from vbn.sampling import Sampler, keep_probabilities, noise_weights

FLOAT = np.dtype(np.float32)


def zipf_data(n=60, size=4000, seed=0):
    rng = np.random.default_rng(seed)
    left, right = (np.minimum(rng.zipf(1.4, size), n) for _ in range(2))
    return Dataset.from_pairs([f"w{i}" for i in left], [f"w{i}" for i in right])


def make(data, **options):
    chosen = {"negatives": 2, "noise_power": 0.75, "subsample": None, "reject_positives": False, "seed": 3} | options
    return Sampler(data, dtype=FLOAT, **chosen)


def draw(sampler, epoch=0, threads=1):
    engine = make_engine("threads", threads)
    sample = sampler.sample(epoch, engine)
    engine.close()
    return sample


def dense(cells):
    positive, negative = np.zeros((2, cells.n_rows, cells.n_columns))
    positive[cells.rows(), cells.indices] = cells.positive
    negative[cells.rows(), cells.indices] = cells.negative
    return positive, negative


def test_without_subsampling_the_positives_are_the_counts():
    data = zipf_data()
    positive, _ = dense(draw(make(data)).cells)
    assert (positive == data.counts.to_scipy().toarray()).all()


def test_every_row_gets_its_negatives():
    positive, negative = dense(draw(make(zipf_data(), negatives=3)).cells)
    np.testing.assert_allclose(negative.sum(axis=1), 3 * positive.sum(axis=1), rtol=1e-5)


def test_negatives_follow_the_noise_distribution():
    sampler = make(zipf_data(), noise_power=0.5, negatives=5)
    total = sum(dense(draw(sampler, epoch).cells)[1].sum(axis=0) for epoch in range(30))
    np.testing.assert_allclose(total / total.sum(), sampler.noise(), atol=0.01)


@pytest.mark.parametrize("power", [1e4, 1e308])
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_any_power_gives_a_noise_distribution(power, scale):
    data = Dataset.from_pairs(["a", "b", "a"], ["x", "y", "z"], [scale, 3 * scale, 3 * scale])
    sampler = make(data, noise_power=power)
    expected = {"y": 0.5, "z": 0.5}
    np.testing.assert_allclose(sampler.noise(), [expected.get(name, 0.0) for name in data.columns], atol=1e-12)
    assert draw(sampler).cells.negative.sum() > 0


def test_taking_counts_relative_to_the_largest_changes_nothing_else():
    counts, there = np.array([1e10, 3e9, 7.0, 0.0]), np.array([True, True, True, False])
    direct = np.where(there, counts, 0.0) ** 30.0
    scaled = noise_weights(counts, there, 30.0)
    np.testing.assert_allclose(scaled / scaled.sum(), direct / direct.sum(), rtol=1e-12)
    assert noise_weights(counts, there, 0.75).tolist() == (np.where(there, counts, 0.0) ** 0.75).tolist()


def test_subsampling_that_leaves_nothing_is_refused():
    with pytest.raises(ParameterError, match=r"subsample=1e-12 keeps .* of the total count of 4,000"):
        make(zipf_data(), subsample=1e-12)
    small = Dataset.from_pairs(["a"], ["b"], [1e-3])
    assert make(small, subsample=1.0).row_totals().sum() == pytest.approx(1e-3)


def test_rejection_keeps_negatives_off_the_positives():
    data = zipf_data(size=400)
    positive, negative = dense(draw(make(data, reject_positives=True)).cells)
    assert negative.sum() > 0
    assert not ((positive > 0) & (negative > 0)).any()
    overlap = dense(draw(make(data, reject_positives=False)).cells)
    assert ((overlap[0] > 0) & (overlap[1] > 0)).any()


def test_auto_rejects_on_sparse_data_only():
    names = [str(i) for i in range(40)]
    sparse = Dataset.from_pairs(names, names[1:] + names[:1])
    full = Dataset.from_pairs([a for a in names for _ in names], names * 40)
    assert make(sparse, reject_positives="auto").reject
    assert not make(full, reject_positives="auto").reject


def test_a_row_whose_positives_cover_the_noise_still_ends():
    data = Dataset.from_pairs(["a", "a", "b", "b"], ["a", "b", "a", "b"])
    _, negative = dense(draw(make(data, reject_positives=True)).cells)
    assert negative.sum() == 0


def test_subsampling_is_unbiased():
    data = zipf_data(size=20000)
    sampler = make(data, subsample=1e-2, negatives=1)
    keep = keep_probabilities(data.rows.counts, 1e-2)
    expected = data.counts.to_scipy().toarray() * np.outer(keep, keep)
    mean = np.mean([dense(draw(sampler, epoch).cells)[0] for epoch in range(200)], axis=0)
    assert (keep < 1).any()
    np.testing.assert_allclose(mean, expected, atol=0.2 + 0.02 * expected.max() ** 0.5)
    np.testing.assert_allclose(sampler.row_totals(), expected.sum(axis=1), rtol=1e-9)


def test_rare_rows_keep_all_their_cells():
    frequent = [("the", f"w{i % 50}") for i in range(5000)]
    data = Dataset.from_pairs(*zip(*frequent, ("rare", "the"), strict=True))
    sampler = make(data, subsample=1e-4)
    row, column = data.rows.id("rare"), data.columns.id("the")
    weights = {float(dense(draw(sampler, epoch).cells)[0][row, column]) for epoch in range(5)}
    assert len(weights) == 1
    assert 0 < weights.pop() < 1


@pytest.mark.parametrize("threads", [2, 5])
def test_any_number_of_threads_draws_the_same(threads, monkeypatch):
    monkeypatch.setattr("vbn.sampling.sampler._CELLS_PER_TASK", 64)
    data = zipf_data().with_relation("r", [("w1", "w2"), ("w2", "w3")])
    one, many = (draw(make(data, subsample=1e-2), 4, n) for n in (1, threads))
    for a, b in zip((one.cells, *one.relations), (many.cells, *many.relations), strict=True):
        for field in ("indptr", "indices", "positive", "negative"):
            assert (getattr(a, field) == getattr(b, field)).all()


def test_epochs_and_seeds_differ():
    data = zipf_data()
    base = draw(make(data), 0).cells.negative
    assert len(draw(make(data), 1).cells.negative) != len(base) or (draw(make(data), 1).cells.negative != base).any()
    other = draw(make(data, seed=4), 0).cells.negative
    assert len(other) != len(base) or (other != base).any()


def test_relations_draw_uniform_negatives_that_are_not_positives():
    data = zipf_data(n=10, size=500).with_relation("r", [(f"w{i}", "w1") for i in range(2, 8)])
    sampler = make(data, negatives=4)
    total = np.zeros((10, 10))
    for epoch in range(300):
        positive, negative = dense(draw(sampler, epoch).relations[0])
        assert not ((positive > 0) & (negative > 0)).any()
        total += negative
    columns = total.sum(axis=0)
    others = np.delete(columns, data.columns.id("w1"))
    assert columns[data.columns.id("w1")] == 0
    np.testing.assert_allclose(others / others.mean(), 1.0, atol=0.15)


def test_huge_counts_do_not_need_huge_samples():
    data = Dataset.from_pairs(["a", "b"], ["b", "a"], [1e12, 3.0])
    positive, negative = dense(draw(make(data)).cells)
    np.testing.assert_allclose(negative.sum(), 2 * positive.sum(), rtol=1e-5)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=40), st.integers(1, 100))
def test_ranges_cover_every_row_once(lengths, size):
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    ranges = ranges_by_cells(indptr, size)
    assert [row for first, last in ranges for row in range(first, last)] == list(range(len(lengths)))


def test_transposed_cells_are_the_same_cells():
    cells = draw(make(zipf_data())).cells
    positive, negative = dense(cells)
    turned = dense(cells.transposed)
    assert (turned[0] == positive.T).all()
    assert (turned[1] == negative.T).all()
