"""The layout of the map: computed once, in a process of its own, kept beside the model, and never believed blindly."""

import os
import subprocess
import sys
import threading
import tracemalloc

import numpy as np
import pytest

import vbn

pytest.importorskip("fastapi")
from tests.serve.asking import Client
from tests.serve.running import until
from vbn.serve import LAYOUT_FILE, Layout, Served, Settings, create_app, extended, lay_out, store, stored, tsne
from vbn.serve import state as server


@pytest.fixture(scope="module")
def groups():
    """Two groups of forty entities that are never seen together."""
    rng = np.random.default_rng(0)
    baskets = [[f"{group}{i}" for i in rng.choice(40, 4, replace=False)] for group in "ab" for _ in range(400)]
    return vbn.VBN(dim=5, epochs=15, verbose=False).fit(vbn.Dataset.from_baskets(baskets))


@pytest.fixture
def started():
    """Starts what looks after a server's model and map, without a network; ends it afterwards."""
    states = []

    def start(source, **settings):
        app = create_app(source, Settings(watch=0, **settings))
        states.append(app.state.vbn)
        states[-1].start()
        return Client(app), states[-1]

    yield start
    for state in states:
        state.stop()
        assert not any(thread.is_alive() for thread in state._threads)


def laid_out(client):
    return until(lambda: (about := client.get("/api/v1/map/about").json)["final"] and about, "the map is laid out")


def tsne_is_not_wanted(*_, **__):
    raise AssertionError("the layout is computed again")


def test_tsne_tells_groups_apart(groups):
    pytest.importorskip("openTSNE")
    layout = lay_out(groups.trained_)
    assert layout.method == "t-SNE"
    assert np.abs(layout.places).max() == pytest.approx(1.0)
    first = np.array([name[0] == "a" for name in groups.trained_.columns])
    distances = ((layout.places[:, None] - layout.places) ** 2).sum(axis=2)
    np.fill_diagonal(distances, np.inf)
    assert (first[distances.argmin(axis=1)] == first).mean() > 0.95


def test_a_layout_is_kept_beside_the_model_and_used_at_the_next_start(groups, tmp_path, started, monkeypatch):
    folder = groups.save(tmp_path / "m")
    first, _ = started(folder)
    about = laid_out(first)
    until((folder / LAYOUT_FILE).exists, "it is written")
    monkeypatch.setattr(tsne, "places", tsne_is_not_wanted)
    second, _ = started(folder)
    assert laid_out(second) == about
    assert second.get("/api/v1/map").body == first.get("/api/v1/map").body
    assert second.get("/api/v1/health").json["problem"] == ""


def test_any_flipped_byte_is_noticed(goods, tmp_path):
    folder = goods.save(tmp_path / "m")
    trained, mark = goods.trained_, Served(goods).mark
    store(folder, lay_out(trained), mark)
    whole, right = (folder / LAYOUT_FILE).read_bytes(), stored(folder, trained, mark)
    broken = 0
    for at in range(len(whole)):
        for flip in (0x01, 0xFF):
            (folder / LAYOUT_FILE).write_bytes(whole[:at] + bytes([whole[at] ^ flip]) + whole[at + 1 :])
            found = stored(folder, trained, mark)
            broken += found is None
            if found is not None:
                assert np.array_equal(found.places, right.places)
                assert np.array_equal(found.ids, right.ids)
    assert broken > len(whole)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda it: Layout(it.side, it.ids[1:], it.places[1:], it.method),
        lambda it: Layout(it.side, it.ids + 1, it.places, it.method),
        lambda it: Layout(it.side, it.ids, it.places[:, :1], it.method),
        lambda it: Layout(it.side, it.ids, it.places * 3, it.method),
        lambda it: Layout(it.side, it.ids, it.places * np.float32(np.nan), it.method),
        lambda it: Layout(it.side, it.ids, it.places.astype("U5"), it.method),
        lambda it: Layout("row", it.ids, it.places, it.method),
        lambda it: Layout(it.side, it.ids, it.places, "<b>magic</b>"),
        lambda it: Layout(it.side, it.ids, it.places, ["t-SNE"]),
    ],
)
def test_a_layout_that_does_not_fit_is_not_used(goods, tmp_path, wrong):
    trained = goods.trained_
    store(tmp_path, wrong(lay_out(trained)), "mark")
    assert stored(tmp_path, trained, "mark") is None
    store(tmp_path, lay_out(trained), "mark")
    assert stored(tmp_path, trained, "mark") is not None
    assert stored(tmp_path, trained, "another mark") is None


