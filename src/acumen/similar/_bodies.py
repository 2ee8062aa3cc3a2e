"""What the filters and toksim ask of methods' bodies, for many methods in one go.

Texts are parsed together, each as the only member of a class: one parse and a few passes over
arrays for hundreds of methods. Where one of them is not Java, each is parsed by itself, so that it
spoils none but itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acumen.lang.java.grammar import among, field
from acumen.lang.java.snippet import parse_snippets
from acumen.lang.java.tokens import CODE, KINDS, Tokens, tokens
from acumen.lang.syntax import Syntax
from acumen.similar._jdt import INFIX, jdt_nodes

# Bytes of source that are parsed together.
STRETCH = 1 << 18
_METHOD_DEPTH = 3  # the file, the class, its body

# A kind of JDT's scanner that javac's does not have; far from those that may be added.
TEXT_BLOCK = 254
PRIMITIVES = ("BOOLEAN", "BYTE", "CHAR", "DOUBLE", "FLOAT", "INT", "LONG", "SHORT")


@dataclass(frozen=True, slots=True)
class Body:
    """``nodes`` as JDT would count them, with the block itself; ``infix``: an infix operator or a
    conditional expression is in it; ``throws``: to throw is all it does; ``kinds`` of its tokens,
    braces too. A body that nobody finds has no nodes."""

    nodes: int
    infix: bool
    throws: bool
    kinds: bytes


NOTHING = Body(0, False, False, b"")


def bodies(texts: Sequence[str]) -> Iterator[Body]:
    """The body of each method, given its source from its first modifier to its last brace."""
    sources = [text.encode("utf-8", "surrogatepass") for text in texts]
    first = size = 0
    for place, source in enumerate(sources):
        if size and size + len(source) > STRETCH:
            yield from _together(sources[first:place])
            first, size = place, 0
        size += len(source)
    if first < len(sources):
        yield from _together(sources[first:])


def _together(sources: Sequence[bytes]) -> list[Body]:
    return [
        body
        for file, starts, _ in parse_snippets(sources, leading_newline=True)
        for body in _found(file.syntax, starts)
    ]


def _found(syntax: Syntax, starts: NDArray[np.int64]) -> list[Body]:
    """One body for each start: that of the first method with one from there on."""
    held = np.flatnonzero(
        among("block")[syntax.kind]
        & (syntax.field == field("body"))
        & among("method_declaration")[syntax.kind[np.maximum(syntax.parent, 0)]]
        & (syntax.depth == _METHOD_DEPTH + 1)
    )
    owner = np.searchsorted(starts, syntax.start[held], side="right") - 1
    which, first = np.unique(owner, return_index=True)
    found = [NOTHING] * len(starts)
    for place, body in zip(which.tolist(), _read(syntax, held[first]), strict=True):
        found[place] = body
    return found


def _read(syntax: Syntax, blocks: NDArray[np.intp]) -> list[Body]:
    """What is in these blocks, none of which lies in another."""
    stops = syntax.stop[blocks]
    nodes = _within(jdt_nodes(syntax), blocks, stops)
    infix = _within(among(*INFIX)[syntax.kind], blocks, stops) > 0
    # Statements are the block's own children: all but braces and comments.
    statement = ~among("line_comment", "block_comment")[syntax.kind]
    statement &= np.isin(syntax.parent, blocks)
    thrown = _within(statement & among("throw_statement")[syntax.kind], blocks, stops)
    count = _within(statement, blocks, stops) - 2
    throws = (thrown == 1) & (count == 1)
    found = tokens(syntax)
    kinds = kinds_of_tokens(found)
    low = np.searchsorted(found.start, syntax.start[blocks], side="left").tolist()
    high = np.searchsorted(found.start, syntax.end[blocks], side="left").tolist()
    told = zip(nodes.tolist(), infix.tolist(), throws.tolist(), low, high, strict=True)
    return [Body(n, i, t, kinds[a:b].tobytes()) for n, i, t, a, b in told]


def _within(
    values: NDArray[np.int32] | NDArray[np.bool_], first: NDArray[np.intp], stop: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Sums over the nodes from ``first`` up to ``stop``."""
    total = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values, out=total[1:])
    found: NDArray[np.int64] = total[stop] - total[first]
    return found


def kinds_of_tokens(found: Tokens) -> NDArray[np.uint8]:
    """Kinds as JDT's scanner tells them apart, types that are primitive taken for identifiers."""
    kinds = _AS_COMPARED[found.kind]
    for i in np.flatnonzero(kinds == CODE["STRINGLITERAL"]).tolist():
        start = int(found.start[i])
        if found.source[start : start + 3] == b'"""':
            kinds[i] = TEXT_BLOCK
    return kinds


_AS_COMPARED = np.arange(256, dtype=np.uint8)
_AS_COMPARED[[CODE[kind] for kind in (*PRIMITIVES, "UNDERSCORE")]] = CODE["IDENTIFIER"]
assert len(KINDS) < TEXT_BLOCK
