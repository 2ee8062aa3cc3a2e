"""Path contexts of a file's methods as arrays, and their lines as the extractors print them.

``PathTable`` stores the arrays, the views code2vec and code2seq format them, and models read them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import Json
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import field_number, find_symbols
from codeacumen.languages.syntax import MASK, Column
from codeacumen.text.columns import Ragged
from codeacumen.views.paths.contexts import find_contexts
from codeacumen.views.paths.details import SyntaxArrays, find_details
from codeacumen.views.paths.leaves import (
    BOXED,
    KIND,
    KINDS,
    NUMBERED,
    SHORT,
    kind_hashes,
    leaf_names,
    prediction_target,
)
from codeacumen.views.paths.tables import rule_table, symbol_tables, tree_marks
from codeacumen.views.paths.tree import NO_LEAF, RULE, build_trees

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
    that the extractor prints (see ``tree``). ``leaf`` lists the nodes that are leaves, with their
    names for code2vec (``name``) and code2seq (``parts``), nothing masked, and their ``role``. A
    context joins leaves ``left`` and ``right`` (positions among the method's leaves); ``path`` is
    the hash of code2vec's path. ``methods`` holds the methods' names as written, "" for methods
    that are no examples: constructors, methods without a body and methods that are nested too deep.
    Method i has the nodes from ``node_offsets[i]`` to ``node_offsets[i + 1]``; the other offsets
    delimit its leaves and contexts.
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


def build_paths(
    file: JavaFile,
    methods: Sequence[int],
    seeds: NDArray[np.uint64] | None = None,
    *,
    max_length: int = 8,
    max_width: int = 2,
    max_contexts: int | None = 200,
) -> Paths:
    """Return the path contexts of methods, which are indices into ``file.declarations.methods``.

    Methods with a body are examples; constructors are not. ``max_length`` limits the edges of a
    path, ``max_width`` the difference of child ids below the top of the path. If a method has more
    than ``max_contexts`` contexts, that many are sampled with the method's seed and stay in order;
    ``None`` keeps all. The extractor's limits on the number of lines are left to the caller.
    """
    roots = _example_roots(file, methods)
    node_offsets, nodes = _build_trees(file, roots)
    kind, parent, child, anchor, form = (nodes[:, column] for column in range(5))
    kind, form = kind.copy(), form.copy()
    syntax, names = file.syntax, file.names
    # A missing token, inserted by error recovery, has no text.
    form[syntax.end[anchor] <= syntax.start[anchor]] = NO_LEAF
    # The last item is that of nodes without a word, whose index is -1.
    boxed = np.array([word in BOXED for word in names.words] + [False])
    is_type = kind == KIND["ClassOrInterfaceType"]
    kind[is_type & boxed[names.word_of[anchor]]] = KIND["PrimitiveType"]
    nodes[:, 0] = kind
    is_leaf = form != NO_LEAF
    leaves = np.flatnonzero(is_leaf)
    leaf_offsets = np.searchsorted(leaves, node_offsets)
    if seeds is None:
        seeds = np.zeros(len(methods), dtype=np.uint64)
    context_offsets, rows = find_contexts(
        node_offsets,
        nodes,
        is_leaf,
        seeds,
        max_length,
        max_width,
        -1 if max_contexts is None else max_contexts,
        *kind_hashes(),
    )
    owner = np.repeat(np.arange(len(methods)), np.diff(leaf_offsets))
    leaf = (leaves - node_offsets[owner]).astype(np.int32)
    (name, name_words), (parts, part_words) = leaf_names(
        file, kind[leaves], anchor[leaves], form[leaves]
    )
    return Paths(
        methods=tuple(
            file.declarations.methods[method].name if root >= 0 else ""
            for method, root in zip(methods, roots.tolist(), strict=True)
        ),
        node_offsets=node_offsets,
        kind=kind.astype(np.uint8),
        parent=parent.copy(),
        child=child.copy(),
        leaf_offsets=leaf_offsets,
        leaf=leaf,
        name=Ragged(name, leaf_offsets, name_words),
        parts=Ragged(parts, leaf_offsets, part_words),
        role=_leaf_roles(file, methods, kind, parent, anchor, node_offsets, leaves, owner),
        context_offsets=context_offsets,
        left=rows[:, 0].copy(),
        right=rows[:, 1].copy(),
        path=rows[:, 2].copy(),
    )


def _example_roots(file: JavaFile, methods: Sequence[int]) -> NDArray[np.int64]:
    """Return the nodes of the methods that are examples, -1 for the others."""
    declarations = file.declarations.methods
    roots = np.full(len(methods), NONE, dtype=np.int64)
    stop = file.syntax.stop
    enclosing_ends: list[int] = []
    for row in sorted(range(len(methods)), key=lambda row: declarations[methods[row]].node):
        method = declarations[methods[row]]
        if method.kind != "method" or method.body == NONE:
            continue
        while enclosing_ends and enclosing_ends[-1] <= method.node:
            enclosing_ends.pop()
        if len(enclosing_ends) < _DEEPEST:
            roots[row] = method.node
        enclosing_ends.append(int(stop[method.node]))
    return roots


def _build_trees(
    file: JavaFile, roots: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the offsets of the methods' trees, and their nodes as rows of ``tree.build_trees``."""
    syntax = file.syntax
    present_roots = roots[roots >= 0]
    if not len(present_roots):
        return np.zeros(len(roots) + 1, dtype=np.int64), np.empty((0, 5), dtype=np.int32)
    symbol_marks = tree_marks()
    # Move the large symbols of an error and of a hidden operator next to the grammar's symbols.
    symbol = np.minimum(syntax.kind, len(symbol_marks) - 1)
    symbol[syntax.kind == MASK] = len(symbol_marks) - 2
    source = np.frombuffer(syntax.source, dtype=np.uint8)
    columns = (syntax.start, syntax.end, syntax.parent, syntax.stop)
    code = np.empty((8, len(symbol)), dtype=np.int32)
    code[:RULE] = symbol, symbol_marks[symbol], syntax.field, syntax.parent, syntax.stop
    find_details(SyntaxArrays(symbol, syntax.field, *columns, source), symbol_tables(), code[RULE:])
    # A syntax node becomes at most two nodes of the tree.
    capacity = int(2 * (syntax.stop[present_roots] - present_roots).sum()) + 16 * len(present_roots)
    nodes = np.empty((capacity, 5), dtype=np.int32)
    offsets = build_trees(roots, code, rule_table(), nodes)
    return offsets, nodes[: offsets[-1]].copy()


