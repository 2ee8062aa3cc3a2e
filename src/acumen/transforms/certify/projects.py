"""Certificates for all variants of a project."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from acumen.api import AcumenError
from acumen.core.progress import Progress
from acumen.transforms.certify.javac import Compiled
from acumen.transforms.certify.levels import LEVELS, Certificate, level_of
from acumen.transforms.certify.rounds import Subject, check
from acumen.transforms.certify.testing import Tested


@dataclass(frozen=True, slots=True)
class Means:
    """What certifying needs from outside: libraries to compile with, and how to run the tests of
    the project in a folder."""

    class_path: str = ""
    command: str = ""
    folder: Path | None = None


def certify(
    subjects: Sequence[Subject], known: Sequence[Certificate], sources: Mapping[str, bytes],
    level: str, means: Means, step: Progress,
) -> list[Certificate]:  # fmt: skip
    """Certificates up to a level, in order. ``known`` are those that need no other tool, made
    when the variants were; ``sources`` are all files of the project."""
    found = list(known)
    if level_of(level) >= level_of("compiles"):
        with closing(Compiled(sources, means.class_path)) as compiled:
            sound = [one for one in subjects if one.path not in compiled.unsound]
            for one in subjects:
                if one.path in compiled.unsound and found[one.place].holds:
                    why = f"its file does not compile as it is: {compiled.unsound[one.path]}"
                    found[one.place] = Certificate("binds", "compiles", why)
            _pass(found, sound, sources, compiled.wrong_with, "compiles", step)
    if level_of(level) >= level_of("tests"):
        if not means.command or means.folder is None:
            raise AcumenError(
                "tests need a command, and a project's folder to run it in",
                "--test-command 'make check', with a folder as the source",
            )
        with closing(Tested(means.folder, means.command)) as tested:
            _pass(found, subjects, sources, tested.wrong_with, "tests", step)
    return found


def _pass(
    found: list[Certificate], subjects: Sequence[Subject], sources: Mapping[str, bytes],
    works: Callable[[Mapping[str, bytes]], str], level: str, step: Progress,
) -> None:  # fmt: skip
    """The next level, for those that hold so far."""
    before = LEVELS[level_of(level) - 1]
    waiting = [one for one in subjects if found[one.place].holds]
    results = check(waiting, sources, works, f"certifying: {level}", step)
    for place, why in results.items():
        found[place] = Certificate(before, level, why) if why else Certificate(level)
