"""What each node of a file is to control flow, in the kernel's numbers."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from acumen.lang.java import _flow_kernel as flow
from acumen.lang.java import _nodes_kernel as kernel
from acumen.lang.java import language
from acumen.lang.java._flow_tables import tables
from acumen.lang.java.bindings import ROLE
from acumen.lang.java.file import JavaFile
from acumen.lang.java.grammar import name_of, symbols
from acumen.lang.syntax import Column

LOCALS = (
    "local", "parameter", "lambda parameter", "catch parameter", "pattern variable", "resource",
)  # fmt: skip
VARIABLES = (*LOCALS, "field", "enum constant")
# Types whose values are unboxed, and ``var``, which may stand for one.
_BOXES = frozenset((
    "Boolean", "Byte", "Character", "Double", "Float", "Integer", "Long", "Short", "var",
))  # fmt: skip
_VARIABLE = np.isin(np.arange(256), [ROLE[name] for name in VARIABLES])
_LOCAL = np.isin(np.arange(256), [ROLE[name] for name in LOCALS])
_CODES, _PLACES, _TRAITS = (
    tuple(int(getattr(flow, name)) for name in names)
    for names in (kernel.CODES, kernel.PLACES, kernel.TRAITS)
)


class Nodes(NamedTuple):
    """``code`` and ``field`` in the kernel's numbers; ``variable`` is the symbol of a variable's
    name, -1 elsewhere; ``columns`` is what the kernel reads, a row for each node (numbers of one
    size, because a kernel is compiled for each that it meets). ``local`` tells of each symbol
    whether it is a local variable or parameter."""

    code: NDArray[np.uint8]
    field: NDArray[np.uint8]
    variable: Column
    columns: NDArray[np.int64]
    local: NDArray[np.bool_]


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
    boxed = np.zeros(len(names.words) + 1, dtype=np.bool_)
    boxed[[names.words.index(word) for word in _BOXES.intersection(names.words)]] = True
    # The grammar takes it for a name in: case null, default.
    default = names.words.index("default") if "default" in names.words else -2
    primitive, final = _symbols()
    kernel.by_parts(syntax.kind, parent, code, field, operators, _CODES, _PLACES)
    trait = kernel.traits(
        syntax.kind, parent, names.word_of, code, field, variable, local, primitive, boxed,
        final, default, _CODES, _PLACES, _TRAITS,
    )  # fmt: skip
    columns = np.empty((len(syntax), int(flow.COLUMNS)), dtype=np.int64)
    for place, column in (
        (flow.CODE, code), (flow.IN, field), (flow.STOPS, syntax.stop), (flow.ABOVE, parent),
        (flow.SYMBOL, variable), (flow.TRAIT, trait), (flow.SPELT, names.word_of),
    ):  # fmt: skip
        columns[:, place] = column
    return Nodes(code, field, variable, columns, local)


@lru_cache(maxsize=1)
def _symbols() -> tuple[NDArray[np.bool_], int]:
    """The grammar's symbols of primitive types, and of the word ``final``."""
    primitive = np.zeros(1 << 16, dtype=np.bool_)
    primitive[list(symbols("integral_type", "floating_point_type", "boolean_type"))] = True
    final = next(
        symbol for symbol in range(language().node_kind_count) if name_of(symbol) == "final"
    )
    return primitive, final
