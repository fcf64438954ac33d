"""A trained model as a web page to explore and as a service to call: `vbn serve` (extra "serve")."""

from vbn.serve._notebook import Explorer
from vbn.serve._settings import Settings
from vbn.serve._start import create_app, serve

__all__ = ["Explorer", "Settings", "create_app", "serve"]
