"""Paths inside a project as text, and the patterns of a recipe that select them.

A name on disk, in a git tree or in an archive is bytes, mostly UTF-8. Ids and tables need text, so
a byte that is no UTF-8 is written as U+FFFD and its two hex digits. No two names become one, and
the bytes can be restored, so that any process can open the file again.

In patterns (``include`` and ``exclude``), ``*`` and ``?`` match inside one name, ``[ab]`` one of
these characters, ``**`` any number of folders. A pattern that matches a folder selects all that is
below it.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path, PurePosixPath

_SIGN = "\ufffd"
# The sign itself may stand in a name: its own three bytes are then written out too.
_UNWRITABLE = re.compile(f"[\udc80-\udcff{_SIGN}]")
_DRIVE = re.compile(r"[A-Za-z]:")
_WRITTEN = re.compile(f"{_SIGN}([0-9A-F]{{2}})")


def as_text(raw: bytes) -> str:
    """
    >>> as_text("größe.java".encode()), as_text("größe.java".encode("latin-1"))
    ('größe.java', 'gr�F6�DFe.java')
    """
    return _UNWRITABLE.sub(_written, raw.decode("utf-8", "surrogateescape"))


def _written(match: re.Match[str]) -> str:
    return "".join(f"{_SIGN}{byte:02X}" for byte in match[0].encode("utf-8", "surrogateescape"))


def as_bytes(path: str) -> bytes:
    """The bytes that ``as_text`` was given."""
    escaped = _WRITTEN.sub(lambda match: chr(0xDC00 + int(match[1], 16)), path)
    return escaped.encode("utf-8", "surrogateescape")


def on_disk(path: str) -> str:
    """A path as the functions of ``os`` take it."""
    return os.fsdecode(as_bytes(path))


def name_of(place: Path) -> str:
    """What something on this disk is called; for ``..`` and the like, what is meant by it."""
    name = place.name if place.name not in ("", "..") else place.resolve().name
    return as_text(os.fsencode(name))


def is_there(place: Path) -> bool:
    try:
        return place.exists()
    except (OSError, ValueError):  # no path at all: too long, a NUL in it
        return False


def way_out(path: str) -> str:
    """How a name in an archive may lead out of the folder that it is unpacked in; empty where it
    cannot.

    >>> [way_out(path) for path in ("a/B.java", "a/../B.java", "C:/B.java")]
    ['', 'there is a .. in its path', 'its path begins with the letter of a drive']
    """
    if PurePosixPath(path).is_absolute():
        return "its path is absolute"
    if _DRIVE.match(path):
        return "its path begins with the letter of a drive"
    return "there is a .. in its path" if ".." in PurePosixPath(path).parts else ""


def is_utf8(path: str) -> bool:
    """Whether a name was UTF-8 before ``as_text`` wrote it."""
    if _SIGN not in path:
        return True
    try:
        as_bytes(path).decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def why(error: Exception) -> str:
    """An error in a few words, without the path on this machine that ``str`` would give."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def fits(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether one of the patterns takes this path.

    >>> fits("src/main/A.java", ("src/**/*.java",)), fits("src/main/A.java", ("main",))
    (True, False)
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
            # Twice in a row says nothing more, and would make matching slow.
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
