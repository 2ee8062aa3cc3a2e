"""What each node of a file is to control flow: the kernel's codes, where the kind of the node
alone does not tell."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from acumen.lang.java import _flow_kernel as flow
from acumen.lang.java import language
from acumen.lang.java._flow_tables import tables
from acumen.lang.java.bindings import ROLE
from acumen.lang.java.file import JavaFile
from acumen.lang.java.grammar import name_of, symbols
from acumen.lang.java.names import Names
from acumen.lang.syntax import Column, Syntax

LOCALS = (
    "local", "parameter", "lambda parameter", "catch parameter", "pattern variable", "resource",
)  # fmt: skip
VARIABLES = (*LOCALS, "field", "enum constant")
# Types whose values are unboxed, and ``var``, which may stand for one.
_BOXES = frozenset((
    "Boolean", "Byte", "Character", "Double", "Float", "Integer", "Long", "Short", "var",
))  # fmt: skip

Codes = NDArray[np.uint8]


class Nodes(NamedTuple):
    """``code`` and ``field`` in the kernel's numbers; ``variable`` is the symbol of a variable's
    name, -1 elsewhere; ``columns`` is what the kernel reads, a row for each node (numbers of one
    size, because a kernel is compiled for each that it meets). ``local`` tells
    of each symbol whether it is a local variable or parameter."""

    code: Codes
    field: Codes
    variable: Column
    columns: NDArray[np.int64]
    local: NDArray[np.bool_]


@lru_cache(maxsize=1)
def _primitive() -> NDArray[np.bool_]:
    found = np.zeros(1 << 16, dtype=np.bool_)
    found[list(symbols("integral_type", "floating_point_type", "boolean_type"))] = True
    return found


@lru_cache(maxsize=1)
def _final() -> int:
    return next(
        symbol for symbol in range(language().node_kind_count) if name_of(symbol) == "final"
    )


def _mask(codes: tuple[int, ...]) -> NDArray[np.bool_]:
    mask = np.zeros(256, dtype=np.bool_)
    mask[list(codes)] = True
    return mask


_VARIABLE = _mask(tuple(ROLE[name] for name in VARIABLES))
_LOCAL = _mask(tuple(ROLE[name] for name in LOCALS))
_STATEMENTS = _mask((flow.BLOCK, flow.GROUP, flow.LABELED))
_BODIES = _mask((flow.IF, flow.WHILE, flow.FOR, flow.FOREACH, flow.DO))
_WORDS = _mask((flow.TRUE, flow.FALSE))
_BODY = _mask((flow.IN_BODY, flow.IN_CONSEQUENCE, flow.IN_ALTERNATIVE))
_NAMES = _mask((flow.INFERRED, flow.BINDING))
_NAMED = _mask((flow.FORMAL, flow.INSTANCEOF))
# What declares a variable with its type, or one that is never null.
_TYPED = _mask((flow.LOCAL, flow.FORMAL, flow.FOREACH, flow.RESOURCE, flow.INSTANCEOF))


def nodes(file: JavaFile) -> Nodes:
    syntax, names, bound = file.syntax, file.names, file.bindings
    kinds, fields, operators = tables()
    code, field, parent = kinds[syntax.kind], fields[syntax.field], syntax.parent
    variable = np.full(len(syntax), -1, dtype=np.int32)
    rows = _VARIABLE[bound.role]
    variable[bound.node[rows]] = bound.symbol[rows]
    count = int(bound.symbol.max()) + 1 if len(bound.symbol) else 0
    # One more, so that a symbol of -1 asks the last, which is none.
    local = np.zeros(count + 1, dtype=np.bool_)
    local[bound.symbol[_LOCAL[bound.role]]] = True
    trait = np.zeros(len(syntax), dtype=np.uint8)
    _by_children(syntax, code, field, operators)
    _switches(syntax, names, code, field, trait, local[variable])
    used = np.flatnonzero((code == flow.IDENT) & (variable >= 0))
    above = code[parent[used]]
    trait[used] = _risk(syntax, names, code, field, variable, local)[variable[used]] > (
        above != flow.CONCAT
    )
    _constants(syntax, code, field, variable, len(local))
    columns = np.empty((len(syntax), flow.COLUMNS), dtype=np.int64)
    for place, column in (
        (flow.CODE, code), (flow.IN, field), (flow.STOPS, syntax.stop), (flow.ABOVE, parent),
        (flow.SYMBOL, variable), (flow.TRAIT, trait), (flow.SPELT, names.word_of),
    ):  # fmt: skip
        columns[:, place] = column
    return Nodes(code, field, variable, columns, local)


def _by_children(syntax: Syntax, code: Codes, field: Codes, operators: Codes) -> None:
    """Operators tell what an expression is, an initial value what a declaration is; names that
    come with a value are told from those that are read."""
    parent = syntax.parent
    at = np.flatnonzero(field == flow.IN_OPERATOR)
    makes = operators[syntax.kind[at]]
    code[parent[at[makes > 0]]] = makes[makes > 0]
    at = parent[np.flatnonzero(field == flow.IN_VALUE)]
    code[at[code[at] == flow.DECLARED]] = flow.INITIALISED
    field[code == flow.CATCH] = flow.IN_CATCH
    field[code == flow.FINALLY] = flow.IN_FINALLY
    # T... name
    at = np.flatnonzero(code == flow.SPREAD)
    if len(at):
        inside = np.flatnonzero(code == flow.DECLARED)
        inside = inside[code[parent[inside]] == flow.SPREAD]
        code[inside] = flow.FORMAL
    at = np.flatnonzero(code == flow.RESOURCE)
    if len(at):
        named = np.zeros(len(code), dtype=np.bool_)
        named[parent[field == flow.IN_NAME]] = True
        code[at[~named[at]]] = flow.OTHER
    at = np.flatnonzero(code == flow.IDENT)
    above, place = code[parent[at]], field[at]
    named = _NAMES[above] | (_NAMED[above] & (place == flow.IN_NAME))
    named |= (above == flow.LAMBDA) & (place == flow.IN_PARAMETERS)
    code[at[named]] = flow.NAME
    code[at[(above == flow.CONSTANT) & (place == flow.IN_NAME)]] = flow.SKIP


def _switches(
    syntax: Syntax, names: Names, code: Codes, field: Codes, trait: Codes, is_local: Codes
) -> None:
    parent = syntax.parent
    at = np.flatnonzero(code == flow.ANSWER)
    if not len(at):
        return
    above = code[parent[at]]
    statement = _STATEMENTS[above] | (_BODIES[above] & _BODY[field[at]])
    code[at[statement]] = flow.SWITCH
    inside = np.flatnonzero(code[parent] == flow.LABEL)
    kind, label = code[inside], parent[inside]
    field[inside[kind == flow.GUARD]] = flow.IN_GUARD
    default = kind == flow.DEFAULT
    if (kind == flow.NULL).any() and "default" in names.words:
        # The grammar takes it for a name: case null, default.
        default |= names.word_of[inside] == names.words.index("default")
    pattern = kind == flow.PATTERN
    loud = pattern | ((kind == flow.IDENT) & is_local[inside])
    # What knows patterns or null must be exhaustive.
    must = pattern | (kind == flow.NULL)
    head = parent[parent[parent[label]]]
    for which, bit in (
        (default, flow.HAS_DEFAULT), (kind == flow.GUARD, flow.HAS_GUARD),
        (must, flow.MUST_MATCH), (loud, flow.LOUD),
    ):  # fmt: skip
        for place in (label, head):
            trait[place[which]] |= bit


def _risk(
    syntax: Syntax, names: Names, code: Codes, field: Codes, variable: Column,
    local: NDArray[np.bool_],
) -> NDArray[np.uint8]:  # fmt: skip
    """Of each symbol: whether reading it may throw. 0: never, it is primitive; 1: only where it
    is printed, in a sum; 2: it may be unboxed, or nothing is known."""
    parent = syntax.parent
    risk = np.full(len(local), 2, dtype=np.uint8)
    typed = np.flatnonzero(field == flow.IN_TYPE)
    typed = typed[_TYPED[code[parent[typed]]]]
    of = np.ones(len(syntax), dtype=np.uint8)
    simple = names.word_of[typed]
    # One more, for what is no simple name.
    boxed = np.array([*(word in _BOXES for word in names.words), False])
    level = 1 + boxed[simple].astype(np.uint8)
    level[_primitive()[syntax.kind[typed]]] = 0
    of[parent[typed]] = level
    # A name's declaration is above it, or above its declarator.
    name = np.flatnonzero((field == flow.IN_NAME) & (variable >= 0))
    above = parent[name]
    declarator = (code[above] == flow.DECLARED) | (code[above] == flow.INITIALISED)
    above = np.where(declarator, parent[above], above)
    plain = _TYPED[code[above]] & local[variable[name]]
    risk[variable[name[plain]]] = of[above[plain]]
    return risk


def _constants(syntax: Syntax, code: Codes, field: Codes, variable: Column, symbols: int) -> None:
    """Final variables whose value is written ``true`` or ``false`` decide like the word itself."""
    values = np.flatnonzero((field == flow.IN_VALUE) & _WORDS[code])
    values = values[code[syntax.parent[values]] == flow.INITIALISED]
    if not len(values):
        return
    decides = np.zeros(symbols, dtype=np.uint8)
    for value in values.tolist():
        declarator = int(syntax.parent[value])
        if _final() in syntax.kind[syntax.parent[declarator] : declarator]:
            always = code[value] == flow.TRUE
            decides[variable[declarator + 1]] = flow.ALWAYS if always else flow.NEVER
    decides[-1] = 0  # for what is no variable
    used = np.flatnonzero(code == flow.IDENT)
    known = decides[variable[used]]
    code[used[known > 0]] = known[known > 0]
