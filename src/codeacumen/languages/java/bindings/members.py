"""Kernels that resolve qualified names and calls on types that this file declares.

See JLS 6.5.6, 15.11 and 15.12.1. A name after a dot needs the type of the expression before the
dot. One walk in source order computes the types of expressions as far as this file determines
them: from declared types, without type arguments and without inference. For each call the walk
records the type whose methods the call may mean; ``bindings.calls`` chooses the method.
``bindings/__init__.py`` defines the short names. Called by ``bindings.names``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from codeacumen.languages.java.bindings.hierarchy import Members
from codeacumen.languages.java.bindings.scopes import ScopeTree
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
# FILE and EXTRA as in types. MOST_LEVELS limits the search through the classes around a node.
FILE, EXTRA, MOST_LEVELS = 16, 32, 64
# The value of the type int.
INT = 256 * 5
# What a node denotes: nothing that this file declares, a value, a type, or an object seen as its
# superclass (``super``).
UNSEEN, VALUE, IS_TYPE, IS_SUPER = range(4)


class ResolvedTypes(NamedTuple):
    """Types of the file.

    ``node``, ``name`` (the name's node), ``begin`` and ``inherits_foreign`` have one value per
    type. ``begin`` is the node from which the members are in scope, ``inherits_foreign`` is true
    where some ancestor is declared elsewhere. ``type_of`` maps the name node of a type to the type.
    """

    node: Any
    name: Any
    begin: Any
    offsets: Any
    ancestors: Any
    inherits_foreign: Any
    type_of: Any


class ExpressionFacts(NamedTuple):
    """Columns that the walk reads and completes.

    ``value`` (the node's type) and ``denotes`` (UNSEEN, VALUE, …) have one value per node;
    ``role``, ``declaration`` and ``access`` one per name.
    """

    members: Members
    words: int
    value: Any
    denotes: Any
    role: Any
    declaration: Any
    access: Any


class PendingCalls(NamedTuple):
    """Calls of methods of this file's types, one value per call in each column.

    ``name_index`` is the index of the method's name among the names, ``node`` the call, ``type``
    the type of this file whose methods the call may mean. ``as_super`` marks calls through
    ``super``. ``crossed`` is true where a class between the call and the type has ancestors
    declared elsewhere, which may declare such a method.
    """

    name_index: Any
    node: Any
    type: Any
    as_super: Any
    crossed: Any


@kernel
def _find_member(facts: ExpressionFacts, t: int, namespace: int, word: int) -> int:
    """Return the first member of a name declared in the type itself; -1 if there is none."""
    keys = facts.members.key
    key = (3 * t + namespace) * facts.words + word
    m = np.searchsorted(keys, key)
    return int(m) if m < len(keys) and keys[m] == key else -1


@kernel
def _find_in_hierarchy(
    facts: ExpressionFacts, types: ResolvedTypes, t: int, namespace: int, word: int, with_own: bool
) -> int:
    """Return the member of a name that a type declares or inherits; -1 if there is none.

    Without ``with_own`` the type is seen through ``super``: its superclass comes first, including
    the superclass's private members.
    """
    if with_own:
        m = _find_member(facts, t, namespace, word)
        if m >= 0:
            return m
    for k in range(types.offsets[t], types.offsets[t + 1]):
        m = _find_member(facts, types.ancestors[k], namespace, word)
        if m >= 0 and (
            not facts.members.flags[m] & IS_PRIVATE or (not with_own and k == types.offsets[t])
        ):
            return m
    return -1


@kernel
def _bind_to_type(
    tree: ScopeTree, facts: ExpressionFacts, types: ResolvedTypes, k: int, i: int
) -> None:
    """Record that name ``k`` at node ``i`` refers to the type in the node's value."""
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
def _bind_to_field(facts: ExpressionFacts, k: int, i: int, m: int) -> None:
    """Record that name ``k`` at node ``i`` refers to the field ``m`` (-1: declared elsewhere)."""
    facts.denotes[i] = VALUE
    facts.role[k] = R_FIELD
    facts.value[i] = 0
    if m >= 0:
        facts.declaration[k] = facts.members.name[m]
        facts.value[i] = facts.value[facts.members.name[m]]
        if facts.members.flags[m] & IS_CONSTANT:
            facts.role[k] = R_CONSTANT


@kernel
def _receiver_node(tree: ScopeTree, node: int) -> int:
    """Return the node before the dot; in ``A.super.x`` the ``super``."""
    # The node after the first dot.
    second = tree.stop[node + 1] + 1
    if second < tree.stop[node] and tree.code[second] == SUPER:
        return int(second)
    return int(node + 1)


@kernel
def _resolve_selected(
    tree: ScopeTree, facts: ExpressionFacts, types: ResolvedTypes, k: int, i: int
) -> None:
    """Resolve the name after a dot if the expression before it has a type of this file.

    The whole qualified expression gets the name's type and denotation.
    """
    access, name_word = tree.parent[i], tree.word[i]
    receiver = _receiver_node(tree, access)
    denotes, base = facts.denotes[receiver], (facts.value[receiver] >> 8) - FILE
    m, member_type = -1, -1
    facts.value[i] = 0
    if 0 <= base < len(types.node) and facts.value[receiver] & 255 == 0 and denotes != UNSEEN:
        m = _find_in_hierarchy(facts, types, base, FIELDS, name_word, denotes != IS_SUPER)
        if m < 0 and denotes == IS_TYPE:
            member_type = _find_in_hierarchy(facts, types, base, TYPES, name_word, True)
    if member_type >= 0:
        facts.value[i] = 256 * (FILE + types.type_of[facts.members.name[member_type]])
        _bind_to_type(tree, facts, types, k, i)
    elif m >= 0 or denotes in (VALUE, IS_SUPER):
        _bind_to_field(facts, k, i, m)
        if facts.value[receiver] & 255:
            facts.value[i] = INT  # an array's length
    facts.denotes[access], facts.value[access] = facts.denotes[i], facts.value[i]


@kernel
def _count_arguments(tree: ScopeTree, call: int, name: int) -> int:
    """Return the number of arguments of a call; -1 if there is no argument list."""
    code, stop = tree.code, tree.stop
    arguments = stop[name]
    while arguments < stop[call] and code[arguments] != ARGUMENTS:
        arguments = stop[arguments]
    if arguments >= stop[call]:
        return -1
    count, argument = 0, arguments + 1
    while argument < stop[arguments]:
        count += code[argument] != PUNCTUATION and code[argument] != COMMENT
        argument = stop[argument]
    return count


@kernel
def _return_type(
    facts: ExpressionFacts,
    signatures: Signatures,
    types: ResolvedTypes,
    t: int,
    word: int,
    argument_count: int,
    with_own: bool,
) -> int:
    """Return the type that the nearest methods of a name and arity return, if all agree; else 0.

    Without ``with_own`` the search begins at the superclass, as for a call through ``super``.
    """
    keys, flags, signed = facts.members.key, facts.members.flags, signatures
    # k < offsets[t] stands for the type itself, which comes before its ancestors.
    for k in range(types.offsets[t] - with_own, types.offsets[t + 1]):
        m = _find_member(facts, t if k < types.offsets[t] else types.ancestors[k], METHODS, word)
        returned, is_ambiguous = 0, False
        while m >= 0:
            parameter_count = signed.offsets[m + 1] - signed.offsets[m]
            fits = parameter_count == argument_count or (
                signed.varargs[m] and argument_count >= parameter_count - 1
            )
            if fits and (k < types.offsets[t] or not with_own or not flags[m] & IS_PRIVATE):
                is_ambiguous = is_ambiguous or (returned != 0 and returned != signed.returns[m])
                returned = signed.returns[m]
            m = m + 1 if m + 1 < len(keys) and keys[m + 1] == keys[m] else -1
        if returned:
            return 0 if is_ambiguous else returned
    return 0


@kernel
def _record_call(
    tree: ScopeTree,
    facts: ExpressionFacts,
    signatures: Signatures,
    imports: Imports,
    of_object: Any,
    types: ResolvedTypes,
    node: int,
    k: int,
    name: int,
    enclosing: Any,
    depth: int,
    calls: PendingCalls,
    count: int,
) -> int:
    """Record the type whose methods a call may mean, and set the type of the call.

    Returns the new number of recorded calls. ``node`` is the call, ``name`` the node of the
    method's name and ``k`` its index; ``enclosing[:depth]`` are the types around, outermost first.
    ``count`` is the number before. ``of_object`` marks the words that are methods of ``Object``.
    """
    name_word = tree.word[name]
    t, with_own, crosses_foreign = -1, True, False
    if name == node + 1:
        # The innermost class that has a method of this name (JLS 15.12.1).
        for level in range(depth - 1, max(-1, depth - MOST_LEVELS), -1):
            if types.begin[enclosing[level]] > name:
                continue
            if _find_in_hierarchy(facts, types, enclosing[level], METHODS, name_word, True) >= 0:
                t = enclosing[level]
                break
            if of_object[name_word]:
                break
            crosses_foreign = crosses_foreign or types.inherits_foreign[enclosing[level]]
        if t < 0 and not of_object[name_word]:
            for i in range(len(imports.all_of)):
                if (
                    _find_in_hierarchy(facts, types, imports.all_of[i], METHODS, name_word, True)
                    >= 0
                ):
                    t = imports.all_of[i]
            for i in range(len(imports.one_of)):
                if tree.word[imports.one_name[i]] == name_word:
                    t = imports.one_of[i]
    else:
        receiver = _receiver_node(tree, node)
        base = facts.value[receiver] >> 8
        if FILE <= base < FILE + len(types.node) and facts.value[receiver] & 255 == 0:
            t, with_own = base - FILE, facts.denotes[receiver] != IS_SUPER
    facts.denotes[node] = VALUE
    argument_count = _count_arguments(tree, node, name)
    if t < 0 or argument_count < 0:
        return count
    facts.value[node] = _return_type(
        facts, signatures, types, t, name_word, argument_count, with_own
    )
    calls.name_index[count], calls.node[count], calls.type[count] = k, node, t
    calls.as_super[count], calls.crossed[count] = not with_own, crosses_foreign
    return count + 1


@kernel
def _second_child(tree: ScopeTree, node: int) -> int:
    """Return the second child, not counting comments."""
    child = node + 2
    while child < tree.stop[node] - 1 and tree.code[child] == COMMENT:
        child += 1
    return int(child)


@kernel
def _last_child(tree: ScopeTree, node: int) -> int:
    """Return the last child."""
    child = node + 1
    while child < tree.stop[node] and tree.stop[child] < tree.stop[node]:
        child = tree.stop[child]
    return int(child)


@kernel
def _created_type(tree: ScopeTree, facts: ExpressionFacts, types: ResolvedTypes, node: int) -> int:
    """Return the type of ``new T(…)`` and ``new T[…]``; an anonymous class is a type of its own."""
    code, stop, value = tree.code, tree.stop, facts.value
    created, child = 0, node + 1
    if code[child] != NEW:
        child = stop[child]
    while child < stop[node] and code[child] != ARGUMENTS:
        if value[child] != 0 and created == 0:
            created = value[child]
        elif code[child] == DIMENSION:
            created += 1
        elif code[child] == DIMENSIONS:
            bracket = child + 1
            while bracket < stop[child]:
                created += code[bracket] == BRACKET
                bracket = stop[bracket]
        child = stop[child]
    last_child = _last_child(tree, node)
    if code[node] == CREATION and code[last_child] == BODY:
        t = int(np.searchsorted(types.node, last_child))
        if t < len(types.node) and types.node[t] == last_child:
            created = 256 * (FILE + t)
    return int(created)


@kernel
def _resolve_this(
    tree: ScopeTree, facts: ExpressionFacts, i: int, enclosing: Any, depth: int
) -> None:
    """Set the type of ``this`` or ``super`` at node ``i``, also after ``Outer.``.

    See JLS 15.8.4 and 15.11.2.
    """
    parent_node, value, denotes = tree.parent[i], facts.value, facts.denotes
    denotes[i] = VALUE if tree.code[i] == THIS else IS_SUPER
    if depth > 0:
        value[i] = 256 * (FILE + enclosing[depth - 1])
    if i != parent_node + 1 and (
        tree.code[parent_node] == FIELD_ACCESS or tree.code[parent_node] == CALL
    ):
        value[i] = value[parent_node + 1]
        if tree.code[i] == THIS:  # Outer.this
            value[parent_node], denotes[parent_node] = value[i], VALUE
        else:  # Outer.super is the outer object as its superclass; Interface.super is itself.
            denotes[i] = VALUE
            for level in range(max(0, depth - MOST_LEVELS), depth):
                if value[i] == 256 * (FILE + enclosing[level]):
                    denotes[i] = IS_SUPER


@kernel
def _inner_creation(
    tree: ScopeTree, facts: ExpressionFacts, types: ResolvedTypes, k: int, i: int
) -> None:
    """Resolve the type after ``outer.new`` as a member of the type of ``outer``."""
    parent_node = tree.parent[i]
    creation = tree.parent[parent_node] if tree.code[parent_node] == GENERIC else parent_node
    if tree.code[creation] != CREATION or i == creation + 1 or tree.code[creation + 1] == NEW:
        return
    base = (facts.value[creation + 1] >> 8) - FILE
    facts.value[i] = 256 * (FILE + len(types.node) + tree.word[i])
    m = -1
    if 0 <= base < len(types.node):
        m = _find_in_hierarchy(facts, types, base, TYPES, tree.word[i], True)
    if m >= 0:
        facts.value[i] = 256 * (FILE + types.type_of[facts.members.name[m]])
    if tree.code[parent_node] == GENERIC:
        facts.value[parent_node] = facts.value[i]
    facts.declaration[k] = -1
    _bind_to_type(tree, facts, types, k, i)


@kernel
def _initialiser_of(tree: ScopeTree, name_use: int, i: int) -> int:
    """Return the expression that determines the type of a ``var`` variable; -1 if there is none.

    ``i`` is the node of the variable's name.
    """
    declaration = tree.parent[i]
    expression = -1
    if name_use in (VARIABLE, RESOURCE):
        expression = _last_child(tree, declaration)
    elif name_use == LOOP:
        expression = tree.stop[i] + 1  # after the colon
        while expression < tree.stop[declaration] and tree.code[expression] == COMMENT:
            expression += 1
    return expression if i < expression < tree.stop[declaration] else -1


@kernel
def resolve_qualified_names(
    tree: ScopeTree,
    facts: ExpressionFacts,
    signatures: Signatures,
    imports: Imports,
    of_object: Any,
    types: ResolvedTypes,
    events: Any,
    idents: Any,
    use: Any,
    var: int,
    capacity: int,
) -> PendingCalls:
    """Complete the results of ``resolve_simple_names``; return the pending calls.

    ``events`` are the nodes at which the walk stops. ``capacity`` is an upper bound for the number
    of calls. ``var`` is the value of the word ``var``, which is no type. ``of_object`` marks the
    words that are methods of ``Object``.
    """
    code, parent, stop = tree.code, tree.parent, tree.stop
    value, denotes, declaration = facts.value, facts.denotes, facts.declaration
    calls = PendingCalls(
        np.empty(capacity, np.int32),
        np.empty(capacity, np.int32),
        np.empty(capacity, np.int32),
        np.zeros(capacity, np.bool_),
        np.zeros(capacity, np.bool_),
    )
    call_count = 0
    # Expressions whose end is still ahead. The target is the name's index for a call,
    # ``-2 - name`` for the initialiser of a ``var`` variable, -1 for all others.
    pending, target = np.empty(len(events) + 2, np.int32), np.empty(len(events) + 2, np.int32)
    enclosing = np.empty(len(types.node) + 1, np.int32)
    stack_top, depth, next_type, k = -1, 0, 0, -1
    for event in range(len(events) + 1):
        i = events[event] if event < len(events) else len(code)
        while stack_top >= 0 and stop[pending[stack_top]] <= i:
            node, name = pending[stack_top], target[stack_top]
            stack_top -= 1
            if name < -1:
                initialiser_type = value[node]
                # The variable has the type of the array's elements; an Iterable's are unknown.
                if code[parent[node]] == FOREACH:
                    initialiser_type = initialiser_type - 1 if initialiser_type & 255 else 0
                value[-2 - name] = initialiser_type
                continue
            if code[node] == CALL:
                if name >= 0:
                    call_count = _record_call(
                        tree,
                        facts,
                        signatures,
                        imports,
                        of_object,
                        types,
                        node,
                        name,
                        idents[name],
                        enclosing,
                        depth,
                        calls,
                        call_count,
                    )
            elif code[node] == CREATION or code[node] == ARRAY_CREATION:
                value[node] = _created_type(tree, facts, types, node)
            elif code[node] == ARRAY_ACCESS:  # an array's element has one dimension less
                value[node] = value[node + 1] - 1 if value[node + 1] & 255 else 0
            elif code[node] == ASSIGNMENT:
                value[node] = value[node + 1]
            else:  # parentheses or a cast: the expression or the type after the first parenthesis
                value[node] = value[_second_child(tree, node)]
            denotes[node] = VALUE
        if event == len(events):
            break
        while depth > 0 and stop[types.node[enclosing[depth - 1]]] <= i:
            depth -= 1
        kind = code[i]
        if next_type < len(types.node) and types.node[next_type] == i:
            enclosing[depth] = next_type
            next_type += 1
            depth += 1
        elif CALL <= kind <= ASSIGNMENT:
            stack_top += 1
            pending[stack_top], target[stack_top] = i, -1
        elif kind in (THIS, SUPER):
            _resolve_this(tree, facts, i, enclosing, depth)
        if kind != IDENTIFIER and kind != TYPE_IDENTIFIER:
            continue
        k += 1
        name_use = use[k]
        if name_use == REFERRED and tree.child[i] == 0:
            name_use = QUALIFIER
        if (name_use in (EXPRESSION, QUALIFIER)) and declaration[k] >= 0:
            value[i], denotes[i] = value[declaration[k]], VALUE
        elif name_use == EXPRESSION:
            value[i], denotes[i] = 0, VALUE
        elif name_use == QUALIFIER:
            if value[i] > 0:
                _bind_to_type(tree, facts, types, k, i)
        elif name_use == SELECTED:
            _resolve_selected(tree, facts, types, k, i)
        elif name_use == CALLED:
            facts.role[k] = R_METHOD
            if stack_top >= 0 and pending[stack_top] == parent[i]:
                target[stack_top] = k
        elif name_use == TYPE_USE:
            _inner_creation(tree, facts, types, k, i)
        elif VARIABLE <= name_use <= PATTERN and (value[i] == var or value[i] == 0):
            value[i] = 0
            expression = _initialiser_of(tree, name_use, i)
            if expression >= 0:
                stack_top += 1
                pending[stack_top], target[stack_top] = expression, -2 - i
    return PendingCalls(
        calls.name_index[:call_count],
        calls.node[:call_count],
        calls.type[:call_count],
        calls.as_super[:call_count],
        calls.crossed[:call_count],
    )
