"""From a model to a server: the application, the command's server, and one in a notebook."""

from __future__ import annotations

import gc
import html
import os
import secrets
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from vbn._cores import available_cores
from vbn._errors import MissingExtraError, ParameterError
from vbn._version import __version__
from vbn.serve.access import PREFIX, Guards, Settings

_STATIC = Path(__file__).parent / "static"
_NOTEBOOKS = "'self' http://localhost:* http://127.0.0.1:* https://localhost:* https://127.0.0.1:*"
_HUB = "JUPYTERHUB_SERVICE_PREFIX"  # what JupyterHub and Binder call the address of a user's server
_PATIENCE = 20.0  # seconds to wait for a server to start


def create_app(source: Any, settings: Settings | None = None, frames: str = "'none'") -> Any:
    """Return the application: the page at /, the service under /api/v1, its description at /docs.

    `source` is a folder with a model, or a fitted model; `frames` are the origins that may show the page in a frame.
    """
    try:
        from anyio.to_thread import current_default_thread_limiter
        from fastapi import FastAPI
        from fastapi.middleware.cors import CORSMiddleware
        from fastapi.responses import FileResponse
        from fastapi.staticfiles import StaticFiles

        from vbn.serve.state import State
    except ImportError as error:
        raise _missing(error) from error
    from vbn.serve.api import include, operation_id
    from vbn.serve.served import Holder

    chosen = settings or Settings()
    state = State(source if isinstance(source, Holder) else Holder(source), chosen)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        # answers are computed on threads; many more threads than cores would only slow each other down
        current_default_thread_limiter().total_tokens = max(1, available_cores() // chosen.workers) + 1
        state.start()
        yield
        state.stop()

    addresses: dict[str, Any] = {"docs_url": None, "redoc_url": None, "openapi_url": f"{PREFIX}/openapi.json"}
    app = FastAPI(
        title="vbn",
        version=__version__,
        lifespan=lifespan,
        redirect_slashes=False,  # its redirects name this server, not the proxy in front of it
        generate_unique_id_function=operation_id,
        **addresses,
    )
    app.state.vbn = state
    include(app, guarded=chosen.token is not None)
    state.before_ready.append(app.openapi)

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
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["authorization", "content-type", "if-none-match"],
            expose_headers=["vbn-model", "etag"],
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
    name = f"[{host}]" if ":" in host else host
    if chosen.workers > 1:
        _serve_together(source, host, port, chosen, lambda taken: ready(f"http://{name}:{taken}"))
        return
    app = create_app(source, chosen)
    taken = bound(host, port)
    _run(app, taken, lambda: ready(f"http://{name}:{taken.getsockname()[1]}"))


def _run(app: Any, taken: socket.socket, ready: Callable[[], None] = lambda: None) -> None:
    """Answer at a socket until the process is told to stop.

    BLAS gets one thread. Its threads wait for each other in a loop, and those of several requests at once wait for
    each other's cores: on two busy cores a request took two to five times the processor time (benchmarks/README.md).
    """
    import uvicorn

    from vbn.serve.limits import configured

    config = configured(app, timeout_graceful_shutdown=5)
    _keep_what_is_there()
    app.state.vbn.before_ready.append(_keep_what_is_there)
    ready()
    with taken, threadpool_limits(1, user_api="blas"):
        uvicorn.Server(config).run(sockets=[taken])


def _keep_what_is_there() -> None:
    """Let the garbage collector never look again at what is in memory now: modules, kernels, the model.

    A full collection stops all threads, that of health included: 0.1 s of a processor with compiled kernels in memory,
    and several times that on a busy machine.
    """
    gc.collect()
    gc.freeze()


def _serve_together(source: Any, host: str, port: int, settings: Settings, ready: Callable[[int], None]) -> None:
    """Serve a folder with several processes."""
    if not isinstance(source, (str, Path)):
        raise ParameterError("several workers need the folder of a model, not a model in memory.")
    try:
        import vbn.serve.api
        import vbn.serve.limits  # noqa: F401 - what is imported before the fork is in memory once
        from vbn.serve.metrics import share_in, stop_sharing
    except ImportError as error:
        raise _missing(error) from error
    from vbn.serve.workers import Mirror, serve_together

    bound(host, port).close()  # an error if somebody else is there; workers share their port
    with ExitStack() as closing:
        sockets = [closing.enter_context(bound(host, port, shared=True))]
        taken = sockets[0].getsockname()[1]
        sockets += [closing.enter_context(bound(host, taken, shared=True)) for _ in range(settings.workers - 1)]
        mirror = Mirror(source)
        closing.callback(mirror.remove)
        numbers = mirror.place / "metrics"
        numbers.mkdir()
        share_in(str(numbers))
        closing.callback(stop_sharing)
        ready(taken)
        serve_together(mirror, sockets, lambda holder, one: _run(create_app(holder, settings), one), settings.watch)


def bound(host: str, port: int, shared: bool = False) -> socket.socket:
    """Return a socket at an address; a port that is in use is an error at once, unless it is to be `shared`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # named TCP: only on such sockets does asyncio send answers without delay
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if shared:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        found.bind((host, port))
        found.listen(128)  # early requests wait until the server is up
    except OSError as error:
        found.close()
        raise ParameterError(f"cannot serve on {host} port {port}: {error.strerror}; choose another port.") from error
    return found


def _missing(error: ImportError) -> MissingExtraError:
    return MissingExtraError(f"{error.name} is not installed: pip install 'vbn[serve]'.")


def reachable(url: str) -> str:
    """Return the address at which a browser reaches a server of this machine: itself, or that of a hub's proxy.

    Examples
    --------
    >>> reachable("http://127.0.0.1:8000")
    'http://127.0.0.1:8000'
    """
    prefix = os.environ.get(_HUB, "")
    return f"{prefix.rstrip('/')}/proxy/{url.rpartition(':')[2]}" if prefix else url


class Explorer:
    """A running explorer, in a thread of this process; shows itself in a notebook, and ends with `stop`.

    Entities that are added to the model later are not shown. `url` is its address on this machine, `token` what others
    who ask it must send, so that other users of the machine cannot, and `link` opens the page with it in a browser.
    On a JupyterHub, where a browser does not reach that address, `link` leads through jupyter-server-proxy.
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
        self.link = f"{reachable(self.url)}/#token={self.token}"
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
