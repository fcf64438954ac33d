"""What engines of several processes send around, without any of them: divided, drawn and put together as one."""

import itertools
import pickle

import numpy as np
import pytest

import vbn
from tests.estimators.test_fit import animals, bits, model, shop
from vbn.data import MappedArray
from vbn.engines import ThreadEngine
from vbn.engines.content import files_of, received, sent_sources
from vbn.engines.halves import halved, restored
from vbn.engines.shards import (
    Common,
    SentRows,
    Worker,
    own_part,
    rowless,
    shards_of,
    share_needed,
    shared_arrays,
    usable,
    without_other,
)
from vbn.kernels import DensityArrays
from vbn.sampling import ColumnBlocks


def sent(value):
    """What arrives of it: other arrays, none of which may be written to."""
    buffers = []
    blob = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(blob, buffers=[bytes(buffer) for buffer in buffers])


class TwoWorkersHere:
    """An engine of workers that run here one after the other."""

    def __init__(self, shares=(1.0, 1.0), hand=False, half=False, ahead=True):
        self.shares, self.hand, self.half, self.ahead = shares, hand, half, ahead
        self.local, self.workers = ThreadEngine(1), []

    def map(self, task, ranges):
        return self.local.map(task, ranges)

    def sample(self, plan, epoch, relations):
        if not self.workers:
            self.shards = shards_of(plan, self.shares)
            drawer = plan.sampler.drawer
            owned = [shard.blocks for shard in self.shards]
            common = Common(rowless(drawer), plan.blocks, owned, len(plan.row_load), self.half)
            self.workers = [
                Worker(sent(common), sent(SentRows.of(drawer, shard.rows)), shard, 1) for shard in self.shards
            ]
        return _Sample(self, epoch, relations)

    def close(self):
        self.workers = []


class _Sample:
    def __init__(self, engine, epoch, relations):
        self.engine, self.epoch, self.relations, self.size = engine, epoch, relations, relations.size

    def _as_sent(self, entities):
        if self.engine.half:
            entities = entities._replace(other=halved(entities.other, self.engine.local))
        return without_other(entities) if self.engine.hand else entities

    def _handed(self, entities):
        """Return for each worker the columns that it needs, from each that has them."""
        columns, densities = [shard.columns for shard in self.engine.shards], entities.other
        if self.engine.half:
            densities = halved(densities, self.engine.local)
        bits = [sent(worker.columns_needed(self.epoch)) for worker in self.engine.workers]
        marks = np.array([np.unpackbits(some, count=len(densities.mean)) for some in bits]).astype(bool)
        handed = []
        for worker, own in zip(self.engine.workers, columns, strict=True):
            part = sent(DensityArrays(*(array[slice(*own)] for array in densities)))
            *pieces, none = worker.hand_columns(part, marks[:, slice(*own)])
            assert none is None
            handed.append(sent(pieces))
        assert sum(len(piece.rows) for pieces in handed for piece in pieces) == marks.sum()
        return zip(*handed, strict=True)

    def update_rows(self, entities, _):
        handed = list(self._handed(entities)) if self.engine.hand else [()] * len(self.engine.workers)
        entities, own_densities = self._as_sent(entities), entities.own
        together, self.pieces, results = shared_arrays(entities), [], []
        shared = sent(together)
        for worker, shard, columns in zip(self.engine.workers, self.engine.shards, handed, strict=True):
            own, hand = sent(own_part(entities, shard.rows, together)), self.engine.hand
            if self.engine.ahead:
                worker.draw(self.epoch)
            *pieces, result = worker.update_rows(self.epoch, shared, own, hand, *columns)
            again = list(worker.draw_rows(self.epoch, result.densities if hand else None))[:-1]
            for one, other in zip(pieces, again, strict=True):
                for array, same in zip(one, other, strict=True):
                    np.testing.assert_array_equal(array, same)
            self.pieces.append(pieces)
            results.append(result)
            self.size += result.cells
        for shard, result in zip(self.engine.shards, results, strict=True):
            own_densities.mean[slice(*shard.rows)], own_densities.variance[slice(*shard.rows)] = result.densities

    def update_columns(self, entities, biases, _):
        likelihood, results = np.zeros(len(entities.active)), []
        divided = self._as_sent(entities)
        together = shared_arrays(divided)
        shared = sent(together)
        for number, (worker, shard) in enumerate(zip(self.engine.workers, self.engine.shards, strict=True)):
            mine = [sent(piece) for pieces in self.pieces for piece in pieces[number :: len(self.engine.workers)]]
            own = sent(own_part(divided, shard.columns, together))
            results.append(worker.update_columns(shared, own, sent(biases.part(*shard.columns)), *mine))
        for shard, result in zip(self.engine.shards, results, strict=True):
            columns = slice(*shard.columns)
            entities.own.mean[columns], entities.own.variance[columns] = result.densities
            entities.bias.mean[columns], entities.bias.variance[columns] = result.biases
            likelihood[columns] = result.likelihood
        return likelihood

    def close(self):
        self.pieces = []


