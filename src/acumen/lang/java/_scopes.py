"""Kernels: which variable or label a simple name means (JLS 6.3, 6.4).

One walk in source order. Bindings live in an array by word; entering a scope adds some, leaving
it takes them back. A class's fields are added where its body begins, so they are seen before they
are declared; what a class inherits within the file is nearer than what stands around the class.

A class whose superclass is declared elsewhere may inherit a variable that this file cannot show.
A name that has a meaning in this file keeps it all the same: who changes a program must ask
whether such a class stands between a name and its declaration.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from acumen.lang.java._hierarchy import Members
from acumen.lang.java._types import Imports
from acumen.lang.kernel import kernel

(
    OTHER, TYPE, RECORD, FIELD_ACCESS, PARENTHESES, ASSIGNMENT, ASSIGN, UPDATE, FIELD, LOCAL,
    SPREAD, LAMBDA, COMPACT, FOREACH, GROUP, COMMENT, IDENTIFIER, BODY,
) = range(18)  # fmt: skip
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
# Where scopes begin and names stand.
EVENTS = (TYPE, RECORD, BODY, COMPACT, IDENTIFIER)

# How a name stands where it stands: told by its parent and its field there.
(
    EXPRESSION, VARIABLE, PARAMETER, LAMBDA_PARAMETER, CATCH, LOOP, RESOURCE, PATTERN, TYPE_NAME,
    METHOD_NAME, ELEMENT_NAME, CONSTANT_NAME, LABEL_NAME, LABEL, QUALIFIER, SELECTED, CALLED,
    REFERRED, ELEMENT, DOTTED, CASE, TYPE_USE, TYPE_VARIABLE, OTHER_NAME,
) = range(24)  # fmt: skip
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

# What a name denotes: places in bindings.ROLES, and accesses as there.
(
    R_UNKNOWN, R_PACKAGE, R_TYPE, R_TYPE_VARIABLE, R_METHOD, R_FIELD, R_CONSTANT, R_LOCAL,
    R_PARAMETER, R_LAMBDA_PARAMETER, R_CATCH_PARAMETER, R_PATTERN_VARIABLE, R_RESOURCE, R_LABEL,
    R_ELEMENT,
) = range(15)  # fmt: skip
NOTHING, DECLARES, READS, WRITES, UPDATES = range(5)

IS_PRIVATE, IS_CONSTANT, IS_COMPONENT, IS_STATIC = 1, 2, 8, 16
# Nobody nests deeper classes that inherit from each other; an endless nest must not cost more.
DEEPEST = 16


class Tree(NamedTuple):
    code: Any
    parent: Any
    child: Any
    stop: Any
    word: Any


class Types(NamedTuple):
    """Of each type: its node, where its members are seen from, its ancestors in this file."""

    node: Any
    begin: Any
    offsets: Any
    ancestors: Any


class Late(NamedTuple):
    """Scopes that begin after the declaration: first node, stop, the name's node."""

    first: Any
    last: Any
    name: Any


@kernel
def _inherited_field(members: Members, words: int, types: Types, t: int, word: int) -> int:
    """The nearest field of that name a type has from its ancestors; -1: none."""
    for k in range(types.offsets[t], types.offsets[t + 1]):
        key = 3 * types.ancestors[k] * words + word
        m = np.searchsorted(members.key, key)
        if m < len(members.key) and members.key[m] == key and not members.flags[m] & IS_PRIVATE:
            return int(m)
    return -1


