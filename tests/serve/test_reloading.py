"""Models that are replaced under a running server, and servers that are stopped while they answer."""

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from urllib.parse import urlsplit

import pytest

import vbn

pytest.importorskip("uvicorn")
from tests.serve.asking import Client
from tests.serve.running import running, until
from vbn.serve import Settings, create_app, served

QUESTIONS = (
    ("GET", "/api/v1/similar?entity=tea&k=3", None),
    ("GET", "/api/v1/health", None),
    ("GET", "/api/v1/map/about", None),
    ("GET", "/api/v1/explain?entity=tea", None),
    ("POST", "/api/v1/recommend", {"entities": ["tea"], "k": 2}),
    ("POST", "/api/v1/what-if", {"name": "something else", "parents": ["drink"], "k": 2}),
)


def ask_on(url, ended, statuses, failures):
    """One client that asks on one connection until the end."""
    try:
        with closing(http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)) as connection:
            while not ended.is_set():
                for method, path, body in QUESTIONS:
                    connection.request(method, path, body and json.dumps(body), {"content-type": "application/json"})
                    answer = connection.getresponse()
                    json.loads(answer.read())
                    statuses.append((answer.status, path))
    except Exception as error:  # noqa: BLE001 - whatever it is, a request was dropped
        failures.append(repr(error))


def test_a_new_model_is_asked_first_questions_before_it_is_served(goods, tmp_path, monkeypatch):
    folder = goods.save(tmp_path / "m")
    holder = create_app(folder, Settings(watch=0)).state.vbn.holder
    asked, warm_up, old = [], served.Served.warm_up, holder.current

    def watched(self):
        asked.append((self, holder.current))
        warm_up(self)

    monkeypatch.setattr(served.Served, "warm_up", watched)
    vbn.load(folder).add("mead", ["drink"]).save(folder)
    assert holder.refresh()
    assert asked == [(holder.current, old)]
    assert "typeahead" in vars(holder.current)


def test_no_request_is_dropped_while_the_model_is_replaced(goods, tmp_path):
    folder = goods.save(tmp_path / "m")
    larger = vbn.load(folder).add("mead", ["drink"])
    app = create_app(folder, Settings(watch=0.02))
    holder, ended, statuses, failures = app.state.vbn.holder, threading.Event(), [], []
    with running(app) as url:
        clients = [threading.Thread(target=ask_on, args=(url, ended, statuses, failures)) for _ in range(4)]
        for client in clients:
            client.start()
        try:
            for turn in range(6):
                version, asked = holder.current.version, len(statuses)
                (larger if turn % 2 == 0 else goods).save(folder)
                until(lambda v=version: holder.current.version > v, "the new model is served")
                until(lambda n=asked: failures or len(statuses) > n + 8, "it was asked")
        finally:
            ended.set()
            for client in clients:
                client.join()
    assert failures == []
    assert {status for status, _ in statuses} == {200}
    assert holder.problem == ""


def test_whatever_fails_while_looking_is_told_and_looked_for_again(goods, tmp_path, monkeypatch):
    folder = goods.save(tmp_path / "m")
    app = create_app(folder, Settings(watch=0.02))
    client, state = Client(app), app.state.vbn
    whole = served.load

    def failing(*_, **__):
        raise RuntimeError("a disk that is gone")

    state.start()
    try:
        monkeypatch.setattr(served, "load", failing)
        vbn.load(folder).add("mead", ["drink"]).save(folder)
        told = until(lambda: client.get("/api/v1/health").json["problem"], "it is told")
        assert "a disk that is gone" in told
        assert client.get("/api/v1/similar", entity="tea").status == 200
        monkeypatch.setattr(served, "load", whole)
        until(lambda: client.get("/api/v1/similar", entity="mead").status == 200, "the model is served after all")
        assert client.get("/api/v1/health").json["problem"] == ""
    finally:
        state.stop()


def test_a_model_that_is_copied_file_by_file_is_served_when_it_is_complete(goods, tmp_path):
    folder, other = goods.save(tmp_path / "m"), goods.save(tmp_path / "other")
    vbn.load(other).add("mead", ["drink"]).save(other)
    app = create_app(folder, Settings(watch=0))
    holder = app.state.vbn.holder
    shutil.copy2(other / "config.json", folder / "config.json")
    assert holder.refresh() is False
    assert "cannot be loaded" in holder.problem
    assert holder.refresh() is False  # not read again as long as nothing comes
    for tensors in other.glob("*.safetensors"):
        shutil.copy2(tensors, folder / tensors.name)
    assert holder.refresh() is True
    assert holder.problem == ""
    assert holder.refresh() is False
    assert Client(app).get("/api/v1/similar", entity="mead").status == 200


def test_entities_that_are_saved_at_once_are_all_in_the_model(goods, tmp_path):
    folder = goods.save(tmp_path / "m")
    app = create_app(folder, Settings(watch=0, writable=True))
    names = [f"new {n}" for n in range(5)]
    saved = {}

    def save(name):
        saved[name] = Client(app).post("/api/v1/what-if", name=name, parents=["drink"], save=True).status

    threads = [threading.Thread(target=save, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert saved == dict.fromkeys(names, 200)
    known = vbn.load(folder).trained_.columns
    assert all(name in known for name in names)


def test_what_is_saved_goes_into_the_model_that_was_replaced_meanwhile(goods, tmp_path):
    folder = goods.save(tmp_path / "m")
    client = Client(create_app(folder, Settings(watch=0, writable=True)))
    vbn.load(folder).add("mead", ["drink"]).save(folder)
    assert client.post("/api/v1/what-if", name="perry", parents=["drink"], save=True).status == 200
    known = vbn.load(folder).trained_.columns
    assert "mead" in known
    assert "perry" in known


@pytest.mark.skipif(os.name != "posix", reason="there are no such signals here")
@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_a_request_that_has_begun_is_answered_before_the_end(goods, tmp_path, told):
    folder = goods.save(tmp_path / "m")
    command = [sys.executable, "-m", "vbn", "serve", str(folder), "--port", "0"]
    body = json.dumps({"pairs": [["tea", "milk"]]}).encode()
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "VBN_TOKEN": ""}) as server:
        try:
            place = urlsplit(re.search(r"http://\S+", server.stderr.readline()).group()).netloc
            with closing(http.client.HTTPConnection(place, timeout=300)) as warm:  # kernels are compiled, or loaded
                warm.request("POST", "/api/v1/predict", body, {"content-type": "application/json"})
                assert warm.getresponse().status == 200
            with closing(http.client.HTTPConnection(place, timeout=60)) as connection:
                connection.putrequest("POST", "/api/v1/predict")
                connection.putheader("content-type", "application/json")
                connection.putheader("content-length", str(len(body)))
                connection.endheaders()
                connection.send(body[:10])
                time.sleep(0.5)  # the server waits for the rest
                server.send_signal(told)
                time.sleep(0.5)
                connection.send(body[10:])
                answer = connection.getresponse()
                assert answer.status == 200
                assert 0 < json.loads(answer.read())["predictions"][0]["p"] < 1
            errors = server.communicate(timeout=30)[1]
        finally:
            server.kill()
    assert server.returncode in (0, -told, 128 + told)
    assert "Traceback" not in errors
