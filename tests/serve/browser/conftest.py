"""A browser and running servers; where no Chromium is found these tests are skipped, unless VBN_REQUIRE_BROWSER=1."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time

import pytest
import uvicorn
from scripts import _chromium

import vbn
from tests.serve.browser.page import Page
from vbn.datasets import load_bundled
from vbn.serve import Settings, create_app
from vbn.serve._holder import Served
from vbn.serve._layout import FILE, _write, lay_out
from vbn.serve._start import bound

REQUIRED = os.environ.get("VBN_REQUIRE_BROWSER") == "1"


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    if _chromium.programs() is None:
        told = "no Chromium with its driver is installed: apt-get install chromium chromium-driver"
        pytest.fail(told) if REQUIRED else pytest.skip(told)
    driver = _chromium.start(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def words():
    """The bundled words, trained for a moment."""
    return vbn.VBN(dim=16, epochs=3, verbose=False).fit(load_bundled().train)


@pytest.fixture(scope="session")
def words_url(words, tmp_path_factory):
    """The bundled words behind the command that users run."""
    folder = words.save(tmp_path_factory.mktemp("words") / "model")
    trained = vbn.load(folder)._model()
    # a t-SNE of all words takes both cores for a minute, and is not what is tested here
    _write(folder / FILE, lay_out(trained, method="principal axes"), Served(vbn.load(folder)).mark)
    command = [sys.executable, "-m", "vbn", "serve", str(folder), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "VBN_TOKEN": ""}) as server:
        told = server.stderr.readline()
        yield re.search(r"http://\S+", told).group()
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=20)


@contextlib.contextmanager
def running(app):
    """An application behind a server of this process."""
    taken = bound("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    yield f"http://127.0.0.1:{taken.getsockname()[1]}"
    server.should_exit = True
    thread.join(timeout=10)


@pytest.fixture(scope="session")
def goods_url(goods):
    with running(create_app(goods, Settings(watch=0))) as url:
        yield url


@pytest.fixture(scope="session")
def shop_url(shop):
    with running(create_app(shop, Settings(watch=0))) as url:
        yield url


@pytest.fixture
def opened(browser):
    """Opens pages of any server; afterwards the console must have nothing to complain about."""
    pages = []

    def at(url):
        pages.append(Page(browser, url))
        return pages[-1]

    yield at
    assert [message for page in pages for message in page.errors()] == []


@pytest.fixture
def page(opened, words_url):
    """A page over the bundled words."""
    return opened(words_url)
