"""Measure what a model is worth: splits, metrics, the four tasks of `vbn evaluate`, and tuning on held-out pairs."""

from __future__ import annotations

from vbn.evaluation.metrics import (
    area_under_curve,
    calibration_error,
    coverage,
    hit_rate,
    mean_average_precision,
    mean_log_probability,
    mean_percentile_rank,
    ndcg,
    precision,
    recall,
    share_of_places,
    spearman,
)
from vbn.evaluation.ranking import evaluate_recommendation
from vbn.evaluation.space import SPACE, free_space
from vbn.evaluation.split import hold_out, known_and_wanted, pairs_of
from vbn.evaluation.tasks import evaluate_pairs, evaluate_relation, evaluate_similarity
from vbn.evaluation.trials import Trial, Trials
from vbn.evaluation.tuning import tune

__all__ = [
    "SPACE",
    "Trial",
    "Trials",
    "area_under_curve",
    "calibration_error",
    "coverage",
    "evaluate_pairs",
    "evaluate_recommendation",
    "evaluate_relation",
    "evaluate_similarity",
    "free_space",
    "hit_rate",
    "hold_out",
    "known_and_wanted",
    "mean_average_precision",
    "mean_log_probability",
    "mean_percentile_rank",
    "ndcg",
    "pairs_of",
    "precision",
    "recall",
    "share_of_places",
    "spearman",
    "tune",
]
