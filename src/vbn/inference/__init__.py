"""What comes out: predictions, neighbours, relation queries, explanations, and densities of entities added later."""

from vbn.inference.adding import add_entities, with_added
from vbn.inference.aligning import TOLERANCE, Aligned, aligned, comparable
from vbn.inference.audience import audience, rows_with
from vbn.inference.auditing import Audit, Finding, Suggestion, Suggestions, audit, judge_edges, suggest_parents
from vbn.inference.calibration import Bin, LabelledPairs, Reliability, best_line, labelled_pairs, pair_logits
from vbn.inference.dials import (
    DIALS,
    FAVOURS,
    TAILS,
    Cases,
    best_dial,
    objectives,
    rare_targets,
    smooth_worth_of,
    worth_of,
)
from vbn.inference.encoding import text_sources, with_encoded_texts
from vbn.inference.expected import Expected, expected_cooccurrences, expected_relations
from vbn.inference.explaining import TrainingCells, explain, explain_moves
from vbn.inference.explanation import Explanation
from vbn.inference.folding import average, both, check_averages, contexts_of, fold_in, folded_cells
from vbn.inference.forgetting import forget
from vbn.inference.html import html_table
from vbn.inference.mixing import pair_probabilities
from vbn.inference.neighbours import by_cosine, cosine_std, similar, similarity, top
from vbn.inference.newcomers import NewEntity, read_contexts, read_new, read_newcomers
from vbn.inference.observing import Cells, Kept, counts_both_ways, kept_with, known_events, observe
from vbn.inference.occurrences import Sense, SenseOf, Senses, SensesOf, Split, sense_of, senses, split_occurrences
from vbn.inference.predictive import (
    AllColumns,
    full_variances,
    pair_scores,
    relation_moments,
    relation_scores,
    stiffness,
)
from vbn.inference.ranking import RANK_BY, Dial, Hidden, Ranked, rank, read_dial, tables
from vbn.inference.reasons import Asking, Reasons, Term, give_reasons
from vbn.inference.relating import KNOWN, Asked, related
from vbn.inference.roles import (
    Pool,
    as_categories,
    check_readout,
    read_min_count,
    read_out,
    read_pool,
    resolved_readout,
    stand_ins,
)
from vbn.inference.table import Density, Frames, Related, RelatedRow, Row, Similarity, Table, Tables
from vbn.kernels import damping, logit

__all__ = [
    "DIALS",
    "FAVOURS",
    "KNOWN",
    "RANK_BY",
    "TAILS",
    "TOLERANCE",
    "Aligned",
    "AllColumns",
    "Asked",
    "Asking",
    "Audit",
    "Bin",
    "Cases",
    "Cells",
    "Density",
    "Dial",
    "Expected",
    "Explanation",
    "Finding",
    "Frames",
    "Hidden",
    "Kept",
    "LabelledPairs",
    "NewEntity",
    "Pool",
    "Ranked",
    "Reasons",
    "Related",
    "RelatedRow",
    "Reliability",
    "Row",
    "Sense",
    "SenseOf",
    "Senses",
    "SensesOf",
    "Similarity",
    "Split",
    "Suggestion",
    "Suggestions",
    "Table",
    "Tables",
    "Term",
    "TrainingCells",
    "add_entities",
    "aligned",
    "as_categories",
    "audience",
    "audit",
    "average",
    "best_dial",
    "best_line",
    "both",
    "by_cosine",
    "check_averages",
    "check_readout",
    "comparable",
    "contexts_of",
    "cosine_std",
    "counts_both_ways",
    "damping",
    "expected_cooccurrences",
    "expected_relations",
    "explain",
    "explain_moves",
    "fold_in",
    "folded_cells",
    "forget",
    "full_variances",
    "give_reasons",
    "html_table",
    "judge_edges",
    "kept_with",
    "known_events",
    "labelled_pairs",
    "logit",
    "objectives",
    "observe",
    "pair_logits",
    "pair_probabilities",
    "pair_scores",
    "rank",
    "rare_targets",
    "read_contexts",
    "read_dial",
    "read_min_count",
    "read_new",
    "read_newcomers",
    "read_out",
    "read_pool",
    "related",
    "relation_moments",
    "relation_scores",
    "resolved_readout",
    "rows_with",
    "sense_of",
    "senses",
    "similar",
    "similarity",
    "smooth_worth_of",
    "split_occurrences",
    "stand_ins",
    "stiffness",
    "suggest_parents",
    "tables",
    "text_sources",
    "top",
    "with_added",
    "with_encoded_texts",
    "worth_of",
]
