"""The part of a file's syntax that decides what its calls mean, as a small tree of rows.

Rows stand in pre-order, each with a code, the size of its subtree and two numbers whose meaning
depends on the code. Statements, parentheses and what no call depends on are left out; what a
local variable's name stands for is already there, because the bindings know it.

=============================  =====================================  ==========================
code                           ``a``                                  ``b``
=============================  =====================================  ==========================
TYPED, a variable              its type                               dimensions after its name
REF, a variable                row of its declaration                 its name
NAME, field, type or package   the name
FIELD, of its child            the name
OUTER, ``X.this``; child: X
CALL; arguments                name                                   byte offset of the name
INVOKE; receiver, arguments    name                                   byte offset of the name
UPCALL, ``X.super.m()``        name; first child: X                   byte offset of the name
NEW; arguments, CLASS          type                                   byte offset of its name
INNER; outer object, as NEW    type                                   byte offset of its name
CONSTRUCT; arguments           1 this, 2 super, +2 if qualified       byte offset of the word
CONSTANT; arguments, CLASS     name of the enum constant              byte offset of the name
REFERENCE, of its child        name, -1 for ``new``                   byte offset of the name
LAMBDA; parameters, body       number of parameters                   sum of BLOCK, GIVES, …
PARAM, of a lambda             its place
DECL; initialiser              type                                   dimensions after the name
VAR; initialiser
EACH; iterable, body           type, -1 for ``var``                   dimensions after the name
TEST, ``instanceof``           type of the variable it declares, -1
ARRAY, ``new T[n]``            type                                   dimensions
CAST, CLASS_OF, TYPE           type
ARGUMENTS, ``<T>m()``          the type arguments
LITERAL                        place in LITERALS
BINARY, UNARY                  PLUS, ARITHMETIC, …
ASSIGN; left, right            1 ``=``, 0 compound
BODY, CLASS, INIT              place of the method, type, field
=============================  =====================================  ==========================

Types and names are places in a list of texts.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from acumen.lang.java.bindings import ROLE, Bindings
from acumen.lang.java.declarations import Declarations
from acumen.lang.java.grammar import language
from acumen.lang.java.names import Names
from acumen.lang.kernel import kernel
from acumen.lang.syntax import Column, Syntax

(
    NOTHING, TYPED, REF, NAME, LITERAL, THIS, SUPER, FIELD, OUTER, INDEX, CALL, INVOKE, UPCALL,
    NEW, INNER, CONSTRUCT, CONSTANT, REFERENCE, LAMBDA, ARRAY, CAST, CONDITION, ASSIGN, BINARY,
    UNARY, UPDATE, TEST, SWITCH, CLASS_OF, TYPE, ARGUMENTS, LIST, UNKNOWN, DECL, VAR, EACH, PARAM,
    RETURN, YIELD, BODY, CLASS, INIT,
) = range(42)  # fmt: skip
CALLS = frozenset((CALL, INVOKE, UPCALL, NEW, INNER, CONSTRUCT, CONSTANT, REFERENCE))
# Codes whose ``a`` is the node of a type, of a name, until it is made a place in the texts.
OF_TYPE = (TYPED, NEW, INNER, ARRAY, CAST, CLASS_OF, TYPE, ARGUMENTS, DECL, EACH, TEST)
OF_NAME = (NAME, FIELD, CALL, INVOKE, UPCALL, CONSTANT, REFERENCE)

LITERALS = ("int", "long", "float", "double", "char", "boolean", "java.lang.String", "null")
# Of a lambda's body: it is a block; returns a value; returns none; may not get to its end;
# is an expression that may stand as a statement.
BLOCK, GIVES, LEAVES, ENDLESS, STATEMENT = 1, 2, 4, 8, 16
PLUS, ARITHMETIC, SHIFT, BITS, TRUTH = range(5)

# The grammar's nodes by numbers of our own. First those that hold expressions, then others.
_NODES = (
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
_OTHER = 1  # a node with a name that is none of these; 0 is a token
(
    _ARGS, _CALL, _FIELD, _INDEX, _BINARY, _UNARY, _UPDATE, _ASSIGN, _TERNARY, _PAREN, _CAST, _TEST,
    _LAMBDA, _REFERENCE, _NEW, _CONSTRUCT, _RETURN, _YIELD, _DECLARATOR, _LIST, _FOR, _RESOURCE,
    _ARRAY, _SWITCH, _NAME, _THIS, _SUPER, _CONSTANT, _CLASS_OF, _LITERAL, _BLOCK, _INFERRED,
    _FORMAL, _SPREAD, _CATCH, _PATTERN, _COMPONENT, _LOCAL, _TYPE, _TYPE_ARGS, _SKIPPED,
    _STATEMENT, _RULE, _DIMENSIONS, _TEMPLATE, _FORMALS, _ENDLESS,
) = range(2, 2 + len(_NODES))  # fmt: skip
_ALIASES = {
    "literal": (
        "decimal_integer_literal", "hex_integer_literal", "octal_integer_literal",
        "binary_integer_literal", "decimal_floating_point_literal",
        "hex_floating_point_literal", "true", "false", "character_literal", "string_literal",
        "null_literal",
    ),
    "type": (
        "type_identifier", "scoped_type_identifier", "generic_type", "array_type",
        "integral_type", "floating_point_type", "boolean_type", "void_type", "annotated_type",
        "catch_type",
    ),
    # No call stands in them.
    "skipped": (
        "modifiers", "annotation", "marker_annotation", "type_parameters", "superclass", "throws",
        "super_interfaces", "extends_interfaces", "permits", "line_comment", "block_comment",
        "package_declaration", "import_declaration", "module_declaration",
    ),
    "block": ("block", "constructor_body", "switch_block"),
    # Statements after which a block may not be left by its end.
    "endless": (
        "throw_statement", "while_statement", "do_statement", "for_statement", "try_statement",
        "try_with_resources_statement", "synchronized_statement", "labeled_statement",
        "if_statement",
    ),
}  # fmt: skip
_FIELDS = (
    "name", "field", "object", "type", "body", "parameters", "left", "value", "right",
    "constructor", "operator", "dimensions",
)  # fmt: skip
(
    _F_NAME, _F_FIELD, _F_OBJECT, _F_TYPE, _F_BODY, _F_PARAMETERS, _F_LEFT, _F_VALUE, _F_RIGHT,
    _F_CONSTRUCTOR, _F_OPERATOR, _F_DIMENSIONS,
) = range(1, 1 + len(_FIELDS))  # fmt: skip
_OPERATORS = {
    "+": PLUS, "-": ARITHMETIC, "*": ARITHMETIC, "/": ARITHMETIC, "%": ARITHMETIC, "<<": SHIFT,
    ">>": SHIFT, ">>>": SHIFT, "&": BITS, "|": BITS, "^": BITS, "~": ARITHMETIC,
}  # fmt: skip
_LITERAL_KINDS = {
    "decimal_floating_point_literal": 3, "hex_floating_point_literal": 3, "true": 5, "false": 5,
    "character_literal": 4, "string_literal": 6, "null_literal": 7,
}  # fmt: skip
_LOCALS = (
    "local", "parameter", "lambda parameter", "catch parameter", "pattern variable", "resource",
)  # fmt: skip


@lru_cache(maxsize=1)
def _tables() -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]:
    """By the grammar's symbol: our number of the node, and a literal's or operator's kind; by the
    grammar's field: our number of it."""
    grammar = language()
    number = {
        alias: code for code, name in enumerate(_NODES, 2) for alias in _ALIASES.get(name, (name,))
    }
    nodes = np.full(1 << 16, _OTHER, dtype=np.uint8)
    kinds = np.full(1 << 16, TRUTH, dtype=np.uint8)
    for symbol in range(grammar.node_kind_count):
        name = grammar.node_kind_for_id(symbol) or ""
        if grammar.node_kind_is_named(symbol):
            nodes[symbol] = number.get(name, _OTHER)
            kinds[symbol] = _LITERAL_KINDS.get(name, 0)
        else:
            nodes[symbol] = 0
            kinds[symbol] = _OPERATORS.get(name, TRUTH)
    fields = np.zeros(grammar.field_count + 1, dtype=np.uint8)
    for code, name in enumerate(_FIELDS, 1):
        fields[grammar.field_id_for_name(name) or 0] = code
    return nodes, kinds, fields


