"""What comes out: predictions, neighbours, relation queries, explanations, and densities of entities added later."""

from vbn.inference.adding import add_entities, with_added
from vbn.inference.calibration import Bin, LabelledPairs, Reliability, best_temperature, labelled_pairs, pair_logits
from vbn.inference.expected import Expected, expected_cooccurrences, expected_relations
from vbn.inference.explaining import TrainingCells, explain, explain_moves
from vbn.inference.explanation import Explanation
from vbn.inference.folding import average, both, check_averages, contexts_of, fold_in
from vbn.inference.neighbours import by_cosine, check_readout, cosine_std, read_out, similar, top
from vbn.inference.newcomers import NewEntity, read_newcomers
from vbn.inference.predictive import (
    full_variances,
    pair_scores,
    probability,
    probability_interval,
    probability_std,
    relation_moments,
    relation_scores,
    stiffness,
)
from vbn.inference.ranking import Dial, Hidden, Ranked, rank, read_dial, tables
from vbn.inference.relating import KNOWN, Asked, related
from vbn.inference.table import Density, Related, RelatedRow, Row, Table, Tables
from vbn.kernels import damping, logit

__all__ = [
    "KNOWN",
    "Asked",
    "Bin",
    "Density",
    "Dial",
    "Expected",
    "Explanation",
    "Hidden",
    "LabelledPairs",
    "NewEntity",
    "Ranked",
    "Related",
    "RelatedRow",
    "Reliability",
    "Row",
    "Table",
    "Tables",
    "TrainingCells",
    "add_entities",
    "average",
    "best_temperature",
    "both",
    "by_cosine",
    "check_averages",
    "check_readout",
    "contexts_of",
    "cosine_std",
    "damping",
    "expected_cooccurrences",
    "expected_relations",
    "explain",
    "explain_moves",
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
    "stiffness",
    "tables",
    "top",
    "with_added",
]
