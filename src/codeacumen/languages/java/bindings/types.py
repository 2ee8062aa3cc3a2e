"""Kernels that resolve type names (JLS 6.3, 6.4.1, 8.5) and the types in declarations.

A type's value is ``256 * base + dimensions``. Bases: 0 is unknown; 1 to 10 are boolean, byte,
short, char, int, long, float, double, void and null. From FILE = 16 follow the types of this file,
then the words of this file as types declared elsewhere, then EXTRA = 32 numbers for known types
such as String that this file does not mention, then type variables by the node of their
declaration, then qualified names of types declared elsewhere by the node of one occurrence.
``bindings/__init__.py`` defines the short names. Called by ``bindings.names``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from codeacumen.languages.java.bindings.hierarchy import FileTypes, Members, TypeTree
from codeacumen.languages.kernel import kernel

# Codes of nodes. The code of a primitive type is PRIMITIVE plus its base. AMBIGUOUS are nodes whose
# first child may name a type, ANNOTATION are nodes whose identifiers name types.
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
# MOST_PAIRS limits the search among qualified names that end in the same word.
FILE, EXTRA, MOST_PAIRS, DEEPEST_NESTING = 16, 32, 64, 16


class Imports(NamedTuple):
    """Imports of a file's own types and members.

    ``tops`` maps each word to the top-level type of that name (-1: none). ``by_name`` lists the
    types imported, by name or on demand, ``all_of`` the types whose members are imported on demand.
    ``one_of`` and ``one_name`` are the owners and name nodes of single static imports.
    """

    tops: Any
    by_name: Any
    all_of: Any
    one_of: Any
    one_name: Any


class Signatures(NamedTuple):
    """Signatures of the members that are methods, by member; other members have no parameters.

    The types of the parameters are ``parameters[offsets[m]:offsets[m + 1]]``. ``varargs`` is true
    for methods of variable arity; ``returns`` holds the return types.
    """

    offsets: Any
    parameters: Any
    varargs: Any
    returns: Any


class TypeBindings(NamedTuple):
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


# Same as in bindings/hierarchy.py: numba caches by file, so a kernel cannot call one of another
# file; see languages/kernel.py.
@kernel
def _find_member(members: Members, words: int, t: int, namespace: int, word: int) -> int:
    """Return the first member of a name declared in the type itself; -1 if there is none."""
    key = (3 * t + namespace) * words + word
    m = np.searchsorted(members.key, key)
    return int(m) if m < len(members.key) and members.key[m] == key else -1


# Same as in bindings/hierarchy.py: numba caches by file, so a kernel cannot call one of another
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
def resolve_own_imports(
    tree: TypeTree,
    types: FileTypes,
    members: Members,
    type_of: Any,
    nodes: Any,
    package: Any,
    words: int,
    value: Any,
) -> Imports:
    """Return what a file imports from itself; set the values of type names in these imports.

    ``nodes`` are the import declarations, ``package`` holds the words of the file's package.
    """
    code, _, stop, word = tree
    tops = np.full(words, -1, np.int32)
    for t in range(len(types.node) - 1, -1, -1):
        if types.owner[t] < 0 and types.name[t] >= 0:
            tops[word[types.name[t]]] = t
    # Empty lists whose element type numba can infer.
    by_name, all_of = [np.int32(0) for _ in range(0)], [np.int32(0) for _ in range(0)]
    one_of, one_name = [np.int32(0) for _ in range(0)], [np.int32(0) for _ in range(0)]
    for node in nodes:
        # The type and the member named so far; the number of names read, the package's first.
        t, member_name, name_count, on_demand = -1, -1, 0, False
        for child in range(node + 1, stop[node]):
            on_demand = on_demand or code[child] == ASTERISK
            if code[child] != IDENTIFIER:
                continue
            if name_count < len(package):
                if word[child] != package[name_count]:
                    break
            elif name_count == len(package):
                t = tops[word[child]]
            elif t >= 0 and member_name < 0:
                m = _find_member(members, words, t, TYPES, word[child])
                if m < 0:
                    member_name = child
                else:
                    t = type_of[members.name[m]]
            if t >= 0 and member_name < 0:
                value[child] = 256 * (FILE + t)
            name_count += 1
        if t >= 0 and member_name >= 0:
            one_of.append(np.int32(t))
            one_name.append(np.int32(member_name))
        elif t >= 0 and on_demand:
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
def _is_package(tree: TypeTree, node: int, package: Any) -> bool:
    """Return whether the names below a node are the words of the file's package."""
    matched = 0
    for at in range(node, tree.stop[node]):
        if tree.code[at] == IDENTIFIER or tree.code[at] == TYPE_IDENTIFIER:
            if matched == len(package) or tree.word[at] != package[matched]:
                return False
            matched += 1
    return matched == len(package)


