"""A file's syntax as the kernels of NPath read it: what each node is, and what it is to its parent.

Each kernel has numbers of its own, because a kernel is compiled with them; here they have names.

NPath as products and sums from the leaves up: PMD 6, and PMD 7.0 to 7.13.

Numbers saturate: what would be more than ``most`` is ``most``.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java import language
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import among, field, name_of
from codeacumen.languages.kernel import kernel
from codeacumen.languages.syntax import SYMBOLS, Column, Syntax

KINDS = {
    "line_comment": "SKIP",
    "block_comment": "SKIP",
    "true": "TRUE",
    "parenthesized_expression": "PAREN",
    "method_invocation": "CALL",
    "object_creation_expression": "CALL",
    "array_creation_expression": "CALL",
    "field_access": "CALL",
    "method_reference": "CALL",
    "cast_expression": "CALL",
    "instanceof_expression": "CALL",
    "template_expression": "CALL",
    "update_expression": "CALL",
    "binary_expression": "BINARY",
    "unary_expression": "UNARY",
    "ternary_expression": "TERNARY",
    "lambda_expression": "LAMBDA",
    "assignment_expression": "ASSIGN",
    "array_access": "ACCESS",
    "array_initializer": "ARRAY",
    "argument_list": "ARGUMENTS",
    "dimensions_expr": "ARGUMENTS",
    "variable_declarator": "DECLARATOR",
    "resource": "DECLARATOR",
    "class_body": "TYPE_BODY",
    "enum_body": "TYPE_BODY",
    "interface_body": "TYPE_BODY",
    "annotation_type_body": "TYPE_BODY",
    "block": "BLOCK",
    "constructor_body": "BLOCK",
    "expression_statement": "STATEMENT",
    "labeled_statement": "LABELED",
    "if_statement": "IF",
    "while_statement": "WHILE",
    "do_statement": "DO",
    "for_statement": "FOR",
    "enhanced_for_statement": "FOREACH",
    "switch_expression": "SWITCH",
    "switch_block": "CASES",
    "switch_block_statement_group": "GROUP",
    "switch_rule": "RULE",
    "switch_label": "LABEL",
    "try_statement": "TRY",
    "try_with_resources_statement": "TRY",
    "resource_specification": "PART",
    "catch_clause": "PART",
    "finally_clause": "PART",
    "break_statement": "BREAK",
    "continue_statement": "CONTINUE",
    "return_statement": "RETURN",
    "throw_statement": "THROW",
    "yield_statement": "YIELD",
    "assert_statement": "ASSERT",
}
# Other tokens are SKIP.
TOKENS = {";": "SEMI", "&&": "AND_TOKEN", "||": "OR_TOKEN", "!": "NOT_TOKEN"}
FIELDS = {
    "condition": "IN_CONDITION",
    "consequence": "IN_CONSEQUENCE",
    "alternative": "IN_ALTERNATIVE",
    "body": "IN_BODY",
    "value": "IN_VALUE",
    "init": "IN_INIT",
    "update": "IN_UPDATE",
    "left": "IN_LEFT",
    "right": "IN_RIGHT",
    "index": "IN_INDEX",
}
# Of a switch: some label always fits; it is the value of something.
TOTAL, ANSWERS = 1, 2
_STATEMENTS = (
    "block",
    "constructor_body",
    "switch_block_statement_group",
    "labeled_statement",
    "if_statement",
    "while_statement",
    "do_statement",
    "for_statement",
    "enhanced_for_statement",
)


class Nodes(NamedTuple):
    """``code`` and ``place`` in a kernel's numbers; ``inner`` is a node's first child that is
    neither token nor comment, -1 if there is none; ``alternatives``: how many values a label of a
    switch names."""

    code: NDArray[np.uint8]
    place: NDArray[np.uint8]
    stop: Column
    inner: Column
    alternatives: Column


class Jumps(NamedTuple):
    """``word``: which label of a statement an identifier is, 0 if it is none; ``trait``: TOTAL
    and ANSWERS of each switch."""

    word: Column
    trait: NDArray[np.uint8]


@cache
def _codes(kernel: ModuleType) -> NDArray[np.uint8]:
    found = np.zeros(SYMBOLS, dtype=np.uint8)
    grammar = language()
    for symbol in range(grammar.node_kind_count):
        name = name_of(symbol)
        named = grammar.node_kind_is_named(symbol)
        code = KINDS.get(name, "OTHER") if named else TOKENS.get(name, "SKIP")
        found[symbol] = getattr(kernel, code, kernel.OTHER)
    return found


@cache
def _places(kernel: ModuleType) -> NDArray[np.uint8]:
    found = np.zeros(SYMBOLS, dtype=np.uint8)
    for name, place in FIELDS.items():
        found[field(name)] = getattr(kernel, place, kernel.NOWHERE)
    return found


@cache
def _silent() -> NDArray[np.bool_]:
    """Tokens and comments."""
    grammar = language()
    found = among("line_comment", "block_comment").copy()
    for symbol in range(grammar.node_kind_count):
        found[symbol] |= not grammar.node_kind_is_named(symbol)
    return found


@cache
def _words() -> NDArray[np.bool_]:
    """What may be the word default."""
    found = among("identifier").copy()
    for symbol in range(language().node_kind_count):
        found[symbol] |= name_of(symbol) == "default"
    return found


def nodes(syntax: Syntax, kernel: ModuleType) -> Nodes:
    kind, parent = syntax.kind, syntax.parent
    spoken = np.flatnonzero(~_silent()[kind])[1:]
    inner = np.full(len(syntax), -1, dtype=np.int32)
    # The last one written stays: the first.
    inner[parent[spoken][::-1]] = spoken[::-1]
    alternatives = np.zeros(len(syntax), dtype=np.int32)
    labels = among("switch_label")[kind]
    if labels.any():
        values = spoken[labels[parent[spoken]] & ~among("guard")[kind[spoken]]]
        np.add.at(alternatives, parent[values], 1)
        # A default counts as one, whatever stands beside it.
        alternatives[_defaults(syntax, labels)] = 1
        np.maximum(alternatives, 1, out=alternatives)
    return Nodes(
        _codes(kernel)[kind], _places(kernel)[syntax.field], syntax.stop, inner, alternatives
    )


def _defaults(syntax: Syntax, labels: NDArray[np.bool_]) -> Column:
    """The labels that say default; in ``case null, default`` the grammar takes it for a name."""
    at = np.flatnonzero(_words()[syntax.kind] & labels[syntax.parent])
    texts = (syntax.source[syntax.start[node] : syntax.end[node]] for node in at)
    said = [text == b"default" for text in texts]
    return syntax.parent[at[said]]


def jumps(file: JavaFile) -> Jumps:
    syntax = file.syntax
    kind, parent = syntax.kind, syntax.parent
    word = np.zeros(len(syntax), dtype=np.int32)
    target = among("labeled_statement", "break_statement", "continue_statement")
    known: dict[str, int] = {}
    for node in np.flatnonzero(among("identifier")[kind] & target[kind[parent]]).tolist():
        word[node] = known.setdefault(syntax.text(node), len(known) + 1)
    trait = np.zeros(len(syntax), dtype=np.uint8)
    switches = np.flatnonzero(among("switch_expression")[kind])
    if len(switches):
        above = parent[switches]
        above = np.where(among("expression_statement")[kind[above]], parent[above], above)
        trait[switches[~among(*_STATEMENTS)[kind[above]]]] |= ANSWERS
        trait[_total(file)] |= TOTAL
    return Jumps(word, trait)


def _total(file: JavaFile) -> list[int]:
    """The switches in which some label always fits: one says default; one is a pattern or null,
    with which javac wants all values to be named; or all constants of an enum of this file are."""
    syntax = file.syntax
    labels = among("switch_label")[syntax.kind]
    sure = set(_defaults(syntax, labels).tolist())
    named: dict[int, set[str]] = {}
    found: set[int] = set()
    open_ = among("pattern", "null_literal")
    for label in np.flatnonzero(labels).tolist():
        switch = int(syntax.parent[syntax.parent[syntax.parent[label]]])
        children = [one for one in syntax.children(label) if not _silent()[syntax.kind[one]]]
        if label in sure or open_[syntax.kind[children]].any():
            found.add(switch)
        named.setdefault(switch, set()).update(map(syntax.text, children))
    enums = _enums(syntax)
    return sorted(found | {switch for switch, names in named.items() if names in enums})


def _enums(syntax: Syntax) -> list[set[str]]:
    """The constants of each enum of the file."""
    constants: dict[int, set[str]] = {}
    name = field("name")
    for node in np.flatnonzero(among("enum_constant")[syntax.kind]).tolist():
        for child in syntax.children(node):
            if syntax.field[child] == name:
                constants.setdefault(int(syntax.parent[node]), set()).add(syntax.text(child))
    return list(constants.values())


# What a node is. SKIP: comments and tokens; SEMI: a semicolon, which may be an empty statement;
# PART: what a try adds up besides its block.
(
    OTHER,
    SKIP,
    SEMI,
    AND_TOKEN,
    OR_TOKEN,
    PAREN,
    TERNARY,
    LAMBDA,
    ASSIGN,
    ACCESS,
    ARRAY,
    ARGUMENTS,
    DECLARATOR,
    TYPE_BODY,
    IF,
    WHILE,
    DO,
    FOR,
    FOREACH,
    SWITCH,
    CASES,
    GROUP,
    RULE,
    LABEL,
    TRY,
    PART,
    RETURN,
    THROW,
    YIELD,
    ASSERT,
) = range(30)
# What a node is to its parent, where that matters.
(
    NOWHERE,
    IN_CONDITION,
    IN_CONSEQUENCE,
    IN_ALTERNATIVE,
    IN_BODY,
    IN_VALUE,
    IN_RIGHT,
    IN_INDEX,
) = range(8)


@kernel
def _times(a: int, b: int, most: int) -> int:
    if b == 1:
        return a
    if a == 0 or b == 0:
        return 0
    return most if a > most // b else a * b


@kernel
def _plus(a: int, b: int, most: int) -> int:
    return most if a > most - b else a + b


@kernel
def _is_expression(mother: int, child: int, place: int) -> bool:
    """Whether PMD 6 puts a node called Expression here."""
    if child in (SKIP, SEMI):
        return False
    if mother in (PAREN, ARGUMENTS, RETURN, THROW, YIELD, ASSERT):
        return True
    if mother == ARRAY:
        return child != ARRAY
    if mother in (DECLARATOR, FOREACH):
        return place == IN_VALUE and child != ARRAY
    return (
        (mother == ACCESS and place == IN_INDEX)
        or (mother == ASSIGN and place == IN_RIGHT)
        or (mother == FOR and place == IN_CONDITION)
    )


@kernel
def _cases(code: Any, stop: Any, value: Any, block: int, seven: bool, most: int) -> int:
    """The sum over the labels of a switch. ``waiting``: values named since the last statement,
    which PMD 7 counts with the next one."""
    total = waiting = 0
    group = block + 1
    while group < stop[block]:
        rule = code[group] == RULE
        if rule or code[group] == GROUP:
            labels, statements, throws, product = 0, False, False, 1
            at = group + 1
            while at < stop[group]:
                if code[at] == LABEL:
                    labels += 1
                    waiting += value[at]
                elif code[at] != SKIP and not (rule and code[at] == SEMI):
                    statements = True
                    throws = code[at] == THROW
                    product = _times(product, value[at], most)
                at = stop[at]
            if seven or rule:
                if statements:
                    one = rule and throws and not seven
                    total = _plus(total, 1 if one else _times(product, waiting, most), most)
                    waiting = 0
            else:
                total = _plus(total, _plus(product, labels - 1, most), most)
        group = stop[group]
    return total


@kernel
def products(tree: Any, seven: bool, most: int) -> Any:
    """The value of each node by the rules of PMD 6, or of PMD 7.0 to 7.13 (``seven``). The tree:
    codes, places, ends, each node's first child that is evaluated, how many values a label names.

    From the last node to the first, so that children come before their parents. ``operators`` is
    how many && and || there are below a node, lambdas and bodies of classes left out; ``deciding``
    is PMD 7's count, in which an expression that is a ternary has two more; ``first`` is PMD 6's
    first Expression below a node; ``plain`` the product of the children, whatever the node is.
    """
    code, place, stop, inner, alternatives = tree
    count = len(code)
    value, plain = np.ones(count, dtype=np.int64), np.ones(count, dtype=np.int64)
    operators, deciding = np.zeros(count, dtype=np.int32), np.zeros(count, dtype=np.int32)
    first = np.full(count, -1, dtype=np.int32)
    for node in range(count - 1, -1, -1):
        kind, last = code[node], stop[node]
        if last == node + 1:
            if kind in (AND_TOKEN, OR_TOKEN):
                operators[node] = deciding[node] = 1
            continue
        product, found, total, ahead = 1, 0, 0, -1
        condition = body = one = other = -1
        at = node + 1
        while at < last:
            child, where = code[at], place[at]
            product = _times(product, value[at], most)
            bound = child in (LAMBDA, TYPE_BODY)
            if not bound:
                found += operators[at]
            if ahead < 0:
                if _is_expression(kind, child, where):
                    ahead = at
                elif not bound:
                    ahead = first[at]
            if where == IN_CONDITION:
                condition = at
            elif where == IN_BODY:
                body = at
            elif where == IN_CONSEQUENCE:
                one = at
            elif where == IN_ALTERNATIVE:
                other = at
            if child == PART or where == IN_BODY:
                total = _plus(total, value[at], most)
            at = stop[at]
        plain[node], operators[node], deciding[node], first[node] = product, found, found, ahead
        asked = 0
        if condition >= 0:
            asked = deciding[condition] if seven else operators[condition]
        if kind == PAREN:
            deciding[node] = deciding[inner[node]] if inner[node] >= 0 else 0
        elif kind == LABEL:
            product = alternatives[node]
        elif kind == CASES:
            plain[node] = _cases(code, stop, value, node, seven, most)
        elif kind == SWITCH:
            product = _plus(plain[body] if body >= 0 else 0, asked, most)
            if product == 0 and not seven:
                # PMD 6 takes a product that falls for an overflow, and nothing else gives 0.
                product = most
        elif kind == TRY:
            product = total
        elif kind == TERNARY:
            product = 0
            deciding[node] = 2
            for part in (condition, one, other):
                if part >= 0:
                    product = _plus(product, value[part], most)
                    deciding[node] += deciding[part]
            if product < most:
                product = max(_plus(product, asked, most) - 1, 1)
        elif kind == IF:
            product = _plus(value[one] if one >= 0 else 1, asked, most)
            product = _plus(product, value[other] if other >= 0 else 1, most)
        elif kind in (WHILE, DO, FOR, FOREACH):
            if kind == FOREACH:
                asked = 0
            if kind in (FOR, FOREACH) and not seven:
                asked = 0 if ahead < 0 or code[ahead] == LAMBDA else operators[ahead]
            product = _plus(value[body] if body >= 0 else 1, asked + 1, most)
        elif kind == RETURN and inner[node] >= 0:
            given = inner[node]
            if seven:
                while code[given] == PAREN and inner[given] >= 0:
                    given = inner[given]
                product = _plus(plain[given], deciding[given], most)
            else:
                asked = 0 if code[given] == LAMBDA else operators[given]
                product = _plus(value[given] if value[given] > 1 else 0, asked, most)
                product = max(product, 1)
        value[node] = product
    return value
