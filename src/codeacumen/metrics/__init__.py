"""Metrics: pure functions of truths, answers and weights; see ``codeacumen.api.Metric``."""

from codeacumen.metrics.changes import change_metrics, prediction_change
from codeacumen.metrics.metric import (
    JointMetric,
    MeanMetric,
    accuracy,
    character_bleu,
    exact_match,
    roc_auc,
    spearman,
)
from codeacumen.metrics.readings import ReadMetric, read_metric, target

__all__ = [
    "JointMetric",
    "MeanMetric",
    "ReadMetric",
    "accuracy",
    "change_metrics",
    "character_bleu",
    "exact_match",
    "prediction_change",
    "read_metric",
    "roc_auc",
    "spearman",
    "target",
]
