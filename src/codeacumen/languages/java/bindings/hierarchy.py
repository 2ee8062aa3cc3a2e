"""Kernels that collect the types of a file, their members and their ancestors.

Ancestors follow JLS 8.1.4, 8.5 and 9.1.3. Called by ``bindings.names``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from codeacumen.languages.kernel import kernel

(
    OTHER,
    TYPE,
    RECORD,
    BODY,
    BODY_REST,
    TYPE_IDENTIFIER,
    SCOPED,
    GENERIC,
    ANNOTATED,
    SUPERCLASS,
    INTERFACES,
    TYPE_LIST,
    ENUM_CONSTANT,
    MODIFIERS,
    PRIVATE,
    FIELD,
    DECLARATOR,
    METHOD,
    PARAMETER,
    PARAMETERS,
    SPREAD,
    PROGRAM,
    GROUP,
    STATIC,
    CONSTANT,
    ENUM,
) = range(26)
CODES = {
    "class_declaration": TYPE, "interface_declaration": TYPE, "enum_declaration": ENUM,
    "annotation_type_declaration": TYPE, "record_declaration": RECORD,
    "class_body": BODY, "interface_body": BODY, "enum_body": BODY, "annotation_type_body": BODY,
    "enum_body_declarations": BODY_REST, "type_identifier": TYPE_IDENTIFIER,
    "scoped_type_identifier": SCOPED, "generic_type": GENERIC, "annotated_type": ANNOTATED,
    "superclass": SUPERCLASS, "super_interfaces": INTERFACES, "extends_interfaces": INTERFACES,
    "type_list": TYPE_LIST, "enum_constant": ENUM_CONSTANT, "modifiers": MODIFIERS,
    "private": PRIVATE, "field_declaration": FIELD, "constant_declaration": CONSTANT,
    "variable_declarator": DECLARATOR, "method_declaration": METHOD,
    "annotation_type_element_declaration": METHOD, "formal_parameter": PARAMETER,
    "formal_parameters": PARAMETERS, "spread_parameter": SPREAD, "program": PROGRAM,
    "switch_block_statement_group": GROUP, "static": STATIC,
}  # fmt: skip

# Namespaces of members, then the flags of a member. IS_ACCESSOR marks the accessor of a record's
# component, IS_COMPONENT the component itself, IS_VALUES the method values() of an enum.
FIELDS, METHODS, TYPES = 0, 1, 2
IS_PRIVATE, IS_CONSTANT, IS_ACCESSOR, IS_COMPONENT, IS_STATIC, IS_VALUES = 1, 2, 4, 8, 16, 32
# Limits on the ancestors of a type, the classes around it and the types of one name. No real
# program reaches them; they end cycles in wrong programs.
MOST, DEEPEST, SAME = 64, 16, 1024


class Tree(NamedTuple):
    """Columns of a syntax that these kernels read; ``code`` holds this file's codes for kinds.

    Kernels of other files share this class. With two classes of the same fields, numba looks up
    the compiled code of the wrong one and every call becomes slow.
    """

    code: Any
    parent: Any
    stop: Any
    word: Any


class Types(NamedTuple):
    """Types that a file declares, one value per type in each column.

    ``owner`` is the enclosing type (-1: none), ``name`` the node of the name, ``begin`` the node
    from which the members are in scope. The simple name is in scope from node ``start`` up to
    node ``end``; ``member`` tells member types from local ones.
    """

    node: Any
    owner: Any
    name: Any
    begin: Any
    start: Any
    end: Any
    member: Any


class Members(NamedTuple):
    """Members of the file's types, one value per member in each column.

    ``key`` is ``(3 * type + namespace) * words + word``, ascending; members with the same key are
    in source order. ``name`` is the node of the name.
    """

    key: Any
    name: Any
    flags: Any


@kernel
def collect(
    tree: Tree, idents: Any, nodes: Any, implicit: Any, words: int
) -> tuple[Types, Members]:
    """Return the types and members of a file, from its identifiers and the nodes of its types.

    ``implicit`` holds the words ``values`` and ``valueOf``, methods of every enum (JLS 8.9.3).
    """
    code, parent, stop, word = tree
    count = len(nodes)
    owner, name = np.full(count, -1, np.int32), np.full(count, -1, np.int32)
    begin, start = np.full(count, -1, np.int32), np.zeros(count, np.int32)
    end, member = np.full(count, len(code), np.int32), np.zeros(count, np.bool_)
    room = 2 * (len(idents) + count)
    key, m_name = np.empty(room, np.int64), np.empty(room, np.int32)
    m_flags = np.empty(room, np.uint8)
    found = 0
    stack = np.empty(count + 1, np.int32)
    top, fresh = -1, 0
    for k in range(len(idents) + 1):
        i = idents[k] if k < len(idents) else len(code)
        while fresh < count and nodes[fresh] <= i:
            t = fresh
            node = nodes[t]
            fresh += 1
            while top >= 0 and stop[nodes[stack[top]]] <= node:
                top -= 1
            if top >= 0:
                owner[t] = stack[top]
            top += 1
            stack[top] = t
            mother = parent[node]
            begin[t] = node
            for n in range(2):
                if code[node] == ENUM and implicit[n] >= 0:
                    key[found] = (3 * t + METHODS) * words + implicit[n]
                    m_name[found], m_flags[found] = -1, IS_STATIC | (0 if n else IS_VALUES)
                    found += 1
            if code[node] in (TYPE, RECORD, ENUM):
                at = node + 1
                while at < stop[node]:
                    if code[at] == BODY or code[at] == PARAMETERS:
                        begin[t] = at
                        break
                    at = stop[at]
                if owner[t] >= 0 and (code[mother] == BODY or code[mother] == BODY_REST):
                    member[t] = True
                    start[t], end[t] = begin[owner[t]], stop[nodes[owner[t]]]
                elif mother >= 0 and code[mother] != PROGRAM:
                    start[t] = node
                    end[t] = stop[parent[mother] if code[mother] == GROUP else mother]
            else:
                start[t], end[t] = node, node  # an anonymous class has no name
        while top >= 0 and stop[nodes[stack[top]]] <= i:
            top -= 1
        if top < 0 or k == len(idents) or code[i] == TYPE_IDENTIFIER:
            continue
        t = stack[top]
        p = parent[i]
        kind = code[p]
        space, flags = -1, 0
        if kind in (TYPE, RECORD, ENUM):
            if p == nodes[t] and name[t] < 0:
                name[t] = i
                if member[t]:
                    space = TYPES
                    t = owner[t]
                    flags = _modifiers(tree, p)
        elif kind == METHOD:
            space, flags = METHODS, _modifiers(tree, p)
        elif kind == ENUM_CONSTANT:
            space, flags = FIELDS, IS_CONSTANT | IS_STATIC
        elif kind == DECLARATOR and p + 1 == i:
            q = parent[p]
            if code[q] == FIELD:
                space, flags = FIELDS, _modifiers(tree, q)
            elif code[q] == CONSTANT:
                space, flags = FIELDS, IS_STATIC
            elif code[q] == SPREAD and _of_record(tree, q):
                space, flags = FIELDS, IS_PRIVATE | IS_COMPONENT
        elif kind == PARAMETER and _of_record(tree, p):
            space, flags = FIELDS, IS_PRIVATE | IS_COMPONENT
        if space < 0:
            continue
        key[found] = (3 * t + space) * words + word[i]
        m_name[found], m_flags[found] = i, flags
        found += 1
        if flags & IS_COMPONENT:
            key[found] = (3 * t + METHODS) * words + word[i]
            m_name[found], m_flags[found] = i, IS_ACCESSOR
            found += 1
    order = np.argsort(key[:found], kind="mergesort")
    members = Members(key[order], m_name[order], m_flags[order])
    return Types(nodes, owner, name, begin, start, end, member), members


@kernel
def _modifiers(tree: Tree, declaration: int) -> int:
    first, flags = declaration + 1, 0
    if first < tree.stop[declaration] and tree.code[first] == MODIFIERS:
        for at in range(first + 1, tree.stop[first]):
            if tree.code[at] == PRIVATE:
                flags |= IS_PRIVATE
            elif tree.code[at] == STATIC:
                flags |= IS_STATIC
    return flags


@kernel
def _of_record(tree: Tree, parameter: int) -> bool:
    group = tree.parent[parameter]
    return bool(tree.code[group] == PARAMETERS and tree.code[tree.parent[group]] == RECORD)


@kernel
def _find(members: Members, words: int, t: int, space: int, word: int) -> int:
    """Return the first member of a name declared in the type itself; -1 if there is none."""
    key = (3 * t + space) * words + word
    at = np.searchsorted(members.key, key)
    return int(at) if at < len(members.key) and members.key[at] == key else -1


@kernel
def hierarchy(tree: Tree, types: Types, members: Members, words: int) -> Any:
    """Return each type's ancestors in this file, and whether some ancestor is declared elsewhere.

    The nearest ancestor comes first, in the order in which javac looks for members: the
    superclass and all of its ancestors, then the interfaces.
    """
    count = len(types.node)
    type_of = np.full(len(tree.code), -1, np.int32)
    named = np.full(words, -1, np.int32)
    same = np.full(count, -1, np.int32)
    for t in range(count):
        if types.name[t] >= 0:
            type_of[types.name[t]] = t
            w = tree.word[types.name[t]]
            same[t], named[w] = named[w], t
    refs, ref_type = _references(tree, types)
    parents = np.full(len(refs), -1, np.int32)
    first = np.zeros(count + 1, np.int32)
    for r in range(len(refs)):
        first[ref_type[r] + 1] += 1
    for t in range(count):
        first[t + 1] += first[t]
    # A supertype may be a type that an enclosing type inherits, so repeat until nothing changes.
    for _ in range(4):
        changed = False
        offsets, ancestors = _linearised(first, parents)
        for r in range(len(refs)):
            if parents[r] < 0:
                t = ref_type[r]
                if refs[r] < 0:
                    parents[r] = types.owner[t]
                else:
                    parents[r] = _named(
                        tree,
                        types,
                        members,
                        words,
                        type_of,
                        named,
                        same,
                        offsets,
                        ancestors,
                        t,
                        refs[r],
                    )
                changed = changed or parents[r] >= 0
        if not changed:
            break
    offsets, ancestors = _linearised(first, parents)
    open_ = np.zeros(count, np.bool_)
    for r in range(len(refs)):
        if parents[r] < 0:
            open_[ref_type[r]] = True
    inherits = open_.copy()
    for t in range(count):
        for k in range(offsets[t], offsets[t + 1]):
            inherits[t] = inherits[t] or open_[ancestors[k]]
    return offsets, ancestors, inherits, type_of


@kernel
def _references(tree: Tree, types: Types) -> Any:
    """Return the nodes of all supertypes as written; -1 for the body of an enum's constant."""
    code, parent, stop, _ = tree
    refs, ref_type = [np.int32(0) for _ in range(0)], [np.int32(0) for _ in range(0)]
    for t in range(len(types.node)):
        node = types.node[t]
        if code[node] == BODY:
            mother = parent[node]
            if code[mother] == ENUM_CONSTANT:
                refs.append(np.int32(-1))
                ref_type.append(np.int32(t))
            else:
                at = mother + 1
                while at < node:
                    kind = code[at]
                    if kind == TYPE_IDENTIFIER or SCOPED <= kind <= ANNOTATED:
                        refs.append(np.int32(at))
                        ref_type.append(np.int32(t))
                    at = stop[at]
            continue
        at = node + 1
        while at < stop[node] and code[at] != BODY:
            if code[at] == SUPERCLASS or code[at] == INTERFACES:
                inner = at + 1
                while inner < stop[at]:
                    kind = code[inner]
                    if kind == TYPE_LIST:
                        inner += 1
                        continue
                    if kind == TYPE_IDENTIFIER or SCOPED <= kind <= ANNOTATED:
                        refs.append(np.int32(inner))
                        ref_type.append(np.int32(t))
                    inner = stop[inner]
            at = stop[at]
    return np.array(refs, np.int32), np.array(ref_type, np.int32)


