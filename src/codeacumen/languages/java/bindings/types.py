"""Kernels that resolve type names (JLS 6.3, 6.4.1, 8.5) and the types in declarations.

A type's value is ``256 * base + dimensions``. Bases: 0 is unknown; 1 to 10 are the primitive
types, void and null; from 16 follow the types of this file, then the words of this file as types
declared elsewhere, then type variables by the node of their declaration, then qualified names of
types declared elsewhere by the node of one occurrence. Called by ``bindings.names``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from codeacumen.languages.java.bindings.hierarchy import Members, Tree, Types
from codeacumen.languages.kernel import kernel

# Codes of nodes. The code of a primitive type is PRIMITIVE plus its base.
(
    OTHER,
    TYPE,
    BODY,
    TYPE_PARAMETERS,
    TYPE_PARAMETER,
    IDENTIFIER,
    TYPE_IDENTIFIER,
    SCOPED,
    GENERIC,
    ARRAY,
    ANNOTATED,
    NUMERIC,
    CATCH_TYPE,
    DECLARATOR,
    PARAMETER,
    PARAMETERS,
    SPREAD,
    DIMENSIONS,
    BRACKET,
    AMBIGUOUS,
    ASTERISK,
    INTEGER,
    FLOATING,
    STRING,
    CLASS_LITERAL,
    DOTTED,
    ANNOTATION,
    INSTANCEOF,
) = range(28)
PRIMITIVE = 32
CODES = {
    "class_declaration": TYPE, "interface_declaration": TYPE, "enum_declaration": TYPE,
    "annotation_type_declaration": TYPE, "record_declaration": TYPE,
    "class_body": BODY, "interface_body": BODY, "enum_body": BODY, "annotation_type_body": BODY,
    "type_parameters": TYPE_PARAMETERS, "type_parameter": TYPE_PARAMETER,
    "identifier": IDENTIFIER, "type_identifier": TYPE_IDENTIFIER,
    "scoped_type_identifier": SCOPED, "generic_type": GENERIC, "array_type": ARRAY,
    "annotated_type": ANNOTATED, "integral_type": NUMERIC, "floating_point_type": NUMERIC,
    "catch_type": CATCH_TYPE, "variable_declarator": DECLARATOR, "formal_parameter": PARAMETER,
    "formal_parameters": PARAMETERS, "spread_parameter": SPREAD, "dimensions": DIMENSIONS,
    "[": BRACKET, "instanceof_expression": INSTANCEOF, "asterisk": ASTERISK,
    "field_access": AMBIGUOUS, "method_invocation": AMBIGUOUS,
    "method_reference": AMBIGUOUS, "record_pattern": AMBIGUOUS, "annotation": ANNOTATION,
    "marker_annotation": ANNOTATION, "receiver_parameter": ANNOTATION,
    "scoped_identifier": DOTTED, "uses_module_directive": ANNOTATION,
    "provides_module_directive": ANNOTATION,
    "boolean_type": PRIMITIVE + 1, "byte": PRIMITIVE + 2, "short": PRIMITIVE + 3,
    "char": PRIMITIVE + 4, "int": PRIMITIVE + 5, "long": PRIMITIVE + 6, "float": PRIMITIVE + 7,
    "double": PRIMITIVE + 8, "void_type": PRIMITIVE + 9, "null_literal": PRIMITIVE + 10,
    "true": PRIMITIVE + 1, "false": PRIMITIVE + 1, "character_literal": PRIMITIVE + 4,
    "decimal_integer_literal": INTEGER, "hex_integer_literal": INTEGER,
    "octal_integer_literal": INTEGER, "binary_integer_literal": INTEGER,
    "decimal_floating_point_literal": FLOATING, "hex_floating_point_literal": FLOATING,
    "string_literal": STRING, "class_literal": CLASS_LITERAL,
}  # fmt: skip
# Codes at which the walk over type names stops.
EVENTS = (TYPE, BODY, TYPE_PARAMETERS, PARAMETERS, IDENTIFIER, TYPE_IDENTIFIER)

LITERALS = (INTEGER, FLOATING, STRING, CLASS_LITERAL)

# As in hierarchy: a kernel uses constants of its own file only.
FIELDS, METHODS, TYPES = 0, 1, 2
IS_PRIVATE, IS_CONSTANT, IS_ACCESSOR, IS_VALUES = 1, 2, 4, 32
FILE, EXTRA, MOST, DEEPEST = 16, 32, 64, 16


class Imports(NamedTuple):
    """Imports of a file's own types and members.

    ``tops`` maps each word to the top-level type of that name, ``by_name`` lists the types
    imported by name, ``all_of`` the types whose members are imported on demand. ``one_of`` and
    ``one_name`` are the owners and name nodes of single static imports.
    """

    tops: Any
    by_name: Any
    all_of: Any
    one_of: Any
    one_name: Any


class Signatures(NamedTuple):
    """Signatures of the members that are methods: types of the parameters, and the return type."""

    offsets: Any
    parameters: Any
    varargs: Any
    returns: Any


class Bound(NamedTuple):
    """Bindings of type names during the walk.

    ``scope`` maps each word to its binding on the stack (-1: none). Each binding has the value of
    its type, its word, the binding that it hides, the node at which it ends and the nesting depth
    of its class; ``count`` holds the height of the stack.
    """

    scope: Any
    value: Any
    word: Any
    hides: Any
    stop: Any
    level: Any
    count: Any


@kernel
def _find(members: Members, words: int, t: int, space: int, word: int) -> int:
    """Return the first member of a name declared in the type itself; -1 if there is none."""
    key = (3 * t + space) * words + word
    at = np.searchsorted(members.key, key)
    return int(at) if at < len(members.key) and members.key[at] == key else -1


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
def own_imports(
    tree: Tree,
    types: Types,
    members: Members,
    type_of: Any,
    nodes: Any,
    package: Any,
    words: int,
    value: Any,
) -> Imports:
    """Return what a file imports from itself; set the values of type names in these imports."""
    code, _, stop, word = tree
    tops = np.full(words, -1, np.int32)
    for t in range(len(types.node) - 1, -1, -1):
        if types.owner[t] < 0 and types.name[t] >= 0:
            tops[word[types.name[t]]] = t
    by_name, all_of = [np.int32(0) for _ in range(0)], [np.int32(0) for _ in range(0)]
    one_of, one_name = [np.int32(0) for _ in range(0)], [np.int32(0) for _ in range(0)]
    for node in nodes:
        t, left, seen, star = -1, -1, 0, False
        for at in range(node + 1, stop[node]):
            star = star or code[at] == ASTERISK
            if code[at] != IDENTIFIER:
                continue
            if seen < len(package):
                if word[at] != package[seen]:
                    break
            elif seen == len(package):
                t = tops[word[at]]
            elif t >= 0 and left < 0:
                m = _find(members, words, t, TYPES, word[at])
                if m < 0:
                    left = at
                else:
                    t = type_of[members.name[m]]
            if t >= 0 and left < 0:
                value[at] = 256 * (FILE + t)
            seen += 1
        if t >= 0 and left >= 0:
            one_of.append(np.int32(t))
            one_name.append(np.int32(left))
        elif t >= 0 and star:
            all_of.append(np.int32(t))
            inner = types.member & (types.owner == t) & (types.name >= 0)
            by_name.extend([np.int32(kid) for kid in np.flatnonzero(inner)])
        elif t >= 0:
            by_name.append(np.int32(t))
    return Imports(
        tops,
        np.array(by_name, np.int32),
        np.array(all_of, np.int32),
        np.array(one_of, np.int32),
        np.array(one_name, np.int32),
    )


@kernel
def _is_package(tree: Tree, node: int, package: Any) -> bool:
    """Return whether the names below a node are the words of the file's package."""
    seen = 0
    for at in range(node, tree.stop[node]):
        if tree.code[at] == IDENTIFIER or tree.code[at] == TYPE_IDENTIFIER:
            if seen == len(package) or tree.word[at] != package[seen]:
                return False
            seen += 1
    return seen == len(package)


