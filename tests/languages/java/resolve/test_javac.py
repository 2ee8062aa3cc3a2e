"""Compare the linked calls with javac's own attribution of the same files (JavacCalls.java).

For each call in the source, javac prints the method it names and two sets of the project's methods,
computed from javac's class hierarchy: R, the methods that run on an object of any instantiable
subclass of the receiver's static type; and O, the methods that are not abstract and override the
named method in a subclass, abstract or not.

- The linker finds exactly the calls that javac finds, at the same position, with the same caller.
- Completeness: our targets contain the named method if the project declares it, and all of R. An
  abstract named method may be missing where O is not empty, because O stands for it.
- A call of a method without source in the project, such as a default constructor, counts as a call
  inside the project.
- Precision: among the edges of unambiguous calls, the share whose target is the named method or
  in O.

Where a class inherits through one that is neither in the files nor in the JDK's public API, neither
the linker nor the criterion looks further, and such calls are not required.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.corpus.sources import Entry, find_projects
from codeacumen.languages.java.resolve import (
    Call,
    JavaProject,
    Platform,
    extract_facts,
    load_platform,
)
from codeacumen.languages.java.resolve.types import Target
from javac import JavacSource

HERE = Path(__file__).parent
EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
LIBRARY = "libcommons-lang3-java"

Javac = Callable[[str, list[Path]], str]
Record = Callable[[str, object], None]


@dataclass(frozen=True)
class JavacCall:
    """A call as javac attributes it, with offsets in bytes and indices of its sets R and O."""

    offset: int
    caller: int
    name: str
    declared: str
    abstract: bool
    receiver_is_known: bool
    running_set: int
    overriding_set: int


@dataclass
class Score:
    calls: int = 0
    project_calls: int = 0
    ambiguous: int = 0
    edges: int = 0
    correct_edges: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.correct_edges / max(1, self.edges)


class Source(JavacSource):
    """A parsed file with its methods by the byte offsets at which they start."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        starts = self.file.syntax.start
        nodes = [method.node for method in self.file.declarations.methods]
        self.methods = {int(starts[node]): index for index, node in enumerate(nodes)}


def compare_with_javac(
    javac: Javac, paths: Iterable[Path], *options: str, other_platform: Platform | None = None
) -> Score:
    """Return the score of our calls against javac's.

    With ``other_platform`` only the calls of the project's own methods must be complete.
    """
    files = {str(path): Source(path) for path in sorted(paths)}
    javac_output = javac("JavacCalls", [*map(Path, options), *map(Path, files)])
    javac_calls, method_sets = _parse_javac_output(javac_output, files)
    facts_by_path = {path: extract_facts(source.file) for path, source in files.items()}
    declared = [(path, file_facts.declared) for path, file_facts in facts_by_path.items()]
    project = JavaProject(declared, other_platform or load_platform())
    score = Score()
    for path, source in files.items():
        calls_by_offset = {
            call.offset: call for call in project.link_file(path, facts_by_path[path].sites)
        }
        for javac_call in javac_calls[path]:
            call = calls_by_offset.pop(javac_call.offset, None)
            problem = _compare_call(javac_call, call, source, files, method_sets, score)
            if problem and (other_platform is None or javac_call.declared != "-"):
                line = source.file.source.count(b"\n", 0, javac_call.offset) + 1
                score.problems.append(f"{path}:{line}: {javac_call.name}: {problem}: {call}")
        score.problems += [f"{path}: javac has no {call}" for call in calls_by_offset.values()]
    return score


def _compare_call(
    javac_call: JavacCall,
    call: Call | None,
    source: Source,
    files: dict[str, Source],
    method_sets: list[set[Target]],
    score: Score,
) -> str:
    score.calls += 1
    score.project_calls += javac_call.declared != "-"
    if call is None:
        return "no such call"
    caller = source.methods[javac_call.caller] if javac_call.caller >= 0 else -1
    if call.caller != caller:
        return f"the caller is {caller}"
    if javac_call.declared == "?" and not call.inside and javac_call.receiver_is_known:
        return "it is the project's"
    targets, allowed = set(call.targets), set(method_sets[javac_call.overriding_set])
    required = set(method_sets[javac_call.running_set])
    if javac_call.declared not in "-?":
        named_target = _parse_target(javac_call.declared, files)
        if not javac_call.abstract or not allowed:
            required.add(named_target)
        allowed.add(named_target)
    score.ambiguous += call.ambiguous
    if not call.ambiguous:
        score.edges += len(targets)
        score.correct_edges += len(targets & allowed)
    missing = required - targets
    return f"lost {sorted(missing)}" if missing and javac_call.receiver_is_known else ""


