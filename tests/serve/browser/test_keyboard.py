"""Everything without a mouse."""

import time

from selenium.webdriver import Keys


def called(name):
    return lambda element: element.text == name or element.get_attribute("aria-label") == name


def labelled(page, label):
    """Whether a box with this label has the focus."""
    script = "return arguments[0].labels?.[0]?.textContent === arguments[1]"
    return lambda element: page.script(script, element, label)


def test_search_card_and_neighbour(page):
    page.open()
    page.press("/")
    assert page.script("return document.activeElement.id") == "search"
    page.press("goud")
    page.option("gouda")
    page.press(Keys.ARROW_DOWN, Keys.ENTER)
    page.one("#panel h2", "gouda")
    page.settled()
    neighbour = page.ranked(page.block("Nearest"))[0]
    page.tab_to(called(neighbour), "a neighbour")
    page.press(Keys.ENTER)
    page.one("#panel h2", neighbour)
    page.settled()
    page.press(Keys.TAB)  # goes on in the new card, not at the top of the page
    assert page.script("return document.getElementById('panel').contains(document.activeElement)")


def test_a_list_does_not_open_after_the_focus_has_left(page):
    page.open()
    page.script("const box = document.getElementById('search'); box.focus(); box.blur()")
    time.sleep(1.0)  # the names are asked for a moment after the focus came
    assert not page.all("[role=listbox]:not([hidden])")


def test_what_if_from_the_menu_to_the_answer(page):
    page.open()
    page.tab_to(called("What if"), "the menu")
    page.press(Keys.ENTER)
    page.one("#panel h2", "What if there were…")
    page.tab_to(labelled(page, "Its name"), "the name")
    page.press("kashkaval")
    page.tab_to(labelled(page, "A parent"), "the parents")
    page.press("chees")
    page.option("cheese")
    page.press(Keys.ENTER)
    page.until(lambda: page.address.get("parent") == ["cheese"], "the parent is chosen")
    page.settled()
    assert labelled(page, "A parent")(page.driver.switch_to.active_element)  # for the next one
    assert not page.all("[role=listbox]:not([hidden])")
    page.one("ol.ranked li")
    page.tab_to(called("Remove cheese"), "the button that removes it")
    page.press(Keys.ENTER)
    page.until(lambda: "parent" not in page.address, "the parent is removed")


def test_the_dial_keeps_the_focus(page):
    page.open("recommend", has=["cheese"])
    page.tab_to(labelled(page, "Popularity dial: automatic (left: rare things first; right: popular ones)"), "the dial")
    page.press(Keys.ARROW_RIGHT)
    page.until(lambda: page.address.get("popularity") == ["0.125"], "the dial was moved")
    page.settled()
    page.press(Keys.ARROW_RIGHT)
    page.until(lambda: page.address.get("popularity") == ["0.25"], "the dial was moved again")
    page.settled()


def test_skipping_to_the_answers_keeps_the_view(page):
    page.open("explore", entity="gouda")
    page.press(Keys.TAB)
    assert page.driver.switch_to.active_element.text == "Skip to the answers"
    page.press(Keys.ENTER)
    assert page.script("return document.activeElement.id") == "panel"
    assert page.address["entity"] == ["gouda"]
    assert page.texts("#panel h2") == ["gouda"]


def test_what_has_the_focus_can_be_seen(page):
    page.open("explore", entity="gouda")
    seen = set()
    for _ in range(14):
        page.press(Keys.TAB)
        focus = page.driver.switch_to.active_element
        assert focus.is_displayed()
        assert focus.value_of_css_property("outline-style") == "solid", focus.get_attribute("outerHTML")
        seen.add(focus.id)
    assert len(seen) == 14
