"""Path contexts as the extractors print them, made when they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from acumen.api import Json
from acumen.views.paths.build import CALLS, DECLARES, INNER, Paths
from acumen.views.paths.kinds import KINDS, NUMBERED, SHORT
from acumen.views.paths.leaves import target_of

Style = Literal["code2vec", "code2seq"]
# What is printed for the method's own name. masked: METHOD_NAME where the method is declared and
# where it is called. code2vec: as the extractors do it, wherever a method is declared, inner ones
# too, while calls keep the name. gluecode: as in that paper, the name as written instead.
OwnName = Literal["masked", "code2vec", "gluecode"]

METHOD_NAME = "METHOD_NAME"
_HIDDEN: dict[str, tuple[int, ...]] = {
    "masked": (DECLARES, CALLS), "code2vec": (DECLARES, INNER), "gluecode": (DECLARES, INNER),
}  # fmt: skip
# code2seq tells no place above this one.
_LAST_PLACE = 3


@dataclass(frozen=True, slots=True)
class MethodPaths:
    """One method's part of ``Paths``; names are words."""

    method: str
    kind: Sequence[int]
    parent: Sequence[int]
    child: Sequence[int]
    leaf: Sequence[int]
    name: Sequence[str]
    parts: Sequence[str]
    role: Sequence[int]
    left: Sequence[int]
    right: Sequence[int]
    path: Sequence[int]


def method_paths(found: Paths, row: int) -> MethodPaths:
    nodes = slice(*found.node_offsets[row : row + 2].tolist())
    leaves = slice(*found.leaf_offsets[row : row + 2].tolist())
    pairs = slice(*found.context_offsets[row : row + 2].tolist())
    return MethodPaths(
        method=found.methods[row],
        kind=found.kind[nodes].tolist(),
        parent=found.parent[nodes].tolist(),
        child=found.child[nodes].tolist(),
        leaf=found.leaf[leaves].tolist(),
        name=found.name[row],
        parts=found.parts[row],
        role=found.role[leaves].tolist(),
        left=found.left[pairs].tolist(),
        right=found.right[pairs].tolist(),
        path=found.path[pairs].tolist(),
    )


def path_string(
    kind: Sequence[int],
    parent: Sequence[int],
    child: Sequence[int],
    source: int,
    target: int,
    style: Style = "code2vec",
) -> str:
    """The path between two leaves, given as nodes: ``(NameExpr1)^(MethodCallExpr)_(NameExpr3)`` or
    ``Nm1|Cal|Nm3``.

    A leaf's child id is told; on the way up and at the top that of a child of an assignment, an
    array access, a field access or a call; on the way down that of one of these itself.
    """
    up, common, down = _way(parent, source, target)
    names, most = (KINDS, None) if style == "code2vec" else (SHORT, _LAST_PLACE)

    def told(node: int, numbered: bool) -> str:
        place = child[node] if most is None else min(child[node], most)
        return f"{names[kind[node]]}{place if numbered else ''}"

    def below_numbered(node: int) -> bool:
        return parent[node] >= 0 and NUMBERED[kind[parent[node]]]

    climbed = [told(node, node == source or below_numbered(node)) for node in up]
    top = told(common, below_numbered(common))
    descended = [told(node, node == target or NUMBERED[kind[node]]) for node in reversed(down)]
    if style == "code2seq":
        return "|".join([*climbed, top, *descended])
    return "".join(
        [*(f"({one})^" for one in climbed), f"({top})", *(f"_({one})" for one in descended)]
    )


def _way(parent: Sequence[int], source: int, target: int) -> tuple[list[int], int, list[int]]:
    """The nodes below the common one on both sides, from the leaves up, and the common one.

    A node comes after all that are above it, so whichever of two comes later is not above the
    other and may climb: no step is taken beyond the path, however deep the tree is.
    """
    up: list[int] = []
    down: list[int] = []
    while source != target:
        if source > target:
            up.append(source)
            source = parent[source]
        else:
            down.append(target)
            target = parent[target]
    return up, source, down


def _contexts(one: MethodPaths, style: Style, own_name: OwnName) -> list[tuple[str, Json, str]]:
    shown = METHOD_NAME if own_name != "gluecode" else one.method
    hidden = _HIDDEN[own_name]
    words = one.name if style == "code2vec" else one.parts
    names = [shown if role in hidden else word for word, role in zip(words, one.role, strict=True)]
    found: list[tuple[str, Json, str]] = []
    for left, right, code in zip(one.left, one.right, one.path, strict=True):
        path: Json = code
        if style == "code2seq":
            ends = one.leaf[left], one.leaf[right]
            path = path_string(one.kind, one.parent, one.child, *ends, style)
        found.append((names[left], path, names[right]))
    return found


def _line(one: MethodPaths, style: Style, own_name: OwnName) -> str:
    printed = (f"{left},{path},{right}" for left, path, right in _contexts(one, style, own_name))
    return " ".join([target_of(one.method), *printed])


def code2vec_line(one: MethodPaths, own_name: OwnName = "masked") -> str:
    """``target left,hash,right …``. The extractor prints no line for a method without contexts."""
    return _line(one, "code2vec", own_name)


def code2seq_line(one: MethodPaths, own_name: OwnName = "masked") -> str:
    """``target left,path,right …``, names as parts joined by bars."""
    return _line(one, "code2seq", own_name)


def shape(one: MethodPaths, style: Style = "code2vec", own_name: OwnName = "masked") -> Json:
    """The target, and contexts as lists of three."""
    contexts: list[Json] = [list(context) for context in _contexts(one, style, own_name)]
    return {"target": target_of(one.method), "contexts": contexts}
