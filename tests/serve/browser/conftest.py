"""A browser and running servers; where no Chromium is found these tests are skipped, unless VBN_REQUIRE_BROWSER=1."""

import os

import pytest
from scripts import _chromium

from tests.serve.browser.page import Page
from tests.serve.running import running
from vbn.serve import Settings, create_app

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