@kernel
def _may_be_type(tree: TypeTree, i: int) -> bool:
    """Return whether a name may be that of a type in scope.

    It may not be after a dot, and imports are not looked up in scopes.
    """
    outer = tree.parent[i]
    if tree.code[outer] == DOTTED:
        while tree.code[outer] == DOTTED and i == outer + 1:
            i, outer = outer, tree.parent[outer]
        return bool(tree.code[outer] == ANNOTATION)
    return bool(
        tree.code[outer] == ANNOTATION or (tree.code[outer] == AMBIGUOUS and i == outer + 1)
    )


@kernel
def _bind_type(bound: TypeBindings, word: int, value: int, stop: int, level: int) -> None:
    """Bind a word to the type in ``value``, from here to ``stop``.

    ``level`` is the nesting depth of the class around the binding.
    """
    stack_top = bound.count[0]
    bound.value[stack_top], bound.word[stack_top], bound.hides[stack_top] = (
        value,
        word,
        bound.scope[word],
    )
    bound.stop[stack_top], bound.level[stack_top] = stop, level
    bound.scope[word] = stack_top
    bound.count[0] = stack_top + 1


@kernel
def _bind_type_parameters(
    tree: TypeTree, bound: TypeBindings, group: int, first_value: int, level: int
) -> None:
    """Bind the type parameters in ``group`` up to the end of their class or method.

    ``first_value`` is the value of a type variable declared at node 0, to which 256 times the
    declaration's node is added.
    """
    code, parent, stop, word = tree
    child = group + 1
    while child < stop[group]:
        if code[child] == TYPE_PARAMETER:
            name = child + 1
            while name < stop[child] and code[name] != TYPE_IDENTIFIER:
                name = stop[name]
            if name < stop[child]:
                _bind_type(bound, word[name], first_value + 256 * name, stop[parent[group]], level)
        child = stop[child]


@kernel
def resolve_type_names(
    tree: TypeTree,
    types: FileTypes,
    members: Members,
    type_of: Any,
    offsets: Any,
    ancestors: Any,
    events: Any,
    words: int,
    capacity: int,
    imports: Imports,
    value: Any,
    package: Any,
) -> None:
    """Set the value of every node that is a type and of every name that may be one.

    The value is 0 for names that are no type. ``events`` are the nodes at which the walk stops;
    ``capacity`` is the most bindings that can be in scope at once.
    """
    code, _, stop, word = tree
    count = len(types.node)
    bound = TypeBindings(
        np.full(words, -1, np.int32),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int32),
        np.empty(capacity, np.int32),
        np.empty(capacity, np.int32),
        np.empty(capacity, np.int32),
        np.zeros(1, np.int32),
    )
    # The member types of each type as a linked list, the first in the source at its head.
    first_member_type, next_member_type = np.full(count, -1, np.int32), np.full(count, -1, np.int32)
    for t in range(count - 1, -1, -1):
        if types.member[t]:
            next_member_type[t], first_member_type[types.owner[t]] = (
                first_member_type[types.owner[t]],
                t,
            )
    for t in imports.by_name:
        _bind_type(bound, word[types.name[t]], 256 * (FILE + t), len(code), 0)
    for t in range(count):
        if types.name[t] >= 0 and imports.tops[word[types.name[t]]] == t:
            _bind_type(bound, word[types.name[t]], 256 * (FILE + t), len(code), 0)
    # The classes around, outermost first; and for each depth, the depth of the nearest class that
    # inherits within this file (0: none).
    enclosing, heirs = np.empty(count + 1, np.int32), np.zeros(count + 1, np.int32)
    depth, next_type = 0, 0
    for i in events:
        while bound.count[0] > 0 and bound.stop[bound.count[0] - 1] <= i:
            bound.count[0] -= 1
            bound.scope[bound.word[bound.count[0]]] = bound.hides[bound.count[0]]
        while depth > 0 and stop[types.node[enclosing[depth - 1]]] <= i:
            depth -= 1
        if next_type < count and types.node[next_type] == i:
            if types.start[next_type] == i and types.name[next_type] >= 0:  # local
                name = types.name[next_type]
                _bind_type(bound, word[name], 256 * (FILE + next_type), types.end[next_type], depth)
            enclosing[depth] = next_type
            depth += 1
            inherits = offsets[next_type] < offsets[next_type + 1]
            heirs[depth] = depth if inherits else heirs[depth - 1]
            next_type += 1
        if code[i] == TYPE_PARAMETERS:
            _bind_type_parameters(tree, bound, i, 256 * (FILE + count + words + EXTRA), depth)
        elif depth > 0 and i == types.begin[enclosing[depth - 1]]:
            member_type = first_member_type[enclosing[depth - 1]]
            while member_type >= 0:
                if types.name[member_type] >= 0:
                    name = types.name[member_type]
                    _bind_type(
                        bound, word[name], 256 * (FILE + member_type), types.end[member_type], depth
                    )
                member_type = next_member_type[member_type]
        if code[i] != TYPE_IDENTIFIER and (code[i] != IDENTIFIER or not _may_be_type(tree, i)):
            continue
        binding = bound.scope[word[i]]
        level = bound.level[binding] if binding >= 0 else 0
        # Inherited types hide the types around the class, except in the class's header.
        steps, heir = 0, heirs[depth]
        while value[i] == 0 and heir > level and steps < DEEPEST_NESTING:
            t = enclosing[heir - 1]
            if types.begin[t] <= i:
                steps += 1
                m = _find_inherited(members, words, offsets, ancestors, t, TYPES, word[i])
                if m >= 0:
                    value[i] = 256 * (FILE + type_of[members.name[m]])
            heir = heirs[heir - 1]
        if value[i] == 0 and binding >= 0:
            value[i] = bound.value[binding]
        if value[i] == 0 and code[i] == TYPE_IDENTIFIER:
            value[i] = 256 * (FILE + count + word[i])
    _set_composed_types(
        tree, types, members, type_of, offsets, ancestors, value, words, imports.tops, package
    )


