"""A project's own tests, by a command the user gives, on a copy."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from acumen.api import AcumenError

# What would only make the copy larger.
_NOT_COPIED = (".git", ".hg", ".svn")
_SHOWN = 500


class Tested:
    """A copy of a project's folder, in which a command tells whether all is well."""

    def __init__(self, folder: Path, command: str, limit: float = 1800.0) -> None:
        self.command, self.limit = command, limit
        self._folder = tempfile.TemporaryDirectory(prefix="acumen-tests-")
        self.root = Path(self._folder.name) / folder.resolve().name
        shutil.copytree(
            folder, self.root, symlinks=True, ignore=shutil.ignore_patterns(*_NOT_COPIED)
        )
        why = self._run()
        if why:
            self.close()
            raise AcumenError(
                f"the tests fail before anything is changed: {why}",
                f"try it yourself, in {folder}: {command}",
            )

    def wrong_with(self, changed: Mapping[str, bytes]) -> str:
        """How the tests fail with some files changed; empty if they pass."""
        before = {path: (self.root / path).read_bytes() for path in changed}
        for path, data in changed.items():
            (self.root / path).write_bytes(data)
        try:
            return self._run()
        finally:
            for path, data in before.items():
                (self.root / path).write_bytes(data)

    def _run(self) -> str:
        try:
            done = subprocess.run(
                self.command, shell=True, cwd=self.root, capture_output=True, text=True,
                errors="replace", timeout=self.limit, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"no end after {self.limit:g} seconds"
        if done.returncode == 0:
            return ""
        told = (done.stdout + done.stderr).strip()
        return (
            f"exit code {done.returncode}: …{told[-_SHOWN:]}"
            if told
            else f"exit code {done.returncode}"
        )

    def close(self) -> None:
        self._folder.cleanup()
