"""The map: drawn, hovered, clicked, moved."""

import importlib
import io
import json
import time
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from selenium.webdriver import ActionChains, Keys

from tests.serve.browser.page import PHONE, WIDE

NO_WEBGL = """const get = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
    return kind.startsWith("webgl") ? null : get.call(this, kind, ...rest);
};"""


class Places:
    """Where entities stand on the screen, computed apart from the page."""

    def __init__(self, page, url):
        with urllib.request.urlopen(f"{url}/api/v1/map/about", timeout=30) as answer:
            about = json.load(answer)
        with urllib.request.urlopen(f"{url}/api/v1/map", timeout=30) as answer:
            body, n = answer.read(), about["places"]
        blocks = {
            field["name"]: np.frombuffer(body, field["type"], n, 4 * n * at) for at, field in enumerate(about["fields"])
        }
        self.rare = blocks["count"] <= about["rare"]
        self.ids, self.plane = blocks["id"], np.stack([blocks["x"], -blocks["y"]], axis=1).astype(float)
        width, height, tools = page.script("""const c = document.getElementById("map");
            return [c.clientWidth, c.clientHeight, document.querySelector(".map-tools").offsetLeft];""")
        self.size = np.array([width, height])
        self.beside = np.array([tools, height])  # what the buttons leave free

    def screen(self, zoom=1.0):
        """Pixels, from the left upper corner of the map."""
        return self.beside / 2 + self.plane * zoom * self.beside.min() / 2.1

    def lonely(self):
        """An entity far from all others, from the edges and from what lies over the map."""
        pixels = self.screen()
        free = ((pixels > 60) & (pixels < self.size - 60)).all(axis=1)
        free &= (pixels[:, 0] < self.size[0] - 150) & (pixels[:, 1] < self.size[1] - 150)

        def apart(one):
            return np.sort(((pixels - pixels[one]) ** 2).sum(axis=1))[1]

        edge = np.flatnonzero(free)[np.argsort(-(self.plane[free] ** 2).sum(axis=1))[:300]]
        return int(max(edge, key=apart))


@pytest.fixture
def places(page, words_url):
    page.open()
    return Places(page, words_url)


def move_to(page, place):
    """The mouse over a place of the map."""
    corner = page.script("const r = document.getElementById('map').getBoundingClientRect(); return [r.left, r.top]")
    mouse = ActionChains(page.driver, duration=0)
    mouse.w3c_actions.pointer_action.move_to_location(*(round(a + b) for a, b in zip(corner, place, strict=True)))
    return mouse


