"""Levels of a method's source that a model sees: all of it, or less.

``whole``: the text as it is. ``uncommented``: without comments. ``unnamed``: with comments, but
with every identifier masked. ``bare``: neither comments nor names.

Identifiers (of types, methods, variables, fields, labels, annotations and packages, including those
of libraries) become ``v1``, ``v2``, … in the order of their first occurrence in the code, so that a
name has the same mask in both levels. Keywords, primitive types, ``var`` and numbers stay. The
content of a string is removed and a character becomes a blank, because these are words that a
programmer chose, too.

In comments that stay, a word is masked if the code has it as an identifier, or if it is written
like one (``camelCase``, ``with_underscore``, ``with$``). Each part of a word that contains dots or
``#`` is masked. Tags (``@param``) stay.

Code that the parser does not understand is searched for words that may be names. Therefore nothing
that looks like an identifier remains, not even in broken code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codeacumen.languages.syntax import Syntax

WHOLE, UNCOMMENTED, UNNAMED, BARE = "whole", "uncommented", "unnamed", "bare"
LEVELS = {
    WHOLE: "full text",
    UNCOMMENTED: "no comments",
    UNNAMED: "no names",
    BARE: "no comments, no names",
}

_WORD = re.compile(r"(?<![\w$])(?:[^\W\d]|\$)[\w$]*")
# A word of a comment: a name, or several joined by dots or #. The t of don't is not a word.
_COMMENT_WORD = re.compile(r"(?<![\w$])(?<!\w')@?(?:[^\W\d]|\$)[\w$]*(?:[.#](?:[^\W\d]|\$)[\w$]*)*")
_SEPARATOR = re.compile(r"[.#]")
# Abbreviations with dots, which are not names.
_ABBREVIATIONS = frozenset(("e.g", "i.e", "E.g", "I.e", "a.k.a", "w.r.t"))
_TAGS = frozenset(
    (
        "@author",
        "@code",
        "@deprecated",
        "@docRoot",
        "@exception",
        "@hidden",
        "@implNote",
        "@implSpec",
        "@apiNote",
        "@index",
        "@inheritDoc",
        "@link",
        "@linkplain",
        "@literal",
        "@param",
        "@provides",
        "@return",
        "@see",
        "@serial",
        "@serialData",
        "@serialField",
        "@since",
        "@snippet",
        "@summary",
        "@systemProperty",
        "@throws",
        "@uses",
        "@value",
        "@version",
    )
)
# Kinds of pieces of a text. A piece is a kind and the text itself, called ``part``. A gap is code
# that the parser did not understand.
_IDENTIFIER, _STRING, _CHARACTER, _OTHER, _COMMENT, _GAP = range(6)


@lru_cache(maxsize=1 << 13)
def show_level(text: str, level: str) -> str:
    """Return the text of a method as a level (a key of ``LEVELS``) shows it."""
    if level == WHOLE:
        return text
    pieces = _cached_pieces(text)
    if level == UNCOMMENTED:
        return _remove_comments(pieces)
    name_masks = _NameMasks(pieces)
    if level == UNNAMED:
        return "".join(name_masks.mask_piece(kind, part) for kind, part in pieces)
    if level != BARE:
        raise ValueError(f"there is no level {level!r}")
    masked_pieces = [
        (kind, part if kind == _COMMENT else name_masks.mask_piece(kind, part))
        for kind, part in pieces
    ]
    return _remove_comments(masked_pieces)


@lru_cache(maxsize=1)
def _java_keywords() -> frozenset[str]:
    """Return the keywords of Java."""
    from codeacumen.languages.java.syntax.lexical import KEYWORDS

    return frozenset(KEYWORDS)


@lru_cache(maxsize=8)
def _cached_pieces(text: str) -> tuple[tuple[int, str], ...]:
    """Return the pieces of a text, cached."""
    return tuple(_split_pieces(text))


class _NameMasks:
    """Masks for the names of one text."""

    def __init__(self, pieces: Sequence[tuple[int, str]]) -> None:
        # Mask of each name; those of the code come first, so that all levels number them alike.
        self.names: dict[str, str] = {}
        self.reserved = _java_keywords()
        for kind, part in pieces:
            if kind == _IDENTIFIER:
                self.mask_of(part)
            elif kind == _GAP:
                for match in _WORD.finditer(part):
                    if match.group() not in self.reserved:
                        self.mask_of(match.group())
        self.code_names = frozenset(self.names)

    def mask_of(self, name: str) -> str:
        """Return the mask of a name; a new name gets the next number."""
        return self.names.setdefault(name, f"v{len(self.names) + 1}")

    def mask_piece(self, kind: int, part: str) -> str:
        """Return a piece of the text with its names masked."""
        if kind == _IDENTIFIER:
            return self.mask_of(part)
        if kind == _STRING:
            return '"""\n"""' if part.startswith('"""') else '""'
        if kind == _CHARACTER:
            return "' '"
        if kind == _COMMENT:
            return _COMMENT_WORD.sub(lambda match: self._mask_comment_word(match.group()), part)
        if kind == _GAP:
            return _WORD.sub(
                lambda match: (
                    match.group() if match.group() in self.reserved else self.mask_of(match[0])
                ),
                part,
            )
        return part

    def _mask_comment_word(self, word: str) -> str:
        """Return a word of a comment, masked if it is a name."""
        if word in _TAGS or word in _ABBREVIATIONS:
            return word
        prefix, word = ("@", word[1:]) if word.startswith("@") else ("", word)
        parts = _SEPARATOR.split(word)
        if len(parts) == 1:
            return prefix + (self.mask_of(word) if self._is_name(word) else word)
        separators = iter([*_SEPARATOR.findall(word), ""])
        return prefix + "".join(
            (name_part if name_part in self.reserved else self.mask_of(name_part))
            + next(separators)
            for name_part in parts
        )

    def _is_name(self, word: str) -> bool:
        """Return whether a word of a comment is a name in the code or is written like one."""
        if word in self.code_names or "_" in word or "$" in word:
            return True
        return not word.isupper() and any(character.isupper() for character in word[1:])


