"""The **code2vec** and **code2seq** views: path contexts, as the authors' extractor prints them.

A path context is two leaves of a method's syntax tree and the path between them. The tree is that
of JavaParser 3.0.0-alpha.4, with which the extractors were published: ``rules`` says how it follows
from the syntax, ``details`` and ``tree`` build it, ``contexts`` finds the pairs, ``leaves`` names
their ends, ``build`` puts it all into arrays and ``lines`` prints them.

Unlike the original, comments change nothing: there, a comment attached to a leaf becomes part of
its name. Annotations on an array's brackets are left out. Methods of any length are examples.
Constructs newer than Java 8, which that parser rejects, are taken as written, under the names later
versions gave them.
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

_EXTRACTOR = "the extractor's line: all contexts, and the name of a recursive call is kept"
_GLUECODE = "as that paper prints it: the method's own name instead of METHOD_NAME"


class PathTable:
    """``kind``, ``parent`` and ``child`` are the tree; ``leaf`` its leaves, with what code2vec and
    code2seq call them (``name``, ``parts``) and their ``role``; ``left``, ``right`` and ``path``
    the contexts."""

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
    columns = {field: row[field] for field in MethodPaths.__slots__ if field != "method"}
    return MethodPaths(method=method["name"], **columns)


def _computed(file: JavaFile, place: int) -> MethodPaths | None:
    """All contexts of one method; None where there are none: constructors are no examples."""
    found = method_paths(paths(file, [place], most=None), 0)
    return found if len(found.path) else None


def _is_empty(file: JavaFile, place: int) -> bool:
    """Whether a method has no line that code2vec's extractor would count: nothing but comments, as
    lines that begin with a slash or an asterisk."""
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
        {"code2seq": _EXTRACTOR, "gluecode": _GLUECODE, "code2vec": "another word for code2seq"}
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
