"""The page behind a proxy that serves it below a prefix, as JupyterHub does."""

from tests.serve.running import running
from vbn.serve import Settings, create_app

PREFIX = "/user/ann/proxy/8000"


def test_the_page_works_below_a_prefix(opened, goods):
    app = create_app(goods, Settings(watch=0))

    async def proxied(scope, receive, send):
        """Pass on what is below the prefix, without it, and refuse the rest."""
        if scope["type"] == "http":
            assert scope["path"].startswith(PREFIX), f"{scope['path']} is not below the prefix"
            path = scope["path"].removeprefix(PREFIX) or "/"
            scope = {**scope, "path": path, "raw_path": path.encode()}
        await app(scope, receive, send)

    with running(proxied) as url:
        page = opened(f"{url}{PREFIX}")
        page.open("explore", entity="tea")
        assert page.ranked(page.block("Nearest")) == goods.similar("tea", 10).entities
        page.open("recommend", has=["tea"])
        page.driver.get(f"{url}{PREFIX}/docs")
        page.until(lambda: page.all("#operations article"), "the service is described")
