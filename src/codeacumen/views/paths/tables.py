"""The rules of ``rules`` as arrays for the compiled loops, by the symbols of the grammar."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java import load_grammar
from codeacumen.languages.java.syntax.grammar import field_number
from codeacumen.views.paths import details, tree
from codeacumen.views.paths.details import SymbolTables
from codeacumen.views.paths.leaves import AFTER, ASSIGN, BEFORE, BINARY, KIND, UNARY
from codeacumen.views.paths.rules import CONTEXTS, READINGS, RULES, Rule

_TREATMENTS = {"ELEMENT": tree.ELEMENT, "PAIRS": tree.PAIRS, "LEVELS": tree.LEVELS}
_LEAVES = {
    "": tree.NO_LEAF,
    "text": tree.TEXT,
    "name": tree.NAME,
    "type": tree.TYPE,
    "[]": tree.BRACKETS,
    "{}": tree.BRACES,
    "()": tree.PARENTHESES,
    "?": tree.WILDCARD,
}
# Marks that several symbols share.
_GROUPS = {
    "comment": ("line_comment", "block_comment"),
    "annotation": ("annotation", "marker_annotation"),
    # Nodes whose annotations belong to the type inside.
    "annotates": ("annotated_type", "object_creation_expression", "array_creation_expression"),
    "type": (
        "type_identifier",
        "generic_type",
        "scoped_type_identifier",
        "array_type",
        "integral_type",
        "floating_point_type",
        "boolean_type",
        "void_type",
    ),
}
# Treatment by ``tree`` of the specials that only ``details`` distinguishes.
_SPECIAL_IN_TREE = {
    **dict.fromkeys(
        ("literal", "string", "binary", "assign", "unary", "update", "annotation"), "kind"
    ),
    **dict.fromkeys(("instanceof", "call", "field", "resource", "catch"), "instead"),
    "lambda": "",
}
# Numbers of rules, from 1: a reading of 0 means that a symbol has no node.
_NUMBER = {name: number for number, name in enumerate(RULES, 1)}


def _symbols_named(*names: str) -> list[int]:
    """Return the symbols of these names; where a name is a node's and a token's, the node's."""
    grammar = load_grammar()
    symbols: list[int] = []
    for name in names:
        visible = [
            symbol
            for symbol in range(grammar.node_kind_count)
            if grammar.node_kind_for_id(symbol) == name and grammar.node_kind_is_visible(symbol)
        ]
        if not visible:
            raise ValueError(f"the grammar has no {name}")
        symbols += [symbol for symbol in visible if grammar.node_kind_is_named(symbol)] or visible
    return symbols


def symbol_count() -> int:
    """Return the number of symbols: the grammar's, then a hidden operator's, then an error's."""
    return load_grammar().node_kind_count + 2


def _mark_symbols(names: tuple[str, ...]) -> NDArray[np.uint8]:
    """Return the number of each symbol's mark, by the names of the marks."""
    mark = np.zeros(symbol_count(), dtype=np.uint8)
    for number, name in enumerate(names):
        if name:
            mark[_symbols_named(*_GROUPS.get(name, (name,)))] = number
    return mark


@lru_cache(maxsize=1)
def symbol_tables() -> SymbolTables:
    """Return the properties of symbols that ``details`` depends on."""
    reading = _readings_by_context(symbol_count())[0]
    specials = [0, *(details.SPECIALS.index(_special_in_details(rule)) for rule in RULES.values())]
    special = np.array(specials, dtype=np.uint8)[np.maximum(reading, 0)]
    operator = np.full((5, len(reading)), -1, dtype=np.int16)
    signs = (
        ("BinaryExpr", BINARY),
        ("AssignExpr", ASSIGN),
        ("UnaryExpr", UNARY),
        ("UnaryExpr", BEFORE),
        ("UnaryExpr", AFTER),
    )
    for row, (kind, names) in enumerate(signs):
        for sign, name in names.items():
            operator[row, _symbols_named(sign)] = KIND[f"{kind}:{name}"]
    # The last two symbols are a hidden operator and an error (``symbol_count``).
    operator[0, symbol_count() - 2] = KIND["BinaryExpr:mask"]
    return SymbolTables(
        mark=_mark_symbols(details.MARKS),
        special=special,
        has_node=reading != 0,
        operator=operator,
        field=np.array([field_number(name) for name in details.FIELDS], dtype=np.int32),
        rule=np.array([_NUMBER[name] for name in details.RULES], dtype=np.int32),
        kind=np.array([KIND[name] for name in details.KINDS], dtype=np.int32),
    )


