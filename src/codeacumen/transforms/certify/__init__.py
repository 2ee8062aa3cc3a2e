"""What is known of a variant besides that it was made with care.

Levels, each including the former: it parses; its names mean what they meant, by our own resolver;
it compiles, with javac; tests pass, by a command the user gives.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from codeacumen.api import CodeacumenError

LEVELS = ("none", "parses", "binds", "compiles", "tests")
# Told like a level that failed: the transformation itself did, and there is no variant.
UNMADE = "made"


@dataclass(frozen=True, slots=True)
class Certificate:
    """``level`` is the highest that was reached; ``failed`` the one that was not, with the
    reason; both empty where nothing was asked."""

    level: str = "none"
    failed: str = ""
    why: str = ""

    @property
    def holds(self) -> bool:
        return not self.failed

    def json(self) -> dict[str, str]:
        told = {"level": self.level}
        return told if self.holds else {**told, "failed": self.failed, "why": self.why}


def level_of(name: str) -> int:
    if name not in LEVELS:
        raise CodeacumenError(f"there is no level {name!r}", f"choose one of {', '.join(LEVELS)}")
    return LEVELS.index(name)


def without_place(why: str) -> str:
    """A reason without the place and the name it tells, so that equal ones are counted together."""
    why = why.split(": ", 1)[-1] if ".java:" in why else why
    why = re.sub(r"^\S+ in line \d+ ", "a name ", why)
    return re.sub(r" at byte \d+", "", why)
