"""Many variants checked at once: one of each method, all in one program.

Bodies of methods are compiled one by one, so a program in which every method has changed compiles
exactly if each change does; and tests that pass on it pass on each. A project is therefore
compiled as often as its busiest method has variants, not once a variant. Where a program fails,
its variants are tried in halves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from acumen.core.progress import Progress
from acumen.transforms.edits import Edit, apply


@dataclass(frozen=True, slots=True)
class Subject:
    """A variant to be checked: where it stands in the caller's list, its file, its edits, and
    the bytes they and the outermost method around them lie in: a method inside another is not
    changed together with it."""

    place: int
    path: str
    edits: tuple[Edit, ...]
    reach: tuple[int, int]


# Files by path, as they are to be tried; gives what is wrong, empty if nothing is.
Check = Callable[[Mapping[str, bytes]], str]
# Variants that do not touch each other; gives what is wrong with any of them.
Together = Callable[[Sequence[Subject]], str]


def check(
    subjects: Iterable[Subject],
    sources: Mapping[str, bytes],
    works: Check,
    stage: str,
    step: Progress,
) -> dict[int, str]:
    """For each subject, by its place, what is wrong with it; empty if nothing is.

    ``stage`` is the first argument of every call of ``step``."""
    found: dict[int, str] = {}
    waiting = list(subjects)
    for subject, why in settled(waiting, lambda together: works(_changed(together, sources))):
        found[subject.place] = why
        step(stage, len(found), len(waiting))
    return found


def settled(subjects: Sequence[Subject], works: Together) -> Iterator[tuple[Subject, str]]:
    """Each subject and what is wrong with it, as they become known."""
    for together in _rounds(subjects):
        yield from _settle(together, works)


def _rounds(subjects: Sequence[Subject]) -> Iterator[list[Subject]]:
    """Sets of variants that do not touch each other."""
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
    why = works(together)
    if not why or len(together) == 1:
        for subject in together:
            yield subject, why
        return
    half = len(together) // 2
    yield from _settle(together[:half], works)
    yield from _settle(together[half:], works)


def _changed(together: Sequence[Subject], sources: Mapping[str, bytes]) -> dict[str, bytes]:
    edits: dict[str, list[Edit]] = {}
    for subject in together:
        edits.setdefault(subject.path, []).extend(subject.edits)
    return {path: apply(sources[path], sorted(found)) for path, found in edits.items()}
