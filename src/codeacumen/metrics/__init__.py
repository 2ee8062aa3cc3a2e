"""Metrics: pure functions of truths, answers and weights; see ``codeacumen.api.Metric``."""

from codeacumen.metrics.general import (
    JointMetric,
    MeanMetric,
    ReadingMetric,
    accuracy,
    character_bleu,
    exact_match,
    make_reading_metric,
    roc_auc,
    spearman,
    target_value,
)
from codeacumen.metrics.prediction_change import change_metrics, prediction_change

__all__ = [
    "JointMetric",
    "MeanMetric",
    "ReadingMetric",
    "accuracy",
    "change_metrics",
    "character_bleu",
    "exact_match",
    "make_reading_metric",
    "prediction_change",
    "roc_auc",
    "spearman",
    "target_value",
]
