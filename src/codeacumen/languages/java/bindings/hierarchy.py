"""Kernels that collect the types of a file, their members and their ancestors.

Ancestors follow JLS 8.1.4, 8.5 and 9.1.3. ``bindings/__init__.py`` defines the short names. Called
by ``bindings.names``.
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
MOST_ANCESTORS, DEEPEST_NESTING, MOST_NAMESAKES = 64, 16, 1024


class TypeTree(NamedTuple):
    """Columns of a syntax that these kernels read; ``code`` holds this file's codes for kinds.

    Kernels of other files share this class. With two classes of the same fields, numba looks up
    the compiled code of the wrong one and every call becomes slow.
    """

    code: Any
    parent: Any
    stop: Any
    word: Any


class FileTypes(NamedTuple):
    """Types that a file declares, one value per type in each column.

    ``node`` is the declaration, or the body of an anonymous class. ``owner`` is the enclosing type
    (-1: none), ``name`` the node of the name (-1: an anonymous class), ``begin`` the node from
    which the members are in scope. The simple name is in scope from node ``start`` up to node
    ``end``; ``member`` tells member types from local ones.
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
    in source order. ``name`` is the node of the name, -1 for the implicit methods of an enum.
    """

    key: Any
    name: Any
    flags: Any


@kernel
def collect_types_and_members(
    tree: TypeTree, idents: Any, nodes: Any, implicit: Any, words: int
) -> tuple[FileTypes, Members]:
    """Return the types and members of a file, from its identifiers and the nodes of its types.

    ``implicit`` holds the words ``values`` and ``valueOf`` (-1: the file does not use the word),
    which are methods of every enum (JLS 8.9.3).
    """
    code, parent, stop, word = tree
    count = len(nodes)
    owner, name = np.full(count, -1, np.int32), np.full(count, -1, np.int32)
    begin, start = np.full(count, -1, np.int32), np.zeros(count, np.int32)
    end, member = np.full(count, len(code), np.int32), np.zeros(count, np.bool_)
    capacity = 2 * (len(idents) + count)
    member_keys, member_names = np.empty(capacity, np.int64), np.empty(capacity, np.int32)
    member_flags = np.empty(capacity, np.uint8)
    member_count = 0
    stack = np.empty(count + 1, np.int32)
    stack_top, next_type = -1, 0
    for k in range(len(idents) + 1):
        i = idents[k] if k < len(idents) else len(code)
        while next_type < count and nodes[next_type] <= i:
            t = next_type
            node = nodes[t]
            next_type += 1
            while stack_top >= 0 and stop[nodes[stack[stack_top]]] <= node:
                stack_top -= 1
            if stack_top >= 0:
                owner[t] = stack[stack_top]
            stack_top += 1
            stack[stack_top] = t
            parent_node = parent[node]
            begin[t] = node
            for n in range(2):  # values(), then valueOf(String)
                if code[node] == ENUM and implicit[n] >= 0:
                    member_keys[member_count] = (3 * t + METHODS) * words + implicit[n]
                    member_names[member_count], member_flags[member_count] = (
                        -1,
                        IS_STATIC | (0 if n else IS_VALUES),
                    )
                    member_count += 1
            if code[node] in (TYPE, RECORD, ENUM):
                at = node + 1
                while at < stop[node]:
                    if code[at] == BODY or code[at] == PARAMETERS:
                        begin[t] = at
                        break
                    at = stop[at]
                if owner[t] >= 0 and (code[parent_node] == BODY or code[parent_node] == BODY_REST):
                    member[t] = True
                    start[t], end[t] = begin[owner[t]], stop[nodes[owner[t]]]
                elif parent_node >= 0 and code[parent_node] != PROGRAM:
                    start[t] = node
                    end[t] = stop[
                        parent[parent_node] if code[parent_node] == GROUP else parent_node
                    ]
            else:
                start[t], end[t] = node, node  # an anonymous class has no name
        while stack_top >= 0 and stop[nodes[stack[stack_top]]] <= i:
            stack_top -= 1
        if stack_top < 0 or k == len(idents) or code[i] == TYPE_IDENTIFIER:
            continue
        t = stack[stack_top]
        declaration = parent[i]
        kind = code[declaration]
        namespace, flags = -1, 0
        if kind in (TYPE, RECORD, ENUM):
            if declaration == nodes[t] and name[t] < 0:
                name[t] = i
                if member[t]:
                    namespace = TYPES
                    t = owner[t]
                    flags = _member_flags(tree, declaration)
        elif kind == METHOD:
            namespace, flags = METHODS, _member_flags(tree, declaration)
        elif kind == ENUM_CONSTANT:
            namespace, flags = FIELDS, IS_CONSTANT | IS_STATIC
        elif kind == DECLARATOR and declaration + 1 == i:
            outer_declaration = parent[declaration]
            if code[outer_declaration] == FIELD:
                namespace, flags = FIELDS, _member_flags(tree, outer_declaration)
            elif code[outer_declaration] == CONSTANT:
                namespace, flags = FIELDS, IS_STATIC
            elif code[outer_declaration] == SPREAD and _is_record_component(
                tree, outer_declaration
            ):
                namespace, flags = FIELDS, IS_PRIVATE | IS_COMPONENT
        elif kind == PARAMETER and _is_record_component(tree, declaration):
            namespace, flags = FIELDS, IS_PRIVATE | IS_COMPONENT
        if namespace < 0:
            continue
        member_keys[member_count] = (3 * t + namespace) * words + word[i]
        member_names[member_count], member_flags[member_count] = i, flags
        member_count += 1
        if flags & IS_COMPONENT:
            # The component is a field; its accessor is a method with the same name node.
            member_keys[member_count] = (3 * t + METHODS) * words + word[i]
            member_names[member_count], member_flags[member_count] = i, IS_ACCESSOR
            member_count += 1
    order = np.argsort(member_keys[:member_count], kind="mergesort")
    members = Members(member_keys[order], member_names[order], member_flags[order])
    return FileTypes(nodes, owner, name, begin, start, end, member), members


@kernel
def _member_flags(tree: TypeTree, declaration: int) -> int:
    """Return the flags of a declaration's modifiers: IS_PRIVATE and IS_STATIC."""
    first, flags = declaration + 1, 0
    if first < tree.stop[declaration] and tree.code[first] == MODIFIERS:
        for at in range(first + 1, tree.stop[first]):
            if tree.code[at] == PRIVATE:
                flags |= IS_PRIVATE
            elif tree.code[at] == STATIC:
                flags |= IS_STATIC
    return flags


