"""From a model to a server."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from vbn._cores import available_cores
from vbn._errors import MissingExtraError, ParameterError
from vbn._version import __version__
from vbn.serve._settings import Settings

_STATIC = Path(__file__).parent / "static"


def create_app(source: Any, settings: Settings | None = None, frames: str = "'none'") -> Any:
    """The application: the page at /, the service under /api, its description at /docs.

    Parameters
    ----------
    source
        A folder with a model, or a fitted model.
    settings
        Token, limits, and whether entities may be saved.
    frames
        Which pages may show it in a frame, as in a content security policy.
    """
    try:
        from anyio.to_thread import current_default_thread_limiter
        from fastapi import FastAPI
        from fastapi.middleware.cors import CORSMiddleware
        from fastapi.responses import FileResponse
        from fastapi.staticfiles import StaticFiles
    except ImportError as error:
        raise MissingExtraError("fastapi is not installed: pip install 'vbn[serve]'.") from error
    from vbn.serve._guards import Guards
    from vbn.serve._holder import Holder
    from vbn.serve._problems import tell_of_problems
    from vbn.serve._routes import router
    from vbn.serve._state import State

    chosen = settings or Settings()
    state = State(Holder(source), chosen)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        # answers are computed on threads: many more of these than cores would only stand in each other's way
        current_default_thread_limiter().total_tokens = available_cores() + 1
        state.start()
        yield
        state.stop()

    app = FastAPI(
        title="vbn", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None,
        openapi_url="/api/openapi.json",
    )  # fmt: skip
    app.state.vbn = state
    app.include_router(router)

    tell_of_problems(app)

    @app.get("/", include_in_schema=False)
    def page() -> FileResponse:
        return FileResponse(_STATIC / "index.html", headers={"cache-control": "no-cache"})

    @app.get("/docs", include_in_schema=False)
    def docs() -> FileResponse:
        return FileResponse(_STATIC / "docs.html", headers={"cache-control": "no-cache"})

    app.mount("/static", StaticFiles(directory=_STATIC), name="static")
    app.add_middleware(Guards, settings=chosen, metrics=state.metrics, frames=frames)
    if chosen.origins:  # around the guards: a browser asks first whether it may ask, and sends no token with that
        app.add_middleware(
            CORSMiddleware, allow_origins=list(chosen.origins), allow_methods=["GET", "POST"],
            allow_headers=["authorization", "content-type"],
        )  # fmt: skip
    return app


def serve(
    source: Any, host: str = "127.0.0.1", port: int = 8000, settings: Settings | None = None,
    ready: Callable[[str], None] = lambda _: None,
) -> None:  # fmt: skip
    """Serve a model until the process is told to stop; requests that have begun are finished.

    Parameters
    ----------
    source
        A folder with a model, or a fitted model.
    host, port
        Where; anything but this machine's own address needs a token. Port 0 takes a free one.
    settings
        Token, limits, and whether entities may be saved.
    ready
        Called with the address once it is taken.
    """
    chosen = settings or Settings()
    chosen.check_host(host)
    app = create_app(source, chosen)
    import uvicorn

    config = uvicorn.Config(
        app, host=host, port=port, log_level="warning", server_header=False, timeout_graceful_shutdown=5
    )
    taken = bound(host, port)
    ready(f"http://{f'[{host}]' if ':' in host else host}:{taken.getsockname()[1]}")
    uvicorn.Server(config).run(sockets=[taken])


def bound(host: str, port: int) -> socket.socket:
    """The address taken, so that a port that is in use is an error at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # named TCP, since asyncio sends answers without delay on such sockets alone
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen(128)  # who comes before the server is up waits
    except OSError as error:
        found.close()
        raise ParameterError(f"cannot serve on {host} port {port}: {error.strerror}; choose another port.") from error
    return found
