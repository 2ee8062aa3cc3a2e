"""Cases of the name tasks, a masked method and a name under test each, and those of Liu et al.

For a recommendation, all occurrences of the method's own name are masked (``views.masking.text``).
For a check, both names of a rename are masked, because the text must not depend on which of them is
under test. If only the right name were masked, the name under test would occur in the source of
wrongly named methods that call themselves, and never in that of rightly named methods. Comments are
removed unless requested: those of Liu's methods were written after the rename, and paraphrase the
new name.

Liu et al.'s test data are 2,805 Java methods, each with its name before or after a commit that
changed nothing but the name. The name before the commit is inconsistent, the name after it
consistent; half of the methods are under test with the name before, half with the name after.
Projects are not independent of their forks (``tomcat60`` to ``tomcat85``), so projects that share a
case, with the same names, source and class, are one cluster. Two projects, odftoolkit and ignite,
have 781 of the cases; one slice excludes them.

Liu's ``methods.jsonl`` was joined from five files of their repository (``Data/TestData``), which
have the methods' sources in another order than the other data. So a line may have the source of
another method with the same name and parameters: in 40 lines, the source has another return type
than the line states. The joining program is not published, so the file cannot be fetched;
``codeacumen dataset get liu2019 --from DIR`` installs a copy.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from codeacumen.api import CodeacumenError, Json, Method
from codeacumen.datasets import require_dataset
from codeacumen.tasks.base import make_neutral_id
from codeacumen.tasks.contexts import TextContext
from codeacumen.text.subtokens import split_subtokens
from codeacumen.views.masking.levels import UNCOMMENTED, show_level

# First words of names that are frequent enough for a slice of their own.
FIRST_WORDS = ("get", "is", "set", "do", "add", "create", "to", "has")
OTHER = "other"


@dataclass(frozen=True, slots=True)
class Case:
    """A masked method with a name under test.

    ``text`` is masked; ``tested`` is the name under test and ``fixed`` the right one; they are
    equal if the name is ``consistent``. ``context`` has the ``type``, ``package`` and ``project``.
    Cases of one ``cluster`` are resampled together; ``tags`` are the slices that have the case.
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


LoadCases = Callable[[], Sequence[Case]]


def make_first_tag(name: str) -> str:
    """Return the tag, and slice, of a name's first word; rare words share ``first:other``."""
    words = split_subtokens(name)
    first = words[0].lower() if words else OTHER
    return f"first:{first if first in FIRST_WORDS else OTHER}"


FIRST_TAGS = tuple(f"first:{word}" for word in (*FIRST_WORDS, OTHER))


def make_text_context(load: LoadCases) -> TextContext:
    """Return the code context of cases: the masked text, the type, the package and the project.

    The data does not have the other methods of the file.
    """
    return TextContext(lambda: {case.id: (case.text, case.context) for case in load()})


_OVERRIDE = re.compile(r"@(?:java\.lang\.)?Override\b(?!\.)\s*")


def mask_names(
    code: str, declared: str, others: Sequence[str] = (), *, comments: bool = False
) -> str:
    """Return a method's source with its declared name masked, and other names of methods in it.

    ``declared`` is the name in the source, ``others`` are the further names to mask. Comments are
    removed unless ``comments`` is set.
    """
    from codeacumen.views.masking.text import mask_in_other_method, mask_snippet, mask_words

    text = mask_snippet(code if comments else show_level(code, UNCOMMENTED), declared)
    for name in others:
        if name and name != declared:
            masked_text = mask_in_other_method(text, name)
            # In a text that does not parse, mask every occurrence of the word.
            text = mask_words(text, name) if masked_text is None else masked_text
    return normalize_indentation(text)


def remove_override(code: str) -> str:
    """Return code without ``@Override``.

    Liu's sources lack it, so its presence would reveal the methods of a corpus.
    """
    return _OVERRIDE.sub("", code)


