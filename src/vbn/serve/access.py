"""Who may ask and how much: the settings of a server, and the middleware that every request passes."""

from __future__ import annotations

import hmac
import os
import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vbn._errors import ParameterError
from vbn.serve import problems
from vbn.serve.problems import Kind

if TYPE_CHECKING:
    from vbn.serve.metrics import Metrics

_LOCAL = ("127.0.0.1", "::1", "localhost")
_ORIGIN = re.compile(r"https?://[^/\s]+")
_HOST = re.compile(r"[\w.-]+|\[[0-9A-Fa-f:.]+\]")
_PORT = re.compile(r":\d*$")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors {frames}"
)
_READING = ("GET", "HEAD", "OPTIONS")
PREFIX = "/api/v1"
OPEN = (f"{PREFIX}/health", f"{PREFIX}/ready")  # need no token: a load balancer has none
_OLD_OPEN = ("/api/health", "/api/ready")  # lead there
_UNVERSIONED = re.compile(rb"/api/(?!v\d+(?:/|$))(.*)", re.DOTALL)
Refusal = tuple[Kind, str, str | None]


@dataclass(frozen=True)
class Settings:
    """How a model is served."""

    token: str | None = None  # callers send it as `Authorization: Bearer TOKEN`; any address but the local one needs it
    writable: bool = False  # whether what-if entities may be saved into the model
    watch: float = 2.0  # seconds between checks for a new model in the folder; 0 disables them
    origins: tuple[
        str, ...
    ] = ()  # whose pages may ask from a browser besides the server's own, as https://shop.example
    hosts: tuple[str, ...] = ()  # names, besides the local ones, of a server without a token; "*": any. Refusing others
    # prevents DNS rebinding: a page elsewhere whose name points here.
    largest_body: int = 1 << 20  # bytes
    workers: int = 1  # processes; several share one copy of the model in memory, and none may change it

    def __post_init__(self) -> None:
        if self.workers < 1 or (self.workers > 1 and not hasattr(os, "fork")):
            raise ParameterError(f"workers={self.workers} must be at least 1, and 1 where processes cannot fork.")
        if self.workers > 1 and self.writable:
            raise ParameterError(
                "a writable server is one process, so that no change is lost: leave out {remedy} or {remedy}.",
                remedies=[("writable",), ("workers",)],
            )
        if self.token is not None and len(self.token) < 8:
            raise ParameterError("the token must have at least 8 characters.")
        for origin in self.origins:
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                raise ParameterError(
                    f"{origin!r} is not an origin; write it as https://shop.example or http://host:port."
                )
        for host in self.hosts:
            if host != "*" and not _HOST.fullmatch(host):
                forms = "box.lan, 192.0.2.1 or [2001:db8::1], without a port"
                raise ParameterError(f"{host!r} is not a host; write it as {forms}.")

    def check_host(self, host: str) -> None:
        """Refuse to serve the whole network without a token."""
        if host not in _LOCAL and self.token is None:
            raise ParameterError(
                f"serving on {host} lets other machines ask: set a token ({{remedy}}, or VBN_TOKEN in the environment "
                "of vbn serve), or serve on 127.0.0.1.",
                remedies=[("token",)],
            )

    def knows(self, host: str) -> bool:
        """Return whether requests may use this name of the server in their Host header.

        Examples
        --------
        >>> Settings().knows("localhost:8000"), Settings().knows("[::1]:8000"), Settings().knows("evil.example:8000")
        (True, True, False)
        >>> Settings(hosts=("box.lan",)).knows("BOX.lan")
        True
        """
        if self.token is not None or "*" in self.hosts:
            return True
        name = _PORT.sub("", host.strip()).rstrip(".").lower()
        return name in ("localhost", "127.0.0.1", "[::1]", *(known.lower() for known in self.hosts))

    def trusts(self, origin: str, host: str, relation: str = "") -> bool:
        """Return whether a page of this origin may send something; `relation` is what the browser calls Sec-Fetch-Site.

        Examples
        --------
        >>> Settings().trusts("http://localhost:8000", "localhost:8000"), Settings().trusts("", "localhost:8000")
        (True, True)
        >>> Settings().trusts("https://evil.example", "localhost:8000"), Settings().trusts("null", "localhost:8000")
        (False, False)
        """
        if "*" in self.origins or origin in self.origins:
            return True
        if relation:  # only browsers send it, and no page can change it
            return relation in ("same-origin", "none")
        return not origin or origin.partition("://")[2].lower() == host.strip().lower()


