"""How much and how long a connection may send before it is closed: limits that uvicorn with httptools does not have."""

from __future__ import annotations

import asyncio
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from vbn.serve.problems import Kind, encoded

MOST_HEADERS = 100
MOST_BYTES = 1 << 16  # of address and headers together; also of anything else that is neither header nor body
HEAD_SECONDS = 10.0  # from the first byte of a request, or from the connection, to the end of its headers
BODY_SECONDS = 60.0  # from there to the end of the body
IDLE_SECONDS = 5  # between requests
_TOLD = {
    400: (b"Bad Request", "this is not HTTP."),
    408: (b"Request Timeout", "the request did not come to an end in time."),
    431: (
        b"Request Header Fields Too Large",
        f"address and headers have more than {MOST_BYTES:,} bytes, or there are more than {MOST_HEADERS} headers.",
    ),
}


def configured(app: Any, log_level: str = "warning", **more: Any) -> uvicorn.Config:
    """Return the settings of a server whose connections are limited."""
    fixed: dict[str, Any] = {"http": Limited, "ws": "none", "server_header": False, "timeout_keep_alive": IDLE_SECONDS}
    return uvicorn.Config(app, log_level=log_level, **fixed, **more)


class TooLargeError(Exception):
    """Address and headers that are larger than the limits."""


class Limited(HttpToolsProtocol):
    """A connection that is closed if its headers do not end, in bytes, in number or in time, or its body in time.

    The parser keeps a header until it is complete and tells nobody, so bytes are counted that bring nothing forward,
    whatever they are: headers, what follows a body, notes on its chunks.
    """

    _timer: asyncio.TimerHandle | None = None
    _moved = False  # whether the last bytes brought the request forward
    _silent = 0  # bytes since then
    _size = 0  # bytes of address and headers
    _in_body = False
    _refused = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait(HEAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came, and close the connection if it was too much."""
        if self._timer is None:
            self._wait(HEAD_SECONDS)
        self._moved = False
        super().data_received(data)
        self._silent = 0 if self._moved else self._silent + len(data)
        if self._silent > MOST_BYTES and not self.transport.is_closing():
            self._refuse(431)

    def on_message_begin(self) -> None:
        """Begin a request."""
        super().on_message_begin()
        self._size = 0
        if self._timer is None:  # it came together with the end of another
            self._wait(HEAD_SECONDS)

    def on_url(self, url: bytes) -> None:
        """Take a part of the address."""
        self._add(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header, or one that follows the body."""
        self._add(len(name) + len(value))
        super().on_header(name, value)
        if len(self.headers) > MOST_HEADERS:
            self._refused = 431
            raise TooLargeError

    def on_headers_complete(self) -> None:
        """Begin to answer, and to wait for the body."""
        self._moved = self._in_body = True
        self._wait(BODY_SECONDS)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        self._moved = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End a request."""
        self._moved, self._in_body = True, False
        self._stop_waiting()
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's words, whatever the reason is
        """Answer what the parser, or a limit above, did not take."""
        self._refuse(self._refused or 400)

    def _add(self, size: int) -> None:
        self._size += size
        if self._size > MOST_BYTES:
            self._refused = 431
            raise TooLargeError

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        self._timer = self.loop.call_later(seconds, self._too_late)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _too_late(self) -> None:
        self._timer = None
        if self.transport.is_closing():
            return
        if self._answering and not self._in_body:  # to an earlier request
            self._wait(HEAD_SECONDS)
        else:
            self._refuse(408)

    @property
    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _refuse(self, status: int) -> None:
        """Close the connection, with an answer unless another one has begun."""
        if not (self._answering and self.cycle.response_started):
            reason, error = _TOLD[status]
            body, headers = encoded(Kind("about:blank", status, reason.decode()), error)
            lines = [b"HTTP/1.1 %d %s" % (status, reason), *(b": ".join(one) for one in headers), b"connection: close"]
            self.transport.write(b"\r\n".join(lines) + b"\r\n\r\n" + body)
        self.transport.close()
