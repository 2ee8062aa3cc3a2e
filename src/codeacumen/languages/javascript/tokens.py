"""Lexical tokens of JavaScript and JSX, as acorn's parser reads them, and the values of literals.

The leaves of the syntax are the tokens, with these exceptions: a string is one token, and so is a
regular expression with its flags; the characters of a template between its quotes and
substitutions are one token; so is a text of JSX, with the entities in it; ``</`` and ``/>`` are
two. Layout makes no tokens: comments, the hashbang, semicolons that the parser adds, and texts of
JSX that are white space only.

Keywords are the words that are never identifiers. A contextual keyword (``let``, ``async``, ``of``,
``await``, …) is an identifier, and so is a keyword that names a property, as in ``map.delete``.
Values are written as JavaScript's ``String(value)`` does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from codeacumen.languages.javascript import load_grammar
from codeacumen.languages.syntax import Grammar, Syntax, find_token_nodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from codeacumen.languages.syntax import Column


# The grammar's names of symbols that are identifiers.
IDENTIFIERS = (
    "identifier",
    "property_identifier",
    "private_property_identifier",
    "statement_identifier",
    "shorthand_property_identifier",
    "shorthand_property_identifier_pattern",
    "undefined",
)


_GRAMMAR = Grammar(load_grammar)
find_symbols, field_number = _GRAMMAR.find_symbols, _GRAMMAR.field_number
symbol_mask = _GRAMMAR.symbol_mask

_SIMPLE = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
# The order matters: long forms before digits, a line break of two characters before one.
_ESCAPE = re.compile(
    r"\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([0-3][0-7]{0,2}|[4-7][0-7]?)"
    r"|(\r\n|[\n\r\u2028\u2029])|(.))",
    re.DOTALL,
)
_LAST = 0x10FFFF  # the largest code point


def _decode_escape(match: re.Match[str]) -> str:
    braced, unicode, byte, octal, line, other = match.groups()
    digits = braced or unicode or byte
    if digits or octal:
        code = int(digits, 16) if digits else int(octal, 8)
        return chr(code) if code <= _LAST else "\ufffd"
    if line:
        return ""  # a line continuation
    return _SIMPLE.get(other, other)


def _join_surrogates(text: str) -> str:
    """Return the text with escaped surrogate pairs joined and lone surrogates replaced.

    UTF-8 cannot encode surrogates.
    """
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def name_value(text: str) -> str:
    r"""Return the name with escapes decoded: ``\u0061`` is ``a`` (ECMAScript 12.7.1)."""
    return _join_surrogates(_ESCAPE.sub(_decode_escape, text)) if "\\" in text else text


def string_value(text: str) -> str:
    """Return the value of a quoted string, whose last quote may be missing."""
    inside = text[1:-1] if len(text) > 1 and text[-1] == text[0] else text[1:]
    return name_value(inside)


def template_value(text: str) -> str:
    """Return the cooked value of a template; a line break is one character (ECMAScript 12.9.6)."""
    return name_value(text.replace("\r\n", "\n").replace("\r", "\n"))


def number_value(text: str) -> str:
    """Return a number as JavaScript prints it, a BigInt without its suffix.

    >>> number_value("0x10"), number_value("1e21"), number_value(".5"), number_value("010")
    ('16', '1e+21', '0.5', '8')
    """
    digits = text.replace("_", "").lower()
    base = {"0x": 16, "0o": 8, "0b": 2}.get(digits[:2], 10)
    try:
        if digits.endswith("n") and base == 10:
            return digits[:-1]
        if base != 10:
            number = int(digits[2:].removesuffix("n"), base)
            return str(number) if digits.endswith("n") else _format_number(float(number))
        if re.fullmatch("0[0-7]+", digits):
            return _format_number(float(int(digits, 8)))  # legacy: a leading zero means octal
        return _format_number(float(digits))
    except OverflowError:
        return "Infinity"
    except ValueError:
        return text  # not a valid number, or too long for Python to print


def _format_number(number: float) -> str:
    """Return a number as ECMAScript 6.1.6.1.20 formats it.

    It has the shortest digits that parse to the same number.
    """
    if number == float("inf"):
        return "Infinity"
    mantissa, _, exponent = f"{number!r}".partition("e")
    integer, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (integer + fraction).lstrip("0")
    if not digits:
        return "0"
    # The value is 0.digits times ten to the power of decimal_exponent.
    decimal_exponent = int(exponent or 0) + len(integer) - (len(integer + fraction) - len(digits))
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= decimal_exponent <= 21:
        return digits + "0" * (decimal_exponent - count)
    if 0 < decimal_exponent <= 21:
        return f"{digits[:decimal_exponent]}.{digits[decimal_exponent:]}"
    if -6 < decimal_exponent <= 0:
        return "0." + "0" * -decimal_exponent + digits
    sign = "+" if decimal_exponent > 0 else "-"
    tail = f".{digits[1:]}" if count > 1 else ""
    return f"{digits[0]}{tail}e{sign}{abs(decimal_exponent - 1)}"


def regex_value(text: str) -> str:
    """Return the regular expression with its flags in the order in which JavaScript prints them."""
    slash = text.rfind("/")
    return text[: slash + 1] + "".join(sorted(text[slash + 1 :]))


KINDS = (
    "identifier",
    "private name",
    "keyword",
    "punctuator",
    "number",
    "string",
    "template",
    "regex",
    "jsx text",
)
CODE = {kind: code for code, kind in enumerate(KINDS)}
KEYWORDS = frozenset(
    (
        "break",
        "case",
        "catch",
        "class",
        "const",
        "continue",
        "debugger",
        "default",
        "delete",
        "do",
        "else",
        "export",
        "extends",
        "false",
        "finally",
        "for",
        "function",
        "if",
        "import",
        "in",
        "instanceof",
        "new",
        "null",
        "return",
        "super",
        "switch",
        "this",
        "throw",
        "true",
        "try",
        "typeof",
        "var",
        "void",
        "while",
        "with",
    )
)

_NAMED_LEAVES = {
    "identifier": "identifier",
    "property_identifier": "identifier",
    "shorthand_property_identifier": "identifier",
    "statement_identifier": "identifier",
    "shorthand_property_identifier_pattern": "identifier",
    "undefined": "identifier",
    "private_property_identifier": "private name",
    "number": "number",
    "string": "string",
    "regex": "regex",
    "optional_chain": "punctuator",
    "jsx_text": "jsx text",
    "html_character_reference": "jsx text",
    "string_fragment": "template",
    "escape_sequence": "template",
}
# In place of a kind: a symbol that is no token.
_NO_TOKEN = 255
# The tokens in the text of a leaf that is two tokens.
_WORD_OR_SIGN = re.compile(rb"[a-z]+|[</>]")


@dataclass(frozen=True)
class JavaScriptTokens:
    """Columns of a file's tokens, in source order.

    ``kind`` is an index into KINDS; ``start`` and ``end`` are byte offsets; ``node`` is the token's
    node of the syntax, or the first of its nodes.
    """

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
        """Return the token's value: escapes decoded, numbers as JavaScript prints them."""
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


