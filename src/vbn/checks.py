"""The former name of `vbn.testing`."""

from vbn.testing import *  # noqa: F403
from vbn.testing import __all__  # noqa: F401
