"""Names of the grammar's symbols and fields as numbers, which is what the columns hold."""

from __future__ import annotations

from functools import cache

from acumen.lang.java import language


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
def name_of(symbol: int) -> str:
    return language().node_kind_for_id(symbol) or ""
