"""Kernels that resolve simple names to variables and labels (JLS 6.3, 6.4).

One walk in source order. An array maps each word to its current binding; entering a scope adds
bindings, leaving it restores the hidden ones. The fields of a class are added where its body
begins, so they are in scope before their declaration. Fields that a class inherits within the
file hide the variables around the class.

A class whose superclass is declared elsewhere may inherit a variable that this file does not
show. A name that resolves within this file keeps that meaning all the same; code that transforms
programs must check whether such a class stands between a name and its declaration.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from codeacumen.languages.java.bindings.hierarchy import Members
from codeacumen.languages.java.bindings.types import Imports
from codeacumen.languages.kernel import kernel

(
    OTHER,
    TYPE,
    RECORD,
    FIELD_ACCESS,
    PARENTHESES,
    ASSIGNMENT,
    ASSIGN,
    UPDATE,
    FIELD,
    LOCAL,
    SPREAD,
    LAMBDA,
    COMPACT,
    FOREACH,
    GROUP,
    COMMENT,
    IDENTIFIER,
    BODY,
) = range(18)
CODES = {
    "class_declaration": TYPE, "interface_declaration": TYPE, "enum_declaration": TYPE,
    "annotation_type_declaration": TYPE, "record_declaration": RECORD,
    "field_access": FIELD_ACCESS, "parenthesized_expression": PARENTHESES,
    "assignment_expression": ASSIGNMENT, "=": ASSIGN, "update_expression": UPDATE,
    "field_declaration": FIELD, "constant_declaration": FIELD,
    "local_variable_declaration": LOCAL, "spread_parameter": SPREAD, "lambda_expression": LAMBDA,
    "compact_constructor_declaration": COMPACT, "enhanced_for_statement": FOREACH,
    "switch_block_statement_group": GROUP, "line_comment": COMMENT, "block_comment": COMMENT,
    "identifier": IDENTIFIER, "type_identifier": IDENTIFIER, "class_body": BODY,
    "interface_body": BODY, "enum_body": BODY, "annotation_type_body": BODY,
    "formal_parameters": BODY,
}  # fmt: skip
# Codes at which the walk stops: the beginnings of scopes, and names.
EVENTS = (TYPE, RECORD, BODY, COMPACT, IDENTIFIER)

# Syntactic use of a name, determined by its parent and its field there.
(
    EXPRESSION,
    VARIABLE,
    PARAMETER,
    LAMBDA_PARAMETER,
    CATCH,
    LOOP,
    RESOURCE,
    PATTERN,
    TYPE_NAME,
    METHOD_NAME,
    ELEMENT_NAME,
    CONSTANT_NAME,
    LABEL_NAME,
    LABEL,
    QUALIFIER,
    SELECTED,
    CALLED,
    REFERRED,
    ELEMENT,
    DOTTED,
    CASE,
    TYPE_USE,
    TYPE_VARIABLE,
    OTHER_NAME,
) = range(24)
USES = {
    ("variable_declarator", "name"): VARIABLE, ("formal_parameter", "name"): PARAMETER,
    ("lambda_expression", "parameters"): LAMBDA_PARAMETER,
    ("inferred_parameters", ""): LAMBDA_PARAMETER, ("catch_formal_parameter", "name"): CATCH,
    ("enhanced_for_statement", "name"): LOOP, ("resource", "name"): RESOURCE,
    ("instanceof_expression", "name"): PATTERN, ("type_pattern", ""): PATTERN,
    ("record_pattern_component", ""): PATTERN, ("class_declaration", "name"): TYPE_NAME,
    ("interface_declaration", "name"): TYPE_NAME, ("enum_declaration", "name"): TYPE_NAME,
    ("record_declaration", "name"): TYPE_NAME, ("annotation_type_declaration", "name"): TYPE_NAME,
    ("method_declaration", "name"): METHOD_NAME, ("constructor_declaration", "name"): METHOD_NAME,
    ("compact_constructor_declaration", "name"): METHOD_NAME,
    ("annotation_type_element_declaration", "name"): ELEMENT_NAME,
    ("enum_constant", "name"): CONSTANT_NAME, ("labeled_statement", ""): LABEL_NAME,
    ("break_statement", ""): LABEL, ("continue_statement", ""): LABEL,
    ("field_access", "object"): QUALIFIER, ("method_invocation", "object"): QUALIFIER,
    ("field_access", "field"): SELECTED, ("method_invocation", "name"): CALLED,
    ("method_reference", ""): REFERRED, ("element_value_pair", "key"): ELEMENT,
    ("scoped_identifier", "scope"): DOTTED, ("scoped_identifier", "name"): DOTTED,
    ("package_declaration", ""): DOTTED, ("import_declaration", ""): DOTTED,
    ("annotation", "name"): TYPE_USE, ("marker_annotation", "name"): TYPE_USE,
    ("record_pattern", ""): TYPE_USE, ("receiver_parameter", ""): TYPE_USE,
    ("switch_label", ""): CASE, ("module_declaration", "name"): DOTTED,
    ("requires_module_directive", "module"): DOTTED,
    ("exports_module_directive", "package"): DOTTED,
    ("exports_module_directive", "modules"): DOTTED,
    ("opens_module_directive", "package"): DOTTED, ("opens_module_directive", "modules"): DOTTED,
    ("uses_module_directive", "type"): DOTTED, ("provides_module_directive", "provided"): DOTTED,
    ("provides_module_directive", ""): DOTTED,
}  # fmt: skip

# Role of a name: index into names.ROLES. Then accesses, as in names.
(
    R_UNKNOWN,
    R_PACKAGE,
    R_TYPE,
    R_TYPE_VARIABLE,
    R_METHOD,
    R_FIELD,
    R_CONSTANT,
    R_LOCAL,
    R_PARAMETER,
    R_LAMBDA_PARAMETER,
    R_CATCH_PARAMETER,
    R_PATTERN_VARIABLE,
    R_RESOURCE,
    R_LABEL,
    R_ELEMENT,
) = range(15)
NOTHING, DECLARES, READS, WRITES, UPDATES = range(5)

IS_PRIVATE, IS_CONSTANT, IS_COMPONENT, IS_STATIC = 1, 2, 8, 16
# Limit on nested classes that inherit from each other; no real program reaches it.
DEEPEST = 16


class Tree(NamedTuple):
    code: Any
    parent: Any
    child: Any
    stop: Any
    word: Any


class Types(NamedTuple):
    """Types of the file: node, node from which the members are in scope, ancestors in this file."""

    node: Any
    begin: Any
    offsets: Any
    ancestors: Any


class Late(NamedTuple):
    """Scopes that begin after the declaration: first node, stop, and the node of the name."""

    first: Any
    last: Any
    name: Any


class Bound(NamedTuple):
    """Bindings of variables and labels during the walk.

    ``variables`` and ``labels`` map each word to its current binding (-1: none). Each binding has
    a name node, a role, the binding that it hides, the node at which it ends and the nesting depth
    of its class. ``stack`` holds the bindings in scope; ``count`` the numbers of bindings created
    and in scope.
    """

    variables: Any
    labels: Any
    name: Any
    role: Any
    hides: Any
    stop: Any
    level: Any
    stack: Any
    count: Any


class Around(NamedTuple):
    """Classes around a node, outermost first.

    ``heirs`` has, for each depth, the nearest enclosing class that inherits within the file.
    ``levels`` holds the number of classes around and the number of classes entered so far.
    """

    types: Any
    heirs: Any
    levels: Any


@kernel
def _inherited_field(members: Members, words: int, types: Types, t: int, word: int) -> int:
    """Return the nearest inherited field of a name; -1 if there is none."""
    for k in range(types.offsets[t], types.offsets[t + 1]):
        key = 3 * types.ancestors[k] * words + word
        m = np.searchsorted(members.key, key)
        if m < len(members.key) and members.key[m] == key and not members.flags[m] & IS_PRIVATE:
            return int(m)
    return -1


@kernel
def _access(tree: Tree, node: int) -> int:
    """Return how an expression that is a variable is accessed: read, written or updated."""
    code, parent, stop = tree.code, tree.parent, tree.stop
    up = parent[node]
    while code[up] == PARENTHESES:
        node, up = up, parent[up]
    if code[up] == UPDATE:
        return UPDATES
    if code[up] == ASSIGNMENT and node == up + 1:
        operator = stop[node]
        while operator < stop[up] and code[operator] == COMMENT:
            operator += 1
        return WRITES if operator < stop[up] and code[operator] == ASSIGN else UPDATES
    return READS


@kernel
def _bind(bound: Bound, word: Any, name: int, role: int, stop: int, level: int) -> None:
    """Bind a name's word to the declaration at ``name``, from here to ``stop``."""
    made, top = bound.count[0], bound.count[1]
    scope = bound.labels if role == R_LABEL else bound.variables
    bound.name[made], bound.role[made], bound.hides[made] = name, role, scope[word[name]]
    bound.stop[made], bound.level[made] = stop, level
    scope[word[name]] = made
    # A local of a switch group outlives a pattern variable of the same group.
    at = top
    while at > 0 and bound.stop[bound.stack[at - 1]] < stop:
        bound.stack[at] = bound.stack[at - 1]
        at -= 1
    bound.stack[at] = made
    bound.count[0], bound.count[1] = made + 1, top + 1