@kernel
def _linearised(first: Any, parents: Any) -> Any:
    count = len(first) - 1
    offsets = np.zeros(count + 1, np.int32)
    ancestors = [np.int32(0) for _ in range(0)]
    seen = np.full(count, -1, np.int32)
    stack = np.empty(MOST + len(parents) + 1, np.int32)
    for t in range(count):
        seen[t] = t
        top = -1
        for r in range(first[t + 1] - 1, first[t] - 1, -1):
            top += 1
            stack[top] = parents[r]
        while top >= 0 and len(ancestors) - offsets[t] < MOST:
            a = stack[top]
            top -= 1
            if a < 0 or seen[a] == t:
                continue
            seen[a] = t
            ancestors.append(np.int32(a))
            for r in range(first[a + 1] - 1, first[a] - 1, -1):
                if top + 1 < len(stack):
                    top += 1
                    stack[top] = parents[r]
        offsets[t + 1] = len(ancestors)
    return offsets, np.array(ancestors, np.int32)


@kernel
def _inherited(
    members: Members, words: int, offsets: Any, ancestors: Any, t: int, space: int, word: int
) -> int:
    """Return the nearest inherited member of a name; private ones are not inherited (JLS 8.2)."""
    for k in range(offsets[t], offsets[t + 1]):
        m = _find(members, words, ancestors[k], space, word)
        if m >= 0 and not members.flags[m] & IS_PRIVATE:
            return m
    return -1


