"""A method's text with its own name masked: what a model sees that is asked for the name.

The name is masked where it is declared, wherever else in the text it names a method (calls and
references of this one, of an overload, of what it overrides or hands on to, ``inner.close()`` in a
``close``, and a method of that name declared inside), and in comments. Variables, fields, types and
labels of that name stay, and so do strings: they are what the program does.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from acumen.lang.java import language
from acumen.lang.java.file import JavaFile
from acumen.lang.java.grammar import field
from acumen.lang.lines import with_unix_ends
from acumen.views.paths import METHOD_NAME

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_MASK = METHOD_NAME.encode()
# A method is read alone, in this: its file may be a thousand times as long.
_BEFORE, _AFTER = b"class T {", b"\n}"
_COMMENTS = ("line_comment", "block_comment")
# What has a method's name as its field ``name``.
_NAMED = (
    "method_invocation", "method_declaration", "constructor_declaration",
    "compact_constructor_declaration", "annotation_type_element_declaration",
)  # fmt: skip


class _Span(NamedTuple):
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
    span = file.once(_spans)[place]
    text = _edited(file.source, span, edits)
    name = file.source[span.at : span.end]
    words = _words(text, name)
    if len(words) < 2:
        # The only one is the declaration's: so it is for most methods.
        return _replaced(text, name, words)
    root = _parsed(_BEFORE, text, _AFTER)
    if root.has_error:
        # Some methods stand only where they are; some files are broken.
        before, after = file.source[: span.start], file.source[span.stop :]
        root, shift = _parsed(before, text, after), span.start
    else:
        shift = len(_BEFORE)
    return _replaced(text, name, [at for at in words if _tells(root, at + shift, len(name))])


def masked(text: str, name: str) -> str:
    """A method's text, which stands alone, with its name masked."""
    data, word = text.encode("utf-8", "replace"), name.encode("utf-8", "replace")
    words = _words(data, word)
    if len(words) > 1:
        root, shift = _parsed(_BEFORE, data, _AFTER), len(_BEFORE)
        words = [at for at in words if _tells(root, at + shift, len(word))]
    return _replaced(data, word, words)


def _spans(file: JavaFile) -> list[_Span]:
    syntax, found = file.syntax, []
    for method in file.declarations.methods:
        start, stop = int(syntax.start[method.node]), int(syntax.end[method.node])
        at = end = start
        for child in syntax.children(method.node):
            if syntax.field[child] == field("name"):
                at, end = int(syntax.start[child]), int(syntax.end[child])
                break
        found.append(_Span(start, stop, at, end))
    return found


def _edited(source: bytes, span: _Span, edits: Iterable[tuple[int, int, bytes]]) -> bytes:
    pieces: list[bytes] = []
    at = span.start
    for start, end, text in edits:
        if end <= span.start or start >= span.stop:
            continue
        if start < at or end > span.stop:
            raise ValueError(f"the edit at byte {start} overlaps another, or the method's bounds")
        if start < span.end and end > span.at:
            raise ValueError(f"the edit at byte {start} changes the method's name")
        pieces += (source[at:start], text)
        at = end
    pieces.append(source[at : span.stop])
    return b"".join(pieces)


def _words(text: bytes, name: bytes) -> list[int]:
    """Where the name is a whole word."""
    found: list[int] = []
    at = text.find(name) if name else -1
    while at >= 0:
        end = at + len(name)
        # A character has at most four bytes; what is cut off is no character.
        before = text[max(at - 4, 0) : at].decode("utf-8", "ignore")[-1:]
        after = text[end : end + 4].decode("utf-8", "ignore")[:1]
        if not (_goes_on(before) or _goes_on(after)):
            found.append(at)
        at = text.find(name, end)
    return found


def _goes_on(character: str) -> bool:
    return character.isalnum() or character in ("_", "$")


def _replaced(text: bytes, name: bytes, words: list[int]) -> str:
    pieces: list[bytes] = []
    done = 0
    for at in words:
        pieces += (text[done:at], _MASK)
        done = at + len(name)
    pieces.append(text[done:])
    return b"".join(pieces).decode("utf-8", "replace")


@lru_cache(maxsize=1)
def _parser() -> Parser:
    from tree_sitter import Parser

    return Parser(language())


def _parsed(*pieces: bytes) -> Node:
    return _parser().parse(with_unix_ends(b"".join(pieces))).root_node


def _tells(root: Node, at: int, length: int) -> bool:
    """Is the word at a byte the name of a method, or does a comment hold it?"""
    leaf = root.descendant_for_byte_range(at, at + length)
    if leaf is None or leaf.type in _COMMENTS:
        return leaf is not None
    above = leaf.parent
    if leaf.type != "identifier" or leaf.end_byte - leaf.start_byte != length or above is None:
        return False
    if above.type == "method_reference":
        return above.child(above.child_count - 1) == leaf
    if above.type in _NAMED:
        return above.child_by_field_name("name") == leaf
    # In what cannot be read, rather too much is masked than the name told.
    return above.type == "ERROR"
