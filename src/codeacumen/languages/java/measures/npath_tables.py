"""Tables of the NPath kernels, and NPath by the rules of PMD 6 and of PMD 7.0 to 7.13.

Two modules have kernels: this one and ``npath_paths``. Each defines its own integer constants for
kinds of nodes (``IF``) and for fields (``IN_BODY``), because kernels are compiled with them. The
tables ``KINDS``, ``TOKENS`` and ``FIELDS`` map the grammar to the names of these constants, and
``classify_nodes`` looks the names up in the kernel module that it is called with.
``compute_products`` computes NPath as products and sums from the leaves up. Numbers saturate at
``maximum``. ``measures/npath.py`` calls both, and ``docs/npath.md`` lists the rules.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java import load_grammar
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import field_number, symbol_mask, symbol_name
from codeacumen.languages.kernel import kernel
from codeacumen.languages.syntax import SYMBOLS, Column, Syntax

# Names of the codes of the grammar's kinds. A name that a kernel module lacks, as both lack BLOCK,
# stands for OTHER there.
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
# Codes of tokens; all other tokens are SKIP.
TOKENS = {";": "SEMI", "&&": "AND_TOKEN", "||": "OR_TOKEN", "!": "NOT_TOKEN"}
# Codes of fields. A name that a kernel module lacks, and any other field, is NOWHERE there.
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
# Flags of a switch, as in npath_paths. TOTAL: some label always matches; ANSWERS: the switch is an
# expression, because its parent is not one of _STATEMENTS.
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


class NpathNodes(NamedTuple):
    """Columns of a file, one value per node.

    ``code`` and ``field`` are in a kernel's numbers; ``stop`` is as in ``Syntax``; ``inner`` is a
    node's first child that is neither token nor comment, -1 if there is none; ``alternatives`` is
    the number of values of a switch label, 0 for other nodes.
    """

    code: NDArray[np.uint8]
    field: NDArray[np.uint8]
    stop: Column
    inner: Column
    alternatives: Column


class Jumps(NamedTuple):
    """Columns for jumps, one value per node.

    ``word`` is the number of the statement label that an identifier names, 0 for all other nodes;
    ``trait`` holds the flags TOTAL and ANSWERS of a switch.
    """

    word: Column
    trait: NDArray[np.uint8]


@cache
def _symbol_codes(kernel: ModuleType) -> NDArray[np.uint8]:
    """Return the code of each symbol of the grammar, in the numbers of a kernel module."""
    codes = np.zeros(SYMBOLS, dtype=np.uint8)
    grammar = load_grammar()
    for symbol in range(grammar.node_kind_count):
        name = symbol_name(symbol)
        is_named = grammar.node_kind_is_named(symbol)
        code = KINDS.get(name, "OTHER") if is_named else TOKENS.get(name, "SKIP")
        codes[symbol] = getattr(kernel, code, kernel.OTHER)
    return codes


@cache
def _field_codes(kernel: ModuleType) -> NDArray[np.uint8]:
    """Return the code of each field of the grammar, in the numbers of a kernel module."""
    codes = np.zeros(SYMBOLS, dtype=np.uint8)
    for name, place in FIELDS.items():
        codes[field_number(name)] = getattr(kernel, place, kernel.NOWHERE)
    return codes


@cache
def _silent_mask() -> NDArray[np.bool_]:
    """Return a mask of the symbols of tokens and comments."""
    grammar = load_grammar()
    mask = symbol_mask("line_comment", "block_comment").copy()
    for symbol in range(grammar.node_kind_count):
        mask[symbol] |= not grammar.node_kind_is_named(symbol)
    return mask


@cache
def _default_word_mask() -> NDArray[np.bool_]:
    """Return a mask of the symbols whose text may be the word ``default``."""
    mask = symbol_mask("identifier").copy()
    for symbol in range(load_grammar().node_kind_count):
        mask[symbol] |= symbol_name(symbol) == "default"
    return mask


def classify_nodes(syntax: Syntax, kernel: ModuleType) -> NpathNodes:
    """Return the columns that a kernel module reads: this module or ``npath_paths``."""
    kind, parent = syntax.kind, syntax.parent
    # All nodes but tokens and comments; the first one is the root, which has no parent.
    evaluated = np.flatnonzero(~_silent_mask()[kind])[1:]
    inner = np.full(len(syntax), -1, dtype=np.int32)
    # In reverse, so that a parent's first child is written last and stays.
    inner[parent[evaluated][::-1]] = evaluated[::-1]
    alternatives = np.zeros(len(syntax), dtype=np.int32)
    labels = symbol_mask("switch_label")[kind]
    if labels.any():
        values = evaluated[labels[parent[evaluated]] & ~symbol_mask("guard")[kind[evaluated]]]
        np.add.at(alternatives, parent[values], 1)
        # A label with a default counts as one value, with or without others.
        alternatives[_find_default_labels(syntax, labels)] = 1
        np.maximum(alternatives, 1, out=alternatives)
    return NpathNodes(
        _symbol_codes(kernel)[kind],
        _field_codes(kernel)[syntax.field],
        syntax.stop,
        inner,
        alternatives,
    )


def _find_default_labels(syntax: Syntax, labels: NDArray[np.bool_]) -> Column:
    """Return the labels with ``default``.

    In ``case null, default`` the grammar parses ``default`` as an identifier.
    """
    words = np.flatnonzero(_default_word_mask()[syntax.kind] & labels[syntax.parent])
    texts = (syntax.source[syntax.start[node] : syntax.end[node]] for node in words)
    is_default = [text == b"default" for text in texts]
    return syntax.parent[words[is_default]]


def find_jumps(file: JavaFile) -> Jumps:
    """Return the columns for jumps that ``npath_paths`` reads."""
    syntax = file.syntax
    kind, parent = syntax.kind, syntax.parent
    word = np.zeros(len(syntax), dtype=np.int32)
    has_label = symbol_mask("labeled_statement", "break_statement", "continue_statement")
    label_numbers: dict[str, int] = {}
    for node in np.flatnonzero(symbol_mask("identifier")[kind] & has_label[kind[parent]]).tolist():
        word[node] = label_numbers.setdefault(syntax.text(node), len(label_numbers) + 1)
    trait = np.zeros(len(syntax), dtype=np.uint8)
    switches = np.flatnonzero(symbol_mask("switch_expression")[kind])
    if len(switches):
        parents = parent[switches]
        # The grammar puts some switch statements into an expression statement.
        parents = np.where(
            symbol_mask("expression_statement")[kind[parents]], parent[parents], parents
        )
        trait[switches[~symbol_mask(*_STATEMENTS)[kind[parents]]]] |= ANSWERS
        trait[_find_total_switches(file)] |= TOTAL
    return Jumps(word, trait)


def _find_total_switches(file: JavaFile) -> list[int]:
    """Return the nodes of the switches in which some label always matches.

    These are a switch with ``default``, one with a pattern or null, which javac requires to be
    exhaustive, and one that names all constants of an enum of this file.
    """
    syntax = file.syntax
    labels = symbol_mask("switch_label")[syntax.kind]
    default_labels = set(_find_default_labels(syntax, labels).tolist())
    names_of_switch: dict[int, set[str]] = {}
    switches: set[int] = set()
    requires_total = symbol_mask("pattern", "null_literal")
    for label in np.flatnonzero(labels).tolist():
        # The ancestors of a label: its group or rule, the block, the switch.
        switch = int(syntax.parent[syntax.parent[syntax.parent[label]]])
        children = [
            child for child in syntax.children(label) if not _silent_mask()[syntax.kind[child]]
        ]
        if label in default_labels or requires_total[syntax.kind[children]].any():
            switches.add(switch)
        names_of_switch.setdefault(switch, set()).update(map(syntax.text, children))
    enums = _list_enum_constants(syntax)
    return sorted(
        switches | {switch for switch, names in names_of_switch.items() if names in enums}
    )


def _list_enum_constants(syntax: Syntax) -> list[set[str]]:
    """Return the names of the constants of each enum of the file."""
    constants: dict[int, set[str]] = {}
    name = field_number("name")
    for node in np.flatnonzero(symbol_mask("enum_constant")[syntax.kind]).tolist():
        for child in syntax.children(node):
            if syntax.field[child] == name:
                constants.setdefault(int(syntax.parent[node]), set()).add(syntax.text(child))
    return list(constants.values())


# Codes of nodes. SKIP: comments and tokens; SEMI: a semicolon, which may be an empty statement;
# PART: a part of a try that is added to its block.
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
# Fields of a node in its parent, as far as the rules need them.
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
def _saturating_product(a: int, b: int, maximum: int) -> int:
    if b == 1:
        return a
    if a == 0 or b == 0:
        return 0
    return maximum if a > maximum // b else a * b


@kernel
def _saturating_sum(a: int, b: int, maximum: int) -> int:
    return maximum if a > maximum - b else a + b


@kernel
def _is_expression(parent: int, child: int, field: int) -> bool:
    """Return whether PMD 6's syntax tree has an Expression node for a child.

    The arguments are the codes of the parent, of the child, and of the child's field.
    """
    if child in (SKIP, SEMI):
        return False
    if parent in (PAREN, ARGUMENTS, RETURN, THROW, YIELD, ASSERT):
        return True
    if parent == ARRAY:
        return child != ARRAY
    if parent in (DECLARATOR, FOREACH):
        return field == IN_VALUE and child != ARRAY
    return (
        (parent == ACCESS and field == IN_INDEX)
        or (parent == ASSIGN and field == IN_RIGHT)
        or (parent == FOR and field == IN_CONDITION)
    )


@kernel
def _sum_cases(code: Any, stop: Any, value: Any, block: int, is_pmd7: bool, maximum: int) -> int:
    """Return the sum over the groups or rules of a switch block.

    ``waiting`` is the number of label values since the last statement. In PMD 7 it multiplies the
    next group or rule; in PMD 6 it multiplies only rules. For a group, PMD 6 instead adds 1 for
    each label after the first.
    """
    total = waiting = 0
    group = block + 1
    while group < stop[block]:
        is_rule = code[group] == RULE
        if is_rule or code[group] == GROUP:
            labels, has_statements, is_throw, product = 0, False, False, 1
            at = group + 1
            while at < stop[group]:
                if code[at] == LABEL:
                    labels += 1
                    waiting += value[at]
                elif code[at] != SKIP and not (is_rule and code[at] == SEMI):
                    has_statements = True
                    is_throw = code[at] == THROW
                    product = _saturating_product(product, value[at], maximum)
                at = stop[at]
            if is_pmd7 or is_rule:
                if has_statements:
                    counts_once = is_rule and is_throw and not is_pmd7
                    total = _saturating_sum(
                        total,
                        1 if counts_once else _saturating_product(product, waiting, maximum),
                        maximum,
                    )
                    waiting = 0
            else:
                total = _saturating_sum(
                    total, _saturating_sum(product, labels - 1, maximum), maximum
                )
        group = stop[group]
    return total


@kernel
def compute_products(tree: Any, is_pmd7: bool, maximum: int) -> Any:
    """Return the value of each node by the rules of PMD 6, or of PMD 7.0 to 7.13 (``is_pmd7``).

    ``tree`` holds the columns of ``NpathNodes``. The loop runs from the last node to the first, so
    that children come before their parents. ``operators`` counts the && and || below a node,
    without lambdas and class bodies; ``deciding`` is PMD 7's count, in which a ternary, also inside
    parentheses, counts two more; ``first`` is PMD 6's first Expression below a node, -1 if there is
    none; ``plain`` is a node's value without the rule of its kind, the product of its children; for
    the block of a switch, it is the sum over the cases.
    """
    code, field, stop, inner, alternatives = tree
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
        product, operator_count, total, first_expression = 1, 0, 0, -1
        condition = body = consequence = alternative = -1
        child_node = node + 1
        while child_node < last:
            child_code, field_code = code[child_node], field[child_node]
            product = _saturating_product(product, value[child_node], maximum)
            is_boundary = child_code in (LAMBDA, TYPE_BODY)
            if not is_boundary:
                operator_count += operators[child_node]
            if first_expression < 0:
                if _is_expression(kind, child_code, field_code):
                    first_expression = child_node
                elif not is_boundary:
                    first_expression = first[child_node]
            if field_code == IN_CONDITION:
                condition = child_node
            elif field_code == IN_BODY:
                body = child_node
            elif field_code == IN_CONSEQUENCE:
                consequence = child_node
            elif field_code == IN_ALTERNATIVE:
                alternative = child_node
            if child_code == PART or field_code == IN_BODY:
                total = _saturating_sum(total, value[child_node], maximum)
            child_node = stop[child_node]
        plain[node], operators[node], deciding[node], first[node] = (
            product,
            operator_count,
            operator_count,
            first_expression,
        )
        # The operators that the rules add to the value of the construct.
        decisions = 0
        if condition >= 0:
            decisions = deciding[condition] if is_pmd7 else operators[condition]
        if kind == PAREN:
            deciding[node] = deciding[inner[node]] if inner[node] >= 0 else 0
        elif kind == LABEL:
            product = alternatives[node]
        elif kind == CASES:
            plain[node] = _sum_cases(code, stop, value, node, is_pmd7, maximum)
        elif kind == SWITCH:
            product = _saturating_sum(plain[body] if body >= 0 else 0, decisions, maximum)
            if product == 0 and not is_pmd7:
                # Only a switch without labels is 0. It makes the product of the enclosing nodes
                # decrease, which PMD 6 takes for an overflow.
                product = maximum
        elif kind == TRY:
            product = total
        elif kind == TERNARY:
            product = 0
            deciding[node] = 2
            for part in (condition, consequence, alternative):
                if part >= 0:
                    product = _saturating_sum(product, value[part], maximum)
                    deciding[node] += deciding[part]
            if product < maximum:
                product = max(_saturating_sum(product, decisions, maximum) - 1, 1)
        elif kind == IF:
            product = _saturating_sum(
                value[consequence] if consequence >= 0 else 1, decisions, maximum
            )
            product = _saturating_sum(
                product, value[alternative] if alternative >= 0 else 1, maximum
            )
        elif kind in (WHILE, DO, FOR, FOREACH):
            if kind == FOREACH:
                decisions = 0
            if kind in (FOR, FOREACH) and not is_pmd7:
                # PMD 6 takes the first Expression below the loop, which need not be the condition.
                decisions = (
                    0
                    if first_expression < 0 or code[first_expression] == LAMBDA
                    else operators[first_expression]
                )
            product = _saturating_sum(value[body] if body >= 0 else 1, decisions + 1, maximum)
        elif kind == RETURN and inner[node] >= 0:
            returned = inner[node]
            if is_pmd7:
                while code[returned] == PAREN and inner[returned] >= 0:
                    returned = inner[returned]
                product = _saturating_sum(plain[returned], deciding[returned], maximum)
            else:
                decisions = 0 if code[returned] == LAMBDA else operators[returned]
                product = _saturating_sum(
                    value[returned] if value[returned] > 1 else 0, decisions, maximum
                )
                product = max(product, 1)
        value[node] = product
    return value
