"""The **code2vec** and **code2seq** views: a method's path contexts, as a line of text.

Both are read from one table: the tree, its leaves, and up to 200 pairs of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from acumen.api import Json
from acumen.lang.columns import Ragged
from acumen.lang.java.file import JavaFile
from acumen.registry import view
from acumen.views.paths import MethodPaths, OwnName, code2seq_line, code2vec_line, method_paths
from acumen.views.paths import paths as paths_of

_COMPATS = MappingProxyType(
    {
        "code2vec": "the extractor's line: all contexts, and the name of a recursive call is kept",
        "gluecode": "as that paper prints it: the method's own name instead of METHOD_NAME",
    }
)


class PathTable:
    """``kind``, ``parent`` and ``child`` are the tree; ``leaf`` its leaves, with what code2vec and
    code2seq call them (``name``, ``parts``) and their ``role``; ``left``, ``right`` and ``path``
    the contexts."""

    name = "paths"

    def columns(self, file: JavaFile, seeds: NDArray[np.uint64]) -> Mapping[str, Ragged]:
        found = paths_of(file, file.bodies, seeds)
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
    name = method["name"] if len(row["kind"]) else ""
    columns = {field: row[field] for field in MethodPaths.__slots__ if field != "method"}
    return MethodPaths(method=name, **columns)


def _computed(compat: str, file: JavaFile, place: int) -> tuple[MethodPaths, OwnName]:
    """All contexts of one method, and how its own name is shown."""
    return method_paths(paths_of(file, [place], most=None), 0), cast(OwnName, compat)


@view("code2vec", summary="path contexts, each path a hash")
class Code2VecView:
    name = "code2vec"
    tables = (PathTable(),)
    compats: Mapping[str, str] = _COMPATS

    def value(self, method: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> Json:
        return code2vec_line(_stored(method, rows["paths"]))

    def compatible(self, compat: str, file: JavaFile, place: int) -> Json:
        return code2vec_line(*_computed(compat, file, place))


@view("code2seq", summary="path contexts, each path a list of node types")
class Code2SeqView:
    name = "code2seq"
    tables = (PathTable(),)
    compats: Mapping[str, str] = _COMPATS

    def value(self, method: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> Json:
        return code2seq_line(_stored(method, rows["paths"]))

    def compatible(self, compat: str, file: JavaFile, place: int) -> Json:
        return code2seq_line(*_computed(compat, file, place))
