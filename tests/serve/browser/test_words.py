"""Words and marks on the map: where there is room, never cut off, and only as long as they belong to what is shown."""

import io

import numpy as np
import pytest
from PIL import Image
from selenium.webdriver import ActionChains, Keys

from tests.serve.browser.page import PHONE
from tests.serve.browser.test_map import marked


def named(page):
    """How many words are on the map."""
    return int(page.map_told().script("return document.getElementById('map').dataset.words"))


@pytest.mark.parametrize("size", [(1280, 800), PHONE])
def test_branches_are_named_at_rest_and_entities_on_zoom(page, size):
    page.resize(*size)
    page.open("taxonomy")
    branches = named(page)
    assert 3 <= branches <= 12
    page.open("taxonomy", map="0_0_8")
    page.until(lambda: named(page) > 12, "entities are named")


ROOMS = """const [boxes, w, h, done] = arguments;
    import(new URL("static/words.js", document.baseURI)).then(({ makeRoom, write }) => {
        const pen = document.createElement("canvas").getContext("2d");
        const taken = [];
        const room = makeRoom(w, h);
        const noted = { ...room, first: (some) => { taken.push(room.first(some)); return taken.at(-1) ?? taken.pop(); },
                        take: (box) => { taken.push(box); room.take(box); } };
        for (const [text, x, y, must] of boxes) write(pen, noted, text, [x, y], { size: 12, must, w, tall: h });
        done(taken);
    });"""


def test_words_never_overlap_and_are_never_cut_off(page):
    page.open("taxonomy")
    asked = [[f"name {n}", 17 * n % 300, 29 * n % 200, False] for n in range(200)]
    boxes = page.driver.execute_async_script(ROOMS, asked, 300, 200)
    assert len(boxes) > 15
    for n, (left, top, right, bottom) in enumerate(boxes):
        assert left >= 0
        assert top >= 0
        assert right <= 300
        assert bottom <= 200
        assert not any(left < r and right > x and top < b and bottom > y for x, y, r, b in boxes[n + 1 :])
    ((left, _, right, _),) = page.driver.execute_async_script(ROOMS, [["at the edge", 299, 100, True]], 300, 200)
    assert left >= 0
    assert right <= 300
    two = [["a name as wide as most of the map", 150, 100, True], ["and another at the same place", 150, 100, True]]
    (_, top, _, bottom), (_, other_top, _, other_bottom) = page.driver.execute_async_script(ROOMS, two, 300, 200)
    assert bottom <= other_top or other_bottom <= top


NAMED = """const [names, done] = arguments;
    Promise.all(["marks", "words"].map((one) => import(new URL(`static/${one}.js`, document.baseURI)))).then(
        async ([{ makeMarks }, { makeRoom }]) => {
            const marks = makeMarks(() => {}, () => {});
            for (const [kind, some] of names) await marks.set(kind, some);
            const written = [];
            const pen = document.createElement("canvas").getContext("2d");
            pen.fillText = (text) => written.push(text);
            const places = Array.from({ length: 100000 }, (_, n) => n);
            const points = { at: new Map(places.map((n) => [n, n])), x: places.map(() => 0), y: places.map(() => 0) };
            marks.draw(pen, makeRoom(400, 300), points, () => [200, 150], { w: 400, h: 300 }, 1);
            done(written);
        });"""


def test_the_nearest_are_named_first(page):
    page.open("taxonomy")
    cheeses = ["cheddar", "brie", "parmesan", "ricotta", "camembert"]
    written = page.driver.execute_async_script(NAMED, [["near", cheeses], ["chosen", ["gouda"]]])
    assert written[:2] == ["gouda", "cheddar"]


def test_neighbours_are_marked_with_the_chosen_one_and_go_away_with_it(page):
    page.open("compare", entity="gouda")
    page.until(lambda: marked(page) > 50, "the one is marked")
    alone = marked(page)
    page.open("explore", entity="gouda")
    page.until(lambda: marked(page.map_told()) > 3 * alone, "its neighbours and its ellipse are on the map")
    page.one("nav a", "Taxonomy").click()
    page.settled()
    page.until(lambda: marked(page) == 0, "old rings are gone")


def ellipses(page):
    """Whose ellipses were asked for."""
    asked = page.script("return performance.getEntriesByType('resource').map((one) => one.name)")
    return [one.split("entity=")[1] for one in asked if "map/spread" in one]


def test_examples_and_compared_entities_have_ellipses(page):
    page.open("compare", entity="gouda", other="cheddar")
    page.until(lambda: ellipses(page) == ["gouda", "cheddar"], "both have an ellipse")
    page.until(lambda: marked(page.map_told()) > 500, "they are on the map")
    page.open()
    page.until(lambda: len(ellipses(page)) == len(page.all(".example")), "each example has one")
    page.until(lambda: marked(page.map_told()) > 500, "they are on the map")


def test_baskets_and_recommendations_are_marked(page):
    page.open("recommend", has=["cheese"])
    page.until(lambda: marked(page.map_told()) > 1000, "basket and recommendations are on the map")
    page.one("button[aria-label='Remove cheese']").click()
    page.settled()
    page.until(lambda: marked(page) == 0, "they are gone with the basket")


def test_a_list_that_is_hovered_marks_the_point(page):
    page.open("taxonomy")
    page.until(lambda: page.all(".tree a"), "there is a tree")
    assert marked(page.map_told()) == 0
    page.open("compare", entity="gouda")
    page.map_told()
    before = marked(page)
    link = page.all(".card ol.ranked li > a")[3]
    ActionChains(page.driver, duration=0).move_to_element(link).perform()
    page.until(lambda: marked(page) > before, "the point is marked")
    ActionChains(page.driver, duration=0).move_to_element(page.one("#search")).perform()
    page.until(lambda: marked(page) == before, "and no longer")


