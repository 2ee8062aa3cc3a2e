"""Kernels that reduce a file's syntax to the expressions that its calls depend on.

The result is a tree of rows in pre-order, each with a code, the size of its subtree and two numbers
whose meaning depends on the code (see ``sites``). Statements, parentheses and expressions that no
call depends on are left out. Names of local variables are already resolved by the bindings.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import kernel
from codeacumen.languages.syntax import Column

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
# Codes whose ``a`` is the node of a type or of a name, which ``sites`` replaces by a text's index.
OF_TYPE = (TYPED, NEW, INNER, ARRAY, CAST, CLASS_OF, TYPE, ARGUMENTS, DECL, EACH, TEST)
OF_NAME = (NAME, FIELD, CALL, INVOKE, UPCALL, CONSTANT, REFERENCE)

LITERALS = ("int", "long", "float", "double", "char", "boolean", "java.lang.String", "null")
# Flags of a lambda's body: it is a block; returns a value; returns without a value; may not
# complete normally; is an expression that may be a statement.
BLOCK, GIVES, LEAVES, ENDLESS, STATEMENT = 1, 2, 4, 8, 16
PLUS, ARITHMETIC, SHIFT, BITS, TRUTH = range(5)

# Own numbers for the grammar's nodes: first those that contain expressions, then others. The order
# matters: ``_encode_node`` compares with _ARGS and _SWITCH.
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
_CODE_OF = {
    _LAMBDA: LAMBDA,
    _INDEX: INDEX,
    _TERNARY: CONDITION,
    _UPDATE: UPDATE,
    _SWITCH: SWITCH,
    _LIST: LIST,
    _RETURN: RETURN,
    _TEMPLATE: UNKNOWN,
}
_PLAIN = tuple(_CODE_OF.get(node, NOTHING) for node in range(2 + len(NODES)))
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
    """Columns of a file's nodes.

    ``kind`` and ``field`` are numbers of this module, ``detail`` is the kind of a literal or
    operator. ``is_var``: the word ``var``. ``declared`` is the identifier that declares the local
    variable which the node names (-1: none). ``type_at``, ``method_at`` and ``field_at`` are the
    indices of the declaration that the node is (-1: none).
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
def _find(tree: Tree, node: int, wanted: int) -> int:
    """Return the first child in a field, -1 if there is none."""
    at = node + 1
    while at < tree.stop[node]:
        if tree.field[at] == wanted:
            return at
        at = tree.stop[at]
    return -1


@kernel
def _first(tree: Tree, node: int, wanted: int) -> int:
    """Return the first child of a kind, -1 if there is none."""
    at = node + 1
    while at < tree.stop[node]:
        if tree.kind[at] == wanted:
            return at
        at = tree.stop[at]
    return -1


@kernel
def _last(tree: Tree, node: int) -> int:
    """Return the last child that is neither a comment nor a token, -1 if there is none."""
    found, at = -1, node + 1
    while at < tree.stop[node]:
        if tree.kind[at] != 0 and tree.kind[at] != _SKIPPED:
            found = at
        at = tree.stop[at]
    return found


@kernel
def _brackets(tree: Tree, node: int) -> int:
    """Return the number of bracket pairs in a node's dimensions."""
    at = _find(tree, node, _F_DIMENSIONS)
    return 0 if at < 0 else (tree.stop[at] - at - 1) // 2


@kernel
def _declaration(tree: Tree, name: int) -> tuple[int, int, int]:
    """Return the declaration of a local variable, given its declaring identifier.

    The result is the declaring node (-1: no local), the node of the type (-1: none written) and
    the number of dimensions after the name.
    """
    node = tree.parent[name]
    if node < 0:
        return -1, -1, 0
    what = tree.kind[node]
    if what == _DECLARATOR:
        group = tree.parent[node]
        extra = _brackets(tree, node)
        if tree.kind[group] == _LOCAL:
            return node, _find(tree, group, _F_TYPE), extra
        if tree.kind[group] == _SPREAD:
            return group, _first(tree, group, _TYPE), extra + 1
        return -1, -1, 0
    if what in (_FORMAL, _RESOURCE, _FOR):
        return node, _find(tree, node, _F_TYPE), _brackets(tree, node)
    if what in (_CATCH, _PATTERN, _COMPONENT):
        return node, _first(tree, node, _TYPE), 0
    if what == _TEST:
        return node, _find(tree, node, _F_RIGHT), 0
    if what == _INFERRED or (what == _LAMBDA and tree.field[name] == _F_PARAMETERS):
        return name, -1, 0
    return -1, -1, 0


