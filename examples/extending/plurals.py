"""A task: choose the plural of an identifier. Each word is a cluster for the bootstrap."""

from collections.abc import Sequence

import codeacumen
from codeacumen.api import Instance, Question
from codeacumen.tasks.base import TaskInfo
from codeacumen.tasks.kinds import ChoiceTask

PLURALS = {
    "box": "boxes",
    "child": "children",
    "entry": "entries",
    "index": "indices",
    "leaf": "leaves",
    "match": "matches",
    "person": "people",
    "vertex": "vertices",
}
FRAMES = ("{}", "{}Count", "old_{}", "find_{}")


def list_instances() -> Sequence[Instance]:
    instances = []
    for singular, plural in PLURALS.items():
        for frame in FRAMES:
            choices = (singular + "s", plural, singular + "List", plural + "es")
            question = Question(frame.format(singular), tuple(map(frame.format, choices)))
            instances.append(
                Instance(question.text, question, truth=frame.format(plural), cluster=singular)
            )
    return instances


@codeacumen.task("plurals")
def make_plurals() -> ChoiceTask:
    """Choose the plural of an identifier"""
    return ChoiceTask(TaskInfo("plurals", "Plurals of identifiers"), list_instances)
