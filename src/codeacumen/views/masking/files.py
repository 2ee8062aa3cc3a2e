"""Files in which something is hidden, for views to be computed from.

Leaks are closed by construction: what is to be hidden is taken out of the source, and whatever a
view tells is computed from that. The file is not parsed again. Its nodes stay, node for node, with
new places in the new source; so a method is found under the same number as before, in broken files
too, and the operator that is hidden may be no operator of Java.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import among, field, symbols
from codeacumen.languages.syntax import MASK, Column, Syntax
from codeacumen.views.graph.edges import original
from codeacumen.views.masking.text import plain, telling
from codeacumen.views.paths import METHOD_NAME

# What stands for an operator, and, where people read, for the name of a call; and for that name
# in a file that is to stay Java.
MASKED = "<MASK>"
MASKED_CALL = "MASKED_CALL"

_FACTS = ("syntax", "declarations", "tokens", "names", "bindings")


class Edit(NamedTuple):
    """Bytes from ``start`` to ``end`` of a source become another text."""

    start: int
    end: int
    text: bytes


Edits = Sequence[Edit]


def name_edits(file: JavaFile, name: str) -> list[Edit]:
    """Hide a method's name wherever the file tells it."""
    text = METHOD_NAME.encode()
    return [Edit(at, end, text) for at, end in telling(file.syntax, plain(name))]


def call_edits(file: JavaFile, start: int, shown: str = MASKED_CALL) -> list[Edit]:
    """Hide the name of a call, which begins at a byte of the source."""
    node = _leaf_at(file.syntax, start)
    if node < 0 or int(file.syntax.kind[node]) not in symbols("identifier"):
        raise ValueError(f"no call's name begins at byte {start}")
    return [Edit(start, int(file.syntax.end[node]), shown.encode())]


def operator_edits(file: JavaFile, start: int) -> list[Edit]:
    """Hide the operator that begins at a byte of the source."""
    return [Edit(start, int(file.syntax.end[_operator_at(file, start)]), MASKED.encode())]


def without_operator(file: JavaFile, start: int) -> JavaFile:
    """The operator is a symbol that no other operator is, and an assignment is an operation as all
    others. Only the edges of the graph remain those of the program (``graph.edges``)."""
    node = _operator_at(file, start)
    kind = file.syntax.kind.copy()
    kind[node] = MASK
    kind[file.syntax.parent[node]] = min(symbols("binary_expression"))
    made = edited(file, operator_edits(file, start), kind)
    before: JavaFile | None = file
    made.keep(original, before)
    return made


def edited(file: JavaFile, edits: Edits, kind: NDArray[np.uint16] | None = None) -> JavaFile:
    """The same nodes over a source with edits, which are in order and inside single tokens,
    comments or strings."""
    syntax = file.syntax
    source = applied(file.source, edits)
    made = JavaFile(source)
    made.__dict__["syntax"] = replace(
        syntax,
        source=source,
        kind=syntax.kind if kind is None else kind,
        start=moved(syntax.start, edits),
        end=moved(syntax.end, edits),
    )
    return made


def of_method(file: JavaFile, place: int) -> JavaFile:
    """The same file, as if no other method of it had a body: what is computed for all bodies is
    computed for this one alone."""
    made = JavaFile(file.source)
    for fact in _FACTS:
        made.__dict__[fact] = getattr(file, fact)
    made.__dict__["bodies"] = [place]
    made.keep(original, file.once(original))
    return made


def applied(source: bytes, edits: Edits) -> bytes:
    pieces: list[bytes] = []
    done = 0
    for start, end, text in edits:
        pieces += (source[done:start], text)
        done = end
    pieces.append(source[done:])
    return b"".join(pieces)


def moved(offsets: Column, edits: Edits) -> Column:
    """Places in a source, after edits of it. What was inside of an edit is at its end."""
    if not edits:
        return offsets
    start, end = np.array([one[:2] for one in edits], dtype=np.int64).T
    grown = np.array([len(one.text) for one in edits]) - (end - start)
    shift = np.concatenate([[0], np.cumsum(grown)])
    # How many edits are over before each of the places.
    over = np.searchsorted(end, offsets, side="right")
    found = offsets + shift[over]
    last = np.minimum(over, len(edits) - 1)
    inside = (over < len(edits)) & (start[last] < offsets)
    found[inside] = (end[last] + shift[last + 1])[inside]
    after: Column = found.astype(np.int32)
    return after


def _leaf_at(syntax: Syntax, start: int) -> int:
    """The token that begins at a byte, -1 if there is none."""
    found = np.flatnonzero(syntax.is_leaf & (syntax.start == start) & (syntax.end > start))
    return int(found[0]) if len(found) else -1


def _operator_at(file: JavaFile, start: int) -> int:
    syntax = file.syntax
    node = _leaf_at(syntax, start)
    around = among("binary_expression", "assignment_expression")
    if (
        node < 0
        or syntax.field[node] != field("operator")
        or not around[syntax.kind[syntax.parent[node]]]
    ):
        raise ValueError(f"no operator between two operands begins at byte {start}")
    return node
