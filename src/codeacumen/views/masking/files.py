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
from codeacumen.languages.java.syntax.grammar import field_number, find_symbols, symbol_mask
from codeacumen.languages.syntax import MASK, Column, Syntax
from codeacumen.views.graph.edges import unmasked_file
from codeacumen.views.masking.text import decode_name, find_revealing_spans
from codeacumen.views.paths import METHOD_NAME

# MASKED replaces an operator, and a call's name in text for people. MASKED_CALL replaces a call's
# name in a file that must remain Java.
MASKED = "<MASK>"
MASKED_CALL = "MASKED_CALL"

# Cached properties of ``JavaFile`` that do not depend on which methods have a body.
_COPIED_ATTRIBUTES = ("syntax", "declarations", "tokens", "names", "bindings")


class Edit(NamedTuple):
    """Replaces bytes ``start`` to ``end`` of a source by ``text``."""

    start: int
    end: int
    text: bytes


Edits = Sequence[Edit]


def name_edits(file: JavaFile, name: str) -> list[Edit]:
    """Return the edits that hide a method's name wherever the file reveals it."""
    text = METHOD_NAME.encode()
    return [Edit(at, end, text) for at, end in find_revealing_spans(file.syntax, decode_name(name))]


def call_edits(file: JavaFile, start: int, replacement: str = MASKED_CALL) -> list[Edit]:
    """Return the edit that hides the name of a call, which starts at this byte of the source."""
    node = _find_leaf(file.syntax, start)
    if node < 0 or int(file.syntax.kind[node]) not in find_symbols("identifier"):
        raise ValueError(f"no name of a call starts at byte {start}")
    return [Edit(start, int(file.syntax.end[node]), replacement.encode())]


def operator_edits(file: JavaFile, start: int) -> list[Edit]:
    """Return the edit that hides the operator that starts at this byte of the source."""
    return [Edit(start, int(file.syntax.end[_find_operator(file, start)]), MASKED.encode())]


def without_operator(file: JavaFile, start: int) -> JavaFile:
    """Return the file with an operator hidden.

    The operator gets a symbol that no other operator has, and an assignment becomes a binary
    operation. Only the edges of the graph still describe the original program (``graph.edges``).
    """
    node = _find_operator(file, start)
    kind = file.syntax.kind.copy()
    kind[node] = MASK
    kind[file.syntax.parent[node]] = min(find_symbols("binary_expression"))
    masked_file = edit_file(file, operator_edits(file, start), kind)
    unmasked: JavaFile | None = file
    masked_file.store_result(unmasked_file, unmasked)
    return masked_file


def edit_file(file: JavaFile, edits: Edits, kind: NDArray[np.uint16] | None = None) -> JavaFile:
    """Return a file with the same nodes over an edited source.

    The edits must be in order, each inside a single token, comment or string. ``kind`` replaces the
    kinds of the nodes if it is not None.
    """
    syntax = file.syntax
    source = apply_edits(file.source, edits)
    edited_file = JavaFile(source)
    edited_file.__dict__["syntax"] = replace(
        syntax,
        source=source,
        kind=syntax.kind if kind is None else kind,
        start=map_offsets(syntax.start, edits),
        end=map_offsets(syntax.end, edits),
    )
    return edited_file


def restrict_to_method(file: JavaFile, method: int) -> JavaFile:
    """Return the file with one method as the only one that has a body.

    Functions that process all bodies then process only this one.
    """
    restricted = JavaFile(file.source)
    # Python looks into ``__dict__`` before it computes a cached property.
    for attribute in _COPIED_ATTRIBUTES:
        restricted.__dict__[attribute] = getattr(file, attribute)
    restricted.__dict__["bodies"] = [method]
    restricted.store_result(unmasked_file, file.compute_once(unmasked_file))
    return restricted


def apply_edits(source: bytes, edits: Edits) -> bytes:
    """Return the source with the edits applied, which are in order."""
    pieces: list[bytes] = []
    position = 0
    for start, end, text in edits:
        pieces += (source[position:start], text)
        position = end
    pieces.append(source[position:])
    return b"".join(pieces)


def map_offsets(offsets: Column, edits: Edits) -> Column:
    """Return offsets into a source as offsets into the edited source.

    An offset inside an edit becomes the end of that edit.
    """
    if not edits:
        return offsets
    start, end = np.array([edit[:2] for edit in edits], dtype=np.int64).T
    length_change = np.array([len(edit.text) for edit in edits]) - (end - start)
    shift = np.concatenate([[0], np.cumsum(length_change)])
    # The number of edits that end before each of the offsets.
    edits_before = np.searchsorted(end, offsets, side="right")
    new_offsets = offsets + shift[edits_before]
    last = np.minimum(edits_before, len(edits) - 1)
    inside = (edits_before < len(edits)) & (start[last] < offsets)
    new_offsets[inside] = (end[last] + shift[last + 1])[inside]
    column: Column = new_offsets.astype(np.int32)
    return column


def _find_leaf(syntax: Syntax, start: int) -> int:
    """Return the token that starts at a byte, or -1 if there is none."""
    leaves = np.flatnonzero(syntax.is_leaf & (syntax.start == start) & (syntax.end > start))
    return int(leaves[0]) if len(leaves) else -1


def _find_operator(file: JavaFile, start: int) -> int:
    """Return the operator that starts at a byte; raise an error if there is none."""
    syntax = file.syntax
    node = _find_leaf(syntax, start)
    operations = symbol_mask("binary_expression", "assignment_expression")
    if (
        node < 0
        or syntax.field[node] != field_number("operator")
        or not operations[syntax.kind[syntax.parent[node]]]
    ):
        raise ValueError(f"no operator between two operands starts at byte {start}")
    return node
