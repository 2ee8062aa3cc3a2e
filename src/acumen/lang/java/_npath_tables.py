"""A file's syntax as the kernels of NPath read it: what each node is, and what it is to its parent.

Each kernel has numbers of its own, because a kernel is compiled with them; here they have names.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from acumen.lang.grammar import SYMBOLS
from acumen.lang.java import language
from acumen.lang.java.file import JavaFile
from acumen.lang.java.grammar import among, field, name_of
from acumen.lang.syntax import Column, Syntax

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
    "block", "constructor_body", "switch_block_statement_group", "labeled_statement",
    "if_statement", "while_statement", "do_statement", "for_statement", "enhanced_for_statement",
)  # fmt: skip


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
    return Nodes(_codes(kernel)[kind], _places(kernel)[syntax.field], syntax.stop, inner,
                 alternatives)  # fmt: skip


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
