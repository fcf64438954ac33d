"""An application behind a server, for as long as it is needed; and waiting for what it does by itself."""

import contextlib
import threading
import time

import uvicorn

from vbn.serve import bound
from vbn.serve.limits import configured


@contextlib.contextmanager
def running(app):
    """An application behind a server of this process."""
    taken = bound("127.0.0.1", 0)
    server = uvicorn.Server(configured(app, log_level="critical"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    yield f"http://127.0.0.1:{taken.getsockname()[1]}"
    server.should_exit = True
    thread.join(timeout=10)


def until(predicate, told, patience=120.0):
    """What a question answers as soon as that is true."""
    end = time.monotonic() + patience
    while not (found := predicate()):
        assert time.monotonic() < end, f"waited in vain until {told}"
        time.sleep(0.02)
    return found
