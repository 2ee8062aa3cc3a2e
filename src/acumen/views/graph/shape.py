"""The published JSON of a feature graph (GLUECode, appendix A.2)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

from acumen.api import Json
from acumen.lang.subtokens import subtokens
from acumen.views.ast import shape as tree_shape

PLACEHOLDER = "METH_PLACEHOLDER"
# Kinds of edges, in the order in which they are published.
KINDS = ("CH", "NT", "LU", "LW", "CF", "LL", "RT", "FA", "GB", "GN")
# A tree's columns: label, parent, late.
Tree = tuple[Sequence[int], Sequence[int], Sequence[bool]]


def shape(
    tree: Tree, tokens: Sequence[str], edges: Mapping[str, Sequence[int]], name: str,
    own: Collection[int],
) -> Json:  # fmt: skip
    """A method's graph of its tree, its tokens as they are spelt, its edges (source and target
    in turn) and its name, which is hidden in the tokens at the places ``own``."""
    drawn = cast("dict[str, Any]", tree_shape(*tree))
    labels, hidden = drawn["ast_labels"], set(own)
    backbone = list(range(len(labels), len(labels) + len(tokens)))
    pairs = {
        kind: [list(pair) for pair in zip(flat[::2], flat[1::2], strict=True)]
        for kind, flat in edges.items()
    }
    pairs["CH"] = drawn["ast_edges"]
    pairs["NT"] = [[token, token + 1] for token in backbone[:-1]]
    spelt = [PLACEHOLDER if place in hidden else text for place, text in enumerate(tokens)]
    return {
        "backbone_sequence": backbone,
        "node_labels": [*labels, *spelt],
        "edges": {kind: pairs[kind] for kind in KINDS},
        "method_name": list(subtokens(name)),
    }
