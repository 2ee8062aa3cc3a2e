"""Tasks on method names, as ReName4J (2023) defines them: check a name, and recommend one.

This module registers the tasks on Liu et al.'s data (ICSE 2019): ``names/liu/check``,
``names/liu/recommend``, ``names/liu/check-by-name``, each also with comments (``-commented``).
``task.py`` has the tasks on built data sets: ``renames/check/balanced`` and others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from codeacumen.api import Task
from codeacumen.datasets import find_dataset
from codeacumen.registry import task
from codeacumen.tasks.base import TaskInfo

CHECK, RECOMMEND, BY_NAME = "check", "recommend", "check-by-name"
_SUMMARIES = {
    CHECK: "Check whether a method's name fits",
    RECOMMEND: "Recommend a name for a method",
    BY_NAME: "Check a method's name by the name that a model predicts",
}
_TITLES = {CHECK: "check", RECOMMEND: "recommend", BY_NAME: "check by name"}
# End of the names of tasks whose methods keep their comments.
COMMENTED = "-commented"


@dataclass(frozen=True, slots=True)
class _LiuTask:
    """Constructor of a task on Liu's data; ``question`` is a key of ``_SUMMARIES``."""

    question: str
    has_comments: bool

    @property
    def name(self) -> str:
        return f"names/liu/{self.question}{COMMENTED if self.has_comments else ''}"

    @property
    def summary(self) -> str:
        with_comments = ", with comments" if self.has_comments else ""
        return f"{_SUMMARIES[self.question]} (Liu et al.{with_comments})"

    def __call__(self) -> Task:
        from codeacumen.benchmarks.rename4j.cases import FIRST_TAGS, WITHOUT_LARGE, load_liu_cases
        from codeacumen.benchmarks.rename4j.task import make_name_task
        from codeacumen.tasks.kinds import JudgingByNameTask, JudgingTask, NamingTask

        kinds = {CHECK: JudgingTask, RECOMMEND: NamingTask, BY_NAME: JudgingByNameTask}
        data = find_dataset("liu2019")
        suffix = ", commented" if self.has_comments else ""
        info = TaskInfo(
            name=self.name,
            title=f"Names, Liu: {_TITLES[self.question]}{suffix}",
            summary=self.summary,
            version="2",  # In version 1, the ids revealed the label.
            dataset=data.name,
            citation=data.citation,
            slices=(WITHOUT_LARGE, *FIRST_TAGS),
        )
        # The tasks with a name under test mask both names of a rename.
        masked_for = RECOMMEND if self.question == RECOMMEND else CHECK
        load = partial(load_liu_cases, masked_for, comments=self.has_comments)
        fingerprint = data.files[0].sha256
        return make_name_task(kinds[self.question], info, load, fingerprint=fingerprint)


def read_published_lengths() -> dict[str, dict[str, float]]:
    """Return the published mean lengths of names, in characters and in subtokens, by data set."""
    from codeacumen.tasks.published import read_published

    lengths: dict[str, dict[str, float]] = {}
    for row in read_published(__name__, "lengths"):
        lengths.setdefault(row["names"], {})[row["unit"]] = float(row["value"])
    return lengths


for _question in _SUMMARIES:
    for _has_comments in (False, True):
        _liu_task = _LiuTask(_question, _has_comments)
        task(_liu_task.name, summary=_liu_task.summary)(_liu_task)