class Guards:
    """ASGI middleware that checks host, origin, token, size and type of a request, and counts and times it.

    It also adds security headers to the answer.
    """

    def __init__(self, app: Any, settings: Settings, metrics: Metrics, frames: str = "'none'") -> None:
        self.app, self.settings, self.metrics = app, settings, metrics
        self._headers = [
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"no-referrer"),
            (b"cross-origin-opener-policy", b"same-origin"),
            (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
            (b"content-security-policy", _POLICY.format(frames=frames).encode()),
        ]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500
        head = scope["method"] == "HEAD"  # answered as GET, without the body
        scope = {**scope, "method": "GET"} if head else scope
        body = _Body(receive, self.settings.largest_body)

        async def sending(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message.get("headers", []), *self._headers, _model_of(scope)]}
            elif head:
                message = {**message, "body": b""}
            await send(message)

        async def unless_too_large(message: Any) -> None:
            if not body.too_large:
                await sending(message)

        refusal = self._refusal(scope)
        try:
            if refusal is None and (moved := _moved(scope)) is not None:
                await _send(sending, 307, b"", [(b"location", moved), (b"content-length", b"0")])
            elif refusal is None:
                await self.app(scope, body.receive, unless_too_large)
                refusal = self._too_large if body.too_large else None
            if refusal is not None:
                await _send(sending, refusal[0].status, *problems.encoded(*refusal))
        finally:
            self.metrics.count(_route_of(scope), status, time.perf_counter() - started)

    @property
    def _too_large(self) -> Refusal:
        most = self.settings.largest_body
        return problems.TOO_LARGE, f"the body has more than {most:,} bytes.", "send less, in several requests"

    def _refusal(self, scope: Any) -> Refusal | None:
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1")
        if host and not self.settings.knows(host):  # browsers always send one
            told = f"this server does not accept the host name {host[:100]!r}; start it with --allow-host to do so."
            return problems.OTHER_HOST, told, "start the server with --allow-host"
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self.settings.largest_body:
            return self._too_large
        if scope["method"] not in _READING:
            refusal = self._forged(headers, host) or _no_json(scope["method"], headers)
            if refusal is not None:
                return refusal
        if self._may_ask(scope["path"], headers):
            return None
        form = "'Authorization: Bearer TOKEN'"
        return problems.NO_TOKEN, f"this server needs a token: send it as {form}.", f"send {form}"

    def _may_ask(self, path: str, headers: dict[bytes, bytes]) -> bool:
        if self.settings.token is None or not path.startswith("/api/") or path in (*OPEN, *_OLD_OPEN):
            return True
        given = headers.get(b"authorization", b"")
        return hmac.compare_digest(given, b"Bearer " + self.settings.token.encode())

    def _forged(self, headers: dict[bytes, bytes], host: str) -> Refusal | None:
        """Refuse what a page elsewhere lets a browser send here (CSRF)."""
        origin = headers.get(b"origin", b"").decode("latin-1")
        relation = headers.get(b"sec-fetch-site", b"").decode("latin-1")
        if self.settings.trusts(origin, host, relation):
            return None
        told = f"this server takes nothing from pages of {origin[:100] or 'another origin'}"
        told = f"{told}; start it with --allow-origin to do so."
        return problems.OTHER_ORIGIN, told, "start the server with --allow-origin"


def _no_json(method: str, headers: dict[bytes, bytes]) -> Refusal | None:
    """Refuse a body that is not called JSON: browsers send others, or unnamed ones, without asking first."""
    kind = headers.get(b"content-type", b"").decode("latin-1").partition(";")[0].strip().lower()
    if method == "DELETE" or kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json")):
        return None
    told = "the body must be JSON, with the header 'content-type: application/json' (curl --json)."
    return problems.NOT_JSON, told, "send 'content-type: application/json'"


def _moved(scope: Any) -> bytes | None:
    """Return where an address without a version is now, relative to it; None if it has a version, or none is needed.

    >>> _moved({"path": "/api/map/about", "query_string": b"a=1"}), _moved({"path": "/api/v1/map", "query_string": b""})
    (b'../v1/map/about?a=1', None)
    """
    path = scope.get("raw_path") or scope["path"].encode()
    found = _UNVERSIONED.fullmatch(path.partition(b"?")[0])
    if found is None:
        return None
    query = b"?" + scope["query_string"] if scope["query_string"] else b""
    return b"../" * found[1].count(b"/") + b"v1/" + found[1] + query


def _route_of(scope: Any) -> str:
    """Return the route that a request took, with its version: routes of some releases of FastAPI do not know it."""
    route = str(getattr(scope.get("route"), "path", "other"))
    known = route == "other" or route.startswith(PREFIX) or not scope["path"].startswith(PREFIX)
    return route if known else PREFIX + route


def _model_of(scope: Any) -> tuple[bytes, bytes]:
    """Return the header that names the model that answered, or the present one if none was asked."""
    served = scope.get("vbn.served") or scope["app"].state.vbn.holder.current
    return b"vbn-model", served.id.encode()


class _Body:
    """The body of a request, cut off when it becomes too large; what the application answers is then dropped."""

    def __init__(self, receive: Any, most: int) -> None:
        self._receive, self._left, self.too_large = receive, most, False

    async def receive(self) -> Any:
        """Return the next piece."""
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            self.too_large = True
            return {"type": "http.request", "body": b"", "more_body": False}
        return message


async def _send(send: Any, status: int, body: bytes, headers: list[tuple[bytes, bytes]]) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
