"""Finding an entity, and its card."""

import re

import pytest
from selenium.webdriver import Keys

from tests.serve.running import running
from vbn.serve import Settings, create_app

CHEESE = "gouda"


def test_a_newcomer_is_told_what_there_is_and_can_begin(page, words):
    page.open()
    categories = int(words.trained_.profile.categories("column").sum())
    size = f"{len(words.trained_.columns) - categories:,} entities and {categories:,} categories"
    assert size in page.shown()
    assert size in page.texts("#footer")[0]
    titles = page.texts(".example h3")
    assert [title.split(":")[0] for title in titles] == ["Well known", "Seen once", "Never seen"]
    assert "Two scores that differ by less" in page.shown()
    first = page.texts(".example h3 > a")[0]
    assert words.trained_.columns.counts[words.trained_.columns.id(first)] > 20
    page.one(".example h3 > a").click()
    assert page.one("#panel h2", first)
    page.settled()


def test_names_are_offered_while_one_types(page):
    page.open()
    page.one("#search").send_keys("goud")
    assert page.option(CHEESE).text.split("\n")[0] == CHEESE
    page.one("#search").send_keys(Keys.BACKSPACE * 4, "zzzqqq")
    page.until(lambda: page.texts("#found [role=option]") == ["Nothing found"], "nothing is found")
    page.one("#search").send_keys(Keys.BACKSPACE * 6, "guoda")
    page.option(CHEESE)
    assert page.texts("#found [role=option]")[0] == "Nothing has this name. Did you mean:"
    page.one("#search").send_keys(Keys.ESCAPE)
    assert not page.one("body").find_element("id", "found").is_displayed()


def test_the_list_follows_the_keys(page):
    page.open()
    box = page.one("#search")
    box.send_keys("che")
    page.until(lambda: len(page.texts("#found [role=option]")) > 3, "names are offered")
    names = page.texts("#found [role=option] > span")
    box.send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    marked = page.one("#found [aria-selected=true]")
    assert page.texts("#found [aria-selected=true] > span") == [names[1]]
    assert box.get_attribute("aria-activedescendant") == marked.get_attribute("id")
    assert box.get_attribute("aria-expanded") == "true"
    box.send_keys(Keys.ENTER)
    assert page.one("#panel h2", names[1])
    assert page.address["entity"] == [names[1]]


def test_enter_takes_what_was_typed_and_not_what_is_still_listed(page):
    page.open()
    page.one("#search").send_keys("go")
    page.until(lambda: len(page.texts("#found [role=option]")) > 3, "names are offered")
    page.one("#search").send_keys("uda", Keys.ENTER)
    assert page.one("#panel h2", CHEESE)


def test_neighbours_have_score_uncertainty_and_count(page, words):
    page.open("explore", entity=CHEESE)
    near = page.block("Nearest")
    expected = words.similar(CHEESE, 10)
    assert page.ranked(near) == expected.entities
    values = page.texts(f"{near} .value")
    assert values == [f"{row.score:.2f} ± {row.std:.2f}" for row in expected]
    counts = words.trained_.columns
    seen = [counts.counts[counts.id(row.entity)] for row in expected]
    shown = page.texts(f"{near} li > small")
    assert [0 if s == "never seen" else 1 if s == "seen once" else int(re.sub(r"\D", "", s)) for s in shown] == seen


def test_bars_show_score_and_spread_to_scale(page, words):
    page.open("explore", entity=CHEESE)
    near = page.block("Nearest")
    script = """return [...document.querySelectorAll(arguments[0] + ' .bar')].map((bar) => {
        const whole = bar.getBoundingClientRect();
        const [value, spread] = [...bar.children].map((part) => part.getBoundingClientRect());
        return [value.right, spread.left, spread.right].map((x) => (x - whole.left) / whole.width);
    })"""
    widths = page.script(
        "return [...document.querySelectorAll(arguments[0])].map((e) => e.clientWidth)", f"{near} .bar"
    )
    assert len(set(widths)) == 1
    rows = words.similar(CHEESE, 10)
    whole = 1.0  # one scale for all lists
    for row, (end, low, high) in zip(rows, page.script(script, near), strict=True):
        assert end == pytest.approx(row.score / whole, abs=0.02)
        assert low == pytest.approx(max((row.score - row.std) / whole, 0.0), abs=0.02)
        assert high == pytest.approx((row.score + row.std) / whole, abs=0.02)


def test_what_stands_beside_an_entity_is_ranked_by_probability(page, words):
    page.open("explore", entity=CHEESE)
    probable(page, "Likely beside it", words.similar(CHEESE, 10, by="context"))
    assert "the expected cosine" in page.texts(page.block("Nearest"))[0]


def test_shares_of_prior_and_data_are_told(page, words):
    page.open("explore", entity=CHEESE)
    part = words.explain(CHEESE).to_dict()["parts"][0]
    told = page.texts(page.block("Why it is where it is"))[0]
    assert f"{100 * part['prior_share']:.0f}\N{NO-BREAK SPACE}% of what is known comes from its parents" in told
    assert f"Uncertainty {part['std']:.2f}" in told
    assert f"by the prior alone it would be {part['prior_std']:.2f}" in told
    page.until(lambda: "Its place is surer than that of" in page.shown(), "the uncertainty is compared with others")


