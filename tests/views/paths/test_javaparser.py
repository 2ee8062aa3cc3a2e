"""Oracle: JavaParser's own reading of Java (JavaParserTrees.java), in a later version.

Version 3.16 knows the same syntax as 3.0.0-alpha.4 and a little more; the program arranges its
nodes as the old one did. So this checks what each piece of syntax is, child by child.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.views.paths import KINDS, paths
from codeacumen.views.paths.leaves import name_of

JAR = Path(os.environ.get("JAVAPARSER_JAR", "/usr/share/java/javaparser-core.jar"))
BACK = {"\\": "\\", "n": "\n", "r": "\r"}
Method = tuple[str, tuple[tuple[int, str, int, str], ...]]


def ours(path: Path) -> Counter[Method]:
    file = JavaFile(path.read_bytes())
    found = paths(file, file.bodies, most=0)
    methods: Counter[Method] = Counter()
    for row in range(len(found)):
        first, last = found.node_offsets[row : row + 2]
        names = dict(
            zip(
                found.leaf[found.leaf_offsets[row] : found.leaf_offsets[row + 1]].tolist(),
                found.name[row],
                strict=True,
            )
        )
        depth: list[int] = []
        nodes = []
        for node in range(last - first):
            above = int(found.parent[first + node])
            depth.append(depth[above] + 1 if above >= 0 else 0)
            kind = KINDS[found.kind[first + node]]
            nodes.append((depth[-1], kind, int(found.child[first + node]), names.get(node, "")))
        if nodes:
            methods[found.methods[row], tuple(nodes)] += 1
    return methods


def theirs(lines: list[str]) -> dict[Path, Counter[Method]]:
    found: dict[Path, Counter[Method]] = {}
    name, nodes = "", []

    def close() -> None:
        if nodes:
            found[path][name, tuple(nodes)] += 1
        nodes.clear()

    for line in lines:
        if line.startswith(("= ", "- ")):
            if found:
                close()
            if line.startswith("= "):
                path = Path(line[2:])
                found[path] = Counter()
            else:
                name = line[2:]
        else:
            depth, kind, child, *text = line.split("\t", 3)
            written = re.sub(r"\\(.)", lambda sign: BACK[sign[1]], text[0]) if text else ""
            boxed = kind == "PrimitiveType" and written[:1].isupper()
            told = name_of(written, boxed) if text else ""
            nodes.append((int(depth), kind, int(child), told))
    close()
    return found


def test_all_of_java_util(java: Callable[..., list[str]], java_util: list[Path]) -> None:
    if not JAR.exists():
        pytest.skip(f"{JAR} is not here (Debian: libjavaparser-java)")
    # As a statement, yield is newer than the oracle.
    files = [path for path in java_util if b" yield " not in path.read_bytes()]
    expected = theirs(java("JavaParserTrees", [str(path) for path in files], "-cp", str(JAR)))
    # Some files use syntax that the oracle rejects.
    assert len(expected) > 300
    assert sum(methods.total() for methods in expected.values()) > 5_500
    different = [path.name for path, methods in expected.items() if ours(path) != methods]
    assert different == []
