"""The explorer in a frame of a notebook: a server in a thread of this process, for as long as it is wanted."""

from __future__ import annotations

import html
import threading
import time
from typing import Any

from vbn._errors import ParameterError
from vbn.serve._settings import Settings
from vbn.serve._start import bound, create_app

_FRAMES = "http://localhost:* http://127.0.0.1:* https://localhost:* https://127.0.0.1:*"
_PATIENCE = 20.0  # seconds until a server that does not answer is given up


class Explorer:
    """A running explorer; shows itself in a notebook, and ends with `stop`.

    Parameters
    ----------
    model
        A fitted model. What is added to it later is not shown.
    height
        Of the frame, in pixels.

    Attributes
    ----------
    url : str
        Its address, for a browser on this machine.
    """

    def __init__(self, model: Any, height: int = 720) -> None:
        if isinstance(height, bool) or not isinstance(height, int) or not 100 <= height <= 10_000:
            raise ParameterError(f"height={height!r} must be a number of pixels between 100 and 10,000.")
        model._model()
        app = create_app(model, Settings(watch=0), _FRAMES)
        import uvicorn

        taken = bound("127.0.0.1", 0)
        self.height, self.url = height, f"http://127.0.0.1:{taken.getsockname()[1]}"
        self._server = uvicorn.Server(uvicorn.Config(app, log_level="error", server_header=False))
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [taken]}, name="vbn-explore", daemon=True
        )
        self._thread.start()
        waited = time.monotonic()
        while not self._server.started:
            if time.monotonic() - waited > _PATIENCE or not self._thread.is_alive():
                raise ParameterError(f"the explorer did not start on {self.url}.")
            time.sleep(0.02)

    def stop(self) -> None:
        """End the server."""
        self._server.should_exit = True
        self._thread.join(timeout=5.0)

    def __repr__(self) -> str:
        return f"Explorer({self.url})"

    def _repr_html_(self) -> str:
        address = html.escape(self.url, quote=True)
        size = f'width="100%" height="{self.height}" style="border:0"'
        return f'<iframe src="{address}" {size} title="vbn explorer"></iframe>'
