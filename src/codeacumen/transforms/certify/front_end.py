"""Certifies the levels that need only our own front end: a variant parses, and its names have the
same declarations as in the original.

The module also checks many variants at once: one of each method, all in one program. The bodies of
methods are compiled independently of each other, so a program in which every method has changed
compiles if and only if each change does, and tests that pass on it pass on each. A project is
therefore compiled as often as the method with the most variants has variants. If a program fails,
its variants are bisected.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from codeacumen.core.progress import Progress
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.certify import LEVELS, Certificate, level_index
from codeacumen.transforms.code import Code, code_of
from codeacumen.transforms.edits import Edit, apply_edits


@dataclass(frozen=True, slots=True)
class Subject:
    """A variant to check.

    ``index`` is its position in the caller's list, ``path`` that of its file in the project.
    ``reach`` is the range of bytes that covers its edits and the outermost method around them; a
    method inside another one is not changed together with it.
    """

    index: int
    path: str
    edits: tuple[Edit, ...]
    reach: tuple[int, int]


# Takes changed files by path; returns the failure, empty if there is none.
CheckFiles = Callable[[Mapping[str, bytes]], str]
# Takes variants whose reaches are disjoint; returns the failure of any of them, or an empty string.
CheckBatch = Callable[[Sequence[Subject]], str]


def check_subjects(
    subjects: Iterable[Subject],
    sources: Mapping[str, bytes],
    find_failure: CheckFiles,
    stage: str,
    step: Progress,
) -> dict[int, str]:
    """Return the failure of each subject by its index; empty if it has none.

    ``sources`` holds the unchanged files by path. ``stage`` is the first argument of every call of
    ``step``.
    """
    failures: dict[int, str] = {}
    remaining = list(subjects)
    for subject, reason in check_in_batches(
        remaining, lambda batch: find_failure(_apply_batch(batch, sources))
    ):
        failures[subject.index] = reason
        step(stage, len(failures), len(remaining))
    return failures


def check_in_batches(
    subjects: Sequence[Subject], find_failure: CheckBatch
) -> Iterator[tuple[Subject, str]]:
    """Yield each subject with its failure as soon as it is known."""
    for batch in _batch_disjoint(subjects):
        yield from _bisect_failures(batch, find_failure)


def _batch_disjoint(subjects: Sequence[Subject]) -> Iterator[list[Subject]]:
    """Yield batches of variants whose reaches are disjoint."""
    by_file: dict[str, list[Subject]] = {}
    for subject in subjects:
        by_file.setdefault(subject.path, []).append(subject)
    while by_file:
        batch: list[Subject] = []
        for path, remaining in list(by_file.items()):
            end, later = 0, []
            for subject in sorted(
                remaining, key=lambda candidate: (candidate.reach, candidate.index)
            ):
                if subject.reach[0] >= end:
                    batch.append(subject)
                    end = subject.reach[1]
                else:
                    later.append(subject)
            if later:
                by_file[path] = later
            else:
                del by_file[path]
        yield batch


def _bisect_failures(
    batch: Sequence[Subject], find_failure: CheckBatch
) -> Iterator[tuple[Subject, str]]:
    """Yield the subjects of a batch with their failures; bisect the batch if it fails."""
    reason = find_failure(batch)
    if not reason or len(batch) == 1:
        for subject in batch:
            yield subject, reason
        return
    half = len(batch) // 2
    yield from _bisect_failures(batch[:half], find_failure)
    yield from _bisect_failures(batch[half:], find_failure)


def _apply_batch(batch: Sequence[Subject], sources: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the changed files of a batch."""
    edits: dict[str, list[Edit]] = {}
    for subject in batch:
        edits.setdefault(subject.path, []).extend(subject.edits)
    return {
        path: apply_edits(sources[path], sorted(file_edits)) for path, file_edits in edits.items()
    }


# Stands for the origin of a declaration outside of the file.
_OUTSIDE_FILE = -1
_OWN_LEVELS = ("parses", "binds")


def own_certificates(
    file: JavaFile, subjects: Sequence[Subject], level: str
) -> dict[int, Certificate]:
    """Return the certificates of variants of one file by their indices, as far as our own front end
    can check.

    Variants whose reaches are disjoint are parsed as one text, because parsing takes longer than
    applying edits.
    """

    def certify_batch(batch: Sequence[Subject]) -> Certificate:
        return own_certificate(
            file, sorted(edit for subject in batch for edit in subject.edits), level
        )

    # A batch yields only a reason, so a variant that fails is certified again by itself to find the
    # level that it reaches.
    passed = Certificate(LEVELS[min(level_index(level), level_index(_OWN_LEVELS[-1]))])
    return {
        subject.index: certify_batch([subject]) if reason else passed
        for subject, reason in check_in_batches(subjects, lambda batch: certify_batch(batch).reason)
    }


