"""Kernels that reduce a file's syntax to the expressions that its calls depend on.

The result is a tree of rows in pre-order, each with a code, the size of its subtree and two numbers
whose meaning depends on the code (see ``call_sites``). Statements, parentheses and expressions that
no call depends on are left out. Names of local variables are already resolved by the bindings.
``call_sites`` calls ``encode_expressions`` (call graph) and ``encode_all_expressions`` (static
types).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import kernel
from codeacumen.languages.syntax import Column

# Codes of rows, explained in ``call_sites``; NOTHING makes no row. The order matters: the calls
# from CALL to REFERENCE are adjacent.
(
    NOTHING,
    TYPED,
    REF,
    NAME,
    LITERAL,
    THIS,
    SUPER,
    FIELD,
    OUTER,
    INDEX,
    CALL,
    INVOKE,
    UPCALL,
    NEW,
    INNER,
    CONSTRUCT,
    CONSTANT,
    REFERENCE,
    LAMBDA,
    ARRAY,
    CAST,
    CONDITION,
    ASSIGN,
    BINARY,
    UNARY,
    UPDATE,
    TEST,
    SWITCH,
    CLASS_OF,
    TYPE,
    ARGUMENTS,
    LIST,
    UNKNOWN,
    DECL,
    VAR,
    EACH,
    PARAM,
    RETURN,
    YIELD,
    BODY,
    CLASS,
    INIT,
) = range(42)
CALLS = frozenset((CALL, INVOKE, UPCALL, NEW, INNER, CONSTRUCT, CONSTANT, REFERENCE))
# Codes whose ``a`` is the node of a type or of a name, which ``call_sites`` replaces by a text's
# index.
OF_TYPE = (TYPED, NEW, INNER, ARRAY, CAST, CLASS_OF, TYPE, ARGUMENTS, DECL, EACH, TEST)
OF_NAME = (NAME, FIELD, CALL, INVOKE, UPCALL, CONSTANT, REFERENCE)

# Types of literals by their kind.
LITERALS = ("int", "long", "float", "double", "char", "boolean", "java.lang.String", "null")
# Flags of a lambda's body: it is a block; returns a value; returns without a value; may not
# complete normally; is an expression that may be a statement.
BLOCK, GIVES, LEAVES, ENDLESS, STATEMENT = 1, 2, 4, 8, 16
# Kinds of operators by their result: + may concatenate strings; TRUTH: comparisons and logical
# operators, whose result is a boolean.
PLUS, ARITHMETIC, SHIFT, BITS, TRUTH = range(5)

# Nodes with a number of this module, from 2 on; ``call_sites`` lists the grammar's names for some
# of them. First those that contain expressions, then others. The order matters: ``_encode_node``
# compares with _ARGS and _SWITCH.
NODES = (
    "argument_list", "method_invocation", "field_access", "array_access", "binary_expression",
    "unary_expression", "update_expression", "assignment_expression", "ternary_expression",
    "parenthesized_expression", "cast_expression", "instanceof_expression", "lambda_expression",
    "method_reference", "object_creation_expression", "explicit_constructor_invocation",
    "return_statement", "yield_statement", "variable_declarator", "array_initializer",
    "enhanced_for_statement", "resource", "array_creation_expression", "switch_expression",
    "identifier", "this", "super", "enum_constant", "class_literal", "literal", "block",
    "inferred_parameters", "formal_parameter", "spread_parameter", "catch_formal_parameter",
    "type_pattern", "record_pattern_component", "local_variable_declaration", "type",
    "type_arguments", "skipped", "expression_statement", "switch_rule", "dimensions",
    "template_expression", "formal_parameters", "endless",
)  # fmt: skip
OTHER = 1  # a named node that is none of these; 0 is a token
(
    _ARGS,
    _CALL,
    _FIELD,
    _INDEX,
    _BINARY,
    _UNARY,
    _UPDATE,
    _ASSIGN,
    _TERNARY,
    _PAREN,
    _CAST,
    _TEST,
    _LAMBDA,
    _REFERENCE,
    _NEW,
    _CONSTRUCT,
    _RETURN,
    _YIELD,
    _DECLARATOR,
    _LIST,
    _FOR,
    _RESOURCE,
    _ARRAY,
    _SWITCH,
    _NAME,
    _THIS,
    _SUPER,
    _CONSTANT,
    _CLASS_OF,
    _LITERAL,
    _BLOCK,
    _INFERRED,
    _FORMAL,
    _SPREAD,
    _CATCH,
    _PATTERN,
    _COMPONENT,
    _LOCAL,
    _TYPE,
    _TYPE_ARGS,
    _SKIPPED,
    _STATEMENT,
    _RULE,
    _DIMENSIONS,
    _TEMPLATE,
    _FORMALS,
    _ENDLESS,
) = range(2, 2 + len(NODES))
# Row codes of nodes that need no case of their own in ``_encode_node``.
_CODE_BY_NODE = {
    _LAMBDA: LAMBDA,
    _INDEX: INDEX,
    _TERNARY: CONDITION,
    _UPDATE: UPDATE,
    _SWITCH: SWITCH,
    _LIST: LIST,
    _RETURN: RETURN,
    _TEMPLATE: UNKNOWN,
}
_DEFAULT_CODES = tuple(_CODE_BY_NODE.get(node, NOTHING) for node in range(2 + len(NODES)))
# Fields of the grammar with a number of this module, from 1 on; 0 is any other or none.
FIELDS = (
    "name",
    "field",
    "object",
    "type",
    "body",
    "parameters",
    "left",
    "value",
    "right",
    "constructor",
    "operator",
    "dimensions",
)
(
    _F_NAME,
    _F_FIELD,
    _F_OBJECT,
    _F_TYPE,
    _F_BODY,
    _F_PARAMETERS,
    _F_LEFT,
    _F_VALUE,
    _F_RIGHT,
    _F_CONSTRUCTOR,
    _F_OPERATOR,
    _F_DIMENSIONS,
) = range(1, 1 + len(FIELDS))


class Tree(NamedTuple):
    """Columns of the nodes of a file or of a part of it, in pre-order.

    ``kind`` and ``field`` are numbers of this module, ``detail`` is the kind of a literal or
    operator. ``parent`` is -1 at the root; ``stop`` is the first node after the subtree; ``start``
    and ``end`` are byte offsets. ``is_var``: the word ``var``. ``declared`` is the identifier that
    declares the local variable which the node names (-1: none, or outside of the part).
    ``type_at``, ``method_at`` and ``field_at`` are the indices of the declaration that the node is
    (-1: none).
    """

    kind: NDArray[np.uint8]
    field: NDArray[np.uint8]
    detail: NDArray[np.uint8]
    parent: Column
    stop: Column
    start: Column
    end: Column
    is_var: NDArray[np.bool_]
    declared: Column
    type_at: Column
    method_at: Column
    field_at: Column


@kernel
def _find_child_in_field(tree: Tree, node: int, field: int) -> int:
    """Return the first child in a field, -1 if there is none."""
    child = node + 1
    while child < tree.stop[node]:
        if tree.field[child] == field:
            return child
        child = tree.stop[child]
    return -1


@kernel
def _find_child_of_kind(tree: Tree, node: int, kind: int) -> int:
    """Return the first child of a kind, -1 if there is none."""
    child = node + 1
    while child < tree.stop[node]:
        if tree.kind[child] == kind:
            return child
        child = tree.stop[child]
    return -1


@kernel
def _find_last_child(tree: Tree, node: int) -> int:
    """Return the last child that is neither a comment nor a token, -1 if there is none."""
    last, child = -1, node + 1
    while child < tree.stop[node]:
        if tree.kind[child] != 0 and tree.kind[child] != _SKIPPED:
            last = child
        child = tree.stop[child]
    return last


@kernel
def _count_brackets(tree: Tree, node: int) -> int:
    """Return the number of bracket pairs in a node's dimensions."""
    dimensions = _find_child_in_field(tree, node, _F_DIMENSIONS)
    # Each pair is two tokens.
    return 0 if dimensions < 0 else (tree.stop[dimensions] - dimensions - 1) // 2