@kernel
def _is_record_component(tree: TypeTree, parameter: int) -> bool:
    """Return whether a parameter declares a component of a record."""
    parameter_list = tree.parent[parameter]
    return bool(
        tree.code[parameter_list] == PARAMETERS and tree.code[tree.parent[parameter_list]] == RECORD
    )


# Same as in bindings/types.py: numba caches by file, so a kernel cannot call one of another
# file; see languages/kernel.py.
@kernel
def _find_member(members: Members, words: int, t: int, namespace: int, word: int) -> int:
    """Return the first member of a name declared in the type itself; -1 if there is none."""
    key = (3 * t + namespace) * words + word
    m = np.searchsorted(members.key, key)
    return int(m) if m < len(members.key) and members.key[m] == key else -1


@kernel
def resolve_ancestors(tree: TypeTree, types: FileTypes, members: Members, words: int) -> Any:
    """Return four arrays: offsets, ancestors, ``inherits_foreign`` and ``type_of``.

    The first two hold each type's ancestors in this file, in the order in which javac looks for
    members: the superclass and all of its ancestors, then the interfaces. ``inherits_foreign`` is
    true for types with an ancestor declared elsewhere. ``type_of`` has, for each node that is the
    name of a type's declaration, the type (-1 for all other nodes).
    """
    count = len(types.node)
    type_of = np.full(len(tree.code), -1, np.int32)
    last_of_word = np.full(words, -1, np.int32)
    previous_of_word = np.full(count, -1, np.int32)
    for t in range(count):
        if types.name[t] >= 0:
            type_of[types.name[t]] = t
            w = tree.word[types.name[t]]
            previous_of_word[t], last_of_word[w] = last_of_word[w], t
    # A reference is a supertype as written; its parent is the type of this file that it refers to.
    references, type_of_reference = _collect_supertypes(tree, types)
    parents = np.full(len(references), -1, np.int32)
    first_reference = np.zeros(count + 1, np.int32)
    for r in range(len(references)):
        first_reference[type_of_reference[r] + 1] += 1
    for t in range(count):
        first_reference[t + 1] += first_reference[t]
    # A supertype may be a type that an enclosing type inherits, so repeat until nothing changes, at
    # most four times.
    for _ in range(4):
        changed = False
        offsets, ancestors = _linearise_ancestors(first_reference, parents)
        for r in range(len(references)):
            if parents[r] < 0:
                t = type_of_reference[r]
                if references[r] < 0:  # the body of an enum's constant
                    parents[r] = types.owner[t]
                else:
                    parents[r] = _resolve_supertype(
                        tree,
                        types,
                        members,
                        words,
                        type_of,
                        last_of_word,
                        previous_of_word,
                        offsets,
                        ancestors,
                        t,
                        references[r],
                    )
                changed = changed or parents[r] >= 0
        if not changed:
            break
    offsets, ancestors = _linearise_ancestors(first_reference, parents)
    has_foreign_parent = np.zeros(count, np.bool_)
    for r in range(len(references)):
        if parents[r] < 0:
            has_foreign_parent[type_of_reference[r]] = True
    inherits_foreign = has_foreign_parent.copy()
    for t in range(count):
        for k in range(offsets[t], offsets[t + 1]):
            inherits_foreign[t] = inherits_foreign[t] or has_foreign_parent[ancestors[k]]
    return offsets, ancestors, inherits_foreign, type_of


