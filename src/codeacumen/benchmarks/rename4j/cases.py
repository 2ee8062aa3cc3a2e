"""Cases of the name tasks, a masked method and a name under test each, and those of Liu et al.

For a recommendation, all occurrences of the method's own name are masked (``views.masking.text``).
For a check, both names of a rename are masked, because the text must not depend on which of them is
under test. If only the right name were masked, the name under test would occur in the source of
wrongly named methods that call themselves, and never in that of rightly named ones. Comments are
removed unless requested: those of Liu's methods were written after the rename, and paraphrase the
new name.

Of Liu et al.'s 2,805 methods, half have a name that a commit changed later, half the name that a
commit introduced. Projects are not independent of their forks (``tomcat60`` to ``tomcat85``), so
projects that share a case, with the same source and class, are one cluster. Two projects,
odftoolkit and ignite, have 781 of the cases; one slice excludes them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from codeacumen.api import Json, Method
from codeacumen.benchmarks.rename4j.liu2019 import Renamed, read_renamed
from codeacumen.datasets import require
from codeacumen.tasks.contexts import TextContext
from codeacumen.text.subtokens import subtokens
from codeacumen.views.masking.levels import UNCOMMENTED, shown

# First words of names that are frequent enough for a slice of their own.
FIRST = ("get", "is", "set", "do", "add", "create", "to", "has")
OTHER = "other"


@dataclass(frozen=True, slots=True)
class Case:
    """A masked method with a name under test.

    ``text`` is masked; ``tested`` is the name under test and ``fixed`` the right one. ``context``
    has the ``type``, ``package`` and ``project``.
    """

    id: str
    text: str
    tested: str
    fixed: str
    consistent: bool
    cluster: str
    tags: frozenset[str] = frozenset()
    context: Mapping[str, Json] = field(default_factory=dict)

    @property
    def method(self) -> Method:
        return Method(self.id, self.text)


Load = Callable[[], Sequence[Case]]


def first_tag(name: str) -> str:
    """Return the slice of a name's first word."""
    words = subtokens(name)
    first = words[0].lower() if words else OTHER
    return f"first:{first if first in FIRST else OTHER}"


FIRST_TAGS = tuple(f"first:{one}" for one in (*FIRST, OTHER))


def show_cases(load: Load) -> TextContext:
    """Return the code context of cases: the masked text, the type, the package and the project.

    The data does not have the other methods of the file.
    """
    return TextContext(lambda: {case.id: (case.text, case.context) for case in load()})


_OVERRIDE = re.compile(r"@(?:java\.lang\.)?Override\b(?!\.)\s*")


def asked_text(
    code: str, declared: str, others: Sequence[str] = (), *, comments: bool = False
) -> str:
    """Return a method's source with its declared name masked, and others as names of methods."""
    from codeacumen.views.masking.text import masked, masked_other, masked_words

    text = masked(code if comments else shown(code, UNCOMMENTED), declared)
    for name in others:
        if name and name != declared:
            found = masked_other(text, name)
            # In a text that does not parse, mask every occurrence of the word.
            text = masked_words(text, name) if found is None else found
    return tidied(text)


def without_override(code: str) -> str:
    """Return code without ``@Override``.

    Liu's sources lack it, so its presence would give away the methods of a corpus.
    """
    return _OVERRIDE.sub("", code)


def tidied(text: str) -> str:
    """Return a text without surrounding space and without the indentation of its last line.

    Otherwise the way a source was cut out of its file would distinguish the two kinds of methods.
    """
    lines = [line.rstrip() for line in text.strip().splitlines()]
    if not lines:
        return ""
    indented = lines[-1][: len(lines[-1]) - len(lines[-1].lstrip())]
    return "\n".join([lines[0], *(line.removeprefix(indented) for line in lines[1:])])


LARGE = ("odftoolkit", "ignite")
WITHOUT_LARGE = "without odftoolkit and ignite"


def families(methods: Sequence[Renamed]) -> dict[str, str]:
    """Return for each project the alphabetically first one connected to it by shared cases.

    Connected components are found with union-find.
    """
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
    """Return the cases of a question: ``check`` masks both names, ``recommend`` the right one."""
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
