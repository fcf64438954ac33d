"""How a model is served, and how much may be asked for at once."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vbn._errors import ParameterError

_ORIGIN = re.compile(r"https?://[^/\s]+")
_HOST = re.compile(r"[\w.-]+|\[[0-9A-Fa-f:.]+\]")
_PORT = re.compile(r":\d*$")
LOCAL = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True)
class Settings:
    """What a server is told when it starts.

    Attributes
    ----------
    token : str or None
        What callers must send as ``Authorization: Bearer TOKEN``; needed for any address but this machine's own.
    writable : bool
        Whether what-if entities may be saved into the model.
    watch : float
        Seconds between looks at the model's folder; 0 looks never.
    origins : tuple of str
        Whose pages may ask from a browser, such as ``("https://shop.example",)`` (CORS); none but the server's own.
    hosts : tuple of str
        Names besides this machine's own, such as ``("box.lan",)``, by which browsers may reach a server without a
        token; "*" for any. A page elsewhere that has its own name lead here (DNS rebinding) is refused by this.
    largest_body : int
        Bytes of a body.
    """

    token: str | None = None
    writable: bool = False
    watch: float = 2.0
    origins: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    largest_body: int = 1 << 20

    def __post_init__(self) -> None:
        if self.token is not None and len(self.token) < 8:
            raise ParameterError("the token must have at least 8 characters.")
        for origin in self.origins:
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                raise ParameterError(f"{origin!r} is no origin; write it as https://shop.example or http://host:port.")
        for host in self.hosts:
            if host != "*" and not _HOST.fullmatch(host):
                raise ParameterError(
                    f"{host!r} is no host; write it as box.lan, 192.0.2.1 or [2001:db8::1], without a port."
                )

    def check_host(self, host: str) -> None:
        """Refuse to serve the whole network without a token.

        Examples
        --------
        >>> Settings().check_host("127.0.0.1")
        >>> Settings(token="long enough").check_host("0.0.0.0")
        """
        if host not in LOCAL and self.token is None:
            raise ParameterError(
                f"serving on {host} lets others ask: set a token (--token, or VBN_TOKEN in the environment), or serve "
                "on 127.0.0.1."
            )

    def knows(self, host: str) -> bool:
        """Whether a request may come by this name, as its Host header has it.

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
