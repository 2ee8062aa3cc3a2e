"""Compare the edges in compatible mode with javac's attribution.

JavacEdges.java computes the syntactic edges of features-javac from javac's trees and symbols.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from codeacumen.languages.java.flow.graph import find_outermost_methods
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.views.graph import EDGES
from codeacumen.views.graph.compat import compatible_edges

Edge = tuple[str, int, int]
COMPARED_KINDS = ("LL", "CF", "FA", "GB", "GN")


def list_our_edges(file: JavaFile) -> set[Edge]:
    start = file.syntax.start
    return {
        (EDGES[kind], int(start[source]), int(start[target]))
        for kind, source, target in compatible_edges(file, file.bodies).tolist()
        if EDGES[kind] in COMPARED_KINDS
    }


def select_edges_within_methods(file: JavaFile, edges: set[Edge]) -> set[Edge]:
    """Return the edges with both ends in one method, since a graph contains no others."""
    nodes = find_outermost_methods(file, file.bodies)
    method_starts, method_ends = file.syntax.start[nodes].tolist(), file.syntax.end[nodes].tolist()

    def find_method(offset: int) -> int:
        index = bisect_right(method_starts, offset) - 1
        return index if index >= 0 and offset < method_ends[index] else -1

    return {edge for edge in edges if find_method(edge[1]) == find_method(edge[2]) >= 0}


@pytest.mark.thorough
def test_edges_agree_with_javac_on_java_util(
    javac_program: Callable[..., str], part_of_java_util: list[Path]
) -> None:
    # Compile the source as a part of its module.
    module = next(parent for parent in part_of_java_util[0].parents if parent.name == "java.base")
    options = f"--patch-module java.base={module}"
    edges_by_path: dict[str, set[Edge]] = {}
    for line in javac_program("JavacEdges", [options, *part_of_java_util]).splitlines():
        if line.startswith("= "):
            current = edges_by_path.setdefault(line[2:], set())
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
        javac_edges, our_edges = (
            select_edges_within_methods(file, edges_by_path[str(path)]),
            select_edges_within_methods(file, list_our_edges(file)),
        )
        count += Counter(kind for kind, _, _ in javac_edges)
        missing += [(path.name, edge) for edge in sorted(javac_edges - our_edges)]
        added += [(path.name, edge) for edge in sorted(our_edges - javac_edges)]
    assert count.total() > 16_000
    assert added == []
    # The choice among overloaded methods depends on types, of which we know fewer than javac.
    arguments = [edge for edge in missing if edge[1][0] == "FA"]
    assert [edge for edge in missing if edge not in arguments] == []
    assert len(arguments) < 0.1 * count["FA"]