@kernel
def _inside(tree: Tree) -> Column:
    """Return the index of the innermost type around each node."""
    inside = np.full(len(tree.parent), -1, dtype=np.int32)
    for i in range(len(inside)):
        if tree.type_at[i] >= 0:
            inside[i] = tree.type_at[i]
        elif tree.parent[i] >= 0:
            inside[i] = inside[tree.parent[i]]
    return inside


@kernel
def _needed(tree: Tree) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return two masks of nodes: those that contain a call, and declarations that need a row.

    A declaration needs a row if its type is inferred, or if an inner class uses the variable.
    """
    n = len(tree.kind)
    calls = np.zeros(n, dtype=np.bool_)
    for i in range(n - 1, -1, -1):
        if tree.kind[i] in (_CALL, _NEW, _REFERENCE, _CONSTRUCT, _CONSTANT):
            calls[i] = True
        if calls[i] and tree.parent[i] >= 0:
            calls[tree.parent[i]] = True
    inside = _inside(tree)
    wanted = np.zeros(n, dtype=np.bool_)
    for i in range(n):
        name = tree.declared[i]
        if name < 0 or name >= i:
            continue
        node, type_, _ = _declaration(tree, name)
        if node >= 0 and (type_ < 0 or tree.is_var[type_] or inside[name] != inside[i]):
            wanted[node] = True
    return calls, wanted


@kernel
def _code(tree: Tree, i: int) -> tuple[int, int, int]:
    """Return code, a and b of a node; ``_build_rows`` adds what depends on other rows."""
    kind, field, parent, stop = tree.kind, tree.field, tree.parent, tree.stop
    what, above = kind[i], kind[parent[i]]
    if what == _NAME:
        if above == _INFERRED or (above == _LAMBDA and field[i] == _F_PARAMETERS):
            return PARAM, -1, 0
        if above > _SWITCH or above < _ARGS:
            return NOTHING, 0, 0
        if field[i] == _F_NAME or field[i] == _F_FIELD:
            return NOTHING, 0, 0
        if above == _REFERENCE and i != parent[i] + 1:
            return NOTHING, 0, 0
        return NAME, i, 0
    if what == _CALL:
        name = _find(tree, i, _F_NAME)
        if name < 0:
            return UNKNOWN, 0, 0
        if _find(tree, i, _F_OBJECT) < 0:
            return CALL, name, tree.start[name]
        at = _first(tree, i, _SUPER)
        up = at >= 0 and field[at] != _F_OBJECT
        return (UPCALL if up else INVOKE), name, tree.start[name]
    if what == _FIELD:
        at = _first(tree, i, _SUPER)
        name = _find(tree, i, _F_FIELD)
        if name < 0 or (at >= 0 and field[at] != _F_OBJECT):
            return UNKNOWN, 0, 0
        return (OUTER if kind[name] == _THIS else FIELD), name, 0
    if what == _NEW:
        type_ = _find(tree, i, _F_TYPE)
        if type_ < 0:
            return UNKNOWN, 0, 0
        # The call's offset is that of the simple name: Foo in a.b.Foo<T>.
        name = type_
        at = name + 1
        below = -1
        while True:
            if at < stop[name]:
                below = at if kind[at] == _TYPE else below
                at = stop[at]
            elif below >= 0:
                name, at, below = below, below + 1, -1
            else:
                break
        return (NEW if kind[i + 1] == 0 else INNER), type_, tree.start[name]
    if what == _CONSTRUCT:
        word = _find(tree, i, _F_CONSTRUCTOR)
        if word < 0:
            return UNKNOWN, 0, 0
        outer = 2 if _find(tree, i, _F_OBJECT) >= 0 else 0
        return CONSTRUCT, (1 if kind[word] == _THIS else 2) + outer, tree.start[word]
    if what == _CONSTANT:
        name = _find(tree, i, _F_NAME)
        return (CONSTANT if name >= 0 else NOTHING), name, tree.start[name]
    if what == _REFERENCE:
        last = stop[i] - 1
        return REFERENCE, (last if kind[last] == _NAME else -1), tree.start[last]
    if what == _LITERAL:
        return LITERAL, int(tree.detail[i]), 0
    if what == _THIS:
        return (NOTHING if field[i] == _F_FIELD or above == _CONSTRUCT else THIS), 0, 0
    if what == _SUPER:
        plain = field[i] == _F_OBJECT or above == _REFERENCE
        return (SUPER if plain and above != _CONSTRUCT else NOTHING), 0, 0
    if what in (_BINARY, _UNARY):
        operator = _find(tree, i, _F_OPERATOR)
        of = int(tree.detail[operator]) if operator >= 0 else TRUTH
        return (BINARY if what == _BINARY else UNARY), of, 0
    if what == _ASSIGN:
        operator = _find(tree, i, _F_OPERATOR)
        plain = operator >= 0 and tree.end[operator] - tree.start[operator] == 1
        return ASSIGN, (1 if plain else 0), 0
    if what == _CAST:
        type_ = _find(tree, i, _F_TYPE)
        # (A & B) x: refer to the cast itself, which has several types.
        types = 0
        at = i + 1
        while at < stop[i]:
            types += field[at] == _F_TYPE
            at = stop[at]
        return CAST, (i if types > 1 else type_), 0
    if what == _ARRAY:
        extra = 0
        at = i + 1
        while at < stop[i]:
            if field[at] == _F_DIMENSIONS:
                extra += (stop[at] - at - 1) // 2 if kind[at] == _DIMENSIONS else 1
            at = stop[at]
        return ARRAY, _find(tree, i, _F_TYPE), extra
    if what == _CLASS_OF:
        return CLASS_OF, _first(tree, i, _TYPE), 0
    if what == _TYPE_ARGS:
        return (ARGUMENTS if above == _CALL else NOTHING), i, 0
    if what == _TYPE:
        return (TYPE if above == _REFERENCE and i == parent[i] + 1 else NOTHING), i, 0
    if what == _TEST:
        declares = _find(tree, i, _F_NAME) >= 0
        return TEST, (_find(tree, i, _F_RIGHT) if declares else -1), 0
    if what == _FOR:
        type_ = _find(tree, i, _F_TYPE)
        written = type_ >= 0 and not tree.is_var[type_]
        return EACH, (type_ if written else -1), _brackets(tree, i)
    if what in (_DECLARATOR, _FORMAL, _SPREAD, _CATCH, _RESOURCE, _PATTERN, _COMPONENT):
        name = _find(tree, i, _F_NAME)
        if what == _SPREAD:
            at = _first(tree, i, _DECLARATOR)
            name = _find(tree, at, _F_NAME) if at >= 0 else -1
        elif what in (_PATTERN, _COMPONENT):
            name = _first(tree, i, _NAME)
        if name < 0:
            return NOTHING, 0, 0
        node, type_, extra = _declaration(tree, name)
        if node != i:
            return NOTHING, 0, 0
        if type_ < 0 or tree.is_var[type_]:
            return (PARAM if what == _FORMAL else VAR), -1, 0
        return DECL, type_, extra
    if what == _YIELD or (what == _STATEMENT and above == _RULE):
        return YIELD, 0, 0
    if above == _ARGS and what == OTHER:
        return UNKNOWN, 0, 0
    return _PLAIN[what], 0, 0


@kernel
def _parameters(tree: Tree, node: int) -> int:
    """Return the number of a lambda's parameters."""
    group = _find(tree, node, _F_PARAMETERS)
    if group < 0:
        return 0
    if tree.kind[group] == _NAME:
        return 1
    count, at = 0, group + 1
    while at < tree.stop[group]:
        count += tree.kind[at] in (_NAME, _FORMAL, _SPREAD)
        at = tree.stop[at]
    return count