def small_blocks(monkeypatch):
    monkeypatch.setattr("vbn.model.epoch._CELLS_PER_BLOCK", 40)
    monkeypatch.setattr("vbn.model.epoch._CELLS_PER_TASK", 16)
    monkeypatch.setattr("vbn.engines.shards._CELLS_PER_GROUP", 100)


@pytest.mark.parametrize("data", [animals(), shop()], ids=["words", "users x items"])
@pytest.mark.parametrize("hand", [False, True], ids=["rows shared", "rows handed over"])
@pytest.mark.parametrize("shares", [(1.0,), (1.0, 3.0), (1.0,) * 9], ids=len)
@pytest.mark.parametrize("ahead", [0, 9, 10_000], ids=lambda n: f"{n} columns' worth drawn ahead")
def test_shards_give_the_same_bits(data, shares, hand, ahead, monkeypatch):
    small_blocks(monkeypatch)
    monkeypatch.setattr("vbn.engines.shards._AHEAD", 10_000 if hand else ahead)
    options = {"epochs": 3, "subsample": 1e-2, "dtype": "float32"}
    whole, engine = model(**options).fit(data), TwoWorkersHere(shares, hand, ahead=ahead > 0)
    divided = model(**options, engine=engine).fit(data)
    assert bits(whole) == bits(divided)
    assert whole.lower_bounds_.tolist() == divided.lower_bounds_.tolist()


def test_what_is_drawn_ahead_is_not_drawn_again(monkeypatch):
    small_blocks(monkeypatch)
    drawn, draw = [], Worker._drawn
    monkeypatch.setattr(Worker, "_drawn", lambda *given: (drawn.append(given[1:]), draw(*given))[1])
    for ahead in (False, True):
        monkeypatch.setattr("vbn.engines.shards._AHEAD", 10_000 if ahead else 0)
        model(epochs=3, engine=TwoWorkersHere(ahead=ahead)).fit(shop())
    half = len(drawn) // 2
    assert sorted(drawn[:half]) == sorted(drawn[half:])


@pytest.mark.parametrize("room", [0, 300, 10**9])
def test_as_many_cells_are_drawn_ahead_as_there_is_room_for(room, monkeypatch):
    monkeypatch.setattr("vbn.engines.shards._AHEAD", 10)
    monkeypatch.setattr("vbn.engines.shards._CELLS_PER_GROUP", room)
    monkeypatch.setattr("vbn.model.epoch._CELLS_PER_TASK", 16)

    class Loads:
        row_load, column_load = np.full(100, 20.0), np.full(20, 100.0)
        blocks = ColumnBlocks.of(column_load, 400)

    for shard in shards_of(Loads, (1.0, 1.0), beside=2.0):
        cells = [20.0 * (last - first) for first, last in shard.ranges]
        assert sum(cells) == pytest.approx(1000.0, rel=0.05)
        assert shard.ahead == sum(np.cumsum(cells) < max(room, 10 * 20 / 2.0))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_densities_in_half_of_the_bits_change_little_however_they_are_sent(dtype, monkeypatch):
    small_blocks(monkeypatch)
    monkeypatch.setattr("vbn.engines.shards._AHEAD", 10_000)
    options = {"epochs": 8, "dtype": dtype}
    exact = model(**options).fit(shop())
    shared, handed = (
        model(**options, engine=TwoWorkersHere(shares, hand, half=True)).fit(shop())
        for shares, hand in (((1.0,), False), ((1.0, 3.0, 1.0), True))
    )
    assert bits(shared) == bits(handed) != bits(exact)
    assert shared.lower_bounds_[-1] == pytest.approx(exact.lower_bounds_[-1], rel=1e-2)


def test_densities_are_halved_to_the_nearest():
    engine, rng = ThreadEngine(1), np.random.default_rng(0)
    given = DensityArrays(rng.standard_normal((20, 3)) * 10.0 ** rng.integers(-9, 9, (20, 3)), rng.random((20, 3)))
    found = restored(halved(given, engine), given.mean.dtype, engine)
    for one, other in zip(given, found, strict=True):
        assert other.dtype == one.dtype
        np.testing.assert_allclose(other, one, rtol=2**-8)
    again = halved(found, engine)
    np.testing.assert_array_equal(restored(again, np.dtype(np.float64), engine).mean, found.mean)


