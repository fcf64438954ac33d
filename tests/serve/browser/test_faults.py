"""What once went wrong: late answers, the token dialog, the dial's history, names of other scripts, titles."""

import time

import pytest

import vbn
from tests.inference.test_auditing import simulated
from tests.serve.browser.test_map import marked
from tests.serve.running import running
from vbn.serve import Settings, create_app

SLOW = """const real = window.fetch; window.held = [];
    window.fetch = (address, ...rest) => String(address).includes("explain?entity=gouda")
        ? new Promise((done) => window.held.push(() => done(real(address, ...rest)))) : real(address, ...rest);"""


def test_an_answer_that_comes_late_is_not_shown_under_another_address(page):
    page.open("taxonomy")
    page.script(SLOW)
    page.script("location.hash = '#view=explore&entity=gouda'")
    page.until(lambda: page.script("return window.held.length"), "gouda was asked for")
    page.script("location.hash = '#view=explore&entity=beagle'")
    page.one("#panel h2", "beagle")
    page.script("window.held.forEach((go) => go())")
    time.sleep(1.0)  # the late answer comes, and its neighbours after it
    assert page.texts("#panel h2") == ["beagle"]
    assert page.driver.title.startswith("beagle")
    page.settled()


def test_an_answer_for_a_name_that_was_deleted_is_not_shown(page):
    page.open("what-if")
    page.script(SLOW.replace("explain?entity=gouda", "what-if"))
    page.one("#new-name").send_keys("ß")
    page.until(lambda: page.script("return window.held.length"), "ß was asked for")
    page.one("#new-name").send_keys("\ue003")  # backspace
    page.until(lambda: "Give it a name to begin" in page.shown(), "the name is gone")
    page.script("window.held.forEach((go) => go())")
    time.sleep(1.0)  # the late answer comes
    assert "It would stand near" not in page.shown()
    assert marked(page.map_told()) == 0


def test_a_token_dialog_that_was_closed_is_opened_again(opened, goods):
    with running(create_app(goods, Settings(token="a long secret", watch=0))) as url:
        page = opened(url)
        page.forgiven.append("401")
        page.driver.get(f"{url}/#view=explore&entity=tea")
        page.one("#token")
        page.press("\ue00c")  # escape
        page.until(lambda: "This server needs a token." in page.shown(), "it is said what is missing")
        page.one("[role=alert] button", "Enter the token").click()
        page.one("#token").send_keys("a long secret")
        page.one("dialog button").click()
        page.one("#panel h2", "tea")
        page.settled()


def test_turns_of_the_dial_do_not_fill_the_history(page):
    page.open("recommend", has=["cheese"])
    steps = page.script("return history.length")
    for value in ("0.25", "0.5", "-0.5"):
        page.script(
            "const dial = document.getElementById('dial'); dial.value = arguments[0];"
            "dial.dispatchEvent(new Event('input'))",
            value,
        )
        page.until(lambda value=value: page.address.get("popularity") == [value], "the address has the dial")
    page.settled()
    assert page.script("return history.length") == steps
    page.one("button", "automatic").click()
    page.until(lambda: "popularity" not in page.address, "the dial is automatic again")
    page.settled()


@pytest.fixture(scope="module")
def titled():
    titles = {"item": ["m1", "m2", "m3"], "title": ["Heat", "שלום (1999)", "Ronin"], "kind": ["crime"] * 3}
    data = vbn.Dataset.from_baskets([["m1", "m2"], ["m2", "m3"], ["m1", "m3"], ["m9"]] * 5)
    model = vbn.VBN(dim=2, epochs=3, verbose=False).fit(data.with_catalogue(titles, id="item"))
    with running(create_app(model, Settings(watch=0))) as url:
        yield url


def test_names_stand_alone_whichever_way_they_are_written(opened, titled):
    page = opened(titled).open("explore", entity="m2")
    assert page.texts("#panel h2 bdi") == ["שלום (1999)", "m2"]
    assert "שלום (1999)" not in page.ranked(page.block("Nearest"))
    page.open("explore", entity="m1")
    assert "שלום (1999)" in page.texts("ol.ranked li > a > bdi")
    assert page.driver.title.startswith("Heat")


