"""Naming: what is a method called?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from codeacumen.api import Answer, Capability, EvaluationSet, Instance, Metric
from codeacumen.metrics.naming import name_f1, naming_metrics
from codeacumen.tasks.base import StandardTask, fill_missing_answers
from codeacumen.text.subtokens import split_subtokens


class NamingTask(StandardTask):
    """Name methods (``Method``, the name masked); truths are names."""

    capability = Capability.NAME
    metric: Metric = name_f1(split_subtokens)
    metrics: Sequence[Metric] = naming_metrics(split_subtokens)
    evaluation_set = EvaluationSet("all", "every method; silence is an empty name")

    def postprocess_answers(
        self, instances: Sequence[Instance], answers: Mapping[str, Answer]
    ) -> dict[str, Answer]:
        """A missing answer is an empty name, so that the subtokens it lacks are counted."""
        return fill_missing_answers(instances, answers, lambda instance: "")