@kernel
def _leave(bound: Bound, word: Any, i: int) -> None:
    """End the scopes that stop before a node."""
    top = bound.count[1]
    while top > 0 and bound.stop[bound.stack[top - 1]] <= i:
        top -= 1
        b = bound.stack[top]
        scope = bound.labels if bound.role[b] == R_LABEL else bound.variables
        scope[word[bound.name[b]]] = bound.hides[b]
    bound.count[1] = top


@kernel
def _bind_fields(
    bound: Bound, members: Members, words: int, word: Any, t: int, stop: int, level: int, only: int
) -> None:
    """Bind the fields of a type.

    ``only`` selects a flag: the components of a record, bound as parameters, or static fields.
    """
    m = np.searchsorted(members.key, 3 * t * words)
    while m < len(members.key) and members.key[m] < (3 * t + 1) * words:
        flags = members.flags[m]
        if only == 0 or flags & only:
            role = R_CONSTANT if flags & IS_CONSTANT else R_FIELD
            if only == IS_COMPONENT:
                role = R_PARAMETER
            # In a wrong program a component may be bound many times.
            if bound.count[0] < len(bound.name) // 2:
                _bind(bound, word, members.name[m], role, stop, level)
        m += 1


@kernel
def _declares(tree: Tree, how: int, i: int) -> Any:
    """Return the role of a declaring name and the node at which its scope stops.

    The stop is 0 where the name has no such scope, or one that begins elsewhere. The role is
    R_UNKNOWN where the name declares nothing.
    """
    code, parent, stop = tree.code, tree.parent, tree.stop
    p = parent[i]
    outer = parent[p]
    if how == VARIABLE:
        block = parent[outer]
        if code[outer] == FIELD:
            return R_FIELD, 0
        if code[outer] != SPREAD:
            if block < 0:
                return R_LOCAL, stop[outer]
            return R_LOCAL, stop[parent[block] if code[block] == GROUP else block]
        how, outer = PARAMETER, block
    if how == PARAMETER:
        method = parent[outer] if outer >= 0 else -1
        if method < 0:
            return R_UNKNOWN, 0
        if code[method] == RECORD:
            return R_FIELD, 0
        return (R_LAMBDA_PARAMETER if code[method] == LAMBDA else R_PARAMETER), stop[method]
    if how == LAMBDA_PARAMETER:
        return R_LAMBDA_PARAMETER, stop[p if code[p] == LAMBDA else outer]
    if how == CATCH:
        return R_CATCH_PARAMETER, stop[outer]
    if how == RESOURCE:
        # In scope in the following resources and the block, not in catch and finally.
        block = stop[outer]
        while block < len(code) - 1 and code[block] == COMMENT:
            block += 1
        return R_RESOURCE, stop[min(block, len(code) - 1)]
    if how == LABEL_NAME:
        return R_LABEL, stop[p]
    if how in (LOOP, PATTERN):
        return (R_LOCAL if how == LOOP else R_PATTERN_VARIABLE), 0
    if how == TYPE_NAME:
        return R_TYPE, 0
    if how == METHOD_NAME:
        return R_METHOD, 0
    if how == ELEMENT_NAME:
        return R_ELEMENT, 0
    if how == CONSTANT_NAME:
        return R_CONSTANT, 0
    return (R_TYPE_VARIABLE if how == TYPE_VARIABLE else R_UNKNOWN), 0


