"""Paths inside a project as text, and the patterns of a recipe that select them.

A name on disk, in a git tree or in an archive is a byte string, mostly UTF-8. Ids and tables need
text, so a byte that is not UTF-8 is written as U+FFFD and two hex digits. The mapping is injective
and can be inverted, so that any process can open the file again.

In patterns (``include`` and ``exclude``), ``*`` and ``?`` match inside one name, ``[ab]`` matches
one of these characters, ``**`` any number of folders. A pattern that matches a folder selects all
files below it.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path, PurePosixPath

_SIGN = "\ufffd"
# A name may contain U+FFFD itself: its three bytes are escaped too.
_UNWRITABLE = re.compile(f"[\udc80-\udcff{_SIGN}]")
_DRIVE = re.compile(r"[A-Za-z]:")
_WRITTEN = re.compile(f"{_SIGN}([0-9A-F]{{2}})")


def as_text(raw: bytes) -> str:
    """Return the text of a path, with bytes that are not UTF-8 escaped.

    >>> names = ["größe.java".encode(), "größe.java".encode("latin-1")]
    >>> path_from_bytes(names[0]), path_from_bytes(names[1])
    ('größe.java', 'gr�F6�DFe.java')
    """
    return _UNWRITABLE.sub(_written, raw.decode("utf-8", "surrogateescape"))


def _written(match: re.Match[str]) -> str:
    return "".join(f"{_SIGN}{byte:02X}" for byte in match[0].encode("utf-8", "surrogateescape"))


def as_bytes(path: str) -> bytes:
    """Return the bytes of a path; the inverse of ``path_from_bytes``."""
    escaped = _WRITTEN.sub(lambda match: chr(0xDC00 + int(match[1], 16)), path)
    return escaped.encode("utf-8", "surrogateescape")


def on_disk(path: str) -> str:
    """Return a path in the form that the functions of ``os`` expect."""
    return os.fsdecode(as_bytes(path))


def name_of(place: Path) -> str:
    """Return the name of a file or folder; for ``.`` and ``..``, that of the folder they mean."""
    name = place.name if place.name not in ("", "..") else place.resolve().name
    return as_text(os.fsencode(name))


def is_there(place: Path) -> bool:
    """Return whether a path exists; False for texts that cannot be a path."""
    try:
        return place.exists()
    except (OSError, ValueError):  # cannot be a path: too long, or with a NUL
        return False


def way_out(path: str) -> str:
    """Return how a member's name escapes from the folder that it is unpacked in; empty if it does
    not.

    >>> [describe_escape(path) for path in ("a/B.java", "a/../B.java", "C:/B.java")]
    ['', 'there is a .. in its path', 'its path begins with the letter of a drive']
    """
    if PurePosixPath(path).is_absolute():
        return "its path is absolute"
    if _DRIVE.match(path):
        return "its path begins with the letter of a drive"
    return "there is a .. in its path" if ".." in PurePosixPath(path).parts else ""


def is_utf8(path: str) -> bool:
    """Return whether the bytes of a path are UTF-8."""
    if _SIGN not in path:
        return True
    try:
        as_bytes(path).decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def why(error: Exception) -> str:
    """Return a short message of an error, without the local path that ``str`` would include."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def fits(path: str, patterns: tuple[str, ...]) -> bool:
    """Return whether a path matches one of the patterns.

    >>> [matches_patterns("src/main/A.java", (p,)) for p in ("src/**/*.java", "src", "main")]
    [True, True, False]
    """
    return _compiled(patterns).fullmatch(path) is not None


@lru_cache(maxsize=256)
def _compiled(patterns: tuple[str, ...]) -> re.Pattern[str]:
    each = "|".join(_expression(pattern) for pattern in patterns)
    return re.compile(f"(?s:(?:{each})(?:/.*)?)")


def _expression(pattern: str) -> str:
    names = [name for name in pattern.split("/") if name not in ("", ".")]
    expression = ""
    for place, name in enumerate(names):
        last = place == len(names) - 1
        if name == "**":
            # Repeated ** mean the same as one, but would make matching slow.
            if place and names[place - 1] == "**":
                continue
            expression += ".+" if last else "(?:[^/]+/)*"
        else:
            expression += _name(name) + ("" if last else "/")
    return expression


def _name(name: str) -> str:
    expression, place = "", 0
    while place < len(name):
        char = name[place]
        end = name.find("]", place + 2) if char == "[" else -1
        if end > 0:
            inside = name[place + 1 : end]
            negated = inside.startswith("!")
            letters = re.sub(r"([\\\]\[^&~|])", r"\\\1", inside[negated:])
            expression += f"[^/{letters}]" if negated else f"[{letters}]"
            place = end
        else:
            expression += {"*": "[^/]*", "?": "[^/]"}.get(char) or re.escape(char)
        place += 1
    return expression
