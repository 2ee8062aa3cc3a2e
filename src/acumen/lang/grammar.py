"""Names of a grammar's symbols and fields as numbers, which is what the columns hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tree_sitter import Language

# Symbols are 16 bits; the largest is that of an error.
SYMBOLS = 1 << 16


def symbols_of(grammar: Language, names: Iterable[str]) -> frozenset[int]:
    """Numbers of the named symbols; one name may have several, through aliases."""
    wanted = set(names)
    found = frozenset(
        symbol
        for symbol in range(grammar.node_kind_count)
        if grammar.node_kind_is_named(symbol) and grammar.node_kind_for_id(symbol) in wanted
    )
    known = {grammar.node_kind_for_id(symbol) for symbol in found}
    if known != wanted:
        raise ValueError(f"the grammar has no {', '.join(sorted(wanted - known))}")
    return found


def field_of(grammar: Language, name: str) -> int:
    number = grammar.field_id_for_name(name)
    if number is None:
        raise ValueError(f"the grammar has no field {name}")
    return number


def mask_of(chosen: Iterable[int]) -> NDArray[np.bool_]:
    """For any symbol, whether it is one of the chosen."""
    found = np.zeros(SYMBOLS, dtype=np.bool_)
    found[list(chosen)] = True
    return found