@kernel
def _meant(
    tree: Tree, types: Types, members: Members, words: int, bound: Bound, around: Around, i: int
) -> Any:
    """Return role and declaration of the variable of a name; R_UNKNOWN if this file has none."""
    w = tree.word[i]
    b = bound.variables[w]
    level = bound.level[b] if b >= 0 else 0
    # Inherited fields hide the variables around the class, except in the class's header.
    steps, heir = 0, around.heirs[around.levels[0]]
    while heir > level and steps < DEEPEST:
        t = around.types[heir - 1]
        if types.begin[t] <= i:
            steps += 1
            m = _inherited_field(members, words, types, t, w)
            if m >= 0:
                role = R_CONSTANT if members.flags[m] & IS_CONSTANT else R_FIELD
                return role, members.name[m]
        heir = around.heirs[heir - 1]
    if b < 0:
        return R_UNKNOWN, -1
    return int(bound.role[b]), bound.name[b]


@kernel
def _enter(types: Types, around: Around, stop: Any, i: int) -> int:
    """Update the classes around a node.

    Returns the class whose members are in scope from this node on, or -1.
    """
    levels, fresh = around.levels[0], around.levels[1]
    while levels > 0 and stop[types.node[around.types[levels - 1]]] <= i:
        levels -= 1
    if fresh < len(types.node) and types.node[fresh] == i:
        around.types[levels] = fresh
        levels += 1
        inherits = types.offsets[fresh] < types.offsets[fresh + 1]
        around.heirs[levels] = levels if inherits else around.heirs[levels - 1]
        around.levels[1] = fresh + 1
    around.levels[0] = levels
    if levels > 0 and types.begin[around.types[levels - 1]] == i:
        return int(around.types[levels - 1])
    return -1