def test_titles_stand_on_chips_and_in_tips(opened, titled):
    page = opened(titled).open("recommend", has=["m1"])
    page.until(lambda: page.texts(".chips li > span") == ["Heat"], "the chip has the title")
    page.settled()
    script = """const done = arguments[0];
        import(new URL("static/known.js", document.baseURI))
            .then(({ wordsOf }) => wordsOf([0])).then(([word]) => done(word.label));"""
    assert page.driver.execute_async_script(script) in ("Heat", "שלום (1999)", "Ronin")


def test_without_parents_nothing_is_said_of_what_parents_say(opened, titled):
    page = opened(titled).open("explore", entity="m9")
    told = page.texts(page.block("Why it is where it is"))[0]
    assert "its parents" not in told
    assert "the prior alone, as it has no parents" in told


def test_a_user_is_compared_with_an_item(opened, shop_url, shop):
    page = opened(shop_url).open("compare")
    page.choose("First entity", "ann", "ann")
    page.choose("Second entity", "beer", "beer")
    assert page.address["side"] == ["row"]
    assert "otherside" not in page.address
    p = shop.predict_proba([("ann", "beer")])[0]
    page.until(lambda: page.texts(".figure dd strong") == [f"{p:.2f}"], "both are compared")
    page.settled()
    assert page.texts("#panel .card h2") == ["ann", "beer"]
    assert "Likely for ann and near beer: " in page.shown()


def test_titles_stand_where_two_are_compared(opened, titled):
    page = opened(titled).open("compare", entity="m1", other="m3")
    placeholders = "return [...document.querySelectorAll('#panel input')].map((one) => one.placeholder)"
    assert page.script(placeholders) == ["Heat, or another", "Ronin, or another"]
    assert page.driver.title.startswith("Heat and Ronin")


def test_the_taxonomy_is_opened_from_its_roots(opened, goods_url):
    page = opened(goods_url).open("taxonomy")
    assert page.texts(".tree a") == ["goods"]
    page.one("button[aria-label='Show what is below goods']").click()
    page.settled()
    assert page.texts(".tree .tree a") == ["drink", "snack", "honey"]
    page.one("button[aria-label='Show what is below drink']").click()
    page.settled()
    page.one(".tree a", "cider").click()
    assert page.one("#panel h2", "cider")
    page.settled()


def test_roots_that_are_not_listed_are_counted_and_lead_nowhere(page, words):
    page.open("taxonomy")
    rest = len(words.trained_.column_taxonomy.roots) - 200
    assert f"{rest} more are not listed; the search box finds them." in page.texts("#panel .note")
    assert "#view=explore" not in page.script("return [...document.querySelectorAll('#panel a')].map((a) => a.hash)")


def test_findings_of_the_audit_are_listed(opened, goods_url, goods):
    page = opened(goods_url).open("taxonomy", finding="all")
    found = goods.audit("column")
    told = page.texts(page.block("What the data says against it"))[0]
    assert f"{found.n_edges} edges" in told
    assert len(page.all(".findings li")) == min(len(found), 25 * 5)


@pytest.fixture(scope="module")
def doubtful():
    """Titled items of nine kinds, two of them below the wrong kind."""
    data = simulated(wrong={"k0-0": "kind 1", "k3-2": "kind 4"})
    names = [name for name in data.columns.names if name.startswith("k") and "-" in name]
    titles = {"item": names, "title": [f"Title of {name}" for name in names]}
    model = vbn.VBN(dim=10, verbose=False).fit(data.with_catalogue(titles, id="item", levels=[]))
    with running(create_app(model, Settings(watch=0))) as url:
        yield url


def test_findings_of_the_audit_have_titles_and_say_how_many_they_are(opened, doubtful):
    page = opened(doubtful).open("taxonomy", finding="all")
    links = page.texts(".findings li > a")
    assert "Title of k0-0" in links
    assert "k0-0" not in links
    assert page.texts("#panel summary")[0] == "Parents that the data contradicts (2)"
