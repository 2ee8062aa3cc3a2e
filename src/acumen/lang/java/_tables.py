"""Codes of the kernels for the grammar's symbols and fields, as tables to look them up."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from acumen.lang.java import language
from acumen.lang.java.grammar import field, symbols

Table = NDArray[np.uint8]


def kind_table(codes: Mapping[str, int]) -> Table:
    """For each symbol its code; tokens count as well as named nodes; 0 for what has none."""
    grammar = language()
    found = np.zeros(1 << 16, dtype=np.uint8)
    seen: set[str] = set()
    for symbol in range(grammar.node_kind_count):
        name = grammar.node_kind_for_id(symbol) or ""
        if name in codes:
            found[symbol] = codes[name]
            seen.add(name)
    if seen != set(codes):
        raise ValueError(f"the grammar has no {', '.join(sorted(set(codes) - seen))}")
    return found


def field_table(codes: Mapping[str, int]) -> Table:
    found = np.zeros(1 << 8, dtype=np.uint8)
    for name, code in codes.items():
        found[field(name)] = code
    return found


@lru_cache(maxsize=1)
def _fields() -> int:
    return language().field_count + 1


def use_table(uses: Mapping[tuple[str, str], int]) -> Table:
    """For each symbol of a parent and each field in it, side by side, the use of a name there."""
    found = np.zeros((language().node_kind_count, _fields()), dtype=np.uint8)
    for (parent, name), use in uses.items():
        for symbol in symbols(parent):
            found[symbol, field(name) if name else 0] = use
    return found
