"""Files in which a name or an operator is hidden, as input of the views.

Leaks are impossible by construction: the hidden text is removed from the source, and every view is
computed from the result. The file is not parsed again. Its nodes stay the same and get new offsets
in the new source. A method therefore keeps its index, in broken files too, and the text that
replaces an operator need not be an operator of Java.
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

# Replacement of an operator, and of a call's name in text for people; and replacement of a call's
# name in a file that must remain Java.
MASKED = "<MASK>"
MASKED_CALL = "MASKED_CALL"

_FACTS = ("syntax", "declarations", "tokens", "names", "bindings")


class Edit(NamedTuple):
    """Replaces bytes ``start`` to ``end`` of a source by ``text``."""

    start: int
    end: int
    text: bytes


Edits = Sequence[Edit]


def name_edits(file: JavaFile, name: str) -> list[Edit]:
    """Return the edits that hide a method's name wherever the file reveals it."""
    text = METHOD_NAME.encode()
    return [Edit(at, end, text) for at, end in telling(file.syntax, plain(name))]


def call_edits(file: JavaFile, start: int, shown: str = MASKED_CALL) -> list[Edit]:
    """Return the edit that hides the name of a call, which starts at this byte of the source."""
    node = _leaf_at(file.syntax, start)
    if node < 0 or int(file.syntax.kind[node]) not in symbols("identifier"):
        raise ValueError(f"no name of a call starts at byte {start}")
    return [Edit(start, int(file.syntax.end[node]), shown.encode())]


def operator_edits(file: JavaFile, start: int) -> list[Edit]:
    """Return the edit that hides the operator that starts at this byte of the source."""
    return [Edit(start, int(file.syntax.end[_operator_at(file, start)]), MASKED.encode())]


def without_operator(file: JavaFile, start: int) -> JavaFile:
    """Return the file with an operator hidden.

    The operator gets a symbol that no other operator has, and an assignment becomes a binary
    operation. Only the edges of the graph still describe the original program (``graph.edges``).
    """
    node = _operator_at(file, start)
    kind = file.syntax.kind.copy()
    kind[node] = MASK
    kind[file.syntax.parent[node]] = min(symbols("binary_expression"))
    made = edited(file, operator_edits(file, start), kind)
    before: JavaFile | None = file
    made.keep(original, before)
    return made


def edited(file: JavaFile, edits: Edits, kind: NDArray[np.uint16] | None = None) -> JavaFile:
    """Return a file with the same nodes over an edited source.

    The edits must be in order, each inside a single token, comment or string.
    """
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
    """Return the file with one method as the only one that has a body.

    Functions that process all bodies then process only this one.
    """
    made = JavaFile(file.source)
    for fact in _FACTS:
        made.__dict__[fact] = getattr(file, fact)
    made.__dict__["bodies"] = [place]
    made.keep(original, file.once(original))
    return made


def applied(source: bytes, edits: Edits) -> bytes:
    """Return the source with the edits applied."""
    pieces: list[bytes] = []
    done = 0
    for start, end, text in edits:
        pieces += (source[done:start], text)
        done = end
    pieces.append(source[done:])
    return b"".join(pieces)


def moved(offsets: Column, edits: Edits) -> Column:
    """Return offsets into a source as offsets into the edited source.

    An offset inside an edit becomes the end of that edit.
    """
    if not edits:
        return offsets
    start, end = np.array([one[:2] for one in edits], dtype=np.int64).T
    grown = np.array([len(one.text) for one in edits]) - (end - start)
    shift = np.concatenate([[0], np.cumsum(grown)])
    # The number of edits that end before each of the offsets.
    over = np.searchsorted(end, offsets, side="right")
    found = offsets + shift[over]
    last = np.minimum(over, len(edits) - 1)
    inside = (over < len(edits)) & (start[last] < offsets)
    found[inside] = (end[last] + shift[last + 1])[inside]
    after: Column = found.astype(np.int32)
    return after


def _leaf_at(syntax: Syntax, start: int) -> int:
    """Return the token that starts at a byte, or -1 if there is none."""
    found = np.flatnonzero(syntax.is_leaf & (syntax.start == start) & (syntax.end > start))
    return int(found[0]) if len(found) else -1


def _operator_at(file: JavaFile, start: int) -> int:
    """Return the operator that starts at a byte; raise an error if there is none."""
    syntax = file.syntax
    node = _leaf_at(syntax, start)
    around = among("binary_expression", "assignment_expression")
    if (
        node < 0
        or syntax.field[node] != field("operator")
        or not around[syntax.kind[syntax.parent[node]]]
    ):
        raise ValueError(f"no operator between two operands starts at byte {start}")
    return node
