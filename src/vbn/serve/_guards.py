"""What every request passes: its host, the token, the size of its body, headers of safety, and the clock."""

from __future__ import annotations

import hmac
import json
import time
from typing import Any

from vbn.serve._metrics import Metrics
from vbn.serve._settings import Settings

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors {frames}"
)
_OPEN = ("/api/health",)  # what may be asked without a token: a load balancer has none


class Guards:
    """ASGI middleware around the application.

    Parameters
    ----------
    app
        The application.
    settings
        Token and limits.
    metrics
        Where requests are counted.
    frames
        Who may show the page in a frame: "'none'", or an origin for notebooks.
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
        """Let a request through, or answer it here."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500
        body = _Body(receive, self.settings.largest_body)

        async def sending(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message.get("headers", []), *self._headers]}
            await send(message)

        async def unless_too_large(message: Any) -> None:
            if not body.too_large:
                await sending(message)

        refusal = self._refusal(scope)
        try:
            if refusal is None:
                await self.app(scope, body.receive, unless_too_large)
                refusal = (413, self._too_large) if body.too_large else None
            if refusal is not None:
                await _answer(sending, *refusal)
        finally:
            route = getattr(scope.get("route"), "path", "other")
            self.metrics.count(route, status, time.perf_counter() - started)

    @property
    def _too_large(self) -> str:
        return f"the body is larger than {self.settings.largest_body:,} bytes."

    def _refusal(self, scope: Any) -> tuple[int, str] | None:
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1")
        if host and not self.settings.knows(host):  # browsers always send one
            return 403, f"this server does not go by the name {host[:100]!r}; start it with --allow-host to let it."
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self.settings.largest_body:
            return 413, self._too_large
        if self.settings.token is None or scope["path"] in _OPEN or not scope["path"].startswith("/api/"):
            return None
        given = headers.get(b"authorization", b"")
        if hmac.compare_digest(given, b"Bearer " + self.settings.token.encode()):
            return None
        return 401, "this server needs a token: send it as 'Authorization: Bearer TOKEN'."


class _Body:
    """A body as it comes in, cut off where it is too large: whoever reads it then finds it broken, and is not heard."""

    def __init__(self, receive: Any, most: int) -> None:
        self._receive, self._left, self.too_large = receive, most, False

    async def receive(self) -> Any:
        """The next piece."""
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            self.too_large = True
            return {"type": "http.request", "body": b"", "more_body": False}
        return message


async def _answer(send: Any, status: int, error: str) -> None:
    body = json.dumps({"error": error, "closest": []}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
