"""A metric: Pearson's correlation, beside Spearman's, on all tasks of IdBench."""

import numpy as np

import codeacumen
from codeacumen.api import Floats
from codeacumen.metrics import JointMetric


def compute_pearson(truths: Floats, answers: Floats, weights: Floats) -> Floats:
    """Return one correlation for each row of ``weights``, the bootstrap's resamples."""
    total = weights.sum(axis=1)
    mean_truth, mean_answer = weights @ truths / total, weights @ answers / total
    covariance = weights @ (truths * answers) / total - mean_truth * mean_answer
    variance_of_truths = weights @ truths**2 / total - mean_truth**2
    variance_of_answers = weights @ answers**2 / total - mean_answer**2
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation: Floats = covariance / np.sqrt(variance_of_truths * variance_of_answers)
    return correlation


@codeacumen.metric("pearson", tasks=["idbench"])
def make_pearson() -> JointMetric:
    """Pearson's correlation"""
    return JointMetric("pearson", "Pearson's correlation", compute_pearson)