def own_certificate(file: JavaFile, edits: Sequence[Edit], level: str) -> Certificate:
    """Return the certificate of a variant up to ``level``, as far as our own front end can check.

    An exception in our own front end counts as a failure.
    """
    reached_level = LEVELS[0]
    if level == reached_level:
        return Certificate(reached_level)
    try:
        before, after = code_of(file), code_of(JavaFile(apply_edits(file.source, edits)))
    except Exception as error:
        return Certificate(reached_level, _OWN_LEVELS[0], _format_error(error))
    for name, check in zip(
        _OWN_LEVELS, (explain_parse_failure, explain_binding_change), strict=True
    ):
        if level_index(level) < level_index(name):
            break
        try:
            reason = check(before, after, edits)
        except Exception as error:
            reason = _format_error(error)
        if reason:
            return Certificate(reached_level, name, reason)
        reached_level = name
    return Certificate(reached_level)


def _format_error(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def explain_parse_failure(before: Code, after: Code, edits: Sequence[Edit]) -> str:
    """Return why a variant does not parse like its original; empty if it does."""
    if after.file.syntax.broken and not before.file.syntax.broken:
        return "it does not parse"
    if len(after.file.declarations.methods) != len(before.file.declarations.methods):
        return "it has another number of methods"
    return ""


def explain_binding_change(before: Code, after: Code, edits: Sequence[Edit]) -> str:
    """Return which name has another declaration than before; empty if none has.

    Outside of the edits every name must keep its declaration. Inside, a name that was there before
    must have one of the declarations that it had there; a new one must be declared there, or
    outside of the method.
    """
    match = _IdentifierMatch(before, after, edits)
    for node, declaration in after.declaration.items():
        origins = match.find_origins(node)
        if not origins:
            continue
        old_declarations = {before.declaration[origin] for origin in origins}
        declaration_origins = (
            {_OUTSIDE_FILE} if declaration < 0 else match.find_origins(declaration)
        )
        if not declaration_origins and node in match.renamed:
            continue  # a new name in place of another one, not a renamed one
        if not declaration_origins:
            return (
                f"{after.text(node)} in line {after.line_number(node)} refers to a new declaration"
            )
        if not declaration_origins & old_declarations:
            line = after.line_number(node)
            return f"{after.text(node)} in line {line} refers to another declaration"
        if _normalize_role(after.role[node]) not in {
            _normalize_role(before.role[origin]) for origin in origins
        }:
            return f"{after.text(node)} in line {after.line_number(node)} has another role"
    return ""


def _normalize_role(role: str) -> str:
    """Return a role without distinctions that depend on how a name is qualified.

    A qualified constant of an enum is a field, and a name from another file may be either.
    """
    return "field" if role in ("enum constant", "unknown") else role


class _IdentifierMatch:
    """Matches identifiers of a variant to those of the original that they come from."""

    def __init__(self, before: Code, after: Code, edits: Sequence[Edit]) -> None:
        self.starts: list[int] = []  # offset of each edit's new text, in the variant
        self.edits = edits
        # Difference of the offsets in variant and original, before the first edit and after each.
        self.shifts: list[int] = [0]
        shift = 0
        for edit in edits:
            self.starts.append(edit.start + shift)
            shift += len(edit.text) - (edit.end - edit.start)
            self.shifts.append(shift)
        self.node_by_start = {before.start[node]: node for node in before.declaration}
        self.after = after
        inside_before = self._group_by_span(before, [(edit.start, edit.end) for edit in edits])
        ends = [
            (start, start + len(edit.text)) for start, edit in zip(self.starts, edits, strict=True)
        ]
        inside_after = self._group_by_span(after, ends)
        # Origins of the identifiers inside edits, and those of them in place of another name.
        self.origins: dict[int, frozenset[int]] = {}
        self.renamed: set[int] = set()
        for old, new in zip(inside_before, inside_after, strict=True):
            self._match_edit(before, old, new)

    def _group_by_span(self, code: Code, spans: Sequence[tuple[int, int]]) -> list[list[int]]:
        """Return the identifiers that start in each of the ranges, which are in order."""
        groups: list[list[int]] = [[] for _ in spans]
        starts = [start for start, _ in spans]
        for node in code.declaration:
            index = bisect_right(starts, code.start[node]) - 1
            if index >= 0 and code.start[node] < spans[index][1]:
                groups[index].append(node)
        return groups

    def _match_edit(self, before: Code, old: list[int], new: list[int]) -> None:
        """Match the identifiers of one edit.

        A word that was there before comes from all its occurrences. Words that disappeared were
        renamed, if there are as many new ones.
        """
        old_nodes: dict[str, set[int]] = {}
        for node in old:
            old_nodes.setdefault(before.text(node), set()).add(node)
        new_words = {self.after.text(node) for node in new}
        removed = [node for node in old if before.text(node) not in new_words]
        added = [node for node in new if self.after.text(node) not in old_nodes]
        for node in new:
            self.origins[node] = frozenset(old_nodes.get(self.after.text(node), ()))
        if len(removed) == len(added):
            self.origins |= {
                node: frozenset((origin,)) for origin, node in zip(removed, added, strict=True)
            }
            self.renamed.update(added)

    def find_origins(self, node: int) -> frozenset[int]:
        """Return the original identifiers that an identifier comes from; empty if it is new."""
        if node in self.origins:
            return self.origins[node]
        start = self.after.start[node]
        index = bisect_right(self.starts, start)
        return frozenset((self.node_by_start[start - self.shifts[index]],))