@kernel
def _find_declaration(tree: Tree, name: int) -> tuple[int, int, int]:
    """Return the declaration of a local variable, given its declaring identifier.

    The result is the declaring node (-1: no local), the node of the type (-1: none written) and
    the number of dimensions after the name.
    """
    node = tree.parent[name]
    if node < 0:
        return -1, -1, 0
    node_kind = tree.kind[node]
    if node_kind == _DECLARATOR:
        group = tree.parent[node]
        dimensions = _count_brackets(tree, node)
        if tree.kind[group] == _LOCAL:
            return node, _find_child_in_field(tree, group, _F_TYPE), dimensions
        if tree.kind[group] == _SPREAD:
            return group, _find_child_of_kind(tree, group, _TYPE), dimensions + 1
        return -1, -1, 0
    if node_kind in (_FORMAL, _RESOURCE, _FOR):
        return node, _find_child_in_field(tree, node, _F_TYPE), _count_brackets(tree, node)
    if node_kind in (_CATCH, _PATTERN, _COMPONENT):
        return node, _find_child_of_kind(tree, node, _TYPE), 0
    if node_kind == _TEST:
        return node, _find_child_in_field(tree, node, _F_RIGHT), 0
    if node_kind == _INFERRED or (node_kind == _LAMBDA and tree.field[name] == _F_PARAMETERS):
        return name, -1, 0
    return -1, -1, 0