def normalize_indentation(text: str) -> str:
    """Return a text without surrounding space and without the indentation of its last line.

    Otherwise the indentation that remains of the file would distinguish Liu's methods from those of
    a corpus.
    """
    lines = [line.rstrip() for line in text.strip().splitlines()]
    if not lines:
        return ""
    indentation = lines[-1][: len(lines[-1]) - len(lines[-1].lstrip())]
    return "\n".join([lines[0], *(line.removeprefix(indentation) for line in lines[1:])])


METHODS = "methods.jsonl"


@dataclass(frozen=True, slots=True)
class RenamedMethod:
    """A method of Liu et al.'s data with its names before (``buggy``) and after (``fixed``).

    ``id`` is the number of the line; the last lines all have the same label, so instances have
    other ids. ``code`` is the source after the rename, with its comment. ``tested`` is the name
    under test, one of the two. ``buggy`` is joined from the authors' subtokens, which lack digits
    and most underscores.
    """

    id: str
    project: str
    package: str
    owner: str
    buggy: str
    fixed: str
    tested: str
    consistent: bool
    code: str


@lru_cache(maxsize=2)
def read_renamed(folder: Path) -> tuple[RenamedMethod, ...]:
    """Return all methods of Liu et al.'s data, in the order of the file."""
    path = folder / METHODS
    methods: list[RenamedMethod] = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            methods.append(_parse_row(json.loads(line)))
        except (ValueError, KeyError, TypeError) as error:
            raise CodeacumenError(
                f"{path}, line {number}: {type(error).__name__}: {error}",
                "run `codeacumen dataset get liu2019 --from DIR` again",
            ) from error
    return tuple(methods)


def _parse_row(row: dict[str, Json]) -> RenamedMethod:
    buggy, fixed = "".join(row["buggy_name"]), "".join(row["fixed_name"])
    consistent = row["label"] == "consistent"
    return RenamedMethod(
        id=f"liu-{row['id']:04d}",
        project=row["project"],
        package=row["package"],
        owner=row["class_name"],
        buggy=buggy,
        fixed=row["method_name"],
        tested=fixed if consistent else buggy,
        consistent=consistent,
        code=row["code"],
    )


# Projects with more than a quarter of the cases.
LARGE = ("odftoolkit", "ignite")
WITHOUT_LARGE = "without odftoolkit and ignite"


def find_project_families(methods: Sequence[RenamedMethod]) -> dict[str, str]:
    """Return for each project the alphabetically first project of its family.

    A family is a connected component of projects that share cases, found with union-find.
    """
    parents: dict[str, str] = {}

    def find_root(project: str) -> str:
        while parents.setdefault(project, project) != project:
            project = parents[project]
        return project

    first_projects: dict[tuple[str, ...], str] = {}
    for method in methods:
        root = find_root(method.project)
        # The first project with the same case; this project itself if the case is new.
        other_root = find_root(
            first_projects.setdefault((method.owner, method.buggy, method.fixed, method.code), root)
        )
        parents[max(root, other_root)] = min(root, other_root)
    return {project: find_root(project) for project in sorted(parents)}


def load_liu_cases(question: str, *, comments: bool) -> Sequence[Case]:
    """Return the cases of a question: ``check`` masks both names, ``recommend`` the right one."""
    return _load_cases(require_dataset("liu2019"), question, comments)


@lru_cache(maxsize=4)
def _load_cases(folder: Path, question: str, comments: bool) -> tuple[Case, ...]:
    methods = read_renamed(folder)
    family_by_project = find_project_families(methods)
    return tuple(
        Case(
            id=make_neutral_id("names/liu", method.id, method.code),
            text=mask_names(
                method.code,
                method.fixed,
                (method.buggy,) if question == "check" else (),
                comments=comments,
            ),
            tested=method.tested,
            fixed=method.fixed,
            consistent=method.consistent,
            cluster=family_by_project[method.project],
            tags=_make_tags(method, method.tested if question == "check" else method.fixed),
            context={"type": method.owner, "package": method.package, "project": method.project},
        )
        for method in methods
    )


def _make_tags(method: RenamedMethod, name: str) -> frozenset[str]:
    small = () if method.project in LARGE else (WITHOUT_LARGE,)
    return frozenset((make_first_tag(name), *small))
