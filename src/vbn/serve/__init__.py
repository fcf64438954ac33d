"""A trained model as a web page to explore and as a REST service: `vbn serve` (extra "serve")."""

from vbn.serve.access import Settings
from vbn.serve.app import Explorer, bound, create_app, serve
from vbn.serve.map import LAYOUT_FILE, Layout, extended, lay_out, store, stored
from vbn.serve.served import Served

__all__ = [
    "LAYOUT_FILE",
    "Explorer",
    "Layout",
    "Served",
    "Settings",
    "bound",
    "create_app",
    "extended",
    "lay_out",
    "serve",
    "store",
    "stored",
]