def drawn(page):
    """Share of the map's pixels that differ from its background, and how many colours there are."""
    image = Image.open(io.BytesIO(page.one("#map").screenshot_as_png)).convert("RGB")
    pixels = np.asarray(image).reshape(-1, 3)
    colours, counts = np.unique(pixels // 16, axis=0, return_counts=True)
    return 1 - counts.max() / counts.sum(), len(colours)


def test_all_entities_are_drawn_in_the_colours_of_their_branches(page, places):
    assert int(page.one("#map").get_attribute("data-places")) == len(places.ids)
    share, colours = drawn(page)
    assert share > 0.05
    assert colours > 50
    page.one("#legend summary").click()
    assert len(page.all("#legend li")) > 5


def test_without_webgl_the_map_is_drawn_all_the_same(page):
    script = page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": NO_WEBGL})
    try:
        page.open()
        share, colours = drawn(page)
        assert share > 0.05
        assert colours > 50
    finally:
        page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


HEAP = """
const [n, webgl, done] = arguments;
import("/static/painting.js").then(({ makePainter }) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 500, height: 500 });
    if (!webgl) canvas.getContext("2d");
    const every = (value) => Float32Array.from({ length: n }, (_, at) => value(at));
    const far = (at) => Math.min(1, 0.4 * Math.sqrt(-Math.log(1 - (at + 0.5) / n)));  // a heap, dense in its middle
    const points = {
        n, bounds: [0, 1], rare: 3, order: Uint32Array.from({ length: n }, (_, at) => at),
        x: every((at) => far(at) * Math.cos(2.4 * at)), y: every((at) => far(at) * Math.sin(2.4 * at)),
        std: every(() => 0.5), count: every((at) => at % 8),
    };
    const painter = makePainter(canvas, points);
    painter.dress({ colours: new Float32Array(3 * n), shown: new Uint8Array(n).fill(1), meant: null });
    painter.paint({ x: 0, y: 0, zoom: 1 }, 240, 500, 500, 1, 0);
    const copy = Object.assign(document.createElement("canvas"), { width: 500, height: 500 }).getContext("2d");
    copy.drawImage(canvas, 0, 0);
    const opaque = (left) => {
        const { data } = copy.getImageData(left, 235, 30, 30);
        return data.reduce((sum, value, at) => sum + (at % 4 === 3 ? value : 0), 0) / 900 / 255;
    };
    const { data } = copy.getImageData(0, 0, 500, 500);
    const strongest = data.reduce((most, value, at) => (at % 4 === 3 ? Math.max(most, value) : most), 0) / 255;
    done([opaque(235), opaque(335), strongest]);
});
"""


@pytest.mark.parametrize("webgl", [True, False])
def test_the_densest_part_of_a_hundred_thousand_points_can_be_told_from_others(page, webgl):
    page.open()
    middle, aside, _ = page.driver.execute_async_script(HEAP, 100_000, webgl)
    assert 0.2 < aside < middle - 0.1
    assert middle < 0.98
    *_, strongest = page.driver.execute_async_script(HEAP, 2_000, webgl)
    assert strongest > 0.65, "a few points are as strong as they can be"


def test_hovering_names_an_entity(page, places, words):
    lonely = places.lonely()
    names = words.trained_.columns
    move_to(page, places.screen()[lonely]).perform()
    name = names[int(places.ids[lonely])]
    assert page.one("#tip strong").text == name
    assert "seen" in page.one("#tip small").text
    move_to(page, (5, 5)).perform()
    page.until(lambda: not page.all("#tip")[0].is_displayed(), "the name vanishes")


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_what_hovering_says_covers_no_button_and_does_not_wrap_at_the_edge(page, words_url, size):
    page.resize(*size)
    page.open().map_told()
    places = Places(page, words_url)
    pixels = places.screen()
    for at in (int(np.argmin(pixels[:, 0])), int(np.argmax(pixels[:, 0]))):
        move_to(page, (5, 5)).perform()
        page.until(lambda: not page.all("#tip")[0].is_displayed(), "nothing is hovered")
        move_to(page, pixels[at]).perform()
        page.one("#tip strong")
        script = """const tip = document.getElementById("tip");
            const { offsetLeft } = document.querySelector(".map-tools");
            return [tip.offsetLeft + tip.offsetWidth, offsetLeft, tip.offsetHeight];"""
        right, tools, height = page.script(script)
        assert right <= tools
        assert height < 40


def test_a_click_opens_the_card_and_marks_the_entity(page, places, words):
    lonely = places.lonely()
    move_to(page, places.screen()[lonely]).click().perform()
    name = words.trained_.columns[int(places.ids[lonely])]
    assert page.one("#panel h2", name)
    page.until(lambda: marked(page) > 50, "the entity is marked on the map")
    page.open("taxonomy")
    page.until(lambda: marked(page) == 0, "the mark is gone with the card")


def marked(page):
    """Pixels of the layer with marks."""
    return page.script(
        """const c = document.querySelector('canvas.over');
        const { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height);
        return data.filter((v, n) => n % 4 === 3 && v).length"""
    )


def test_two_that_are_compared_are_both_marked(page):
    page.open("compare", entity="gouda")
    page.until(lambda: marked(page) > 50, "the first is marked on the map")
    one = marked(page)
    page.open("compare", entity="gouda", other="beagle")
    page.until(lambda: marked(page) > 1.4 * one, "both are marked on the map")


def test_keys_and_buttons_zoom_and_move_it(page, places, words):
    lonely = places.lonely()
    name = words.trained_.columns[int(places.ids[lonely])]
    page.script("document.getElementById('map').focus()")
    page.press("-", "-")
    move_to(page, places.screen(1 / 1.4**2)[lonely]).perform()
    assert page.one("#tip strong").text == name
    page.press("0", Keys.ARROW_RIGHT)
    move_to(page, places.screen()[lonely] - (60, 0)).perform()
    page.until(lambda: page.texts("#tip strong") == [name], "the map has moved by a step")
    page.one("#zoom-all").click()
    page.one("#zoom-out").click()
    move_to(page, places.screen(1 / 1.6)[lonely]).perform()
    page.until(lambda: page.texts("#tip strong") == [name], "the map shows more")


def test_dragging_moves_it_and_opens_nothing(page, places, words):
    lonely = places.lonely()
    start = places.screen()[lonely]
    mouse = move_to(page, start)
    mouse.w3c_actions.pointer_action.pointer_down()
    mouse.w3c_actions.pointer_action.move_by(70, 40)
    mouse.w3c_actions.pointer_action.pointer_up()
    mouse.perform()
    move_to(page, (5, 5)).perform()
    move_to(page, start + np.array([70, 40])).perform()
    name = words.trained_.columns[int(places.ids[lonely])]
    page.until(lambda: page.texts("#tip strong") == [name], "the map was dragged")
    assert "entity" not in page.address


def chosen(page, value):
    """How many points are drawn after a choice."""
    page.until(lambda: page.one(".map-shown input:checked").get_attribute("value") == value, "it is chosen")
    return page.map_told().script("return Number(document.getElementById('map').dataset.drawn)")


@pytest.mark.parametrize("webgl", [True, False])
def test_rare_and_frequent_are_shown_apart(page, words_url, webgl):
    script = (
        None if webgl else page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": NO_WEBGL})
    )
    try:
        page.open()
        places = Places(page, words_url)
        assert 0 < places.rare.sum() < len(places.ids)
        page.tab_to(lambda e: e.get_attribute("name") == "shown", "the choice, by keyboard")
        assert chosen(page, "") == len(places.ids)
        everything = drawn(page)[0]
        page.press(Keys.ARROW_RIGHT)
        assert chosen(page, "frequent") == (~places.rare).sum()
        page.press(Keys.ARROW_RIGHT)
        assert chosen(page, "rare") == places.rare.sum()
        assert 0.02 < drawn(page)[0] < everything
        assert page.address["shown"] == ["rare"]
    finally:
        if script is not None:
            page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def test_a_rare_entity_is_a_ring_and_a_frequent_one_a_dot(page, places):
    """Zoomed in on one of each, alone: the middle of a ring is hardly coloured, its edge is."""
    for rare in (True, False):
        kind = "rare" if rare else "frequent"
        some = np.flatnonzero(places.rare == rare)
        plane = places.plane[some]
        apart = [np.sort(((plane - one) ** 2).sum(axis=1))[1] for one in plane[:2000]]
        x, y = plane[int(np.argmax(apart))]
        page.open(map=f"{x:.5f}_{-y:.5f}_60", shown=kind)
        page.map_told()
        page.script("document.querySelector('canvas.words').style.visibility = 'hidden'")
        image = Image.open(io.BytesIO(page.one("#map").screenshot_as_png)).convert("RGB")
        pixels = np.asarray(image).astype(int)
        left, top = (places.beside // 2 - 20).astype(int)
        around = pixels[top : top + 40, left : left + 40]
        strength = np.abs(around - around[0, 0]).sum(axis=2)
        middle = strength[18:22, 18:22].mean()
        assert strength.max() > 60, f"there is a {kind} one"
        assert middle < 0.4 * strength.max() if rare else middle > 0.7 * strength.max()
    page.one("#legend summary").click()
    legend = page.one("#legend-body").text
    assert "Rare, a ring: " in legend
    assert "Frequent: seen " in legend


def test_who_is_not_shown_cannot_be_hovered(page, places):
    lonely = places.lonely()
    move_to(page, places.screen()[lonely]).perform()
    text = page.one("#tip small").text
    assert ("rare" in text) == bool(places.rare[lonely])
    page.one(".map-shown label", "Frequent" if places.rare[lonely] else "Rare").click()
    move_to(page, (5, 300)).perform()
    move_to(page, places.screen()[lonely]).perform()
    time.sleep(0.5)
    assert not page.all("#tip")[0].is_displayed()


def test_the_benchmark_of_the_map_counts_from_the_first_frame_on(page, places, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[3] / "benchmarks")
    moving = importlib.import_module("map_frames").MOVING
    # a clock of frames that is behind that of the page
    page.script("let t = 0; window.requestAnimationFrame = (task) => setTimeout(() => task((t += 16)), 1)")
    took, points = page.driver.execute_async_script(moving, 12)
    assert len(took) == len(points) == 12
    assert min(took) > 0


SLOWLY = """
const [slow, done] = arguments;
const map = document.getElementById("map");
const drawn = [];
function step(now) {
    while (performance.now() < now + slow);  // a machine that takes so long for a frame
    drawn.push(Number(map.dataset.drawn));
    map.dispatchEvent(new WheelEvent("wheel", { deltaY: drawn.length % 2 ? -5 : 5, bubbles: true, cancelable: true }));
    if (drawn.length < 12) requestAnimationFrame(step); else done(drawn);
}
requestAnimationFrame(step);
"""


@pytest.mark.parametrize("slow", [80, 250])
def test_a_slow_machine_draws_fewer_points_while_it_moves_and_all_of_them_at_rest(page, places, slow):
    everything = len(places.ids)
    page.until(lambda: page.one("#map").get_attribute("data-drawn") == str(everything), "all points are drawn")
    drawn = page.driver.execute_async_script(SLOWLY, slow)
    assert min(drawn) <= everything / 2
    page.until(lambda: page.one("#map").get_attribute("data-drawn") == str(everything), "all points are drawn again")


def test_the_pace_of_the_map_follows_the_machine(page):
    script = """const [frames, done] = arguments;
        import("/static/pace.js").then(({ makePace }) => {
            const pace = makePace(4);
            done(frames.map((milliseconds) => { pace.saw(milliseconds); return pace.level(); }));
        });"""
    page.open()
    levels = page.driver.execute_async_script(script, [16] * 5 + [50] * 6 + [16] * 100 + [50] + [16] * 100)
    assert levels[:11] == [0] * 5 + [1, 2, 3, 3, 3, 3]
    assert levels[40:42] == [2, 2], "after thirty fast frames more is drawn"
    assert levels[100:112] == [1] * 11 + [2], "after sixty more again; a slow frame takes it back"
    assert min(levels[112:]) == 2, "the next time it waits longer"
