"""Names are text, whatever they hold; and a server with a token asks for it."""

import pytest

import vbn
from tests.serve.conftest import ODD
from tests.serve.running import running
from vbn.serve import Settings, create_app

MARKUP = "#panel b, #panel img, #found b, #found img, #tip b, #tip img"


@pytest.fixture
def odd(opened, goods_url):
    return opened(goods_url)


@pytest.mark.parametrize("name", ODD)
def test_a_card_shows_any_name_as_text(odd, name):
    odd.open("explore", entity=name)
    assert odd.texts("#panel h2") == [name]
    neighbours = odd.ranked(odd.block("Nearest"))
    assert set(neighbours) & set(ODD)
    assert odd.driver.title == f"{' '.join(name.split())} \N{EN DASH} vbn explorer"
    assert not odd.all(MARKUP)
    other = next(one for one in neighbours if one in ODD)
    link = odd.all("#panel ol.ranked li > a")[neighbours.index(other)]
    odd.script("arguments[0].click()", link)
    odd.until(lambda: odd.texts("#panel h2") == [other], "the link leads to the odd name")
    odd.settled()


def test_the_search_box_offers_any_name_as_text(odd):
    odd.open()
    for name in ODD:
        odd.one("#search").clear()
        odd.one("#search").send_keys(name.split()[0][:4].replace("🎉", ""))
        odd.option(name)
        assert not odd.all(MARKUP)


def test_what_is_typed_and_what_is_wrong_is_shown_as_text(odd):
    wicked = "<img src=x onerror=document.title=1>"
    odd.open("what-if", name=wicked, parent="drink", context=["<b>bold</b>"])
    assert odd.ranked(odd.block("It would stand near"))
    odd.open("recommend", has=["<b>bold</b>", "two\nlines"])
    assert odd.texts(".chips li > span") == ["<b>bold</b>", "two\nlines"]
    odd.open("compare", entity="<b>bold</b>", other='say "hi"')
    assert odd.texts("#panel .card h2") == ["<b>bold</b>", 'say "hi"']
    odd.forgiven.append("404")
    odd.open("explore", entity=wicked)
    assert wicked in odd.one("[role=alert]").text
    assert not odd.all(MARKUP)
    assert odd.driver.title == f"{wicked} \N{EN DASH} vbn explorer"


def test_the_page_asks_for_the_token_until_it_is_right(opened, goods):
    with running(create_app(goods, Settings(token="a long secret", watch=0))) as url:
        page = opened(url)
        page.forgiven.append("401")
        page.driver.get(f"{url}/#view=explore&entity=tea")
        page.one("#token").send_keys("wrong")
        page.one("dialog button").click()
        page.until(lambda: page.all("#token") and not page.all("#token")[0].get_attribute("value"), "it asks again")
        assert page.one("dialog h2").text == "The token was refused"
        page.one("#token").send_keys("a long secret")
        page.one("dialog button").click()
        page.one("#panel h2", "tea")
        page.settled()
        assert not page.all("dialog")
        page.driver.get(f"{url}/docs")
        page.until(lambda: page.all("#operations article"), "the service is described")


def test_titles_are_searched_and_shown_before_ids(opened):
    titles = {"item": ["m1", "m2", "m3"], "title": ["Heat", "<b>Casino</b>", "Ronin"], "kind": ["crime"] * 3}
    data = vbn.Dataset.from_baskets([["m1", "m2"], ["m2", "m3"], ["m1", "m3"]] * 5)
    model = vbn.VBN(dim=2, epochs=3, verbose=False).fit(data.with_catalogue(titles, id="item"))
    with running(create_app(model, Settings(watch=0))) as url:
        page = opened(url)
        page.open("explore", entity="m1")
        assert page.texts("#panel h2") == ["Heat m1"]
        assert {"<b>Casino</b>", "Ronin"} <= set(page.ranked(page.block("Nearest")))
        assert not page.all(MARKUP)
        page.one("#search").send_keys("roni")
        page.option("Ronin").click()
        page.until(lambda: page.texts("#panel h2") == ["Ronin m3"], "the title leads to its card")
        page.settled()
