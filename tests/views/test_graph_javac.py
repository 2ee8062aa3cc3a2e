"""Oracle: javac's attribution. JavacEdges.java draws the syntactic edges of features-javac from
javac's own trees and symbols; ours of the same compatibility must be the same."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from codeacumen.languages.java.flow.graph import outermost
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.views.graph import EDGES
from codeacumen.views.graph.compat import compatible_edges

Edge = tuple[str, int, int]
COMPARED = ("LL", "CF", "FA", "GB", "GN")


def ours(file: JavaFile) -> set[Edge]:
    start = file.syntax.start
    return {
        (EDGES[kind], int(start[source]), int(start[target]))
        for kind, source, target in compatible_edges(file, file.bodies).tolist()
        if EDGES[kind] in COMPARED
    }


def within(file: JavaFile, edges: set[Edge]) -> set[Edge]:
    """Those with both ends in one method: a graph holds no others."""
    nodes = outermost(file, file.bodies)
    first, last = file.syntax.start[nodes].tolist(), file.syntax.end[nodes].tolist()

    def method(place: int) -> int:
        at = bisect_right(first, place) - 1
        return at if at >= 0 and place < last[at] else -1

    return {edge for edge in edges if method(edge[1]) == method(edge[2]) >= 0}


@pytest.mark.thorough
def test_a_part_of_java_util(
    javac_program: Callable[..., str], part_of_java_util: list[Path]
) -> None:
    # The source is compiled as a part of the module it belongs to.
    module = next(parent for parent in part_of_java_util[0].parents if parent.name == "java.base")
    options = f"--patch-module java.base={module}"
    theirs: dict[str, set[Edge]] = {}
    for line in javac_program("JavacEdges", [options, *part_of_java_util]).splitlines():
        if line.startswith("= "):
            current = theirs.setdefault(line[2:], set())
        else:
            kind, source, target = line.split()
            current.add((kind, int(source), int(target)))
    missing: list[tuple[str, Edge]] = []
    added: list[tuple[str, Edge]] = []
    count: Counter[str] = Counter()
    for path in part_of_java_util:
        text = path.read_bytes()
        if not text.isascii():
            continue
        file = JavaFile(text)
        told, drawn = within(file, theirs[str(path)]), within(file, ours(file))
        count += Counter(kind for kind, _, _ in told)
        missing += [(path.name, edge) for edge in sorted(told - drawn)]
        added += [(path.name, edge) for edge in sorted(drawn - told)]
    assert count.total() > 16_000
    assert added == []
    # Which of several methods of one name is called, types decide; we know fewer of them.
    arguments = [edge for edge in missing if edge[1][0] == "FA"]
    assert [edge for edge in missing if edge not in arguments] == []
    assert len(arguments) < 0.1 * count["FA"]
