"""Links show to others what one sees."""

import pytest

LINKS = [
    {"view": "explore", "entity": "gouda", "relation": "part-of"},
    {"view": "compare", "entity": "gouda", "other": "beagle"},
    {"view": "what-if", "name": "kashkaval", "parent": ["cheese"], "context": ["salty", "milk"]},
    {"view": "recommend", "has": ["cheese", "wine"], "popularity": "0.25"},
]


@pytest.mark.parametrize("state", LINKS, ids=lambda state: state["view"])
def test_a_link_reproduces_the_view(page, state):
    page.open(**state)
    address, shown = page.address, page.shown()
    link = page.driver.current_url
    page.driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": page.base, "storageTypes": "all"})
    page.driver.get("about:blank")
    page.driver.get(link)
    page.settled()
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
