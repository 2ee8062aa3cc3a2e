"""JavaScript's grammar: names of its symbols and fields as numbers."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.javascript import load_grammar
from codeacumen.languages.syntax import find_grammar_field, find_grammar_symbols, make_symbol_mask

IDENTIFIERS = (
    "identifier",
    "property_identifier",
    "private_property_identifier",
    "statement_identifier",
    "shorthand_property_identifier",
    "shorthand_property_identifier_pattern",
    "undefined",
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
