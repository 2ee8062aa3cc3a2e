"""Small Java programs about null, with the expected reports: the JVM is the oracle.

``languages/java/nulls/programs`` holds them by topic. A program in such a file::

    === null_local: a local variable that is null
    class T {
      static int length() {
        String word = null;
        return word.length(); // null: word
      }
    }
    ---
    T.length()

A line ``=== limit: reason`` below the title says that the analysis need not detect the error;
``+++ Other.java`` begins another file of the program. The comment marks where null is dereferenced
and names the token to be reported; ``// null: word passed`` marks a call that passes null to a
method in which it is dereferenced. Below ``---`` are the inputs, one per line: Java statements,
which the analysis does not see, since callers that pass null would be reported too.

An input proves a mark if it ends in a NullPointerException whose stack has its innermost frame of
the program on that line (for passed values: a frame below the innermost), and the JVM's message
names the token. No other NullPointerException may be thrown, and every mark needs an input.
"""

from __future__ import annotations

import base64
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from codeacumen.languages.java.syntax.file import JavaFile

HERE = Path(__file__).parent / "languages" / "java" / "nulls"

_MARK = re.compile(r"// null: (\w+)( passed)?$")
_BECAUSE = re.compile(r'because (the return value of )?"(.*)" is null$')
# Packages of the platform, whose frames are not the program's.
_PLATFORM = ("java.", "jdk.", "sun.")


class Mark(NamedTuple):
    """Place where null is dereferenced. The method is the innermost that encloses the line, whose
    text is ``code``."""

    path: str
    line: int
    method: str
    token: str
    passed: bool
    code: str


class Frame(NamedTuple):
    type: str
    method: str
    file: str
    line: int


class Ending(NamedTuple):
    """The end of a run on an input; ``thrown`` is empty if it returned."""

    input: str
    thrown: str
    message: str
    frames: tuple[Frame, ...]


@dataclass(frozen=True)
class Program:
    topic: str
    name: str
    title: str
    limit: str
    files: tuple[tuple[str, str], ...]
    inputs: tuple[str, ...]

    @property
    def package(self) -> str:
        return f"{self.topic}.{self.name}"

    @property
    def sources(self) -> dict[str, bytes]:
        """Sources by path. Every program has a package of its own, declared on the first line of
        each file, so line numbers are those of the text."""
        folder = self.package.replace(".", "/")
        return {
            f"{folder}/{name}": f"package {self.package}; {text}".encode()
            for name, text in self.files
        }

    @property
    def marks(self) -> tuple[Mark, ...]:
        marks = []
        for path, source in self.sources.items():
            file = JavaFile(source)
            assert not file.syntax.broken, f"{self.package}: not Java"
            for number, line in enumerate(source.decode().splitlines(), 1):
                mark = _MARK.search(line)
                assert bool(mark) == ("// null" in line), f"{self.package}: {line}"
                if mark:
                    token, passed = mark.groups()
                    code_before = line[: mark.start()]
                    assert re.search(rf"\b{token}\b", code_before), f"{self.package}: {line}"
                    method = find_enclosing_method(file, number)
                    marks.append(Mark(path, number, method, token, bool(passed), code_before))
        return tuple(marks)


def find_enclosing_method(file: JavaFile, line: int) -> str:
    """Return the JVM's name of the innermost method on that line. Methods are in source order, so
    the innermost is the last."""
    start = file.source.find(b"\n") + 1 if line > 1 else 0
    for _ in range(line - 2):
        start = file.source.find(b"\n", start) + 1
    stop = file.source.find(b"\n", start)
    innermost = ""
    for method in file.declarations.methods:
        first, last = file.syntax.start[method.node], file.syntax.end[method.node]
        if first < stop and start < last:
            innermost = "<init>" if "constructor" in method.kind else method.name
    return innermost


def parse_programs(text: str, topic: str) -> Iterator[Program]:
    """Yield the programs of a file."""
    for part in re.split(r"^=== (?!limit: )", text, flags=re.MULTILINE)[1:]:
        heading, _, rest = part.partition("\n")
        name, _, title = heading.partition(": ")
        limit = ""
        if rest.startswith("=== limit: "):
            first, _, rest = rest.partition("\n")
            limit = first.removeprefix("=== limit: ")
        code, _, inputs = rest.partition("\n---\n")
        first, *others = re.split(r"^\+\+\+ (\w+\.java)\n", code + "\n", flags=re.MULTILINE)
        files = (("T.java", first), *zip(others[::2], others[1::2], strict=True))
        yield Program(topic, name, title, limit, files, tuple(inputs.split("\n\n")[0].split("\n")))


@cache
def load_programs() -> tuple[Program, ...]:
    loaded = []
    for file in sorted((HERE / "programs").glob("*.txt")):
        loaded += list(parse_programs(file.read_text(encoding="utf-8"), file.stem))
    return tuple(loaded)


