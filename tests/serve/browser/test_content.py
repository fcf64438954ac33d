"""A text about something new: typed on the page, kept in the address, and part of the answer."""

import pytest

from tests.serve.running import running
from tests.serve.test_content import fitted
from vbn.serve import Settings, create_app


@pytest.fixture(scope="module")
def model():
    pytest.importorskip("wordllama")
    return fitted()


def test_a_text_moves_something_new(opened, model):
    with running(create_app(model, Settings(watch=0))) as url:
        page = opened(url).open("what-if", name="mate")
        page.field("A text about it").send_keys("a hot brew of leaves")
        page.until(lambda: "parents and the text" in page.shown(), "the text is part of what is known")
        page.settled()
        twin = model.with_trained(model.trained_, model.data_).add("mate", text="a hot brew of leaves")
        assert page.ranked(page.block("It would stand near")) == twin.similar("mate", 10).entities
        assert page.address["text"] == ["a hot brew of leaves"]
        page.open("what-if", name="gin", text="strong alcohol")
        twin.add("gin", text="strong alcohol")
        assert page.field("A text about it").get_attribute("value") == "strong alcohol"
        near = page.ranked(page.block("It would stand near"))
        assert set(near[:2]) == {"beer", "wine"}
        page.open("explore", entity="tea")
        assert "its content (features and text)" in page.shown() or "its content (text" in page.shown()


def test_a_model_without_texts_asks_for_none(opened, goods_url):
    page = opened(goods_url).open("what-if", name="mead", parent="drink")
    assert "A text about it" not in page.shown()
