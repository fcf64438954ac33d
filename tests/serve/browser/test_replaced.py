"""A page that is open while the server loads another model."""

import vbn
from tests.serve.running import running, until
from vbn.serve import Settings, create_app


def test_a_page_says_that_its_model_was_replaced(goods, tmp_path, opened):
    folder = goods.save(tmp_path / "m")
    app = create_app(folder, Settings(watch=0.05))
    with running(app) as url:
        page = opened(url).open()
        larger = vbn.load(folder).add("mead", ["drink"])
        larger.save(folder)
        until(lambda: app.state.vbn.holder.current.root == 2, "the new model is served")
        page.script("dispatchEvent(new Event('focus'))")
        page.one("footer .newer button", "Show it").click()
        page.until(lambda: not page.all("footer .newer") and page.all("footer a"), "the page is loaded again")
        size = len(larger.trained_.columns) - int(larger.trained_.profile.categories("column").sum())
        assert page.settled().texts("footer")[0].startswith(f"{size} entities")
