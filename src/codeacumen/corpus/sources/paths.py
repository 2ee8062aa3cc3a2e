"""Paths inside a project as text, and the patterns of a recipe that select them.

A name on disk, in a git tree or in an archive is a byte string, mostly UTF-8. Ids and tables need
text, so a byte that is not UTF-8 is written as U+FFFD and two hex digits. The mapping is injective
and can be inverted, so that any process can open the file again.

In patterns (``include`` and ``exclude``), ``*`` and ``?`` match inside one name, ``[ab]`` matches
one of these characters and ``[!ab]`` any other, ``**`` any number of folders. A pattern that
matches a folder selects all files below it.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path, PurePosixPath

# Begins an escaped byte.
_SIGN = "\ufffd"
# Characters to escape: bytes that are not UTF-8, which Python decodes to U+DC80 to U+DCFF, and
# U+FFFD itself, whose three bytes are escaped.
_UNWRITABLE = re.compile(f"[\udc80-\udcff{_SIGN}]")
_DRIVE = re.compile(r"[A-Za-z]:")
_WRITTEN = re.compile(f"{_SIGN}([0-9A-F]{{2}})")


def path_from_bytes(raw: bytes) -> str:
    """Return the text of a path, with bytes that are not UTF-8 escaped.

    >>> names = ["größe.java".encode(), "größe.java".encode("latin-1")]
    >>> path_from_bytes(names[0]), path_from_bytes(names[1])
    ('größe.java', 'gr�F6�DFe.java')
    """
    return _UNWRITABLE.sub(_escape_bytes, raw.decode("utf-8", "surrogateescape"))


def _escape_bytes(match: re.Match[str]) -> str:
    return "".join(f"{_SIGN}{byte:02X}" for byte in match[0].encode("utf-8", "surrogateescape"))


def path_to_bytes(path: str) -> bytes:
    """Return the bytes of a path; the inverse of ``path_from_bytes``."""
    # Python decodes the invalid byte B to the surrogate U+DC00 + B (``surrogateescape``).
    escaped = _WRITTEN.sub(lambda match: chr(0xDC00 + int(match[1], 16)), path)
    return escaped.encode("utf-8", "surrogateescape")


def to_os_path(path: str) -> str:
    """Return a path in the form that the functions of ``os`` expect."""
    return os.fsdecode(path_to_bytes(path))


def display_name(path: Path) -> str:
    """Return the name of a file or folder; for ``.`` and ``..``, that of the folder they mean."""
    name = path.name if path.name not in ("", "..") else path.resolve().name
    return path_from_bytes(os.fsencode(name))


def path_exists(path: Path) -> bool:
    """Return whether a path exists; False for texts that cannot be a path."""
    try:
        return path.exists()
    except (OSError, ValueError):  # cannot be a path: too long, or with a NUL
        return False


def describe_escape(path: str) -> str:
    """Return how an archive member's name leads out of the folder that it is unpacked in.

    The result is empty if the name stays inside.

    >>> [describe_escape(path) for path in ("a/B.java", "a/../B.java", "C:/B.java")]
    ['', 'there is a .. in its path', 'its path begins with the letter of a drive']
    """
    if PurePosixPath(path).is_absolute():
        return "its path is absolute"
    if _DRIVE.match(path):
        return "its path begins with the letter of a drive"
    return "there is a .. in its path" if ".." in PurePosixPath(path).parts else ""


def is_utf8(path: str) -> bool:
    """Return whether the original bytes of a path from ``path_from_bytes`` are UTF-8."""
    if _SIGN not in path:
        return True
    try:
        path_to_bytes(path).decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def describe_error(error: Exception) -> str:
    """Return a short message of an error, without the local path that ``str`` would include."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def matches_patterns(path: str, patterns: tuple[str, ...]) -> bool:
    """Return whether a path matches one of the patterns.

    >>> [matches_patterns("src/main/A.java", (p,)) for p in ("src/**/*.java", "src", "main")]
    [True, True, False]
    """
    return _compile_patterns(patterns).fullmatch(path) is not None


@lru_cache(maxsize=256)
def _compile_patterns(patterns: tuple[str, ...]) -> re.Pattern[str]:
    alternatives = "|".join(_pattern_to_regex(pattern) for pattern in patterns)
    return re.compile(f"(?s:(?:{alternatives})(?:/.*)?)")


def _pattern_to_regex(pattern: str) -> str:
    """Return the regular expression of a pattern for a whole path."""
    names = [name for name in pattern.split("/") if name not in ("", ".")]
    expression = ""
    for index, name in enumerate(names):
        is_last = index == len(names) - 1
        if name == "**":
            # Repeated ** mean the same as one, but would make matching slow.
            if index and names[index - 1] == "**":
                continue
            expression += ".+" if is_last else "(?:[^/]+/)*"
        else:
            expression += _name_to_regex(name) + ("" if is_last else "/")
    return expression


def _name_to_regex(name: str) -> str:
    """Return the regular expression of a part of a pattern between slashes."""
    expression, position = "", 0
    while position < len(name):
        char = name[position]
        # ``+ 2``: a set of characters is not empty, so ``[]]`` is the set of ``]`` alone.
        end = name.find("]", position + 2) if char == "[" else -1
        if end > 0:
            characters = name[position + 1 : end]
            negated = characters.startswith("!")
            escaped = re.sub(r"([\\\]\[^&~|])", r"\\\1", characters[negated:])
            expression += f"[^/{escaped}]" if negated else f"[{escaped}]"
            position = end
        else:
            expression += {"*": "[^/]*", "?": "[^/]"}.get(char) or re.escape(char)
        position += 1
    return expression
