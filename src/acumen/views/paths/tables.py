"""The rules as arrays, for the grammar that is installed."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from acumen.lang.java import language
from acumen.lang.java.grammar import field
from acumen.views.paths import details, tree
from acumen.views.paths.details import Looks
from acumen.views.paths.kinds import AFTER, ASSIGN, BEFORE, BINARY, KIND, UNARY
from acumen.views.paths.rules import CONTEXTS, READINGS, RULES, Rule

_TREATMENTS = {"ELEMENT": tree.ELEMENT, "PAIRS": tree.PAIRS, "LEVELS": tree.LEVELS}
_LEAVES = {
    "": tree.NO_LEAF, "text": tree.TEXT, "name": tree.NAME, "type": tree.TYPE,
    "[]": tree.BRACKETS, "{}": tree.BRACES, "()": tree.PARENTHESES, "?": tree.WILDCARD,
}  # fmt: skip
# Marks that several symbols have.
_GROUPS = {
    "comment": ("line_comment", "block_comment"),
    "annotation": ("annotation", "marker_annotation"),
    # Annotations in these belong to the type in them.
    "annotates": ("annotated_type", "object_creation_expression", "array_creation_expression"),
    "type": (
        "type_identifier", "generic_type", "scoped_type_identifier", "array_type",
        "integral_type", "floating_point_type", "boolean_type", "void_type",
    ),
}  # fmt: skip
# What the tree's builder does about the specials that it does not know by their own name.
_FOUND = {
    **dict.fromkeys(
        ("literal", "string", "binary", "assign", "unary", "update", "annotation"), "kind"
    ),
    **dict.fromkeys(("instanceof", "call", "field", "resource", "catch"), "instead"),
    "lambda": "",
}
_NUMBER = {name: number for number, name in enumerate(RULES, 1)}


class Tables(NamedTuple):
    """The rules: by symbol, by rule, by slot of a rule. The last symbol stands for an error."""

    reading: NDArray[np.int16]
    mark: NDArray[np.uint8]
    name: int
    own_rule: NDArray[np.int32]
    own_kind: NDArray[np.int32]
    kind: NDArray[np.uint8]
    leaf: NDArray[np.uint8]
    special: NDArray[np.uint8]
    slots: NDArray[np.uint8]
    rest: NDArray[np.uint8]
    brackets: NDArray[np.uint8]
    by_field: NDArray[np.uint8]
    by_symbol: NDArray[np.uint8]
    inside: NDArray[np.uint8]
    fixed: NDArray[np.int16]
    context: NDArray[np.uint8]
    rule: NDArray[np.int16]
    treatment: NDArray[np.uint8]


def _numbers(*names: str) -> list[int]:
    """Symbols of these names; of a name that is a node's and a token's, the node's."""
    grammar = language()
    found: list[int] = []
    for name in names:
        visible = [
            symbol
            for symbol in range(grammar.node_kind_count)
            if grammar.node_kind_for_id(symbol) == name and grammar.node_kind_is_visible(symbol)
        ]
        if not visible:
            raise ValueError(f"the grammar has no {name}")
        found += [symbol for symbol in visible if grammar.node_kind_is_named(symbol)] or visible
    return found


def _marks(names: tuple[str, ...]) -> NDArray[np.uint8]:
    made = np.zeros(language().node_kind_count + 1, dtype=np.uint8)
    for number, name in enumerate(names):
        if name:
            made[_numbers(*_GROUPS.get(name, (name,)))] = number
    return made


@lru_cache(maxsize=1)
def looks() -> Looks:
    """What ``details`` needs to know."""
    reading = tables().reading[:, 0]
    specials = [0, *(details.SPECIALS.index(_known(rule)) for rule in RULES.values())]
    special = np.array(specials, dtype=np.uint8)[np.maximum(reading, 0)]
    operator = np.full((5, len(reading)), -1, dtype=np.int16)
    signs = (
        ("BinaryExpr", BINARY), ("AssignExpr", ASSIGN), ("UnaryExpr", UNARY),
        ("UnaryExpr", BEFORE), ("UnaryExpr", AFTER),
    )  # fmt: skip
    for row, (kind, names) in enumerate(signs):
        for sign, name in names.items():
            operator[row, _numbers(sign)] = KIND[f"{kind}:{name}"]
    return Looks(
        mark=_marks(details.MARKS),
        special=special,
        has_node=reading != 0,
        operator=operator,
        field=np.array([field(name) for name in details.FIELDS], dtype=np.int32),
        rule=np.array([_NUMBER[name] for name in details.RULES], dtype=np.int32),
        kind=np.array([KIND[name] for name in details.KINDS], dtype=np.int32),
    )


