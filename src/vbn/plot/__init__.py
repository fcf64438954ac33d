"""Pictures of a model, one call each: needs matplotlib (`pip install 'vbn[plot]'`).

Every function takes `ax=None` (a new figure is made) and returns the Axes; nothing is shown or saved by itself.
"""

from vbn.plot._bound import bound
from vbn.plot._neighbourhood import neighbourhood
from vbn.plot._reliability import reliability
from vbn.plot._taxonomy import taxonomy
from vbn.plot._uncertainty import uncertainty

__all__ = ["bound", "neighbourhood", "reliability", "taxonomy", "uncertainty"]
