"""The mathematics: blocks of variables, their priors and likelihoods, the bound, and the fit loop over them."""

from vbn.model.averaging import RunningAverage
from vbn.model.block import Block, Sites
from vbn.model.engine import Engine
from vbn.model.epoch import DrawnSample, EpochData, GivenSample, Plan, Range, grouped
from vbn.model.fields import MEAN, PLAIN, RATE, VARIANCE, Field, Gaussians, Holder, Moments
from vbn.model.fit import (
    EpochInfo,
    Network,
    build_network,
    check_finite,
    lower_bound,
    relation_bound,
    relation_cells,
    run_epoch,
    train,
)
from vbn.model.graph import Graph
from vbn.model.likelihoods import (
    DIRECT_CELLS,
    BiasInputs,
    Bilinear,
    Cooccurrence,
    EntityCells,
    EntityInputs,
    Explained,
    RelationCells,
    no_relations,
    project,
)
from vbn.model.posterior import (
    BIAS_PRIORS,
    Blueprint,
    Posterior,
    RelationBlocks,
    RelationInfo,
    carry,
    common_places,
    placeholder,
    start,
)
from vbn.model.precisions import COLD_PRECISIONS, KINDS, Gamma, Hyperpriors, Measured
from vbn.model.priors import PRIORS, Centre, Constant, Hierarchy, Prior, Setting, Share, Sum, Zero, register
from vbn.model.profile import Profile, lengths, log_popularity
from vbn.model.readout import relation_vectors, smoothed
from vbn.model.side import COLUMN, ROW, Side
from vbn.model.streaming import continued, past_of, sites_of
from vbn.model.trained import Half, Trained
from vbn.model.validation import Validation

__all__ = [
    "BIAS_PRIORS",
    "COLD_PRECISIONS",
    "COLUMN",
    "DIRECT_CELLS",
    "KINDS",
    "MEAN",
    "PLAIN",
    "PRIORS",
    "RATE",
    "ROW",
    "VARIANCE",
    "BiasInputs",
    "Bilinear",
    "Block",
    "Blueprint",
    "Centre",
    "Constant",
    "Cooccurrence",
    "DrawnSample",
    "Engine",
    "EntityCells",
    "EntityInputs",
    "EpochData",
    "EpochInfo",
    "Explained",
    "Field",
    "Gamma",
    "Gaussians",
    "GivenSample",
    "Graph",
    "Half",
    "Hierarchy",
    "Holder",
    "Hyperpriors",
    "Measured",
    "Moments",
    "Network",
    "Plan",
    "Posterior",
    "Prior",
    "Profile",
    "Range",
    "RelationBlocks",
    "RelationCells",
    "RelationInfo",
    "RunningAverage",
    "Setting",
    "Share",
    "Side",
    "Sites",
    "Sum",
    "Trained",
    "Validation",
    "Zero",
    "build_network",
    "carry",
    "check_finite",
    "common_places",
    "continued",
    "grouped",
    "lengths",
    "log_popularity",
    "lower_bound",
    "no_relations",
    "past_of",
    "placeholder",
    "project",
    "register",
    "relation_bound",
    "relation_cells",
    "relation_vectors",
    "run_epoch",
    "sites_of",
    "smoothed",
    "start",
    "train",
]
