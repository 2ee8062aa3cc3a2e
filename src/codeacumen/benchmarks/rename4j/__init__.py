"""Tasks on method names, as ReName4J (2023) defines them: check a name, and recommend one.

This module registers the tasks on Liu et al.'s data (ICSE 2019): ``names/liu/check``,
``names/liu/recommend``, ``names/liu/check-by-name``, each also with comments (``-commented``).
``task.py`` has those on a built data set: ``renames/check/balanced`` and others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from codeacumen.api import Task
from codeacumen.datasets import dataset
from codeacumen.registry import task
from codeacumen.tasks.base import TaskInfo

CHECK, RECOMMEND, BY_NAME = "check", "recommend", "check-by-name"
_SUMMARIES = {
    CHECK: "Does this name fit this method?",
    RECOMMEND: "What is this method called?",
    BY_NAME: "Does this name fit this method? Derived from the name that a model predicts",
}
_TITLES = {CHECK: "check", RECOMMEND: "recommend", BY_NAME: "check by name"}
COMMENTED = "-commented"


@dataclass(frozen=True, slots=True)
class _Liu:
    """Constructor of a task on Liu's data."""

    asked: str
    comments: bool

    @property
    def name(self) -> str:
        return f"names/liu/{self.asked}{COMMENTED if self.comments else ''}"

    @property
    def summary(self) -> str:
        with_comments = ", with comments" if self.comments else ""
        return f"{_SUMMARIES[self.asked]} (Liu et al.{with_comments})"

    def __call__(self) -> Task:
        from codeacumen.benchmarks.rename4j.cases import FIRST_TAGS, WITHOUT_LARGE, liu_cases
        from codeacumen.benchmarks.rename4j.task import make_name_task
        from codeacumen.tasks.judging import JudgingByNameTask, JudgingTask
        from codeacumen.tasks.naming import NamingTask

        kinds = {CHECK: JudgingTask, RECOMMEND: NamingTask, BY_NAME: JudgingByNameTask}
        data = dataset("liu2019")
        info = TaskInfo(
            name=self.name,
            title=f"Names, Liu: {_TITLES[self.asked]}{', commented' if self.comments else ''}",
            summary=self.summary,
            dataset=data.name,
            citation=data.citation,
            slices=(WITHOUT_LARGE, *FIRST_TAGS),
        )
        masked_for = RECOMMEND if self.asked == RECOMMEND else CHECK
        load = partial(liu_cases, masked_for, comments=self.comments)
        fingerprint = data.files[0].sha256
        return make_name_task(kinds[self.asked], info, load, fingerprint=fingerprint)


for _asked in _SUMMARIES:
    for _comments in (False, True):
        _liu = _Liu(_asked, _comments)
        task(_liu.name, summary=_liu.summary)(_liu)
