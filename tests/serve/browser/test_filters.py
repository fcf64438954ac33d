"""Colours and filters of the map, the lasso, and what is saved from the page."""

import csv
import io
import json
import urllib.request

import numpy as np
import pytest
from selenium.webdriver import ActionChains
from selenium.webdriver.support.ui import Select

from tests.serve.browser.test_map import Places, drawn, move_to


def count(page):
    return int(page.map_told().script("return document.getElementById('map').dataset.drawn"))


@pytest.fixture
def fields(words_url):
    """The map's numbers, by name."""
    with urllib.request.urlopen(f"{words_url}/api/v1/map/about", timeout=30) as answer:
        about = json.load(answer)
    with urllib.request.urlopen(f"{words_url}/api/v1/map", timeout=30) as answer:
        body, n = answer.read(), about["places"]
    made = {one["name"]: np.frombuffer(body, one["type"], n, 4 * n * at) for at, one in enumerate(about["fields"])}
    return about, made


def test_a_click_on_the_legend_shows_a_branch_alone(page, fields):
    about, points = fields
    page.open("taxonomy")
    page.one("#legend summary").click()
    page.one("#branch-2").click()
    assert count(page) == (points["branch"] == 2).sum()
    assert page.address["only"] == ["2"]
    assert page.script("return document.activeElement.id") == "branch-2"
    page.one("#branch-3").click()
    assert count(page) == np.isin(points["branch"], [2, 3]).sum()
    page.one("#unfiltered").click()
    assert count(page) == about["places"]
    assert "only" not in page.address


def slide(page, name, steps):
    script = """const [id, steps] = arguments; const input = document.getElementById(id);
        input.value = Number(input.value) + steps; input.dispatchEvent(new Event('input')); return input.value"""
    page.script(script, name, steps)


def test_frequency_and_uncertainty_are_filtered_by(page, fields):
    about, points = fields
    page.open("taxonomy")
    page.one("#legend summary").click()
    slide(page, "seen", 2)
    least = float(page.until(lambda: page.address.get("seen"), "the address has the filter")[0])
    assert least > 0
    assert count(page) == (points["count"] >= least).sum() < about["places"]
    slide(page, "sure", -6)
    most = float(page.until(lambda: page.address.get("sure"), "the address has both")[0])
    passing = (points["count"] >= least) & (points["std"] <= most)
    assert count(page) == pytest.approx(passing.sum(), abs=3)  # of which some lie on the bound
    page.open("taxonomy", seen=str(least), sure=str(most))
    assert count(page) == pytest.approx(passing.sum(), abs=3)


def test_colours_say_what_is_chosen(page):
    page.open("taxonomy")
    page.one("#legend summary").click()
    seen = set()
    texts = {
        "uncertainty": "uncertainty",
        "frequency": "how often seen",
        "prior": "share from parents",
        "branch": "branch",
    }
    for choice, text in texts.items():
        Select(page.one("#colour")).select_by_visible_text(text)
        page.map_told()
        picture = page.one("#map").screenshot_as_png
        assert drawn(page)[0] > 0.05
        seen.add(picture)
        if choice != "branch":
            assert "or less" in page.one("#legend-body").text or choice != "uncertainty"
            assert page.address["colour"] == [choice]
    assert len(seen) == 4
    page.open("taxonomy", colour="nonsense", only="x.y", seen="-4", sure="zero")
    assert Select(page.one("#legend").find_element("id", "colour")).first_selected_option.get_attribute("value") == (
        "branch"
    )


def test_a_lasso_lists_whom_it_holds(page, words_url):
    page.open("taxonomy")
    places = Places(page, words_url)
    page.one("#lasso").click()
    corners = [(250, 250), (420, 250), (420, 420), (250, 420)]
    mouse = move_to(page, corners[0])
    mouse.w3c_actions.pointer_action.pointer_down()
    for (x, y), (a, b) in zip([*corners[1:], corners[0]], corners, strict=True):
        mouse.w3c_actions.pointer_action.move_by(x - a, y - b)
    mouse.w3c_actions.pointer_action.pointer_up()
    mouse.perform()
    page.until(lambda: "lasso" in page.address, "the address has the lasso")
    page.settled()
    pixels = places.screen()
    inside = ((pixels > 250) & (pixels < 420)).all(axis=1).sum()
    told = int(page.texts("#panel h2")[0].split()[0].replace(",", ""))
    assert told == pytest.approx(inside, rel=0.05)
    assert page.one("#lasso").get_attribute("aria-pressed") == "false"
    shown, link = page.shown(), page.driver.current_url
    page.driver.get("about:blank")
    page.driver.get(link)
    assert page.settled().shown() == shown


def test_without_a_mouse_all_that_is_shown_is_listed(page):
    page.open("taxonomy")
    page.one("#list-shown").click()
    page.until(lambda: "lasso" in page.address, "the list is asked for")
    page.settled()
    places = int(page.one("#map").get_attribute("data-places"))
    assert int(page.texts("#panel h2")[0].split()[0].replace(",", "")) == pytest.approx(places, rel=0.02)
    page.open("list", lasso="nonsense")
    assert "Nothing inside" in page.shown()


KEEP = """window.kept = []; const made = URL.createObjectURL.bind(URL);
    URL.createObjectURL = (blob) => { window.kept.push(blob); return made(blob); };
    window.files = [];
    HTMLAnchorElement.prototype.click = function () { if (this.download) window.files.push(this.download); };"""


def test_a_list_and_a_picture_are_saved(page, words):
    page.open("explore", entity="gouda")
    page.script(KEEP)
    page.one("button[aria-label='Save as csv: Nearest to gouda']").click()
    text = page.script("return window.kept[0].text()")
    rows = list(csv.DictReader(io.StringIO(text.lstrip("\ufeff"))))
    assert [row["entity"] for row in rows] == words.similar("gouda", 10).entities
    assert float(rows[0]["cosine"]) == pytest.approx(words.similar("gouda", 1)[0].score)
    page.one("#picture").click()
    page.until(lambda: page.script("return window.kept.length") == 2, "the picture is made")
    assert page.script("return window.kept[1].type") == "image/png"
    assert page.script("return window.kept[1].size") > 20_000
    assert page.script("return window.files") == ["Nearest-to-gouda.csv", "gouda-vbn-explorer.png"]


def test_names_are_quoted_in_csv(page):
    page.open()
    script = """const done = arguments[0];
        import(new URL("static/saving.js", document.baseURI))
            .then(({ csv }) => done(csv(["a", "b"], [['x "y", z', 1], ["two\\nlines", null]])));"""
    made = page.driver.execute_async_script(script)
    assert list(csv.reader(io.StringIO(made))) == [["a", "b"], ['x "y", z', "1"], ["two\nlines", ""]]


def test_hovering_over_the_edge_keeps_the_tip_on_the_map(page, words_url):
    page.open("taxonomy")
    places = Places(page, words_url)
    rightmost = int(np.argmax(places.plane[:, 0]))
    ActionChains(page.driver)
    move_to(page, places.screen()[rightmost]).perform()
    page.one("#tip strong")
    right = page.script("return document.getElementById('tip').getBoundingClientRect().right")
    assert right <= page.script("return document.getElementById('map').getBoundingClientRect().right")