def _special_in_details(rule: Rule) -> str:
    """Return the special of a rule if ``details`` handles it, else an empty string."""
    return rule.special if rule.special in details.SPECIALS else ""


@lru_cache(maxsize=1)
def rule_table() -> NDArray[np.int16]:
    """Return rules and readings as one array, in the layout that ``tree`` defines."""
    grammar = load_grammar()
    symbols, slots = symbol_count(), max(len(rule.slots) for rule in RULES.values())
    if (
        tree.SLOT + 4 * slots > tree.BY_FIELD
        or tree.BY_FIELD + grammar.field_count >= tree.BY_SYMBOL
        or tree.BY_SYMBOL + symbols > tree.INSIDE
        or len(RULES) >= tree.READING
    ):
        raise ValueError("the grammar exceeds the size of the table of rules")
    # Row 0, the header: numbers of a field, of rules and of kinds, in the order of the codes
    # NAME_FIELD to K_LEAST_LONG of ``tree``.
    own = [
        field_number("name"),
        *(_NUMBER[name] for name in tree.RULES),
        *(KIND[name] for name in tree.KINDS),
    ]
    rule_rows = np.zeros((tree.READING + len(CONTEXTS), tree.WIDTH), dtype=np.int16)
    rule_rows[0, : len(own)] = own
    for name, rule in RULES.items():
        row = rule_rows[_NUMBER[name]]
        row[tree.KIND_OF] = KIND[rule.kind]
        row[tree.LEAF] = _LEAVES[rule.leaf]
        row[tree.SPECIAL] = tree.SPECIALS.index(_SPECIAL_IN_TREE.get(rule.special, rule.special))
        row[tree.SLOTS] = len(rule.slots)
        for place, slot in enumerate(rule.slots):
            _write_slot(row, place, slot)
    rule_rows[tree.READING :, :symbols] = _readings_by_context(symbols)
    return rule_rows


@lru_cache(maxsize=1)
def tree_marks() -> NDArray[np.uint8]:
    """Return the mark of each symbol that ``tree`` distinguishes."""
    return _mark_symbols(tree.MARKS)


def _readings_by_context(symbols: int) -> NDArray[np.int16]:
    """Return the rule of each symbol in each context; a context inherits those of PLAIN."""
    readings_table = np.zeros((len(CONTEXTS), symbols), dtype=np.int16)
    for context, readings in READINGS.items():
        for name, reading in {**READINGS["PLAIN"], **readings}.items():
            if reading.startswith("^"):
                code = tree.SAME if reading == "^" else -1 - CONTEXTS.index(reading[1:])
            else:
                code = _NUMBER[reading] if reading else 0
            readings_table[CONTEXTS.index(context), _symbols_named(name)] = code
    # The nodes inside an error take its place.
    readings_table[:, symbols - 1] = tree.SAME
    return readings_table


def _write_slot(row: NDArray[np.int16], index: int, slot: str) -> None:
    """Write one slot of a rule into the rule's row.

    A slot has four columns of its own. Where children refer to their slot, slots count from 1,
    because 0 means that no slot takes a child.
    """
    name, _, read_as = slot.partition("=")
    name, _, treatment = name.partition("/")
    code, columns = index + 1, row[tree.SLOT + 4 * index :]
    if name == "PHANTOM":
        columns[tree.FIXED] = tree.PHANTOM
    elif name == "SELF":
        is_context = read_as in CONTEXTS
        columns[tree.FIXED] = (
            tree.AGAIN + CONTEXTS.index(read_as) if is_context else _NUMBER[read_as]
        )
        return
    elif name == "BRACKETS":
        row[tree.BRACKETS_SLOT] = code
    elif name == "*":
        row[tree.REST] = code
    elif name.startswith("~"):
        row[tree.INSIDE :][_symbols_named(name[1:])] = code
    elif name.startswith("-"):
        _claim_children(row, name[1:], tree.LEFT_OUT)
    else:
        _claim_children(row, name, code)
    if treatment in _TREATMENTS:
        columns[tree.TREATMENT] = _TREATMENTS[treatment]
    elif treatment:
        columns[tree.CONTEXT] = CONTEXTS.index(treatment)
    if read_as:
        columns[tree.AS_RULE] = tree.SAME if read_as == "SPLICE" else _NUMBER[read_as]


def _claim_children(row: NDArray[np.int16], name: str, code: int) -> None:
    """Assign a slot to the children in a field, or to a kind without a field, or to both."""
    of_field = load_grammar().field_id_for_name(name)
    if of_field is not None:
        row[tree.BY_FIELD + of_field] = code
    try:
        row[tree.BY_SYMBOL :][_symbols_named(name)] = code
    except ValueError:
        if of_field is None:
            raise
