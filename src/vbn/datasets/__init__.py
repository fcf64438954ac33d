"""Data sets: the bundled one, a simulated shop, and readers for the official files of public ones."""

from vbn.datasets._bundled import Bundled, HeldOut, load_bundled
from vbn.datasets._shop import write_shop

__all__ = ["Bundled", "HeldOut", "load_bundled", "write_shop"]
