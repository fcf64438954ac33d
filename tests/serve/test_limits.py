"""Connections that never come to an end, in bytes or in time."""

import socket
import time
from urllib.parse import urlsplit

import pytest

pytest.importorskip("uvicorn")
from tests.serve.running import running
from vbn.serve import Settings, create_app, limits

ENOUGH = 1 << 20  # bytes after which a connection must have been closed
CHUNKED = b"POST /api/v1/predict HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
CHUNKED += b"transfer-encoding: chunked\r\n\r\n"
ENDLESS = {
    "a header": (b"GET /api/v1/health HTTP/1.1\r\nhost: localhost\r\nx: ", b"x" * 1024),
    "the name of a header": (b"GET /api/v1/health HTTP/1.1\r\nhost: localhost\r\n", b"x" * 1024),
    "headers": (b"GET /api/v1/health HTTP/1.1\r\nhost: localhost\r\n", b"x: x\r\n"),
    "headers of 1 KB": (b"GET /api/v1/health HTTP/1.1\r\nhost: localhost\r\n", b"x: " + b"x" * 1024 + b"\r\n"),
    "an address": (b"GET /", b"x" * 1024),
    "a query": (b"GET /api/v1/entities?q=", b"x" * 1024),
    "empty lines": (b"", b"\r\n" * 512),
    "a header after the body": (CHUNKED + b"1\r\n{\r\n0\r\nx: ", b"x" * 1024),
    "a note on a chunk": (CHUNKED + b"1;note=", b"x" * 1024),
    "what follows an upgrade": (
        b"GET /api/v1/health HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n",
        b"x" * 1024,
    ),
}


@pytest.fixture(scope="module")
def served(goods):
    app = create_app(goods, Settings(watch=0, token="a long secret"))

    @app.get("/slow")
    def slow() -> str:
        time.sleep(1.0)
        return "done"

    with running(app) as url:
        yield urlsplit(url).hostname, urlsplit(url).port


def sent(address, *pieces):
    """Open a connection and send what can be sent."""
    connection = socket.create_connection(address, timeout=30)
    try:
        for piece in pieces:
            connection.sendall(piece)
    except OSError:  # closed meanwhile
        pass
    return connection


def answered(connection):
    """What comes until the connection is closed; an error if it stays open."""
    found = b""
    try:
        while piece := connection.recv(65536):
            found += piece
    except ConnectionError:  # closed before all was read
        pass
    finally:
        connection.close()
    return found


@pytest.mark.parametrize("what", ENDLESS)
def test_what_does_not_end_is_cut_off(served, what, monkeypatch):
    monkeypatch.setattr(limits, "HEAD_SECONDS", 600.0)
    monkeypatch.setattr(limits, "BODY_SECONDS", 600.0)
    begin, on = ENDLESS[what]
    found = answered(sent(served, begin, *[on * (8192 // len(on))] * (ENOUGH // 8192)))
    assert not found.startswith(b"HTTP/1.1 200") or what == "what follows an upgrade"


@pytest.mark.parametrize(
    ("begin", "status"),
    [
        (b"", b"408"),
        (b"GET /api/hea", b"408"),
        (b"GET /api/v1/health HTTP/1.1\r\nhost: localhost\r\nx: x", b"408"),
        (CHUNKED.replace(b"transfer-", b"authorization: Bearer a long secret\r\ntransfer-") + b"1\r\n{\r\n", b"408"),
    ],
)
def test_what_comes_too_slowly_is_cut_off(served, begin, status, monkeypatch):
    monkeypatch.setattr(limits, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(limits, "BODY_SECONDS", 0.3)
    assert answered(sent(served, begin)).split()[1:2] == [status]


def test_what_is_asked_on_a_used_connection_is_limited_too(served, monkeypatch):
    monkeypatch.setattr(limits, "HEAD_SECONDS", 0.5)
    first = b"GET /api/v1/health HTTP/1.1\r\nhost: localhost\r\n\r\n"
    found = answered(sent(served, first + b"GET /api/hea"))
    assert found.startswith(b"HTTP/1.1 200")
    assert b"HTTP/1.1 408" in found


def test_a_slow_answer_is_not_cut_off(served, monkeypatch):
    monkeypatch.setattr(limits, "HEAD_SECONDS", 0.2)
    monkeypatch.setattr(limits, "BODY_SECONDS", 0.2)
    asking = b"GET /slow HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
    found = answered(sent(served, asking))
    assert found.startswith(b"HTTP/1.1 200")
    assert b"done" in found


def test_headers_within_the_limits_are_taken(served):
    headers = b"".join(b"x-%d: %s\r\n" % (n, b"x" * 500) for n in range(90))
    asking = b"GET /api/v1/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n" + headers + b"\r\n"
    assert answered(sent(served, asking)).startswith(b"HTTP/1.1 200")


def test_a_refusal_says_why(served):
    asking = b"GET /api/v1/health HTTP/1.1\r\nhost: localhost\r\n" + b"x: x\r\n" * 101 + b"\r\n"
    found = answered(sent(served, asking))
    assert found.startswith(b"HTTP/1.1 431 ")
    assert b"more than 100 headers" in found
    assert answered(sent(served, b"nonsense\r\n\r\n")).startswith(b"HTTP/1.1 400 ")
