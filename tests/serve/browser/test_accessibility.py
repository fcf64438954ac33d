"""axe-core finds nothing to complain about, in light and dark, wide and on a phone."""

import pytest
from axe_core_python.base import AXE_FILE_PATH

from tests.serve.browser.page import PHONE, WIDE

VIEWS = [
    {},
    {"view": "explore", "entity": "gouda", "relation": "antonym"},
    {"view": "compare", "entity": "gouda", "other": "beagle"},
    {"view": "what-if", "name": "kashkaval", "parent": ["cheese"], "context": ["salty"]},
    {"view": "recommend", "has": ["cheese", "wine"]},
    {"view": "taxonomy", "colour": "uncertainty", "only": "2"},
    {"view": "list", "lasso": "0_0~0.3_0~0.3_0.3"},
]
AXE = AXE_FILE_PATH.read_text(encoding="utf-8")


def complaints(page):
    # this axe-core takes what is folded away for shown; opened, it is looked at too
    page.script("for (const one of document.querySelectorAll('details')) one.open = true")
    page.script(AXE)
    found = page.driver.execute_async_script(
        "const done = arguments[0]; axe.run(document).then(done, (e) => done(String(e)))"
    )
    assert isinstance(found, dict), found
    assert len(found["passes"]) > 10
    return [
        f"{one['id']}: {node['html']}: {node['failureSummary']}" for one in found["violations"] for node in one["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("state", VIEWS, ids=lambda state: state.get("view", "start"))
def test_views(page, state, scheme):
    page.media(scheme)
    page.open(**state)
    if not state:
        page.one("#search").send_keys("che")
        page.option("cheese")
    assert complaints(page) == []
    page.resize(*PHONE, phone=True)
    page.settled()
    assert complaints(page) == []
    page.resize(*WIDE)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_refusals_and_the_description(page, scheme):
    page.forgiven.append("404")
    page.media(scheme)
    page.open("explore", entity="goudaa")
    page.one("[role=alert]")
    assert complaints(page) == []
    page.driver.get(f"{page.base}/docs")
    page.until(lambda: page.all("#operations article"), "the service is described")
    assert complaints(page) == []