def test_search_hits_are_marked_while_one_types(page):
    page.open("taxonomy")
    page.one("#search").send_keys("chees")
    page.option("cheese")
    page.until(lambda: marked(page) > 50, "hits are marked")
    page.one("#search").send_keys(Keys.ESCAPE)
    page.until(lambda: marked(page) == 0, "and no longer")


@pytest.mark.parametrize(("size", "phone"), [((1440, 900), False), ((1024, 768), False), (PHONE, True)])
def test_hits_are_not_covered_by_the_list_of_hits(page, size, phone):
    page.resize(*size, phone=phone)
    page.open("taxonomy").map_told()
    page.one("#search").send_keys("chees")
    page.option("cheese")
    page.until(lambda: marked(page) > 50, "hits are marked")
    page.map_told()
    rings = """const c = document.querySelector("canvas.over"), w = c.width;
        const data = c.getContext("2d").getImageData(0, 0, w, c.height).data;
        const found = [];
        for (let n = 3; n < data.length; n += 4) if (data[n]) found.push(Math.floor(n / 4 / w));
        return [Math.min(...found), document.getElementById("found").getBoundingClientRect().bottom
            - c.getBoundingClientRect().top];"""
    highest, bottom = page.script(rings)
    assert highest >= bottom - 8
    page.one("#search").send_keys(Keys.ESCAPE)
    page.until(lambda: marked(page) == 0, "the marks are gone with the list")


def test_an_empty_box_offers_the_examples_of_the_first_page(page):
    page.open("taxonomy")
    page.script("document.getElementById('search').focus()")
    page.until(lambda: page.texts("#found [role=option] bdi"), "names are offered")
    offered = page.texts("#found [role=option] bdi")
    page.open()
    assert offered[:3] == page.texts(".example h3 a")
    page.open("what-if", name="kashkaval")
    page.script("document.getElementById('field-a-parent').focus()")
    page.until(lambda: page.texts(".found:not([hidden]) [role=option] small"), "parents are offered")
    assert "entity" in page.texts(".found:not([hidden]) [role=option] bdi")


def test_nothing_lies_over_the_map_of_a_phone(page):
    page.resize(*PHONE, phone=True)
    page.open("explore", entity="gouda").map_told()
    page.script("document.getElementById('legend').open = true")
    box = "return document.querySelector(arguments[0]).getBoundingClientRect()"
    bottom = page.script(box, "#map")["bottom"]
    assert min(page.script(box, one)["top"] for one in (".legend", ".map-shown")) >= bottom


def strength(page):
    """How far the map's pixels are from its background, without words and marks."""
    page.map_told()
    page.script("for (const one of document.querySelectorAll('canvas.words, canvas.over')) one.style.opacity = 0")
    pixels = np.asarray(Image.open(io.BytesIO(page.one("#map").screenshot_as_png)).convert("RGB")).astype(int)
    return np.abs(pixels - pixels[200, 5])[100:-100, 20:-120].sum()


def test_a_category_makes_all_others_pale(page, words):
    page.open("taxonomy")
    everything = strength(page)
    page.open("explore", entity="cheese")
    assert strength(page) == pytest.approx(everything, rel=0.1)  # it was seen itself: no category
    only = words.trained_.profile.categories("column")
    page.open("explore", entity=words.trained_.columns[int(np.flatnonzero(only)[0])])
    assert "a category with" in page.shown()
    assert strength(page) < 0.7 * everything
    assert page.one("#map").get_attribute("data-drawn") == page.one("#map").get_attribute("data-places")


HELD = """const real = window.fetch; window.held = [];
    window.fetch = (address, ...rest) => String(address).endsWith("/api/v1/map")
        ? new Promise((done) => window.held.push(() => done(real(address, ...rest)))) : real(address, ...rest);"""


def test_a_category_that_was_left_before_the_map_came_makes_nothing_pale(page, words):
    page.open("taxonomy")
    everything = strength(page)
    only = words.trained_.profile.categories("column")
    name = words.trained_.columns[int(np.flatnonzero(only)[0])]
    held = page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": HELD})
    try:
        page.driver.get("about:blank")
        page.driver.get(f"{page.base}/#view=explore&entity={name}")
        asked = "return performance.getEntriesByType('resource').some((one) => one.name.includes('map/below'))"
        page.until(lambda: page.script(asked), "what is below the category is known")
        page.script("location.hash = '#view=taxonomy'")
        page.one("#panel h2", "The taxonomy")
        page.script("window.held.forEach((go) => go())")
        page.settled()
        assert strength(page) == pytest.approx(everything, rel=0.02)
    finally:
        page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", held)


def test_a_marked_point_is_named_once(opened, goods_url):
    page = opened(goods_url).open("taxonomy")
    everyone = named(page)
    page.open("explore", entity="tea")
    page.until(lambda: named(page) < everyone, "marked points have no second name")


def test_words_cover_rings_only_where_there_is_no_other_room(page):
    page.open("taxonomy")
    script = """const [avoided, done] = arguments;
        import(new URL("static/words.js", document.baseURI)).then(({ makeRoom }) => {
            const room = makeRoom(300, 200);
            for (const box of avoided) room.avoid(box);
            done([room.first([[100, 100, 140, 112], [40, 100, 80, 112]]), room.first([[100, 100, 140, 112]])]);
        });"""
    first, second = page.driver.execute_async_script(script, [[130, 95, 150, 115]])
    assert first == [40, 100, 80, 112]
    assert second == [100, 100, 140, 112]