def test_a_broken_layout_is_computed_again(goods, tmp_path, started):
    folder = goods.save(tmp_path / "m")
    store(folder, lay_out(goods.trained_), Served(vbn.load(folder)).mark)
    whole = bytearray((folder / LAYOUT_FILE).read_bytes())
    at = whole.index(b"places.npy") + len("places.npy") + 20
    whole[at] ^= 0xFF
    (folder / LAYOUT_FILE).write_bytes(whole)
    client, _ = started(folder)
    assert laid_out(client)["places"] > 0
    until(lambda: (folder / LAYOUT_FILE).read_bytes() != whole, "it is written again")
    assert client.get("/api/v1/health").json["problem"] == ""


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_to_has_a_map(goods, tmp_path, started):
    folder = goods.save(tmp_path / "m")
    folder.chmod(0o500)
    try:
        client, state = started(folder)
        laid_out(client)
        until(lambda: state._stored, "the layout would have been written")
    finally:
        folder.chmod(0o700)
    assert client.get("/api/v1/health").json["problem"] == ""


def test_a_layout_that_fails_is_told_of_and_the_next_model_has_its_own(goods, tmp_path, started, monkeypatch):
    folder = goods.save(tmp_path / "m")
    whole = server.lay_out

    def failing(trained, method="auto", **given):
        if method == "auto":
            raise MemoryError("too many points")
        return whole(trained, method=method, **given)

    monkeypatch.setattr(server, "lay_out", failing)
    client, state = started(folder)
    told = until(lambda: client.get("/api/v1/health").json["problem"], "it is told")
    assert "too many points" in told
    assert client.get("/api/v1/map/about").json["method"] == "principal axes"
    assert laid_out(client)  # nobody waits for a better one
    monkeypatch.setattr(server, "lay_out", whole)
    vbn.load(folder).add("mead", ["drink"]).save(folder)
    assert state.holder.refresh()
    state._changed.set()
    until(lambda: not client.get("/api/v1/health").json["problem"], "all is well")
    until((folder / LAYOUT_FILE).exists, "the layout is written")


def test_a_new_model_is_served_while_the_old_one_is_laid_out(goods, tmp_path, monkeypatch):
    folder = goods.save(tmp_path / "m")
    begun, left = threading.Event(), threading.Event()

    def slow(trained, wanted=None, method="auto", **_):
        if method == "principal axes":
            return lay_out(trained, method=method)
        if "mead" in trained.columns:
            return lay_out(trained)
        begun.set()
        until(lambda: not wanted(), "it is not wanted any more")
        left.set()
        raise tsne.NotWantedError

    monkeypatch.setattr(server, "lay_out", slow)
    app = create_app(folder, Settings(watch=0.02))
    state, client = app.state.vbn, Client(app)
    state.start()
    try:
        assert begun.wait(60)
        vbn.load(folder).add("mead", ["drink"]).save(folder)
        until(lambda: client.get("/api/v1/health").json["version"] == 2, "the new model is served")
        assert left.wait(60)
        laid_out(client)
        model = state.holder.current
        until(lambda: stored(folder, model.trained, model.mark), "the layout of the new model is kept")
    finally:
        state.stop()


