"""Links show to others what one sees."""

import base64
import io

import numpy as np
import pytest
from PIL import Image
from selenium.webdriver import Keys

LINKS = [
    {"view": "explore", "entity": "gouda", "relation": "part-of"},
    {"view": "compare", "entity": "gouda", "other": "beagle"},
    {"view": "what-if", "name": "kashkaval", "parent": ["cheese"], "context": ["salty", "milk"]},
    {"view": "recommend", "has": ["cheese", "wine"], "popularity": "0.25"},
]


@pytest.mark.parametrize("state", LINKS, ids=lambda state: state["view"])
def test_a_link_reproduces_the_view(page, state):
    page.open(**state)
    page.map_told()
    address, shown = page.address, page.shown()
    link = page.driver.current_url
    page.driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": page.base, "storageTypes": "all"})
    page.driver.get("about:blank")
    page.driver.get(link)
    page.settled().map_told()
    assert page.address == address
    assert page.shown() == shown
    for key, wanted in state.items():
        assert address[key] == (wanted if isinstance(wanted, list) else [wanted])
    for value in (state.get("entity"), state.get("other"), *state.get("parent", []), *state.get("has", [])):
        assert value is None or value in shown


def test_back_and_forward_go_through_what_was_seen(page):
    page.open("explore", entity="gouda")
    page.one("#search").send_keys("beagle")
    page.option("beagle").click()
    page.one("#panel h2", "beagle")
    page.driver.back()
    page.one("#panel h2", "gouda")
    page.driver.forward()
    assert page.one("#panel h2", "beagle")
    assert page.driver.title.startswith("beagle")


def test_views_are_reached_from_the_menu_and_told_apart(page):
    page.open()
    for name, title in (
        ("Compare", "Two side by side"),
        ("What if", "What if there were…"),
        ("Recommend", "Recommend"),
        ("Explore", "Entities as densities"),
    ):
        page.one("nav a", name).click()
        page.one("#panel h2", title)
        assert page.texts("nav a[aria-current=page]") == [name]
    page.settled()


def view(page):
    """The map as a picture, without what lies over it."""
    return page.script("return document.querySelector('canvas.over').toDataURL()")


def test_a_link_reproduces_where_the_map_is_and_whom_it_shows(page):
    page.open("explore", entity="gouda")
    page.until(lambda: "map" not in page.address or page.map_told(), "the map rests")
    page.script("document.getElementById('map').focus()")
    page.press("-", "-", Keys.ARROW_LEFT, Keys.ARROW_UP)  # farther away, so that the mark stays on the picture
    page.one(".map-shown label", "Rare").click()
    page.map_told()
    address, link, seen = page.address, page.driver.current_url, view(page)
    x, y, zoom = (float(part) for part in address["map"][0].split("_"))
    assert zoom == pytest.approx(1.4**-2, rel=1e-3)
    assert (x, y) != (0, 0)
    assert len(address["map"][0]) < 30
    assert address["shown"] == ["rare"]
    assert address["entity"] == ["gouda"]
    page.driver.get("about:blank")
    page.driver.get(link)
    page.settled().map_told()
    assert page.address == address
    page.until(lambda: alike(page, view(page), seen), "the mark stands where it stood")
    assert page.one(".map-shown input:checked").get_attribute("value") == "rare"


def alike(page, one, other):
    """Whether two pictures are the same up to half a pixel of movement."""
    first, second = (
        np.asarray(Image.open(io.BytesIO(base64.b64decode(each.split(",")[1]))))[..., 3] > 128 for each in (one, other)
    )
    return first.any() and (first ^ second).mean() < 0.2 * first.mean()


def test_the_map_stays_where_it_is_within_the_page_and_goes_back_with_the_page(page):
    page.open("explore", entity="gouda")
    page.script("document.getElementById('map').focus()")
    page.press("+", "+", "+")
    page.until(lambda: "map" in page.address, "the address has the map")
    page.map_told()
    first = page.address["map"]
    steps = page.script("return history.length")
    page.press("-")
    page.until(lambda: page.address["map"] != first, "the address follows")
    assert page.script("return history.length") == steps, "a movement is no step"
    page.map_told()
    second = page.address["map"]
    page.one("nav a", "Recommend").click()
    page.one("#panel h2", "Recommend")
    page.until(lambda: page.address.get("map") == second, "the map is where it was")
    page.script("document.getElementById('map').focus()")
    page.press("0")
    page.until(lambda: "map" not in page.address, "all of it is shown, and the address is short again")
    page.driver.back()
    page.one("#panel h2", "gouda")
    page.settled().map_told()
    assert page.address["map"] == second


@pytest.mark.parametrize("wrong", ["a_b_c", "1_2", "NaN_0_1", "1e999_0_1", "", "0_0_-5"])
def test_a_wrong_place_of_the_map_does_no_harm(page, wrong):
    page.open("explore", entity="gouda", map=wrong, shown="toString")
    assert page.texts("#panel h2") == ["gouda"]
    page.map_told()
    assert "shown" not in page.address
    assert "NaN" not in page.driver.current_url
