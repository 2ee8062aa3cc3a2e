"""Pairs: how close are two identifiers, or two methods?"""

from __future__ import annotations

from codeacumen.api import Capability, EvaluationSet, Metric
from codeacumen.metrics import spearman
from codeacumen.tasks.base import StandardTask


class PairTask(StandardTask):
    """Score pairs (``Pair``); truths are numbers, or objects with several readings."""

    capability = Capability.SIMILARITY
    metric: Metric = spearman
    evaluation_set = EvaluationSet("own", "every pair the model itself scores")
