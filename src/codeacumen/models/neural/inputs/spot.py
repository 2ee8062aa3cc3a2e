"""A method's body as Spot reads it: pairs of what a node is and what stands there.

    if (out == null) throw new NullPointerException();

    IfStatement if  VariableName outputstreamVar  Operator ==  NullLiteral null
    ThrowStatement throw  New new  SimpleType NullPointerException

Depth first, in the words of Eclipse's syntax tree, which the paper's code walks. Variables of the
method are called by their type, literals by their kind; callees, fields and types keep their names.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java import language
from codeacumen.languages.java.bindings.names import ROLE
from codeacumen.languages.java.syntax.declarations import NONE, MethodDeclaration
from codeacumen.languages.java.syntax.file import JavaFile, parse_snippet
from codeacumen.languages.java.syntax.grammar import field, name_of
from codeacumen.languages.syntax import SYMBOLS
from codeacumen.models.lexer import KEYWORDS, MASK, is_name, tokens
from codeacumen.views.masking.files import MASKED_CALL
from codeacumen.views.paths import METHOD_NAME

_MOST_CHARACTERS = 100_000
_MASKS = frozenset((METHOD_NAME, MASKED_CALL, MASK))

# Nodes that are a pair before anything below them is looked at.
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
# Nodes that are a pair, whatever is below them.
_WHOLE: dict[str, tuple[str, str]] = {
    "break_statement": ("BreakStatement", "break"),
    "continue_statement": ("ContinueStatement", "continue"),
    "string_literal": ("StringLiteral", "stringLiteral"),
    "character_literal": ("CharacterLiteral", "charLiteral"),
    "array_initializer": ("ArrayInitializer", "arrayInitializer"),
    **{
        f"{one}_literal": ("NumberLiteral", "numberLiteral")
        for one in (
            "decimal_integer",
            "hex_integer",
            "octal_integer",
            "binary_integer",
            "decimal_floating_point",
            "hex_floating_point",
        )
    },
}
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
# Not the method's own doing (what classes within it do), or not looked at by the paper's code.
_PASSED = (
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

_LOCALS = tuple(
    ROLE[role]
    for role in (
        "local",
        "parameter",
        "lambda parameter",
        "catch parameter",
        "pattern variable",
        "resource",
    )
)
_NOTHING, _BEGIN, _ALL, _TYPE, _PASS, _NAME, _OPERATOR, _REFERENCE = range(8)
_ANNOTATION = re.compile(r"@[\w.]+(\([^()]*\))?")


def pairs(text: str) -> list[str]:
    """Node, word, node, word and so on; nothing where a method has no body. A text that is no
    method is its names.

    >>> pairs("int size(List<String> all) { return all.size() + 1; }")[:6]
    ['ReturnStatement', 'return', 'VariableName', 'listVar', 'MethodName', 'size']
    """
    text = text[:_MOST_CHARACTERS].encode("utf-8", "replace").decode()
    file, method = _parsed(text)
    if method is None:
        names = (one for one in tokens(text) if is_name(one) and one not in KEYWORDS)
        return [word for one in names if one not in _MASKS for word in (_named(one), one)]
    return _walked(file, method.body) if method.body != NONE else []


def _parsed(text: str) -> tuple[JavaFile, MethodDeclaration | None]:
    """A class around the text, and the first method in it that is no other class's."""
    file = parse_snippet(text, leading_newline=True, trailing_newline=True).file
    own = (one for one in file.declarations.methods if one.type in (0, NONE))
    return file, next(own, None)


def _walked(file: JavaFile, body: int) -> list[str]:
    syntax = file.syntax
    stop_at = int(syntax.stop[body])
    # Lists: single values are looked up in them several times as fast as in arrays.
    inside = slice(body, stop_at)
    action = _actions()[syntax.kind[inside]].tolist()
    kinds = syntax.kind[inside].tolist()
    stops = syntax.stop[inside].tolist()
    spans = list(zip(syntax.start[inside].tolist(), syntax.end[inside].tolist(), strict=True))
    types = _variables(file, body)
    parents = syntax.parent[inside].tolist()
    fields = syntax.field[inside].tolist()
    source = syntax.source
    called, operation = _callees(), _operations()
    found: list[str] = []
    at = body
    while at < stop_at:
        here = at - body
        what = action[here]
        after = at + 1
        if what == _BEGIN:
            found += _pair(kinds[here])
        elif what == _NAME:
            start, end = spans[here]
            word = source[start:end].decode("utf-8", "replace")
            mother = kinds[parents[here] - body] if parents[here] >= body else -1
            if word not in _MASKS:
                known = types.get(at)
                kind = called.get((mother, fields[here])) or _named(word)
                found += ("VariableName", known) if known else (kind, word)
        elif what == _OPERATOR:
            # < and > may be brackets, and - a part of an arrow.
            if kinds[parents[here] - body] in operation:
                found += _pair(kinds[here])
        elif what:
            after = stops[here]
            if what == _ALL:
                found += _pair(kinds[here])
            elif what == _TYPE:
                start, end = spans[here]
                word = simple_type(source[start:end])
                if word:
                    found += (_TYPES[name_of(kinds[here])], word)
            elif what == _REFERENCE:
                start, end = spans[here]
                word = source[start:end].rpartition(b"::")[2].strip().decode("utf-8", "replace")
                if word.isidentifier() and word not in _MASKS:
                    found += ("MethodName", word)
        at = after
    return found


