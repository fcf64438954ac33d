"""Data sets: the bundled one, and readers for the official files of public ones."""

from vbn.datasets._bundled import Bundled, HeldOut, load_bundled

__all__ = ["Bundled", "HeldOut", "load_bundled"]