@kernel
def _collect_supertypes(tree: TypeTree, types: FileTypes) -> Any:
    """Return the nodes of all supertypes as written, and for each the subtype that names it.

    The body of an enum's constant extends the enum without naming it; its node is -1.
    """
    code, parent, stop, _ = tree
    # Empty lists whose element type numba can infer.
    references, type_of_reference = [np.int32(0) for _ in range(0)], [np.int32(0) for _ in range(0)]
    for t in range(len(types.node)):
        node = types.node[t]
        if code[node] == BODY:
            parent_node = parent[node]
            if code[parent_node] == ENUM_CONSTANT:
                references.append(np.int32(-1))
                type_of_reference.append(np.int32(t))
            else:
                child = parent_node + 1
                while child < node:
                    kind = code[child]
                    if kind == TYPE_IDENTIFIER or SCOPED <= kind <= ANNOTATED:
                        references.append(np.int32(child))
                        type_of_reference.append(np.int32(t))
                    child = stop[child]
            continue
        child = node + 1
        while child < stop[node] and code[child] != BODY:
            if code[child] == SUPERCLASS or code[child] == INTERFACES:
                supertype = child + 1
                while supertype < stop[child]:
                    kind = code[supertype]
                    if kind == TYPE_LIST:
                        supertype += 1
                        continue
                    if kind == TYPE_IDENTIFIER or SCOPED <= kind <= ANNOTATED:
                        references.append(np.int32(supertype))
                        type_of_reference.append(np.int32(t))
                    supertype = stop[supertype]
            child = stop[child]
    return np.array(references, np.int32), np.array(type_of_reference, np.int32)