@lru_cache(maxsize=1)
def _token_codes() -> NDArray[np.uint8]:
    """Return the token kind of each symbol of the grammar."""
    grammar = load_grammar()
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
def _whole_token_mask() -> NDArray[np.bool_]:
    """Return a mask of the symbols that are one token with all nodes below them."""
    return symbol_mask("string", "regex")


@lru_cache(maxsize=1)
def _specifier_mask() -> NDArray[np.bool_]:
    """Return a mask of the symbols whose keywords are names of modules."""
    return symbol_mask("export_specifier", "import_specifier", "namespace_export")


@lru_cache(maxsize=1)
def _double_token_mask() -> NDArray[np.bool_]:
    """Return a mask of the symbols of leaves that are two tokens."""
    grammar = load_grammar()
    mask = np.zeros(1 << 16, dtype=np.bool_)
    for symbol in range(grammar.node_kind_count):
        mask[symbol] = grammar.node_kind_for_id(symbol) in ("</", "/>", "static get")
    return mask


def tokenize_javascript(syntax: Syntax) -> JavaScriptTokens:
    """Return all tokens of a file, in order."""
    codes = _token_codes()
    is_token = codes[syntax.kind] != _NO_TOKEN
    node = find_token_nodes(syntax, is_token, _whole_token_mask()[syntax.kind])
    kind, start, end = codes[syntax.kind[node]], syntax.start[node], syntax.end[node]
    # In ``export {a as default}`` the keyword is a name of the module.
    parent_kind = syntax.kind[np.maximum(syntax.parent[node], 0)]
    kind[(kind == CODE["keyword"]) & _specifier_mask()[parent_kind]] = CODE["identifier"]
    tokens = JavaScriptTokens(syntax.source, kind, start, end, node)
    return _split_double_tokens(_join_pieces(tokens, syntax), syntax)


def _join_pieces(tokens: JavaScriptTokens, syntax: Syntax) -> JavaScriptTokens:
    """Return the tokens with adjacent pieces of a template or of a JSX text joined."""
    text = tokens.kind == CODE["jsx text"]
    piece = text | (tokens.kind == CODE["template"])
    if not piece.any():
        return tokens
    parent = syntax.parent[tokens.node]
    goes_on = np.zeros(len(tokens), dtype=np.bool_)
    goes_on[1:] = piece[1:] & (tokens.kind[1:] == tokens.kind[:-1]) & (parent[1:] == parent[:-1])
    first = np.flatnonzero(~goes_on)
    last = np.append(first[1:], len(tokens)) - 1
    start, end = tokens.start[first].copy(), tokens.end[last].copy()
    keep = np.ones(len(first), dtype=np.bool_)
    for i in np.flatnonzero(text[first]).tolist():
        # The grammar drops white space with a line break in it, also beside an entity.
        while start[i] > 0 and syntax.source[start[i] - 1 : start[i]].isspace():
            start[i] -= 1
        while syntax.source[end[i] : end[i] + 1].isspace():
            end[i] += 1
        keep[i] = not syntax.source[start[i] : end[i]].decode("utf-8", "replace").isspace()
    return JavaScriptTokens(
        tokens.source, tokens.kind[first][keep], start[keep], end[keep], tokens.node[first][keep]
    )


def _split_double_tokens(tokens: JavaScriptTokens, syntax: Syntax) -> JavaScriptTokens:
    """Return the tokens with leaves split that are two tokens.

    These are ``</``, ``/>``, and ``static get`` before a line break.
    """
    double = np.flatnonzero(_double_token_mask()[syntax.kind[tokens.node]])
    if not len(double):
        return tokens
    repeats = np.ones(len(tokens), dtype=np.int64)
    repeats[double] = 2
    both = np.repeat(np.arange(len(tokens)), repeats)
    start, end = tokens.start[both], tokens.end[both]
    # Each earlier double token shifts the next ones by one: ``place`` of them precede token i.
    for place, i in enumerate(double.tolist()):
        first = i + place
        words = _WORD_OR_SIGN.findall(tokens.source, tokens.start[i], tokens.end[i])
        end[first] = start[first] + len(words[0])
        start[first + 1] = tokens.source.index(words[1], end[first])
        end[first + 1] = start[first + 1] + len(words[1])
    return JavaScriptTokens(tokens.source, tokens.kind[both], start, end, tokens.node[both])