@kernel
def _body(tree: Tree, node: int) -> int:
    """Return flags of a lambda's body; those of return statements are added later."""
    body = _find(tree, node, _F_BODY)
    if body < 0:
        return 0
    if tree.kind[body] != _BLOCK:
        return STATEMENT if tree.kind[body] in (_CALL, _NEW, _ASSIGN, _UPDATE) else 0
    last = _last(tree, body)
    return BLOCK + (ENDLESS if last >= 0 and tree.kind[last] in (_ENDLESS, _SWITCH, _BLOCK) else 0)


@kernel
def expressions(tree: Tree) -> tuple[NDArray[np.uint8], Column, Column, Column]:
    """Return the columns code, size, a and b of a file's rows; types and names are still nodes."""
    calls, wanted = _needed(tree)
    return _rows(tree, calls, wanted)[:4]


@kernel
def every_expression(tree: Tree) -> tuple[NDArray[np.uint8], Column, Column, Column, Column]:
    """Return the columns with a row for every expression, and the row of each node (-1: none)."""
    wanted = _needed(tree)[1]
    return _rows(tree, np.ones(len(tree.kind), dtype=np.bool_), wanted)


@kernel
def _rows(
    tree: Tree, calls: NDArray[np.bool_], wanted: NDArray[np.bool_]
) -> tuple[NDArray[np.uint8], Column, Column, Column, Column]:
    kind, field, parent, stop = tree.kind, tree.field, tree.parent, tree.stop
    n = len(kind)
    code = np.empty(n, dtype=np.uint8)
    above = np.empty(n, dtype=np.int32)
    first = np.empty(n, dtype=np.int32)
    second = np.empty(n, dtype=np.int32)
    # For each node, the state its children inherit: the row above them, whether the whole
    # expression is needed, the row of the lambda around them. Then the node's own row.
    up = np.full(n, -1, dtype=np.int32)
    deep = np.zeros(n, dtype=np.bool_)
    within = np.full(n, -1, dtype=np.int32)
    row_of = np.full(n, -1, dtype=np.int32)
    count, i = 0, 0
    while i < n:
        what, mother = kind[i], parent[i]
        if what == _SKIPPED:
            i = stop[i]
            continue
        if mother >= 0:
            up[i], deep[i], within[i] = up[mother], deep[mother], within[mother]
            if kind[mother] == _ASSIGN and field[i] == _F_LEFT and row_of[mother] >= 0:
                deep[i] = True
        op, a, b = NOTHING, 0, 0
        if tree.type_at[i] >= 0:
            op, a = CLASS, int(tree.type_at[i])
        elif tree.method_at[i] >= 0:
            op, a = BODY, int(tree.method_at[i])
        elif tree.field_at[i] >= 0:
            op, a = INIT, int(tree.field_at[i])
        elif what != 0 and mother >= 0:
            op, a, b = _code(tree, i)
        if op in (CLASS, BODY, INIT):
            deep[i], within[i] = False, -1
        keep = calls[i] or deep[i] or wanted[i]
        if op == PARAM or (op == DECL and what in (_FORMAL, _SPREAD)):
            # A lambda's parameters are its first children; a method's are kept only if needed.
            at = parent[mother] if kind[mother] in (_INFERRED, _FORMALS) else mother
            keep = wanted[i] or (kind[at] == _LAMBDA and row_of[at] >= 0)
            if op == PARAM:
                a = count - 1 - up[i]
        elif op == CLASS:
            # An anonymous class is the type of its creation, even if its body has no calls.
            keep = keep or (mother >= 0 and kind[mother] in (_NEW, _CONSTANT))
        elif op == RETURN:
            keep = keep or within[i] >= 0
        elif op in (EACH, VAR) or (op == DECL and not calls[i]):
            keep = wanted[i]
        elif op == NAME and keep:
            name = tree.declared[i]
            if name >= 0 and name < i:
                node, type_, extra = _declaration(tree, name)
                if node >= 0 and row_of[node] >= 0 and wanted[node]:
                    op, a, b = REF, int(row_of[node]), i
                elif node >= 0 and type_ >= 0 and not tree.is_var[type_]:
                    op, a, b = TYPED, type_, extra
        if op != NOTHING and keep:
            row = count
            count += 1
            code[row], above[row], first[row], second[row] = op, up[i], a, b
            if op == RETURN and within[i] >= 0:
                second[within[i]] |= GIVES if _last(tree, i) >= 0 else LEAVES
                deep[i] = True
            elif op == LAMBDA:
                within[i] = row
                deep[i] = True
                first[row], second[row] = _parameters(tree, i), _body(tree, i)
            elif (op >= CALL and op <= REFERENCE) or op in (VAR, EACH):
                deep[i] = True
            up[i] = row
            row_of[i] = row
        if what == _BLOCK:
            deep[i] = False
        i = stop[i] if what in (_TYPE, _TYPE_ARGS) else i + 1
    size = np.ones(count, dtype=np.int32)
    for row in range(count - 1, -1, -1):
        if above[row] >= 0:
            size[above[row]] += size[row]
    return code[:count], size, first[:count], second[:count], row_of
