"""Estimators: `VBN`, and `load` for saved ones."""

from vbn.estimators._saving import load
from vbn.estimators._vbn import VBN, Epoch

__all__ = ["VBN", "Epoch", "load"]