@kernel
def _may_be_type(tree: Tree, i: int) -> bool:
    """Return whether a name may be that of a type in scope.

    It may not be after a dot, and imports are not looked up in scopes.
    """
    up = tree.parent[i]
    if tree.code[up] == DOTTED:
        while tree.code[up] == DOTTED and i == up + 1:
            i, up = up, tree.parent[up]
        return bool(tree.code[up] == ANNOTATION)
    return bool(tree.code[up] == ANNOTATION or (tree.code[up] == AMBIGUOUS and i == up + 1))


@kernel
def _bind(bound: Bound, word: int, value: int, stop: int, level: int) -> None:
    """Bind a word to a type, from here to ``stop``."""
    top = bound.count[0]
    bound.value[top], bound.word[top], bound.hides[top] = value, word, bound.scope[word]
    bound.stop[top], bound.level[top] = stop, level
    bound.scope[word] = top
    bound.count[0] = top + 1


@kernel
def _bind_variables(tree: Tree, bound: Bound, group: int, first: int, level: int) -> None:
    """Bind type parameters up to the end of their class or method.

    ``first`` is the value of a type variable declared at node 0.
    """
    code, parent, stop, word = tree
    at = group + 1
    while at < stop[group]:
        if code[at] == TYPE_PARAMETER:
            one = at + 1
            while one < stop[at] and code[one] != TYPE_IDENTIFIER:
                one = stop[one]
            if one < stop[at]:
                _bind(bound, word[one], first + 256 * one, stop[parent[group]], level)
        at = stop[at]


