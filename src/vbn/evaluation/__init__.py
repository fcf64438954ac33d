"""What a model is worth: splits, metrics, and the four tasks of `vbn evaluate`."""

from vbn.evaluation._metrics import (
    area_under_curve,
    calibration_error,
    hit_rate,
    mean_log_probability,
    mean_percentile_rank,
    ndcg,
    recall,
    spearman,
)
from vbn.evaluation._pairs import evaluate_pairs
from vbn.evaluation._ranking import evaluate_recommendation
from vbn.evaluation._relation import evaluate_relation
from vbn.evaluation._similarity import evaluate_similarity
from vbn.evaluation._split import hold_out

__all__ = [
    "area_under_curve",
    "calibration_error",
    "evaluate_pairs",
    "evaluate_recommendation",
    "evaluate_relation",
    "evaluate_similarity",
    "hit_rate",
    "hold_out",
    "mean_log_probability",
    "mean_percentile_rank",
    "ndcg",
    "recall",
    "spearman",
]
