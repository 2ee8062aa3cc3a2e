"""Check the method names of projects, or of a change: read, learn, judge and report.

For a change, the model learns from the whole project at the base commit, then from the changed
files. The index stores the model of the base commit, so the next change reads only its own files.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from codeacumen.api import CodeacumenError
from codeacumen.checker.assess import Assessor, assessor, background_key, without
from codeacumen.checker.files import Tree, chosen, on_disk_listed, trees
from codeacumen.checker.findings import (
    Finding,
    Known,
    Place,
    compared,
    finding,
    in_order,
    read_baseline,
)
from codeacumen.checker.index import Index, read_files
from codeacumen.checker.reading import WRITTEN, Methods
from codeacumen.checker.settings import Settings
from codeacumen.core.progress import Progress
from codeacumen.corpus.reading import Problem
from codeacumen.corpus.sources.folder import FolderRoot
from codeacumen.corpus.sources.project import Root
from codeacumen.models.method_naming.facts import Facts
from codeacumen.models.method_naming.verdict import Verdict

if TYPE_CHECKING:
    from codeacumen.engines import Engine

INLINE = "inline"
# Suffix for paths of changed files; no real path contains a NUL.
NOW = "\0now"
Touched = Callable[[str, Place], bool]


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """Request to check changes ``since`` a revision, ``staged`` changes, or else all files."""

    paths: tuple[Path, ...]
    settings: Settings
    since: str = ""
    staged: bool = False


@dataclass(slots=True)
class Report:
    """Result of a check.

    ``findings`` include the suppressed ones. ``judged`` counts the methods with a verdict; for the
    others there was too little to judge by. ``stale`` are findings of the baseline that no longer
    occur. ``skipped`` counts files by the reason for skipping them.
    """

    settings: Settings
    roots: tuple[Path, ...] = ()
    findings: list[Finding] = field(default_factory=list)
    stale: list[Known] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    files: int = 0
    methods: int = 0
    judged: int = 0

    @property
    def reported(self) -> list[Finding]:
        """Findings that no comment and no baseline suppresses."""
        return [one for one in self.findings if not one.suppressed]

    @property
    def failed(self) -> bool:
        """True if a reported finding reaches the probability ``fail_on``."""
        return any(one.probability >= self.settings.fail_on for one in self.reported)


def check(
    request: CheckRequest, home: Path, engine: Callable[[], Engine], step: Progress
) -> Report:
    """Check the projects of a request and return the report.

    ``home`` is codeacumen's own folder, where the index lies. ``engine`` starts worker processes;
    it is called only if many files must be read.
    """
    settings = request.settings
    known = read_baseline(settings.baseline) if settings.baseline else []
    found = trees(request.paths)
    report = Report(settings, tuple(tree.root for tree in found))
    looked_at: list[str] = []
    findings: list[Finding] = []
    for tree in found:
        # With several projects, paths begin with the folder of their project.
        prefix = os.path.relpath(tree.root).replace(os.sep, "/") + "/" if len(found) > 1 else ""
        index = Index(home, tree.root)
        try:
            if request.since or request.staged:
                methods, model, touched = _change(request, tree, index, engine, step, report)
            else:
                methods, model, touched = read_project(settings, tree, index, engine, step, report)
        finally:
            index.close()
        looked_at += [prefix + path for path in methods]
        findings += [
            replace(one, path=prefix + one.path)
            for one in _found(methods, model, touched, settings, report, step)
        ]
    is_change = bool(request.since) or request.staged
    if is_change:
        looked_at = []  # the unchanged methods of these files were not judged
    everywhere = not is_change and all(tree.parts == ("",) for tree in found)
    report.findings, report.stale = compared(
        in_order(findings), known, None if everywhere else looked_at
    )
    report.problems.sort(key=lambda one: (one.path, one.kind, one.message))
    return report


def read_project(
    settings: Settings,
    tree: Tree,
    index: Index,
    engine: Callable[[], Engine],
    step: Progress,
    report: Report,
) -> tuple[dict[str, Methods], Assessor, Touched]:
    """Return the methods in the named parts of a project, by path, a model that has learned from
    the whole project, and a filter that accepts all methods."""
    from codeacumen.checker.files import under

    files, problems = on_disk_listed(tree, settings)
    report.problems += problems
    methods = read_files(FolderRoot(tree.root), files, index, engine, step, whole=True)
    step("learning", 0, 1)
    model = assessor(settings.background)
    model.learn(_facts(methods, settings))
    wanted = {path: one for path, one in methods.items() if under(tree.parts, path)}
    return wanted, model, lambda path, place: True


def _change(
    request: CheckRequest,
    tree: Tree,
    index: Index,
    engine: Callable[[], Engine],
    step: Progress,
    report: Report,
) -> tuple[dict[str, Methods], Assessor, Touched]:
    """Return the methods of the changed files, by path, a model that has learned from the base
    commit and these files, and a filter that accepts the methods that the change touches."""
    import pygit2

    from codeacumen.checker.files import base_of, changes, head_of, under
    from codeacumen.corpus.sources.git_tree import BlobsRoot

    if not tree.git:
        raise CodeacumenError(
            f"{tree.root} is not in a git repository", "--since and --staged need one"
        )
    repository = pygit2.Repository(str(tree.root))
    base = base_of(repository, request.since) if request.since else head_of(repository)
    listed = {
        one.path: one
        for one in changes(repository, base, staged=request.staged)
        if under(tree.parts, one.path)
        and (chosen(one.path, request.settings) or one.path in tree.parts)
    }
    if not listed:
        return {}, assessor("none"), lambda path, place: False
    model = _before(repository.path, base, request.settings, index, engine, step)
    files = [(path, one.blob) for path, one in listed.items()]
    root: Root = FolderRoot(tree.root)
    if request.staged:
        root = BlobsRoot(Path(repository.path), dict(files))
    read = read_files(root, files, index, engine, step, whole=False)
    for path, one in read.items():
        if one.returns:
            listed[path] = replace(listed[path], lines=None)
    methods = {path: _apart(one) for path, one in read.items()}
    model.learn(_facts(methods, request.settings))
    return methods, model, lambda path, place: listed[path].touches(place)


def _apart(methods: Methods) -> Methods:
    """Return the methods under a marked path.

    The model has learned the old version of the file. To the model, the marked path is another
    file, so it compares a method with its present siblings and not with the old ones.
    """
    facts = tuple(replace(one, path=f"{one.path}{NOW}") for one in methods.facts)
    return replace(methods, facts=facts)


def _before(
    repository: str,
    base: str,
    settings: Settings,
    index: Index,
    engine: Callable[[], Engine],
    step: Progress,
) -> Assessor:
    """Return a model that has learned from the base commit; load it from the index if possible."""
    from codeacumen.checker.files import listed
    from codeacumen.corpus.sources.git_tree import GitRoot

    if not base:
        return assessor(settings.background)
    root = GitRoot(Path(repository), base)
    files, _ = listed(root, settings)
    told = [
        background_key(settings.background),
        str(settings.generated),
        *(f"{path}\0{key}" for path, key in files),
    ]
    key = hashlib.sha256("\n".join(told).encode("utf-8", "surrogatepass")).hexdigest()
    kept: Assessor | None = index.learned(key)
    if kept is not None:
        return kept
    model = assessor(settings.background)
    methods = read_files(root, files, index, engine, step, whole=True)
    step("learning", 0, 1)
    model.learn(_facts(methods, settings))
    index.keep_learned(key, model)
    return model


def _facts(methods: dict[str, Methods], settings: Settings) -> list[Facts]:
    """Return the facts of the methods of all included files."""
    return [facts for one in methods.values() if _read(one, settings) for facts in one.facts]


def _read(methods: Methods, settings: Settings) -> bool:
    """Return True if the file is readable and not generated, vendored or minified."""
    return methods.problem is None and (settings.generated or methods.origin == WRITTEN)


def _found(
    methods: dict[str, Methods],
    model: Assessor,
    touched: Touched,
    settings: Settings,
    report: Report,
    step: Progress,
) -> Iterable[Finding]:
    """Judge the touched methods and return the findings; add counts and problems to the report."""
    facts: list[Facts] = []
    places: list[Place] = []
    for one in methods.values():
        if one.problem is not None:
            report.problems.append(one.problem)
        elif not _read(one, settings):
            report.skipped[one.origin] += 1
        else:
            report.files += 1
            report.skipped["broken syntax, checked nevertheless"] += one.broken
            facts += one.facts
            places += one.places
    step("judging", 0, 1)
    found: list[Finding] = []
    for told, place, verdict in zip(facts, places, model.assess(facts), strict=True):
        told = replace(told, path=told.path.removesuffix(NOW)) if told.path.endswith(NOW) else told
        if not touched(told.path, place):
            continue
        report.methods += 1
        if verdict is None:
            continue
        report.judged += 1
        found += _finding(told, place, verdict, settings)
    return found


def _finding(facts: Facts, place: Place, verdict: Verdict, settings: Settings) -> Sequence[Finding]:
    """Return the finding of a method, marked if a comment suppresses it, or nothing.

    Rules that the settings ignore never count. Rules that a comment switches off do not count
    either; if only they make the finding, it stays in the report as suppressed.
    """
    verdict = without(verdict, settings.ignore)
    if verdict.wrong < settings.threshold:
        return ()
    left = without(verdict, place.silenced)
    if left.wrong < settings.threshold:
        return (replace(finding(facts, place, verdict), suppressed=INLINE),)
    return (finding(facts, place, left),)
