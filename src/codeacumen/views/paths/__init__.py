"""The **code2vec** and **code2seq** views: path contexts, as the authors' extractors print them.

A path context is two leaves of a method's syntax tree and the path between them. The tree is that
of JavaParser 3.0.0-alpha.4, the parser of the published extractors: ``rules`` maps our syntax to
it, ``details`` and ``tree`` build it, ``contexts`` finds the pairs, ``leaves`` names their ends,
and ``build`` collects the arrays and formats the published lines.

Differences from the extractors: comments change nothing, while theirs add a comment to the name of
the leaf that it is attached to. Annotations on an array's brackets are skipped. Methods of any
length are examples. That parser rejects constructs newer than Java 8; ours keep the order of the
source and the names of later JavaParser versions.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import Json
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import symbols
from codeacumen.registry import view
from codeacumen.text.columns import Ragged
from codeacumen.text.lines import lines_of
from codeacumen.views.paths.build import (
    METHOD_NAME,
    MethodPaths,
    OwnName,
    Paths,
    Style,
    code2seq_line,
    code2vec_line,
    method_paths,
    path_string,
    paths,
)
from codeacumen.views.paths.leaves import KINDS

_EXTRACTOR = "the extractor's line: all contexts; recursive calls keep the method's name"
_GLUECODE = "the paper's line: the method's own name instead of METHOD_NAME"


class PathTable:
    """Path contexts of each method, with the columns of ``build.Paths``.

    ``kind``, ``parent`` and ``child`` are the tree; ``leaf`` its leaves, with their names for
    code2vec (``name``) and code2seq (``parts``) and their ``role``; ``left``, ``right`` and
    ``path`` the contexts."""

    name = "paths"

    def columns(self, file: JavaFile, seeds: NDArray[np.uint64]) -> Mapping[str, Ragged]:
        found = paths(file, file.bodies, seeds)
        columns = {
            name: Ragged(getattr(found, name), found.node_offsets)
            for name in ("kind", "parent", "child")
        }
        columns |= {
            name: Ragged(getattr(found, name), found.leaf_offsets) for name in ("leaf", "role")
        }
        columns |= {"name": found.name, "parts": found.parts}
        columns |= {
            name: Ragged(getattr(found, name), found.context_offsets)
            for name in ("left", "right", "path")
        }
        return columns


def _stored(method: Mapping[str, Any], row: Mapping[str, Any]) -> MethodPaths:
    """Return the path contexts of a method from the row of the store."""
    columns = {field: row[field] for field in MethodPaths.__slots__ if field != "method"}
    return MethodPaths(method=method["name"], **columns)


def _computed(file: JavaFile, place: int) -> MethodPaths | None:
    """Return all contexts of a method, or None if it has none, like constructors."""
    found = method_paths(paths(file, [place], most=None), 0)
    return found if len(found.path) else None


def _is_empty(file: JavaFile, place: int) -> bool:
    """Return True if code2vec's extractor counts no line of the body.

    Such a body holds only comments whose lines all begin with a slash or an asterisk."""
    syntax = file.syntax
    inside = syntax.children(file.declarations.methods[place].body)[1:-1]
    if any(syntax.kind[node] not in symbols("line_comment", "block_comment") for node in inside):
        return False
    lines = [line for node in inside for line in lines_of(syntax.text(node))]
    return all(line.strip().startswith(("/", "*")) for line in lines)


@view("code2vec", summary="path contexts, each path a hash")
class Code2VecView:
    name = "code2vec"
    tables = (PathTable(),)
    compats: Mapping[str, str] = MappingProxyType({"code2vec": _EXTRACTOR, "gluecode": _GLUECODE})

    def value(self, method: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> Json:
        return code2vec_line(_stored(method, rows["paths"]))

    def compatible(self, compat: str, file: JavaFile, place: int) -> Json:
        found = None if _is_empty(file, place) else _computed(file, place)
        return code2vec_line(found, cast(OwnName, compat)) if found else None


@view("code2seq", summary="path contexts, each path a list of node types")
class Code2SeqView:
    name = "code2seq"
    tables = (PathTable(),)
    compats: Mapping[str, str] = MappingProxyType(
        {"code2seq": _EXTRACTOR, "gluecode": _GLUECODE, "code2vec": "synonym of code2seq"}
    )

    def value(self, method: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> Json:
        return code2seq_line(_stored(method, rows["paths"]))

    def compatible(self, compat: str, file: JavaFile, place: int) -> Json:
        found = _computed(file, place)
        own_name: OwnName = "gluecode" if compat == "gluecode" else "code2vec"
        return code2seq_line(found, own_name) if found else None


__all__ = [
    "KINDS",
    "METHOD_NAME",
    "MethodPaths",
    "OwnName",
    "Paths",
    "Style",
    "code2seq_line",
    "code2vec_line",
    "method_paths",
    "path_string",
    "paths",
]
