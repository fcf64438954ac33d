"""What a load balancer asks: whether the server lives, and whether it is ready."""

import urllib.error
import urllib.request

import pytest

import vbn

pytest.importorskip("uvicorn")
from tests.serve.asking import Client
from tests.serve.running import running, until
from vbn.serve import Settings, create_app


def status(url, method="GET"):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, method=method), timeout=20) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


def test_a_server_is_ready_when_a_question_was_answered(goods, monkeypatch):
    app = create_app(goods, Settings(watch=0, token="a long secret"))
    state, client = app.state.vbn, Client(app)
    assert client.get("/api/v1/ready").status == 503
    assert client.get("/api/v1/health").status == 200
    with running(app) as url:
        until(lambda: status(f"{url}/api/v1/ready") == 200, "it is ready")
        assert state.ready.is_set()
    assert client.get("/api/v1/ready").status == 503


def test_it_is_not_ready_while_the_first_question_is_not_answered(goods, monkeypatch):
    app = create_app(goods, Settings(watch=0))
    monkeypatch.setattr(app.state.vbn, "_warm_up", lambda: None)
    with running(app) as url:
        assert status(f"{url}/api/v1/ready") == 503
        assert status(f"{url}/api/v1/health") == 200


def test_head_is_answered_as_get_without_a_body(goods):
    app = create_app(goods, Settings(watch=0))
    client = Client(app)
    for path in ("/", "/api/v1/health", "/api/v1/map", "/api/v1/metrics", "/static/app.js"):
        found, whole = client.send("HEAD", path, b""), client.get(path)
        assert (found.status, found.body) == (200, b"")
        assert found.headers.get("content-type") == whole.headers["content-type"]
    assert client.send("HEAD", "/api/v1/nothing", b"").status == 404
    assert client.send("HEAD", "/api/v1/predict", b"").status == 405
    with running(app) as url:
        assert status(f"{url}/api/v1/health", "HEAD") == 200
        assert status(f"{url}/api/v1/similar?entity=nobody", "HEAD") == 404


def test_health_tells_no_paths(goods, tmp_path):
    (tmp_path / "my models").mkdir()
    folder = goods.save(tmp_path / "my models" / "m")
    app = create_app(folder, Settings(watch=0))
    vbn.load(folder).add("mead", ["drink"]).save(folder)
    (folder / "config.json").write_text("{", encoding="utf-8")
    assert app.state.vbn.holder.refresh() is False
    told = Client(app).get("/api/v1/health").json["problem"]
    assert "m cannot be read as a model" in told
    assert str(tmp_path) not in told
    assert "my models" not in told
    app.state.vbn.holder.problem = "[Errno 13] Permission denied: '/srv/secret place/x.safetensors'"
    assert "/srv" not in Client(app).get("/api/v1/health").json["problem"]
