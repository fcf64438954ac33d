"""Measure what a model is worth: splits, metrics, the four tasks of `vbn evaluate`, and tuning on held-out pairs."""

from __future__ import annotations

from vbn.evaluation.metrics import (
    area_under_curve,
    calibration_error,
    hit_rate,
    mean_log_probability,
    mean_percentile_rank,
    ndcg,
    recall,
    spearman,
)
from vbn.evaluation.ranking import evaluate_recommendation
from vbn.evaluation.space import SPACE, free_space
from vbn.evaluation.split import hold_out
from vbn.evaluation.tasks import evaluate_pairs, evaluate_relation, evaluate_similarity
from vbn.evaluation.trials import Trial, Trials
from vbn.evaluation.tuning import tune

__all__ = [
    "SPACE",
    "Trial",
    "Trials",
    "area_under_curve",
    "calibration_error",
    "evaluate_pairs",
    "evaluate_recommendation",
    "evaluate_relation",
    "evaluate_similarity",
    "free_space",
    "hit_rate",
    "hold_out",
    "mean_log_probability",
    "mean_percentile_rank",
    "ndcg",
    "recall",
    "spearman",
    "tune",
]
