"""Tests of the four Java projects of the example corpus. Oracles: javac compiles them without a
warning, and the JVM reports which of their methods their own checks execute."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.declarations import NONE, MethodDeclaration
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import symbol_name
from javac import JAVA, JAVAC

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CHECKS = {
    "ballot": "ballot.check.BallotCheck",
    "library": "brookside.check.LibraryCheck",
    "quill": "quill.check.QuillCheck",
    "tramway": "tramway.check.TramwayCheck",
}

# Records the numbers of the executed bodies and prints them when the program ends.
COUNTER = """
package executed;

public final class Executed {
    private static final java.util.BitSet BODIES = new java.util.BitSet();

    static {
        Thread print = new Thread(() -> System.out.println("executed: " + BODIES));
        Runtime.getRuntime().addShutdownHook(print);
    }

    public static synchronized void body(int number) {
        BODIES.set(number);
    }
}
"""

Compile = Callable[..., Path]
Run = Callable[[Path, str], str]


@dataclass(frozen=True)
class Body:
    """A method or constructor with a body: its title, and the offset of a first statement."""

    title: str
    offset: int


def list_java_files(project: str, part: str) -> list[Path]:
    """Return the Java files of a project's main code (``src``) or of its self-check (``check``)."""
    return sorted((EXAMPLES / project / part).rglob("*.java"))


def find_first_statement(file: JavaFile, method: MethodDeclaration) -> int:
    """Return the offset where a statement can be inserted before all others: after ``this(…)`` and
    ``super(…)``, which must come first in Java 17."""
    syntax = file.syntax
    for child in syntax.children(method.body):
        if symbol_name(int(syntax.kind[child])) == "explicit_constructor_invocation":
            return int(syntax.end[child])
    return int(syntax.start[method.body]) + 1


def list_bodies(path: Path) -> list[Body]:
    file = JavaFile(path.read_bytes())
    declared = file.declarations
    found_bodies: list[Body] = []
    for place in file.bodies:
        method = declared.methods[place]
        owner = ".".join(declared.type_path(method.type))
        parameters = ", ".join(parameter.type for parameter in method.parameters)
        title = f"{path.name}: {owner}.{method.name}({parameters})"
        found_bodies.append(Body(title, find_first_statement(file, method)))
    return found_bodies


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """Return a function that compiles files with javac and returns the folder of classes."""
    javac = shutil.which("javac")
    if javac is None:
        pytest.skip("no JDK here: javac compiles the projects")

    def compile_sources(sources: list[Path], *options: str) -> Path:
        folder = tmp_path_factory.mktemp("classes")
        process = subprocess.run(
            [
                javac,
                *JAVAC,
                "-encoding",
                "UTF-8",
                "--release",
                "17",
                *options,
                "-d",
                str(folder),
                *map(str, sources),
            ],
            capture_output=True,
            text=True,
        )
        assert process.returncode == 0, process.stdout + process.stderr
        return folder

    return compile_sources


@pytest.fixture(scope="module")
def printed() -> Run:
    """Return a function that runs a class and returns its output."""
    java = shutil.which("java")
    if java is None:
        pytest.skip("no Java here: the JVM runs the projects' own checks")

    def run_class(classes: Path, main: str) -> str:
        process = subprocess.run(
            [java, *JAVA, "-cp", str(classes), main], capture_output=True, text=True, timeout=60
        )
        assert process.returncode == 0, process.stderr
        return process.stdout

    return run_class


def test_every_project_has_a_check() -> None:
    assert {path.name for path in EXAMPLES.iterdir() if (path / "src").is_dir()} == set(CHECKS)
    for project in CHECKS:
        assert (EXAMPLES / project / "README.md").is_file()


@pytest.mark.parametrize("project", CHECKS)
def test_project_compiles_without_warnings_and_passes_its_check(
    project: str, compiled: Compile, printed: Run
) -> None:
    sources = list_java_files(project, "src") + list_java_files(project, "check")
    # JavaDoc's references exist, and its tags are closed.
    options = ("-Xlint:all", "-Xdoclint:html,reference,syntax", "-Werror")
    output = printed(compiled(sources, *options), CHECKS[project])
    success = re.fullmatch(r"ok: (\d+) checks\s*", output)
    assert success, output
    assert int(success[1]) > 200


@pytest.mark.parametrize("project", CHECKS)
def test_check_executes_every_method(
    project: str, compiled: Compile, printed: Run, tmp_path: Path
) -> None:
    """In a copy, each body begins with a call that records its number."""
    titles: list[str] = []
    copies = [tmp_path / "executed" / "Executed.java"]
    copies[0].parent.mkdir()
    copies[0].write_text(COUNTER)
    for path in list_java_files(project, "src"):
        source = path.read_bytes()
        file_bodies = list_bodies(path)
        calls = {
            body.offset: f" executed.Executed.body({number});"
            for number, body in enumerate(file_bodies, start=len(titles))
        }
        assert len(calls) == len(file_bodies), path
        # From the end, so that the offsets before remain valid.
        for offset in sorted(calls, reverse=True):
            source = source[:offset] + calls[offset].encode() + source[offset:]
        titles += [body.title for body in file_bodies]
        copy = tmp_path / path.relative_to(EXAMPLES)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(source)
        copies.append(copy)
    output = printed(compiled(copies + list_java_files(project, "check")), CHECKS[project])
    numbers = re.search(r"executed: \{(.*)\}", output)
    assert numbers, output
    executed = {titles[int(number)] for number in numbers[1].split(", ")}
    assert sorted(set(titles) - executed) == []
    assert len(titles) == len(set(titles))


def test_projects_have_enough_methods_and_half_are_documented() -> None:
    documented: dict[str, list[bool]] = {}
    for project in CHECKS:
        sources = [JavaFile(path.read_bytes()) for path in list_java_files(project, "src")]
        assert 12 <= len(sources) <= 40
        assert not any(file.syntax.broken for file in sources)
        documented[project] = [
            file.declarations.methods[place].javadoc != NONE
            for file in sources
            for place in file.bodies
        ]
    assert sum(map(len, documented.values())) >= 250
    for project, comments in documented.items():
        assert len(comments) >= 90, project
        assert sum(comments) / len(comments) >= 0.5, project


def test_javac_finds_the_same_bodies(javac_program: Callable[..., str]) -> None:
    """JavacMethods.java prints each method of javac's own trees; the seventh column says whether it
    has a body."""
    sources = [path for project in CHECKS for path in list_java_files(project, "src")]
    lines = javac_program("JavacMethods", sources).splitlines()
    theirs = sum(line.split("\t")[6] == "true" for line in lines if not line.startswith("= "))
    assert theirs == sum(len(list_bodies(path)) for path in sources)


def test_the_checks_add_few_methods() -> None:
    for project in CHECKS:
        main = sum(len(list_bodies(path)) for path in list_java_files(project, "src"))
        check = sum(len(list_bodies(path)) for path in list_java_files(project, "check"))
        assert check / main < 0.1, project
