"""A method's body as Spot reads it: a sequence of pairs of a node type and a word.

    if (out == null) throw new NullPointerException();

    IfStatement if  VariableName outputstreamVar  Operator ==  NullLiteral null
    ThrowStatement throw  New new  SimpleType NullPointerException

Nodes are in depth-first order. A *node type* is a name of Eclipse's syntax tree, which the paper's
code visits; the tables below translate the kinds of nodes of our grammar, tree-sitter's. Local
variables and parameters are replaced by their type, literals by a word for their sort; callees,
fields and types keep their names. ``networks.spot_cnn`` and ``networks.spot_vectors`` read the
pairs.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java import load_grammar
from codeacumen.languages.java.bindings.names import LOCALS, ROLE
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.file import JavaFile, parse_method
from codeacumen.languages.java.syntax.grammar import field_number, symbol_name
from codeacumen.languages.syntax import SYMBOLS
from codeacumen.models.lexer import KEYWORDS, MASK, is_name, split_tokens
from codeacumen.views.masking.files import MASKED_CALL
from codeacumen.views.paths import METHOD_NAME

# Longer texts are cut off.
_MAX_CHARACTERS = 100_000
_MASKS = frozenset((METHOD_NAME, MASKED_CALL, MASK))

# Kinds of nodes that add a pair before the pairs of their children.
_BEGINS: dict[str, tuple[str, str]] = {
    "assert_statement": ("AssertStatement", "assert"),
    "do_statement": ("DoStatement", "do"),
    "for_statement": ("ForStatement", "for"),
    "enhanced_for_statement": ("EnhancedForStatement", "for"),
    "if_statement": ("IfStatement", "if"),
    "return_statement": ("ReturnStatement", "return"),
    "switch_expression": ("SwitchStatement", "switch"),
    "synchronized_statement": ("SynchronizedStatement", "synchronized"),
    "throw_statement": ("ThrowStatement", "throw"),
    "try_statement": ("TryStatement", "try"),
    "try_with_resources_statement": ("TryStatement", "try"),
    "while_statement": ("WhileStatement", "while"),
    "yield_statement": ("YieldStatement", "yield"),
    "catch_clause": ("CatchClause", "catch"),
    "finally_clause": ("FinallyBody", "finally"),
    "case": ("SwitchCase", "case"),
    "default": ("SwitchCase", "default"),
    "final": ("Modifier", "final"),
    "lambda_expression": ("LambdaExpression", "lambda"),
    "object_creation_expression": ("New", "new"),
    "array_creation_expression": ("New", "new"),
    "instanceof": ("Operator", "instanceof"),
    "this": ("ThisExpression", "this"),
    "super": ("SuperMethodInvocation", "super"),
    "null_literal": ("NullLiteral", "null"),
    "true": ("BooleanLiteral", "true"),
    "false": ("BooleanLiteral", "false"),
}
# Kinds of nodes that add a pair; their children are skipped.
_LEAVES: dict[str, tuple[str, str]] = {
    "break_statement": ("BreakStatement", "break"),
    "continue_statement": ("ContinueStatement", "continue"),
    "string_literal": ("StringLiteral", "stringLiteral"),
    "character_literal": ("CharacterLiteral", "charLiteral"),
    "array_initializer": ("ArrayInitializer", "arrayInitializer"),
    **{
        f"{prefix}_literal": ("NumberLiteral", "numberLiteral")
        for prefix in (
            "decimal_integer",
            "hex_integer",
            "octal_integer",
            "binary_integer",
            "decimal_floating_point",
            "hex_floating_point",
        )
    },
}
# Kinds of nodes that are Java types, with the node types of their pairs. The word of the pair is
# the shortened Java type.
_TYPES = {
    "type_identifier": "SimpleType",
    "scoped_type_identifier": "SimpleType",
    "generic_type": "ParameterizedType",
    "array_type": "ArrayType",
    "annotated_type": "SimpleType",
    "integral_type": "PrimitiveType",
    "floating_point_type": "PrimitiveType",
    "boolean_type": "PrimitiveType",
    "void_type": "PrimitiveType",
    "class_literal": "TypeLiteral",
}
# Nodes that are skipped with their children: classes inside the method, whose code is not the
# method's own, and nodes that the paper's code does not visit.
_SKIPPED = (
    "class_body",
    "class_declaration",
    "interface_declaration",
    "enum_declaration",
    "record_declaration",
    "type_arguments",
    "annotation",
    "marker_annotation",
    "line_comment",
    "block_comment",
)
# Nodes whose operators add a pair; ``_collect_pairs`` explains why.
_OPERATIONS = frozenset(
    (
        "binary_expression",
        "unary_expression",
        "update_expression",
        "assignment_expression",
    )
)
_OPERATORS = frozenset(
    (
        "+",
        "-",
        "*",
        "/",
        "%",
        "++",
        "--",
        "==",
        "!=",
        "<",
        ">",
        "<=",
        ">=",
        "&&",
        "||",
        "!",
        "~",
        "&",
        "|",
        "^",
        "<<",
        ">>",
        ">>>",
        "=",
        "+=",
        "-=",
        "*=",
        "/=",
        "%=",
        "&=",
        "|=",
        "^=",
        "<<=",
        ">>=",
        ">>>=",
    )
)

# Roles of variables that are replaced by their type.
_LOCALS = tuple(ROLE[role] for role in LOCALS)
# Actions of ``_collect_pairs`` at a node. _OPENING adds the pair of _BEGINS, _LEAF that of _LEAVES,
# _TYPE that of a Java type, _NAME that of an identifier, _OPERATOR that of an operator, and
# _REFERENCE that of the method in ``A::name``; _NOTHING and _SKIP add none. From _LEAF to _SKIP and
# at _REFERENCE the children are skipped.
_NOTHING, _OPENING, _LEAF, _TYPE, _SKIP, _NAME, _OPERATOR, _REFERENCE = range(8)
_ANNOTATION = re.compile(r"@[\w.]+(\([^()]*\))?")


def extract_pairs(text: str) -> list[str]:
    """Return a method's pairs as a flat list: node type, word, node type, word, ...

    The list is empty if the method has no body. A text that is not a method gives a pair for each
    of its names.

    >>> extract_pairs("int size(List<String> all) { return all.size() + 1; }")[:6]
    ['ReturnStatement', 'return', 'VariableName', 'listVar', 'MethodName', 'size']
    """
    text = text[:_MAX_CHARACTERS].encode("utf-8", "replace").decode()
    file, method = parse_method(text)
    if method is None:
        names = (token for token in split_tokens(text) if is_name(token) and token not in KEYWORDS)
        return [
            word for name in names if name not in _MASKS for word in (_kind_of_name(name), name)
        ]
    return _collect_pairs(file, method.body) if method.body != NONE else []


def _collect_pairs(file: JavaFile, body: int) -> list[str]:
    """Return the pairs of a body as a flat list; ``body`` is its syntax node."""
    syntax = file.syntax
    stop_at = int(syntax.stop[body])
    # Reading single values is several times faster from lists than from arrays.
    inside = slice(body, stop_at)
    actions = _list_actions()[syntax.kind[inside]].tolist()
    kinds = syntax.kind[inside].tolist()
    stops = syntax.stop[inside].tolist()
    spans = list(zip(syntax.start[inside].tolist(), syntax.end[inside].tolist(), strict=True))
    type_of_node = _find_variable_types(file, body)
    parents = syntax.parent[inside].tolist()
    fields = syntax.field[inside].tolist()
    source = syntax.source
    kind_of_identifier, operation_symbols = _kinds_of_identifiers(), _list_operation_symbols()
    words: list[str] = []
    node = body
    while node < stop_at:
        offset = node - body
        action = actions[offset]
        next_node = node + 1
        if action == _OPENING:
            words += _make_pair(kinds[offset])
        elif action == _NAME:
            start, end = spans[offset]
            word = source[start:end].decode("utf-8", "replace")
            parent_kind = kinds[parents[offset] - body] if parents[offset] >= body else -1
            if word not in _MASKS:
                variable_type = type_of_node.get(node)
                kind = kind_of_identifier.get((parent_kind, fields[offset])) or _kind_of_name(word)
                words += ("VariableName", variable_type) if variable_type else (kind, word)
        elif action == _OPERATOR:
            # Symbols such as < and > count only in operations; elsewhere they may be brackets.
            if kinds[parents[offset] - body] in operation_symbols:
                words += _make_pair(kinds[offset])
        elif action:
            next_node = stops[offset]
            if action == _LEAF:
                words += _make_pair(kinds[offset])
            elif action == _TYPE:
                start, end = spans[offset]
                word = shorten_type(source[start:end])
                if word:
                    words += (_TYPES[symbol_name(kinds[offset])], word)
            elif action == _REFERENCE:
                start, end = spans[offset]
                word = source[start:end].rpartition(b"::")[2].strip().decode("utf-8", "replace")
                if word.isidentifier() and word not in _MASKS:
                    words += ("MethodName", word)
        node = next_node
    return words


def _kind_of_name(word: str) -> str:
    """Return the node type of a name without a local declaration.

    A capitalised name is probably a type or a constant.
    """
    return "Name" if word[:1].isupper() else "VariableName"


def _find_variable_types(file: JavaFile, body: int) -> dict[int, str]:
    """Return the words that replace local variables, such as "stringVar", by syntax node.

    Variables without a written type, such as lambda parameters, are left out.
    """
    bindings, syntax = file.bindings, file.syntax
    is_variable = np.isin(bindings.role, _LOCALS) & (bindings.declaration >= 0)
    is_variable &= (bindings.node >= body) & (bindings.node < syntax.stop[body])
    type_of_declaration: dict[int, str] = {}
    type_of_node: dict[int, str] = {}
    nodes, declared = (
        bindings.node[is_variable].tolist(),
        bindings.declaration[is_variable].tolist(),
    )
    for node, declaration in zip(nodes, declared, strict=True):
        if declaration not in type_of_declaration:
            type_of_declaration[declaration] = _read_declared_type(file, declaration)
        if type_of_declaration[declaration]:
            type_of_node[node] = type_of_declaration[declaration]
    return type_of_node


def _read_declared_type(file: JavaFile, declaration: int) -> str:
    """Return the word of a variable's type, such as "stringVar"; "" if none is written."""
    syntax = file.syntax
    node = int(syntax.parent[declaration])
    if symbol_name(int(syntax.kind[node])) == "variable_declarator":
        node = int(syntax.parent[node])
    for child in syntax.children(node):
        child_kind = symbol_name(int(syntax.kind[child]))
        if child_kind in _TYPES or child_kind == "catch_type":
            word = shorten_type(syntax.source[syntax.start[child] : syntax.end[child]])
            return f"{word.lower()}Var" if word else ""
        # The type is before the declared name.
        if child >= declaration:
            break
    return ""


