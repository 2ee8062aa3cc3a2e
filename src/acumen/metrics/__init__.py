"""Metrics: pure functions of truths, answers and weights."""

from acumen.metrics.changes import change_metrics, prediction_change
from acumen.metrics.metric import accuracy, character_bleu, exact_match, roc_auc, spearman

__all__ = [
    "accuracy",
    "change_metrics",
    "character_bleu",
    "exact_match",
    "prediction_change",
    "roc_auc",
    "spearman",
]
