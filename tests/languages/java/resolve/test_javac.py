"""Calls against javac's own attribution of the same files (JavacCalls.java).

The criterion. For each call in the source, javac tells the method it names, and two sets of the
project's methods computed from javac's own class hierarchy: R, what runs on an object of any
instantiable class below the receiver's static type; and O, all that are not abstract and
override the named method in a class below it, abstract or not.

- Every call javac knows is known here, at the same place, with the same caller, and no others.
- Nothing is lost: our targets hold the named method if the project declares it, and all of R. If
  the named method is abstract, it may be missing where O is not empty: then those stand for it.
- Of a method that is the project's but nobody's, as a default constructor, the call is inside.
- Precision: of the edges of calls that are not ambiguous, the share whose target is the named
  method or in O.

Where a class inherits through one that is neither in the files nor in the JDK's public API, neither
we nor the criterion look further; such calls are not asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.corpus.sources import Entry, projects
from codeacumen.languages.java.resolve import Call, Platform, Project, facts, platform
from codeacumen.languages.java.resolve.types import Target
from codeacumen.languages.java.syntax.file import JavaFile

HERE = Path(__file__).parent
EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
LIBRARY = "libcommons-lang3-java"

Javac = Callable[[str, list[Path]], str]
Record = Callable[[str, object], None]


@dataclass(frozen=True)
class Named:
    """What javac says of a call; places in bytes."""

    offset: int
    caller: int
    name: str
    declared: str
    abstract: bool
    seen: bool
    running: int
    overriding: int


@dataclass
class Score:
    calls: int = 0
    inside: int = 0
    ambiguous: int = 0
    edges: int = 0
    right: int = 0
    lost: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.right / max(1, self.edges)


class Source:
    """A file with what is needed to compare places: javac counts UTF-16 units."""

    def __init__(self, path: Path) -> None:
        self.file = JavaFile(path.read_bytes())
        text = path.read_text()
        self.bytes: list[int] | None = None
        if not text.isascii():
            self.bytes = [0]
            for letter in text:
                units = len(letter.encode("utf-16-le")) // 2
                self.bytes += [self.bytes[-1] + len(letter.encode())] * units
        starts = self.file.syntax.start
        nodes = [one.node for one in self.file.declarations.methods]
        self.methods = {int(starts[node]): place for place, node in enumerate(nodes)}

    def at(self, position: int) -> int:
        return position if self.bytes is None or position < 0 else self.bytes[position]


def judge(
    javac: Javac, paths: Iterable[Path], *options: str, known: Platform | None = None
) -> Score:
    """``known``: another platform; then only the calls of the project's own methods count."""
    files = {str(path): Source(path) for path in sorted(paths)}
    told = javac("JavacCalls", [*map(Path, options), *map(Path, files)])
    named, sets = _read(told, files)
    made = {path: facts(source.file) for path, source in files.items()}
    declared = [(path, one.declared) for path, one in made.items()]
    project = Project(declared, known or platform())
    score = Score()
    for path, source in files.items():
        ours = {call.offset: call for call in project.link(path, made[path].sites)}
        for one in named[path]:
            call = ours.pop(one.offset, None)
            problem = _compare(one, call, source, files, sets, score)
            if problem and (known is None or one.declared != "-"):
                line = source.file.source.count(b"\n", 0, one.offset) + 1
                score.lost.append(f"{path}:{line}: {one.name}: {problem}: {call}")
        score.lost += [f"{path}: javac has no {call}" for call in ours.values()]
    return score


def _compare(
    one: Named,
    call: Call | None,
    source: Source,
    files: dict[str, Source],
    sets: list[set[Target]],
    score: Score,
) -> str:
    score.calls += 1
    score.inside += one.declared != "-"
    if call is None:
        return "no such call"
    place = source.methods[one.caller] if one.caller >= 0 else -1
    if call.caller != place:
        return f"the caller is {place}"
    if one.declared == "?" and not call.inside and one.seen:
        return "it is the project's"
    targets, allowed = set(call.targets), set(sets[one.overriding])
    needed = set(sets[one.running])
    if one.declared not in "-?":
        itself = _target(one.declared, files)
        if not one.abstract or not allowed:
            needed.add(itself)
        allowed.add(itself)
    score.ambiguous += call.ambiguous
    if not call.ambiguous:
        score.edges += len(targets)
        score.right += len(targets & allowed)
    lost = needed - targets
    return f"lost {sorted(lost)}" if lost and one.seen else ""


