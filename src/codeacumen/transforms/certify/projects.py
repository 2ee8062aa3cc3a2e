"""Certifies all variants of a project: the levels ``compiles`` and ``tests``.

The module compiles a whole project with the machine's javac, and runs the project's own tests on a
copy with a command of the user. ``transforms.run`` calls ``certify_variants``.
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
from codeacumen.transforms.certify import LEVELS, Certificate, level_index
from codeacumen.transforms.certify.front_end import Subject, check_subjects

_ERROR = re.compile(r"^(.+?\.java):(\d+): error: (.*)$", flags=re.MULTILINE)
# A module declaration would require modules, but packages are compiled on the class path.
_EXCLUDED_FILES = ("module-info.java", "package-info.java")
JAVAC_OPTIONS = (
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
    path = shutil.which("javac")
    if path is None:
        raise CodeacumenError(
            "there is no javac on this machine", "install a JDK, or use --certify binds"
        )
    return path


def _start_compiler() -> subprocess.Popen[str]:
    """Start the compiler process, which answers one request per line (see ``Compiler.java``)."""
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


class CompiledProject:
    """A project in a temporary folder: compiled unchanged, then again with changed files.

    Files that do not compile unchanged (for example because a library is missing) are not checked;
    ``first_errors`` has javac's first error for each, by path.
    """

    def __init__(self, sources: Mapping[str, bytes], class_path: str = "") -> None:
        self.class_path = class_path
        self._process = _start_compiler()
        self._folder = tempfile.TemporaryDirectory(prefix="codeacumen-javac-")
        self.root = Path(self._folder.name)
        self.paths = [path for path in sources if Path(path).name not in _EXCLUDED_FILES]
        self.sources = sources
        for path in self.paths:
            self._write_source(path, sources[path])
        try:
            self.first_errors = self._compile_files(self.paths)
        except BaseException:
            self.close()
            raise

    def _write_source(self, path: str, data: bytes) -> None:
        file = self.root / "src" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

    def explain_failure(self, changed: Mapping[str, bytes]) -> str:
        """Return javac's first new error for the project with some files changed; empty if there is
        none."""
        for path, data in changed.items():
            self._write_source(path, data)
        try:
            # The other files are compiled already, and no change is visible outside its method.
            errors = self._compile_files(list(changed), self.root / "classes")
        finally:
            for path in changed:
                self._write_source(path, self.sources[path])
        new_errors = [
            f"{path}:{reason}" for path, reason in errors.items() if path not in self.first_errors
        ]
        return new_errors[0] if new_errors else ""

    def _compile_files(
        self, paths: list[str], compiled_classes: Path | None = None
    ) -> dict[str, str]:
        """Return the first error of each file that has one.

        With ``compiled_classes``, the output folder of the unchanged project, only the given files
        are compiled, against those classes.
        """
        out = self.root / ("again" if compiled_classes else "classes")
        out.mkdir(exist_ok=True)
        class_folders = [str(compiled_classes)] if compiled_classes else []
        class_path = os.pathsep.join([*class_folders, *filter(None, [self.class_path])]) or "."
        # The empty item separates the options from the files.
        arguments = [*JAVAC_OPTIONS, "-cp", class_path, "-d", str(out), ""]
        arguments += [str(self.root / "src" / path) for path in paths]
        output = self._run_compiler(arguments)
        errors: dict[str, str] = {}
        for file, line, message in _ERROR.findall(output):
            path = str(Path(file).relative_to(self.root / "src"))
            errors.setdefault(path, f"{line}: {message}")
        if "error:" in output and not errors:
            raise CodeacumenError(f"javac: {output.strip()[-500:]}")
        if compiled_classes:
            shutil.rmtree(out)
        return errors

    def _run_compiler(self, arguments: list[str]) -> str:
        """Return javac's output for these arguments."""
        arguments_file = self.root / "arguments"
        arguments_file.write_text("\n".join(arguments), encoding="utf-8")
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(f"{arguments_file}\n")
        stdin.flush()
        output_lines: list[str] = []
        for output_line in stdout:
            if output_line == ".\n":  # the end of the answer
                return "".join(output_lines)
            output_lines.append(output_line)
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
# Characters from the end of a failed run's output that the reason quotes.
_OUTPUT_LENGTH = 500
# Time limit for a run of the tests, in seconds.
_TIMEOUT = 1800.0