@kernel
def type_names(
    tree: Tree,
    types: Types,
    members: Members,
    type_of: Any,
    offsets: Any,
    ancestors: Any,
    events: Any,
    words: int,
    room: int,
    imports: Imports,
    value: Any,
    package: Any,
) -> None:
    """Set the value of every node that is a type and of every name that may be one.

    The value is 0 for names that are no type.
    """
    code, _, stop, word = tree
    count = len(types.node)
    bound = Bound(
        np.full(words, -1, np.int32),
        np.empty(room, np.int64),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.zeros(1, np.int32),
    )
    kids, sister = np.full(count, -1, np.int32), np.full(count, -1, np.int32)
    for t in range(count - 1, -1, -1):
        if types.member[t]:
            sister[t], kids[types.owner[t]] = kids[types.owner[t]], t
    for t in imports.by_name:
        _bind(bound, word[types.name[t]], 256 * (FILE + t), len(code), 0)
    for t in range(count):
        if types.name[t] >= 0 and imports.tops[word[types.name[t]]] == t:
            _bind(bound, word[types.name[t]], 256 * (FILE + t), len(code), 0)
    # The classes around, and the depth of the nearest that inherits within this file.
    inside, heirs = np.empty(count + 1, np.int32), np.zeros(count + 1, np.int32)
    levels, fresh = 0, 0
    for i in events:
        while bound.count[0] > 0 and bound.stop[bound.count[0] - 1] <= i:
            bound.count[0] -= 1
            bound.scope[bound.word[bound.count[0]]] = bound.hides[bound.count[0]]
        while levels > 0 and stop[types.node[inside[levels - 1]]] <= i:
            levels -= 1
        if fresh < count and types.node[fresh] == i:
            if types.start[fresh] == i and types.name[fresh] >= 0:  # local
                name = types.name[fresh]
                _bind(bound, word[name], 256 * (FILE + fresh), types.end[fresh], levels)
            inside[levels] = fresh
            levels += 1
            inherits = offsets[fresh] < offsets[fresh + 1]
            heirs[levels] = levels if inherits else heirs[levels - 1]
            fresh += 1
        if code[i] == TYPE_PARAMETERS:
            _bind_variables(tree, bound, i, 256 * (FILE + count + words + EXTRA), levels)
        elif levels > 0 and i == types.begin[inside[levels - 1]]:
            kid = kids[inside[levels - 1]]
            while kid >= 0:
                if types.name[kid] >= 0:
                    name = types.name[kid]
                    _bind(bound, word[name], 256 * (FILE + kid), types.end[kid], levels)
                kid = sister[kid]
        if code[i] != TYPE_IDENTIFIER and (code[i] != IDENTIFIER or not _may_be_type(tree, i)):
            continue
        b = bound.scope[word[i]]
        level = bound.level[b] if b >= 0 else 0
        # Inherited types hide the types around the class, except in the class's header.
        steps, heir = 0, heirs[levels]
        while value[i] == 0 and heir > level and steps < DEEPEST:
            t = inside[heir - 1]
            if types.begin[t] <= i:
                steps += 1
                m = _inherited(members, words, offsets, ancestors, t, TYPES, word[i])
                if m >= 0:
                    value[i] = 256 * (FILE + type_of[members.name[m]])
            heir = heirs[heir - 1]
        if value[i] == 0 and b >= 0:
            value[i] = bound.value[b]
        if value[i] == 0 and code[i] == TYPE_IDENTIFIER:
            value[i] = 256 * (FILE + count + word[i])
    _composed(
        tree, types, members, type_of, offsets, ancestors, value, words, imports.tops, package
    )


