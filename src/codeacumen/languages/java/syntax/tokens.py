"""Lexical tokens of Java, as javac's scanner sees them.

The leaves of the syntax are the tokens, with four exceptions that a scanner, which knows no
grammar, treats otherwise: a string is one token; neighbouring ``>`` of nested generics are one
token as long as possible; ``@interface`` is two; ``non-sealed`` is three. Words that are keywords
only in places (``record``, ``yield``, ``when``, …) are identifiers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from codeacumen.languages.java import language
from codeacumen.languages.java.syntax.lexical import (
    KEYWORDS,
    char_value,
    escaped,
    number_value,
    string_value,
)
from codeacumen.languages.syntax import MASK, Syntax

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from codeacumen.languages.syntax import Column

# javac's names for what is not simply the upper-case keyword.
PUNCTUATION = {
    "->": "ARROW", "::": "COLCOL", "(": "LPAREN", ")": "RPAREN", "{": "LBRACE", "}": "RBRACE",
    "[": "LBRACKET", "]": "RBRACKET", ";": "SEMI", ",": "COMMA", ".": "DOT", "...": "ELLIPSIS",
    "=": "EQ", ">": "GT", "<": "LT", "!": "BANG", "~": "TILDE", "?": "QUES", ":": "COLON",
    "==": "EQEQ", "<=": "LTEQ", ">=": "GTEQ", "!=": "BANGEQ", "&&": "AMPAMP", "||": "BARBAR",
    "++": "PLUSPLUS", "--": "SUBSUB", "+": "PLUS", "-": "SUB", "*": "STAR", "/": "SLASH",
    "&": "AMP", "|": "BAR", "^": "CARET", "%": "PERCENT", "<<": "LTLT", ">>": "GTGT",
    ">>>": "GTGTGT", "+=": "PLUSEQ", "-=": "SUBEQ", "*=": "STAREQ", "/=": "SLASHEQ",
    "&=": "AMPEQ", "|=": "BAREQ", "^=": "CARETEQ", "%=": "PERCENTEQ", "<<=": "LTLTEQ",
    ">>=": "GTGTEQ", ">>>=": "GTGTGTEQ", "@": "MONKEYS_AT",
}  # fmt: skip
LITERALS = (
    "INTLITERAL",
    "LONGLITERAL",
    "FLOATLITERAL",
    "DOUBLELITERAL",
    "CHARLITERAL",
    "STRINGLITERAL",
)

KINDS: tuple[str, ...] = (
    "IDENTIFIER",
    "UNDERSCORE",
    *LITERALS,
    *(word.upper() for word in KEYWORDS),
    *PUNCTUATION.values(),
    # An operator that is hidden. The numbers are stored: kinds are only ever added, at the end.
    "MASK",
)
CODE = {kind: code for code, kind in enumerate(KINDS)}
# Kinds that the published representation spells by their text.
NAMED = frozenset(
    (
        "IDENTIFIER",
        "UNDERSCORE",
        "ASSERT",
        "BOOLEAN",
        "BYTE",
        "CHAR",
        "DOUBLE",
        "ENUM",
        "FLOAT",
        "INT",
        "LONG",
        "SHORT",
        "SUPER",
        "THIS",
        "VOID",
        "TRUE",
        "FALSE",
        "NULL",
    )
)

_NAMED_LEAVES = {
    "identifier": "IDENTIFIER",
    "type_identifier": "IDENTIFIER",
    "underscore_pattern": "UNDERSCORE",
    "null_literal": "NULL",
    "boolean_type": "BOOLEAN",
    "void_type": "VOID",
    "asterisk": "STAR",
    "character_literal": "CHARLITERAL",
    "string_literal": "STRINGLITERAL",
    "decimal_integer_literal": "INTLITERAL",
    "hex_integer_literal": "INTLITERAL",
    "octal_integer_literal": "INTLITERAL",
    "binary_integer_literal": "INTLITERAL",
    "decimal_floating_point_literal": "DOUBLELITERAL",
    "hex_floating_point_literal": "DOUBLELITERAL",
}
# What the grammar takes for an identifier and javac does not (``default``: after ``case null,``).
RESERVED = {b"_": "UNDERSCORE", b"default": "DEFAULT", b"const": "CONST", b"goto": "GOTO"}
_SUFFIXES = (
    ("INTLITERAL", b"lL", "LONGLITERAL"),
    ("DOUBLELITERAL", b"fF", "FLOATLITERAL"),
)
# What those words begin with, and how long they are.
_FIRST, _WIDTH = np.zeros(256, dtype=np.bool_), np.zeros(9, dtype=np.bool_)
_FIRST[[word[0] for word in RESERVED]] = True
_WIDTH[[len(word) for word in RESERVED]] = True
_NO_TOKEN = 255
_CLOSES = np.zeros(256, dtype=np.bool_)
_CLOSES[[CODE["GT"], CODE["GTGT"], CODE["GTGTGT"]]] = True
_CLOSING = re.compile(rb">>>=|>>>|>>=|>>|>=|==|>|=")


@dataclass(frozen=True)
class Tokens:
    """``kind`` numbers KINDS; ``node`` is the node of the syntax a token belongs to."""

    source: bytes
    kind: NDArray[np.uint8]
    start: Column
    end: Column
    node: Column

    def __len__(self) -> int:
        return len(self.kind)

    def text(self, i: int) -> str:
        return self.source[self.start[i] : self.end[i]].decode("utf-8", errors="replace")

    def value(self, i: int) -> str:
        """The name or the literal's value, as javac's scanner gives it; empty for the rest."""
        kind = KINDS[self.kind[i]]
        if kind == "STRINGLITERAL":
            return string_value(self.text(i))
        if kind == "CHARLITERAL":
            return char_value(self.text(i))
        if kind in LITERALS:
            return number_value(self.text(i))
        return self.text(i) if kind in NAMED else ""

    def spelling(self, i: int) -> str:
        """The token as the published token representation prints it."""
        kind = KINDS[self.kind[i]]
        if kind == "STRINGLITERAL":
            return f'"{escaped(string_value(self.text(i)))}"'
        return self.value(i) if kind in NAMED or kind in LITERALS else kind

    def spellings(
        self, word_of: Column, known: tuple[str, ...]
    ) -> tuple[NDArray[np.int32], tuple[str, ...]]:
        """All spellings: for each token a place in a list of distinct ones. That list begins with
        the file's identifiers, ``known``, whose places ``word_of`` tells for each node."""
        words = {word: place for place, word in enumerate(known)}
        # Most tokens are told by their kind, of which there are few.
        kinds = np.flatnonzero(np.bincount(self.kind, minlength=256))
        by_kind = np.zeros(256, dtype=np.int32)
        for kind in kinds.tolist():
            by_kind[kind] = words.setdefault(_spelled_kind(KINDS[kind]), len(words))
        codes = by_kind[self.kind]
        named = self.kind == CODE["IDENTIFIER"]
        codes[named] = word_of[self.node[named]]
        # Literals, and the few identifiers that are part of an odd token.
        rest = np.flatnonzero(_literal()[self.kind] | (codes < 0))
        texts: dict[tuple[int, bytes], int] = {}
        columns = (self.kind[rest], self.start[rest], self.end[rest], rest)
        for kind, start, end, i in zip(*(column.tolist() for column in columns), strict=True):
            key = (kind, self.source[start:end])
            place = texts.get(key)
            if place is None:
                place = texts[key] = words.setdefault(self.spelling(i), len(words))
            codes[i] = place
        return codes, tuple(words)


