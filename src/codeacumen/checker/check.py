"""Check the method names of projects, or of a change: read, learn, judge and report.

For a change, the model learns from the whole project at the base commit, then from the changed
files. The index stores the model of the base commit, so the next change reads only its own files.

The base commit is the one that a change is compared with. A place (``findings.Place``) has the
positions of a method and of its name. ``checker.files`` defines which methods a change touches.
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
from codeacumen.checker.assess import Assessor, create_assessor, exclude_rules, hash_background
from codeacumen.checker.files import (
    CheckedProject,
    find_projects,
    is_included_path,
    list_files_on_disk,
)
from codeacumen.checker.findings import (
    Finding,
    KnownFinding,
    Place,
    apply_baseline,
    build_finding,
    read_baseline,
    sort_and_fingerprint,
)
from codeacumen.checker.index import MethodIndex, read_files
from codeacumen.checker.reading import WRITTEN, FileMethods
from codeacumen.checker.settings import CheckerSettings
from codeacumen.core.progress import Progress
from codeacumen.corpus.reading import Problem
from codeacumen.corpus.sources.folder import FolderRoot
from codeacumen.corpus.sources.project import SourceRoot
from codeacumen.models.method_naming.facts import Facts
from codeacumen.models.method_naming.verdict import Verdict

if TYPE_CHECKING:
    from codeacumen.engines import Engine

INLINE = "inline"
# Suffix for paths of changed files; no real path contains a NUL.
CHANGED_SUFFIX = "\0now"
# Filter of methods: returns True if the method at a path and place is to be judged.
Touched = Callable[[str, Place], bool]


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """Request to check the changes ``since`` a revision, or ``staged`` changes, or else all files.

    ``paths`` are files or folders; only methods in them are judged.
    """

    paths: tuple[Path, ...]
    settings: CheckerSettings
    since: str = ""
    staged: bool = False


@dataclass(slots=True)
class Report:
    """Result of a check.

    ``findings`` include the suppressed ones. ``files`` and ``methods`` count what was checked, and
    ``judged`` the methods with a verdict; for the others there was too little to judge by.
    ``stale`` are findings of the baseline that no longer occur. ``skipped`` counts files by the
    reason for skipping them, and files with broken syntax, which are checked nevertheless.
    """

    settings: CheckerSettings
    roots: tuple[Path, ...] = ()
    findings: list[Finding] = field(default_factory=list)
    stale: list[KnownFinding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    files: int = 0
    methods: int = 0
    judged: int = 0

    @property
    def reported(self) -> list[Finding]:
        """Findings that no comment and no baseline suppresses."""
        return [finding for finding in self.findings if not finding.suppressed]

    @property
    def failed(self) -> bool:
        """True if a reported finding reaches the probability ``fail_on``."""
        return any(finding.probability >= self.settings.fail_on for finding in self.reported)


def run_check(
    request: CheckRequest, home: Path, engine: Callable[[], Engine], report_progress: Progress
) -> Report:
    """Check the projects of a request and return the report.

    ``home`` is codeacumen's own folder, where the index lies. ``engine`` starts worker processes;
    it is called only if many files must be read.
    """
    settings = request.settings
    known_findings = read_baseline(settings.baseline) if settings.baseline else []
    projects = find_projects(request.paths)
    report = Report(settings, tuple(project.root for project in projects))
    checked_paths: list[str] = []
    findings: list[Finding] = []
    for project in projects:
        # With several projects, paths begin with the folder of their project.
        prefix = (
            os.path.relpath(project.root).replace(os.sep, "/") + "/" if len(projects) > 1 else ""
        )
        index = MethodIndex(home, project.root)
        try:
            if request.since or request.staged:
                methods, model, touched = _read_change(
                    request, project, index, engine, report_progress, report
                )
            else:
                methods, model, touched = read_project(
                    settings, project, index, engine, report_progress, report
                )
        finally:
            index.close()
        checked_paths += [prefix + path for path in methods]
        findings += [
            replace(finding, path=prefix + finding.path)
            for finding in _judge_methods(
                methods, model, touched, settings, report, report_progress
            )
        ]
    is_change = bool(request.since) or request.staged
    if is_change:
        checked_paths = []  # the unchanged methods of these files were not judged
    # The empty part is the whole project, see ``CheckedProject``.
    is_whole_project = not is_change and all(project.parts == ("",) for project in projects)
    report.findings, report.stale = apply_baseline(
        sort_and_fingerprint(findings), known_findings, None if is_whole_project else checked_paths
    )
    report.problems.sort(key=lambda problem: (problem.path, problem.kind, problem.message))
    return report


def read_project(
    settings: CheckerSettings,
    project: CheckedProject,
    index: MethodIndex,
    engine: Callable[[], Engine],
    report_progress: Progress,
    report: Report,
) -> tuple[dict[str, FileMethods], Assessor, Touched]:
    """Return the methods of ``project.parts``, by path, a model that has learned from the whole
    project, and a filter that accepts all methods. Problems are added to ``report``."""
    from codeacumen.checker.files import is_under

    files, problems = list_files_on_disk(project, settings)
    report.problems += problems
    methods = read_files(
        FolderRoot(project.root), files, index, engine, report_progress, is_whole_project=True
    )
    report_progress("learning", 0, 1)
    model = create_assessor(settings.background)
    model.learn_methods(_collect_facts(methods, settings))
    selected = {
        path: file_methods
        for path, file_methods in methods.items()
        if is_under(project.parts, path)
    }
    return selected, model, lambda path, place: True


def _read_change(
    request: CheckRequest,
    project: CheckedProject,
    index: MethodIndex,
    engine: Callable[[], Engine],
    report_progress: Progress,
    report: Report,
) -> tuple[dict[str, FileMethods], Assessor, Touched]:
    """Return the methods of the changed files, by path, a model that has learned from the base
    commit and these files, and a filter that accepts the methods that the change touches."""
    import pygit2

    from codeacumen.checker.files import is_under, list_changed_files, resolve_base, resolve_head
    from codeacumen.corpus.sources.git_tree import BlobsRoot

    if not project.is_git:
        raise CodeacumenError(
            f"{project.root} is not in a git repository", "--since and --staged need one"
        )
    repository = pygit2.Repository(str(project.root))
    base = resolve_base(repository, request.since) if request.since else resolve_head(repository)
    changed_files = {
        changed_file.path: changed_file
        for changed_file in list_changed_files(repository, base, staged=request.staged)
        if is_under(project.parts, changed_file.path)
        and (
            is_included_path(changed_file.path, request.settings)
            or changed_file.path in project.parts
        )
    }
    if not changed_files:
        return {}, create_assessor("none"), lambda path, place: False
    model = _load_or_learn_base_model(
        repository.path, base, request.settings, index, engine, report_progress
    )
    files = [(path, changed_file.blob) for path, changed_file in changed_files.items()]
    root: SourceRoot = FolderRoot(project.root)
    if request.staged:
        root = BlobsRoot(Path(repository.path), dict(files))
    methods_by_path = read_files(
        root, files, index, engine, report_progress, is_whole_project=False
    )
    for path, file_methods in methods_by_path.items():
        if file_methods.has_bare_cr:
            # git's line numbers differ from ours here, so all methods count as touched.
            changed_files[path] = replace(changed_files[path], lines=None)
    methods = {
        path: _mark_as_changed(file_methods) for path, file_methods in methods_by_path.items()
    }
    model.learn_methods(_collect_facts(methods, request.settings))
    return methods, model, lambda path, place: changed_files[path].touches_method(place)


def _mark_as_changed(file_methods: FileMethods) -> FileMethods:
    """Return the methods with ``CHANGED_SUFFIX`` appended to their path.

    The model has learned the old version of the file. To the model, the marked path is another
    file, so it compares a method with its present siblings and not with the old ones.
    """
    facts = tuple(
        replace(method_facts, path=f"{method_facts.path}{CHANGED_SUFFIX}")
        for method_facts in file_methods.facts
    )
    return replace(file_methods, facts=facts)


def _load_or_learn_base_model(
    repository: str,
    base: str,
    settings: CheckerSettings,
    index: MethodIndex,
    engine: Callable[[], Engine],
    report_progress: Progress,
) -> Assessor:
    """Return a model that has learned from the base commit; load it from the index if possible.

    ``repository`` is the path of the git repository, ``base`` the hash of the commit, or empty in a
    repository without commits.
    """
    from codeacumen.checker.files import list_files
    from codeacumen.corpus.sources.git_tree import GitRoot

    if not base:
        return create_assessor(settings.background)
    root = GitRoot(Path(repository), base)
    files, _ = list_files(root, settings)
    key_parts = [
        hash_background(settings.background),
        str(settings.generated),
        *(f"{path}\0{key}" for path, key in files),
    ]
    key = hashlib.sha256("\n".join(key_parts).encode("utf-8", "surrogatepass")).hexdigest()
    stored_model: Assessor | None = index.load_model(key)
    if stored_model is not None:
        return stored_model
    model = create_assessor(settings.background)
    methods = read_files(root, files, index, engine, report_progress, is_whole_project=True)
    report_progress("learning", 0, 1)
    model.learn_methods(_collect_facts(methods, settings))
    index.store_model(key, model)
    return model


def _collect_facts(methods: dict[str, FileMethods], settings: CheckerSettings) -> list[Facts]:
    """Return the facts of the methods of all included files."""
    return [
        facts
        for file_methods in methods.values()
        if _is_included_file(file_methods, settings)
        for facts in file_methods.facts
    ]


def _is_included_file(file_methods: FileMethods, settings: CheckerSettings) -> bool:
    """Return True if the file is readable and not generated, vendored or minified."""
    return file_methods.problem is None and (settings.generated or file_methods.origin == WRITTEN)


def _judge_methods(
    methods: dict[str, FileMethods],
    model: Assessor,
    touched: Touched,
    settings: CheckerSettings,
    report: Report,
    report_progress: Progress,
) -> Iterable[Finding]:
    """Judge the touched methods and return the findings; add counts and problems to the report.

    ``facts`` and ``places`` below have one element per method, in the same order.
    """
    facts: list[Facts] = []
    places: list[Place] = []
    for file_methods in methods.values():
        if file_methods.problem is not None:
            report.problems.append(file_methods.problem)
        elif not _is_included_file(file_methods, settings):
            report.skipped[file_methods.origin] += 1
        else:
            report.files += 1
            report.skipped["syntax errors, checked in part"] += file_methods.is_broken
            facts += file_methods.facts
            places += file_methods.places
    report_progress("judging", 0, 1)
    findings: list[Finding] = []
    for method_facts, place, verdict in zip(
        facts, places, model.assess_methods(facts), strict=True
    ):
        method_facts = (
            replace(method_facts, path=method_facts.path.removesuffix(CHANGED_SUFFIX))
            if method_facts.path.endswith(CHANGED_SUFFIX)
            else method_facts
        )
        if not touched(method_facts.path, place):
            continue
        report.methods += 1
        if verdict is None:
            continue
        report.judged += 1
        findings += _build_findings(method_facts, place, verdict, settings)
    return findings


def _build_findings(
    facts: Facts, place: Place, verdict: Verdict, settings: CheckerSettings
) -> Sequence[Finding]:
    """Return the finding of a method, marked if a comment suppresses it, or nothing.

    Rules that the settings ignore never count. Rules that a comment switches off do not count
    either; if only they make the finding, it stays in the report as suppressed.
    """
    verdict = exclude_rules(verdict, settings.ignore)
    if verdict.wrong < settings.threshold:
        return ()
    unsuppressed = exclude_rules(verdict, place.silenced)
    if unsuppressed.wrong < settings.threshold:
        return (replace(build_finding(facts, place, verdict), suppressed=INLINE),)
    return (build_finding(facts, place, unsuppressed),)
