"""javac, as the machine has it, on a whole project."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from acumen.api import AcumenError

_ERROR = re.compile(r"^(.+?\.java):(\d+): error: (.*)$", flags=re.MULTILINE)
# A module's declaration would demand modules; packages are compiled on the class path.
_LEFT_OUT = ("module-info.java", "package-info.java")
OPTIONS = (
    "-nowarn", "-proc:none", "-implicit:none", "-encoding", "UTF-8", "-Xmaxerrs", "100000",
    # What follows an error is looked at all the same.
    "-XDshould-stop.ifError=FLOW", "-J-XX:+UseSerialGC", "-J-XX:TieredStopAtLevel=1",
)  # fmt: skip


def find_javac() -> str:
    found = shutil.which("javac")
    if found is None:
        raise AcumenError(
            "there is no javac on this machine", "install a JDK, or ask for --certify binds"
        )
    return found


class Compiled:
    """A project in a folder of its own, compiled as it is; then again with changed files.

    Files that do not compile as they are (a library is missing) are left alone: ``unsound``
    tells of each what javac says first.
    """

    def __init__(self, sources: Mapping[str, bytes], class_path: str = "") -> None:
        self.javac = find_javac()
        self.class_path = class_path
        self._folder = tempfile.TemporaryDirectory(prefix="acumen-javac-")
        self.root = Path(self._folder.name)
        self.paths = [path for path in sources if Path(path).name not in _LEFT_OUT]
        self.sources = sources
        for path in self.paths:
            self._write(path, sources[path])
        self.unsound = self._errors(self.paths)

    def _write(self, path: str, data: bytes) -> None:
        file = self.root / "src" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

    def wrong_with(self, changed: Mapping[str, bytes]) -> str:
        """What javac says of the project with some files changed; empty if it says nothing
        that it did not say before."""
        for path, data in changed.items():
            self._write(path, data)
        try:
            # Others are compiled already, and no change is visible from outside of its method.
            errors = self._errors(list(changed), self.root / "classes")
        finally:
            for path in changed:
                self._write(path, self.sources[path])
        new = [f"{path}:{why}" for path, why in errors.items() if path not in self.unsound]
        return new[0] if new else ""

    def _errors(self, paths: list[str], known: Path | None = None) -> dict[str, str]:
        """The first error of each file that has one."""
        out = self.root / ("again" if known else "classes")
        listed = self.root / "files"
        listed.write_text("\n".join(f'"{self.root / "src" / path}"' for path in paths))
        out.mkdir(exist_ok=True)
        places = [str(known)] if known else []
        class_path = ":".join([*places, *filter(None, [self.class_path])]) or "."
        done = subprocess.run(
            [self.javac, *OPTIONS, "-cp", class_path, "-d", str(out), f"@{listed}"],
            capture_output=True, text=True, errors="replace",
        )  # fmt: skip
        found: dict[str, str] = {}
        for file, line, message in _ERROR.findall(done.stderr):
            path = str(Path(file).relative_to(self.root / "src"))
            found.setdefault(path, f"{line}: {message}")
        if done.returncode and not found:
            raise AcumenError(f"javac: {done.stderr.strip()[-500:]}")
        if known:
            shutil.rmtree(out)
        return found

    def close(self) -> None:
        self._folder.cleanup()