@kernel
def _named(
    tree: Tree,
    types: Types,
    members: Members,
    words: int,
    type_of: Any,
    named: Any,
    same: Any,
    offsets: Any,
    ancestors: Any,
    t: int,
    ref: int,
) -> int:
    """Return the type of this file that a supertype's name refers to, or -1."""
    code, parent, stop, word = tree
    at = ref
    while code[at] != TYPE_IDENTIFIER:  # descend to the leftmost name
        if code[at] == ANNOTATED:
            last = at + 1
            while stop[last] < stop[at]:
                last = stop[last]
            at = last
        else:
            at += 1
        if at >= stop[ref]:
            return -1
    w = word[at]
    best, since = -1, -1
    c, steps = named[w], 0
    while c >= 0 and steps < SAME:
        if types.start[c] <= at < types.end[c] and types.start[c] > since:
            best, since = c, types.start[c]
        c = same[c]
        steps += 1
    x, steps = types.owner[t], 0
    while x >= 0 and types.begin[x] > since and steps < DEEPEST:
        m = _inherited(members, words, offsets, ancestors, x, TYPES, w)
        if m >= 0:
            best = type_of[members.name[m]]
            break
        x = types.owner[x]
        steps += 1
    # Outer.Inner: ascend again; each name is a member of the type before the dot.
    while best >= 0 and at != ref:
        up = parent[at]
        if code[up] == SCOPED and stop[at] < stop[up]:
            last = at
            while stop[last] < stop[up]:
                last = stop[last]
            m = _find(members, words, best, TYPES, word[last])
            if m < 0:
                m = _inherited(members, words, offsets, ancestors, best, TYPES, word[last])
            best = type_of[members.name[m]] if m >= 0 else -1
        at = up
    return int(best)
