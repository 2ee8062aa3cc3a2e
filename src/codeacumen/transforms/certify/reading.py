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
from codeacumen.transforms.certify import LEVELS, Certificate, level_of
from codeacumen.transforms.code import Code, code_of
from codeacumen.transforms.edits import Edit, apply


@dataclass(frozen=True, slots=True)
class Subject:
    """A variant to check.

    ``index`` is its position in the caller's list. ``reach`` is the range of bytes that covers its
    edits and the outermost method around them; a method inside another one is not changed together
    with it.
    """

    place: int
    path: str
    edits: tuple[Edit, ...]
    reach: tuple[int, int]


# Takes changed files by path; returns the failure, empty if there is none.
Check = Callable[[Mapping[str, bytes]], str]
# Takes variants whose reaches are disjoint; returns the failure of any of them, or an empty string.
Together = Callable[[Sequence[Subject]], str]


def check(
    subjects: Iterable[Subject],
    sources: Mapping[str, bytes],
    works: Check,
    stage: str,
    step: Progress,
) -> dict[int, str]:
    """Return the failure of each subject by its index; empty if it has none.

    ``stage`` is the first argument of every call of ``step``.
    """
    found: dict[int, str] = {}
    waiting = list(subjects)
    for subject, why in settled(waiting, lambda together: works(_changed(together, sources))):
        found[subject.place] = why
        step(stage, len(found), len(waiting))
    return found


def settled(subjects: Sequence[Subject], works: Together) -> Iterator[tuple[Subject, str]]:
    """Yield each subject with its failure as soon as it is known."""
    for together in _rounds(subjects):
        yield from _settle(together, works)


def _rounds(subjects: Sequence[Subject]) -> Iterator[list[Subject]]:
    """Yield batches of variants whose reaches are disjoint."""
    by_file: dict[str, list[Subject]] = {}
    for subject in subjects:
        by_file.setdefault(subject.path, []).append(subject)
    while by_file:
        together: list[Subject] = []
        for path, waiting in list(by_file.items()):
            end, later = 0, []
            for subject in sorted(waiting, key=lambda one: (one.reach, one.place)):
                if subject.reach[0] >= end:
                    together.append(subject)
                    end = subject.reach[1]
                else:
                    later.append(subject)
            if later:
                by_file[path] = later
            else:
                del by_file[path]
        yield together


def _settle(together: Sequence[Subject], works: Together) -> Iterator[tuple[Subject, str]]:
    """Yield the subjects of a batch with their failures; bisect the batch if it fails."""
    why = works(together)
    if not why or len(together) == 1:
        for subject in together:
            yield subject, why
        return
    half = len(together) // 2
    yield from _settle(together[:half], works)
    yield from _settle(together[half:], works)


