"""Metrics: pure functions of truths, answers and weights."""

from acumen.metrics.changes import change_metrics, prediction_change
from acumen.metrics.metric import accuracy, roc_auc, spearman

__all__ = ["accuracy", "change_metrics", "prediction_change", "roc_auc", "spearman"]
