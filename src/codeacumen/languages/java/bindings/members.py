"""Kernels that resolve qualified names and calls on types that this file declares.

See JLS 6.5.6, 15.11 and 15.12.1. A name after a dot needs the type of the expression before the
dot. One walk in source order computes the types of expressions as far as this file determines
them: from declared types, without type arguments and without inference. For each call the walk
records the type whose methods the call may mean; ``bindings.calls`` chooses the method.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from codeacumen.languages.java.bindings.hierarchy import Members
from codeacumen.languages.java.bindings.scopes import Tree
from codeacumen.languages.java.bindings.types import Imports, Signatures
from codeacumen.languages.kernel import kernel

(
    OTHER,
    TYPE,
    BODY,
    IDENTIFIER,
    TYPE_IDENTIFIER,
    THIS,
    SUPER,
    FIELD_ACCESS,
    CALL,
    PARENTHESES,
    CAST,
    CREATION,
    ARRAY_CREATION,
    ARRAY_ACCESS,
    ASSIGNMENT,
    FOREACH,
    COMMENT,
    BRACKET,
    DIMENSION,
    DIMENSIONS,
    PUNCTUATION,
    ARGUMENTS,
    NEW,
    GENERIC,
    PARAMETERS,
) = range(25)
CODES = {
    "class_declaration": TYPE, "interface_declaration": TYPE, "enum_declaration": TYPE,
    "annotation_type_declaration": TYPE, "record_declaration": TYPE, "class_body": BODY,
    "interface_body": BODY, "enum_body": BODY, "annotation_type_body": BODY,
    "identifier": IDENTIFIER, "type_identifier": TYPE_IDENTIFIER, "this": THIS, "super": SUPER,
    "field_access": FIELD_ACCESS, "method_invocation": CALL,
    "parenthesized_expression": PARENTHESES, "cast_expression": CAST,
    "object_creation_expression": CREATION, "array_creation_expression": ARRAY_CREATION,
    "array_access": ARRAY_ACCESS, "assignment_expression": ASSIGNMENT,
    "enhanced_for_statement": FOREACH, "line_comment": COMMENT, "block_comment": COMMENT,
    "[": BRACKET, "dimensions": DIMENSIONS, "dimensions_expr": DIMENSION, "(": PUNCTUATION,
    ")": PUNCTUATION, ",": PUNCTUATION, "argument_list": ARGUMENTS, "new": NEW,
    "generic_type": GENERIC, "formal_parameters": PARAMETERS,
}  # fmt: skip
# Codes at which the walk stops.
EVENTS = (
    TYPE,
    BODY,
    PARAMETERS,
    IDENTIFIER,
    TYPE_IDENTIFIER,
    THIS,
    SUPER,
    *range(CALL, ASSIGNMENT + 1),
)

# As in scopes, hierarchy and types: a kernel uses constants of its own file only.
(
    EXPRESSION,
    VARIABLE,
    LOOP,
    RESOURCE,
    PATTERN,
    QUALIFIER,
    SELECTED,
    CALLED,
    REFERRED,
    CASE,
    TYPE_USE,
) = 0, 1, 5, 6, 7, 14, 15, 16, 17, 20, 21
R_TYPE, R_TYPE_VARIABLE, R_METHOD, R_FIELD, R_CONSTANT = 2, 3, 4, 5, 6
NOTHING = 0
FIELDS, METHODS, TYPES = 0, 1, 2
IS_PRIVATE, IS_CONSTANT = 1, 2
FILE, EXTRA, MOST = 16, 32, 64
INT = 256 * 5
# What a node denotes: nothing that this file declares, a value, a type, or an object seen as its
# superclass.
UNSEEN, VALUE, IS_TYPE, IS_SUPER = range(4)


class Types(NamedTuple):
    """Types of the file, one value per type, except ``of``: by name node, the type it declares.

    ``begin`` is the node from which the members are in scope, ``open`` is true where some ancestor
    is declared elsewhere.
    """

    node: Any
    name: Any
    begin: Any
    offsets: Any
    ancestors: Any
    open: Any
    of: Any


class Facts(NamedTuple):
    """Columns that the walk reads and completes.

    ``value`` (the node's type) and ``denotes`` have one value per node; ``role``, ``declaration``
    and ``access`` one per name.
    """

    members: Members
    words: int
    value: Any
    denotes: Any
    role: Any
    declaration: Any
    access: Any


class Calls(NamedTuple):
    """Calls of methods of this file's types, one value per call in each column.

    ``place`` is the index of the method's name among the names. ``as_super`` marks calls through
    ``super``. ``crossed`` is true where a class between the call and the type has ancestors
    declared elsewhere, which may declare such a method.
    """

    place: Any
    node: Any
    type: Any
    as_super: Any
    crossed: Any


@kernel
def _find(facts: Facts, t: int, space: int, word: int) -> int:
    """Return the first member of a name declared in the type itself; -1 if there is none."""
    keys = facts.members.key
    key = (3 * t + space) * facts.words + word
    at = np.searchsorted(keys, key)
    return int(at) if at < len(keys) and keys[at] == key else -1


@kernel
def _member(facts: Facts, types: Types, t: int, space: int, word: int, own: bool) -> int:
    """Return the member of a name that a type declares or inherits; -1 if there is none.

    Without ``own`` the type is seen through ``super``: its superclass comes first, including the
    superclass's private members.
    """
    if own:
        m = _find(facts, t, space, word)
        if m >= 0:
            return m
    for k in range(types.offsets[t], types.offsets[t + 1]):
        m = _find(facts, types.ancestors[k], space, word)
        if m >= 0 and (
            not facts.members.flags[m] & IS_PRIVATE or (not own and k == types.offsets[t])
        ):
            return m
    return -1


@kernel
def _as_type(tree: Tree, facts: Facts, types: Types, k: int, i: int) -> None:
    """Record that a name refers to the type in its value."""
    base = (facts.value[i] >> 8) - FILE
    count = len(types.node)
    facts.denotes[i] = IS_TYPE
    facts.access[k] = NOTHING
    facts.role[k] = R_TYPE
    if 0 <= base < count:
        facts.declaration[k] = types.name[base]
    elif count + facts.words + EXTRA <= base < count + facts.words + EXTRA + len(tree.code):
        facts.role[k] = R_TYPE_VARIABLE
        facts.declaration[k] = base - count - facts.words - EXTRA


@kernel
def _as_field(facts: Facts, k: int, i: int, m: int) -> None:
    facts.denotes[i] = VALUE
    facts.role[k] = R_FIELD
    facts.value[i] = 0
    if m >= 0:
        facts.declaration[k] = facts.members.name[m]
        facts.value[i] = facts.value[facts.members.name[m]]
        if facts.members.flags[m] & IS_CONSTANT:
            facts.role[k] = R_CONSTANT


@kernel
def _site(tree: Tree, node: int) -> int:
    """Return the node before the dot; in ``A.super.x`` the ``super``."""
    second = tree.stop[node + 1] + 1
    if second < tree.stop[node] and tree.code[second] == SUPER:
        return int(second)
    return int(node + 1)


@kernel
def _selected(tree: Tree, facts: Facts, types: Types, k: int, i: int) -> None:
    """Resolve the name after a dot if the expression before it has a type of this file.

    The whole qualified expression gets the name's type and denotation.
    """
    p, w = tree.parent[i], tree.word[i]
    site = _site(tree, p)
    denotes, base = facts.denotes[site], (facts.value[site] >> 8) - FILE
    m, inner = -1, -1
    facts.value[i] = 0
    if 0 <= base < len(types.node) and facts.value[site] & 255 == 0 and denotes != UNSEEN:
        m = _member(facts, types, base, FIELDS, w, denotes != IS_SUPER)
        if m < 0 and denotes == IS_TYPE:
            inner = _member(facts, types, base, TYPES, w, True)
    if inner >= 0:
        facts.value[i] = 256 * (FILE + types.of[facts.members.name[inner]])
        _as_type(tree, facts, types, k, i)
    elif m >= 0 or denotes in (VALUE, IS_SUPER):
        _as_field(facts, k, i, m)
        if facts.value[site] & 255:
            facts.value[i] = INT  # an array's length
    facts.denotes[p], facts.value[p] = facts.denotes[i], facts.value[i]


@kernel
def _arguments(tree: Tree, call: int, name: int) -> int:
    """Return the number of arguments of a call; -1 if there is no argument list."""
    code, stop = tree.code, tree.stop
    at = stop[name]
    while at < stop[call] and code[at] != ARGUMENTS:
        at = stop[at]
    if at >= stop[call]:
        return -1
    found, inner = 0, at + 1
    while inner < stop[at]:
        found += code[inner] != PUNCTUATION and code[inner] != COMMENT
        inner = stop[inner]
    return found


@kernel
def _returned(
    facts: Facts, signatures: Signatures, types: Types, t: int, word: int, given: int, own: bool
) -> int:
    """Return the type that the nearest methods of a name and arity return, if all agree; else 0."""
    keys, flags, calls = facts.members.key, facts.members.flags, signatures
    for k in range(types.offsets[t] - own, types.offsets[t + 1]):
        m = _find(facts, t if k < types.offsets[t] else types.ancestors[k], METHODS, word)
        found, several = 0, False
        while m >= 0:
            wanted = calls.offsets[m + 1] - calls.offsets[m]
            fits = wanted == given or (calls.varargs[m] and given >= wanted - 1)
            if fits and (k < types.offsets[t] or not own or not flags[m] & IS_PRIVATE):
                several = several or (found != 0 and found != calls.returns[m])
                found = calls.returns[m]
            m = m + 1 if m + 1 < len(keys) and keys[m + 1] == keys[m] else -1
        if found:
            return 0 if several else found
    return 0


@kernel
def _called(
    tree: Tree,
    facts: Facts,
    signatures: Signatures,
    imports: Imports,
    of_object: Any,
    types: Types,
    node: int,
    k: int,
    name: int,
    inside: Any,
    levels: int,
    calls: Calls,
    count: int,
) -> int:
    """Record the type whose methods a call may mean, and set the type of the call.

    Returns the new number of recorded calls.
    """
    w = tree.word[name]
    t, own, crossed = -1, True, False
    if name == node + 1:
        # The innermost class that has a method of this name (JLS 15.12.1).
        for x in range(levels - 1, max(-1, levels - MOST), -1):
            if types.begin[inside[x]] > name:
                continue
            if _member(facts, types, inside[x], METHODS, w, True) >= 0:
                t = inside[x]
                break
            if of_object[w]:
                break
            crossed = crossed or types.open[inside[x]]
        if t < 0 and not of_object[w]:
            for n in range(len(imports.all_of)):
                if _member(facts, types, imports.all_of[n], METHODS, w, True) >= 0:
                    t = imports.all_of[n]
            for n in range(len(imports.one_of)):
                if tree.word[imports.one_name[n]] == w:
                    t = imports.one_of[n]
    else:
        site = _site(tree, node)
        base = facts.value[site] >> 8
        if FILE <= base < FILE + len(types.node) and facts.value[site] & 255 == 0:
            t, own = base - FILE, facts.denotes[site] != IS_SUPER
    facts.denotes[node] = VALUE
    given = _arguments(tree, node, name)
    if t < 0 or given < 0:
        return count
    facts.value[node] = _returned(facts, signatures, types, t, w, given, own)
    calls.place[count], calls.node[count], calls.type[count] = k, node, t
    calls.as_super[count], calls.crossed[count] = not own, crossed
    return count + 1


@kernel
def _second(tree: Tree, node: int) -> int:
    """Return the second child, not counting comments."""
    at = node + 2
    while at < tree.stop[node] - 1 and tree.code[at] == COMMENT:
        at += 1
    return int(at)


@kernel
def _last(tree: Tree, node: int) -> int:
    at = node + 1
    while at < tree.stop[node] and tree.stop[at] < tree.stop[node]:
        at = tree.stop[at]
    return int(at)


@kernel
def _created(tree: Tree, facts: Facts, types: Types, node: int) -> int:
    """Return the type of ``new T(…)`` and ``new T[…]``; an anonymous class is a type of its own."""
    code, stop, value = tree.code, tree.stop, facts.value
    found, at = 0, node + 1
    if code[at] != NEW:
        at = stop[at]
    while at < stop[node] and code[at] != ARGUMENTS:
        if value[at] != 0 and found == 0:
            found = value[at]
        elif code[at] == DIMENSION:
            found += 1
        elif code[at] == DIMENSIONS:
            inner = at + 1
            while inner < stop[at]:
                found += code[inner] == BRACKET
                inner = stop[inner]
        at = stop[at]
    last = _last(tree, node)
    if code[node] == CREATION and code[last] == BODY:
        t = int(np.searchsorted(types.node, last))
        if t < len(types.node) and types.node[t] == last:
            found = 256 * (FILE + t)
    return int(found)


@kernel
def _this(tree: Tree, facts: Facts, i: int, inside: Any, levels: int) -> None:
    p, value, denotes = tree.parent[i], facts.value, facts.denotes
    denotes[i] = VALUE if tree.code[i] == THIS else IS_SUPER
    if levels > 0:
        value[i] = 256 * (FILE + inside[levels - 1])
    if i != p + 1 and (tree.code[p] == FIELD_ACCESS or tree.code[p] == CALL):
        value[i] = value[p + 1]
        if tree.code[i] == THIS:  # Outer.this
            value[p], denotes[p] = value[i], VALUE
        else:  # Outer.super is the outer object as its superclass; Interface.super is itself.
            denotes[i] = VALUE
            for x in range(max(0, levels - MOST), levels):
                if value[i] == 256 * (FILE + inside[x]):
                    denotes[i] = IS_SUPER


@kernel
def _inner_creation(tree: Tree, facts: Facts, types: Types, k: int, i: int) -> None:
    """Resolve the type after ``outer.new`` as a member of the type of ``outer``."""
    p = tree.parent[i]
    creation = tree.parent[p] if tree.code[p] == GENERIC else p
    if tree.code[creation] != CREATION or i == creation + 1 or tree.code[creation + 1] == NEW:
        return
    base = (facts.value[creation + 1] >> 8) - FILE
    facts.value[i] = 256 * (FILE + len(types.node) + tree.word[i])
    m = -1
    if 0 <= base < len(types.node):
        m = _member(facts, types, base, TYPES, tree.word[i], True)
    if m >= 0:
        facts.value[i] = 256 * (FILE + types.of[facts.members.name[m]])
    if tree.code[p] == GENERIC:
        facts.value[p] = facts.value[i]
    facts.declaration[k] = -1
    _as_type(tree, facts, types, k, i)


@kernel
def _initialiser(tree: Tree, how: int, i: int) -> int:
    """Return the expression that determines the type of a ``var`` variable; -1 if there is none."""
    p = tree.parent[i]
    at = -1
    if how in (VARIABLE, RESOURCE):
        at = _last(tree, p)
    elif how == LOOP:
        at = tree.stop[i] + 1  # after the colon
        while at < tree.stop[p] and tree.code[at] == COMMENT:
            at += 1
    return at if i < at < tree.stop[p] else -1


@kernel
def qualified_names(
    tree: Tree,
    facts: Facts,
    signatures: Signatures,
    imports: Imports,
    of_object: Any,
    types: Types,
    events: Any,
    idents: Any,
    use: Any,
    var: int,
    room: int,
) -> Calls:
    """Complete the roles and declarations that ``simple_names`` began; return the pending calls.

    ``room`` limits the number of calls. ``var`` is the value of the word ``var``, which is no type.
    """
    code, parent, stop = tree.code, tree.parent, tree.stop
    value, denotes, declaration = facts.value, facts.denotes, facts.declaration
    calls = Calls(
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.zeros(room, np.bool_),
        np.zeros(room, np.bool_),
    )
    called = 0
    # Expressions whose end is still ahead. The target is the name's index for a call,
    # ``-2 - name`` for the initialiser of a ``var`` variable, -1 for all others.
    pending, target = np.empty(len(events) + 2, np.int32), np.empty(len(events) + 2, np.int32)
    inside = np.empty(len(types.node) + 1, np.int32)
    top, levels, fresh, k = -1, 0, 0, -1
    for e in range(len(events) + 1):
        i = events[e] if e < len(events) else len(code)
        while top >= 0 and stop[pending[top]] <= i:
            node, name = pending[top], target[top]
            top -= 1
            if name < -1:
                found = value[node]
                if code[parent[node]] == FOREACH:
                    found = found - 1 if found & 255 else 0
                value[-2 - name] = found
                continue
            if code[node] == CALL:
                if name >= 0:
                    called = _called(
                        tree,
                        facts,
                        signatures,
                        imports,
                        of_object,
                        types,
                        node,
                        name,
                        idents[name],
                        inside,
                        levels,
                        calls,
                        called,
                    )
            elif code[node] == CREATION or code[node] == ARRAY_CREATION:
                value[node] = _created(tree, facts, types, node)
            elif code[node] == ARRAY_ACCESS:
                value[node] = value[node + 1] - 1 if value[node + 1] & 255 else 0
            elif code[node] == ASSIGNMENT:
                value[node] = value[node + 1]
            else:
                value[node] = value[_second(tree, node)]
            denotes[node] = VALUE
        if e == len(events):
            break
        while levels > 0 and stop[types.node[inside[levels - 1]]] <= i:
            levels -= 1
        kind = code[i]
        if fresh < len(types.node) and types.node[fresh] == i:
            inside[levels] = fresh
            fresh += 1
            levels += 1
        elif CALL <= kind <= ASSIGNMENT:
            top += 1
            pending[top], target[top] = i, -1
        elif kind in (THIS, SUPER):
            _this(tree, facts, i, inside, levels)
        if kind != IDENTIFIER and kind != TYPE_IDENTIFIER:
            continue
        k += 1
        how = use[k]
        if how == REFERRED and tree.child[i] == 0:
            how = QUALIFIER
        if (how in (EXPRESSION, QUALIFIER)) and declaration[k] >= 0:
            value[i], denotes[i] = value[declaration[k]], VALUE
        elif how == EXPRESSION:
            value[i], denotes[i] = 0, VALUE
        elif how == QUALIFIER:
            if value[i] > 0:
                _as_type(tree, facts, types, k, i)
        elif how == SELECTED:
            _selected(tree, facts, types, k, i)
        elif how == CALLED:
            facts.role[k] = R_METHOD
            if top >= 0 and pending[top] == parent[i]:
                target[top] = k
        elif how == TYPE_USE:
            _inner_creation(tree, facts, types, k, i)
        elif VARIABLE <= how <= PATTERN and (value[i] == var or value[i] == 0):
            value[i] = 0
            at = _initialiser(tree, how, i)
            if at >= 0:
                top += 1
                pending[top], target[top] = at, -2 - i
    return Calls(
        calls.place[:called],
        calls.node[:called],
        calls.type[:called],
        calls.as_super[:called],
        calls.crossed[:called],
    )
