"""Names and numbers of the symbols (kinds of nodes and tokens) and fields of tree-sitter's grammar
of Java. Importing this module does not load the grammar."""

from __future__ import annotations

from functools import cache

from codeacumen.languages.java import load_grammar
from codeacumen.languages.syntax import ERROR, Grammar

_GRAMMAR = Grammar(load_grammar)
find_symbols, field_number = _GRAMMAR.find_symbols, _GRAMMAR.field_number
symbol_mask = _GRAMMAR.symbol_mask


@cache
def symbol_name(symbol: int) -> str:
    """Return the name of a symbol; empty if the grammar has no name for it."""
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
