"""Certifies all variants of a project.

Compiles a whole project with the machine's javac, and runs the project's own tests on a copy with a
command of the user.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from codeacumen.api import CodeacumenError
from codeacumen.core.progress import Progress
from codeacumen.transforms.certify import LEVELS, Certificate, level_of
from codeacumen.transforms.certify.reading import Subject, check

_ERROR = re.compile(r"^(.+?\.java):(\d+): error: (.*)$", flags=re.MULTILINE)
# A module declaration would require modules, but packages are compiled on the class path.
_LEFT_OUT = ("module-info.java", "package-info.java")
OPTIONS = (
    "-nowarn",
    "-proc:none",
    "-implicit:none",
    "-encoding",
    "UTF-8",
    "-Xmaxerrs",
    "100000",
    # Analyse the rest of the program after an error.
    "-XDshould-stop.ifError=FLOW",
)


def find_javac() -> str:
    """Return the path of javac; raise an error if the machine has none."""
    found = shutil.which("javac")
    if found is None:
        raise CodeacumenError(
            "there is no javac on this machine", "install a JDK, or use --certify binds"
        )
    return found


def _start() -> subprocess.Popen[str]:
    """Start the compiler process, which answers one request per line."""
    java = Path(find_javac()).with_name("java")
    program = files("codeacumen.transforms.certify").joinpath("Compiler.java")
    return subprocess.Popen(
        [str(java), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", str(program)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
    )


class Compiled:
    """A project in a temporary folder: compiled unchanged, then again with changed files.

    Files that do not compile unchanged (for example because a library is missing) are not checked;
    ``unsound`` has javac's first error for each.
    """

    def __init__(self, sources: Mapping[str, bytes], class_path: str = "") -> None:
        self.class_path = class_path
        self._process = _start()
        self._folder = tempfile.TemporaryDirectory(prefix="codeacumen-javac-")
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
        """Return javac's first new error for the project with some files changed; empty if there is
        none."""
        for path, data in changed.items():
            self._write(path, data)
        try:
            # The other files are compiled already, and no change is visible outside its method.
            errors = self._errors(list(changed), self.root / "classes")
        finally:
            for path in changed:
                self._write(path, self.sources[path])
        new = [f"{path}:{why}" for path, why in errors.items() if path not in self.unsound]
        return new[0] if new else ""

    def _errors(self, paths: list[str], known: Path | None = None) -> dict[str, str]:
        """Return the first error of each file that has one.

        With ``compiled_classes``, the output folder of the unchanged project, only the given files
        are compiled, against those classes.
        """
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
            raise CodeacumenError(f"javac: {said.strip()[-500:]}")
        if known:
            shutil.rmtree(out)
        return found

    def _ask(self, asked: list[str]) -> str:
        """Return javac's output for these arguments."""
        listed = self.root / "arguments"
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
        raise CodeacumenError(
            "javac ended without an answer", "check that the machine has enough memory"
        )

    def close(self) -> None:
        """End the compiler process and delete the folder."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()


# Folders that the tests do not need.
_NOT_COPIED = (".git", ".hg", ".svn")
_SHOWN = 500


class Tested:
    """A copy of a project's folder in which a command runs the tests."""

    def __init__(self, folder: Path, command: str, limit: float = 1800.0) -> None:
        self.command, self.limit = command, limit
        self._folder = tempfile.TemporaryDirectory(prefix="codeacumen-tests-")
        self.root = Path(self._folder.name) / folder.resolve().name
        shutil.copytree(
            folder, self.root, symlinks=True, ignore=shutil.ignore_patterns(*_NOT_COPIED)
        )
        why = self._run()
        if why:
            self.close()
            raise CodeacumenError(
                f"the tests fail before anything is changed: {why}",
                f"run the command in {folder} to see the failure: {command}",
            )

    def wrong_with(self, changed: Mapping[str, bytes]) -> str:
        """Return how the tests fail with some files changed; empty if they pass."""
        before = {path: (self.root / path).read_bytes() for path in changed}
        for path, data in changed.items():
            (self.root / path).write_bytes(data)
        try:
            return self._run()
        finally:
            for path, data in before.items():
                (self.root / path).write_bytes(data)

    def _run(self) -> str:
        """Run the tests; return how they fail, or an empty string."""
        try:
            done = subprocess.run(
                self.command,
                shell=True,
                cwd=self.root,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=self.limit,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            return f"not finished after {self.limit:g} seconds"
        if done.returncode == 0:
            return ""
        told = (done.stdout + done.stderr).strip()
        return (
            f"exit code {done.returncode}: …{told[-_SHOWN:]}"
            if told
            else f"exit code {done.returncode}"
        )

    def close(self) -> None:
        """Delete the copy."""
        self._folder.cleanup()


@dataclass(frozen=True, slots=True)
class Means:
    """Tools for certification: the class path for compilation, and the test command with the
    project's folder."""

    class_path: str = ""
    command: str = ""
    folder: Path | None = None


def certify(
    subjects: Sequence[Subject],
    known: Sequence[Certificate],
    sources: Mapping[str, bytes],
    level: str,
    means: Means,
    step: Progress,
) -> list[Certificate]:
    """Return certificates up to a level, in the order of ``subjects``.

    ``certificates_so_far`` are those of the levels that need no external tool, made together with
    the variants. ``sources`` are all files of the project.
    """
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
            raise CodeacumenError(
                "certifying with tests needs a command and a project's folder to run it in",
                "add --test-command 'make check', and use a folder as the source",
            )
        with closing(Tested(means.folder, means.command)) as tested:
            _pass(found, subjects, sources, tested.wrong_with, "tests", step)
    return found


def _pass(
    found: list[Certificate],
    subjects: Sequence[Subject],
    sources: Mapping[str, bytes],
    works: Callable[[Mapping[str, bytes]], str],
    level: str,
    step: Progress,
) -> None:
    """Replace the certificates of the subjects that hold so far by those of the next level."""
    before = LEVELS[level_of(level) - 1]
    waiting = [one for one in subjects if found[one.place].holds]
    results = check(waiting, sources, works, f"certifying: {level}", step)
    for place, why in results.items():
        found[place] = Certificate(before, level, why) if why else Certificate(level)