def _leaf_roles(
    file: JavaFile,
    methods: Sequence[int],
    kind: NDArray[np.int32],
    parent: NDArray[np.int32],
    anchor: NDArray[np.int32],
    node_offsets: NDArray[np.int64],
    leaves: NDArray[np.int64],
    owner: NDArray[np.int64],
) -> NDArray[np.uint8]:
    """Return the role of each leaf with respect to its method's name."""
    role = np.zeros(len(leaves), dtype=np.uint8)
    names = np.flatnonzero(kind[leaves] == _NAME)
    method_row, name_nodes = owner[names], leaves[names]
    parents = parent[name_nodes]
    kind_above = kind[node_offsets[method_row] + parents]
    word = file.names.word_of[anchor[name_nodes]]
    # The method's own name is the name directly below the root, which is node 0 of the method.
    own = np.full(len(methods), -1, dtype=np.int32)
    first = (kind_above == _METHOD) & (parents == 0)
    own[method_row[first]] = word[first]
    same = (word == own[method_row]) & (word >= 0)
    # A method inside that has the same name counts as a declaration of the method, too.
    declares = kind_above == _METHOD
    role[names[declares]] = np.where(same[declares] | first[declares], DECLARES, INNER)
    for candidate in np.flatnonzero(same & (kind_above == _CALL)).tolist():
        row = int(method_row[candidate])
        if _is_own_call(file, methods[row], int(anchor[name_nodes[candidate]])):
            role[names[candidate]] = CALLS
    return role


def _is_own_call(file: JavaFile, method: int, name: int) -> bool:
    """Return True if a name equal to the method's calls the method or one that it overrides.

    That holds for calls without a scope and through ``this``, ``super``, ``Outer.this`` or the
    name of an enclosing type. Through any other expression, the call is to a method of another
    object, whose name need not be masked.
    """
    syntax = file.syntax
    call = int(syntax.parent[name])
    if syntax.kind[call] not in find_symbols("method_invocation") or syntax.field[
        name
    ] != field_number("name"):
        return False
    receivers = [
        node for node in syntax.children(call) if syntax.field[node] == field_number("object")
    ]
    if not receivers or any(
        syntax.kind[node] in find_symbols("super") for node in syntax.children(call)
    ):
        return True
    scope = receivers[0]
    if syntax.kind[scope] in find_symbols("this", "super"):
        return True
    if syntax.kind[scope] in find_symbols("field_access"):
        return syntax.kind[syntax.stop[scope] - 1] in find_symbols("this")
    if syntax.kind[scope] not in find_symbols("identifier"):
        return False
    scope_name, types = syntax.text(scope), file.declarations.types
    type_ = file.declarations.methods[method].type
    for _ in range(_DEEPEST):
        if type_ == NONE:
            break
        if types[type_].name == scope_name:
            return True
        type_ = types[type_].owner
    return False


