"""What is asked while something is written, or while every thread is busy."""

import http.client
import json
import threading
from contextlib import closing
from urllib.parse import urlsplit

import pytest

import vbn

pytest.importorskip("uvicorn")
from tests.serve.running import running, until
from vbn.serve import Settings, create_app

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