def _split_pieces(text: str) -> Iterator[tuple[int, str]]:
    """Yield the whole text in pieces: identifiers, strings, characters, other tokens, comments, and
    the text between them."""
    from codeacumen.languages.java import parse_java
    from codeacumen.languages.java.syntax.tokens import CODE, tokenize_java

    # Text that UTF-8 cannot encode is not Java, but must not raise an error.
    source = text.encode("utf-8", "replace")
    syntax = parse_java(source)
    java_tokens = tokenize_java(syntax)
    is_identifier = _identifier_nodes(syntax)
    kinds = {CODE["STRINGLITERAL"]: _STRING, CODE["CHARLITERAL"]: _CHARACTER}
    spans = [
        (start, end, _IDENTIFIER if named and is_identifier[node] else kinds.get(kind, _OTHER))
        for start, end, node, kind, named in zip(
            java_tokens.start.tolist(),
            java_tokens.end.tolist(),
            java_tokens.node.tolist(),
            java_tokens.kind.tolist(),
            (java_tokens.kind == CODE["IDENTIFIER"]).tolist(),
            strict=True,
        )
    ]
    spans += [(start, end, _COMMENT) for start, end in _comment_ranges(syntax)]
    position = 0
    for start, end, kind in sorted(spans):
        if start < position:  # inside the previous piece
            continue
        if start > position:
            yield _classify_gap(source[position:start])
        yield kind, _decode(source[start:end])
        position = end
    if position < len(source):
        yield _classify_gap(source[position:])


def _classify_gap(source: bytes) -> tuple[int, str]:
    """Return kind and text of what is between two tokens: white space (_OTHER), or code that the
    parser did not understand (_GAP)."""
    return (_OTHER if source.isspace() else _GAP), _decode(source)


def _decode(source: bytes) -> str:
    """Return bytes as text."""
    return source.decode("utf-8", "replace")


def _identifier_nodes(syntax: Syntax) -> list[bool]:
    """Return for each node whether it is an identifier that a programmer chose.

    A contextual keyword such as ``record`` is another kind of leaf, except in code that the parser
    does not understand. No type may have the name ``var``.
    """
    from codeacumen.languages.java.syntax.grammar import symbol_mask
    from codeacumen.languages.syntax import ERROR

    named = symbol_mask("identifier")[syntax.kind] | (syntax.kind[syntax.parent] == ERROR)
    types = symbol_mask("type_identifier")[syntax.kind]
    for node in types.nonzero()[0].tolist():
        named[node] = syntax.source[syntax.start[node] : syntax.end[node]] != b"var"
    is_identifier: list[bool] = named.tolist()
    return is_identifier


def _comment_ranges(syntax: Syntax) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the comments, in bytes."""
    from codeacumen.languages.java.syntax.grammar import symbol_mask

    comments = symbol_mask("line_comment", "block_comment")[syntax.kind].nonzero()[0]
    yield from zip(syntax.start[comments].tolist(), syntax.end[comments].tolist(), strict=True)


def _remove_comments(pieces: Sequence[tuple[int, str]]) -> str:
    """Return the text without comments.

    A line that contains only comments is removed, and tokens that only a comment separates stay
    separate.
    """
    text = "".join(part for kind, part in pieces if kind != _COMMENT)
    # A character that the text lacks stands for each comment.
    mark = next(sign for code in range(0xE000, 0x110000) if (sign := chr(code)) not in text)
    text = "".join(mark if kind == _COMMENT else part for kind, part in pieces)
    text = re.sub(rf"(?m)^[ \t]*{mark}[ \t{mark}]*(?:\r?\n|\Z)", "", text)
    text = re.sub(rf"[ \t]*{mark}[ \t{mark}]*(?=\r?\n|\Z)", "", text)
    text = re.sub(rf"(?m)^([ \t]*){mark}[ \t{mark}]*", r"\1", text)
    return re.sub(rf"[ \t]*{mark}[ \t{mark}]*", " ", text)