@kernel
def _find(node: int, wanted: int, field: NDArray[np.uint8], stop: Column) -> int:
    """The first child in a field, -1 if there is none."""
    at = node + 1
    while at < stop[node]:
        if field[at] == wanted:
            return at
        at = stop[at]
    return -1


@kernel
def _first(node: int, wanted: int, kind: NDArray[np.uint8], stop: Column) -> int:
    """The first child of a kind, -1 if there is none."""
    at = node + 1
    while at < stop[node]:
        if kind[at] == wanted:
            return at
        at = stop[at]
    return -1


@kernel
def _brackets(node: int, field: NDArray[np.uint8], stop: Column) -> int:
    """Pairs of brackets in a node's dimensions."""
    at = _find(node, _F_DIMENSIONS, field, stop)
    return 0 if at < 0 else (stop[at] - at - 1) // 2


@kernel
def _declaration(
    name: int, kind: NDArray[np.uint8], field: NDArray[np.uint8], parent: Column, stop: Column
) -> tuple[int, int, int]:
    """What declares a local variable by its name: node (-1: not a local), type (-1: none
    written), dimensions besides the type's."""
    node = parent[name]
    if node < 0:
        return -1, -1, 0
    what = kind[node]
    if what == _DECLARATOR:
        group = parent[node]
        extra = _brackets(node, field, stop)
        if kind[group] == _LOCAL:
            return node, _find(group, _F_TYPE, field, stop), extra
        if kind[group] == _SPREAD:
            return group, _first(group, _TYPE, kind, stop), extra + 1
        return -1, -1, 0
    if what in (_FORMAL, _RESOURCE, _FOR):
        return node, _find(node, _F_TYPE, field, stop), _brackets(node, field, stop)
    if what in (_CATCH, _PATTERN, _COMPONENT):
        return node, _first(node, _TYPE, kind, stop), 0
    if what == _TEST:
        return node, _find(node, _F_RIGHT, field, stop), 0
    if what == _INFERRED or (what == _LAMBDA and field[name] == _F_PARAMETERS):
        return name, -1, 0
    return -1, -1, 0


