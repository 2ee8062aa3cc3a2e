"""The **ast** view: a method's tree as javac builds it, with the names of its parts."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acumen.api import Json
from acumen.lang.columns import Ragged
from acumen.lang.java.file import JavaFile
from acumen.registry import view
from acumen.views.ast import Trees, shape, trees


def trees_of(file: JavaFile) -> Trees:
    """The trees of all methods that have a body."""
    return trees(file, file.bodies)


class TreeTable:
    """``label`` numbers ``acumen.views.ast.LABELS``; ``parent`` is a node of the same tree;
    ``late``: its edge comes after those of its siblings."""

    name = "ast"

    def columns(self, file: JavaFile, seeds: NDArray[np.uint64]) -> Mapping[str, Ragged]:
        found = file.once(trees_of)
        return {
            name: Ragged(getattr(found, name), found.offsets)
            for name in ("label", "parent", "late")
        }


@view("ast", summary="the tree javac builds, with the names of its parts")
class TreeView:
    name = "ast"
    tables = (TreeTable(),)
    compats: Mapping[str, str] = MappingProxyType(
        {"features-javac": "the same: our order is the one canonical order"}
    )

    def value(self, method: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> Json:
        row = rows["ast"]
        return shape(row["label"], row["parent"], row["late"])

    def compatible(self, compat: str, file: JavaFile, place: int) -> Json:
        found = trees(file, [place])
        return shape(found.label.tolist(), found.parent.tolist(), found.late.tolist())
