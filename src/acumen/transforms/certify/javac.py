"""javac, as the machine has it, on a whole project."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from acumen.api import AcumenError

_ERROR = re.compile(r"^(.+?\.java):(\d+): error: (.*)$", flags=re.MULTILINE)
# A module's declaration would demand modules; packages are compiled on the class path.
_LEFT_OUT = ("module-info.java", "package-info.java")
OPTIONS = (
    "-nowarn", "-proc:none", "-implicit:none", "-encoding", "UTF-8", "-Xmaxerrs", "100000",
    # What follows an error is looked at all the same.
    "-XDshould-stop.ifError=FLOW",
)  # fmt: skip


def find_javac() -> str:
    found = shutil.which("javac")
    if found is None:
        raise AcumenError(
            "there is no javac on this machine", "install a JDK, or ask for --certify binds"
        )
    return found


def _start() -> subprocess.Popen[str]:
    java = Path(find_javac()).with_name("java")
    program = files("acumen.transforms.certify").joinpath("Compiler.java")
    return subprocess.Popen(
        [str(java), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", str(program)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
        errors="replace",
    )  # fmt: skip


class Compiled:
    """A project in a folder of its own, compiled as it is; then again with changed files.

    Files that do not compile as they are (a library is missing) are left alone: ``unsound``
    tells of each what javac says first.
    """

    def __init__(self, sources: Mapping[str, bytes], class_path: str = "") -> None:
        self.class_path = class_path
        self._process = _start()
        self._folder = tempfile.TemporaryDirectory(prefix="acumen-javac-")
        self.root = Path(self._folder.name)
        self.paths = [path for path in sources if Path(path).name not in _LEFT_OUT]
        self.sources = sources
        for path in self.paths:
            self._write(path, sources[path])
        try:
            self.unsound = self._errors(self.paths)
        except BaseException:
            self.close()
            raise

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
        out.mkdir(exist_ok=True)
        places = [str(known)] if known else []
        class_path = os.pathsep.join([*places, *filter(None, [self.class_path])]) or "."
        asked = [*OPTIONS, "-cp", class_path, "-d", str(out), ""]
        asked += [str(self.root / "src" / path) for path in paths]
        said = self._ask(asked)
        found: dict[str, str] = {}
        for file, line, message in _ERROR.findall(said):
            path = str(Path(file).relative_to(self.root / "src"))
            found.setdefault(path, f"{line}: {message}")
        if "error:" in said and not found:
            raise AcumenError(f"javac: {said.strip()[-500:]}")
        if known:
            shutil.rmtree(out)
        return found

    def _ask(self, asked: list[str]) -> str:
        listed = self.root / "asked"
        listed.write_text("\n".join(asked), encoding="utf-8")
        line, answer = self._process.stdin, self._process.stdout
        assert line is not None
        assert answer is not None
        line.write(f"{listed}\n")
        line.flush()
        said: list[str] = []
        for text in answer:
            if text == ".\n":
                return "".join(said)
            said.append(text)
        raise AcumenError("javac ended before it had answered", "is there enough memory?")

    def close(self) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()
