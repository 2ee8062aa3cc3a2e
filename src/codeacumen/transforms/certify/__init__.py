"""Certificates: evidence that a variant keeps its original's meaning.

The levels, each of which includes the previous one: the variant parses; its names have the same
declarations by our own resolver; it compiles with javac; tests pass with a command of the user.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from codeacumen.api import CodeacumenError

LEVELS = ("none", "parses", "binds", "compiles", "tests")
# Counted like a failed level: the transformation itself failed, so there is no variant.
UNMADE = "made"


@dataclass(frozen=True, slots=True)
class Certificate:
    """Result of certifying a variant.

    ``level`` is the highest level that was reached, ``failed`` the first requested one that was
    not, and ``reason`` explains it; both are empty if no requested level failed.
    """

    level: str = "none"
    failed: str = ""
    reason: str = ""

    @property
    def holds(self) -> bool:
        """Return True if no requested level failed."""
        return not self.failed

    def to_json(self) -> dict[str, str]:
        """Return the certificate as a JSON object."""
        row = {"level": self.level}
        return row if self.holds else {**row, "failed": self.failed, "reason": self.reason}


def level_index(name: str) -> int:
    """Return the index of a level; raise an error for an unknown one."""
    if name not in LEVELS:
        raise CodeacumenError(f"there is no level {name!r}", f"choose one of {', '.join(LEVELS)}")
    return LEVELS.index(name)


def strip_location(reason: str) -> str:
    """Return a reason without its line and name, so that equal reasons are counted together."""
    reason = reason.split(": ", 1)[-1] if ".java:" in reason else reason
    reason = re.sub(r"^\S+ in line \d+ ", "a name ", reason)
    return re.sub(r" at byte \d+", "", reason)
