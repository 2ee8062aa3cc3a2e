"""Choice: which of a few labels fits a text?"""

from __future__ import annotations

from codeacumen.api import Capability, EvaluationSet, Metric
from codeacumen.metrics import accuracy
from codeacumen.tasks.base import StandardTask


class ChoiceTask(StandardTask):
    """Choose a label (``Question``); truths are labels."""

    capability = Capability.CLASSIFY
    metric: Metric = accuracy
    evaluation_set = EvaluationSet("all", "every instance; one without an answer is wrong")
