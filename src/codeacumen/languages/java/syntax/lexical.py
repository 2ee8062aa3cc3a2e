"""Java's reserved words, kinds of number literals, and the values of literals (JLS 3.10) as javac's
scanner returns them.

Importing this module loads no parser.
"""

from __future__ import annotations

import re

KEYWORDS = (
    "abstract", "assert", "boolean", "break", "byte", "case", "catch", "char", "class", "const",
    "continue", "default", "do", "double", "else", "enum", "extends", "final", "finally",
    "float", "for", "goto", "if", "implements", "import", "instanceof", "int", "interface",
    "long", "native", "new", "package", "private", "protected", "public", "return", "short",
    "static", "strictfp", "super", "switch", "synchronized", "this", "throw", "throws",
    "transient", "try", "void", "volatile", "while", "true", "false", "null",
)  # fmt: skip
# Kinds of nodes of the grammar.
INTEGER_LITERALS = (
    "decimal_integer_literal",
    "hex_integer_literal",
    "octal_integer_literal",
    "binary_integer_literal",
)
NUMBER_LITERALS = (
    *INTEGER_LITERALS,
    "decimal_floating_point_literal",
    "hex_floating_point_literal",
)

# An escape sequence, octal escapes and escaped line ends included; then a Unicode escape, whose
# backslash follows an even number of backslashes (JLS 3.3), which are the first group.
_ESCAPE = re.compile(r"\\(u+[0-9a-fA-F]{4}|[0-3]?[0-7]{1,2}|\r\n|[\s\S])")
_UNICODE = re.compile(r"(?<!\\)((?:\\\\)*)\\u+([0-9a-fA-F]{4})")
# Values of escape sequences; an escaped line end in a text block has none (JLS 3.10.7).
_SIMPLE = {
    "b": "\b",
    "t": "\t",
    "n": "\n",
    "f": "\f",
    "r": "\r",
    "s": " ",
    '"': '"',
    "'": "'",
    "\\": "\\",
    "\n": "",
    "\r": "",
    "\r\n": "",
}
# Escape sequences by their value, as ``escape_string`` writes them.
_BACK = {
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\f": "\\f",
    "\r": "\\r",
    '"': '\\"',
    "'": "\\'",
    "\\": "\\\\",
}
# Text that needs no escapes (printable ASCII without quotes and backslash); a character that is not
# ASCII; the escapes of single ASCII characters.
_PLAIN = re.compile(r"""[ !#-&(-\[\]-~]*""")
_WIDE = re.compile(r"[^\x00-\x7f]")
_WRITTEN = str.maketrans({chr(code): f"\\u{code:04x}" for code in (*range(32), 127)} | _BACK)


def _decode_unicode_escapes(text: str) -> str:
    """Return the text with Unicode escapes decoded, the first step of scanning (JLS 3.3)."""
    if "\\u" not in text:
        return text
    decoded = _UNICODE.sub(lambda m: m.group(1) + chr(int(m.group(2), 16)), text)
    # Two escapes may make one character outside the basic plane.
    return decoded.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _decode_escapes(text: str) -> str:
    """Return the text with its escape sequences decoded (JLS 3.10.7)."""

    def decode_escape(match: re.Match[str]) -> str:
        escape = match.group(1)
        if escape[0] in "01234567":
            return chr(int(escape, 8))
        return _SIMPLE.get(escape, escape)

    return _ESCAPE.sub(decode_escape, text) if "\\" in text else text


def string_value(literal: str) -> str:
    """Return the value of a string literal or text block, given with its quotes."""
    literal = _decode_unicode_escapes(literal)
    if literal.startswith('"""') and len(literal) >= 6:
        return _decode_escapes(_strip_indentation(literal[3:-3]))
    return _decode_escapes(literal[1:-1])


def _strip_indentation(content: str) -> str:
    """Return a text block's content without its incidental white space (JLS 3.10.6)."""
    lines = content.replace("\r\n", "\n").replace("\r", "\n").split("\n")[1:]
    # The last line counts even if it is blank: it holds the closing delimiter.
    measured = [line for i, line in enumerate(lines) if line.strip() or i == len(lines) - 1]
    indent = min((len(line) - len(line.lstrip()) for line in measured), default=0)
    return "\n".join(line[indent:].rstrip() if line.strip() else "" for line in lines)


def char_value(literal: str) -> str:
    """Return the value of a character literal, given with its quotes."""
    return _decode_escapes(_decode_unicode_escapes(literal)[1:-1])


def number_value(literal: str) -> str:
    """Return the digits of a number as javac's scanner stores them: without prefix 0x or 0b,
    underscores and L; a leading octal 0 and the suffix of a floating-point number stay."""
    digits = literal.replace("_", "")
    if digits[:2] in ("0b", "0B", "0x", "0X"):
        digits = digits[2:]
    return digits.rstrip("lL")


def escape_string(value: str) -> str:
    """Return a string's value as an ASCII Java literal without its quotes."""
    if _PLAIN.fullmatch(value):
        return value
    written = value.translate(_WRITTEN)
    return written if written.isascii() else _WIDE.sub(_escape_utf16_units, written)


def _escape_utf16_units(match: re.Match[str]) -> str:
    """Return a character as the Unicode escapes of its UTF-16 units."""
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))