def _named(word: str) -> str:
    """A name that is nobody's here: with a capital a type's or a constant's."""
    return "Name" if word[:1].isupper() else "VariableName"


def _variables(file: JavaFile, body: int) -> dict[int, str]:
    """For identifiers of the method's own variables, their type's word. Those whose type is not
    written down are not among them."""
    bound, syntax = file.bindings, file.syntax
    own = np.isin(bound.role, _LOCALS) & (bound.declaration >= 0)
    own &= (bound.node >= body) & (bound.node < syntax.stop[body])
    known: dict[int, str] = {}
    found: dict[int, str] = {}
    nodes, declared = bound.node[own].tolist(), bound.declaration[own].tolist()
    for node, declaration in zip(nodes, declared, strict=True):
        if declaration not in known:
            known[declaration] = _type_of(file, declaration)
        if known[declaration]:
            found[node] = known[declaration]
    return found


def _type_of(file: JavaFile, declaration: int) -> str:
    syntax = file.syntax
    node = int(syntax.parent[declaration])
    if name_of(int(syntax.kind[node])) == "variable_declarator":
        node = int(syntax.parent[node])
    for child in syntax.children(node):
        called = name_of(int(syntax.kind[child]))
        if called in _TYPES or called == "catch_type":
            word = simple_type(syntax.source[syntax.start[child] : syntax.end[child]])
            return f"{word.lower()}Var" if word else ""
        if child >= declaration:
            break
    return ""


@lru_cache(maxsize=1 << 14)
def simple_type(written: bytes) -> str:
    """A type without what it is of and where it is from.

    >>> simple_type(b"java.util.Map<K, V>"), simple_type(b"int [ ]"), simple_type(b"String.class")
    ('Map', 'int[]', 'String')
    """
    text = _ANNOTATION.sub("", written.decode("utf-8", "replace"))
    text = "".join(text.removesuffix(".class").partition("<")[0].split())
    text = text.rpartition(".")[2]
    return "" if text in _MASKS else text


# --------------------------------------------------------------------------------------
# The grammar's symbols
# --------------------------------------------------------------------------------------


@cache
def _actions() -> NDArray[np.int64]:
    """For any symbol what is to be done with it."""
    made = np.zeros(SYMBOLS, np.int64)
    todo = {
        **dict.fromkeys(_PASSED, _PASS),
        **dict.fromkeys(_BEGINS, _BEGIN),
        **dict.fromkeys(_WHOLE, _ALL),
        **dict.fromkeys(_TYPES, _TYPE),
        **dict.fromkeys(_OPERATORS, _OPERATOR),
        "identifier": _NAME,
        "method_reference": _REFERENCE,
    }
    for symbol in range(language().node_kind_count):
        made[symbol] = todo.get(name_of(symbol), _NOTHING)
    return made


@cache
def _pair(symbol: int) -> tuple[str, str]:
    name = name_of(symbol)
    return _BEGINS.get(name) or _WHOLE.get(name) or ("Operator", name)


@cache
def _callees() -> dict[tuple[int, int], str]:
    """What an identifier is below some nodes, by their symbols and its field."""
    told = {
        ("method_invocation", "name"): "MethodName",
        ("labeled_statement", ""): "LabeledStatement",
    }
    made: dict[tuple[int, int], str] = {}
    for symbol in range(language().node_kind_count):
        for (kind, of), is_ in told.items():
            if name_of(symbol) == kind:
                made[symbol, field(of) if of else 0] = is_
    return made


@cache
def _operations() -> frozenset[int]:
    return frozenset(
        one for one in range(language().node_kind_count) if name_of(one) in _OPERATIONS
    )
