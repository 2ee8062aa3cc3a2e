"""A method's text with its own name masked: what a model sees that is asked for the name.

The name is masked where it is declared, wherever else in the text it names a method (calls and
references of this one, of an overload, of what it overrides or hands on to, ``inner.close()`` in a
``close``, and a method of that name declared inside), and where comments and strings hold it as a
whole word: a log's ``"entering close"`` tells it as well. Variables, fields, types and labels of
that name stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from acumen.lang.java import parse_java
from acumen.lang.java.file import JavaFile
from acumen.lang.java.grammar import among, field, symbols
from acumen.lang.java.snippet import Snippet, parse_snippet
from acumen.lang.syntax import ERROR, Syntax
from acumen.views._words import Span, plain, words
from acumen.views.paths import METHOD_NAME

_MASK = METHOD_NAME.encode()
_TOLD = (
    "line_comment", "block_comment", "string_literal", "string_fragment",
    "multiline_string_fragment", "escape_sequence",
)  # fmt: skip
# What has a method's name as its field ``name``.
_NAMED = (
    "method_invocation", "method_declaration", "constructor_declaration",
    "compact_constructor_declaration", "annotation_type_element_declaration",
)  # fmt: skip


_OPENS = re.compile(rb"\s*\(")


class _Place(NamedTuple):
    """Where a method's text is, and its name in it; ``at`` and ``end`` of the name are equal where
    the source has none."""

    start: int
    stop: int
    at: int
    end: int


def masked_text(file: JavaFile, place: int, edits: Iterable[tuple[int, int, bytes]] = ()) -> str:
    """The text of a method, a place in ``file.declarations.methods``, after some edits of the
    file, with its name masked. Edits are what ``transforms`` makes: a start and an end in the
    original's bytes, the text instead, in order. Those outside of the method are passed over."""
    here = file.once(_places)[place]
    text = _edited(file.source, here, edits)
    name = plain(file.source[here.at : here.end].decode("utf-8", "replace"))
    made = _alone(text, name)
    if made is None:
        # Some methods stand only where they are; some files are broken.
        before, after = file.source[: here.start], file.source[here.stop :]
        made = _replaced(text, _telling(text, name, before, after))
    return made.decode("utf-8", "replace")


def masked(text: str, name: str) -> str:
    """A method's text, which stands alone, with its name masked."""
    data = text.encode("utf-8", "replace")
    made = _alone(data, plain(name))
    if made is None:
        made = _replaced(data, _telling_in(parse_snippet(data), plain(name)))
    return made.decode("utf-8", "replace")


def masked_other(text: str, name: str) -> str | None:
    """The text of some other method, a caller for one, with a name masked; None where it has to
    be read in its file."""
    made = _alone(text.encode("utf-8", "replace"), plain(name), own=False)
    return made.decode("utf-8", "replace") if made is not None else None


def masked_words(text: str, name: str) -> str:
    """A comment's text, or any other that is no code, with every such word masked."""
    data = text.encode("utf-8", "replace")
    return _replaced(data, words(data, plain(name))).decode("utf-8", "replace")


def telling(syntax: Syntax, name: str) -> list[Span]:
    """Where a file tells a name, which is plain, that is asked for."""
    spans = words(syntax.source, name)
    if not spans:
        return []
    leaves = np.flatnonzero(syntax.is_leaf)
    found = np.searchsorted(syntax.start[leaves], [at for at, _ in spans], side="right") - 1
    near = leaves[np.maximum(found, 0)].tolist()
    return [span for span, leaf in zip(spans, near, strict=True) if _tells(syntax, leaf, *span)]


def _alone(text: bytes, name: str, *, own: bool = True) -> bytes | None:
    """Nothing where the text cannot be read alone. The only such word of a method's own text, as
    it is for most methods, is the declaration's."""
    spans = words(text, name)
    if len(spans) > own:
        # A method is parsed alone: its file may be a thousand times as long.
        snippet = parse_snippet(text)
        if snippet.file.syntax.broken:
            return None
        spans = _telling_in(snippet, name)
    return _replaced(text, spans)


