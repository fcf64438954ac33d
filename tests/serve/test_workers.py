"""Several processes that serve one model: shared memory, new models, lost workers, counts of all of them."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest
from threadpoolctl import threadpool_info

import vbn

pytest.importorskip("uvicorn")
from tests.serve.running import until
from tests.serve.test_copied_over import remove
from tests.serve.test_reloading import ask_on
from vbn.serve import Settings, create_app, serve
from vbn.serve.workers import Follower, Mirror

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot fork here")


@contextlib.contextmanager
def served(folder, *options):
    command = [sys.executable, "-m", "vbn", "serve", str(folder), "--port", "0", "--watch", "0.05", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "VBN_TOKEN": ""}) as server:
        try:
            url = re.search(r"http://\S+", server.stderr.readline()).group()
            yield url, server
        finally:
            server.send_signal(signal.SIGINT)
            server.communicate(timeout=30)


def asked(url, path):
    with urllib.request.urlopen(f"{url}/api/v1/{path}", timeout=60) as answer:
        return answer.read()


def model_ids(url, n=20):
    """The models that some new connections find; the system spreads them over the workers."""
    return {json.loads(asked(url, "health"))["model"] for _ in range(n)}


def workers_of(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def places_of(pid):
    """The private copies that a process has mapped."""
    return set(re.findall(r"/\S*vbn-serve-\S+safetensors", Path(f"/proc/{pid}/maps").read_text()))


def test_workers_share_a_private_copy_and_follow_new_models(goods, tmp_path):
    folder = goods.save(tmp_path / "m")
    with served(folder, "--workers", "2") as (url, server):
        (first,) = model_ids(url)
        workers = workers_of(server.pid)
        assert len(workers) == 2
        for worker in workers:
            assert places_of(worker) == places_of(server.pid) != set()
        assert str(folder) not in Path(f"/proc/{workers[0]}/maps").read_text()
        vbn.load(folder).add("mead", ["drink"]).save(folder)
        until(lambda: first not in model_ids(url), "all workers have the new model")
        for _ in range(10):
            assert json.loads(asked(url, "similar?entity=mead&k=1"))["answers"]
        assert workers_of(server.pid) == workers
        (folder / "config.json").write_text("{", encoding="utf-8")
        until(lambda: "cannot be loaded" in json.loads(asked(url, "health"))["problem"], "the broken model is told of")
        assert json.loads(asked(url, "similar?entity=mead&k=1"))["answers"]
        (place,) = {path.parent.parent for path in map(Path, places_of(server.pid))}
    assert server.returncode == 0
    assert not place.exists()


def test_no_request_is_lost_while_models_and_folders_are_replaced(goods, tmp_path):
    folder, other = goods.save(tmp_path / "m"), goods.save(tmp_path / "other")
    vbn.load(other).add("mead", ["drink"]).save(other)
    ended, statuses, failures = threading.Event(), [], []
    with served(folder, "--workers", "2") as (url, _):
        clients = [threading.Thread(target=ask_on, args=(url, ended, statuses, failures)) for _ in range(3)]
        for client in clients:
            client.start()
        try:
            for attack in (
                lambda: [os.truncate(file, 0) for file in folder.iterdir()],
                lambda: shutil.copytree(other, folder, dirs_exist_ok=True),
                lambda: remove(folder),
                lambda: shutil.copytree(other, folder),
            ):
                attack()
                n = len(statuses)
                until(lambda n=n: failures or len(statuses) > n + 30, "it was asked")
        finally:
            ended.set()
            for client in clients:
                client.join()
    assert failures == []
    assert {status for status, _ in statuses} == {200}


def test_a_worker_that_dies_is_replaced(goods, tmp_path):
    with served(goods.save(tmp_path / "m"), "--workers", "2") as (url, server):
        asked(url, "health")
        before = workers_of(server.pid)
        os.kill(before[0], signal.SIGKILL)
        now = until(lambda: len(found := workers_of(server.pid)) == 2 and before[0] not in found and found, "it is new")
        assert before[1] in now
        assert len(model_ids(url)) == 1


def test_workers_end_when_the_first_process_is_killed(goods, tmp_path):
    with served(goods.save(tmp_path / "m"), "--workers", "2") as (url, server):
        asked(url, "health")
        workers, (copy, *_) = workers_of(server.pid), places_of(server.pid)
        server.kill()
        until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers), "they are gone")
    shutil.rmtree(Path(copy).parent.parent)


def test_metrics_count_the_requests_of_all_workers(goods, tmp_path):
    with served(goods.save(tmp_path / "m"), "--workers", "2") as (url, _):
        for _ in range(30):
            asked(url, "similar?entity=tea&k=1")
        for _ in range(4):
            text = asked(url, "metrics").decode()
            assert 'vbn_requests_total{route="/api/v1/similar",status="200"} 30.0' in text
            assert "vbn_entities 17.0" in text


def test_one_worker_draws_the_map_for_all(goods, tmp_path, monkeypatch):
    folder = goods.save(tmp_path / "m")
    mirror = Mirror(folder)
    try:
        first, second = Follower(mirror, draws=True), Follower(mirror, draws=False)
        drawing, waiting = (create_app(one, Settings(watch=0.01)).state.vbn for one in (first, second))
        drawn = threading.Thread(target=waiting._finish, args=(second.current,))
        drawn.start()
        assert waiting.layout_if_ready(second.current) is None
        drawing._finish(first.current)
        drawn.join(timeout=60)
        assert (
            waiting.layout_if_ready(second.current).places.tolist()
            == drawing.layout_if_ready(first.current).places.tolist()
        )
        assert (folder / "layout.npz").exists()
    finally:
        mirror.remove()


def test_a_server_that_writes_is_one_process(goods, tmp_path):
    with pytest.raises(vbn.ParameterError, match="one process"):
        Settings(workers=2, writable=True)
    with pytest.raises(vbn.ParameterError, match="at least 1"):
        Settings(workers=0)
    with pytest.raises(vbn.ParameterError, match="folder of a model"):
        serve(goods, settings=Settings(workers=2))
    command = [sys.executable, "-m", "vbn", "serve", str(goods.save(tmp_path / "m")), "--workers", "2", "--writable"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode != 0
    assert "leave out --writable or --workers" in done.stderr


def test_blas_has_one_thread_while_requests_are_answered(goods, monkeypatch):
    import uvicorn

    found = []

    def threads():
        return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]

    monkeypatch.setattr(uvicorn.Server, "run", lambda *_, **__: found.append(threads()))
    before = threads()
    serve(goods, port=0, settings=Settings(watch=0))
    assert found
    assert set(found[0]) == {1}
    assert threads() == before
