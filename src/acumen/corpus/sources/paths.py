"""Paths inside a project, as text.

A name on disk, in a git tree or in an archive is bytes, mostly UTF-8. Ids and tables need text, so
a byte that is no UTF-8 is written as U+FFFD and its two hex digits. No two names become one, and
the bytes come back, so that any process can open the file again.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

_SIGN = "\ufffd"
# The sign itself may stand in a name: its own three bytes are then written out too.
_UNWRITABLE = re.compile(f"[\udc80-\udcff{_SIGN}]")
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


def leads_out(path: str) -> bool:
    """Whether a name in an archive leads out of the folder that it is unpacked in."""
    parts = PurePosixPath(path)
    return parts.is_absolute() or ".." in parts.parts


def why(error: Exception) -> str:
    """An error in a few words, without the path on this machine that ``str`` would give."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