@kernel
def _set_composed_types(
    tree: TypeTree,
    types: FileTypes,
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
    # Qualified names of types declared elsewhere, as a linked list for each last word.
    latest_pair, earlier = np.full(words, -1, np.int32), np.empty(len(code), np.int32)
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
            last_child = i + 1
            while stop[last_child] < stop[i]:
                last_child = stop[last_child]
            if kind == SCOPED and last_child > i + 1 and code[last_child] == TYPE_IDENTIFIER:
                # The type before the dot; ``count`` or more if it is declared elsewhere, as the
                # words of a package seem to be.
                t = value[i + 1] // 256 - FILE
                value[last_child] = 256 * (FILE + count + word[last_child])
                if t >= count and tops[word[last_child]] >= 0 and _is_package(tree, i + 1, package):
                    value[last_child] = 256 * (FILE + tops[word[last_child]])
                elif 0 <= t < count:
                    m = _find_member(members, words, t, TYPES, word[last_child])
                    if m < 0:
                        m = _find_inherited(
                            members, words, offsets, ancestors, t, TYPES, word[last_child]
                        )
                    if m >= 0:
                        value[last_child] = 256 * (FILE + type_of[members.name[m]])
            value[i] = value[last_child] if last_child < stop[i] else 0
            if kind == SCOPED and value[i] >= 256 * (FILE + count):
                # A.Level is not B.Level: the first occurrence of a pair stands for all.
                w, steps = word[last_child], 0
                pair = latest_pair[w]
                while pair >= 0 and value[pair + 1] != value[i + 1] and steps < MOST_PAIRS:
                    pair = earlier[pair]
                    steps += 1
                if pair < 0 or steps == MOST_PAIRS:
                    pair = i
                    earlier[i], latest_pair[w] = latest_pair[w], i
                value[i] = 256 * (FILE + count + words + EXTRA + len(code) + pair)
        elif kind == ARRAY and i + 1 < stop[i]:
            value[i] = value[i + 1] + _count_brackets(tree, i)


@kernel
def _count_brackets(tree: TypeTree, node: int) -> int:
    """Return the number of bracket pairs directly below a node."""
    count, child = 0, node + 1
    while child < tree.stop[node]:
        if tree.code[child] == DIMENSIONS:
            bracket = child + 1
            while bracket < tree.stop[child]:
                count += tree.code[bracket] == BRACKET
                bracket = tree.stop[bracket]
        child = tree.stop[child]
    return count


@kernel
def _declared_type(tree: TypeTree, value: Any, name: int) -> int:
    """Return the type that a declaration writes before a name, with the brackets after it.

    0 if no type is written, as for a constructor.
    """
    node = tree.parent[name]
    if tree.code[node] == DECLARATOR:
        node = tree.parent[node]
    code, stop = tree.code, tree.stop
    declared, child = 0, node + 1
    while child < stop[node] and child < name:
        if value[child] != 0:
            declared = value[child]
            if code[node] != INSTANCEOF:  # there an expression precedes the type
                break
        child = stop[child]
    if declared == 0:
        return 0
    # The type of T... x is T[].
    return int(declared + _count_brackets(tree, tree.parent[name]) + (code[node] == SPREAD))


@kernel
def _name_of(tree: TypeTree, node: int) -> int:
    """Return the name that a declaration declares; -1 if there is none.

    It is an identifier below the declaration or below its declarator.
    """
    child = node + 1
    while child < tree.stop[node]:
        if tree.code[child] == IDENTIFIER:
            return child
        if tree.code[child] == DECLARATOR:
            return child + 1
        child = tree.stop[child]
    return -1


@kernel
def set_literal_types(
    code: Any, end: Any, text: Any, known_types: Any, nodes: Any, value: Any
) -> None:
    """Set the types of the literals in ``nodes``.

    ``end`` has the byte at which each node ends, ``text`` the bytes of the source. ``known_types``
    holds bases of types and begins with var, String and Class.
    """
    for i in nodes:
        kind, suffix = code[i], text[end[i] - 1] | 32  # the last letter in lower case
        if kind == INTEGER:
            value[i] = 256 * (6 if suffix == 108 else 5)  # 1L is a long, 1 an int
        elif kind == FLOATING:
            value[i] = 256 * (7 if suffix == 102 else 8)  # 1F is a float, 1.0 a double
        else:
            value[i] = 256 * known_types[1 if kind == STRING else 2]


@kernel
def set_declared_types(
    tree: TypeTree, members: Members, words: int, names: Any, value: Any
) -> Signatures:
    """Set the types of variables at the names that declare them; return the methods' signatures.

    ``names`` are the name nodes of the declarations of variables.
    """
    code, parent, stop, _ = tree
    for name in names:
        value[name] = _declared_type(tree, value, name)
    count = len(members.key)
    offsets = np.zeros(count + 1, np.int32)
    parameters = [np.int64(0) for _ in range(0)]
    varargs, returns = np.zeros(count, np.bool_), np.zeros(count, np.int64)
    # A member's key // words // 3 is its type, key // words % 3 its namespace.
    for m in range(count):
        name = members.name[m]
        if name < 0:  # values() and valueOf(String) of an enum
            is_values = members.flags[m] & IS_VALUES
            returns[m] = 256 * (FILE + members.key[m] // words // 3) + (1 if is_values else 0)
            if not is_values:  # the type of valueOf's parameter stays unknown
                parameters.append(np.int64(0))
            offsets[m + 1] = len(parameters)
            continue
        node = parent[name]
        namespace = members.key[m] // words % 3
        if members.flags[m] & IS_CONSTANT:
            value[name] = 256 * (FILE + members.key[m] // words // 3)
        elif members.flags[m] & IS_ACCESSOR:
            returns[m] = value[name]
        elif namespace == METHODS:
            returns[m] = _declared_type(tree, value, name)
            child = name
            while child < stop[node] and code[child] != PARAMETERS:
                child = stop[child]
            parameter = child + 1
            while child < stop[node] and parameter < stop[child]:
                if code[parameter] == PARAMETER or code[parameter] == SPREAD:
                    varargs[m] = code[parameter] == SPREAD
                    parameter_name = _name_of(tree, parameter)
                    parameters.append(np.int64(value[parameter_name] if parameter_name >= 0 else 0))
                parameter = stop[parameter]
        offsets[m + 1] = len(parameters)
    for m in range(count):
        # An explicitly declared accessor replaces the implicit one.
        explicit = m + 1
        is_accessor = members.flags[m] & IS_ACCESSOR
        while is_accessor and explicit < count and members.key[explicit] == members.key[m]:
            if offsets[explicit + 1] == offsets[explicit]:
                members.name[m], returns[m] = members.name[explicit], returns[explicit]
            explicit += 1
    return Signatures(offsets, np.array(parameters, np.int64), varargs, returns)