@kernel
def _needed(
    kind: NDArray[np.uint8],
    field: NDArray[np.uint8],
    parent: Column,
    stop: Column,
    declared: Column,
    inside: Column,
    is_var: NDArray[np.bool_],
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which nodes have a call below them, and which declarations are spoken of by row: those
    whose type is not written, or that a name of an inner class means."""
    n = len(kind)
    calls = np.zeros(n, dtype=np.bool_)
    for i in range(n - 1, -1, -1):
        what = kind[i]
        if what in (_CALL, _NEW, _REFERENCE, _CONSTRUCT, _CONSTANT):
            calls[i] = True
        if calls[i] and parent[i] >= 0:
            calls[parent[i]] = True
    wanted = np.zeros(n, dtype=np.bool_)
    for i in range(n):
        name = declared[i]
        if name < 0 or name >= i:
            continue
        node, type_, _ = _declaration(name, kind, field, parent, stop)
        if node >= 0 and (type_ < 0 or is_var[type_] or inside[name] != inside[i]):
            wanted[node] = True
    return calls, wanted


@kernel
def _inside(parent: Column, type_at: Column) -> Column:
    """The place of the innermost type around each node."""
    n = len(parent)
    inside = np.full(n, -1, dtype=np.int32)
    for i in range(n):
        if type_at[i] >= 0:
            inside[i] = type_at[i]
        elif parent[i] >= 0:
            inside[i] = inside[parent[i]]
    return inside


@kernel
def _code(
    i: int,
    kind: NDArray[np.uint8],
    field: NDArray[np.uint8],
    parent: Column,
    stop: Column,
    start: Column,
    end: Column,
    detail: NDArray[np.uint8],
    source: NDArray[np.uint8],
    is_var: NDArray[np.bool_],
) -> tuple[int, int, int]:
    """Code, a and b of a node by itself; names of variables and places are not its business."""
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
        name = _find(i, _F_NAME, field, stop)
        if name < 0:
            return UNKNOWN, 0, 0
        if _find(i, _F_OBJECT, field, stop) < 0:
            return CALL, name, start[name]
        at = _first(i, _SUPER, kind, stop)
        up = at >= 0 and field[at] != _F_OBJECT
        return (UPCALL if up else INVOKE), name, start[name]
    if what == _FIELD:
        at = _first(i, _SUPER, kind, stop)
        name = _find(i, _F_FIELD, field, stop)
        if name < 0 or (at >= 0 and field[at] != _F_OBJECT):
            return UNKNOWN, 0, 0
        return (OUTER if kind[name] == _THIS else FIELD), name, 0
    if what == _NEW:
        type_ = _find(i, _F_TYPE, field, stop)
        if type_ < 0:
            return UNKNOWN, 0, 0
        # The call is where the simple name of a.b.Foo<T> is.
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
        return (NEW if kind[i + 1] == 0 else INNER), type_, start[name]
    if what == _CONSTRUCT:
        word = _find(i, _F_CONSTRUCTOR, field, stop)
        if word < 0:
            return UNKNOWN, 0, 0
        outer = 2 if _find(i, _F_OBJECT, field, stop) >= 0 else 0
        return CONSTRUCT, (1 if kind[word] == _THIS else 2) + outer, start[word]
    if what == _CONSTANT:
        name = _find(i, _F_NAME, field, stop)
        return (CONSTANT if name >= 0 else NOTHING), name, start[name]
    if what == _REFERENCE:
        last = i + 1
        at = i + 1
        while at < stop[i]:
            if kind[at] != _SKIPPED:
                last = at
            at = stop[at]
        return REFERENCE, (last if kind[last] == _NAME else -1), start[last]
    if what == _LITERAL:
        of = np.int64(detail[i])
        last_byte = source[end[i] - 1] if end[i] > start[i] else 0
        if of == 0 and (last_byte == 76 or last_byte == 108):  # L
            of = 1
        elif of == 3 and (last_byte == 70 or last_byte == 102):  # F
            of = 2
        return LITERAL, of, 0
    if what == _THIS:
        return (NOTHING if field[i] == _F_FIELD or above == _CONSTRUCT else THIS), 0, 0
    if what == _SUPER:
        plain = field[i] == _F_OBJECT or above == _REFERENCE
        return (SUPER if plain and above != _CONSTRUCT else NOTHING), 0, 0
    if what in (_BINARY, _UNARY):
        operator = _find(i, _F_OPERATOR, field, stop)
        of = np.int64(detail[operator]) if operator >= 0 else TRUTH
        return (BINARY if what == _BINARY else UNARY), of, 0
    if what == _ASSIGN:
        operator = _find(i, _F_OPERATOR, field, stop)
        plain = operator >= 0 and end[operator] - start[operator] == 1
        return ASSIGN, (1 if plain else 0), 0
    if what == _CAST:
        type_ = _find(i, _F_TYPE, field, stop)
        # (A & B) x: the node itself stands for its types.
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
        return ARRAY, _find(i, _F_TYPE, field, stop), extra
    if what == _CLASS_OF:
        return CLASS_OF, _first(i, _TYPE, kind, stop), 0
    if what == _TYPE_ARGS:
        return (ARGUMENTS if above == _CALL else NOTHING), i, 0
    if what == _TYPE:
        return (TYPE if above == _REFERENCE and i == parent[i] + 1 else NOTHING), i, 0
    if what == _TEST:
        declares = _find(i, _F_NAME, field, stop) >= 0
        return TEST, (_find(i, _F_RIGHT, field, stop) if declares else -1), 0
    if what == _FOR:
        type_ = _find(i, _F_TYPE, field, stop)
        written = type_ >= 0 and not is_var[type_]
        return EACH, (type_ if written else -1), _brackets(i, field, stop)
    if (
        what in (_DECLARATOR, _FORMAL, _SPREAD, _CATCH, _RESOURCE, _PATTERN, _COMPONENT)
    ):  # fmt: skip
        name = _find(i, _F_NAME, field, stop)
        if what == _SPREAD:
            at = _first(i, _DECLARATOR, kind, stop)
            name = _find(at, _F_NAME, field, stop) if at >= 0 else -1
        elif what in (_PATTERN, _COMPONENT):
            name = _first(i, _NAME, kind, stop)
        if name < 0:
            return NOTHING, 0, 0
        node, type_, extra = _declaration(name, kind, field, parent, stop)
        if node != i:
            return NOTHING, 0, 0
        if type_ < 0 or is_var[type_]:
            return (PARAM if what == _FORMAL else VAR), -1, 0
        return DECL, type_, extra
    if what == _LAMBDA:
        return LAMBDA, 0, 0
    if what == _INDEX:
        return INDEX, 0, 0
    if what == _TERNARY:
        return CONDITION, 0, 0
    if what == _UPDATE:
        return UPDATE, 0, 0
    if what == _SWITCH:
        return SWITCH, 0, 0
    if what == _LIST:
        return LIST, 0, 0
    if what == _RETURN:
        return RETURN, 0, 0
    if what == _YIELD or (what == _STATEMENT and above == _RULE):
        return YIELD, 0, 0
    if what == _TEMPLATE or (above == _ARGS and what == _OTHER):
        return UNKNOWN, 0, 0
    return NOTHING, 0, 0


@kernel
def _ends_late(block: int, kind: NDArray[np.uint8], stop: Column) -> bool:
    """Whether a block's last statement is one that may never be left by its end."""
    last, at = 0, block + 1
    while at < stop[block]:
        if kind[at] != 0 and kind[at] != _SKIPPED:
            last = kind[at]
        at = stop[at]
    return last in (_ENDLESS, _SWITCH, _BLOCK)


@kernel
def _parameters(node: int, kind: NDArray[np.uint8], field: NDArray[np.uint8], stop: Column) -> int:
    """How many parameters a lambda has."""
    group = _find(node, _F_PARAMETERS, field, stop)
    if group < 0:
        return 0
    if kind[group] == _NAME:
        return 1
    count, at = 0, group + 1
    while at < stop[group]:
        count += kind[at] == _NAME or kind[at] == _FORMAL or kind[at] == _SPREAD
        at = stop[at]
    return count


@kernel
def _has_value(node: int, kind: NDArray[np.uint8], stop: Column) -> bool:
    at = node + 1
    while at < stop[node]:
        if kind[at] != 0 and kind[at] != _SKIPPED:
            return True
        at = stop[at]
    return False


@kernel
def _rows(
    kind: NDArray[np.uint8],
    field: NDArray[np.uint8],
    detail: NDArray[np.uint8],
    parent: Column,
    stop: Column,
    start: Column,
    end: Column,
    source: NDArray[np.uint8],
    declared: Column,
    inside: Column,
    is_var: NDArray[np.bool_],
    calls: NDArray[np.bool_],
    wanted: NDArray[np.bool_],
    type_at: Column,
    method_at: Column,
    field_at: Column,
) -> tuple[NDArray[np.uint8], Column, Column, Column]:
    n = len(kind)
    code = np.empty(n, dtype=np.uint8)
    above = np.empty(n, dtype=np.int32)
    first = np.empty(n, dtype=np.int32)
    second = np.empty(n, dtype=np.int32)
    # For each node, what its children have to know: the row above them, whether all of an
    # expression is needed, the row of the lambda, the row a declaration became.
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
        if type_at[i] >= 0:
            op, a, b = CLASS, np.int64(type_at[i]), 0
            deep[i], within[i] = False, -1
        elif method_at[i] >= 0:
            op, a, b = BODY, np.int64(method_at[i]), 0
            deep[i], within[i] = False, -1
        elif field_at[i] >= 0:
            op, a, b = INIT, np.int64(field_at[i]), 0
            deep[i] = False
        elif what == 0 or mother < 0:
            op, a, b = NOTHING, 0, 0
        else:
            op, a, b = _code(
                i, kind, field, parent, stop, start, end, detail, source, is_var,
            )  # fmt: skip
        keep = calls[i] or deep[i] or wanted[i]
        if op == PARAM or (op == DECL and (what in (_FORMAL, _SPREAD))):
            # A lambda's stand below it, in order; a method's only if spoken of.
            at = parent[mother] if kind[mother] == _INFERRED or kind[mother] == _FORMALS else mother
            keep = kind[at] == _LAMBDA and row_of[at] >= 0
            if op == PARAM:
                a = count - 1 - up[i]
            elif not keep:
                keep = wanted[i]
        elif op == CLASS:
            # What is created is of the class without a name, whatever stands in that.
            keep = keep or (mother >= 0 and (kind[mother] == _NEW or kind[mother] == _CONSTANT))
        elif op == RETURN:
            keep = keep or within[i] >= 0
        elif op in (EACH, VAR) or (op == DECL and not calls[i]):
            keep = wanted[i]
        elif op == NAME and keep:
            name = declared[i]
            if name >= 0 and name < i:
                node, type_, extra = _declaration(name, kind, field, parent, stop)
                if node >= 0 and row_of[node] >= 0 and wanted[node]:
                    op, a, b = REF, np.int64(row_of[node]), i
                elif node >= 0 and type_ >= 0 and not is_var[type_]:
                    op, a, b = TYPED, type_, extra
        if op != NOTHING and keep:
            row = count
            count += 1
            code[row], above[row], first[row], second[row] = op, up[i], a, b
            if op == RETURN and within[i] >= 0:
                second[within[i]] |= GIVES if _has_value(i, kind, stop) else LEAVES
                deep[i] = True
            elif op == LAMBDA:
                within[i] = row
                deep[i] = True
                first[row] = _parameters(i, kind, field, stop)
                body = _find(i, _F_BODY, field, stop)
                if body >= 0 and kind[body] == _BLOCK:
                    second[row] = BLOCK + (ENDLESS if _ends_late(body, kind, stop) else 0)
                elif body >= 0:
                    of = kind[body]
                    plain = of in (_CALL, _NEW, _ASSIGN, _UPDATE)
                    second[row] = STATEMENT if plain else 0
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
    return code[:count], size, first[:count], second[:count]


def expressions(
    syntax: Syntax, declared: Declarations, names: Names, bound: Bindings
) -> tuple[NDArray[np.uint8], Column, Column, Column]:
    """Columns code, size, a and b of a file's rows; a type or a name is still a node."""
    nodes, details, fields = _tables()
    kind, field = nodes[syntax.kind], fields[syntax.field]
    places = np.full((3, len(syntax)), -1, dtype=np.int32)
    for table, found in zip(
        places, (declared.types, declared.methods, declared.fields), strict=True
    ):
        table[[one.node for one in found]] = np.arange(len(found))
    local = np.isin(bound.role, [ROLE[name] for name in _LOCALS])
    declaration = np.full(len(syntax), -1, dtype=np.int32)
    declaration[bound.node[local]] = bound.declaration[local]
    is_var = np.zeros(len(syntax), dtype=np.bool_)
    if "var" in names.words:
        is_var |= names.word_of == names.words.index("var")
    inside = _inside(syntax.parent, places[0])
    calls, wanted = _needed(
        kind, field, syntax.parent, syntax.stop, declaration, inside, is_var,
    )  # fmt: skip
    return _rows(
        kind, field, details[syntax.kind], syntax.parent, syntax.stop, syntax.start, syntax.end,
        np.frombuffer(syntax.source, dtype=np.uint8), declaration, inside, is_var, calls, wanted,
        places[0], places[1], places[2],
    )  # fmt: skip
