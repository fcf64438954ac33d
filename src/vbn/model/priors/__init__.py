"""Priors of blocks, one module each. A new kind is a new module here, or a class that a user registers."""

from vbn.model.priors.base import PRIORS, Match, Prior, Setting, Share, Upper, register, with_automatic
from vbn.model.priors.centre import Centre
from vbn.model.priors.fixed import Constant, Zero
from vbn.model.priors.hierarchy import Hierarchy
from vbn.model.priors.linear import Linear
from vbn.model.priors.mixture import Choice, Mixture
from vbn.model.priors.sum import Sum, prior_of

__all__ = [
    "PRIORS",
    "Centre",
    "Choice",
    "Constant",
    "Hierarchy",
    "Linear",
    "Match",
    "Mixture",
    "Prior",
    "Setting",
    "Share",
    "Sum",
    "Upper",
    "Zero",
    "prior_of",
    "register",
    "with_automatic",
]