@kernel
def _composed(
    tree: Tree,
    types: Types,
    members: Members,
    type_of: Any,
    offsets: Any,
    ancestors: Any,
    value: Any,
    words: int,
    tops: Any,
    package: Any,
) -> None:
    """Set the values of types written with several nodes, from the inside out."""
    code, _, stop, word = tree
    count = len(types.node)
    pairs, earlier = np.full(words, -1, np.int32), np.empty(len(code), np.int32)
    for i in range(len(code) - 1, -1, -1):
        kind = code[i]
        if kind > PRIMITIVE:
            value[i] = 256 * (kind - PRIMITIVE)
        elif kind in (GENERIC, NUMERIC):
            if i + 1 < stop[i]:
                value[i] = value[i + 1]
        elif kind == CATCH_TYPE:
            # The type of a multi-catch parameter is what its alternatives have in common.
            if i + 1 < stop[i] and stop[i + 1] == stop[i]:
                value[i] = value[i + 1]
        elif kind in (SCOPED, ANNOTATED):
            last = i + 1
            while stop[last] < stop[i]:
                last = stop[last]
            if kind == SCOPED and last > i + 1 and code[last] == TYPE_IDENTIFIER:
                t = value[i + 1] // 256 - FILE
                value[last] = 256 * (FILE + count + word[last])
                if t >= count and tops[word[last]] >= 0 and _is_package(tree, i + 1, package):
                    value[last] = 256 * (FILE + tops[word[last]])
                elif 0 <= t < count:
                    m = _find(members, words, t, TYPES, word[last])
                    if m < 0:
                        m = _inherited(members, words, offsets, ancestors, t, TYPES, word[last])
                    if m >= 0:
                        value[last] = 256 * (FILE + type_of[members.name[m]])
            value[i] = value[last] if last < stop[i] else 0
            if kind == SCOPED and value[i] >= 256 * (FILE + count):
                # A.Level is not B.Level: the first occurrence of a pair stands for all.
                w, steps = word[last], 0
                other = pairs[w]
                while other >= 0 and value[other + 1] != value[i + 1] and steps < MOST:
                    other = earlier[other]
                    steps += 1
                if other < 0 or steps == MOST:
                    other = i
                    earlier[i], pairs[w] = pairs[w], i
                value[i] = 256 * (FILE + count + words + EXTRA + len(code) + other)
        elif kind == ARRAY and i + 1 < stop[i]:
            value[i] = value[i + 1] + _brackets(tree, i)


