"""Lexical tokens of JavaScript and JSX, as acorn's parser reads them.

The leaves of the syntax are the tokens, with these exceptions: a string is one token, and so is a
regular expression with its flags; the characters of a template between its quotes and
substitutions are one token; so is a text of JSX, with the entities in it; ``</`` and ``/>`` are
two. What is only layout is no token: comments, the hashbang, semicolons that the parser adds, and
texts of JSX that are white space alone.

Keywords are the words that are never identifiers. A word that is special only in places
(``let``, ``async``, ``of``, ``await``, …) is an identifier, and so is a keyword that names a
property, as in ``map.delete``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from acumen.lang.javascript import language
from acumen.lang.javascript.grammar import among
from acumen.lang.javascript.literals import (
    name_value,
    number_value,
    regex_value,
    string_value,
    template_value,
)
from acumen.lang.syntax import Syntax

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from acumen.lang.syntax import Column

KINDS = (
    "identifier", "private name", "keyword", "punctuator", "number", "string", "template",
    "regex", "jsx text",
)  # fmt: skip
CODE = {kind: code for code, kind in enumerate(KINDS)}
KEYWORDS = frozenset((
    "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do",
    "else", "export", "extends", "false", "finally", "for", "function", "if", "import", "in",
    "instanceof", "new", "null", "return", "super", "switch", "this", "throw", "true", "try",
    "typeof", "var", "void", "while", "with",
))  # fmt: skip
VALUES = frozenset(("null", "true", "false"))

_NAMED_LEAVES = {
    "identifier": "identifier", "property_identifier": "identifier",
    "shorthand_property_identifier": "identifier", "statement_identifier": "identifier",
    "shorthand_property_identifier_pattern": "identifier", "undefined": "identifier",
    "private_property_identifier": "private name", "number": "number", "string": "string",
    "regex": "regex", "optional_chain": "punctuator", "jsx_text": "jsx text",
    "html_character_reference": "jsx text", "string_fragment": "template",
    "escape_sequence": "template",
}  # fmt: skip
_NO_TOKEN = 255
_WORD_OR_SIGN = re.compile(rb"[a-z]+|[</>]")
# The published streams cut every token here.
_LONGEST = 200


@dataclass(frozen=True)
class Tokens:
    """``kind`` numbers KINDS; ``node`` is the node of the syntax a token belongs to, or its
    first one."""

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
        """What the token means: escapes resolved, numbers as JavaScript prints them."""
        kind, text = KINDS[self.kind[i]], self.text(i)
        if kind == "string":
            return string_value(text)
        if kind == "number":
            return number_value(text)
        if kind == "template":
            return template_value(text)
        if kind == "regex":
            return regex_value(text)
        return name_value(text) if kind in ("identifier", "private name") else text

    def spelling(self, i: int) -> str:
        """The token as in the streams IdBench's embeddings were trained on: ``ID:`` before
        identifiers, ``LIT:`` before literals, ``STD:`` before the rest.

        They came from a scanner that knows no grammar, so a keyword that names a property
        stays a keyword there.
        """
        kind, value = KINDS[self.kind[i]], self.value(i)
        if kind == "private name":
            value = value[1:]
        if kind in ("number", "string", "regex") or (value in VALUES and kind != "template"):
            mark = "LIT:"
        else:
            mark = "ID:" if kind == "identifier" and value not in KEYWORDS else "STD:"
        return _cut(mark + value)


def _cut(text: str) -> str:
    """At most so many UTF-16 units, which is what JavaScript counts."""
    if 2 * len(text) <= _LONGEST:
        return text
    return text.encode("utf-16-le")[: 2 * _LONGEST].decode("utf-16-le", "ignore")


@lru_cache(maxsize=1)
def _codes() -> NDArray[np.uint8]:
    """For each symbol of the grammar, the kind of token it is."""
    grammar = language()
    codes = np.full(1 << 16, _NO_TOKEN, dtype=np.uint8)
    for symbol in range(grammar.node_kind_count):
        name = grammar.node_kind_for_id(symbol) or ""
        if grammar.node_kind_is_named(symbol):
            kind = _NAMED_LEAVES.get(name, "keyword" if name in KEYWORDS else "")
        elif name[:1].isalpha():
            kind = "keyword" if name in KEYWORDS else "identifier" if name != "end" else ""
        else:
            kind = "" if name.startswith("_") else "punctuator"
        if kind:
            codes[symbol] = CODE[kind]
    return codes


@lru_cache(maxsize=1)
def _wholes() -> NDArray[np.bool_]:
    """Symbols with tokens of the grammar below them that are none of the language."""
    return among("string", "regex")


@lru_cache(maxsize=1)
def _specifiers() -> NDArray[np.bool_]:
    return among("export_specifier", "import_specifier", "namespace_export")


@lru_cache(maxsize=1)
def _doubles() -> NDArray[np.bool_]:
    grammar = language()
    found = np.zeros(1 << 16, dtype=np.bool_)
    for symbol in range(grammar.node_kind_count):
        found[symbol] = grammar.node_kind_for_id(symbol) in ("</", "/>", "static get")
    return found


def tokens(syntax: Syntax) -> Tokens:
    """All tokens of a file, in order."""
    codes, is_whole = _codes(), _wholes()[syntax.kind]
    around = np.flatnonzero(is_whole)
    inside = np.zeros(len(syntax) + 1, dtype=np.int32)
    np.add.at(inside, around + 1, 1)
    np.add.at(inside, syntax.stop[around], -1)
    counts = (syntax.is_leaf & (np.cumsum(inside)[:-1] == 0)) | is_whole
    # A missing token that the parser made up has no width.
    counts &= (codes[syntax.kind] != _NO_TOKEN) & (syntax.end > syntax.start)
    node = np.flatnonzero(counts).astype(np.int32)
    kind, start, end = codes[syntax.kind[node]], syntax.start[node], syntax.end[node]
    # ``export {a as default}``: a name of the module, no keyword.
    above = syntax.kind[np.maximum(syntax.parent[node], 0)]
    kind[(kind == CODE["keyword"]) & _specifiers()[above]] = CODE["identifier"]
    found = Tokens(syntax.source, kind, start, end, node)
    return _split(_joined(found, syntax), syntax)


def _joined(found: Tokens, syntax: Syntax) -> Tokens:
    """Neighbouring pieces of one template or of one text of JSX made one token."""
    text = found.kind == CODE["jsx text"]
    piece = text | (found.kind == CODE["template"])
    if not piece.any():
        return found
    mother = syntax.parent[found.node]
    goes_on = np.zeros(len(found), dtype=np.bool_)
    goes_on[1:] = piece[1:] & (found.kind[1:] == found.kind[:-1]) & (mother[1:] == mother[:-1])
    first = np.flatnonzero(~goes_on)
    last = np.append(first[1:], len(found)) - 1
    start, end = found.start[first].copy(), found.end[last].copy()
    keep = np.ones(len(first), dtype=np.bool_)
    for i in np.flatnonzero(text[first]).tolist():
        # The grammar drops white space with a line break in it, also beside an entity.
        while start[i] > 0 and syntax.source[start[i] - 1 : start[i]].isspace():
            start[i] -= 1
        while syntax.source[end[i] : end[i] + 1].isspace():
            end[i] += 1
        keep[i] = not syntax.source[start[i] : end[i]].decode("utf-8", "replace").isspace()
    return Tokens(
        found.source, found.kind[first][keep], start[keep], end[keep], found.node[first][keep]
    )


def _split(found: Tokens, syntax: Syntax) -> Tokens:
    """Leaves of the grammar that are two tokens: ``</``, ``/>``, and ``static get`` before a
    line break."""
    double = np.flatnonzero(_doubles()[syntax.kind[found.node]])
    if not len(double):
        return found
    twice = np.ones(len(found), dtype=np.int64)
    twice[double] = 2
    both = np.repeat(np.arange(len(found)), twice)
    start, end = found.start[both], found.end[both]
    for place, i in enumerate(double.tolist()):
        first = i + place
        words = _WORD_OR_SIGN.findall(found.source, found.start[i], found.end[i])
        end[first] = start[first] + len(words[0])
        start[first + 1] = found.source.index(words[1], end[first])
        end[first + 1] = start[first + 1] + len(words[1])
    return Tokens(found.source, found.kind[both], start, end, found.node[both])
