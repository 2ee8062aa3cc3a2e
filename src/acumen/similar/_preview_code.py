"""Java as HTML with its parts marked, by our own scanner: no library, any text."""

from __future__ import annotations

from functools import lru_cache
from html import escape

import numpy as np

from acumen.lang.java.file import JavaFile
from acumen.lang.java.grammar import among, field, symbols
from acumen.lang.java.keywords import KEYWORDS
from acumen.lang.java.tokens import KINDS

KEYWORD, TEXT, NUMBER, COMMENT, TYPE, METHOD = "k", "s", "n", "c", "t", "m"
# What is shown for characters that HTML has no place for.
_UNSHOWN = str.maketrans({chr(code): "�" for code in [*range(9), 11, 12, *range(14, 32), 127]})


@lru_cache(maxsize=1)
def _classes() -> tuple[str, ...]:
    """The class of each kind of token; empty: none."""
    words = {word.upper() for word in KEYWORDS}
    found = []
    for kind in KINDS:
        if kind in ("CHARLITERAL", "STRINGLITERAL"):
            found.append(TEXT)
        elif kind.endswith("LITERAL"):
            found.append(NUMBER)
        else:
            found.append(KEYWORD if kind in words else "")
    return tuple(found)


def marked(text: str) -> str:
    """The text as HTML. The first method, with its comment, is inside an element ``subject``."""
    file = JavaFile(text.encode("utf-8", errors="replace"))
    source = file.source
    edges = _subject(file)
    parts: list[str] = []
    at = 0

    def plain(until: int) -> None:
        """Text that is not marked, up to a byte; the subject begins and ends in such."""
        nonlocal at
        while edges and edges[0][0] <= until:
            edge, tag = edges.pop(0)
            parts.append(_escaped(source[at:edge]) + tag)
            at = max(at, edge)
        parts.append(_escaped(source[at:until]))
        at = until

    for start, stop, name in _marks(file):
        # Marks that overlap: a broken file.
        if start >= at:
            plain(start)
            parts.append(f'<span class="{name}">{_escaped(source[start:stop])}</span>')
            at = stop
    plain(len(source))
    return "".join(parts)


def _escaped(piece: bytes) -> str:
    text = piece.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    return escape(text).translate(_UNSHOWN)


def _subject(file: JavaFile) -> list[tuple[int, str]]:
    """Where the element around the first method begins and ends."""
    methods = file.declarations.methods
    if not methods:
        return []
    first = methods[0]
    begin = int(file.syntax.start[first.node if first.javadoc < 0 else first.javadoc])
    end = int(file.syntax.end[first.node])
    # It is a block of whole lines, where it has them to itself.
    line = file.source.rfind(b"\n", 0, begin) + 1
    if not file.source[line:begin].strip():
        begin = line
    end += file.source.startswith(b"\n", end)
    return [(begin, '<span class="subject">'), (end, "</span>")]


def _marks(file: JavaFile) -> list[tuple[int, int, str]]:
    syntax, tokens = file.syntax, file.tokens
    comments = np.flatnonzero(among("line_comment", "block_comment")[syntax.kind])
    spans = zip(syntax.start[comments].tolist(), syntax.end[comments].tolist(), strict=True)
    found = [(start, end, COMMENT) for start, end in spans]
    classes, types = _classes(), symbols("type_identifier")
    called = symbols("method_declaration", "constructor_declaration", "method_invocation")
    declared = symbols(
        "class_declaration", "interface_declaration", "enum_declaration", "record_declaration",
        "annotation_type_declaration",
    )  # fmt: skip
    columns = (tokens.kind, tokens.start, tokens.end, tokens.node)
    for kind, start, end, node in zip(*(one.tolist() for one in columns), strict=True):
        name = classes[kind]
        if not name and KINDS[kind] == "IDENTIFIER":
            if int(syntax.kind[node]) in types:
                name = TYPE
            elif syntax.field[node] == field("name"):
                mother = int(syntax.kind[syntax.parent[node]])
                name = METHOD if mother in called else TYPE if mother in declared else ""
        if name and start < end:
            found.append((start, end, name))
    return sorted(found)
