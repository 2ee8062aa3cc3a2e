"""JavaScript's grammar: names of its symbols and fields as numbers."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.javascript import language
from codeacumen.languages.syntax import field_of, mask_of, symbols_of

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
