"""The mathematics: the posterior as plain arrays, one module per block of the paper, the bound, the fit loop."""

from vbn.model._averaging import RunningAverage
from vbn.model._bound import lower_bound
from vbn.model._cold import set_cold_densities
from vbn.model._engine import Engine
from vbn.model._entities import entity_inputs, update_entities
from vbn.model._epoch import DrawnSample, EpochData, GivenSample, Plan, Range, grouped
from vbn.model._fit import EpochInfo, build_network, check_finite, run_epoch, train
from vbn.model._graph import PartGraph
from vbn.model._growth import carry, start_from
from vbn.model._hyper import COLD_PRECISIONS, KINDS, Hyperpriors
from vbn.model._inputs import DIRECT_CELLS, BiasInputs, EntityInputs
from vbn.model._network import Network
from vbn.model._posterior import Factors, Gaussians, Part, Posterior, Scalars, flat_biases, nest_biases, start_posterior
from vbn.model._profile import Profile, lengths, log_popularity
from vbn.model._projections import project
from vbn.model._readout import smoothed
from vbn.model._relation_cells import RelationCells
from vbn.model._streaming import continued, evidence_of, past_of
from vbn.model._trained import RelationInfo, Trained
from vbn.model._validation import Validation

__all__ = [
    "COLD_PRECISIONS",
    "DIRECT_CELLS",
    "KINDS",
    "BiasInputs",
    "DrawnSample",
    "Engine",
    "EntityInputs",
    "EpochData",
    "EpochInfo",
    "Factors",
    "Gaussians",
    "GivenSample",
    "Hyperpriors",
    "Network",
    "Part",
    "PartGraph",
    "Plan",
    "Posterior",
    "Profile",
    "Range",
    "RelationCells",
    "RelationInfo",
    "RunningAverage",
    "Scalars",
    "Trained",
    "Validation",
    "build_network",
    "carry",
    "check_finite",
    "continued",
    "entity_inputs",
    "evidence_of",
    "flat_biases",
    "grouped",
    "lengths",
    "log_popularity",
    "lower_bound",
    "nest_biases",
    "past_of",
    "project",
    "run_epoch",
    "set_cold_densities",
    "smoothed",
    "start_from",
    "start_posterior",
    "train",
    "update_entities",
]
