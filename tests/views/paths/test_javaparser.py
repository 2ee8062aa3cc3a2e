"""Tests of the trees of paths. The oracle is a later version of JavaParser (JavaParserTrees.java).

Version 3.16 parses the syntax of 3.0.0-alpha.4 and a little more, and the program arranges its
nodes as the old version did. The test compares the kind of each node, child by child.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.views.paths import KINDS, build_paths
from codeacumen.views.paths.leaves import code2vec_leaf_name

JAR = Path(os.environ.get("JAVAPARSER_JAR", "/usr/share/java/javaparser-core.jar"))
ESCAPES = {"\\": "\\", "n": "\n", "r": "\r"}
Method = tuple[str, tuple[tuple[int, str, int, str], ...]]


def count_our_methods(path: Path) -> Counter[Method]:
    file = JavaFile(path.read_bytes())
    file_paths = build_paths(file, file.bodies, max_contexts=0)
    methods: Counter[Method] = Counter()
    for row in range(len(file_paths)):
        first_node, node_end = file_paths.node_offsets[row : row + 2]
        names = dict(
            zip(
                file_paths.leaf[
                    file_paths.leaf_offsets[row] : file_paths.leaf_offsets[row + 1]
                ].tolist(),
                file_paths.name[row],
                strict=True,
            )
        )
        depth: list[int] = []
        nodes = []
        for node in range(node_end - first_node):
            parent = int(file_paths.parent[first_node + node])
            depth.append(depth[parent] + 1 if parent >= 0 else 0)
            kind = KINDS[file_paths.kind[first_node + node]]
            nodes.append(
                (depth[-1], kind, int(file_paths.child[first_node + node]), names.get(node, ""))
            )
        if nodes:
            methods[file_paths.methods[row], tuple(nodes)] += 1
    return methods


def count_javaparser_methods(lines: list[str]) -> dict[Path, Counter[Method]]:
    methods_by_path: dict[Path, Counter[Method]] = {}
    name, nodes = "", []

    def finish_method() -> None:
        if nodes:
            methods_by_path[path][name, tuple(nodes)] += 1
        nodes.clear()

    for line in lines:
        if line.startswith(("= ", "- ")):
            if methods_by_path:
                finish_method()
            if line.startswith("= "):
                path = Path(line[2:])
                methods_by_path[path] = Counter()
            else:
                name = line[2:]
        else:
            depth, kind, child, *text = line.split("\t", 3)
            text_of_leaf = re.sub(r"\\(.)", lambda sign: ESCAPES[sign[1]], text[0]) if text else ""
            is_boxed = kind == "PrimitiveType" and text_of_leaf[:1].isupper()
            leaf_name = code2vec_leaf_name(text_of_leaf, is_boxed) if text else ""
            nodes.append((int(depth), kind, int(child), leaf_name))
    finish_method()
    return methods_by_path


def test_trees_agree_with_javaparser_on_java_util(
    java: Callable[..., list[str]], java_util: list[Path]
) -> None:
    if not JAR.exists():
        pytest.skip(f"{JAR} is not here (Debian: libjavaparser-java)")
    # The oracle does not know yield statements.
    files = [path for path in java_util if b" yield " not in path.read_bytes()]
    expected = count_javaparser_methods(
        java("JavaParserTrees", [str(path) for path in files], "-cp", str(JAR))
    )
    # Some files use syntax that the oracle rejects.
    assert len(expected) > 300
    assert sum(methods.total() for methods in expected.values()) > 5_500
    different = [
        path.name for path, methods in expected.items() if count_our_methods(path) != methods
    ]
    assert different == []
