"""Lexical tokens of Java, as javac's scanner returns them.

The leaves of the syntax are the tokens, with four exceptions, because a scanner works without the
grammar: a string is one token; adjacent ``>`` of nested generics are one token, the longest
possible; ``@interface`` is two; ``non-sealed`` is three. Contextual keywords (``record``,
``yield``, ``when``, …) are identifiers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from codeacumen.languages.java import load_grammar
from codeacumen.languages.java.syntax.lexical import (
    KEYWORDS,
    char_value,
    escape_string,
    number_value,
    string_value,
)
from codeacumen.languages.syntax import MASK, Syntax, find_token_nodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from codeacumen.languages.syntax import Column

# javac's names of separators and operators; a keyword's name is the keyword in upper case.
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
# Kinds of literals, by javac's names.
LITERALS = (
    "INTLITERAL",
    "LONGLITERAL",
    "FLOATLITERAL",
    "DOUBLELITERAL",
    "CHARLITERAL",
    "STRINGLITERAL",
)

# Kinds of tokens; the index of a kind is its number.
KINDS: tuple[str, ...] = (
    "IDENTIFIER",
    "UNDERSCORE",
    *LITERALS,
    *(word.upper() for word in KEYWORDS),
    *PUNCTUATION.values(),
    # A hidden operator. Corpora store the numbers, so new kinds must be appended at the end.
    "MASK",
)
CODE = {kind: code for code, kind in enumerate(KINDS)}
# Kinds that the published token representation (``views/text.py``) writes as their text.
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

# Kinds of the tokens of the grammar's named nodes; a number's suffix may change them.
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
# Reserved words that the grammar parses as identifiers (``default``: after ``case null,``).
RESERVED = {b"_": "UNDERSCORE", b"default": "DEFAULT", b"const": "CONST", b"goto": "GOTO"}
_SUFFIXES = (
    ("INTLITERAL", b"lL", "LONGLITERAL"),
    ("DOUBLELITERAL", b"fF", "FLOATLITERAL"),
)
# Masks of the first bytes and the lengths of RESERVED words, to find candidates fast.
_FIRST, _WIDTH = np.zeros(256, dtype=np.bool_), np.zeros(9, dtype=np.bool_)
_FIRST[[word[0] for word in RESERVED]] = True
_WIDTH[[len(word) for word in RESERVED]] = True
# In place of a kind: a symbol that is no token.
_NO_TOKEN = 255
# Mask over kinds of tokens that a > or = directly after them may extend, and the tokens that the
# scanner returns for such a sequence.
_CLOSES = np.zeros(256, dtype=np.bool_)
_CLOSES[[CODE["GT"], CODE["GTGT"], CODE["GTGTGT"]]] = True
_CLOSING = re.compile(rb">>>=|>>>|>>=|>>|>=|==|>|=")


@dataclass(frozen=True)
class JavaTokens:
    """Columns of a file's tokens in source order. ``kind`` is an index into KINDS; ``start`` and
    ``end`` are byte offsets; ``node`` is the token's node of the syntax."""

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
        """Return the token's name or the literal's value, as javac's scanner does; empty for all
        other tokens."""
        kind = KINDS[self.kind[i]]
        if kind == "STRINGLITERAL":
            return string_value(self.text(i))
        if kind == "CHARLITERAL":
            return char_value(self.text(i))
        if kind in LITERALS:
            return number_value(self.text(i))
        return self.text(i) if kind in NAMED else ""

    def spelling(self, i: int) -> str:
        """Return the token as the published token representation writes it."""
        kind = KINDS[self.kind[i]]
        if kind == "STRINGLITERAL":
            return f'"{escape_string(string_value(self.text(i)))}"'
        return self.value(i) if kind in NAMED or kind in LITERALS else kind

    def number_spellings(
        self, word_of: Column, identifiers: tuple[str, ...]
    ) -> tuple[NDArray[np.int32], tuple[str, ...]]:
        """Return the number of each token's spelling, and the distinct spellings by number.

        The spellings begin with the file's ``identifiers``, whose numbers ``word_of`` holds by node
        (-1: no identifier)."""
        words = {word: word_number for word_number, word in enumerate(identifiers)}
        # The kind alone, of which there are few, determines the spelling of most tokens.
        kinds = np.flatnonzero(np.bincount(self.kind, minlength=256))
        by_kind = np.zeros(256, dtype=np.int32)
        for kind in kinds.tolist():
            by_kind[kind] = words.setdefault(_spell_kind(KINDS[kind]), len(words))
        codes = by_kind[self.kind]
        named = self.kind == CODE["IDENTIFIER"]
        codes[named] = word_of[self.node[named]]
        # Literals, and the few identifiers that are part of a split token.
        others = np.flatnonzero(_literal_mask()[self.kind] | (codes < 0))
        texts: dict[tuple[int, bytes], int] = {}
        columns = (self.kind[others], self.start[others], self.end[others], others)
        for kind, start, end, i in zip(*(column.tolist() for column in columns), strict=True):
            key = (kind, self.source[start:end])
            word_number = texts.get(key)
            if word_number is None:
                word_number = texts[key] = words.setdefault(self.spelling(i), len(words))
            codes[i] = word_number
        return codes, tuple(words)


def _spell_kind(kind: str) -> str:
    """Return the spelling of a token whose kind determines it: ``int``, ``LPAREN``, ``_``."""
    if kind == "UNDERSCORE":
        return "_"
    return kind.lower() if kind in NAMED and kind != "IDENTIFIER" else kind


