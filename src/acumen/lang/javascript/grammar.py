"""Names of the grammar's symbols and fields as numbers, which is what the columns hold."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from acumen.lang.javascript import language

IDENTIFIERS = (
    "identifier", "property_identifier", "private_property_identifier", "statement_identifier",
    "shorthand_property_identifier", "shorthand_property_identifier_pattern", "undefined",
)  # fmt: skip


@cache
def symbols(*names: str) -> frozenset[int]:
    """Numbers of the named symbols; one name may have several, through aliases."""
    grammar = language()
    found = frozenset(
        symbol
        for symbol in range(grammar.node_kind_count)
        if grammar.node_kind_is_named(symbol) and grammar.node_kind_for_id(symbol) in names
    )
    known = {grammar.node_kind_for_id(symbol) for symbol in found}
    if known != set(names):
        raise ValueError(f"the grammar has no {', '.join(sorted(set(names) - known))}")
    return found


@cache
def field(name: str) -> int:
    number = language().field_id_for_name(name)
    if number is None:
        raise ValueError(f"the grammar has no field {name}")
    return number


@cache
def among(*names: str) -> NDArray[np.bool_]:
    """For any symbol, whether it is one of the named."""
    found = np.zeros(1 << 16, dtype=np.bool_)
    found[list(symbols(*names))] = True
    return found
