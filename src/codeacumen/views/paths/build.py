"""Path contexts of a file's methods as arrays, and their lines as the extractors print them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import Json
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import field, symbols
from codeacumen.languages.syntax import MASK, Column
from codeacumen.text.columns import Ragged
from codeacumen.views.paths.contexts import contexts
from codeacumen.views.paths.details import Code, details
from codeacumen.views.paths.leaves import (
    BOXED,
    KIND,
    KINDS,
    NUMBERED,
    SHORT,
    hashes,
    leaf_names,
    target_of,
)
from codeacumen.views.paths.tables import looks, marks, table
from codeacumen.views.paths.tree import NO_LEAF, RULE, trees

# Roles of a leaf: unrelated to the method's name; declares the method; declares another method
# inside; calls the method.
ORDINARY, DECLARES, INNER, CALLS = range(4)

# A method nested this deep has no contexts: each outer method holds a copy of its nodes, so memory
# would grow with the square of the depth.
_DEEPEST = 64

_METHOD, _NAME, _CALL = KIND["MethodDeclaration"], KIND["NameExpr"], KIND["MethodCallExpr"]


@dataclass(frozen=True, slots=True)
class Paths:
    """Path contexts of several methods of a file, concatenated.

    The tree is that of JavaParser 3.0.0-alpha.4 without comments: ``kind`` indexes ``KINDS``,
    ``parent`` is a node of the same method (-1 for the method itself), ``child`` is the child id
    that the extractor prints. ``leaf`` lists the nodes that are leaves, with their names for
    code2vec (``name``) and code2seq (``parts``), nothing masked, and their ``role``. A context
    joins leaves ``left`` and ``right`` (positions among the method's leaves); ``path`` is the hash
    of code2vec's path. ``methods`` holds the methods' names as written, "" for methods that are no
    examples.
    """

    methods: tuple[str, ...]
    node_offsets: NDArray[np.int64]
    kind: NDArray[np.uint8]
    parent: Column
    child: Column
    leaf_offsets: NDArray[np.int64]
    leaf: Column
    name: Ragged
    parts: Ragged
    role: NDArray[np.uint8]
    context_offsets: NDArray[np.int64]
    left: Column
    right: Column
    path: Column

    def __len__(self) -> int:
        return len(self.methods)


def paths(
    file: JavaFile,
    methods: Sequence[int],
    seeds: NDArray[np.uint64] | None = None,
    *,
    length: int = 8,
    width: int = 2,
    most: int | None = 200,
) -> Paths:
    """Return the path contexts of methods, which are indices into ``file.declarations.methods``.

    Methods with a body are examples; constructors are not. ``length`` limits the edges of a path,
    ``width`` the difference of child ids below the top of the path. If a method has more than
    ``max_contexts`` contexts, that many are sampled with the method's seed and stay in order;
    ``None`` keeps all. The extractor's limits on the number of lines are left to the caller.
    """
    roots = _roots(file, methods)
    node_offsets, nodes = _trees(file, roots)
    kind, parent, child, anchor, form = (nodes[:, column] for column in range(5))
    kind, form = kind.copy(), form.copy()
    syntax, names = file.syntax, file.names
    # A missing token, inserted by error recovery, has no text.
    form[syntax.end[anchor] <= syntax.start[anchor]] = NO_LEAF
    boxed = np.array([word in BOXED for word in names.words] + [False])
    is_type = kind == KIND["ClassOrInterfaceType"]
    kind[is_type & boxed[names.word_of[anchor]]] = KIND["PrimitiveType"]
    nodes[:, 0] = kind
    is_leaf = form != NO_LEAF
    places = np.flatnonzero(is_leaf)
    leaf_offsets = np.searchsorted(places, node_offsets)
    if seeds is None:
        seeds = np.zeros(len(methods), dtype=np.uint64)
    context_offsets, found = contexts(
        node_offsets, nodes, is_leaf, seeds, length, width, -1 if most is None else most, *hashes()
    )
    owner = np.repeat(np.arange(len(methods)), np.diff(leaf_offsets))
    leaf = (places - node_offsets[owner]).astype(np.int32)
    (name, names_), (parts, parts_) = leaf_names(file, kind[places], anchor[places], form[places])
    return Paths(
        methods=tuple(
            file.declarations.methods[place].name if root >= 0 else ""
            for place, root in zip(methods, roots.tolist(), strict=True)
        ),
        node_offsets=node_offsets,
        kind=kind.astype(np.uint8),
        parent=parent.copy(),
        child=child.copy(),
        leaf_offsets=leaf_offsets,
        leaf=leaf,
        name=Ragged(name, leaf_offsets, names_),
        parts=Ragged(parts, leaf_offsets, parts_),
        role=_roles(file, methods, kind, parent, anchor, node_offsets, places, owner),
        context_offsets=context_offsets,
        left=found[:, 0].copy(),
        right=found[:, 1].copy(),
        path=found[:, 2].copy(),
    )


def _roots(file: JavaFile, methods: Sequence[int]) -> NDArray[np.int64]:
    """Return the nodes of the methods that are examples, -1 for the others."""
    declared = file.declarations.methods
    roots = np.full(len(methods), NONE, dtype=np.int64)
    stop = file.syntax.stop
    within: list[int] = []
    for row in sorted(range(len(methods)), key=lambda row: declared[methods[row]].node):
        method = declared[methods[row]]
        if method.kind != "method" or method.body == NONE:
            continue
        while within and within[-1] <= method.node:
            within.pop()
        if len(within) < _DEEPEST:
            roots[row] = method.node
        within.append(int(stop[method.node]))
    return roots


def _trees(file: JavaFile, roots: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the offsets of the methods' trees, and the rows of their nodes."""
    syntax = file.syntax
    kept = roots[roots >= 0]
    if not len(kept):
        return np.zeros(len(roots) + 1, dtype=np.int64), np.empty((0, 5), dtype=np.int32)
    mark = marks()
    # Move the large symbols of an error and of a hidden operator next to the grammar's symbols.
    symbol = np.minimum(syntax.kind, len(mark) - 1)
    symbol[syntax.kind == MASK] = len(mark) - 2
    source = np.frombuffer(syntax.source, dtype=np.uint8)
    columns = (syntax.start, syntax.end, syntax.parent, syntax.stop)
    code = np.empty((8, len(symbol)), dtype=np.int32)
    code[:RULE] = symbol, mark[symbol], syntax.field, syntax.parent, syntax.stop
    details(Code(symbol, syntax.field, *columns, source), looks(), code[RULE:])
    # A syntax node becomes at most two nodes of the tree.
    room = int(2 * (syntax.stop[kept] - kept).sum()) + 16 * len(kept)
    nodes = np.empty((room, 5), dtype=np.int32)
    offsets = trees(roots, code, table(), nodes)
    return offsets, nodes[: offsets[-1]].copy()


def _roles(
    file: JavaFile,
    methods: Sequence[int],
    kind: NDArray[np.int32],
    parent: NDArray[np.int32],
    anchor: NDArray[np.int32],
    node_offsets: NDArray[np.int64],
    places: NDArray[np.int64],
    owner: NDArray[np.int64],
) -> NDArray[np.uint8]:
    """Return the role of each leaf with respect to its method's name."""
    role = np.zeros(len(places), dtype=np.uint8)
    names = np.flatnonzero(kind[places] == _NAME)
    of, at = owner[names], places[names]
    above = parent[at]
    kind_above = kind[node_offsets[of] + above]
    word = file.names.word_of[anchor[at]]
    own = np.full(len(methods), -1, dtype=np.int32)
    first = (kind_above == _METHOD) & (above == 0)
    own[of[first]] = word[first]
    same = (word == own[of]) & (word >= 0)
    declares = kind_above == _METHOD
    role[names[declares]] = np.where(same[declares] | first[declares], DECLARES, INNER)
    for candidate in np.flatnonzero(same & (kind_above == _CALL)).tolist():
        row = int(of[candidate])
        if _calls_own(file, methods[row], int(anchor[at[candidate]])):
            role[names[candidate]] = CALLS
    return role


def _calls_own(file: JavaFile, method: int, name: int) -> bool:
    """Return True if a name equal to the method's calls the method or one that it overrides.

    That holds for calls without a scope and through ``this``, ``super``, ``Outer.this`` or the
    name of an enclosing type. Through any other expression, the call is to a method of another
    object, whose name need not be masked.
    """
    syntax = file.syntax
    call = int(syntax.parent[name])
    if syntax.kind[call] not in symbols("method_invocation") or syntax.field[name] != field("name"):
        return False
    through = [node for node in syntax.children(call) if syntax.field[node] == field("object")]
    if not through or any(syntax.kind[node] in symbols("super") for node in syntax.children(call)):
        return True
    scope = through[0]
    if syntax.kind[scope] in symbols("this", "super"):
        return True
    if syntax.kind[scope] in symbols("field_access"):
        return syntax.kind[syntax.stop[scope] - 1] in symbols("this")
    if syntax.kind[scope] not in symbols("identifier"):
        return False
    named, types = syntax.text(scope), file.declarations.types
    type_ = file.declarations.methods[method].type
    for _ in range(_DEEPEST):
        if type_ == NONE:
            break
        if types[type_].name == named:
            return True
        type_ = types[type_].owner
    return False


Style = Literal["code2vec", "code2seq"]
# Treatment of the method's own name. masked: METHOD_NAME at its declaration and its calls.
# code2vec: like the extractors, METHOD_NAME at the declaration of the method and of methods inside
# it, while calls keep the name. gluecode: like that paper, the name as written instead.
OwnName = Literal["masked", "code2vec", "gluecode"]

METHOD_NAME = "METHOD_NAME"
_HIDDEN: dict[str, tuple[int, ...]] = {
    "masked": (DECLARES, CALLS),
    "code2vec": (DECLARES, INNER),
    "gluecode": (DECLARES, INNER),
}
# The highest child id that code2seq prints.
_LAST_PLACE = 3


@dataclass(frozen=True, slots=True)
class MethodPaths:
    """Path contexts of one method; the columns of ``Paths``, with names as strings."""

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
    """Return the path contexts of the method at a position."""
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
    """Return the path between two leaves (node indices) in code2vec's or code2seq's style.

    The styles are ``(NameExpr1)^(MethodCallExpr)_(NameExpr3)`` and ``Nm1|Cal|Nm3``. Child ids
    are printed of leaves; on the way up and at the top, of children of an assignment, an array
    access, a field access or a call; on the way down, of these four themselves.
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
    ascent = "".join(f"({label})^" for label in climbed)
    descent = "".join(f"_({label})" for label in descended)
    return f"{ascent}({top}){descent}"


def _way(parent: Sequence[int], source: int, target: int) -> tuple[list[int], int, list[int]]:
    """Return the nodes below the lowest common ancestor on either side, leaf first, and it.

    A node comes after its ancestors, so the later one of two nodes is not an ancestor of the other
    and may climb. The loop takes as many steps as the path has, however deep the tree is.
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
    """Return the contexts of a method: left name, path, right name."""
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
    """Return the extractor's line of a method."""
    printed = (f"{left},{path},{right}" for left, path, right in _contexts(one, style, own_name))
    return " ".join([target_of(one.method), *printed])


def code2vec_line(one: MethodPaths, own_name: OwnName = "masked") -> str:
    """Return ``target left,hash,right …``; the extractor omits methods without contexts."""
    return _line(one, "code2vec", own_name)


def code2seq_line(one: MethodPaths, own_name: OwnName = "masked") -> str:
    """Return ``target left,path,right …``, with names as parts joined by bars."""
    return _line(one, "code2seq", own_name)