def _known(rule: Rule) -> str:
    return rule.special if rule.special in details.SPECIALS else ""


@lru_cache(maxsize=1)
def tables() -> Tables:
    grammar = language()
    symbols, rules = grammar.node_kind_count + 1, len(RULES) + 1
    widest = max(len(rule.slots) for rule in RULES.values())
    given = list(RULES.values())
    specials = (tree.SPECIALS.index(_FOUND.get(rule.special, rule.special)) for rule in given)
    made = Tables(
        reading=_readings(symbols),
        mark=_marks(tree.MARKS),
        name=field("name"),
        own_rule=np.array([_NUMBER[name] for name in tree.RULES], dtype=np.int32),
        own_kind=np.array([KIND[name] for name in tree.KINDS], dtype=np.int32),
        kind=np.array([0, *(KIND[rule.kind] for rule in given)], dtype=np.uint8),
        leaf=np.array([0, *(_LEAVES[rule.leaf] for rule in given)], dtype=np.uint8),
        special=np.array([0, *specials], dtype=np.uint8),
        slots=np.array([0, *(len(rule.slots) for rule in given)], dtype=np.uint8),
        rest=np.zeros(rules, dtype=np.uint8),
        brackets=np.zeros(rules, dtype=np.uint8),
        by_field=np.zeros((rules, grammar.field_count + 1), dtype=np.uint8),
        by_symbol=np.zeros((rules, symbols), dtype=np.uint8),
        inside=np.zeros((rules, symbols), dtype=np.uint8),
        fixed=np.zeros((rules, widest), dtype=np.int16),
        context=np.zeros((rules, widest), dtype=np.uint8),
        rule=np.zeros((rules, widest), dtype=np.int16),
        treatment=np.zeros((rules, widest), dtype=np.uint8),
    )
    for name, rule in RULES.items():
        for place, slot in enumerate(rule.slots):
            _fill(made, _NUMBER[name], place, slot)
    return made


def _readings(symbols: int) -> NDArray[np.int16]:
    """What a symbol is in each context: as in PLAIN where the context says nothing else."""
    made = np.zeros((symbols, len(CONTEXTS)), dtype=np.int16)
    for context, readings in READINGS.items():
        for name, reading in {**READINGS["PLAIN"], **readings}.items():
            if reading.startswith("^"):
                code = tree.SAME if reading == "^" else -1 - CONTEXTS.index(reading[1:])
            else:
                code = _NUMBER[reading] if reading else 0
            made[_numbers(name), CONTEXTS.index(context)] = code
    # What could be read of what could not stands where the error stands.
    made[symbols - 1] = tree.SAME
    return made


def _fill(made: Tables, number: int, place: int, slot: str) -> None:
    name, _, read_as = slot.partition("=")
    name, _, treated = name.partition("/")
    code = place + 1
    if name == "PHANTOM":
        made.fixed[number, place] = tree.PHANTOM
    elif name == "SELF":
        again = read_as in CONTEXTS
        made.fixed[number, place] = (
            tree.AGAIN + CONTEXTS.index(read_as) if again else _NUMBER[read_as]
        )
        return
    elif name == "BRACKETS":
        made.brackets[number] = code
    elif name == "*":
        made.rest[number] = code
    elif name.startswith("~"):
        made.inside[number, _numbers(name[1:])] = code
    elif name.startswith("-"):
        _claim(made, number, name[1:], tree.LEFT_OUT)
    else:
        _claim(made, number, name, code)
    if treated in _TREATMENTS:
        made.treatment[number, place] = _TREATMENTS[treated]
    elif treated:
        made.context[number, place] = CONTEXTS.index(treated)
    if read_as:
        made.rule[number, place] = tree.SAME if read_as == "SPLICE" else _NUMBER[read_as]


def _claim(made: Tables, number: int, name: str, code: int) -> None:
    """A slot is a field's, a kind's where the grammar gives the child no field, or both."""
    of_field = language().field_id_for_name(name)
    if of_field is not None:
        made.by_field[number, of_field] = code
    try:
        made.by_symbol[number, _numbers(name)] = code
    except ValueError:
        if of_field is None:
            raise
