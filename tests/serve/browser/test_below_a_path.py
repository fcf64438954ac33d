"""The page behind a proxy that serves it below a path of its own, as JupyterHub does, and strips the path."""

from tests.serve.running import running, until
from vbn.serve import Settings, create_app

PATH = "/hub/user/ann/proxy"


def below(app):
    async def proxy(scope, receive, send):
        if scope["type"] == "http":
            if not scope["path"].startswith(f"{PATH}/"):
                await send({"type": "http.response.start", "status": 418, "headers": []})
                await send({"type": "http.response.body", "body": b"not below the path"})
                return
            path = scope["path"].removeprefix(PATH)
            scope = {**scope, "path": path, "raw_path": path.encode()}
        await app(scope, receive, send)

    return proxy


def test_the_page_and_its_description_work_below_a_path(goods, browser):
    with running(below(create_app(goods, Settings(watch=0)))) as url:
        browser.get(f"{url}{PATH}/#entity=tea")
        until(lambda: "honey" in browser.find_element("id", "panel").text, "the card is shown", 60)
        browser.get(f"{url}{PATH}/docs")
        until(lambda: "/api/v1/similar" in browser.find_element("id", "operations").text, "it is described", 60)
        asked = "const done = arguments[0]; fetch('api/health').then((answer) => done(answer.url))"
        assert browser.execute_async_script(asked) == f"{url}{PATH}/api/v1/health"
        browser.get("about:blank")
