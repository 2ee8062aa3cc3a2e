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
from codeacumen.languages.java.syntax.grammar import field_number, find_symbols, symbol_mask
from codeacumen.languages.syntax import ERROR, Syntax
from codeacumen.views.paths import METHOD_NAME

# Start and end of a range, in bytes.
Span = tuple[int, int]

_UNICODE = re.compile(r"\\u+([0-9a-fA-F]{4})")
_HAS_ESCAPES = re.compile(rb"\\[u0-7]")
# An escape that ends, or starts, at an offset.
_BEFORE = re.compile(rb"(\\+)(u+[0-9a-fA-F]{4}|[0-7]{1,3}|[btnfrs])\Z")
_AFTER = re.compile(rb"\\(u+[0-9a-fA-F]{4}|[0-7]{1,3})")
# The longest escape that is recognised before a word, in bytes.
_REACH = 32


def decode_name(name: str) -> str:
    """Return a name with its Unicode escapes decoded, as the compiler reads it."""
    if "\\" not in name:
        return name
    decoded = _UNICODE.sub(lambda match: chr(int(match[1], 16)), name)
    return decoded.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def find_words(text: bytes, name: str) -> list[Span]:
    """Return the ranges where a name is a whole word of a text in UTF-8, in order.

    The name must not contain escapes.
    """
    if not name:
        return []
    pattern = _escaped_pattern(name) if _HAS_ESCAPES.search(text) else _plain_pattern(name)
    return [
        match.span()
        for match in pattern.finditer(text)
        if not (
            _is_name_character(_character_before(text, match.start()))
            or _is_name_character(_character_after(text, match.end()))
        )
    ]


@lru_cache(maxsize=1024)
def _plain_pattern(name: str) -> re.Pattern[bytes]:
    """Return the pattern of a name without escapes."""
    return re.compile(re.escape(name.encode("utf-8", "replace")))


@lru_cache(maxsize=1024)
def _escaped_pattern(name: str) -> re.Pattern[bytes]:
    """Return the pattern of a name whose characters may be written as escapes."""
    return re.compile(b"".join(map(_spelling_pattern, name)))


def _spelling_pattern(character: str) -> bytes:
    """Return the pattern of all spellings of a character."""
    units = character.encode("utf-16-be", "surrogatepass")
    codes = (units[index : index + 2].hex() for index in range(0, len(units), 2))
    alternatives = [
        re.escape(character.encode("utf-8", "replace")),
        b"".join(rb"\\u+(?i:%s)" % code.encode() for code in codes),
    ]
    if ord(character) < 256:
        octal = f"{ord(character):o}"
        alternatives.append(rb"\\0{0,%d}%s" % (3 - len(octal), octal.encode()))
    return b"(?:%s)" % b"|".join(alternatives)


def _character_before(text: bytes, offset: int) -> str:
    """Return the character before a byte; empty at the start of the text."""
    escape = _BEFORE.search(text, max(offset - _REACH, 0), offset)
    # An even number of backslashes does not start an escape.
    if escape and len(escape[1]) % 2:
        return _decode_escape(escape[2])
    # A character has at most four bytes; ``ignore`` drops an incomplete one.
    return text[max(offset - 4, 0) : offset].decode("utf-8", "ignore")[-1:]


def _character_after(text: bytes, end: int) -> str:
    """Return the character that starts at a byte; empty at the end of the text."""
    escape = _AFTER.match(text, end)
    if escape:
        return _decode_escape(escape[1])
    return text[end : end + 4].decode("utf-8", "ignore")[:1]


def _decode_escape(escape: bytes) -> str:
    """Return the character that an escape denotes; a blank for white space."""
    if escape[:1] == b"u":
        return chr(int(escape.lstrip(b"u"), 16))
    return chr(int(escape, 8)) if escape.isdigit() else " "


def _is_name_character(character: str) -> bool:
    """Return whether a character may be part of a name."""
    return character.isalnum() or character in ("_", "$")


