"""Java's grammar: names of its symbols and fields as numbers."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java import load_grammar
from codeacumen.languages.syntax import (
    ERROR,
    find_grammar_field,
    find_grammar_symbols,
    make_symbol_mask,
)


@cache
def find_symbols(*names: str) -> frozenset[int]:
    """Return the numbers of the named symbols; a name may have several, through aliases."""
    return find_grammar_symbols(load_grammar(), names)


@cache
def field_number(name: str) -> int:
    return find_grammar_field(load_grammar(), name)


@cache
def symbol_mask(*names: str) -> NDArray[np.bool_]:
    """Return a mask over all symbols that is true for those named."""
    return make_symbol_mask(find_symbols(*names))


@cache
def symbol_name(symbol: int) -> str:
    return load_grammar().node_kind_for_id(symbol) or ""


@cache
def node_names() -> dict[int, str]:
    """Return the names of all symbols and of the parser's error node."""
    names = {symbol: symbol_name(symbol) for symbol in range(load_grammar().node_kind_count)}
    return {**names, ERROR: "ERROR"}


@cache
def field_names() -> list[str]:
    """Return the names of all fields by number; the name of number 0, no field, is empty."""
    grammar = load_grammar()
    return ["", *(grammar.field_name_for_id(n) or "" for n in range(1, grammar.field_count + 1))]
