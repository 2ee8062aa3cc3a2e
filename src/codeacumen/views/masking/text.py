"""A method's text with its own name masked, as input of models that predict the name.

The name is masked at its declaration; wherever else in the text it names a method (calls of and
references to this method, an overload, an overridden or delegate method, ``inner.close()`` in a
``close``, and a method of that name declared inside); and where comments and strings contain it as
a whole word, because a log message ``"entering close"`` reveals it as well. Variables, fields,
types and labels of that name stay.

Java's compiler reads ``\\u0067etKey`` as ``getKey`` in names, comments and strings, and a string
may spell its letters as octal escapes, too. In a string, the word in ``"\\tgetKey"`` starts after
the escape.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from codeacumen.languages.java import parse_java
from codeacumen.languages.java.syntax.file import JavaFile, Snippet, parse_snippet
from codeacumen.languages.java.syntax.grammar import among, field, symbols
from codeacumen.languages.syntax import ERROR, Syntax
from codeacumen.views.paths import METHOD_NAME

Span = tuple[int, int]

_UNICODE = re.compile(r"\\u+([0-9a-fA-F]{4})")
_HAS_ESCAPES = re.compile(rb"\\[u0-7]")
_BEFORE = re.compile(rb"(\\+)(u+[0-9a-fA-F]{4}|[0-7]{1,3}|[btnfrs])\Z")
_AFTER = re.compile(rb"\\(u+[0-9a-fA-F]{4}|[0-7]{1,3})")
# The longest escape that is recognised before a word, in bytes.
_REACH = 32


def plain(name: str) -> str:
    """Return a name with its Unicode escapes decoded, as the compiler reads it."""
    if "\\" not in name:
        return name
    found = _UNICODE.sub(lambda match: chr(int(match[1], 16)), name)
    return found.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def words(text: bytes, name: str) -> list[Span]:
    """Return the ranges where a name is a whole word of a text in UTF-8, in order.

    The name must not contain escapes.
    """
    if not name:
        return []
    pattern = _escaped(name) if _HAS_ESCAPES.search(text) else _written(name)
    return [
        match.span()
        for match in pattern.finditer(text)
        if not (_goes_on(_before(text, match.start())) or _goes_on(_after(text, match.end())))
    ]


@lru_cache(maxsize=1024)
def _written(name: str) -> re.Pattern[bytes]:
    """Return the pattern of a name without escapes."""
    return re.compile(re.escape(name.encode("utf-8", "replace")))


@lru_cache(maxsize=1024)
def _escaped(name: str) -> re.Pattern[bytes]:
    """Return the pattern of a name whose characters may be written as escapes."""
    return re.compile(b"".join(map(_spellings, name)))


def _spellings(character: str) -> bytes:
    """Return the pattern of all spellings of a character."""
    units = character.encode("utf-16-be", "surrogatepass")
    codes = (units[at : at + 2].hex() for at in range(0, len(units), 2))
    ways = [
        re.escape(character.encode("utf-8", "replace")),
        b"".join(rb"\\u+(?i:%s)" % code.encode() for code in codes),
    ]
    if ord(character) < 256:
        octal = f"{ord(character):o}"
        ways.append(rb"\\0{0,%d}%s" % (3 - len(octal), octal.encode()))
    return b"(?:%s)" % b"|".join(ways)


def _before(text: bytes, at: int) -> str:
    """Return the character before a byte."""
    escape = _BEFORE.search(text, max(at - _REACH, 0), at)
    # An even number of backslashes does not start an escape.
    if escape and len(escape[1]) % 2:
        return _told(escape[2])
    # A character has at most four bytes; ``ignore`` drops an incomplete one.
    return text[max(at - 4, 0) : at].decode("utf-8", "ignore")[-1:]


def _after(text: bytes, end: int) -> str:
    """Return the character at a byte."""
    escape = _AFTER.match(text, end)
    if escape:
        return _told(escape[1])
    return text[end : end + 4].decode("utf-8", "ignore")[:1]


def _told(escape: bytes) -> str:
    """Return the character that an escape denotes; a blank for white space."""
    if escape[:1] == b"u":
        return chr(int(escape.lstrip(b"u"), 16))
    return chr(int(escape, 8)) if escape.isdigit() else " "


def _goes_on(character: str) -> bool:
    """Return whether a character may be part of a name."""
    return character.isalnum() or character in ("_", "$")


_MASK = METHOD_NAME.encode()
_TOLD = (
    "line_comment",
    "block_comment",
    "string_literal",
    "string_fragment",
    "multiline_string_fragment",
    "escape_sequence",
)
# Nodes whose field ``name`` is the name of a method.
_NAMED = (
    "method_invocation",
    "method_declaration",
    "constructor_declaration",
    "compact_constructor_declaration",
    "annotation_type_element_declaration",
)


_OPENS = re.compile(rb"\s*\(")


class _Place(NamedTuple):
    """Range of a method's text, and of its name.

    The range of the name (``at`` to ``end``) is empty if the source has none.
    """

    start: int
    stop: int
    at: int
    end: int


def masked_text(file: JavaFile, place: int, edits: Iterable[tuple[int, int, bytes]] = ()) -> str:
    """Return the text of a method after edits of its file, with its name masked.

    ``method`` is an index into ``file.declarations.methods``. ``edits`` are those of
    ``transforms``: start and end in bytes of the original, and the new text, in order. Edits
    outside of the method are ignored.
    """
    here = file.once(_places)[place]
    text = _edited(file.source, here, edits)
    name = plain(file.source[here.at : here.end].decode("utf-8", "replace"))
    made = _alone(text, name)
    if made is None:
        # Some methods parse only inside their class, and some files are broken.
        before, after = file.source[: here.start], file.source[here.stop :]
        made = _replaced(text, _telling(text, name, before, after))
    return made.decode("utf-8", "replace")


def masked(text: str, name: str) -> str:
    """Return the text of a method that is parsed alone, with its name masked."""
    data = text.encode("utf-8", "replace")
    made = _alone(data, plain(name))
    if made is None:
        made = _replaced(data, _telling_in(parse_snippet(data), plain(name)))
    return made.decode("utf-8", "replace")


def masked_other(text: str, name: str) -> str | None:
    """Return the text of another method, such as a caller, with a name masked; None if it parses
    only inside its file."""
    made = _alone(text.encode("utf-8", "replace"), plain(name), own=False)
    return made.decode("utf-8", "replace") if made is not None else None


def masked_words(text: str, name: str) -> str:
    """Return a text that is not code, such as a comment, with all occurrences of a name masked."""
    data = text.encode("utf-8", "replace")
    return _replaced(data, words(data, plain(name))).decode("utf-8", "replace")


def telling(syntax: Syntax, name: str) -> list[Span]:
    """Return the ranges where a file reveals a name, which must not contain escapes."""
    spans = words(syntax.source, name)
    if not spans:
        return []
    leaves = np.flatnonzero(syntax.is_leaf)
    found = np.searchsorted(syntax.start[leaves], [at for at, _ in spans], side="right") - 1
    near = leaves[np.maximum(found, 0)].tolist()
    return [span for span, leaf in zip(spans, near, strict=True) if _tells(syntax, leaf, *span)]


def _alone(text: bytes, name: str, *, own: bool = True) -> bytes | None:
    """Return a method's text with the name masked; None if it cannot be parsed alone.

    In most methods the only occurrence of the name is the declaration, so that no parsing is
    needed. ``own``: the text is the method's own, not that of another one.
    """
    spans = words(text, name)
    if len(spans) > own:
        # Parse the method alone, because its file may be a thousand times as long.
        snippet = parse_snippet(text)
        if snippet.file.syntax.broken:
            return None
        spans = _telling_in(snippet, name)
    return _replaced(text, spans)


def _telling(text: bytes, name: str, before: bytes, after: bytes) -> list[Span]:
    """Return the ranges in ``text`` that reveal a name, parsed with the text around it."""
    syntax = parse_java(b"".join((before, text, after)))
    return _shifted(telling(syntax, name), len(before), len(text))


def _telling_in(snippet: Snippet, name: str) -> list[Span]:
    """Return the ranges in a snippet that reveal a name."""
    file, start, stop = snippet
    return _shifted(telling(file.syntax, name), start, stop - start)


def _shifted(spans: Sequence[Span], first: int, length: int) -> list[Span]:
    """Return the ranges inside a part of a text, as ranges of that part."""
    inside = ((at - first, end - first) for at, end in spans)
    return [(at, end) for at, end in inside if at >= 0 and end <= length]


def _places(file: JavaFile) -> list[_Place]:
    """Return the ranges of each method of a file."""
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
    """Return a method's text with the edits applied."""
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
    """Return the text with the ranges replaced by the mask."""
    pieces: list[bytes] = []
    done = 0
    for at, end in spans:
        pieces += (text[done:at], _MASK)
        done = end
    pieces.append(text[done:])
    return b"".join(pieces)


def _tells(syntax: Syntax, leaf: int, at: int, end: int) -> bool:
    """Return whether the word is the name of a method, or in a comment or a string.

    ``leaf`` is the last leaf that does not start after the word.
    """
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
    # In broken code, mask too much rather than reveal the name.
    return around == ERROR


def _is_called(source: bytes, at: int, end: int) -> bool:
    """Return whether a name with escapes is followed by a parenthesis, or preceded by ``::``.

    The grammar does not parse such names.
    """
    return bool(_OPENS.match(source, end)) or source[max(at - 80, 0) : at].rstrip().endswith(b"::")


def _is_static_import(syntax: Syntax, node: int) -> bool:
    """Return whether a node is a static import."""
    if syntax.kind[node] not in symbols("import_declaration"):
        return False
    return any(syntax.text(child) == "static" for child in syntax.children(node))
