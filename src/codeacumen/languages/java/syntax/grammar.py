"""Java's grammar: names of its symbols and fields as numbers."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java import language
from codeacumen.languages.syntax import ERROR, field_of, mask_of, symbols_of


@cache
def symbols(*names: str) -> frozenset[int]:
    """Numbers of the named symbols; one name may have several, through aliases."""
    return symbols_of(language(), names)


@cache
def field(name: str) -> int:
    return field_of(language(), name)


@cache
def among(*names: str) -> NDArray[np.bool_]:
    """For any symbol, whether it is one of the named."""
    return mask_of(symbols(*names))


@cache
def name_of(symbol: int) -> str:
    return language().node_kind_for_id(symbol) or ""


@cache
def node_names() -> dict[int, str]:
    """Names of all symbols, and of the node for what the parser could not read."""
    names = {symbol: name_of(symbol) for symbol in range(language().node_kind_count)}
    return {**names, ERROR: "ERROR"}


@cache
def field_names() -> list[str]:
    """Names of all fields by their number; empty for number 0, which is no field."""
    grammar = language()
    return ["", *(grammar.field_name_for_id(n) or "" for n in range(1, grammar.field_count + 1))]
