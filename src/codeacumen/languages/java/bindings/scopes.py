"""Kernels that resolve simple names to variables and labels (JLS 6.3, 6.4).

One walk in source order. An array maps each word to its current binding; entering a scope adds
bindings, leaving it restores the hidden ones. The fields of a class are added where its body
begins, so they are in scope before their declaration. Fields that a class inherits within the
file hide the variables around the class.

A class whose superclass is declared elsewhere may inherit a variable that this file does not
show. A name that resolves within this file keeps that meaning all the same; code that transforms
programs must check whether such a class stands between a name and its declaration.

``bindings/__init__.py`` defines the short names. Called by ``bindings.names``.
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

# Syntactic use of a name, determined by its parent and its field there. EXPRESSION is a name that
# stands alone, QUALIFIER stands before a dot and SELECTED after one; CALLED is the method of a
# call, REFERRED a part of a method reference, ELEMENT a key in an annotation, DOTTED a part of the
# name of a package, module, import or annotation, CASE a name after ``case``.
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

# Role of a name: index into names.ROLES. Then accesses to a variable, as in names.Bindings.
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
DEEPEST_NESTING = 16


class ScopeTree(NamedTuple):
    """Columns of a syntax that these kernels read; ``child`` numbers a node among its siblings."""

    code: Any
    parent: Any
    child: Any
    stop: Any
    word: Any


class ScopeTypes(NamedTuple):
    """Types of the file: node, node from which the members are in scope, ancestors in this file.

    ``node`` and ``begin`` have one value per type.
    """

    node: Any
    begin: Any
    offsets: Any
    ancestors: Any


class LateScopes(NamedTuple):
    """Scopes that begin after the declaration, sorted by first node.

    ``last`` is the first node after the scope, ``name`` the node of the variable's name.
    """

    first: Any
    last: Any
    name: Any


class VariableBindings(NamedTuple):
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


class EnclosingTypes(NamedTuple):
    """Classes around a node, outermost first.

    ``heirs`` has, for each depth, the depth of the nearest class that inherits within the file (0:
    none). ``counts`` holds the number of classes around and the number of classes entered so far.
    """

    types: Any
    heirs: Any
    counts: Any


@kernel
def _inherited_field(members: Members, words: int, types: ScopeTypes, t: int, word: int) -> int:
    """Return the nearest inherited field of a name; -1 if there is none."""
    for k in range(types.offsets[t], types.offsets[t + 1]):
        # The key of the namespace of fields, 0 (hierarchy.Members).
        key = 3 * types.ancestors[k] * words + word
        m = np.searchsorted(members.key, key)
        if m < len(members.key) and members.key[m] == key and not members.flags[m] & IS_PRIVATE:
            return int(m)
    return -1


@kernel
def _access_of(tree: ScopeTree, node: int) -> int:
    """Return how an expression that is a variable is accessed: read, written or updated."""
    code, parent, stop = tree.code, tree.parent, tree.stop
    outer = parent[node]
    while code[outer] == PARENTHESES:
        node, outer = outer, parent[outer]
    if code[outer] == UPDATE:
        return UPDATES
    if code[outer] == ASSIGNMENT and node == outer + 1:
        operator = stop[node]
        while operator < stop[outer] and code[operator] == COMMENT:
            operator += 1
        return WRITES if operator < stop[outer] and code[operator] == ASSIGN else UPDATES
    return READS


@kernel
def _bind_name(
    bound: VariableBindings, word: Any, name: int, role: int, stop: int, level: int
) -> None:
    """Bind a name's word to the declaration at node ``name``, from here to ``stop``.

    ``word`` has the word of each node; ``level`` is the nesting depth of the class around.
    """
    binding, stack_top = bound.count[0], bound.count[1]
    scope = bound.labels if role == R_LABEL else bound.variables
    bound.name[binding], bound.role[binding], bound.hides[binding] = name, role, scope[word[name]]
    bound.stop[binding], bound.level[binding] = stop, level
    scope[word[name]] = binding
    # The scope that ends first is at the top of the stack. Scopes may end in another order than
    # they begin: a local of a switch group outlives a pattern variable of the same group.
    slot = stack_top
    while slot > 0 and bound.stop[bound.stack[slot - 1]] < stop:
        bound.stack[slot] = bound.stack[slot - 1]
        slot -= 1
    bound.stack[slot] = binding
    bound.count[0], bound.count[1] = binding + 1, stack_top + 1


@kernel
def _end_scopes(bound: VariableBindings, word: Any, i: int) -> None:
    """End the scopes that stop at node ``i`` or before it, and restore the bindings they hid."""
    stack_top = bound.count[1]
    while stack_top > 0 and bound.stop[bound.stack[stack_top - 1]] <= i:
        stack_top -= 1
        binding = bound.stack[stack_top]
        scope = bound.labels if bound.role[binding] == R_LABEL else bound.variables
        scope[word[bound.name[binding]]] = bound.hides[binding]
    bound.count[1] = stack_top


@kernel
def _bind_fields(
    bound: VariableBindings,
    members: Members,
    words: int,
    word: Any,
    t: int,
    stop: int,
    level: int,
    only_flag: int,
) -> None:
    """Bind the fields of type ``t`` from here to ``stop``.

    ``only_flag`` selects fields: all (0), static ones (IS_STATIC), or the components of a record
    (IS_COMPONENT), which are bound as parameters.
    """
    m = np.searchsorted(members.key, 3 * t * words)
    while m < len(members.key) and members.key[m] < (3 * t + 1) * words:
        flags = members.flags[m]
        if only_flag == 0 or flags & only_flag:
            role = R_CONSTANT if flags & IS_CONSTANT else R_FIELD
            if only_flag == IS_COMPONENT:
                role = R_PARAMETER
            # In a wrong program a component may be bound many times; half of the capacity remains
            # for other bindings.
            if bound.count[0] < len(bound.name) // 2:
                _bind_name(bound, word, members.name[m], role, stop, level)
        m += 1


@kernel
def _declared_role(tree: ScopeTree, name_use: int, i: int) -> Any:
    """Return the role of a declaring name and the node at which its scope stops.

    The stop is 0 where the name opens no scope here: a type, method or field, or a variable whose
    scope begins elsewhere. The role is R_UNKNOWN where the name declares nothing.
    """
    code, parent, stop = tree.code, tree.parent, tree.stop
    declaration = parent[i]
    outer = parent[declaration]
    if name_use == VARIABLE:
        block = parent[outer]
        if code[outer] == FIELD:
            return R_FIELD, 0
        if code[outer] != SPREAD:
            if block < 0:
                return R_LOCAL, stop[outer]
            return R_LOCAL, stop[parent[block] if code[block] == GROUP else block]
        # The name of T... x is in a declarator, one level below that of other parameters.
        name_use, outer = PARAMETER, block
    if name_use == PARAMETER:
        method = parent[outer] if outer >= 0 else -1
        if method < 0:
            return R_UNKNOWN, 0
        if code[method] == RECORD:
            return R_FIELD, 0
        return (R_LAMBDA_PARAMETER if code[method] == LAMBDA else R_PARAMETER), stop[method]
    if name_use == LAMBDA_PARAMETER:
        return R_LAMBDA_PARAMETER, stop[declaration if code[declaration] == LAMBDA else outer]
    if name_use == CATCH:
        return R_CATCH_PARAMETER, stop[outer]
    if name_use == RESOURCE:
        # In scope in the following resources and the block, not in catch and finally.
        block = stop[outer]
        while block < len(code) - 1 and code[block] == COMMENT:
            block += 1
        return R_RESOURCE, stop[min(block, len(code) - 1)]
    if name_use == LABEL_NAME:
        return R_LABEL, stop[declaration]
    if name_use in (LOOP, PATTERN):
        return (R_LOCAL if name_use == LOOP else R_PATTERN_VARIABLE), 0
    if name_use == TYPE_NAME:
        return R_TYPE, 0
    if name_use == METHOD_NAME:
        return R_METHOD, 0
    if name_use == ELEMENT_NAME:
        return R_ELEMENT, 0
    if name_use == CONSTANT_NAME:
        return R_CONSTANT, 0
    return (R_TYPE_VARIABLE if name_use == TYPE_VARIABLE else R_UNKNOWN), 0


@kernel
def _resolve_variable(
    tree: ScopeTree,
    types: ScopeTypes,
    members: Members,
    words: int,
    bound: VariableBindings,
    around: EnclosingTypes,
    i: int,
) -> Any:
    """Return role and declaration of the variable that a name refers to.

    R_UNKNOWN and -1 if this file declares none.
    """
    name_word = tree.word[i]
    binding = bound.variables[name_word]
    level = bound.level[binding] if binding >= 0 else 0
    # Inherited fields hide the variables around the class, except in the class's header.
    steps, heir = 0, around.heirs[around.counts[0]]
    while heir > level and steps < DEEPEST_NESTING:
        t = around.types[heir - 1]
        if types.begin[t] <= i:
            steps += 1
            m = _inherited_field(members, words, types, t, name_word)
            if m >= 0:
                role = R_CONSTANT if members.flags[m] & IS_CONSTANT else R_FIELD
                return role, members.name[m]
        heir = around.heirs[heir - 1]
    if binding < 0:
        return R_UNKNOWN, -1
    return int(bound.role[binding]), bound.name[binding]


@kernel
def _enter_types(types: ScopeTypes, around: EnclosingTypes, stop: Any, i: int) -> int:
    """Update the classes around a node.

    Returns the class whose members are in scope from this node on, or -1.
    """
    depth, next_type = around.counts[0], around.counts[1]
    while depth > 0 and stop[types.node[around.types[depth - 1]]] <= i:
        depth -= 1
    if next_type < len(types.node) and types.node[next_type] == i:
        around.types[depth] = next_type
        depth += 1
        inherits = types.offsets[next_type] < types.offsets[next_type + 1]
        around.heirs[depth] = depth if inherits else around.heirs[depth - 1]
        around.counts[1] = next_type + 1
    around.counts[0] = depth
    if depth > 0 and types.begin[around.types[depth - 1]] == i:
        return int(around.types[depth - 1])
    return -1


@kernel
def resolve_simple_names(
    tree: ScopeTree,
    types: ScopeTypes,
    members: Members,
    imports: Imports,
    late: LateScopes,
    events: Any,
    idents: Any,
    use: Any,
    words: int,
) -> Any:
    """Return role, declaration and access of all names, as far as simple names determine them.

    The results are complete for names that declare something or stand alone, and for variables
    before a dot; a name after a dot gets its access only. All others remain R_UNKNOWN, -1 and
    NOTHING. ``late`` holds the scopes that begin after their declaration, ``events`` the nodes at
    which the walk stops.
    """
    code, parent, child, stop, word = tree
    count, type_count = len(idents), len(types.node)
    role, access = np.zeros(count, np.uint8), np.zeros(count, np.uint8)
    declaration = np.full(count, -1, np.int32)
    # ``_bind_fields`` fills at most half of it.
    capacity = 2 * (2 * count + len(late.first) + 1)
    bound = VariableBindings(
        np.full(words, -1, np.int32),
        np.full(words, -1, np.int32),
        np.empty(capacity, np.int32),
        np.empty(capacity, np.uint8),
        np.empty(capacity, np.int32),
        np.empty(capacity, np.int32),
        np.empty(capacity, np.int32),
        np.empty(capacity, np.int32),
        np.zeros(2, np.int32),
    )
    around = EnclosingTypes(
        np.empty(type_count + 1, np.int32),
        np.zeros(type_count + 1, np.int32),
        np.zeros(2, np.int32),
    )
    for t in imports.all_of:
        _bind_fields(bound, members, words, word, t, len(code), 0, IS_STATIC)
    for j in range(len(imports.one_of)):
        key = 3 * imports.one_of[j] * words + word[imports.one_name[j]]
        m = np.searchsorted(members.key, key)
        if m < len(members.key) and members.key[m] == key and members.flags[m] & IS_STATIC:
            kind = R_CONSTANT if members.flags[m] & IS_CONSTANT else R_FIELD
            _bind_name(bound, word, members.name[m], kind, len(code), 0)
    next_late, k = 0, -1
    for i in events:
        _end_scopes(bound, word, i)
        entered = _enter_types(types, around, stop, i)
        depth = around.counts[0]
        if entered >= 0:
            _bind_fields(bound, members, words, word, entered, stop[types.node[entered]], depth, 0)
        elif code[i] == COMPACT and depth > 0:
            t = around.types[depth - 1]
            _bind_fields(bound, members, words, word, t, stop[i], depth, IS_COMPONENT)
        while next_late < len(late.first) and late.first[next_late] <= i:
            if late.last[next_late] > i:
                name = late.name[next_late]
                kind = R_LOCAL if code[parent[name]] == FOREACH else R_PATTERN_VARIABLE
                _bind_name(bound, word, name, kind, late.last[next_late], depth)
            next_late += 1
        if code[i] != IDENTIFIER:
            continue
        k += 1
        name_use = use[k]
        # Only the first child of a labelled statement is the label.
        if name_use == LABEL_NAME and i != parent[i] + 1:
            name_use = EXPRESSION
        if name_use in (EXPRESSION, QUALIFIER, CASE) or (name_use == REFERRED and child[i] == 0):
            role[k], declaration[k] = _resolve_variable(
                tree, types, members, words, bound, around, i
            )
            if role[k] == R_UNKNOWN and name_use == EXPRESSION:
                role[k] = R_FIELD
            if role[k] != R_UNKNOWN:
                access[k] = _access_of(tree, i)
        elif name_use == SELECTED:
            access[k] = _access_of(tree, parent[i])
        elif name_use == LABEL:
            role[k] = R_LABEL
            binding = bound.labels[word[i]]
            declaration[k] = bound.name[binding] if binding >= 0 else -1
        else:
            role[k], end = _declared_role(tree, name_use, i)
            if end > 0:
                _bind_name(bound, word, i, role[k], end, depth)
            if role[k] != R_UNKNOWN:
                declaration[k] = i
                if role[k] >= R_FIELD and role[k] not in (R_LABEL, R_ELEMENT):
                    access[k] = DECLARES
    return role, declaration, access


@kernel
def number_symbols(role: Any, declaration: Any, word: Any, nodes: int, words: int) -> Any:
    """Return the symbol number of each name, in the order of first occurrence.

    Names with the same declaration share a symbol; names declared elsewhere share one by role and
    word. ``nodes`` is the number of nodes of the file.
    """
    symbol = np.empty(len(role), np.int32)
    symbol_of_node = np.full(nodes, -1, np.int32)
    symbol_of_word = np.full(16 * words, -1, np.int32)  # there are fewer than 16 roles
    count = 0
    for k in range(len(role)):
        if declaration[k] >= 0:
            if symbol_of_node[declaration[k]] < 0:
                symbol_of_node[declaration[k]] = count
                count += 1
            symbol[k] = symbol_of_node[declaration[k]]
        else:
            role_and_word = role[k] * words + word[k]
            if symbol_of_word[role_and_word] < 0:
                symbol_of_word[role_and_word] = count
                count += 1
            symbol[k] = symbol_of_word[role_and_word]
    return symbol