def _read(told: str, files: dict[str, Source]) -> tuple[dict[str, list[Named]], list[set[Target]]]:
    named: dict[str, list[Named]] = {path: [] for path in files}
    sets: list[set[Target]] = []
    path = ""
    for line in told.split("\n"):
        what, *rest = line.split("\t")
        if line.startswith("= "):
            path = line[2:]
        elif what == "c":
            at = files[path].at
            named[path].append(
                Named(
                    at(int(rest[0])),
                    at(int(rest[1])),
                    rest[2],
                    rest[3],
                    rest[4] == "true",
                    rest[5] == "true",
                    int(rest[6]),
                    int(rest[7]),
                )
            )
        elif what == "s":
            sets.append({_target(text, files) for text in rest[1:] if text})
        assert what != "e", line
    return named, sets


def _target(text: str, files: dict[str, Source]) -> Target:
    path, _, position = text.rpartition(":")
    source = files[path]
    return path, source.methods[source.at(int(position))]


def check(score: Score, record: Record, calls: int, ambiguous: float) -> None:
    record("calls", score.calls)
    record("calls inside the project", score.inside)
    record("ambiguous", score.ambiguous)
    record("edges", score.edges)
    record("precision", score.precision)
    assert score.lost == []
    assert score.calls > calls
    assert score.precision >= 0.999
    assert score.ambiguous / score.calls <= ambiguous


def test_every_construct(javac_program: Javac, record_property: Record) -> None:
    """A small project made of what is hard: overloads, inference, inner and local classes."""
    score = judge(javac_program, (HERE / "project").rglob("*.java"))
    check(score, record_property, calls=250, ambiguous=0.02)


@pytest.mark.parametrize(
    ("name", "calls"), [("ballot", 800), ("library", 1_000), ("quill", 1_000), ("tramway", 1_000)]
)
def test_the_example_projects(
    javac_program: Javac, record_property: Record, name: str, calls: int
) -> None:
    score = judge(javac_program, (EXAMPLES / name).rglob("*.java"))
    check(score, record_property, calls=calls, ambiguous=0.001)


@pytest.mark.parametrize("name", ["ballot", "library", "quill", "tramway"])
def test_nothing_is_lost_without_knowing_the_libraries(
    javac_program: Javac, record_property: Record, name: str
) -> None:
    """As if all but java.lang were a library that is not here: types become unknown and calls
    ambiguous, but no call of the project's own methods is lost."""
    full = platform()
    blocks = {key: text for key, text in full.blocks.items() if key.startswith("java.lang.")}
    poor = replace(full, blocks=blocks, packages=frozenset(["java.lang"]))
    score = judge(javac_program, (EXAMPLES / name).rglob("*.java"), known=poor)
    record_property("ambiguous", score.ambiguous)
    record_property("precision", score.precision)
    assert score.lost == []
    assert 0 < score.ambiguous < 0.15 * score.calls
    assert score.precision >= 0.999


@pytest.mark.thorough
def test_java_util(javac_program: Javac, java_util: list[Path], record_property: Record) -> None:
    """java.util as a project of its own: the rest of the JDK is the platform, and what the JDK
    keeps to itself is a library nobody knows."""
    root = next(path for path in java_util[0].parents if path.name == "java.base")
    paths = [path for path in java_util if path.name != "package-info.java"]
    score = judge(javac_program, paths, f"--patch-module=java.base={root}")
    check(score, record_property, calls=20_000, ambiguous=0.01)


@pytest.mark.thorough
def test_a_debian_library(javac_program: Javac, record_property: Record, tmp_path: Path) -> None:
    try:
        (library,) = projects([f"debian:{LIBRARY}"], tmp_path / "cache")
    except CodeacumenError as error:
        pytest.skip(f"the library cannot be fetched: {error}")
    paths = []
    for entry in library.entries([".java"]):
        if isinstance(entry, Entry) and "src/main/" in entry.path:
            data = library.read(entry.path)
            path = tmp_path / "src" / entry.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data if isinstance(data, bytes) else b"")
            paths.append(path)
    score = judge(javac_program, [path for path in paths if path.name != "package-info.java"])
    check(score, record_property, calls=8_000, ambiguous=0.001)
