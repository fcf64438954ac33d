"""What is asked while something is written, or while every thread is busy."""

import gc
import http.client
import json
import socket
import threading
from contextlib import closing
from urllib.parse import urlsplit

import pytest

import vbn

pytest.importorskip("uvicorn")
import pydantic
import uvicorn

from tests.serve.asking import Client
from tests.serve.running import running, until
from vbn._cores import available_cores
from vbn.serve import Settings, bound, create_app, serve

WRITERS = 15


def asked(url, method, path, body=None):
    with closing(http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)) as connection:
        connection.request(method, path, body and json.dumps(body), {"content-type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        return answer.status


def test_nobody_waits_for_writers(goods, tmp_path, monkeypatch):
    folder = goods.save(tmp_path / "m")
    begun, may_end, statuses = threading.Event(), threading.Event(), []
    app = create_app(folder, Settings(watch=0, writable=True))
    write = app.state.vbn.holder.save

    def slow(model, base):
        begun.set()
        assert may_end.wait(60)
        return write(model, base)

    monkeypatch.setattr(app.state.vbn.holder, "save", slow)

    def save(url, number):
        body = {"name": f"new {number}", "parents": ["drink"], "save": True}
        statuses.append(asked(url, "POST", "/api/v1/what-if", body))

    with running(app) as url:
        writers = [threading.Thread(target=save, args=(url, number)) for number in range(WRITERS)]
        for writer in writers:
            writer.start()
        try:
            assert begun.wait(30)
            until(lambda: app.state.vbn.writer._work_queue.qsize() == WRITERS - 1, "all others wait", 20)
            for path in ("/api/v1/health", "/api/v1/metrics", "/api/v1/similar?entity=tea&k=2"):
                assert asked(url, "GET", path) == 200
            assert asked(url, "POST", "/api/v1/what-if", {"name": "another", "parents": ["drink"]}) == 200
            assert statuses == []
        finally:
            may_end.set()
            for writer in writers:
                writer.join()
    assert statuses == [200] * WRITERS
    assert all(f"new {number}" in vbn.load(folder).trained_.columns for number in range(WRITERS))


def test_health_answers_while_every_thread_is_busy(goods):
    busy, may_end, statuses = threading.Semaphore(0), threading.Event(), []
    app = create_app(goods, Settings(watch=0))

    @app.get("/slow")
    def slow() -> None:
        busy.release()
        assert may_end.wait(60)

    with running(app) as url:
        callers = [threading.Thread(target=lambda: statuses.append(asked(url, "GET", "/slow"))) for _ in range(WRITERS)]
        for caller in callers:
            caller.start()
        try:
            assert busy.acquire(timeout=30)
            for path in ("/api/v1/health", "/api/v1/metrics"):
                assert asked(url, "GET", path) == 200
        finally:
            may_end.set()
            for caller in callers:
                caller.join()
    assert statuses == [200] * WRITERS


def test_no_request_waits_until_routes_are_built(goods, monkeypatch):
    client = Client(create_app(goods, Settings(watch=0)))

    def build(*_, **__):
        raise AssertionError("a route is built on the event loop, by the first request")

    monkeypatch.setattr(pydantic.TypeAdapter, "__init__", build)
    assert client.get("/api/v1/health").status == 200


def test_the_description_is_made_before_the_server_is_ready(goods):
    app = create_app(goods, Settings(watch=0))
    with running(app):
        assert app.state.vbn.ready.wait(60)
        assert app.openapi_schema is not None


def test_full_collections_do_not_look_at_what_was_there_when_the_server_was_ready(goods, monkeypatch):
    """They stop all threads, and took 0.1 s of a processor, a second on a busy machine, with compiled kernels."""
    left = []

    def run(server, sockets):
        state = server.config.app.state.vbn
        assert gc.get_freeze_count() > 10_000
        state.start()
        assert state.ready.wait(60)
        left.append(len(gc.get_objects()))
        state.stop()

    monkeypatch.setattr(uvicorn.Server, "run", run)
    try:
        serve(goods, port=0, settings=Settings(watch=0, writable=True))
        assert left[0] < 10_000 < gc.get_freeze_count()
    finally:
        gc.unfreeze()


def test_as_many_threads_answer_as_there_are_cores_and_one(goods):
    """With forty, which is the default, requests a second fell with the number of connections."""
    from anyio.to_thread import current_default_thread_limiter

    app, found = create_app(goods, Settings(watch=0)), []

    @app.get("/threads")
    async def threads() -> None:
        found.append(current_default_thread_limiter().total_tokens)

    with running(app) as url:
        assert asked(url, "GET", "/threads") == 200
    assert found == [available_cores() + 1]


def test_answers_are_sent_without_delay():
    """On a socket that is not called TCP, asyncio waits for more to send, up to 40 ms."""
    with bound("127.0.0.1", 0) as found:
        assert found.proto == socket.IPPROTO_TCP
