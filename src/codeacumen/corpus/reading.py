"""Decode the bytes of a source file, or report why they are not source text.

No input raises an error: a file that cannot be decoded becomes a ``Problem`` with a kind and a
message, and the build goes on.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from codeacumen.text.lines import line_of, longest_line

# Largest file that is read by default, in bytes.
LARGEST = 8 << 20
# A file is UTF-16 without a byte order mark if more than this share of every second byte is NUL.
NUL_SHARE = 0.3
# Candidates for files that are not Unicode. More candidates would only be confused with these:
# other Western encodings differ from cp1252 in letters that are rare in code.
OLDER = ("cp1252", "cp1251", "gb18030", "shift_jis", "euc_kr", "big5")

# Byte order marks. UTF-32 comes before UTF-16, because its little-endian mark begins with that of
# UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of a file or, with the path ``.``, of a whole project.

    ``kind`` is a short name by which problems are counted, such as ``too large``.
    """

    path: str
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Source:
    """A source file.

    ``data`` is the text in UTF-8 without a byte order mark, as parsers expect it; line ends are
    unchanged. ``encoding`` is that of the original file.
    """

    path: str
    data: bytes
    encoding: str
    has_byte_order_mark: bool = False


def read_source(path: str, data: bytes, largest: int = LARGEST) -> Source | Problem:
    """Return the decoded source, or the problem if it is too large, binary or undecodable."""
    if len(data) > largest:
        return Problem(path, "too large", f"{len(data):,} bytes, at most {largest:,} are read")
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decode_as(path, data[len(mark) :], encoding, has_byte_order_mark=True)
    if b"\0" in data:
        encoding = _utf16_without_mark(data)
        if not encoding:
            return Problem(path, "binary", "contains NUL bytes")
        return _decode_as(path, data, encoding)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return _detect_encoding(path, data)
    return Source(path, data, "utf-8")


def _decode_as(
    path: str, data: bytes, encoding: str, *, has_byte_order_mark: bool = False
) -> Source | Problem:
    try:
        text = data.decode(encoding)
        return Source(path, text.encode("utf-8"), encoding, has_byte_order_mark)
    except UnicodeError as error:
        return Problem(path, "encoding", f"marked as {encoding}, but {error}")


def _utf16_without_mark(data: bytes) -> str:
    """Return ``utf-16-le`` or ``utf-16-be``; empty if the data is not UTF-16."""
    sample = data[:4096]
    half = len(sample) // 2
    # The high byte of ASCII text in UTF-16 is NUL: the second of each pair if little-endian.
    for encoding, zero_offset in (("utf-16-le", 1), ("utf-16-be", 0)):
        zeros = sample[zero_offset::2].count(0)
        others = sample[1 - zero_offset :: 2].count(0)
        if half and zeros > NUL_SHARE * half and others == 0:
            return encoding
    return ""


def _detect_encoding(path: str, data: bytes) -> Source | Problem:
    """Return the source in the older encoding that fits best; a problem if it is no text."""
    # Text has hardly any control characters; one in a hundred bytes means binary data.
    control = sum(data.count(byte) for byte in range(32) if byte not in b"\t\n\r\f")
    if control > 0.01 * len(data):
        return Problem(path, "binary", "contains control characters")
    from charset_normalizer import from_bytes

    best = from_bytes(data, cp_isolation=list(OLDER)).best()
    # A few accented letters are not enough evidence for the detection. Latin-1 decodes any bytes,
    # and different bytes stay different.
    encoding = best.encoding if best is not None else "latin-1"
    return _decode_as(path, data, encoding)


# --------------------------------------------------------------------------------------
# Origin: files that are source code but not hand-written for the project.
# --------------------------------------------------------------------------------------

_GENERATED = re.compile(
    rb"@(?:javax\.annotation\.(?:processing\.)?)?Generated\b|"
    rb"\b(?:auto-?generated|generated (?:by|from|code|file|using|with)|do not (?:edit|modify))\b",
    re.IGNORECASE,
)
_VENDORED = frozenset(
    ("node_modules", "bower_components", "vendor", "vendors", "third_party", "third-party")
)
# Bytes at the beginning of a file that are searched for a sign of a generator.
HEAD = 2000
# A file is minified if its longest line has more than LONGEST_LINE bytes and its mean line more
# than LONGEST_MEAN.
LONGEST_LINE = 5000
LONGEST_MEAN = 300


def detect_origin(source: Source) -> tuple[str, str]:
    """Return ``generated``, ``minified``, ``vendored`` or ``written``, and the evidence.

    The evidence is empty for ``written``.
    """
    data = source.data
    for folder in source.path.split("/")[:-1]:
        if folder in _VENDORED:
            return "vendored", f"it is in a folder called {folder}"
    match = _GENERATED.search(data[:HEAD])
    if match:
        return "generated", f"its first lines contain {match[0].decode()!r}"
    longest = longest_line(data)
    if longest > LONGEST_LINE and len(data) / line_of(data, len(data)) > LONGEST_MEAN:
        return "minified", f"its longest line has {longest:,} bytes"
    return "written", ""