def _telling(text: bytes, name: str, before: bytes, after: bytes) -> list[Span]:
    syntax = parse_java(b"".join((before, text, after)))
    return _shifted(telling(syntax, name), len(before), len(text))


def _telling_in(snippet: Snippet, name: str) -> list[Span]:
    """Where a snippet tells a name, as places in the snippet."""
    file, start, stop = snippet
    return _shifted(telling(file.syntax, name), start, stop - start)


def _shifted(spans: Sequence[Span], first: int, length: int) -> list[Span]:
    """Those inside a part of a text, as places in that part."""
    inside = ((at - first, end - first) for at, end in spans)
    return [(at, end) for at, end in inside if at >= 0 and end <= length]


def _places(file: JavaFile) -> list[_Place]:
    syntax, found = file.syntax, []
    for method in file.declarations.methods:
        start, stop = int(syntax.start[method.node]), int(syntax.end[method.node])
        at = end = start
        for child in syntax.children(method.node):
            if syntax.field[child] == field("name"):
                at, end = int(syntax.start[child]), int(syntax.end[child])
                break
        found.append(_Place(start, stop, at, end))
    return found


def _edited(source: bytes, here: _Place, edits: Iterable[tuple[int, int, bytes]]) -> bytes:
    pieces: list[bytes] = []
    at = here.start
    for start, end, text in edits:
        if end <= here.start or start >= here.stop:
            continue
        if start < at or end > here.stop:
            raise ValueError(f"the edit at byte {start} overlaps another, or the method's bounds")
        if start < here.end and end > here.at:
            raise ValueError(f"the edit at byte {start} changes the method's name")
        pieces += (source[at:start], text)
        at = end
    pieces.append(source[at : here.stop])
    return b"".join(pieces)


def _replaced(text: bytes, spans: Sequence[Span]) -> bytes:
    pieces: list[bytes] = []
    done = 0
    for at, end in spans:
        pieces += (text[done:at], _MASK)
        done = end
    pieces.append(text[done:])
    return b"".join(pieces)


def _tells(syntax: Syntax, leaf: int, at: int, end: int) -> bool:
    """Is the word there the name of a method, or does a comment or a string hold it? ``leaf`` is
    the last that does not begin after it."""
    node = leaf
    while node > 0 and syntax.end[node] < end:
        node = int(syntax.parent[node])
    kind = int(syntax.kind[node])
    if among(*_TOLD)[kind]:
        return True
    if b"\\" in syntax.source[at:end]:
        return _is_called(syntax.source, at, end)
    if kind not in symbols("identifier") or (syntax.start[node], syntax.end[node]) != (at, end):
        return False
    above = int(syntax.parent[node])
    around = int(syntax.kind[above])
    if around in symbols("method_reference"):
        return bool(syntax.stop[above] == syntax.stop[node])
    if around in symbols("scoped_identifier"):
        return bool(syntax.field[node] == field("name")) and _is_static_import(
            syntax, int(syntax.parent[above])
        )
    if among(*_NAMED)[around]:
        return bool(syntax.field[node] == field("name"))
    # In what cannot be read, rather too much is masked than the name told.
    return around == ERROR


def _is_called(source: bytes, at: int, end: int) -> bool:
    """Of a name written with escapes, of which the grammar knows nothing: is it followed by a
    bracket, or what a reference refers to?"""
    return bool(_OPENS.match(source, end)) or source[max(at - 80, 0) : at].rstrip().endswith(b"::")


def _is_static_import(syntax: Syntax, node: int) -> bool:
    if syntax.kind[node] not in symbols("import_declaration"):
        return False
    return any(syntax.text(child) == "static" for child in syntax.children(node))
