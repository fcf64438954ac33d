"""What if, and recommend."""

import json
import time
import urllib.error
import urllib.request

import pytest

import vbn
from tests.serve.running import running
from vbn.serve import Settings, create_app


def entities_of(url):
    with urllib.request.urlopen(f"{url}/api/v1/health", timeout=30) as answer:
        return json.load(answer)["entities"]


def grown(words, name, parents, contexts):
    """The same by the library, in a model of its own."""
    twin = words.with_trained(words.trained_, words.data_)
    return twin.add(name, parents, contexts)


def test_a_new_entity_is_imagined_step_by_step(page, words, words_url):
    before = entities_of(words_url)
    page.open("what-if")
    assert "Give it a name" in page.shown()
    page.field("Its name").send_keys("kashkaval")
    page.choose("A parent", "chees", "cheese")
    page.settled()
    assert page.texts(".chips[aria-label='Parents'] li > span") == ["cheese"]
    expected = grown(words, "kashkaval", ["cheese"], None)
    near = page.block("It would stand near")
    assert page.ranked(near) == expected.similar("kashkaval", 10).entities
    assert "100\N{NO-BREAK SPACE}% of what is known comes from its parents" in page.shown()
    alone = uncertainty(page)
    page.choose("Seen with", "salt", "salty")
    page.choose("Seen with", "mil", "milk")
    expected = grown(words, "kashkaval", ["cheese"], ["salty", "milk"])
    assert page.ranked(page.block("It would stand near")) == expected.similar("kashkaval", 10).entities
    assert uncertainty(page) < alone
    page.one("button[aria-label='Remove salty']").click()
    page.settled()
    expected = grown(words, "kashkaval", ["cheese"], ["milk"])
    assert page.ranked(page.block("It would stand near")) == expected.similar("kashkaval", 10).entities
    assert page.address["context"] == ["milk"]

    assert not [e for e in page.all("#panel button") if "model" in e.text]  # this server is read-only
    assert entities_of(words_url) == before
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{words_url}/api/v1/similar?entity=kashkaval", timeout=30)


def test_a_name_typed_just_before_a_parent_is_chosen_does_not_take_it_away(page):
    page.open("what-if")
    page.script(
        "const name = document.getElementById('new-name'); name.value = 'kashkaval';"
        "name.dispatchEvent(new Event('input')); location.hash += '&name=kashkaval&parent=cheese'"
    )
    time.sleep(0.6)  # longer than the page waits after a letter
    page.settled()
    assert page.address["parent"] == ["cheese"]
    assert page.address["name"] == ["kashkaval"]
    assert page.ranked(page.block("It would stand near"))


def uncertainty(page):
    return float(page.shown().split("Uncertainty ")[1].split(";")[0])


def test_a_new_entity_has_its_place_on_the_map(page):
    page.open("what-if", name="kashkaval", parent="cheese")
    pixels = """const c = document.querySelector('canvas.over');
        return c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some((v) => v)"""
    page.until(lambda: page.script(pixels), "the new entity is marked on the map")
    page.one("nav a", "Taxonomy").click()
    page.until(lambda: not page.script(pixels), "the mark is gone with it")
    page.settled()


def test_names_that_exist_are_no_new_entities(page):
    page.forgiven.append("409")
    page.open("what-if", name="cheese")
    assert "already" in page.one("[role=alert]").text


def test_a_writable_server_saves_it(opened, goods, tmp_path):
    folder = goods.save(tmp_path / "model")
    with running(create_app(folder, Settings(writable=True, watch=0))) as url:
        page = opened(url).open("what-if", name="mead", parent="drink")
        page.one("button", "Add it to the model").click()
        assert page.one("#panel h2", "mead")
        page.settled()
    assert "mead" in vbn.load(folder).trained_.columns


def lists(page):
    """Ranked names by the title of the list."""
    return {title: page.texts(f"ol.ranked[aria-label='{title}'] li > a") for title in ("Folded in", "Averaged")}


def test_recommendations_folded_in_and_averaged(page, words):
    page.open("recommend")
    page.choose("Somebody has", "chees", "cheese")
    page.choose("Somebody has", "wine", "wine")
    has = ["cheese", "wine"]
    assert page.address["has"] == has
    assert lists(page) == {
        "Folded in": words.recommend(has, 12, query="fold_in").entities,
        "Averaged": words.recommend(has, 12, query="average").entities,
    }
    values = page.texts("ol.ranked[aria-label='Folded in'] .value")
    assert values == [f"{row.score:.2f} ± {row.std:.2f}" for row in words.recommend(has, 12, query="fold_in")]
    page.one("button[aria-label='Remove wine']").click()
    page.settled()
    assert lists(page)["Folded in"] == words.recommend(["cheese"], 12, query="fold_in").entities


def test_the_dial_asks_for_rarer_ones(page, words):
    page.open("recommend", has=["cheese"])
    page.script(
        "const dial = document.getElementById('dial'); dial.value = '-0.5'; dial.dispatchEvent(new Event('input'))"
    )
    page.until(lambda: page.address.get("popularity") == ["-0.5"], "the address has the dial")
    page.settled()
    assert lists(page)["Folded in"] == words.recommend(["cheese"], 12, query="fold_in", popularity=-0.5).entities


def test_a_row_of_training_is_recommended_to(opened, shop_url, shop):
    page = opened(shop_url).open("recommend")
    page.choose("Or a row of the data, such as a user", "an", "ann")
    title = "By its own density"
    expected = shop.recommend(user="ann", k=12).entities
    assert page.texts(f"ol.ranked[aria-label='{title}'] li > a") == expected