Style = Literal["code2vec", "code2seq"]
# Treatment of the method's own name. masked: METHOD_NAME at its declaration and its calls.
# code2vec: like the extractors, METHOD_NAME at the declaration of the method and of methods inside
# it, while calls keep the name. gluecode: like that paper, the name as written instead.
OwnName = Literal["masked", "code2vec", "gluecode"]

METHOD_NAME = "METHOD_NAME"
# Roles of the leaves whose name is replaced.
_HIDDEN: dict[str, tuple[int, ...]] = {
    "masked": (DECLARES, CALLS),
    "code2vec": (DECLARES, INNER),
    "gluecode": (DECLARES, INNER),
}
# The highest child id that code2seq prints.
_MAX_CHILD_ID = 3


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


def paths_of_method(all_paths: Paths, row: int) -> MethodPaths:
    """Return the path contexts of the method at position ``row`` of ``all_paths.methods``."""
    nodes = slice(*all_paths.node_offsets[row : row + 2].tolist())
    leaves = slice(*all_paths.leaf_offsets[row : row + 2].tolist())
    pairs = slice(*all_paths.context_offsets[row : row + 2].tolist())
    return MethodPaths(
        method=all_paths.methods[row],
        kind=all_paths.kind[nodes].tolist(),
        parent=all_paths.parent[nodes].tolist(),
        child=all_paths.child[nodes].tolist(),
        leaf=all_paths.leaf[leaves].tolist(),
        name=all_paths.name[row],
        parts=all_paths.parts[row],
        role=all_paths.role[leaves].tolist(),
        left=all_paths.left[pairs].tolist(),
        right=all_paths.right[pairs].tolist(),
        path=all_paths.path[pairs].tolist(),
    )


def format_path(
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
    up, common, down = _split_path(parent, source, target)
    names, max_child_id = (KINDS, None) if style == "code2vec" else (SHORT, _MAX_CHILD_ID)

    def format_node(node: int, has_child_id: bool) -> str:
        child_id = child[node] if max_child_id is None else min(child[node], max_child_id)
        return f"{names[kind[node]]}{child_id if has_child_id else ''}"

    def has_numbered_parent(node: int) -> bool:
        return parent[node] >= 0 and NUMBERED[kind[parent[node]]]

    climbed = [format_node(node, node == source or has_numbered_parent(node)) for node in up]
    top = format_node(common, has_numbered_parent(common))
    descended = [
        format_node(node, node == target or NUMBERED[kind[node]]) for node in reversed(down)
    ]
    if style == "code2seq":
        return "|".join([*climbed, top, *descended])
    ascent = "".join(f"({label})^" for label in climbed)
    descent = "".join(f"_({label})" for label in descended)
    return f"{ascent}({top}){descent}"


def _split_path(
    parent: Sequence[int], source: int, target: int
) -> tuple[list[int], int, list[int]]:
    """Return the path's nodes below the lowest common ancestor on the source's side, that ancestor,
    and the nodes below it on the target's side; on either side the leaf is first.

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


def _format_contexts(
    method_paths: MethodPaths, style: Style, own_name: OwnName
) -> list[tuple[str, Json, str]]:
    """Return the contexts of a method: left name, path, right name.

    The path is a hash in code2vec's style and a text in code2seq's.
    """
    own_text = METHOD_NAME if own_name != "gluecode" else method_paths.method
    hidden_roles = _HIDDEN[own_name]
    words = method_paths.name if style == "code2vec" else method_paths.parts
    names = [
        own_text if role in hidden_roles else word
        for word, role in zip(words, method_paths.role, strict=True)
    ]
    contexts: list[tuple[str, Json, str]] = []
    for left, right, code in zip(
        method_paths.left, method_paths.right, method_paths.path, strict=True
    ):
        path: Json = code
        if style == "code2seq":
            ends = method_paths.leaf[left], method_paths.leaf[right]
            path = format_path(
                method_paths.kind, method_paths.parent, method_paths.child, *ends, style
            )
        contexts.append((names[left], path, names[right]))
    return contexts


def _format_line(method_paths: MethodPaths, style: Style, own_name: OwnName) -> str:
    """Return the extractor's line of a method."""
    context_texts = (
        f"{left},{path},{right}"
        for left, path, right in _format_contexts(method_paths, style, own_name)
    )
    return " ".join([prediction_target(method_paths.method), *context_texts])


def format_code2vec_line(method_paths: MethodPaths, own_name: OwnName = "masked") -> str:
    """Return ``target left,hash,right …``; the extractor omits methods without contexts."""
    return _format_line(method_paths, "code2vec", own_name)


def format_code2seq_line(method_paths: MethodPaths, own_name: OwnName = "masked") -> str:
    """Return ``target left,path,right …``, with names as parts joined by bars."""
    return _format_line(method_paths, "code2seq", own_name)