@lru_cache(maxsize=1 << 14)
def shorten_type(written: bytes) -> str:
    """Return a type without annotations, type arguments and package.

    >>> [shorten_type(text) for text in (b"java.util.Map<K, V>", b"int [ ]", b"String.class")]
    ['Map', 'int[]', 'String']
    """
    text = _ANNOTATION.sub("", written.decode("utf-8", "replace"))
    text = "".join(text.removesuffix(".class").partition("<")[0].split())
    text = text.rpartition(".")[2]
    return "" if text in _MASKS else text


# --------------------------------------------------------------------------------------
# The grammar's symbols
# --------------------------------------------------------------------------------------


@cache
def _list_actions() -> NDArray[np.int64]:
    """Return for each grammar symbol the action of ``_collect_pairs`` at a node of its kind."""
    actions = np.zeros(SYMBOLS, np.int64)
    action_of_kind = {
        **dict.fromkeys(_SKIPPED, _SKIP),
        **dict.fromkeys(_BEGINS, _OPENING),
        **dict.fromkeys(_LEAVES, _LEAF),
        **dict.fromkeys(_TYPES, _TYPE),
        **dict.fromkeys(_OPERATORS, _OPERATOR),
        "identifier": _NAME,
        "method_reference": _REFERENCE,
    }
    for symbol in range(load_grammar().node_kind_count):
        actions[symbol] = action_of_kind.get(symbol_name(symbol), _NOTHING)
    return actions


@cache
def _make_pair(symbol: int) -> tuple[str, str]:
    """Return node type and word of a grammar symbol."""
    name = symbol_name(symbol)
    return _BEGINS.get(name) or _LEAVES.get(name) or ("Operator", name)


@cache
def _kinds_of_identifiers() -> dict[tuple[int, int], str]:
    """Return node types of identifiers, by the parent's grammar symbol and the field, 0 for none.

    ``_kind_of_name`` classifies identifiers in other positions.
    """
    kind_of_position = {
        ("method_invocation", "name"): "MethodName",
        ("labeled_statement", ""): "LabeledStatement",
    }
    node_types: dict[tuple[int, int], str] = {}
    for symbol in range(load_grammar().node_kind_count):
        for (kind, field_name), node_type in kind_of_position.items():
            if symbol_name(symbol) == kind:
                node_types[symbol, field_number(field_name) if field_name else 0] = node_type
    return node_types


@cache
def _list_operation_symbols() -> frozenset[int]:
    """Return the grammar symbols of nodes whose operators add a pair."""
    return frozenset(
        symbol
        for symbol in range(load_grammar().node_kind_count)
        if symbol_name(symbol) in _OPERATIONS
    )
