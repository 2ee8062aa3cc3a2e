"""Metrics: pure functions of truths, answers and weights."""

from acumen.metrics.metric import accuracy, roc_auc, spearman

__all__ = ["accuracy", "roc_auc", "spearman"]
