"""`vbn serve`: a model as a page to explore and as a service to call."""

from __future__ import annotations

from typing import Annotated

import typer

from vbn.cli._app import verb
from vbn.cli._options import Model


@verb(
    "vbn serve my-model",
    "vbn serve my-model --port 8080 --open",
    "VBN_TOKEN=... vbn serve my-model --host 0.0.0.0",
)
def serve(
    model: Model,
    host: Annotated[str, typer.Option(help="Address to listen on; any but this machine's own needs a token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8000,
    token: Annotated[
        str | None, typer.Option(envvar="VBN_TOKEN", help="What callers must send as 'Authorization: Bearer TOKEN'.")
    ] = None,
    writable: Annotated[bool, typer.Option("--writable", help="Let callers add entities to the model.")] = False,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(help="Let pages of another origin ask, such as https://shop.example; may be repeated."),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            help="Answer browsers that come by this name of the machine too, without a token; may be repeated."
        ),
    ] = None,
    watch: Annotated[
        float, typer.Option(min=0, help="Look every so many seconds whether the model on disk was replaced; 0: never.")
    ] = 2.0,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Serve a model on this machine: the explorer at /, the REST service under /api.

    Ctrl-C ends it after the requests that have begun. A model that is saved into the same folder is served from the
    next request on. Needs pip install 'vbn[serve]'.
    """
    from vbn.cli._output import say
    from vbn.serve import Settings, serve

    settings = Settings(
        token=token or None, writable=writable, watch=watch, origins=tuple(allow_origin or ()),
        hosts=tuple(allow_host or ()),
    )  # fmt: skip
    settings.check_host(host)

    def ready(address: str) -> None:
        say(f"serving {model} at {address} (Ctrl-C ends it)")
        if open_page:
            import webbrowser

            webbrowser.open(address)

    serve(model, host, port, settings, ready=ready)