class TestedProject:
    """A copy of a project's folder in which a command runs the tests."""

    def __init__(self, folder: Path, command: str) -> None:
        self.command = command
        self._folder = tempfile.TemporaryDirectory(prefix="codeacumen-tests-")
        self.root = Path(self._folder.name) / folder.resolve().name
        shutil.copytree(
            folder, self.root, symlinks=True, ignore=shutil.ignore_patterns(*_NOT_COPIED)
        )
        reason = self._run_tests()
        if reason:
            self.close()
            raise CodeacumenError(
                f"the tests fail before anything is changed: {reason}",
                f"run the command in {folder} to see the failure: {command}",
            )

    def explain_failure(self, changed: Mapping[str, bytes]) -> str:
        """Return how the tests fail with some files changed; empty if they pass."""
        before = {path: (self.root / path).read_bytes() for path in changed}
        for path, data in changed.items():
            (self.root / path).write_bytes(data)
        try:
            return self._run_tests()
        finally:
            for path, data in before.items():
                (self.root / path).write_bytes(data)

    def _run_tests(self) -> str:
        """Run the tests; return how they fail, or an empty string."""
        try:
            process = subprocess.run(
                self.command,
                shell=True,
                cwd=self.root,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_TIMEOUT,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            return f"not finished after {_TIMEOUT:g} seconds"
        if process.returncode == 0:
            return ""
        output = (process.stdout + process.stderr).strip()
        return (
            f"exit code {process.returncode}: …{output[-_OUTPUT_LENGTH:]}"
            if output
            else f"exit code {process.returncode}"
        )

    def close(self) -> None:
        """Delete the copy."""
        self._folder.cleanup()


@dataclass(frozen=True, slots=True)
class CertificationTools:
    """Tools for certification: the class path for compilation, and the test command with the
    project's folder."""

    class_path: str = ""
    command: str = ""
    folder: Path | None = None


def certify_variants(
    subjects: Sequence[Subject],
    certificates_so_far: Sequence[Certificate],
    sources: Mapping[str, bytes],
    level: str,
    tools: CertificationTools,
    step: Progress,
) -> list[Certificate]:
    """Return certificates up to a level, in the order of ``subjects``.

    ``certificates_so_far`` are those of the levels that need no external tool, made together with
    the variants. ``sources`` are all files of the project.
    """
    certificates = list(certificates_so_far)
    if level_index(level) >= level_index("compiles"):
        with closing(CompiledProject(sources, tools.class_path)) as compiled:
            compiling_subjects = [
                subject for subject in subjects if subject.path not in compiled.first_errors
            ]
            for subject in subjects:
                if subject.path in compiled.first_errors and certificates[subject.index].holds:
                    reason = (
                        f"its file does not compile as it is: {compiled.first_errors[subject.path]}"
                    )
                    certificates[subject.index] = Certificate("binds", "compiles", reason)
            _certify_level(
                certificates,
                compiling_subjects,
                sources,
                compiled.explain_failure,
                "compiles",
                step,
            )
    if level_index(level) >= level_index("tests"):
        if not tools.command or tools.folder is None:
            raise CodeacumenError(
                "certifying with tests needs a command and a project's folder to run it in",
                "add --test-command 'make check', and use a folder as the source",
            )
        with closing(TestedProject(tools.folder, tools.command)) as tested:
            _certify_level(certificates, subjects, sources, tested.explain_failure, "tests", step)
    return certificates


def _certify_level(
    certificates: list[Certificate],
    subjects: Sequence[Subject],
    sources: Mapping[str, bytes],
    find_failure: Callable[[Mapping[str, bytes]], str],
    level: str,
    step: Progress,
) -> None:
    """Replace the certificates of the subjects that hold so far by those of ``level``, which is the
    next one."""
    previous_level = LEVELS[level_index(level) - 1]
    remaining = [subject for subject in subjects if certificates[subject.index].holds]
    results = check_subjects(remaining, sources, find_failure, f"certifying: {level}", step)
    for index, reason in results.items():
        certificates[index] = (
            Certificate(previous_level, level, reason) if reason else Certificate(level)
        )
