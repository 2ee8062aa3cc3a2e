"""The rules of ``rules`` as arrays for compiled code, by the symbols of the grammar."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java import load_grammar
from codeacumen.languages.java.syntax.grammar import field_number, find_symbols
from codeacumen.languages.syntax import ERROR, MASK
from codeacumen.views.ast import codes as c
from codeacumen.views.ast.labels import LABEL
from codeacumen.views.ast.rules import BUT, BY_KIND, BY_SYMBOL, ONLY, WHICH, Part

# Names of the symbols of each code; codes of tokens are in ``_TOKENS``.
_NAMED: dict[int, tuple[str, ...]] = {
    c.COMMENT: ("line_comment", "block_comment"),
    c.CLASS_BODY: ("class_body",),
    c.TYPE_LIST: ("type_list",),
    c.TYPES_CLAUSE: ("super_interfaces", "permits"),
    c.EXTENDS_TYPES: ("extends_interfaces",),
    c.THROWS: ("throws",),
    c.BOUNDS: ("type_bound",),
    c.TYPE_ARGUMENT_LIST: ("type_arguments",),
    c.ARGUMENT_LIST: ("argument_list",),
    c.CASE_LABEL: ("switch_label",),
    c.PATTERN_BODY: ("record_pattern_body",),
    c.DIMS: ("dimensions",),
    c.INFERRED: ("inferred_parameters",),
    c.IDENTIFIER: ("identifier", "type_identifier", "this"),
    c.SUPER: ("super",),
    c.UNDERSCORE: ("underscore_pattern",),
    c.PRIMITIVE: ("integral_type", "floating_point_type", "boolean_type", "void_type"),
    c.DECIMAL: ("decimal_integer_literal",),
    c.HEXADECIMAL: ("hex_integer_literal",),
    c.OCTAL: ("octal_integer_literal",),
    c.BINARY: ("binary_integer_literal",),
    c.FLOATING: ("decimal_floating_point_literal",),
    c.HEX_FLOATING: ("hex_floating_point_literal",),
    c.CHARACTER: ("character_literal",),
    c.STRING: ("string_literal",),
    c.BOOLEAN: ("true", "false"),
    c.NULL: ("null_literal",),
    c.INNER: ("superclass", "finally_clause", "string_interpolation"),
    c.CASE_PATTERN: ("pattern",),
    c.GUARD: ("guard",),
    c.LENGTH: ("dimensions_expr",),
    c.ANNOTATED_TYPE: ("annotated_type",),
    c.SCOPED_TYPE: ("scoped_type_identifier",),
    c.GENERIC_TYPE: ("generic_type",),
    c.ARRAY_TYPE: ("array_type",),
    c.WILDCARD: ("wildcard",),
    c.CATCH_TYPE: ("catch_type",),
    c.TYPE_PARAMETER: ("type_parameter",),
    c.CREATION: ("object_creation_expression",),
    c.ARRAY_CREATION: ("array_creation_expression",),
    c.CAST: ("cast_expression",),
    c.INSTANCE_OF: ("instanceof_expression",),
    c.UNARY: ("unary_expression",),
    c.STEP: ("update_expression",),
    c.OPERATION: ("binary_expression",),
    c.ASSIGNMENT: ("assignment_expression",),
    c.LAMBDA: ("lambda_expression",),
    c.SWITCH: ("switch_expression",),
    c.GROUP: ("switch_block_statement_group",),
    c.RULE: ("switch_rule",),
    c.EXPRESSION_STATEMENT: ("expression_statement",),
    c.FOREACH: ("enhanced_for_statement",),
    c.METHOD: (
        "method_declaration", "constructor_declaration", "annotation_type_element_declaration",
    ),
    c.DECLARATION: ("local_variable_declaration", "field_declaration", "constant_declaration"),
    c.DECLARATOR: ("variable_declarator",),
    c.PARAMETER: ("formal_parameter",),
    c.RECEIVER: ("receiver_parameter",),
    c.RESOURCE: ("resource",),
    c.TYPE_PATTERN: ("type_pattern", "record_pattern_component"),
    c.ENUM_CONSTANT: ("enum_constant",),
    c.ENUM_REST: ("enum_body_declarations",),
    c.RECORD: ("record_declaration",),
    c.ANNOTATION_TYPE: ("annotation_type_declaration",),
    c.CATCH: ("catch_clause",),
    c.ANNOTATION: ("annotation", "marker_annotation"),
    c.BARE_MODIFIERS: ("modifiers",),
}  # fmt: skip
_TOKENS: dict[int, tuple[str, ...]] = {
    c.FLAG: (
        "public",
        "protected",
        "private",
        "abstract",
        "static",
        "final",
        "strictfp",
        "default",
        "synchronized",
        "native",
        "transient",
        "volatile",
        "sealed",
    ),
    c.OPEN: ("[",),
    c.ELLIPSIS: ("...",),
    c.COLON: (":",),
    c.NEW: ("new",),
    c.EXTENDS: ("extends",),
    c.CLASS: ("class",),
    c.DOT: (".",),
    c.EMPTY: (";",),
}
_BETWEEN = {
    "*": "MULTIPLY",
    "/": "DIVIDE",
    "%": "REMAINDER",
    "+": "PLUS",
    "-": "MINUS",
    "<<": "LEFT_SHIFT",
    ">>": "RIGHT_SHIFT",
    ">>>": "UNSIGNED_RIGHT_SHIFT",
    "<": "LESS_THAN",
    ">": "GREATER_THAN",
    "<=": "LESS_THAN_EQUAL",
    ">=": "GREATER_THAN_EQUAL",
    "==": "EQUAL_TO",
    "!=": "NOT_EQUAL_TO",
    "&": "AND",
    "^": "XOR",
    "|": "OR",
    "&&": "CONDITIONAL_AND",
    "||": "CONDITIONAL_OR",
}
_ASSIGNED = ("*", "/", "%", "+", "-", "<<", ">>", ">>>", "&", "^", "|")
_ASSIGNING = {"=": "ASSIGNMENT"} | {f"{o}=": f"{_BETWEEN[o]}_ASSIGNMENT" for o in _ASSIGNED}
_BEFORE = {
    "+": "UNARY_PLUS",
    "-": "UNARY_MINUS",
    "~": "BITWISE_COMPLEMENT",
    "!": "LOGICAL_COMPLEMENT",
    "++": "PREFIX_INCREMENT",
    "--": "PREFIX_DECREMENT",
}
_AFTER = {"++": "POSTFIX_INCREMENT", "--": "POSTFIX_DECREMENT"}
_OPERATORS = tuple(dict.fromkeys((*_BETWEEN, *_ASSIGNING, *_BEFORE)))

# Initial labels of codes, before ``kinds`` considers the context.
_LABELS = {
    c.CHARACTER: "CHAR_LITERAL",
    c.STRING: "STRING_LITERAL",
    c.BOOLEAN: "BOOLEAN_LITERAL",
    c.NULL: "NULL_LITERAL",
    c.WILDCARD: "UNBOUNDED_WILDCARD",
    c.UNARY: "ERRONEOUS",
    c.STEP: "ERRONEOUS",
    c.OPERATION: "ERRONEOUS",
    c.ASSIGNMENT: "ERRONEOUS",
}
# Parents of statements, in a list or in a field, and parents of a type's annotations; see
# ``codes.IN_LIST``.
_IN_LIST = ("block", "constructor_body", "switch_block_statement_group")
_IN_FIELD = (
    "if_statement",
    "while_statement",
    "do_statement",
    "for_statement",
    "enhanced_for_statement",
)
_OF_TYPE = (
    c.ANNOTATED_TYPE,
    c.DIMS,
    c.LENGTH,
    c.WILDCARD,
    c.SCOPED_TYPE,
    c.CREATION,
    c.ARRAY_CREATION,
    c.TYPE_PARAMETER,
)


class Tables(NamedTuple):
    """Arrays of the grammar and the rules.

    ``code`` is indexed by symbol and ``field`` by the grammar's field; ``label`` and ``below``
    (the kind of children) by code; ``operators`` by position and code. Code i has the rows of
    ``parts`` from ``first[i]`` to ``first[i + 1]``. ``lists[i, code]`` is the membership of a code
    in list i: NO, ITSELF or BELOW."""

    code: NDArray[np.uint8]
    field: NDArray[np.uint8]
    label: NDArray[np.uint8]
    below: NDArray[np.uint8]
    operators: NDArray[np.uint8]
    first: NDArray[np.int32]
    parts: NDArray[np.int32]
    lists: NDArray[np.uint8]


@lru_cache(maxsize=1)
def build_tables() -> Tables:
    """Return the arrays of the grammar and the rules."""
    grammar = load_grammar()
    code_by_name = {name: number for number, names in _NAMED.items() for name in names}
    code_by_name |= {name: c.FREE + index for index, name in enumerate(BY_SYMBOL)}
    code_by_token = {name: number for number, names in _TOKENS.items() for name in names}
    code_by_token |= {name: c.OPERATORS + index for index, name in enumerate(_OPERATORS)}
    code = np.zeros(1 << 16, dtype=np.uint8)
    for name, number in code_by_name.items():
        code[list(find_symbols(name))] = number
    for symbol in range(grammar.node_kind_count):
        if not grammar.node_kind_is_named(symbol):
            code[symbol] = code_by_token.get(grammar.node_kind_for_id(symbol) or "", c.NOTHING)
    code[ERROR], code[MASK] = c.ERROR, c.OPERATORS + len(_OPERATORS)
    fields = np.zeros(grammar.field_count + 1, dtype=np.uint8)
    for index, name in enumerate(c.FIELDS[1:], start=1):
        fields[field_number(name)] = index
    label = np.zeros(256, dtype=np.uint8)
    for number, name in _LABELS.items():
        label[number] = LABEL[name]
    rules = BY_KIND | {code_by_name[name]: rule for name, rule in BY_SYMBOL.items()}
    first, parts = _concatenate_rules(rules)
    return Tables(
        code,
        fields,
        label,
        _child_kinds(code_by_name),
        _operator_labels(code_by_token),
        first,
        parts,
        _list_membership(),
    )


def _child_kinds(named: dict[str, int]) -> NDArray[np.uint8]:
    """Return the kind of children of each code (``codes.IN_LIST`` to ``OF_TYPE``), 0 for others."""
    below = np.zeros(256, dtype=np.uint8)
    below[[named[name] for name in _IN_LIST]] = c.IN_LIST
    below[[named[name] for name in _IN_FIELD]] = c.IN_FIELD
    below[named["labeled_statement"]] = c.ALONE
    below[list(_OF_TYPE)] = c.OF_TYPE
    return below


def _operator_labels(tokens: dict[str, int]) -> NDArray[np.uint8]:
    """Return the label of each operator by its position."""
    operators = np.full((4, 256), LABEL["ERRONEOUS"], dtype=np.uint8)
    for position, signs in enumerate((_BETWEEN, _ASSIGNING, _BEFORE, _AFTER)):
        for sign, name in signs.items():
            operators[position, tokens[sign]] = LABEL[name]
    # The code after those of all operators is that of a masked one.
    operators[c.BETWEEN, c.OPERATORS + len(_OPERATORS)] = LABEL["MASK"]
    return operators


def _concatenate_rules(
    rules: dict[int, tuple[Part, ...]],
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the offset of each code's parts, and the parts of all codes."""
    by_code = [rules.get(number, ()) for number in range(256)]
    first = np.zeros(len(by_code) + 1, dtype=np.int32)
    np.cumsum([len(rule) for rule in by_code], out=first[1:])
    return first, np.array([part for rule in by_code for part in rule], dtype=np.int32)


def _list_membership() -> NDArray[np.uint8]:
    """Return the membership of each code in each list."""
    lists = np.zeros((len(WHICH), 256), dtype=np.uint8)
    for name, numbers in ONLY.items():
        lists[WHICH[name], list(numbers)] = c.ITSELF
    for name, numbers in BUT.items():
        lists[WHICH[name], c.TREES :] = c.ITSELF
        lists[WHICH[name], [*numbers, c.MODIFIERS, c.BARE_MODIFIERS]] = c.NO
        # The declarations after an enum's constants are members of the same list.
        lists[WHICH[name], c.ENUM_REST] = c.BELOW
    lists[WHICH["length annotations"], c.MARKED_LENGTH] = c.BELOW
    return lists
