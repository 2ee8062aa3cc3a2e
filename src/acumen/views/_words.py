"""Where a text has a name as a whole word, however it is spelt.

Java's compiler reads ``\\u0067etKey`` as ``getKey``, in names, comments and strings alike, and a
string may have its letters as octal escapes too. In a string, the word in ``"\\tgetKey"`` begins
after the escape.
"""

from __future__ import annotations

import re
from functools import lru_cache

Span = tuple[int, int]

_UNICODE = re.compile(r"\\u+([0-9a-fA-F]{4})")
_HAS_ESCAPES = re.compile(rb"\\[u0-7]")
_BEFORE = re.compile(rb"(\\+)(u+[0-9a-fA-F]{4}|[0-7]{1,3}|[btnfrs])\Z")
_AFTER = re.compile(rb"\\(u+[0-9a-fA-F]{4}|[0-7]{1,3})")
# The longest escape that is looked for before a word.
_REACH = 32


def plain(name: str) -> str:
    """A name without escapes, as the compiler reads it."""
    if "\\" not in name:
        return name
    found = _UNICODE.sub(lambda match: chr(int(match[1], 16)), name)
    return found.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def words(text: bytes, name: str) -> list[Span]:
    """Where the name, which is plain, is a whole word of a text in UTF-8, in order."""
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
    return re.compile(re.escape(name.encode("utf-8", "replace")))


@lru_cache(maxsize=1024)
def _escaped(name: str) -> re.Pattern[bytes]:
    """A name whose characters may be written as escapes."""
    return re.compile(b"".join(map(_spellings, name)))


def _spellings(character: str) -> bytes:
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
    """The character before a byte."""
    escape = _BEFORE.search(text, max(at - _REACH, 0), at)
    # After an even number of backslashes comes an ordinary letter.
    if escape and len(escape[1]) % 2:
        return _told(escape[2])
    # A character has at most four bytes; what is cut off is no character.
    return text[max(at - 4, 0) : at].decode("utf-8", "ignore")[-1:]


def _after(text: bytes, end: int) -> str:
    escape = _AFTER.match(text, end)
    if escape:
        return _told(escape[1])
    return text[end : end + 4].decode("utf-8", "ignore")[:1]


def _told(escape: bytes) -> str:
    """The character that an escape stands for; a blank for those that are white space."""
    if escape[:1] == b"u":
        return chr(int(escape.lstrip(b"u"), 16))
    return chr(int(escape, 8)) if escape.isdigit() else " "


def _goes_on(character: str) -> bool:
    return character.isalnum() or character in ("_", "$")
