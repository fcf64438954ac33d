"""Pictures of a model, one call each; needs matplotlib (`pip install 'vbn[plot]'`).

Every function takes `ax=None`, which makes a new figure, and returns the Axes. Nothing is shown or saved.
"""

from vbn.plot.curves import bound, reliability, uncertainty
from vbn.plot.neighbours import neighbourhood
from vbn.plot.tree import taxonomy
from vbn.plot.trials import trials

__all__ = ["bound", "neighbourhood", "reliability", "taxonomy", "trials", "uncertainty"]
