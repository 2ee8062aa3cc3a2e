"""Choice: which of a few labels fits a text?"""

from __future__ import annotations

from codeacumen.api import Convention, Face, Metric
from codeacumen.metrics import accuracy
from codeacumen.tasks.base import StandardTask


class ChoiceTask(StandardTask):
    """Choose a label (``Question``); truths are labels."""

    face = Face.CLASSIFY
    metric: Metric = accuracy
    convention = Convention("all", "every instance; one without an answer is wrong")
