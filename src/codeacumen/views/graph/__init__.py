"""The **graph** view: a method's tree and tokens, with ten kinds of edges between them.

``build_graphs`` computes it for models and ``GraphView`` for the store; ``graph_to_json`` returns
the published JSON of a feature graph (GLUECode, appendix A.2). Nodes are those of the ast view,
then the tokens. By default, edges follow Allamanis et al. (Learning to Represent Programs with
Graphs, 2018); an occurrence is a token that names a variable by itself (``x``, not ``this.x``):

====  ==================  =======================================================================
CH    Child               from a node of the tree to its children
NT    NextToken           from a token to the next
LU    LastUse             from an occurrence of a local variable or parameter to those at which it
                          may have been declared, read or written last before
LW    LastWrite           the same for where it may have been written last
CF    ComputedFrom        from the variable on the left of ``=`` or ``+=``, or of a declaration
                          with a value, or of an enhanced ``for`` loop, to the variables on the
                          right; if ``a[i]`` or ``a.b`` is on the left, from ``a``
LL    LastLexicalUse      from an occurrence, of a field too, to the one before it in the text
RT    ReturnsTo           from ``return`` to the method or lambda it ends
FA    FormalArgName       from the variables of an argument to the name of the parameter, if the
                          same graph declares the method that is called
GB    GuardedBy           from an occurrence to the condition of an ``if``, ``while`` or ``for``
                          around it that must have been true, if the variable occurs there too
GN    GuardedByNegation   the same for a condition that must have been false
====  ==================  =======================================================================

LU and LW follow the control flow (``codeacumen.languages.java.flow.graph``): a variable begins at
its declaration, so nothing before that is a use of it; a declaration without a value is a use and
no write; the body of a lambda or of a local class has a control flow of its own. CF and FA ignore
variables inside an anonymous class. No edge leaves a method's graph, and edges are distinct. An
occurrence has at most 64 edges of a kind to the statements around it.

``compat`` builds the graph of the tool features-javac, with its peculiarities.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import Json
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.registry import view
from codeacumen.text.columns import Ragged
from codeacumen.text.subtokens import split_subtokens
from codeacumen.views.ast import TreeTable, draw_method_trees, trees_of_bodies
from codeacumen.views.ast import tree_to_json as tree_to_json
from codeacumen.views.graph.compat import build_compatible_graphs
from codeacumen.views.graph.edges import EDGES, Graphs, build_graphs
from codeacumen.views.text import TokensView, TokenTable

PLACEHOLDER = "METH_PLACEHOLDER"
# Kinds of edges, in the order of the published data.
KINDS = ("CH", "NT", "LU", "LW", "CF", "LL", "RT", "FA", "GB", "GN")
# Columns of a tree: label, parent, late.
Tree = tuple[Sequence[int], Sequence[int], Sequence[bool]]


def graph_to_json(
    tree: Tree,
    tokens: Sequence[str],
    edges: Mapping[str, Sequence[int]],
    name: str,
    own_tokens: Collection[int],
) -> Json:
    """Return a method's graph in the published format.

    ``edges`` holds source and target in turn for each kind. A placeholder replaces the method's
    name at the token positions ``own_tokens``."""
    tree_json = cast("dict[str, Any]", tree_to_json(*tree))
    labels, hidden_tokens = tree_json["ast_labels"], set(own_tokens)
    backbone = list(range(len(labels), len(labels) + len(tokens)))
    pairs = {
        kind: [list(pair) for pair in zip(flat[::2], flat[1::2], strict=True)]
        for kind, flat in edges.items()
    }
    pairs["CH"] = tree_json["ast_edges"]
    pairs["NT"] = [[token, token + 1] for token in backbone[:-1]]
    token_labels = [
        PLACEHOLDER if position in hidden_tokens else text for position, text in enumerate(tokens)
    ]
    return {
        "backbone_sequence": backbone,
        "node_labels": [*labels, *token_labels],
        "edges": {kind: pairs[kind] for kind in KINDS},
        "method_name": list(split_subtokens(name)),
    }


class GraphTable:
    """Edges of each method's graph: for each kind, sources and targets in turn.

    Nodes are those of the tree, then the tokens. ``own`` holds the tokens that spell the method's
    own name. The kinds CH and NT are missing: the other tables imply them."""

    name = "graph"

    def columns(self, file: JavaFile, seeds: NDArray[np.uint64]) -> Mapping[str, Ragged]:
        graphs = build_graphs(file, file.bodies, file.compute_once(trees_of_bodies))
        return {**graphs.edges, "own": graphs.own_tokens}


# ``codeacumen.api.views.View`` describes the methods of the view; ``place`` is the method's index
# in its file.
@view("graph", summary="tree, tokens and ten kinds of edges")
class GraphView:
    name = "graph"
    tables = (TreeTable(), TokenTable(), GraphTable())
    compats: Mapping[str, str] = MappingProxyType(
        {"features-javac": "the edges of that tool, with its peculiarities"}
    )

    def value(self, method: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> Json:
        tree, row = rows["ast"], rows["graph"]
        edges = {kind: row[kind] for kind in EDGES}
        columns = (tree["label"], tree["parent"], tree["late"])
        return graph_to_json(columns, rows["tokens"]["spelling"], edges, method["name"], row["own"])

    def compatible(self, compat: str, file: JavaFile, place: int) -> Json:
        tree = draw_method_trees(file, [place])
        graphs = build_compatible_graphs(file, [place], tree)
        spelled = TokensView().compatible(compat, file, place)
        edges = {kind: graphs.edges[kind][0] for kind in EDGES}
        columns = (tree.label.tolist(), tree.parent.tolist(), tree.late.tolist())
        name = file.declarations.methods[place].name
        return graph_to_json(columns, spelled, edges, name, graphs.own_tokens[0])


__all__ = [
    "EDGES",
    "KINDS",
    "PLACEHOLDER",
    "Graphs",
    "build_compatible_graphs",
    "build_graphs",
    "graph_to_json",
]
