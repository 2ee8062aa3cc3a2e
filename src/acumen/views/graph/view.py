"""The **graph** view: tree and tokens of a method, with ten kinds of edges between them."""

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
from acumen.views.ast import trees
from acumen.views.ast.view import TreeTable, trees_of
from acumen.views.graph import EDGES, compatible, graphs, shape
from acumen.views.tokens import TokensView, TokenTable


class GraphTable:
    """For each kind of edge, sources and targets in turn; nodes are those of the tree, then the
    tokens. ``own`` are the tokens that are the method's own name. Edges of the tree and from
    token to token follow from the other tables."""

    name = "graph"

    def columns(self, file: JavaFile, seeds: NDArray[np.uint64]) -> Mapping[str, Ragged]:
        found = graphs(file, file.bodies, file.once(trees_of))
        return {**found.edges, "own": found.own}


@view("graph", summary="tree, tokens and ten kinds of edges")
class GraphView:
    name = "graph"
    tables = (TreeTable(), TokenTable(), GraphTable())
    compats: Mapping[str, str] = MappingProxyType(
        {"features-javac": "edges as that tool draws them, with its peculiarities"}
    )

    def value(self, method: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> Json:
        tree, row = rows["ast"], rows["graph"]
        edges = {kind: row[kind] for kind in EDGES}
        columns = (tree["label"], tree["parent"], tree["late"])
        return shape(columns, rows["tokens"]["spelling"], edges, method["name"], row["own"])

    def compatible(self, compat: str, file: JavaFile, place: int) -> Json:
        tree = trees(file, [place])
        found = compatible(file, [place], tree)
        spelled = TokensView().compatible(compat, file, place)
        edges = {kind: found.edges[kind][0] for kind in EDGES}
        columns = (tree.label.tolist(), tree.parent.tolist(), tree.late.tolist())
        name = file.declarations.methods[place].name
        return shape(columns, spelled, edges, name, found.own[0])