_MASK = METHOD_NAME.encode()
_TEXT_KINDS = (
    "line_comment",
    "block_comment",
    "string_literal",
    "string_fragment",
    "multiline_string_fragment",
    "escape_sequence",
)
# Nodes whose field ``name`` is the name of a method.
_NAMED_BY_METHOD = (
    "method_invocation",
    "method_declaration",
    "constructor_declaration",
    "compact_constructor_declaration",
    "annotation_type_element_declaration",
)


_OPENING_PARENTHESIS = re.compile(rb"\s*\(")


class _MethodRange(NamedTuple):
    """Range of a method's text, and of its name.

    All are in bytes. The range of the name is empty, at ``start``, if the source has none.
    """

    start: int
    end: int
    name_start: int
    name_end: int


def mask_method(file: JavaFile, method: int, edits: Iterable[tuple[int, int, bytes]] = ()) -> str:
    """Return the text of a method after edits of its file, with its name masked.

    ``method`` is an index into ``file.declarations.methods``. ``edits`` are those of
    ``transforms``: start and end in bytes of the original, and the new text, in order. Edits
    outside of the method are ignored.
    """
    method_range = file.compute_once(_method_ranges)[method]
    text = _edit_method(file.source, method_range, edits)
    name = decode_name(
        file.source[method_range.name_start : method_range.name_end].decode("utf-8", "replace")
    )
    masked = _mask_alone(text, name)
    if masked is None:
        # Some methods parse only inside their class, and some files are broken.
        before, after = file.source[: method_range.start], file.source[method_range.end :]
        masked = _replace_spans(text, _find_spans_in_context(text, name, before, after))
    return masked.decode("utf-8", "replace")


def mask_snippet(text: str, name: str) -> str:
    """Return the text of a method that is parsed alone, with its name masked."""
    data = text.encode("utf-8", "replace")
    masked_bytes = _mask_alone(data, decode_name(name))
    if masked_bytes is None:
        masked_bytes = _replace_spans(
            data, _find_spans_in_snippet(parse_snippet(data), decode_name(name))
        )
    return masked_bytes.decode("utf-8", "replace")


def mask_in_other_method(text: str, name: str) -> str | None:
    """Return the text of another method, such as a caller, with a name masked; None if it parses
    only inside its file."""
    masked_bytes = _mask_alone(text.encode("utf-8", "replace"), decode_name(name), own=False)
    return masked_bytes.decode("utf-8", "replace") if masked_bytes is not None else None


def mask_words(text: str, name: str) -> str:
    """Return a text that is not code, such as a comment, with all occurrences of a name masked."""
    data = text.encode("utf-8", "replace")
    return _replace_spans(data, find_words(data, decode_name(name))).decode("utf-8", "replace")


def find_revealing_spans(syntax: Syntax, name: str) -> list[Span]:
    """Return the ranges where a file reveals a name, which must not contain escapes."""
    spans = find_words(syntax.source, name)
    if not spans:
        return []
    leaves = np.flatnonzero(syntax.is_leaf)
    leaf_indices = (
        np.searchsorted(syntax.start[leaves], [start for start, _ in spans], side="right") - 1
    )
    nearest_leaves = leaves[np.maximum(leaf_indices, 0)].tolist()
    return [
        span
        for span, leaf in zip(spans, nearest_leaves, strict=True)
        if _reveals_name(syntax, leaf, *span)
    ]


def _mask_alone(text: bytes, name: str, *, own: bool = True) -> bytes | None:
    """Return a method's text with the name masked; None if it cannot be parsed alone.

    In most methods the only occurrence of the name is the declaration, so that no parsing is
    needed. ``own``: the text is the method's own, not that of another one.
    """
    spans = find_words(text, name)
    if len(spans) > own:  # more than the declaration; in another method's text, any at all
        # Parse the method alone, because its file may be a thousand times as long.
        snippet = parse_snippet(text)
        if snippet.file.syntax.broken:
            return None
        spans = _find_spans_in_snippet(snippet, name)
    return _replace_spans(text, spans)


def _find_spans_in_context(text: bytes, name: str, before: bytes, after: bytes) -> list[Span]:
    """Return the ranges in ``text`` that reveal a name, parsed with the text around it."""
    syntax = parse_java(b"".join((before, text, after)))
    return _shift_spans(find_revealing_spans(syntax, name), len(before), len(text))


