"""Priors of blocks, one module each. A new kind is a new module here, or a class that a user registers."""

from vbn.model.priors.base import PRIORS, Match, Prior, Setting, Share, Upper, automatic_priors, register
from vbn.model.priors.centre import Centre
from vbn.model.priors.fixed import Constant, Zero
from vbn.model.priors.hierarchy import Hierarchy
from vbn.model.priors.linear import Linear
from vbn.model.priors.sum import Sum, prior_of

__all__ = [
    "PRIORS",
    "Centre",
    "Constant",
    "Hierarchy",
    "Linear",
    "Match",
    "Prior",
    "Setting",
    "Share",
    "Sum",
    "Upper",
    "Zero",
    "automatic_priors",
    "prior_of",
    "register",
]