def _changed(together: Sequence[Subject], sources: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the changed files of a batch."""
    edits: dict[str, list[Edit]] = {}
    for subject in together:
        edits.setdefault(subject.path, []).extend(subject.edits)
    return {path: apply(sources[path], sorted(found)) for path, found in edits.items()}


_UNKNOWN = -1
_OURS = ("parses", "binds")


def own_certificates(
    file: JavaFile, subjects: Sequence[Subject], level: str
) -> dict[int, Certificate]:
    """Return the certificates of variants of one file by their indices, as far as our own front end
    can check.

    Variants whose reaches are disjoint are parsed as one text, because parsing takes longer than
    applying edits.
    """

    def certify(together: Sequence[Subject]) -> Certificate:
        return own_certificate(file, sorted(e for one in together for e in one.edits), level)

    passed = Certificate(LEVELS[min(level_of(level), level_of(_OURS[-1]))])
    return {
        subject.place: certify([subject]) if why else passed
        for subject, why in settled(subjects, lambda together: certify(together).why)
    }


def own_certificate(file: JavaFile, edits: Sequence[Edit], level: str) -> Certificate:
    """Return the certificate of a variant.

    An exception in our own front end counts as a failure.
    """
    reached = LEVELS[0]
    if level == reached:
        return Certificate(reached)
    try:
        before, after = code_of(file), code_of(JavaFile(apply(file.source, edits)))
    except Exception as error:
        return Certificate(reached, _OURS[0], _told_error(error))
    for name, check in zip(_OURS, (parses, binds), strict=True):
        if level_of(level) < level_of(name):
            break
        try:
            why = check(before, after, edits)
        except Exception as error:
            why = _told_error(error)
        if why:
            return Certificate(reached, name, why)
        reached = name
    return Certificate(reached)


def _told_error(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def parses(before: Code, after: Code, edits: Sequence[Edit]) -> str:
    """Return why a variant does not parse like its original; empty if it does."""
    if after.file.syntax.broken and not before.file.syntax.broken:
        return "it does not parse"
    if len(after.file.declarations.methods) != len(before.file.declarations.methods):
        return "it has another number of methods"
    return ""


def binds(before: Code, after: Code, edits: Sequence[Edit]) -> str:
    """Return which name has another declaration than before; empty if none has.

    Outside of the edits every name must keep its declaration. Inside, a name that was there before
    must have one of the declarations that it had there; a new one must be declared there, or
    outside of the method.
    """
    match = _Match(before, after, edits)
    for node, declared in after.declaration.items():
        was = match.before(node)
        if not was:
            continue
        meant = {before.declaration[one] for one in was}
        mapped = {_UNKNOWN} if declared < 0 else match.before(declared)
        if not mapped and node in match.renamed:
            continue  # a new name in place of another one, not a renamed one
        if not mapped:
            return f"{after.text(node)} in line {after.line(node)} means something new"
        if not mapped & meant:
            return f"{after.text(node)} in line {after.line(node)} means something else"
        if _told(after.role[node]) not in {_told(before.role[one]) for one in was}:
            return f"{after.text(node)} in line {after.line(node)} is something else"
    return ""


def _told(role: str) -> str:
    """Return a role without distinctions that depend on how a name is qualified.

    A qualified constant of an enum is a field, and a name from another file may be either.
    """
    return "field" if role in ("enum constant", "unknown") else role


class _Match:
    """Matches identifiers of a variant to those of the original that they come from."""

    def __init__(self, before: Code, after: Code, edits: Sequence[Edit]) -> None:
        self.starts: list[int] = []  # offset of each edit's new text, in the variant
        self.edits = edits
        self.shifts: list[int] = [0]
        shift = 0
        for edit in edits:
            self.starts.append(edit.start + shift)
            shift += len(edit.text) - (edit.end - edit.start)
            self.shifts.append(shift)
        self.at = {before.start[node]: node for node in before.declaration}
        self.after = after
        inside_before = self._inside(before, [(one.start, one.end) for one in edits])
        ends = [
            (start, start + len(edit.text)) for start, edit in zip(self.starts, edits, strict=True)
        ]
        inside_after = self._inside(after, ends)
        self.pairs: dict[int, frozenset[int]] = {}
        self.renamed: set[int] = set()
        for old, new in zip(inside_before, inside_after, strict=True):
            self._pair(before, old, new)

    def _inside(self, code: Code, spans: Sequence[tuple[int, int]]) -> list[list[int]]:
        """Return the identifiers in each of the ranges."""
        found: list[list[int]] = [[] for _ in spans]
        starts = [start for start, _ in spans]
        for node in code.declaration:
            place = bisect_right(starts, code.start[node]) - 1
            if place >= 0 and code.start[node] < spans[place][1]:
                found[place].append(node)
        return found

    def _pair(self, before: Code, old: list[int], new: list[int]) -> None:
        """Match the identifiers of one edit.

        A word that was there before comes from all its occurrences. Words that disappeared were
        renamed, if there are as many new ones.
        """
        words: dict[str, set[int]] = {}
        for node in old:
            words.setdefault(before.text(node), set()).add(node)
        there = {self.after.text(node) for node in new}
        gone = [node for node in old if before.text(node) not in there]
        come = [node for node in new if self.after.text(node) not in words]
        for node in new:
            self.pairs[node] = frozenset(words.get(self.after.text(node), ()))
        if len(gone) == len(come):
            self.pairs |= {node: frozenset((was,)) for was, node in zip(gone, come, strict=True)}
            self.renamed.update(come)

    def before(self, node: int) -> frozenset[int]:
        """Return the original identifiers that an identifier comes from; empty if it is new."""
        if node in self.pairs:
            return self.pairs[node]
        start = self.after.start[node]
        place = bisect_right(self.starts, start)
        return frozenset((self.at[start - self.shifts[place]],))
