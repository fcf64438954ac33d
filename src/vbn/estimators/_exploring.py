"""A page to look at a model: `explore`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from vbn.estimators._queries import Queries


class Exploring(Queries):
    """Gives a model `explore`."""

    def explore(self, height: int = 720) -> Any:
        """Show the explorer in a notebook: search, neighbours, taxonomy, map, "what if" and recommendations.

        A small server runs in this process, on this machine's own address only, until `stop` of what is returned is
        called or the process ends. From a terminal: ``vbn serve FOLDER``. Needs pip install 'vbn[serve]'.

        Parameters
        ----------
        height
            Of the frame, in pixels.

        Returns
        -------
        Explorer
            Has the address as `url`.
        """
        return import_module("vbn.serve").Explorer(self, height)  # a room above this one, so not imported by name
