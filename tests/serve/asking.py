"""Requests to an application in this process, without a network."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlencode, urljoin


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """As text."""
        return self.body.decode()

    @property
    def json(self) -> Any:
        """As data."""
        return json.loads(self.body)


class Client:
    """Asks an ASGI application, and follows redirects; `last` is what it answered, also where it then raised."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.last: Answer | None = None

    def get(self, path: str, headers: dict[str, str] | None = None, **query: Any) -> Answer:
        """A GET request with parameters."""
        return self.send("GET", path, b"", headers, urlencode(query, doseq=True))

    def post(self, path: str, **body: Any) -> Answer:
        """A POST request with a JSON body."""
        return self.send("POST", path, json.dumps(body).encode())

    def send(
        self,
        method: str,
        path: str,
        body: bytes,
        headers: dict[str, str] | None = None,
        query: str = "",
        chunked: bool = False,
        follow: bool = True,
    ) -> Answer:
        """Any request; a chunked one does not say how long its body is."""
        found = self._sent(method, path, body, headers, query, chunked)
        if not (follow and found.status == 307):
            return found
        path, _, query = urljoin(path, found.headers["location"]).partition("?")
        return self._sent(method, path, body, headers, query, chunked)

    def _sent(
        self, method: str, path: str, body: bytes, headers: dict[str, str] | None, query: str, chunked: bool
    ) -> Answer:
        given = {"host": "localhost", "content-type": "application/json", **(headers or {})}
        if not chunked:
            given["content-length"] = str(len(body))
        pieces = [body[at : at + 65536] for at in range(0, len(body), 65536)] or [b""]
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(key.encode(), value.encode()) for key, value in given.items()],
            "client": ("test", 1),
            "server": ("test", 80),
            "state": {},
        }
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            if not pieces:
                await asyncio.sleep(30)
            return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        try:
            asyncio.run(asyncio.wait_for(self.app(scope, receive, send), 60))
        finally:
            self.last = _answer(sent) if sent else None
        return _answer(sent)


def _answer(sent: list[dict[str, Any]]) -> Answer:
    headers = {key.decode(): value.decode() for key, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], headers, b"".join(message.get("body", b"") for message in sent[1:]))