@kernel
def _find_enclosing_types(tree: Tree) -> Column:
    """Return the index of the innermost type around each node, -1 outside of types.

    A type's own node counts as inside of it."""
    enclosing = np.full(len(tree.parent), -1, dtype=np.int32)
    for i in range(len(enclosing)):
        if tree.type_at[i] >= 0:
            enclosing[i] = tree.type_at[i]
        elif tree.parent[i] >= 0:
            enclosing[i] = enclosing[tree.parent[i]]
    return enclosing


@kernel
def _find_needed_nodes(tree: Tree) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return two masks of nodes: those that are or contain a call; declarations that need a row.

    A declaration needs a row if its type is inferred, or if an inner class uses the variable.
    """
    count = len(tree.kind)
    contains_call = np.zeros(count, dtype=np.bool_)
    for i in range(count - 1, -1, -1):
        if tree.kind[i] in (_CALL, _NEW, _REFERENCE, _CONSTRUCT, _CONSTANT):
            contains_call[i] = True
        if contains_call[i] and tree.parent[i] >= 0:
            contains_call[tree.parent[i]] = True
    enclosing = _find_enclosing_types(tree)
    needs_row = np.zeros(count, dtype=np.bool_)
    for i in range(count):
        name = tree.declared[i]
        if name < 0 or name >= i:
            continue
        node, type_, _ = _find_declaration(tree, name)
        if node >= 0 and (type_ < 0 or tree.is_var[type_] or enclosing[name] != enclosing[i]):
            needs_row[node] = True
    return contains_call, needs_row


@kernel
def _encode_node(tree: Tree, i: int) -> tuple[int, int, int]:
    """Return code, a and b of a node's row; ``_build_rows`` corrects those that depend on other
    rows. Types and names are nodes."""
    kind, field, parent, stop = tree.kind, tree.field, tree.parent, tree.stop
    node_kind, parent_kind = kind[i], kind[parent[i]]
    if node_kind == _NAME:
        if parent_kind == _INFERRED or (parent_kind == _LAMBDA and field[i] == _F_PARAMETERS):
            return PARAM, -1, 0
        # Only the nodes from _ARGS to _SWITCH contain expressions.
        if parent_kind > _SWITCH or parent_kind < _ARGS:
            return NOTHING, 0, 0
        if field[i] == _F_NAME or field[i] == _F_FIELD:
            return NOTHING, 0, 0
        # The first child of a reference is its receiver, the last one the method's name.
        if parent_kind == _REFERENCE and i != parent[i] + 1:
            return NOTHING, 0, 0
        return NAME, i, 0
    if node_kind == _CALL:
        name = _find_child_in_field(tree, i, _F_NAME)
        if name < 0:
            return UNKNOWN, 0, 0
        if _find_child_in_field(tree, i, _F_OBJECT) < 0:
            return CALL, name, tree.start[name]
        child = _find_child_of_kind(tree, i, _SUPER)
        is_super_call = child >= 0 and field[child] != _F_OBJECT
        return (UPCALL if is_super_call else INVOKE), name, tree.start[name]
    if node_kind == _FIELD:
        child = _find_child_of_kind(tree, i, _SUPER)
        name = _find_child_in_field(tree, i, _F_FIELD)
        if name < 0 or (child >= 0 and field[child] != _F_OBJECT):
            return UNKNOWN, 0, 0
        return (OUTER if kind[name] == _THIS else FIELD), name, 0
    if node_kind == _NEW:
        type_ = _find_child_in_field(tree, i, _F_TYPE)
        if type_ < 0:
            return UNKNOWN, 0, 0
        # The call's offset is that of the simple name: Foo in a.b.Foo<T>.
        name = type_
        child = name + 1
        inner_type = -1
        while True:
            if child < stop[name]:
                inner_type = child if kind[child] == _TYPE else inner_type
                child = stop[child]
            elif inner_type >= 0:
                name, child, inner_type = inner_type, inner_type + 1, -1
            else:
                break
        # The first child is the token ``new``, or else the outer object.
        return (NEW if kind[i + 1] == 0 else INNER), type_, tree.start[name]
    if node_kind == _CONSTRUCT:
        keyword = _find_child_in_field(tree, i, _F_CONSTRUCTOR)
        if keyword < 0:
            return UNKNOWN, 0, 0
        qualified_flag = 2 if _find_child_in_field(tree, i, _F_OBJECT) >= 0 else 0
        return CONSTRUCT, (1 if kind[keyword] == _THIS else 2) + qualified_flag, tree.start[keyword]
    if node_kind == _CONSTANT:
        name = _find_child_in_field(tree, i, _F_NAME)
        return (CONSTANT if name >= 0 else NOTHING), name, tree.start[name]
    if node_kind == _REFERENCE:
        last = stop[i] - 1
        return REFERENCE, (last if kind[last] == _NAME else -1), tree.start[last]
    if node_kind == _LITERAL:
        return LITERAL, int(tree.detail[i]), 0
    if node_kind == _THIS:
        return (NOTHING if field[i] == _F_FIELD or parent_kind == _CONSTRUCT else THIS), 0, 0
    if node_kind == _SUPER:
        is_plain = field[i] == _F_OBJECT or parent_kind == _REFERENCE
        return (SUPER if is_plain and parent_kind != _CONSTRUCT else NOTHING), 0, 0
    if node_kind in (_BINARY, _UNARY):
        operator = _find_child_in_field(tree, i, _F_OPERATOR)
        operator_kind = int(tree.detail[operator]) if operator >= 0 else TRUTH
        return (BINARY if node_kind == _BINARY else UNARY), operator_kind, 0
    if node_kind == _ASSIGN:
        operator = _find_child_in_field(tree, i, _F_OPERATOR)
        is_plain = operator >= 0 and tree.end[operator] - tree.start[operator] == 1
        return ASSIGN, (1 if is_plain else 0), 0
    if node_kind == _CAST:
        type_ = _find_child_in_field(tree, i, _F_TYPE)
        # (A & B) x: refer to the cast itself, which has several types.
        type_count = 0
        child = i + 1
        while child < stop[i]:
            type_count += field[child] == _F_TYPE
            child = stop[child]
        return CAST, (i if type_count > 1 else type_), 0
    if node_kind == _ARRAY:
        dimensions = 0
        child = i + 1
        while child < stop[i]:
            if field[child] == _F_DIMENSIONS:
                dimensions += (stop[child] - child - 1) // 2 if kind[child] == _DIMENSIONS else 1
            child = stop[child]
        return ARRAY, _find_child_in_field(tree, i, _F_TYPE), dimensions
    if node_kind == _CLASS_OF:
        return CLASS_OF, _find_child_of_kind(tree, i, _TYPE), 0
    if node_kind == _TYPE_ARGS:
        return (ARGUMENTS if parent_kind == _CALL else NOTHING), i, 0
    if node_kind == _TYPE:
        return (TYPE if parent_kind == _REFERENCE and i == parent[i] + 1 else NOTHING), i, 0
    if node_kind == _TEST:
        is_pattern = _find_child_in_field(tree, i, _F_NAME) >= 0
        return TEST, (_find_child_in_field(tree, i, _F_RIGHT) if is_pattern else -1), 0
    if node_kind == _FOR:
        type_ = _find_child_in_field(tree, i, _F_TYPE)
        has_type = type_ >= 0 and not tree.is_var[type_]
        return EACH, (type_ if has_type else -1), _count_brackets(tree, i)
    if node_kind in (_DECLARATOR, _FORMAL, _SPREAD, _CATCH, _RESOURCE, _PATTERN, _COMPONENT):
        name = _find_child_in_field(tree, i, _F_NAME)
        if node_kind == _SPREAD:
            child = _find_child_of_kind(tree, i, _DECLARATOR)
            name = _find_child_in_field(tree, child, _F_NAME) if child >= 0 else -1
        elif node_kind in (_PATTERN, _COMPONENT):
            name = _find_child_of_kind(tree, i, _NAME)
        if name < 0:
            return NOTHING, 0, 0
        node, type_, dimensions = _find_declaration(tree, name)
        if node != i:
            return NOTHING, 0, 0
        if type_ < 0 or tree.is_var[type_]:
            return (PARAM if node_kind == _FORMAL else VAR), -1, 0
        return DECL, type_, dimensions
    # The expression of a switch rule is its result.
    if node_kind == _YIELD or (node_kind == _STATEMENT and parent_kind == _RULE):
        return YIELD, 0, 0
    # Each argument has a row, so that the arguments can be counted.
    if parent_kind == _ARGS and node_kind == OTHER:
        return UNKNOWN, 0, 0
    return _DEFAULT_CODES[node_kind], 0, 0


@kernel
def _count_parameters(tree: Tree, node: int) -> int:
    """Return the number of parameters of the lambda at a node."""
    group = _find_child_in_field(tree, node, _F_PARAMETERS)
    if group < 0:
        return 0
    if tree.kind[group] == _NAME:
        return 1
    count, child = 0, group + 1
    while child < tree.stop[group]:
        count += tree.kind[child] in (_NAME, _FORMAL, _SPREAD)
        child = tree.stop[child]
    return count


@kernel
def _encode_body(tree: Tree, node: int) -> int:
    """Return the flags of a lambda's body; ``_build_rows`` adds GIVES and LEAVES at its return
    statements."""
    body = _find_child_in_field(tree, node, _F_BODY)
    if body < 0:
        return 0
    if tree.kind[body] != _BLOCK:
        return STATEMENT if tree.kind[body] in (_CALL, _NEW, _ASSIGN, _UPDATE) else 0
    last = _find_last_child(tree, body)
    return BLOCK + (ENDLESS if last >= 0 and tree.kind[last] in (_ENDLESS, _SWITCH, _BLOCK) else 0)


@kernel
def encode_expressions(tree: Tree) -> tuple[NDArray[np.uint8], Column, Column, Column]:
    """Return the columns code, size, a and b of the rows on which a file's calls depend; types and
    names are still nodes."""
    contains_call, needs_row = _find_needed_nodes(tree)
    return _build_rows(tree, contains_call, needs_row)[:4]


@kernel
def encode_all_expressions(tree: Tree) -> tuple[NDArray[np.uint8], Column, Column, Column, Column]:
    """Return the columns code, size, a and b with a row for every expression, and the row of each
    node (-1: none)."""
    needs_row = _find_needed_nodes(tree)[1]
    return _build_rows(tree, np.ones(len(tree.kind), dtype=np.bool_), needs_row)


@kernel
def _build_rows(
    tree: Tree, contains_call: NDArray[np.bool_], needs_row: NDArray[np.bool_]
) -> tuple[NDArray[np.uint8], Column, Column, Column, Column]:
    """Return the columns code, size, a and b of the rows, and the row of each node (-1: none).

    The masks are those of ``_find_needed_nodes``; a node that contains no call gets a row only if
    a row around it depends on all its children."""
    kind, field, parent, stop = tree.kind, tree.field, tree.parent, tree.stop
    node_count = len(kind)
    code = np.empty(node_count, dtype=np.uint8)
    parent_row = np.empty(node_count, dtype=np.int32)
    a_column = np.empty(node_count, dtype=np.int32)
    b_column = np.empty(node_count, dtype=np.int32)
    # For each node, the state its children inherit: the row above them, whether the whole
    # expression is needed, the row of the lambda around them. Then the node's own row.
    inherited_parent = np.full(node_count, -1, dtype=np.int32)
    needs_all = np.zeros(node_count, dtype=np.bool_)
    lambda_row = np.full(node_count, -1, dtype=np.int32)
    row_of = np.full(node_count, -1, dtype=np.int32)
    row_count, i = 0, 0
    while i < node_count:
        node_kind, parent_node = kind[i], parent[i]
        if node_kind == _SKIPPED:
            i = stop[i]
            continue
        if parent_node >= 0:
            inherited_parent[i], needs_all[i], lambda_row[i] = (
                inherited_parent[parent_node],
                needs_all[parent_node],
                lambda_row[parent_node],
            )
            if kind[parent_node] == _ASSIGN and field[i] == _F_LEFT and row_of[parent_node] >= 0:
                needs_all[i] = True
        row_code, a, b = NOTHING, 0, 0
        if tree.type_at[i] >= 0:
            row_code, a = CLASS, int(tree.type_at[i])
        elif tree.method_at[i] >= 0:
            row_code, a = BODY, int(tree.method_at[i])
        elif tree.field_at[i] >= 0:
            row_code, a = INIT, int(tree.field_at[i])
        elif node_kind != 0 and parent_node >= 0:
            row_code, a, b = _encode_node(tree, i)
        if row_code in (CLASS, BODY, INIT):
            needs_all[i], lambda_row[i] = False, -1
        is_kept = contains_call[i] or needs_all[i] or needs_row[i]
        if row_code == PARAM or (row_code == DECL and node_kind in (_FORMAL, _SPREAD)):
            # A lambda's parameters are its first children; a method's are kept only if needed.
            owner = (
                parent[parent_node] if kind[parent_node] in (_INFERRED, _FORMALS) else parent_node
            )
            is_kept = needs_row[i] or (kind[owner] == _LAMBDA and row_of[owner] >= 0)
            if row_code == PARAM:
                # The rows since the lambda's own are those of the parameters before this one.
                a = row_count - 1 - inherited_parent[i]
        elif row_code == CLASS:
            # An anonymous class is the type of its creation, even if its body has no calls.
            is_kept = is_kept or (parent_node >= 0 and kind[parent_node] in (_NEW, _CONSTANT))
        elif row_code == RETURN:
            is_kept = is_kept or lambda_row[i] >= 0
        elif row_code in (EACH, VAR) or (row_code == DECL and not contains_call[i]):
            is_kept = needs_row[i]
        elif row_code == NAME and is_kept:
            name = tree.declared[i]
            if name >= 0 and name < i:
                node, type_, dimensions = _find_declaration(tree, name)
                if node >= 0 and row_of[node] >= 0 and needs_row[node]:
                    row_code, a, b = REF, int(row_of[node]), i
                elif node >= 0 and type_ >= 0 and not tree.is_var[type_]:
                    row_code, a, b = TYPED, type_, dimensions
        if row_code != NOTHING and is_kept:
            row = row_count
            row_count += 1
            code[row], parent_row[row], a_column[row], b_column[row] = (
                row_code,
                inherited_parent[i],
                a,
                b,
            )
            if row_code == RETURN and lambda_row[i] >= 0:
                b_column[lambda_row[i]] |= GIVES if _find_last_child(tree, i) >= 0 else LEAVES
                needs_all[i] = True
            elif row_code == LAMBDA:
                lambda_row[i] = row
                needs_all[i] = True
                a_column[row], b_column[row] = _count_parameters(tree, i), _encode_body(tree, i)
            elif (row_code >= CALL and row_code <= REFERENCE) or row_code in (VAR, EACH):
                needs_all[i] = True
            inherited_parent[i] = row
            row_of[i] = row
        if node_kind == _BLOCK:
            needs_all[i] = False
        i = stop[i] if node_kind in (_TYPE, _TYPE_ARGS) else i + 1
    size = np.ones(row_count, dtype=np.int32)
    for row in range(row_count - 1, -1, -1):
        if parent_row[row] >= 0:
            size[parent_row[row]] += size[row]
    return code[:row_count], size, a_column[:row_count], b_column[:row_count], row_of