@kernel
def simple_names(
    tree: Tree,
    types: Types,
    members: Members,
    imports: Imports,
    late: Late,
    events: Any,
    idents: Any,
    use: Any,
    words: int,
) -> Any:
    """Return role, declaration and access of all names, as far as simple names determine them.

    Complete for names that declare something or stand alone, and for variables before a dot; a
    name after a dot gets its access only.
    """
    code, parent, child, stop, word = tree
    count, total = len(idents), len(types.node)
    role, access = np.zeros(count, np.uint8), np.zeros(count, np.uint8)
    declaration = np.full(count, -1, np.int32)
    room = 2 * (2 * count + len(late.first) + 1)
    bound = Bound(
        np.full(words, -1, np.int32),
        np.full(words, -1, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.uint8),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.zeros(2, np.int32),
    )
    around = Around(
        np.empty(total + 1, np.int32), np.zeros(total + 1, np.int32), np.zeros(2, np.int32)
    )
    for t in imports.all_of:
        _bind_fields(bound, members, words, word, t, len(code), 0, IS_STATIC)
    for n in range(len(imports.one_of)):
        key = 3 * imports.one_of[n] * words + word[imports.one_name[n]]
        m = np.searchsorted(members.key, key)
        if m < len(members.key) and members.key[m] == key and members.flags[m] & IS_STATIC:
            kind = R_CONSTANT if members.flags[m] & IS_CONSTANT else R_FIELD
            _bind(bound, word, members.name[m], kind, len(code), 0)
    coming, k = 0, -1
    for i in events:
        _leave(bound, word, i)
        entered = _enter(types, around, stop, i)
        levels = around.levels[0]
        if entered >= 0:
            _bind_fields(bound, members, words, word, entered, stop[types.node[entered]], levels, 0)
        elif code[i] == COMPACT and levels > 0:
            t = around.types[levels - 1]
            _bind_fields(bound, members, words, word, t, stop[i], levels, IS_COMPONENT)
        while coming < len(late.first) and late.first[coming] <= i:
            if late.last[coming] > i:
                name = late.name[coming]
                kind = R_LOCAL if code[parent[name]] == FOREACH else R_PATTERN_VARIABLE
                _bind(bound, word, name, kind, late.last[coming], levels)
            coming += 1
        if code[i] != IDENTIFIER:
            continue
        k += 1
        how = use[k]
        if how == LABEL_NAME and i != parent[i] + 1:
            how = EXPRESSION
        if how in (EXPRESSION, QUALIFIER, CASE) or (how == REFERRED and child[i] == 0):
            role[k], declaration[k] = _meant(tree, types, members, words, bound, around, i)
            if role[k] == R_UNKNOWN and how == EXPRESSION:
                role[k] = R_FIELD
            if role[k] != R_UNKNOWN:
                access[k] = _access(tree, i)
        elif how == SELECTED:
            access[k] = _access(tree, parent[i])
        elif how == LABEL:
            role[k] = R_LABEL
            b = bound.labels[word[i]]
            declaration[k] = bound.name[b] if b >= 0 else -1
        else:
            role[k], end = _declares(tree, how, i)
            if end > 0:
                _bind(bound, word, i, role[k], end, levels)
            if role[k] != R_UNKNOWN:
                declaration[k] = i
                if role[k] >= R_FIELD and role[k] not in (R_LABEL, R_ELEMENT):
                    access[k] = DECLARES
    return role, declaration, access


@kernel
def symbols_of(role: Any, declaration: Any, word: Any, nodes: int, words: int) -> Any:
    """Return symbol numbers, in the order of first occurrence.

    Names with the same declaration share a symbol; names declared elsewhere share one by role and
    word.
    """
    symbol = np.empty(len(role), np.int32)
    here = np.full(nodes, -1, np.int32)
    elsewhere = np.full(16 * words, -1, np.int32)
    count = 0
    for k in range(len(role)):
        if declaration[k] >= 0:
            if here[declaration[k]] < 0:
                here[declaration[k]] = count
                count += 1
            symbol[k] = here[declaration[k]]
        else:
            at = role[k] * words + word[k]
            if elsewhere[at] < 0:
                elsewhere[at] = count
                count += 1
            symbol[k] = elsewhere[at]
    return symbol