def test_what_was_never_seen_is_not_compared_with_its_prior(opened, goods_url):
    page = opened(goods_url).open("explore", entity="cider")
    told = page.texts(page.block("Why it is where it is"))[0]
    assert "100\N{NO-BREAK SPACE}% of what is known comes from its parents" in told
    assert "It was never seen." in told
    assert "by the prior alone" not in told


def test_a_category_has_neighbours_and_children_and_nothing_beside_it(opened, goods_url, goods, shop_url, shop):
    page = opened(goods_url).open("explore", entity="drink")
    assert "a category with 4 children" in page.texts("#panel .note")
    assert page.ranked(page.block("Nearest")) == goods.similar("drink", 10).entities
    kindred = page.block("Nearest categories")
    assert page.ranked(kindred) == goods.similar("drink", 10, candidates="categories").entities
    assert page.texts(f"{kindred} li > small") == ["category"] * 2
    told = page.texts(page.block("Why it is where it is"))[0]
    assert "from its children" in told
    assert f"Held most by {goods.explain('drink').children[0].entity}" in told
    assert "Likely" not in page.shown()
    page.one(f"{kindred} a", "snack").click()
    assert page.one("#panel h2", "snack")
    page = opened(shop_url).open("explore", entity="drink")
    assert page.ranked(page.block("Nearest")) == shop.similar("drink", 10).entities
    assert "There is no other category." in page.shown()


def test_the_tree_is_clicked_up_and_down(page, words):
    page.open("explore", entity=CHEESE)
    tree = page.block("In the taxonomy")
    assert page.texts(f"{tree} .self") == [CHEESE]
    parent = words.trained_.column_taxonomy.parents(CHEESE)[0][0]
    page.one(f"{tree} a", parent).click()
    page.one("#panel h2", parent)
    page.settled()
    tree = page.block("In the taxonomy")
    for summary in page.all(f"{tree} details:not([open]) summary"):
        summary.click()
    page.one(f"{tree} a", CHEESE).click()
    assert page.one("#panel h2", CHEESE)


def test_relations_are_asked(page, words):
    page.open("explore", entity="left")
    page.one("button", "antonym").click()
    page.until(lambda: page.ranked(page.block("Relations")), "the relation is answered")
    page.settled()
    assert page.ranked(page.block("Relations")) == words.related("antonym", "left", 10).entities
    assert page.texts(f"{page.block('Relations')} li small")[0].startswith("known; seen ")
    assert page.one("button[aria-pressed=true]", "antonym")
    assert page.address["relation"] == ["antonym"]


def test_a_name_that_nobody_knows_leads_to_the_closest(page):
    page.forgiven.append("404")
    page.open("explore", entity="goudaa")
    told = page.one("[role=alert]").text
    assert told.startswith("Unknown entity 'goudaa'.\n")
    assert told.count("Did you mean") == 1
    page.one("[role=alert] a", CHEESE).click()
    assert page.one("#panel h2", CHEESE)


def probable(page, title, expected):
    """A part of a card has probabilities with their deviations, and says so."""
    part = page.block(title)
    assert page.ranked(part) == expected.entities
    assert page.texts(f"{part} .value") == [f"{row.score:.2f} ± {row.std:.2f}" for row in expected]
    told = {"p": "Bar: how likely: the probability", "score": "Bar: how well it fits: a score"}
    assert told[expected.measure] in page.texts(part)[0]


def test_without_counts_a_row_may_be_recommended_what_it_has(opened, shop, tmp_path):
    folder = shop.save(tmp_path / "m", counts=False)
    with running(create_app(folder, Settings(watch=0))) as url:
        page = opened(url).open("explore", entity="ann", side="row")
        expected = shop.recommend(
            user="ann", exclude_seen=False, affinity=False
        )  # what goes with what she has is not known
        probable(page, "Recommended to it, perhaps some that it has already", expected)


def test_rows_and_columns_that_differ_have_cards_each(opened, shop_url, shop):
    page = opened(shop_url).open("explore", entity="ann", side="row")
    assert page.ranked(page.block("Nearest")) == shop.similar("ann", 10, side="row").entities
    assert page.texts("#panel .note")[0].startswith("a row of the data, such as a user; seen ")
    probable(page, "Recommended to it", shop.recommend(user="ann"))
    assert "of occurring with ann" in page.shown()
    page.open("explore", entity="tea")
    assert page.ranked(page.block("Nearest")) == shop.similar("tea", 10).entities
    probable(page, "Likely for somebody who has it", shop.recommend(["tea"]))
    assert page.open("explore", entity="new").ranked(page.block("Likely for somebody who has it"))  # never seen
    page.one("#search").send_keys("tea")
    page.until(lambda: len(page.texts("#found [role=option]")) == 2, "the user and the product are offered")
    assert sum("row" in text for text in page.texts("#found [role=option] small")) == 1