def test_shards_give_the_same_bits_with_evidence_of_earlier_data(tmp_path, monkeypatch):
    small_blocks(monkeypatch)
    first = model(epochs=3, seed=3).fit(animals())
    folder = first.save(tmp_path / "model", counts=False)
    more = vbn.Dataset.from_sequences([["the", "wolf", "sleeps"], ["a", "wolf", "barks"]] * 9, window=2)
    one, two = vbn.load(folder), vbn.load(folder).set_params(engine=TwoWorkersHere())
    assert bits(one.partial_fit(more)) == bits(two.partial_fit(more))


@pytest.mark.parametrize("data", [animals(), shop()], ids=["words", "users x items"])
def test_shards_give_the_same_bits_with_content(data, monkeypatch):
    small_blocks(monkeypatch)
    rng, options = np.random.default_rng(2), {"epochs": 3, "dtype": "float32"}
    data = data.with_features(rng.standard_normal((len(data.columns), 5)), name="text")
    if not data.shared:
        data = data.with_features(rng.standard_normal((len(data.rows), 2)), side="row", name="age")
    engine = TwoWorkersHere()
    assert bits(model(**options).fit(data)) == bits(model(**options, engine=engine).fit(data))


def test_shards_are_all_of_the_rows_and_columns_in_about_the_shares_asked_for(monkeypatch):
    small_blocks(monkeypatch)
    seen = {}

    class Noting(TwoWorkersHere):
        def sample(self, plan, epoch, relations):
            seen["plan"] = plan
            return super().sample(plan, epoch, relations)

    engine = Noting((1.0, 2.0, 1.0))
    model(epochs=1, engine=engine).fit(shop())
    shards, plan = engine.shards, seen["plan"]
    for ranges, n in (
        ([s.rows for s in shards], len(plan.row_load)),
        ([s.columns for s in shards], len(plan.column_load)),
    ):
        assert ranges[0][0] == 0
        assert ranges[-1][1] == n
        assert all(a[1] == b[0] for a, b in itertools.pairwise(ranges))
    loads = np.array([plan.row_load[slice(*shard.rows)].sum() for shard in shards])
    np.testing.assert_allclose(loads / loads.sum(), [0.25, 0.5, 0.25], atol=0.1)


def test_mapped_counts_are_sent_by_the_name_of_their_file(tmp_path):
    data = shop_counts().to_folder(tmp_path / "counts")
    part = data.counts.part(5, 20)
    mapped = MappedArray.of(part.indices)
    assert mapped is not None
    np.testing.assert_array_equal(mapped.open(), part.indices)
    np.testing.assert_array_equal(MappedArray.of(part.values).open(), part.values)
    assert MappedArray.of(shop_counts().counts.indices) is None
    (tmp_path / "counts" / "indices.npy").unlink()
    with pytest.raises(vbn.DataError, match="All machines must see"):
        mapped.open()


def told(folder):
    """Two sources of features of some items, one of them mapped from a file."""
    values = np.random.default_rng(7).standard_normal((30, 3)).astype(np.float32)
    np.save(folder / "values.npy", values)
    mapped = np.load(folder / "values.npy", mmap_mode="r")
    data = shop_counts()
    names = data.columns[: min(30, len(data.columns))]
    order = np.random.default_rng(8).permutation(len(names))
    data = data.with_features(mapped[: len(names)], ids=[names[n] for n in order], name="mapped")
    return data.with_features(values[:9, :2], ids=names[3:12], name="here").column_features


def test_a_worker_gets_the_features_of_its_rows_and_no_values_of_a_file(tmp_path):
    features, rows = told(tmp_path), np.array([0, 2, 4, 5, 8, 11, 12])
    expected = features.scaled(rows, *features.scaling())
    for by_name in (True, False):
        parts = sent(sent_sources(features, rows, by_name))
        np.testing.assert_array_equal(received(parts).scaled(rows, *features.scaling()), expected)
        assert [isinstance(part.values, MappedArray) for part in parts] == [by_name, False]
        assert [len(part.rows) for part in parts] == [7, 4]
    (file,) = files_of(sent_sources(features, rows, by_name=True))
    assert file.there()
    (tmp_path / "values.npy").write_bytes(b"short")
    assert not file.there()


def shop_counts():
    rng = np.random.default_rng(1)
    return vbn.Dataset.from_interactions(
        [f"u{i}" for i in rng.integers(0, 40, 600)], [f"i{i}" for i in np.minimum(rng.zipf(1.5, 600), 30)]
    )


def test_what_is_read_only_becomes_usable_without_a_copy():
    array = np.arange(6.0).reshape(2, 3)
    array.flags.writeable = False
    view = usable(array)
    assert view.flags.writeable
    assert view.flags.c_contiguous
    assert np.shares_memory(view, array)
    np.testing.assert_array_equal(view, array)


def test_few_rows_are_needed_where_they_have_few_cells_and_workers_are_many():
    load = np.full(5, 20.0)
    assert share_needed(load, 1) == 1.0
    assert share_needed(load, 64) == pytest.approx(0.27, abs=0.01)