@kernel
def _brackets(tree: Tree, node: int) -> int:
    """Return the number of bracket pairs directly below a node."""
    found, at = 0, node + 1
    while at < tree.stop[node]:
        if tree.code[at] == DIMENSIONS:
            inner = at + 1
            while inner < tree.stop[at]:
                found += tree.code[inner] == BRACKET
                inner = tree.stop[inner]
        at = tree.stop[at]
    return found


@kernel
def _declared(tree: Tree, value: Any, name: int) -> int:
    """Return the type that a declaration writes before a name, with the brackets after it."""
    node = tree.parent[name]
    if tree.code[node] == DECLARATOR:
        node = tree.parent[node]
    code, stop = tree.code, tree.stop
    found, at = 0, node + 1
    while at < stop[node] and at < name:
        if value[at] != 0:
            found = value[at]
            if code[node] != INSTANCEOF:  # there an expression precedes the type
                break
        at = stop[at]
    if found == 0:
        return 0
    return int(found + _brackets(tree, tree.parent[name]) + (code[node] == SPREAD))


@kernel
def _name_of(tree: Tree, node: int) -> int:
    """Return the name that a declaration declares: an identifier below it or its declarator."""
    at = node + 1
    while at < tree.stop[node]:
        if tree.code[at] == IDENTIFIER:
            return at
        if tree.code[at] == DECLARATOR:
            return at + 1
        at = tree.stop[at]
    return -1


@kernel
def literal_types(code: Any, end: Any, text: Any, known: Any, nodes: Any, value: Any) -> None:
    """Set the types of literals; ``known`` begins with var, String and Class."""
    for i in nodes:
        kind, last = code[i], text[end[i] - 1] | 32
        if kind == INTEGER:
            value[i] = 256 * (6 if last == 108 else 5)  # 1L
        elif kind == FLOATING:
            value[i] = 256 * (7 if last == 102 else 8)  # 1F
        else:
            value[i] = 256 * known[1 if kind == STRING else 2]


@kernel
def declared_types(tree: Tree, members: Members, words: int, names: Any, value: Any) -> Signatures:
    """Set the types of variables at the names that declare them; return the methods' signatures."""
    code, parent, stop, _ = tree
    for name in names:
        value[name] = _declared(tree, value, name)
    count = len(members.key)
    offsets = np.zeros(count + 1, np.int32)
    parameters = [np.int64(0) for _ in range(0)]
    varargs, returns = np.zeros(count, np.bool_), np.zeros(count, np.int64)
    for m in range(count):
        name = members.name[m]
        if name < 0:  # values() and valueOf(String) of an enum
            every = members.flags[m] & IS_VALUES
            returns[m] = 256 * (FILE + members.key[m] // words // 3) + (1 if every else 0)
            if not every:
                parameters.append(np.int64(0))
            offsets[m + 1] = len(parameters)
            continue
        node = parent[name]
        space = members.key[m] // words % 3
        if members.flags[m] & IS_CONSTANT:
            value[name] = 256 * (FILE + members.key[m] // words // 3)
        elif members.flags[m] & IS_ACCESSOR:
            returns[m] = value[name]
        elif space == METHODS:
            returns[m] = _declared(tree, value, name)
            at = name
            while at < stop[node] and code[at] != PARAMETERS:
                at = stop[at]
            inner = at + 1
            while at < stop[node] and inner < stop[at]:
                if code[inner] == PARAMETER or code[inner] == SPREAD:
                    varargs[m] = code[inner] == SPREAD
                    one = _name_of(tree, inner)
                    parameters.append(np.int64(value[one] if one >= 0 else 0))
                inner = stop[inner]
        offsets[m + 1] = len(parameters)
    for m in range(count):
        # An explicitly declared accessor replaces the implicit one.
        other = m + 1
        made = members.flags[m] & IS_ACCESSOR
        while made and other < count and members.key[other] == members.key[m]:
            if offsets[other + 1] == offsets[other]:
                members.name[m], returns[m] = members.name[other], returns[other]
            other += 1
    return Signatures(offsets, np.array(parameters, np.int64), varargs, returns)