@kernel
def _linearise_ancestors(first_reference: Any, parents: Any) -> Any:
    """Return the ancestors of all types, depth first, as offsets and one array of types.

    The direct supertypes of type ``t`` are ``parents[first_reference[t]:first_reference[t + 1]]``,
    -1 for those declared elsewhere.
    """
    type_count = len(first_reference) - 1
    offsets = np.zeros(type_count + 1, np.int32)
    ancestors = [np.int32(0) for _ in range(0)]
    seen_by = np.full(type_count, -1, np.int32)
    stack = np.empty(MOST_ANCESTORS + len(parents) + 1, np.int32)
    for t in range(type_count):
        seen_by[t] = t
        stack_top = -1
        for r in range(first_reference[t + 1] - 1, first_reference[t] - 1, -1):
            stack_top += 1
            stack[stack_top] = parents[r]
        while stack_top >= 0 and len(ancestors) - offsets[t] < MOST_ANCESTORS:
            ancestor = stack[stack_top]
            stack_top -= 1
            if ancestor < 0 or seen_by[ancestor] == t:
                continue
            seen_by[ancestor] = t
            ancestors.append(np.int32(ancestor))
            for r in range(first_reference[ancestor + 1] - 1, first_reference[ancestor] - 1, -1):
                if stack_top + 1 < len(stack):
                    stack_top += 1
                    stack[stack_top] = parents[r]
        offsets[t + 1] = len(ancestors)
    return offsets, np.array(ancestors, np.int32)


# Same as in bindings/types.py: numba caches by file, so a kernel cannot call one of another
# file; see languages/kernel.py.
@kernel
def _find_inherited(
    members: Members, words: int, offsets: Any, ancestors: Any, t: int, namespace: int, word: int
) -> int:
    """Return the nearest inherited member of a name; -1 if there is none.

    Private members are not inherited (JLS 8.2).
    """
    for k in range(offsets[t], offsets[t + 1]):
        m = _find_member(members, words, ancestors[k], namespace, word)
        if m >= 0 and not members.flags[m] & IS_PRIVATE:
            return m
    return -1


@kernel
def _resolve_supertype(
    tree: TypeTree,
    types: FileTypes,
    members: Members,
    words: int,
    type_of: Any,
    last_of_word: Any,
    previous_of_word: Any,
    offsets: Any,
    ancestors: Any,
    t: int,
    reference: int,
) -> int:
    """Return the type of this file that a supertype of ``t`` refers to, or -1.

    ``reference`` is the supertype's node. The types with the same simple name form a list, from
    ``last_of_word`` through ``previous_of_word``.
    """
    code, parent, stop, word = tree
    name_node = reference
    while code[name_node] != TYPE_IDENTIFIER:  # descend to the leftmost name
        if code[name_node] == ANNOTATED:
            last_name = name_node + 1
            while stop[last_name] < stop[name_node]:
                last_name = stop[last_name]
            name_node = last_name
        else:
            name_node += 1
        if name_node >= stop[reference]:
            return -1
    w = word[name_node]
    resolved, scope_start = -1, -1
    candidate, steps = last_of_word[w], 0
    while candidate >= 0 and steps < MOST_NAMESAKES:
        if (
            types.start[candidate] <= name_node < types.end[candidate]
            and types.start[candidate] > scope_start
        ):
            resolved, scope_start = candidate, types.start[candidate]
        candidate = previous_of_word[candidate]
        steps += 1
    enclosing, steps = types.owner[t], 0
    while enclosing >= 0 and types.begin[enclosing] > scope_start and steps < DEEPEST_NESTING:
        m = _find_inherited(members, words, offsets, ancestors, enclosing, TYPES, w)
        if m >= 0:
            resolved = type_of[members.name[m]]
            break
        enclosing = types.owner[enclosing]
        steps += 1
    # Outer.Inner: ascend again; each name is a member of the type before the dot.
    while resolved >= 0 and name_node != reference:
        outer = parent[name_node]
        if code[outer] == SCOPED and stop[name_node] < stop[outer]:
            last_name = name_node
            while stop[last_name] < stop[outer]:
                last_name = stop[last_name]
            m = _find_member(members, words, resolved, TYPES, word[last_name])
            if m < 0:
                m = _find_inherited(
                    members, words, offsets, ancestors, resolved, TYPES, word[last_name]
                )
            resolved = type_of[members.name[m]] if m >= 0 else -1
        name_node = outer
    return int(resolved)
