"""What comes out: predictions, neighbours, relation queries, densities of entities added later."""

from vbn.inference._adding import add_entities
from vbn.inference._calibration import LabelledPairs, best_temperature, labelled_pairs, pair_logits
from vbn.inference._density import Density
from vbn.inference._dial import Dial, read_dial
from vbn.inference._expected import Expected, expected_cooccurrences, expected_relations
from vbn.inference._explaining import TrainingCells, explain
from vbn.inference._explanation import Explanation
from vbn.inference._folding import average, both, check_averages, contexts_of, fold_in
from vbn.inference._neighbours import similar, top
from vbn.inference._newcomers import read_newcomers
from vbn.inference._predictive import (
    logit,
    pair_scores,
    probability,
    probability_interval,
    probability_std,
    relation_scores,
)
from vbn.inference._ranking import Hidden, rank, tables
from vbn.inference._readout import check_readout, read_out
from vbn.inference._related import related, relation_moments
from vbn.inference._reliability import Bin, Reliability
from vbn.inference._remembering import with_added
from vbn.inference._spread import full_variances
from vbn.inference._table import Row, Table, Tables

__all__ = [
    "Bin",
    "Density",
    "Dial",
    "Expected",
    "Explanation",
    "Hidden",
    "LabelledPairs",
    "Reliability",
    "Row",
    "Table",
    "Tables",
    "TrainingCells",
    "add_entities",
    "average",
    "best_temperature",
    "both",
    "check_averages",
    "check_readout",
    "contexts_of",
    "expected_cooccurrences",
    "expected_relations",
    "explain",
    "fold_in",
    "full_variances",
    "labelled_pairs",
    "logit",
    "pair_logits",
    "pair_scores",
    "probability",
    "probability_interval",
    "probability_std",
    "rank",
    "read_dial",
    "read_newcomers",
    "read_out",
    "related",
    "relation_moments",
    "relation_scores",
    "similar",
    "tables",
    "top",
    "with_added",
]
