"""Liu et al.'s 2,805 methods as cases: half under a name that a commit changed later, half under
the name that a commit gave.

Projects are not independent of their forks (``tomcat60`` to ``tomcat85``): those that share a
case, source and class and all, are one cluster. Two projects, odftoolkit and ignite, have 781 of
the cases; a slice leaves them out.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from acumen.datasets import require
from acumen.datasets.liu2019 import Renamed, read_renamed
from acumen.tasks.names.cases import Case, first_tag
from acumen.tasks.names.texts import asked_text

LARGE = ("odftoolkit", "ignite")
WITHOUT_LARGE = "without odftoolkit and ignite"


def families(methods: Sequence[Renamed]) -> dict[str, str]:
    """For each project the first of those that it shares a case with, in the alphabet."""
    above: dict[str, str] = {}

    def top(project: str) -> str:
        while above.setdefault(project, project) != project:
            project = above[project]
        return project

    first: dict[tuple[str, ...], str] = {}
    for one in methods:
        mine = top(one.project)
        other = top(first.setdefault((one.owner, one.buggy, one.fixed, one.code), mine))
        above[max(mine, other)] = min(mine, other)
    return {project: top(project) for project in sorted(above)}


def liu_cases(asked: str, *, comments: bool) -> Sequence[Case]:
    """The cases of one question: ``check`` masks both names and ``recommend`` the right one."""
    return _cases(require("liu2019"), asked, comments)


@lru_cache(maxsize=4)
def _cases(folder: Path, asked: str, comments: bool) -> tuple[Case, ...]:
    methods = read_renamed(folder)
    cluster = families(methods)
    return tuple(
        Case(
            id=one.id,
            text=asked_text(
                one.code,
                one.fixed,
                (one.buggy,) if asked == "check" else (),
                comments=comments,
            ),
            tested=one.tested,
            fixed=one.fixed,
            consistent=one.consistent,
            cluster=cluster[one.project],
            tags=_tags(one, one.tested if asked == "check" else one.fixed),
            context={"type": one.owner, "package": one.package, "project": one.project},
        )
        for one in methods
    )


def _tags(one: Renamed, name: str) -> frozenset[str]:
    small = () if one.project in LARGE else (WITHOUT_LARGE,)
    return frozenset((first_tag(name), *small))
