"""Names of a repository's own history that turned out wrong, and such that stayed.

A method that was renamed, under its old name and with its body, is a wrong name; a method of the
same files that kept its name and body is a right one. Each is judged as it was then, beside the
methods that stood beside it then, by a model that knows stable methods of other files only: what is
in the file of a case never helps to judge it.
"""

from __future__ import annotations

import hashlib
import pickle
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import pygit2

from acumen.checker.assess import Assessor, assessor
from acumen.core.progress import Progress
from acumen.corpus.reading import LARGEST, Problem, read_source
from acumen.corpus.sources.git_tree import GitRoot
from acumen.lang.java.file import JavaFile
from acumen.models.naming.facts import Facts, facts_of
from acumen.renames.records import RENAMES, STABLE, Rename, StableMethod, read_renames, read_stable

# Renames that say nothing about whether a name fits, or that no checker could foresee.
LEFT_OUT = frozenset((
    "typo", "case", "test", "example", "generated", "reverted", "ambiguous", "override", "mass",
    "no-body", "empty", "anonymous",
))  # fmt: skip
FOLDS = 5
# Versions of files that are looked at; more would take minutes and tell little more.
MOST = 2000

# A file as it was: the commit and its path there.
Version: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Case:
    """``file``: the path it has after the rename, by which it belongs to a fold."""

    version: Version
    file: str
    owner: str
    name: str
    parameters: tuple[str, ...]
    wrong: bool


@dataclass(frozen=True, slots=True)
class Judged:
    case: Case
    probability: float


@dataclass(frozen=True, slots=True)
class Cases:
    cases: list[Case]
    left_out: Counter[str]


def cases_of(mined: Path) -> Cases:
    """From what ``acumen names mine`` wrote."""
    left_out: Counter[str] = Counter()
    found: list[Case] = []
    for rename in read_renames(mined / RENAMES):
        tags = sorted(LEFT_OUT.intersection(rename.tags))
        if tags:
            left_out[tags[0]] += 1
        else:
            found.append(_wrong(rename))
    files = {one.file for one in found}
    found += [
        _right(one)
        for one in read_stable(mined / STABLE)
        if one.path in files and not LEFT_OUT.intersection(one.tags)
    ]
    return Cases(found, left_out)


def _wrong(one: Rename) -> Case:
    version = (one.parent, one.path_before)
    return Case(version, one.path, one.owner, one.old_name, one.parameters, True)


def _right(one: StableMethod) -> Case:
    version = (one.commit, one.path)
    return Case(version, one.path, one.owner, one.name, one.parameters, False)


def judged(
    repository: Path, cases: Sequence[Case], background: str, step: Progress
) -> list[Judged]:
    """Each case that is found in its file, in the order of files and versions."""
    by_version: dict[Version, list[Case]] = {}
    for case in cases:
        by_version.setdefault(case.version, []).append(case)
    versions = _chosen(by_version)
    place = Path(pygit2.Repository(str(repository)).path)
    facts: dict[Version, list[Facts]] = {}
    found: dict[Version, list[tuple[Case, Facts]]] = {}
    for number, version in enumerate(versions):
        step("reading", number, len(versions))
        facts[version], found[version] = _methods(place, version, by_version[version])
    told: list[Judged] = []
    for number in range(FOLDS):
        step("judging", number, FOLDS)
        own = [one for one in versions if _fold(by_version[one][0].file) == number]
        told += _fold_judged(own, facts, found, number, background)
    return told


def _chosen(by_version: dict[Version, list[Case]]) -> list[Version]:
    """Those with a wrong name first, if there are too many; the same each time."""

    def order(version: Version) -> tuple[bool, str]:
        digest = hashlib.sha256("\0".join(version).encode("utf-8", "surrogatepass")).hexdigest()
        return not any(case.wrong for case in by_version[version]), digest

    return sorted(sorted(by_version, key=order)[:MOST])


def _fold(path: str) -> int:
    digest = hashlib.sha256(path.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % FOLDS


def _methods(
    place: Path, version: Version, cases: Iterable[Case]
) -> tuple[list[Facts], list[tuple[Case, Facts]]]:
    """The methods of a file as it was, and the cases among them."""
    commit, path = version
    data = GitRoot(place, commit).read(path, LARGEST)
    source = data if isinstance(data, Problem) else read_source(path, data)
    if isinstance(source, Problem):
        return [], []
    file = JavaFile(source.data)
    # Two versions of one file are two files to the model.
    facts = facts_of(file, f"{path}\0{commit}")
    named: dict[tuple[str, str, tuple[str, ...]], Facts] = {}
    for one in facts:
        method = file.declarations.methods[one.place]
        owner = ".".join(file.declarations.path(method.type))
        kinds = tuple(parameter.type for parameter in method.parameters)
        named.setdefault((owner, one.name, kinds), one)
    keys = [(case, (case.owner, case.name, case.parameters)) for case in cases]
    return facts, [(case, named[key]) for case, key in keys if key in named]


def _fold_judged(
    versions: Sequence[Version], facts: dict[Version, list[Facts]],
    found: dict[Version, list[tuple[Case, Facts]]], number: int, background: str,
) -> list[Judged]:  # fmt: skip
    model = assessor(background)
    known: list[Facts] = []
    for version in sorted(found):
        for case, one in found[version]:
            # Under one path, each method of a file counts once, from whichever version.
            if not case.wrong and _fold(case.file) != number:
                known.append(replace(one, path=f"{case.file}\0{version[0]}"))
    model.learn(known)
    kept = pickle.dumps(model)
    told: list[Judged] = []
    for version in versions:
        beside: Assessor = pickle.loads(kept)
        beside.learn(facts[version])
        verdicts = beside.assess([one for _, one in found[version]])
        told += [
            Judged(case, 0.0 if verdict is None else verdict.wrong)
            for (case, _), verdict in zip(found[version], verdicts, strict=True)
        ]
    return told
