"""The **code2vec** and **code2seq** views: path contexts, as the authors' extractors print them.

A path context is two leaves of a method's syntax tree and the path between them. The tree is that
of JavaParser 3.0.0-alpha.4, the parser of the published extractors: ``rules`` maps our syntax to
it, ``details`` and ``tree`` build it, ``contexts`` finds the pairs, ``leaves`` names their ends,
and ``build`` collects the arrays and formats the published lines.

Differences from the extractors: comments change nothing, while theirs add a comment to the name of
the leaf that it is attached to. Annotations on an array's brackets are skipped. Methods of any
length are examples. That parser rejects constructs newer than Java 8; in our trees, their nodes
have the order of the source and the names of later JavaParser versions.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import Json
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import find_symbols
from codeacumen.registry import view
from codeacumen.text.columns import Ragged
from codeacumen.text.lines import split_lines
from codeacumen.views.paths.build import (
    METHOD_NAME,
    MethodPaths,
    OwnName,
    Paths,
    Style,
    build_paths,
    format_code2seq_line,
    format_code2vec_line,
    format_path,
    paths_of_method,
)
from codeacumen.views.paths.leaves import KINDS

# How the output of ``compatible`` differs from that of ``value``, by the tool that it imitates. In
# ``value``, METHOD_NAME replaces the method's own name at its declaration and in recursive calls.
# "The paper" is GLUECode's.
_EXTRACTOR = "the extractor's line: all contexts; recursive calls keep the method's name"
_GLUECODE = "the paper's line: the method's own name instead of METHOD_NAME"


class PathTable:
    """Path contexts of each method, with the columns of ``build.Paths``.

    ``kind``, ``parent`` and ``child`` (the child id that the extractor prints) are the tree;
    ``leaf`` its leaves, with their names for code2vec (``name``) and code2seq (``parts``) and their
    ``role`` (whether the leaf declares or calls the method); ``left``, ``right`` and ``path`` the
    contexts. If a method has many contexts, its seed samples those that are stored."""

    name = "paths"

    def columns(self, file: JavaFile, seeds: NDArray[np.uint64]) -> Mapping[str, Ragged]:
        path_arrays = build_paths(file, file.bodies, seeds)
        columns = {
            name: Ragged(getattr(path_arrays, name), path_arrays.node_offsets)
            for name in ("kind", "parent", "child")
        }
        columns |= {
            name: Ragged(getattr(path_arrays, name), path_arrays.leaf_offsets)
            for name in ("leaf", "role")
        }
        columns |= {"name": path_arrays.name, "parts": path_arrays.parts}
        columns |= {
            name: Ragged(getattr(path_arrays, name), path_arrays.context_offsets)
            for name in ("left", "right", "path")
        }
        return columns


def _paths_from_row(method: Mapping[str, Any], row: Mapping[str, Any]) -> MethodPaths:
    """Return the path contexts of a method from its rows in the store's tables."""
    columns = {field: row[field] for field in MethodPaths.__slots__ if field != "method"}
    return MethodPaths(method=method["name"], **columns)


def _compute_paths(file: JavaFile, method: int) -> MethodPaths | None:
    """Return all contexts of a method, or None if it has none, like constructors."""
    method_paths = paths_of_method(build_paths(file, [method], max_contexts=None), 0)
    return method_paths if len(method_paths.path) else None


def _has_no_lines(file: JavaFile, method: int) -> bool:
    """Return True if code2vec's extractor counts no line of the body.

    That extractor omits such a method; code2seq's does not. Its body is empty, or holds only
    comments whose lines all begin with a slash or an asterisk."""
    syntax = file.syntax
    inside = syntax.children(file.declarations.methods[method].body)[1:-1]
    if any(
        syntax.kind[node] not in find_symbols("line_comment", "block_comment") for node in inside
    ):
        return False
    lines = [line for node in inside for line in split_lines(syntax.text(node))]
    return all(line.strip().startswith(("/", "*")) for line in lines)


# The methods of the views are described in ``codeacumen.api.views.View``; ``place`` is the method's
# index in its file.
@view("code2vec", summary="path contexts, each path a hash")
class Code2VecView:
    name = "code2vec"
    tables = (PathTable(),)
    compats: Mapping[str, str] = MappingProxyType({"code2vec": _EXTRACTOR, "gluecode": _GLUECODE})

    def value(self, method: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> Json:
        return format_code2vec_line(_paths_from_row(method, rows["paths"]))

    def compatible(self, compat: str, file: JavaFile, place: int) -> Json:
        method_paths = None if _has_no_lines(file, place) else _compute_paths(file, place)
        return format_code2vec_line(method_paths, cast(OwnName, compat)) if method_paths else None


@view("code2seq", summary="path contexts, each path a list of node types")
class Code2SeqView:
    name = "code2seq"
    tables = (PathTable(),)
    compats: Mapping[str, str] = MappingProxyType(
        {"code2seq": _EXTRACTOR, "gluecode": _GLUECODE, "code2vec": "synonym of code2seq"}
    )

    def value(self, method: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> Json:
        return format_code2seq_line(_paths_from_row(method, rows["paths"]))

    def compatible(self, compat: str, file: JavaFile, place: int) -> Json:
        method_paths = _compute_paths(file, place)
        # Both extractors treat the method's own name alike; this treatment is called "code2vec".
        own_name: OwnName = "gluecode" if compat == "gluecode" else "code2vec"
        return format_code2seq_line(method_paths, own_name) if method_paths else None


__all__ = [
    "KINDS",
    "METHOD_NAME",
    "MethodPaths",
    "OwnName",
    "Paths",
    "Style",
    "build_paths",
    "format_code2seq_line",
    "format_code2vec_line",
    "format_path",
    "paths_of_method",
]
