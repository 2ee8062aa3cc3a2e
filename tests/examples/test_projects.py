"""The four Java projects of the example corpus. Oracles: javac compiles them without a warning,
and the JVM tells which of their methods their own checks really execute."""

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
from codeacumen.languages.java.syntax.grammar import name_of
from javac import JAVA, JAVAC

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CHECKS = {
    "ballot": "ballot.check.BallotCheck",
    "library": "brookside.check.LibraryCheck",
    "quill": "quill.check.QuillCheck",
    "tramway": "tramway.check.TramwayCheck",
}

# Keeps the numbers of the bodies that were entered and prints them when the program ends.
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
    """A method or constructor with a body: how it is called, and where a first statement goes."""

    title: str
    offset: int


def files(project: str, part: str) -> list[Path]:
    """The Java files of a project's main code (``src``) or of its self-check (``check``)."""
    return sorted((EXAMPLES / project / part).rglob("*.java"))


def first_statement(file: JavaFile, method: MethodDeclaration) -> int:
    """The offset where a statement can be put before all others: behind ``this(…)`` and
    ``super(…)``, before which Java 17 allows none."""
    syntax = file.syntax
    for child in syntax.children(method.body):
        if name_of(int(syntax.kind[child])) == "explicit_constructor_invocation":
            return int(syntax.end[child])
    return int(syntax.start[method.body]) + 1


def bodies(path: Path) -> list[Body]:
    file = JavaFile(path.read_bytes())
    declared = file.declarations
    found: list[Body] = []
    for place in file.bodies:
        method = declared.methods[place]
        owner = ".".join(declared.path(method.type))
        parameters = ", ".join(parameter.type for parameter in method.parameters)
        title = f"{path.name}: {owner}.{method.name}({parameters})"
        found.append(Body(title, first_statement(file, method)))
    return found


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """Compiles files with javac; gives the folder of classes."""
    javac = shutil.which("javac")
    if javac is None:
        pytest.skip("no JDK here: javac compiles the projects")

    def run(sources: list[Path], *options: str) -> Path:
        folder = tmp_path_factory.mktemp("classes")
        done = subprocess.run(
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
        assert done.returncode == 0, done.stdout + done.stderr
        return folder

    return run


@pytest.fixture(scope="module")
def printed() -> Run:
    """Runs a class; gives what it prints."""
    java = shutil.which("java")
    if java is None:
        pytest.skip("no Java here: the JVM runs the projects' own checks")

    def run(classes: Path, main: str) -> str:
        done = subprocess.run(
            [java, *JAVA, "-cp", str(classes), main], capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_every_folder_is_a_project_with_a_check() -> None:
    assert {path.name for path in EXAMPLES.iterdir() if (path / "src").is_dir()} == set(CHECKS)
    for project in CHECKS:
        assert (EXAMPLES / project / "README.md").is_file()


@pytest.mark.parametrize("project", CHECKS)
def test_it_compiles_without_a_warning_and_its_check_passes(
    project: str, compiled: Compile, printed: Run
) -> None:
    sources = files(project, "src") + files(project, "check")
    # What JavaDoc refers to exists, and its tags are closed.
    options = ("-Xlint:all", "-Xdoclint:html,reference,syntax", "-Werror")
    output = printed(compiled(sources, *options), CHECKS[project])
    found = re.fullmatch(r"ok: (\d+) checks\s*", output)
    assert found, output
    assert int(found[1]) > 200


@pytest.mark.parametrize("project", CHECKS)
def test_the_check_executes_every_method(
    project: str, compiled: Compile, printed: Run, tmp_path: Path
) -> None:
    """In a copy, each body begins with a call that notes its number."""
    titles: list[str] = []
    copies = [tmp_path / "executed" / "Executed.java"]
    copies[0].parent.mkdir()
    copies[0].write_text(COUNTER)
    for path in files(project, "src"):
        source = path.read_bytes()
        found = bodies(path)
        calls = {
            body.offset: f" executed.Executed.body({number});"
            for number, body in enumerate(found, start=len(titles))
        }
        assert len(calls) == len(found), path
        # From the end, so that the offsets before stay right.
        for offset in sorted(calls, reverse=True):
            source = source[:offset] + calls[offset].encode() + source[offset:]
        titles += [body.title for body in found]
        copy = tmp_path / path.relative_to(EXAMPLES)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(source)
        copies.append(copy)
    output = printed(compiled(copies + files(project, "check")), CHECKS[project])
    numbers = re.search(r"executed: \{(.*)\}", output)
    assert numbers, output
    executed = {titles[int(number)] for number in numbers[1].split(", ")}
    assert sorted(set(titles) - executed) == []
    assert len(titles) == len(set(titles))


def test_there_are_enough_methods_and_half_are_documented() -> None:
    documented: dict[str, list[bool]] = {}
    for project in CHECKS:
        sources = [JavaFile(path.read_bytes()) for path in files(project, "src")]
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
    """JavacMethods.java prints each method of javac's own trees, a body as the seventh column."""
    sources = [path for project in CHECKS for path in files(project, "src")]
    lines = javac_program("JavacMethods", sources).splitlines()
    theirs = sum(line.split("\t")[6] == "true" for line in lines if not line.startswith("= "))
    assert theirs == sum(len(bodies(path)) for path in sources)


def test_the_checks_add_few_methods() -> None:
    for project in CHECKS:
        main = sum(len(bodies(path)) for path in files(project, "src"))
        check = sum(len(bodies(path)) for path in files(project, "check"))
        assert check / main < 0.1, project
