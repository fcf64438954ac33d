"""The page as a notebook opens it: with a token behind the "#"."""

from tests.serve.running import until


def test_the_link_of_a_notebook_needs_no_question_for_the_token(goods, browser):
    explorer = goods.explore()
    try:
        browser.get(explorer.link)
        until(lambda: browser.execute_script("return sessionStorage.getItem('vbn-token')"), "the token is taken", 30)
        asking = (
            "fetch('/api/v1/similar?entity=tea', {headers: {Authorization: `Bearer ${sessionStorage['vbn-token']}`}})"
        )
        status = browser.execute_async_script(
            f"const done = arguments[0]; {asking}.then((answer) => done(answer.status))"
        )
        assert status == 200
        assert "token" not in browser.current_url
        assert browser.execute_script("return document.querySelector('dialog[aria-labelledby=token-title]')") is None
    finally:
        browser.get("about:blank")
        explorer.stop()
