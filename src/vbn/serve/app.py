"""From a model to a server: the application, the command's server, and one in a notebook."""

from __future__ import annotations

import html
import secrets
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from vbn._cores import available_cores
from vbn._errors import MissingExtraError, ParameterError
from vbn._version import __version__
from vbn.serve.access import Guards, Settings

_STATIC = Path(__file__).parent / "static"
_NOTEBOOKS = "http://localhost:* http://127.0.0.1:* https://localhost:* https://127.0.0.1:*"
_PATIENCE = 20.0  # seconds to wait for a server to start


def create_app(source: Any, settings: Settings | None = None, frames: str = "'none'") -> Any:
    """Return the application: the page at /, the service under /api, its description at /docs.

    `source` is a folder with a model, or a fitted model; `frames` are the origins that may show the page in a frame.
    """
    try:
        from anyio.to_thread import current_default_thread_limiter
        from fastapi import FastAPI
        from fastapi.middleware.cors import CORSMiddleware
        from fastapi.responses import FileResponse
        from fastapi.staticfiles import StaticFiles
    except ImportError as error:
        raise MissingExtraError("fastapi is not installed: pip install 'vbn[serve]'.") from error
    from vbn.serve.routes import handle_errors, router
    from vbn.serve.served import Holder
    from vbn.serve.state import State

    chosen = settings or Settings()
    state = State(Holder(source), chosen)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        # answers are computed on threads; many more threads than cores would only slow each other down
        current_default_thread_limiter().total_tokens = available_cores() + 1
        state.start()
        yield
        state.stop()

    addresses: dict[str, Any] = {"docs_url": None, "redoc_url": None, "openapi_url": "/api/openapi.json"}
    app = FastAPI(title="vbn", version=__version__, lifespan=lifespan, **addresses)
    app.state.vbn = state
    app.include_router(router)
    handle_errors(app)

    @app.get("/", include_in_schema=False)
    def page() -> FileResponse:
        return FileResponse(_STATIC / "index.html", headers={"cache-control": "no-cache"})

    @app.get("/docs", include_in_schema=False)
    def docs() -> FileResponse:
        return FileResponse(_STATIC / "docs.html", headers={"cache-control": "no-cache"})

    app.mount("/static", StaticFiles(directory=_STATIC), name="static")
    app.add_middleware(Guards, settings=chosen, metrics=state.metrics, frames=frames)
    if chosen.origins:  # outside of the guards: a browser asks for permission first, without a token
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(chosen.origins),
            allow_methods=["GET", "POST"],
            allow_headers=["authorization", "content-type"],
        )
    return app


def serve(
    source: Any,
    host: str = "127.0.0.1",
    port: int = 8000,
    settings: Settings | None = None,
    ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve a model (or a folder with one) until the process is told to stop; requests that have begun are finished.

    Any host but this machine's own needs a token; port 0 takes a free one. `ready` is called with the address.
    """
    chosen = settings or Settings()
    chosen.check_host(host)
    app = create_app(source, chosen)
    import uvicorn

    from vbn.serve.limits import configured

    config = configured(app, host=host, port=port, timeout_graceful_shutdown=5)
    taken = bound(host, port)
    ready(f"http://{f'[{host}]' if ':' in host else host}:{taken.getsockname()[1]}")
    uvicorn.Server(config).run(sockets=[taken])


def bound(host: str, port: int) -> socket.socket:
    """Return a socket at an address; a port that is in use is an error at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # named TCP: only on such sockets does asyncio send answers without delay
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen(128)  # early requests wait until the server is up
    except OSError as error:
        found.close()
        raise ParameterError(f"cannot serve on {host} port {port}: {error.strerror}; choose another port.") from error
    return found


class Explorer:
    """A running explorer, in a thread of this process; shows itself in a notebook, and ends with `stop`.

    Entities that are added to the model later are not shown. `url` is its address on this machine, `token` what others
    who ask it must send, so that other users of the machine cannot, and `link` opens the page with it in a browser.
    """

    def __init__(self, model: Any, height: int = 720) -> None:
        if isinstance(height, bool) or not isinstance(height, int) or not 100 <= height <= 10_000:
            raise ParameterError(f"height must be a number of pixels between 100 and 10,000, got {height!r}.")
        _ = model.trained_  # raises before `fit`
        self.token = secrets.token_urlsafe(24)
        app = create_app(model, Settings(watch=0, token=self.token), _NOTEBOOKS)
        import uvicorn

        from vbn.serve.limits import configured

        taken = bound("127.0.0.1", 0)
        self.height, self.url = height, f"http://127.0.0.1:{taken.getsockname()[1]}"
        self.link = f"{self.url}/#token={self.token}"
        self._server = uvicorn.Server(configured(app, log_level="error"))
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [taken]}, name="vbn-explore", daemon=True
        )
        self._thread.start()
        started = time.monotonic()
        while not self._server.started:
            if time.monotonic() - started > _PATIENCE or not self._thread.is_alive():
                raise ParameterError(f"the explorer did not start on {self.url}.")
            time.sleep(0.02)

    def stop(self) -> None:
        """Stop the server."""
        self._server.should_exit = True
        self._thread.join(timeout=5.0)

    def __repr__(self) -> str:
        return f"Explorer({self.link})"

    def _repr_html_(self) -> str:
        address = html.escape(self.link, quote=True)
        size = f'width="100%" height="{self.height}" style="border:0"'
        return f'<iframe src="{address}" {size} title="vbn explorer"></iframe>'