@kernel
def _access(tree: Tree, node: int) -> int:
    """What is done to the variable that an expression is."""
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
def simple_names(
    tree: Tree, types: Types, members: Members, imports: Imports, late: Late, events: Any,
    idents: Any, use: Any, words: int,
) -> Any:  # fmt: skip
    """Role, declaration and access of every name that declares something or stands alone; of a
    name before a dot if it is a variable; access only of a name after a dot."""
    code, parent, child, stop, word = tree
    count = len(idents)
    role = np.zeros(count, np.uint8)
    declaration = np.full(count, -1, np.int32)
    access = np.zeros(count, np.uint8)
    variables, labels = np.full(words, -1, np.int32), np.full(words, -1, np.int32)
    # A binding: its name's node, its role, what it hides, its stop, how deep its class is. A
    # record's components are bound again in its compact constructor: one, in right programs.
    room = 4 * count + len(late.first) + 1
    b_name, b_role = np.empty(room, np.int32), np.empty(room, np.uint8)
    b_hides, b_stop = np.empty(room, np.int32), np.empty(room, np.int32)
    b_level = np.empty(room, np.int32)
    made = 0
    stack = np.empty(room, np.int32)
    top = -1
    total = len(types.node)
    # Classes around, and how deep the nearest is that inherits within this file.
    inside, heirs = np.empty(total + 1, np.int32), np.zeros(total + 1, np.int32)
    levels, fresh, coming, again, k = 0, 0, 0, 0, -1
    for n in range(len(imports.all_of) + len(imports.one_of)):
        one = n - len(imports.all_of)
        t = imports.all_of[n] if one < 0 else imports.one_of[one]
        for m in range(np.searchsorted(members.key, 3 * t * words), len(members.key)):
            if members.key[m] >= (3 * t + 1) * words or made == count:
                break
            w = word[members.name[m]]
            if members.flags[m] & IS_STATIC and (one < 0 or w == word[imports.one_name[one]]):
                b_name[made], b_hides[made], b_stop[made] = members.name[m], -1, len(code)
                b_role[made] = R_CONSTANT if members.flags[m] & IS_CONSTANT else R_FIELD
                b_level[made] = 0
                variables[w] = made
                made += 1
    for i in events:
        while top >= 0 and b_stop[stack[top]] <= i:
            b = stack[top]
            if b_role[b] == R_LABEL:
                labels[word[b_name[b]]] = b_hides[b]
            else:
                variables[word[b_name[b]]] = b_hides[b]
            top -= 1
        while levels > 0 and stop[types.node[inside[levels - 1]]] <= i:
            levels -= 1
        owner, parameters = -1, False
        new_role, new_stop = 0, 0
        if fresh < total and types.node[fresh] == i:
            inside[levels] = fresh
            levels += 1
            inherits = types.offsets[fresh] < types.offsets[fresh + 1]
            heirs[levels] = levels if inherits else heirs[levels - 1]
            fresh += 1
        if levels > 0 and types.begin[inside[levels - 1]] == i:
            owner, new_stop = inside[levels - 1], stop[types.node[inside[levels - 1]]]
        elif code[i] == COMPACT and levels > 0:
            owner, new_stop = inside[levels - 1], stop[i]
            parameters = True
        m = int(np.searchsorted(members.key, 3 * max(owner, 0) * words))
        while owner >= 0 and m < len(members.key) and members.key[m] < (3 * owner + 1) * words:
            m += 1
            if parameters:
                if not members.flags[m - 1] & IS_COMPONENT or again == count:
                    continue
                again += 1
            w = word[members.name[m - 1]]
            b_name[made], b_hides[made], b_stop[made] = members.name[m - 1], variables[w], new_stop
            b_role[made] = R_CONSTANT if members.flags[m - 1] & IS_CONSTANT else R_FIELD
            if parameters:
                b_role[made] = R_PARAMETER
            b_level[made] = levels
            variables[w] = made
            top += 1
            stack[top] = made
            made += 1
        while coming < len(late.first) and late.first[coming] <= i:
            if late.last[coming] > i:
                name = late.name[coming]
                w = word[name]
                b_name[made], b_hides[made], b_stop[made] = name, variables[w], late.last[coming]
                b_role[made] = R_LOCAL if code[parent[name]] == FOREACH else R_PATTERN_VARIABLE
                b_level[made] = levels
                variables[w] = made
                top += 1
                stack[top] = made
                made += 1
            coming += 1
        if code[i] != IDENTIFIER:
            continue
        k += 1
        w, p, how = word[i], parent[i], use[k]
        if how == LABEL_NAME and i != p + 1:
            how = EXPRESSION
        if how in (EXPRESSION, QUALIFIER, CASE) or (how == REFERRED and child[i] == 0):
            b = variables[w]
            level = b_level[b] if b >= 0 else -1
            steps, heir = 0, heirs[levels]
            while heir > max(level, 0) and steps < DEEPEST:
                t = inside[heir - 1]
                m = -1
                if types.begin[t] <= i:
                    steps += 1
                    m = _inherited_field(members, words, types, t, w)
                if m >= 0:
                    declaration[k] = members.name[m]
                    role[k] = R_CONSTANT if members.flags[m] & IS_CONSTANT else R_FIELD
                    break
                heir = heirs[heir - 1]
            if declaration[k] < 0 and b >= 0:
                declaration[k], role[k] = b_name[b], b_role[b]
            if role[k] == R_UNKNOWN and how == EXPRESSION:
                role[k] = R_FIELD
            if role[k] != R_UNKNOWN:
                access[k] = _access(tree, i)
            continue
        if how == SELECTED:
            access[k] = _access(tree, p)
            continue
        if how == LABEL:
            role[k] = R_LABEL
            if labels[w] >= 0:
                declaration[k] = b_name[labels[w]]
            continue
        outer = parent[p]
        if how == VARIABLE:
            if code[outer] == FIELD:
                role[k] = R_FIELD
            elif code[outer] == SPREAD:
                how, p, outer = PARAMETER, outer, parent[outer]
            else:
                new_role = R_LOCAL
                block = parent[outer]
                new_stop = (
                    stop[outer]
                    if block < 0
                    else stop[parent[block] if code[block] == GROUP else block]
                )
        if how == PARAMETER:
            # formal_parameters between the parameter and the method
            method = parent[outer] if outer >= 0 else -1
            if method >= 0 and code[method] == RECORD:
                role[k] = R_FIELD
            elif method >= 0:
                new_role = R_LAMBDA_PARAMETER if code[method] == LAMBDA else R_PARAMETER
                new_stop = stop[method]
        elif how == LAMBDA_PARAMETER:
            new_role, new_stop = R_LAMBDA_PARAMETER, stop[p if code[p] == LAMBDA else outer]
        elif how == CATCH:
            new_role, new_stop = R_CATCH_PARAMETER, stop[outer]
        elif how == RESOURCE:
            # Seen by the following resources and the block, not by catch and finally.
            block = stop[outer]
            while block < len(code) and code[block] == COMMENT:
                block += 1
            new_role, new_stop = R_RESOURCE, stop[min(block, len(code) - 1)]
        elif how == LABEL_NAME:
            new_role, new_stop = R_LABEL, stop[p]
        elif how == LOOP:
            role[k] = R_LOCAL
        elif how == PATTERN:
            role[k] = R_PATTERN_VARIABLE
        elif how == TYPE_NAME:
            role[k] = R_TYPE
        elif how == METHOD_NAME:
            role[k] = R_METHOD
        elif how == ELEMENT_NAME:
            role[k] = R_ELEMENT
        elif how == CONSTANT_NAME:
            role[k] = R_CONSTANT
        elif how == TYPE_VARIABLE:
            role[k] = R_TYPE_VARIABLE
        if new_role:
            role[k] = new_role
            scope = labels if new_role == R_LABEL else variables
            b_name[made], b_role[made], b_hides[made] = i, new_role, scope[w]
            b_stop[made], b_level[made] = new_stop, levels
            scope[w] = made
            # A local of one switch group outlives a pattern's variable of the same group.
            top += 1
            at = top
            while at > 0 and b_stop[stack[at - 1]] < new_stop:
                stack[at] = stack[at - 1]
                at -= 1
            stack[at] = made
            made += 1
        if role[k] != R_UNKNOWN:
            declaration[k] = i
            if role[k] >= R_FIELD and role[k] != R_LABEL and role[k] != R_ELEMENT:
                access[k] = DECLARES
    return role, declaration, access


@kernel
def symbols_of(role: Any, declaration: Any, word: Any, nodes: int, words: int) -> Any:
    """Numbers of what names mean, in the order of first occurrence: by declaration, or by role
    and word where it is elsewhere."""
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