def _spelled_kind(kind: str) -> str:
    """How a token is spelt that its kind tells: ``int``, ``LPAREN``, ``_``."""
    if kind == "UNDERSCORE":
        return "_"
    return kind.lower() if kind in NAMED and kind != "IDENTIFIER" else kind


@lru_cache(maxsize=1)
def _literal() -> NDArray[np.bool_]:
    chosen = np.zeros(256, dtype=np.bool_)
    chosen[[CODE[kind] for kind in LITERALS]] = True
    return chosen


@lru_cache(maxsize=1)
def _codes() -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """For each symbol of the grammar: the kind of token it is, and whether what stands below
    it is part of it."""
    grammar = language()
    # One more, for tree-sitter's symbol of an error.
    codes = np.full(1 << 16, _NO_TOKEN, dtype=np.uint8)
    whole = np.zeros(1 << 16, dtype=np.bool_)
    for symbol in range(grammar.node_kind_count):
        name = grammar.node_kind_for_id(symbol) or ""
        if grammar.node_kind_is_named(symbol):
            kind = _NAMED_LEAVES.get(name) or (name.upper() if name in KEYWORDS else "")
        elif name in KEYWORDS:
            kind = name.upper()
        elif name in PUNCTUATION:
            kind = PUNCTUATION[name]
        elif name in ("@interface", "non-sealed"):
            kind = "MONKEYS_AT"  # split below
        else:
            kind = "IDENTIFIER" if name.isalpha() and name != "end" else ""
        if kind:
            codes[symbol] = CODE[kind]
        whole[symbol] = name == "string_literal"
    codes[MASK] = CODE["MASK"]
    return codes, whole


