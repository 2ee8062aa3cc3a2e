"""Values of JavaScript's literals and names, written as JavaScript's ``String(value)`` does."""

from __future__ import annotations

import re

_SIMPLE = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
# In this order: the long forms before the digits, a line break of two characters before one.
_ESCAPE = re.compile(
    r"\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([0-3][0-7]{0,2}|[4-7][0-7]?)"
    r"|(\r\n|[\n\r\u2028\u2029])|(.))",
    re.DOTALL,
)
_LAST = 0x10FFFF


def _unescaped(match: re.Match[str]) -> str:
    braced, unicode, byte, octal, line, other = match.groups()
    digits = braced or unicode or byte
    if digits or octal:
        code = int(digits, 16) if digits else int(octal, 8)
        return chr(code) if code <= _LAST else "\ufffd"
    if line:
        return ""  # a line continued
    return _SIMPLE.get(other, other)


def _whole(text: str) -> str:
    """Pairs of escaped surrogates joined; a lone one, which no file can hold, replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def name_value(text: str) -> str:
    r"""The name that is meant: ``\u0061`` is ``a`` (ECMAScript 12.7.1)."""
    return _whole(_ESCAPE.sub(_unescaped, text)) if "\\" in text else text


def string_value(text: str) -> str:
    """What a string in quotes means; a broken one may lack its last quote."""
    inside = text[1:-1] if len(text) > 1 and text[-1] == text[0] else text[1:]
    return name_value(inside)


def template_value(text: str) -> str:
    """The cooked value: line breaks are one character (ECMAScript 12.9.6)."""
    return name_value(text.replace("\r\n", "\n").replace("\r", "\n"))


def number_value(text: str) -> str:
    """A number as JavaScript prints it, a BigInt without its suffix.

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
            return str(number) if digits.endswith("n") else _printed(float(number))
        if re.fullmatch("0[0-7]+", digits):
            return _printed(float(int(digits, 8)))  # legacy: a leading zero means octal
        return _printed(float(digits))
    except OverflowError:
        return "Infinity"
    except ValueError:
        return text  # broken, or too long for Python to print


def _printed(number: float) -> str:
    """ECMAScript 6.1.6.1.20: the shortest digits that read back, laid out JavaScript's way."""
    if number == float("inf"):
        return "Infinity"
    mantissa, _, exponent = f"{number!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return "0"
    # The value is 0.digits times ten to the power of point.
    point = int(exponent or 0) + len(whole) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    sign = "+" if point > 0 else "-"
    tail = f".{digits[1:]}" if count > 1 else ""
    return f"{digits[0]}{tail}e{sign}{abs(point - 1)}"


def regex_value(text: str) -> str:
    """The expression with its flags in the order in which they are printed."""
    slash = text.rfind("/")
    return text[: slash + 1] + "".join(sorted(text[slash + 1 :]))