@lru_cache(maxsize=1)
def _literal_mask() -> NDArray[np.bool_]:
    mask = np.zeros(256, dtype=np.bool_)
    mask[[CODE[kind] for kind in LITERALS]] = True
    return mask


@lru_cache(maxsize=1)
def _token_codes() -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Return the token kind of each symbol of the grammar (_NO_TOKEN: none), and a mask over
    symbols of the string literal, which is one token with all nodes below it."""
    grammar = load_grammar()
    # All 16-bit symbols, which include tree-sitter's symbol of an error.
    codes = np.full(1 << 16, _NO_TOKEN, dtype=np.uint8)
    is_string = np.zeros(1 << 16, dtype=np.bool_)
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
            # Contextual keywords are identifiers; "end" is the end of the file.
            kind = "IDENTIFIER" if name.isalpha() and name != "end" else ""
        if kind:
            codes[symbol] = CODE[kind]
        is_string[symbol] = name == "string_literal"
    codes[MASK] = CODE["MASK"]
    return codes, is_string


def tokenize_java(syntax: Syntax) -> JavaTokens:
    """Return all tokens of a file, without comments."""
    codes, is_string = _token_codes()
    is_token = codes[syntax.kind] != _NO_TOKEN
    node = find_token_nodes(syntax, is_token, is_string[syntax.kind])
    kind, start, end = codes[syntax.kind[node]], syntax.start[node], syntax.end[node]
    tokens = JavaTokens(syntax.source, kind.copy(), start.copy(), end.copy(), node)
    _refine_kinds_by_text(tokens)
    return _split_and_join(tokens)


def _refine_kinds_by_text(tokens: JavaTokens) -> None:
    """Set, in place, the kinds that depend on the text: numbers with suffixes, reserved words."""
    source = tokens.source
    data = np.frombuffer(source, dtype=np.uint8)
    for plain, marks, marked in _SUFFIXES:
        numbers = np.flatnonzero(tokens.kind == CODE[plain])
        last = data[tokens.end[numbers] - 1]
        tokens.kind[numbers[(last == marks[0]) | (last == marks[1])]] = CODE[marked]
    # Reserved words are rare among identifiers, so only likely ones are compared.
    names = np.flatnonzero(tokens.kind == CODE["IDENTIFIER"])
    likely = _FIRST[data[tokens.start[names]]] & _WIDTH[np.minimum(_token_widths(tokens, names), 8)]
    for i in names[likely].tolist():
        text = source[tokens.start[i] : tokens.end[i]]
        if text in RESERVED:
            tokens.kind[i] = CODE[RESERVED[text]]


def _token_widths(tokens: JavaTokens, places: NDArray[np.intp]) -> NDArray[np.int32]:
    """Return the lengths in bytes of the tokens with the given indices."""
    widths: NDArray[np.int32] = tokens.end[places] - tokens.start[places]
    return widths


def _split_and_join(tokens: JavaTokens) -> JavaTokens:
    """Return the tokens with leaves split or joined where the scanner's tokens differ."""
    source = tokens.source
    at_sign = CODE["MONKEYS_AT"]
    closing = np.flatnonzero(_CLOSES[tokens.kind[:-1]])
    joined = closing[tokens.end[closing] == tokens.start[closing + 1]]
    signs = np.flatnonzero(tokens.kind == at_sign)
    # Tokens to split (longer than the @) or to join (nothing between them and the next token).
    odd = {*signs[_token_widths(tokens, signs) > 1].tolist(), *joined.tolist()}
    if not odd:
        return tokens
    # The scanner's tokens that replace leaves: kind, start, end and node.
    pieces: list[tuple[int, int, int, int]] = []
    keep = np.ones(len(tokens), dtype=np.bool_)
    done = -1
    for i in sorted(odd):
        if i <= done:
            continue
        first, last = i, i
        if tokens.kind[i] != at_sign:
            while last + 1 < len(tokens) and tokens.end[last] == tokens.start[last + 1]:
                if source[tokens.start[last + 1] : tokens.start[last + 1] + 1] not in (b">", b"="):
                    break
                last += 1
        keep[first : last + 1] = False
        done = last
        begin, stop = int(tokens.start[first]), int(tokens.end[last])
        for kind, offset, width in _scan_pieces(source[begin:stop]):
            at_byte = begin + offset
            pieces.append((kind, at_byte, at_byte + width, int(tokens.node[first])))
    added = np.array(pieces, dtype=np.int32).T
    start = np.concatenate([tokens.start[keep], added[1]])
    order = np.argsort(start, kind="stable")
    return JavaTokens(
        source,
        np.concatenate([tokens.kind[keep], added[0].astype(np.uint8)])[order],
        start[order],
        np.concatenate([tokens.end[keep], added[2]])[order],
        np.concatenate([tokens.node[keep], added[3]])[order],
    )


def _scan_pieces(text: bytes) -> list[tuple[int, int, int]]:
    """Return kind, offset and width in bytes of the scanner's tokens in the text of leaves that are
    split or joined."""
    if text == b"@interface":
        return [(CODE["MONKEYS_AT"], 0, 1), (CODE["INTERFACE"], 1, 9)]
    if text == b"non-sealed":
        return [(CODE["IDENTIFIER"], 0, 3), (CODE["SUB"], 3, 1), (CODE["IDENTIFIER"], 4, 6)]
    return [
        (CODE[PUNCTUATION[match.group().decode()]], match.start(), len(match.group()))
        for match in _CLOSING.finditer(text)
    ]