def run_programs(selected: Sequence[Program], folder: Path) -> dict[str, list[Ending]]:
    """Return the endings of each program on its inputs, by package: one compilation, one JVM."""
    javac, java = shutil.which("javac"), shutil.which("java")
    if javac is None or java is None:
        pytest.skip("no JDK here: the JVM is the oracle")
    files = [str(HERE / "NullRuns.java")]
    for program in selected:
        body = "".join(
            f"  static void input{number}() throws Throwable {{ {statements}; }}\n"
            for number, statements in enumerate(program.inputs)
        )
        header = f"package {program.package}; import java.io.*; import java.util.*;"
        inputs = f"{header}\nclass Inputs {{\n{body}}}\n".encode()
        sources = {**program.sources, f"{program.package.replace('.', '/')}/Inputs.java": inputs}
        for path, source in sources.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(source)
            files.append(str(file))
    listed, named, out = folder / "files.txt", folder / "names.txt", folder / "classes"
    listed.write_text("\n".join(files))
    named.write_text("\n".join(f"{program.package}.Inputs" for program in selected))
    # -g: messages use the names of locals. Short runs are fastest with the simple compiler.
    done = subprocess.run(
        [
            javac,
            "-J-XX:TieredStopAtLevel=1",
            "-g",
            "-nowarn",
            "-proc:none",
            "-encoding",
            "UTF-8",
            "-d",
            str(out),
            f"@{listed}",
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    done = subprocess.run(
        [java, "-ea", "-XX:TieredStopAtLevel=1", "-cp", str(out), "NullRuns", str(named)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    by_name = {program.package: program for program in selected}
    endings: dict[str, list[Ending]] = {program.package: [] for program in selected}
    for line in done.stdout.splitlines():
        name, number, thrown, message, frames = line.split(" ")
        package = name.removesuffix(".Inputs")
        ending = Ending(
            by_name[package].inputs[int(number)],
            "" if thrown == "-" else thrown,
            "" if thrown == "-" else base64.b64decode(message).decode(),
            () if thrown == "-" else tuple(parse_frames(frames)),
        )
        endings[package].append(ending)
    return endings


def parse_frames(text: str) -> Iterator[Frame]:
    for part in text.split(";"):
        type_, method, file, line = part.split("#")
        # A lambda's body is compiled to a method of its own; reports name the enclosing method.
        yield Frame(type_, re.sub(r"^lambda\$(\w+)\$\d+$", r"\1", method), file, int(line))


def parse_null_token(message: str) -> str:
    """Return the token that is null according to a NullPointerException's message; empty if it
    names none, or a local that the compiler introduced."""
    because = _BECAUSE.search(message)
    if not because:
        return ""
    expression = because[2]
    if because[1]:
        return expression.partition("(")[0].rpartition(".")[2]
    if expression.endswith(">") or expression == "null":
        return ""
    while expression.endswith("]"):
        expression = expression[: expression.rindex("[")]
    words: list[str] = re.findall(r"\w+", expression)
    return words[-1]


def is_explained_by(mark: Mark, package: str, ending: Ending) -> bool:
    """Return whether a NullPointerException was thrown at a mark, for the marked token."""
    frames = [
        frame
        for frame in ending.frames
        if frame.type.startswith(f"{package}.") and frame.type != f"{package}.Inputs"
    ]
    here = [(frame.file, frame.line, frame.method) for frame in frames]
    where = (mark.path.rpartition("/")[2], mark.line, mark.method)
    if mark.passed:
        return where in here[1:] and passes_null_to(mark, frames[here.index(where) - 1])
    # If the platform throws, the message names a variable of the platform.
    inside = ending.frames[0].type.startswith(_PLATFORM)
    token = "" if inside else parse_null_token(ending.message)
    return bool(here) and here[0] == where and token in ("", mark.token)


def passes_null_to(mark: Mark, callee: Frame) -> bool:
    """Return whether the token is an argument of the call on the line, or the name of the called
    method, which is that of the next frame."""
    of_type = re.split(r"[.$]", callee.type)[-1]
    called = of_type if callee.method == "<init>" else callee.method
    call = re.search(rf"\b{called}\(([^()]*)\)", mark.code)
    if not call:
        return False
    arguments = [argument.strip() for argument in call[1].split(",")]
    return mark.token in arguments or (mark.token == called and "null" in arguments)


def find_contradictions(program: Program, endings: Iterable[Ending]) -> list[str]:
    """Return, in words, how the JVM's results contradict a program's marks."""
    contradictions = []
    proved = set()
    ended = list(endings)
    if len(ended) != len(program.inputs):
        contradictions.append(
            f"{program.package}: {len(ended)} of {len(program.inputs)} inputs ran"
        )
    for ending in ended:
        if ending.thrown != "java.lang.NullPointerException":
            continue
        marks = [mark for mark in program.marks if is_explained_by(mark, program.package, ending)]
        proved.update(marks)
        if len(marks) != 1:
            top = ending.frames[0]
            contradictions.append(
                f"{program.package}: {ending.input}: {len(marks)} marks explain {ending.message!r} "
                f"in {top.method} on line {top.line}"
            )
    contradictions += [
        f"{program.package}: no input proves {mark.token} on line {mark.line}"
        for mark in program.marks
        if mark not in proved
    ]
    return contradictions
