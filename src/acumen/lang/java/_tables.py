"""Codes of the kernels for the grammar's symbols and fields, as tables to look them up."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acumen.lang.java import language
from acumen.lang.java.grammar import field, symbols
from acumen.lang.syntax import Column

Table = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Codes:
    """Of each symbol the code that a kernel has for it, and whether its walk looks at it."""

    code: Table
    event: NDArray[np.bool_]

    def events(self, kind: NDArray[np.uint16]) -> Column:
        found: Column = np.flatnonzero(self.event[kind]).astype(np.int32)
        return found


def codes(names: Mapping[str, int], events: Collection[int] = ()) -> Codes:
    """Tokens count as well as named nodes; 0 for what has no code."""
    grammar = language()
    found = np.zeros(1 << 16, dtype=np.uint8)
    seen: set[str] = set()
    for symbol in range(grammar.node_kind_count):
        name = grammar.node_kind_for_id(symbol) or ""
        if name in names:
            found[symbol] = names[name]
            seen.add(name)
    if seen != set(names):
        raise ValueError(f"the grammar has no {', '.join(sorted(set(names) - seen))}")
    return Codes(found, np.isin(found, list(events)))


def field_codes(names: Mapping[str, int]) -> Table:
    found = np.zeros(1 << 8, dtype=np.uint8)
    for name, code in names.items():
        found[field(name)] = code
    return found


def use_codes(uses: Mapping[tuple[str, str], int]) -> Table:
    """For each symbol of a parent, and each field in it, the use of a name there. The last row is
    for parents that are no symbols of the grammar: errors."""
    grammar = language()
    found = np.zeros((grammar.node_kind_count + 1, grammar.field_count + 1), dtype=np.uint8)
    for (parent, name), use in uses.items():
        for symbol in symbols(parent):
            found[symbol, field(name) if name else 0] = use
    return found