def _parse_javac_output(
    javac_output: str, files: dict[str, Source]
) -> tuple[dict[str, list[JavacCall]], list[set[Target]]]:
    javac_calls: dict[str, list[JavacCall]] = {path: [] for path in files}
    method_sets: list[set[Target]] = []
    path = ""
    for line in javac_output.split("\n"):
        tag, *fields = line.split("\t")
        if line.startswith("= "):
            path = line[2:]
        elif tag == "c":
            to_byte_offset = files[path].to_byte_offset
            javac_calls[path].append(
                JavacCall(
                    to_byte_offset(int(fields[0])),
                    to_byte_offset(int(fields[1])),
                    fields[2],
                    fields[3],
                    fields[4] == "true",
                    fields[5] == "true",
                    int(fields[6]),
                    int(fields[7]),
                )
            )
        elif tag == "s":
            method_sets.append({_parse_target(text, files) for text in fields[1:] if text})
        assert tag != "e", line
    return javac_calls, method_sets


def _parse_target(text: str, files: dict[str, Source]) -> Target:
    path, _, position = text.rpartition(":")
    source = files[path]
    return path, source.methods[source.to_byte_offset(int(position))]


def check_score(score: Score, record: Record, minimum_calls: int, maximum_ambiguous: float) -> None:
    record("calls", score.calls)
    record("calls inside the project", score.project_calls)
    record("ambiguous", score.ambiguous)
    record("edges", score.edges)
    record("precision", score.precision)
    assert score.problems == []
    assert score.calls > minimum_calls
    assert score.precision >= 0.999
    assert score.ambiguous / score.calls <= maximum_ambiguous


def test_calls_of_every_construct(javac_program: Javac, record_property: Record) -> None:
    """The small project contains overloads, type inference, and inner and local classes."""
    score = compare_with_javac(javac_program, (HERE / "project").rglob("*.java"))
    check_score(score, record_property, minimum_calls=250, maximum_ambiguous=0.02)


@pytest.mark.parametrize(
    ("name", "calls"), [("ballot", 800), ("library", 1_000), ("quill", 1_000), ("tramway", 1_000)]
)
def test_calls_of_the_example_projects(
    javac_program: Javac, record_property: Record, name: str, calls: int
) -> None:
    score = compare_with_javac(javac_program, (EXAMPLES / name).rglob("*.java"))
    check_score(score, record_property, minimum_calls=calls, maximum_ambiguous=0.001)


@pytest.mark.parametrize("name", ["ballot", "library", "quill", "tramway"])
def test_no_call_is_lost_when_libraries_are_unknown(
    javac_program: Javac, record_property: Record, name: str
) -> None:
    """Treat all packages but java.lang as an unknown library.

    Types become unknown and calls ambiguous, but no call of the project's own methods is lost.
    """
    full_platform = load_platform()
    class_blocks = {
        key: text for key, text in full_platform.blocks.items() if key.startswith("java.lang.")
    }
    reduced_platform = replace(
        full_platform, blocks=class_blocks, packages=frozenset(["java.lang"])
    )
    score = compare_with_javac(
        javac_program, (EXAMPLES / name).rglob("*.java"), other_platform=reduced_platform
    )
    record_property("ambiguous", score.ambiguous)
    record_property("precision", score.precision)
    assert score.problems == []
    assert 0 < score.ambiguous < 0.15 * score.calls
    assert score.precision >= 0.999


@pytest.mark.thorough
def test_java_util(javac_program: Javac, java_util: list[Path], record_property: Record) -> None:
    """Link java.util as a project: the public JDK is its platform; internal classes are unknown."""
    root = next(path for path in java_util[0].parents if path.name == "java.base")
    paths = [path for path in java_util if path.name != "package-info.java"]
    score = compare_with_javac(javac_program, paths, f"--patch-module=java.base={root}")
    check_score(score, record_property, minimum_calls=20_000, maximum_ambiguous=0.01)


@pytest.mark.thorough
def test_a_debian_library(javac_program: Javac, record_property: Record, tmp_path: Path) -> None:
    try:
        (library,) = find_projects([f"debian:{LIBRARY}"], tmp_path / "cache")
    except CodeacumenError as error:
        pytest.skip(f"the library cannot be fetched: {error}")
    paths = []
    for entry in library.list_entries([".java"]):
        if isinstance(entry, Entry) and "src/main/" in entry.path:
            data = library.read_file(entry.path)
            path = tmp_path / "src" / entry.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data if isinstance(data, bytes) else b"")
            paths.append(path)
    score = compare_with_javac(
        javac_program, [path for path in paths if path.name != "package-info.java"]
    )
    check_score(score, record_property, minimum_calls=8_000, maximum_ambiguous=0.001)