def tokens(syntax: Syntax) -> Tokens:
    """All tokens of a file, comments left out."""
    codes, whole = _codes()
    strings = np.flatnonzero(whole[syntax.kind])
    inside = np.zeros(len(syntax) + 1, dtype=np.int32)
    np.add.at(inside, strings + 1, 1)
    np.add.at(inside, syntax.stop[strings], -1)
    counts = (syntax.is_leaf & (np.cumsum(inside)[:-1] == 0)) | whole[syntax.kind]
    # A missing token that the parser made up has no width.
    counts &= (codes[syntax.kind] != _NO_TOKEN) & (syntax.end > syntax.start)
    node = np.flatnonzero(counts).astype(np.int32)
    kind, start, end = codes[syntax.kind[node]], syntax.start[node], syntax.end[node]
    found = Tokens(syntax.source, kind.copy(), start.copy(), end.copy(), node)
    _settle_by_text(found)
    return _split_and_join(found)


def _settle_by_text(found: Tokens) -> None:
    """Kinds that the text decides: suffixes of numbers, and words the grammar does not reserve."""
    source = found.source
    data = np.frombuffer(source, dtype=np.uint8)
    for plain, marks, marked in _SUFFIXES:
        numbers = np.flatnonzero(found.kind == CODE[plain])
        last = data[found.end[numbers] - 1]
        found.kind[numbers[(last == marks[0]) | (last == marks[1])]] = CODE[marked]
    # Words the grammar takes for identifiers: few, so only likely ones are looked at.
    names = np.flatnonzero(found.kind == CODE["IDENTIFIER"])
    likely = _FIRST[data[found.start[names]]] & _WIDTH[np.minimum(_widths(found, names), 8)]
    for i in names[likely].tolist():
        text = source[found.start[i] : found.end[i]]
        if text in RESERVED:
            found.kind[i] = CODE[RESERVED[text]]


def _widths(found: Tokens, places: NDArray[np.intp]) -> NDArray[np.int32]:
    widths: NDArray[np.int32] = found.end[places] - found.start[places]
    return widths


def _split_and_join(found: Tokens) -> Tokens:
    """Where the grammar's leaves are not the scanner's tokens."""
    source = found.source
    at = CODE["MONKEYS_AT"]
    closing = np.flatnonzero(_CLOSES[found.kind[:-1]])
    joined = closing[found.end[closing] == found.start[closing + 1]]
    signs = np.flatnonzero(found.kind == at)
    odd = {*signs[_widths(found, signs) > 1].tolist(), *joined.tolist()}
    if not odd:
        return found
    pieces: list[tuple[int, int, int, int]] = []
    keep = np.ones(len(found), dtype=np.bool_)
    done = -1
    for i in sorted(odd):
        if i <= done:
            continue
        first, last = i, i
        if found.kind[i] != at:
            while last + 1 < len(found) and found.end[last] == found.start[last + 1]:
                if source[found.start[last + 1] : found.start[last + 1] + 1] not in (b">", b"="):
                    break
                last += 1
        keep[first : last + 1] = False
        done = last
        begin, stop = int(found.start[first]), int(found.end[last])
        for kind, offset, width in _scanned(source[begin:stop]):
            at_byte = begin + offset
            pieces.append((kind, at_byte, at_byte + width, int(found.node[first])))
    added = np.array(pieces, dtype=np.int32).T
    start = np.concatenate([found.start[keep], added[1]])
    order = np.argsort(start, kind="stable")
    return Tokens(
        source,
        np.concatenate([found.kind[keep], added[0].astype(np.uint8)])[order],
        start[order],
        np.concatenate([found.end[keep], added[2]])[order],
        np.concatenate([found.node[keep], added[3]])[order],
    )


def _scanned(text: bytes) -> list[tuple[int, int, int]]:
    """Kind, offset and width of the scanner's tokens in a stretch of odd ones."""
    if text == b"@interface":
        return [(CODE["MONKEYS_AT"], 0, 1), (CODE["INTERFACE"], 1, 9)]
    if text == b"non-sealed":
        return [(CODE["IDENTIFIER"], 0, 3), (CODE["SUB"], 3, 1), (CODE["IDENTIFIER"], 4, 6)]
    return [
        (CODE[PUNCTUATION[match.group().decode()]], match.start(), len(match.group()))
        for match in _CLOSING.finditer(text)
    ]
