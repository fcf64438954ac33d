"""The explorer in a notebook: on this machine, and on a hub behind a proxy that serves it below a prefix."""

import re
import urllib.request

import pytest

from tests.serve.asking import Client
from vbn.serve import Settings, create_app
from vbn.serve.app import reachable


def test_on_a_hub_the_link_leads_through_its_proxy(goods, monkeypatch):
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/ann/")
    explorer = goods.explore()
    try:
        port = explorer.url.rpartition(":")[2]
        assert explorer.link == f"/user/ann/proxy/{port}/#token={explorer.token}"
        assert f'src="/user/ann/proxy/{port}/#token=' in explorer._repr_html_()
        with urllib.request.urlopen(explorer.url, timeout=30) as answer:
            assert "frame-ancestors 'self'" in answer.headers["content-security-policy"]
    finally:
        explorer.stop()


def test_elsewhere_it_leads_to_this_machine(monkeypatch):
    monkeypatch.delenv("JUPYTERHUB_SERVICE_PREFIX", raising=False)
    assert reachable("http://127.0.0.1:1234") == "http://127.0.0.1:1234"


@pytest.mark.parametrize("page", ["/", "/docs"])
def test_pages_name_their_files_relative_to_themselves(goods, page):
    answer = Client(create_app(goods, Settings(watch=0))).get(page)
    found = re.findall(r'(?:href|src)="([^"#]+)"', answer.text)
    assert found
    assert not [address for address in found if address.startswith(("/", "http"))]
