"""What pages of other origins may send through a browser: nothing, unless they were allowed to."""

import json

import pytest

import vbn

pytest.importorskip("fastapi")
from tests.serve.asking import Client
from vbn.serve import Settings, create_app

JSON = "application/json"
BODY = json.dumps({"name": "mead", "parents": ["drink"], "save": True}).encode()


@pytest.fixture
def folder(goods, tmp_path):
    return goods.save(tmp_path / "m")


def written(folder, headers, **settings):
    """The status of a request to save an entity; it is saved if and only if that is 200."""
    client = Client(create_app(folder, Settings(watch=0, writable=True, **settings)))
    found = client.send("POST", "/api/v1/what-if", BODY, headers)
    assert ("mead" in vbn.load(folder).trained_.columns) == (found.status == 200)
    assert found.status == 200 or found.json["detail"].endswith(".")
    return found.status


@pytest.mark.parametrize("kind", ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "json"])
def test_bodies_that_need_no_permission_of_a_browser_are_refused(folder, kind):
    assert written(folder, {"content-type": kind}) == 415


@pytest.mark.parametrize("kind", ["application/json", "Application/JSON; charset=utf-8", "application/geo+json"])
def test_json_is_taken(folder, kind):
    assert written(folder, {"content-type": kind}) == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://localhost:8000"}, 200),
        ({"origin": "https://localhost:8000"}, 200),  # behind a proxy
        ({"origin": "http://localhost:9000"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "same-origin", "origin": "https://box.example"}, 200),  # a proxy that changes the host
        ({"sec-fetch-site": "none"}, 200),
        ({"sec-fetch-site": "same-site", "origin": "http://localhost:9000"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "cross-site", "origin": "http://localhost:8000"}, 403),
    ],
)
def test_pages_of_other_origins_cannot_write(folder, headers, status):
    assert written(folder, {"host": "localhost:8000", **headers}) == status


def test_pages_that_were_allowed_can_write(folder):
    asking = {"origin": "https://shop.example", "sec-fetch-site": "cross-site"}
    assert written(folder, asking, origins=("https://other.example",)) == 403
    assert written(folder, asking, origins=("https://shop.example",)) == 200


def test_a_link_elsewhere_still_leads_here(folder):
    client = Client(create_app(folder, Settings(watch=0)))
    for path in ("/", "/api/v1/health"):
        assert client.get(path, {"sec-fetch-site": "cross-site"}).status == 200
