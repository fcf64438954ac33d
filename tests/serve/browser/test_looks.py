"""Two side by side, light and dark, on a phone."""

import io

import numpy as np
import pytest
from PIL import Image, ImageColor

from tests.serve.browser.page import PHONE

VIEWS = [
    {},
    {"view": "explore", "entity": "gouda"},
    {"view": "compare", "entity": "gouda", "other": "beagle"},
    {"view": "what-if", "name": "x" * 120, "parent": ["cheese"], "context": ["salty"]},
    {"view": "recommend", "has": ["cheese", "wine"]},
    {"view": "taxonomy"},
    {"view": "list", "lasso": "0_0~0.3_0~0.3_0.3"},
]


def boxes(page, selector):
    script = """return [...document.querySelectorAll(arguments[0])].map((e) => {
        const r = e.getBoundingClientRect(); return [r.left, r.top, r.width]; })"""
    return page.script(script, selector)


@pytest.mark.parametrize("width", [1280, 1024, 900])
def test_two_entities_stand_side_by_side(page, words, width):
    page.resize(width, 800)
    page.open("compare", entity="gouda", other="beagle")
    assert page.texts("#panel .card h2") == ["gouda", "beagle"]
    (left, top, wide), (other_left, other_top, other_wide) = boxes(page, "#panel .card")
    assert top == other_top
    assert other_left >= left + wide
    assert min(wide, other_wide) > 200
    p = words.predict_proba([("gouda", "beagle")])[0]
    figures = dict(zip(page.texts(".figure dt"), page.texts(".figure dd strong"), strict=True))
    assert figures["How likely: beagle beside gouda"] == f"{p:.2f}"
    assert figures["Cosine of the means"] == f"{words.similarity('gouda', 'beagle').score:.2f}"
    assert 0 < float(figures["Overlap of the densities"]) < 1
    both = {*words.similar("gouda", 50).entities} & {*words.similar("beagle", 50).entities}
    assert f"Near both: {len(both)} of the 50 nearest of each" in page.shown()


def test_two_entities_are_chosen_on_the_page(page):
    page.open("compare")
    page.choose("First entity", "gou", "gouda")
    page.choose("Second entity", "beag", "beagle")
    assert page.texts("#panel .card h2") == ["gouda", "beagle"]
    assert (page.address["entity"], page.address["other"]) == (["gouda"], ["beagle"])


@pytest.mark.parametrize("state", VIEWS, ids=lambda state: state.get("view", "start"))
@pytest.mark.parametrize("width", [PHONE[0], 320])
def test_a_phone_scrolls_down_only(page, state, width):
    page.resize(width, PHONE[1], phone=True)
    page.open(**state)
    assert page.script("return document.documentElement.scrollWidth") <= width
    assert page.script("return window.innerWidth") == width  # it was not zoomed out to fit
    outside = """return [...document.querySelectorAll('header *, #panel *')].filter((e) => {
        const r = e.getBoundingClientRect();
        return r.width && getComputedStyle(e).visibility !== 'hidden' && !e.closest('.hidden, .skip')
            && (r.right > innerWidth + 1 || r.left < -1);
    }).map((e) => e.outerHTML.slice(0, 80))"""
    assert page.script(outside) == []


def test_a_long_name_does_not_widen_a_phone(page):
    page.forgiven.append("404")
    page.resize(*PHONE, phone=True)
    page.open("recommend", has=["x" * 200])
    assert "x" * 200 in page.one("[role=alert]").text
    assert page.script("return document.documentElement.scrollWidth") <= PHONE[0]
    assert page.script("return window.innerWidth") == PHONE[0]


def test_a_phone_shows_map_and_name_at_once(page):
    page.resize(*PHONE, phone=True)
    page.open("explore", entity="gouda")
    (_, top, _), *_ = boxes(page, "#panel h2")
    assert 0 < top < PHONE[1] - 40


def brightness(page):
    colour = page.script("return getComputedStyle(document.getElementById('panel')).backgroundColor")
    return sum(ImageColor.getrgb(colour)[:3]) / 3