def test_saved_entities_are_placed_into_the_layout_that_is_there(groups, tmp_path, started, monkeypatch):
    folder = groups.save(tmp_path / "m")
    store(folder, lay_out(groups.trained_, method="principal axes"), Served(vbn.load(folder)).mark)
    monkeypatch.setattr(tsne, "places", tsne_is_not_wanted)
    client, state = started(folder, writable=True)
    before = places_of(client, laid_out(client))
    imagined = client.post("/api/v1/what-if", name="new", contexts=["a1", "a2"], save=True).json
    about = client.get("/api/v1/map/about").json
    assert (about["final"], about["places"]) == (True, len(before) + 1)
    after = places_of(client, about)
    new = state.holder.current.trained.columns.id("new")
    np.testing.assert_allclose(after.pop(new), imagined["place"], atol=1e-5)
    assert after == before
    model = state.holder.current
    until(lambda: stored(folder, model.trained, model.mark), "the layout is kept with the new entity")
    again, _ = started(folder)
    assert laid_out(again)["places"] == len(before) + 1
    assert client.get("/api/v1/health").json["problem"] == again.get("/api/v1/health").json["problem"] == ""


def places_of(client, about):
    n = about["places"]
    ids, x, y = (
        np.frombuffer(client.get("/api/v1/map").body, kind, n, 4 * n * at)
        for at, kind in enumerate(("<u4", "<f4", "<f4"))
    )
    return dict(zip(ids.tolist(), zip(x.tolist(), y.tolist(), strict=True), strict=True))


def test_a_request_to_the_smaller_model_has_its_map(goods):
    grown = goods.with_trained(goods.trained_, goods.data_)
    grown.add("mead", ["drink"])
    large, small = lay_out(grown.trained_), lay_out(goods.trained_)
    cut = extended(large, goods.trained_)
    assert np.array_equal(cut.ids, small.ids)
    assert np.array_equal(cut.places, large.places[np.isin(large.ids, small.ids)])


def test_tsne_that_is_not_wanted_any_more_is_ended(monkeypatch):
    pytest.importorskip("openTSNE")
    started = []
    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *a, **k: started.append(popen(*a, **k)) or started[-1])
    vectors = np.random.default_rng(0).normal(size=(3000, 5))
    with pytest.raises(tsne.NotWantedError):
        tsne.places(vectors, vectors[:, :2], 0, 1, wanted=lambda: False)
    assert started[0].poll() is not None


def test_tsne_that_fails_says_why():
    pytest.importorskip("openTSNE")
    with pytest.raises(tsne.TSNEFailedError, match="Error"):
        tsne.places(np.zeros(3), np.zeros((3, 2)), 0, 1, wanted=lambda: True)


@pytest.mark.skipif(not hasattr(os, "nice"), reason="there are no priorities here")
def test_tsne_steps_back_and_ends_with_its_parent(tmp_path):
    pytest.importorskip("openTSNE")
    vectors = np.random.default_rng(0).normal(size=(20_000, 5))
    folder = tmp_path / "given"
    folder.mkdir()
    np.savez(folder / tsne._GIVEN, vectors=vectors, start=vectors[:, :2])
    command = [sys.executable, "-P", tsne.__file__, str(folder), "0", "1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        least = min(19, os.nice(0) + tsne._NICE)
        until(lambda: os.getpriority(os.PRIO_PROCESS, process.pid) == least, "it has a low priority")
        process.stdin.close()  # as when the server is killed
        process.wait(timeout=60)
    assert process.returncode == 1
    assert not folder.exists()


def test_a_layout_that_unpacks_to_gigabytes_is_not_unpacked(groups, tmp_path):
    folder = groups.save(tmp_path / "m")
    mark = Served(groups).mark
    store(folder, lay_out(groups.trained_, method="principal axes"), mark)
    assert stored(folder, groups.trained_, mark) is not None
    with np.load(folder / LAYOUT_FILE) as file:
        kept = dict(file)
    np.savez_compressed(folder / LAYOUT_FILE, **{**kept, "places": np.zeros((1 << 22, 2), dtype=np.float32)})
    tracemalloc.start()
    try:
        assert stored(folder, groups.trained_, mark) is None
        assert tracemalloc.get_traced_memory()[1] < 1 << 22
    finally:
        tracemalloc.stop()
