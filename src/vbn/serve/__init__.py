"""A trained model as a web page to explore and as a REST service: `vbn serve` (extra "serve")."""

from vbn.serve.access import Settings
from vbn.serve.app import Explorer, create_app, serve

__all__ = ["Explorer", "Settings", "create_app", "serve"]