def test_it_follows_the_system_until_somebody_chooses(page):
    page.open()
    assert brightness(page) > 200
    page.media("dark")
    page.until(lambda: brightness(page) < 60, "the page is dark as the system")
    page.one("#theme").click()
    assert brightness(page) > 200
    page.open("explore", entity="gouda")
    assert brightness(page) > 200
    assert page.script("return getComputedStyle(document.documentElement).colorScheme") != "dark"
    page.one("#theme").click()
    page.driver.get(f"{page.base}/docs")
    page.until(lambda: page.all("#operations article"), "the service is described")
    assert page.script("return document.documentElement.dataset.theme") == "dark"


@pytest.mark.parametrize("size", [(1920, 1080), (1440, 900)])
def test_a_large_window_shows_all_of_the_map_beside_the_legend(page, size):
    page.resize(*size)
    page.open("taxonomy").map_told()
    if size[0] == 1920:
        assert page.script("return document.getElementById('legend').open")
    page.script("document.getElementById('legend').open = true")
    page.map_told()
    far = """const done = arguments[0];
        import(new URL("static/points.js", document.baseURI)).then(({ fetchPoints }) => fetchPoints())
            .then(([points]) => done(Math.min(...points.x)));"""
    assert page.driver.execute_async_script(far) < -0.9  # a point that the legend would cover in the middle of the map
    page.script("for (const one of document.querySelectorAll('.legend, canvas.words')) one.style.opacity = 0")
    right = page.script("const one = document.getElementById('legend'); return one.offsetLeft + one.offsetWidth")
    pixels = np.asarray(Image.open(io.BytesIO(page.one("#map").screenshot_as_png)).convert("RGB")).astype(int)
    assert (pixels[120:-5, 5 : int(right) - 10] == pixels[-9, 5]).all()
    assert not (pixels[120:-5, int(right) :] == pixels[-9, 5]).all()


def test_how_often_something_was_seen_stands_on_one_line(page):
    page.open("recommend", has=["cheese"])
    script = """return [...document.querySelectorAll(".ranked small")].map((one) => {
        one.textContent = "seen 12,345 times"; return one.offsetHeight; })"""
    assert 0 < max(page.script(script)) < 30


def pixels_of(page, selector):
    shot = io.BytesIO(page.one(selector).screenshot_as_png)
    return np.asarray(Image.open(shot).convert("RGB")).astype(int)


def test_no_part_of_the_map_is_missing_while_names_are_offered(page):
    page.open("taxonomy").map_told()
    page.script("document.querySelector('#found').style.height = '20rem'")
    before = pixels_of(page, "#map")
    page.one("header input").click()
    page.until(lambda: page.all("[role=listbox]:not([hidden]) [role=option]"), "names are offered")
    page.map_told()
    low = slice(before.shape[0] // 2, None)  # the list ends above
    assert (pixels_of(page, "#map")[low] == before[low]).mean() > 0.99


@pytest.mark.parametrize(("size", "above"), [((820, 1100), True), ((1024, 768), False)])
def test_a_tablet_has_the_map_above_the_panel_if_it_stands_upright(page, size, above):
    page.resize(*size)
    page.open("recommend", has=["cheese", "wine"])
    (_, top, wide), (_, panel_top, _) = [*boxes(page, "#map-box"), *boxes(page, "#panel")]
    assert (panel_top > top) == above
    assert (wide > 0.9 * size[0]) == above
    assert page.script("return document.documentElement.scrollWidth") <= size[0]


@pytest.mark.parametrize("size", [(1440, 900), PHONE])
def test_no_part_of_the_map_lies_below_its_buttons(page, size):
    page.resize(*size, phone=size == PHONE)
    page.open("taxonomy").map_told()
    left = page.script("const { offsetLeft } = document.querySelector('.map-tools'); return offsetLeft")
    hidden = ".map-tools, .map-shown, .legend, canvas.words"
    page.script(f"for (const one of document.querySelectorAll('{hidden}')) one.style.opacity = 0")
    pixels = pixels_of(page, "#map")[5:-5]
    assert (pixels[:, left + 2 : -2] == pixels[0, -5]).all()
    assert not (pixels[:, 5:left] == pixels[0, -5]).all()
