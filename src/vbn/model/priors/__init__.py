"""Priors of blocks, one module each. A new kind is a new module here, or a class that a user registers."""

from vbn.model.priors.base import (
    PRIORS,
    Constant,
    Match,
    Prior,
    Setting,
    Share,
    Sum,
    Zero,
    automatic_priors,
    prior_of,
    register,
)
from vbn.model.priors.centre import Centre
from vbn.model.priors.hierarchy import Hierarchy

__all__ = [
    "PRIORS",
    "Centre",
    "Constant",
    "Hierarchy",
    "Match",
    "Prior",
    "Setting",
    "Share",
    "Sum",
    "Zero",
    "automatic_priors",
    "prior_of",
    "register",
]