def _find_spans_in_snippet(snippet: Snippet, name: str) -> list[Span]:
    """Return the ranges in a snippet that reveal a name."""
    file, start, stop = snippet
    return _shift_spans(find_revealing_spans(file.syntax, name), start, stop - start)


def _shift_spans(spans: Sequence[Span], offset: int, length: int) -> list[Span]:
    """Return the ranges inside a part of a text, as ranges of that part."""
    inside = ((start - offset, end - offset) for start, end in spans)
    return [(start, end) for start, end in inside if start >= 0 and end <= length]


def _method_ranges(file: JavaFile) -> list[_MethodRange]:
    """Return the ranges of each method of a file."""
    syntax, ranges = file.syntax, []
    for method in file.declarations.methods:
        start, stop = int(syntax.start[method.node]), int(syntax.end[method.node])
        name_start = name_end = start
        for child in syntax.children(method.node):
            if syntax.field[child] == field_number("name"):
                name_start, name_end = int(syntax.start[child]), int(syntax.end[child])
                break
        ranges.append(_MethodRange(start, stop, name_start, name_end))
    return ranges


def _edit_method(
    source: bytes, method_range: _MethodRange, edits: Iterable[tuple[int, int, bytes]]
) -> bytes:
    """Return a method's text with the edits applied."""
    pieces: list[bytes] = []
    position = method_range.start
    for start, end, text in edits:
        if end <= method_range.start or start >= method_range.end:
            continue
        if start < position or end > method_range.end:
            raise ValueError(f"the edit at byte {start} overlaps another, or the method's bounds")
        if start < method_range.name_end and end > method_range.name_start:
            raise ValueError(f"the edit at byte {start} changes the method's name")
        pieces += (source[position:start], text)
        position = end
    pieces.append(source[position : method_range.end])
    return b"".join(pieces)


def _replace_spans(text: bytes, spans: Sequence[Span]) -> bytes:
    """Return the text with the ranges replaced by the mask."""
    pieces: list[bytes] = []
    position = 0
    for start, end in spans:
        pieces += (text[position:start], _MASK)
        position = end
    pieces.append(text[position:])
    return b"".join(pieces)


def _reveals_name(syntax: Syntax, leaf: int, start: int, end: int) -> bool:
    """Return whether a word is the name of a method, or in a comment or a string.

    The word has the bytes ``start`` to ``end``; ``leaf`` is the last leaf that starts at or before
    ``start``.
    """
    node = leaf
    while node > 0 and syntax.end[node] < end:
        node = int(syntax.parent[node])
    kind = int(syntax.kind[node])
    if symbol_mask(*_TEXT_KINDS)[kind]:
        return True
    if b"\\" in syntax.source[start:end]:
        return _is_called(syntax.source, start, end)
    if kind not in find_symbols("identifier") or (syntax.start[node], syntax.end[node]) != (
        start,
        end,
    ):
        return False
    parent = int(syntax.parent[node])
    parent_kind = int(syntax.kind[parent])
    if parent_kind in find_symbols("method_reference"):
        return bool(syntax.stop[parent] == syntax.stop[node])
    if parent_kind in find_symbols("scoped_identifier"):
        return bool(syntax.field[node] == field_number("name")) and _is_static_import(
            syntax, int(syntax.parent[parent])
        )
    if symbol_mask(*_NAMED_BY_METHOD)[parent_kind]:
        return bool(syntax.field[node] == field_number("name"))
    # In broken code, mask too much rather than reveal the name.
    return parent_kind == ERROR


def _is_called(source: bytes, start: int, end: int) -> bool:
    """Return whether a name with escapes is followed by a parenthesis, or preceded by ``::``.

    The grammar does not parse such names. At most 80 bytes before the name are searched for ``::``.
    """
    return bool(_OPENING_PARENTHESIS.match(source, end)) or source[
        max(start - 80, 0) : start
    ].rstrip().endswith(b"::")


def _is_static_import(syntax: Syntax, node: int) -> bool:
    """Return whether a node is a static import."""
    if syntax.kind[node] not in find_symbols("import_declaration"):
        return False
    return any(syntax.text(child) == "static" for child in syntax.children(node))
