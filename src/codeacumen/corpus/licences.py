"""Recognize licence files of a project and the SPDX identifiers of their texts.

A build stores the result in ``projects.parquet``. A licence is recognized by phrases that no other
licence has. The identifiers name texts only: a file may hold several licences, and people have to
read whether a user may choose among them or choose a later version.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from codeacumen.corpus.reading import Problem, read_source

UNKNOWN = "unknown"
# Folder levels that are searched: the top folder and the folders in it.
LICENCE_LEVELS = 2
# Bytes of a file above which its licence is ``unknown``.
LARGEST_LICENCE = 1 << 20

# Names of licence files in lower case: LICENSE, MIT-LICENSE.txt, UNLICENSE, COPYING.LESSER, NOTICE.
_NAME = re.compile(r"(?:(?:[a-z0-9.]+[-_])?(?:un)?licen[cs]es?|copying|notices?)(?:[-_. ].*)?")
# Files with these suffixes are code about licences, not licences.
_OTHER = frozenset(
    ("bat", "c", "cc", "class", "cpp", "cs", "css", "csv", "gif", "go", "gradle", "h", "hpp", "ico",
     "java", "jar", "jpg", "js", "json", "jsx", "kt", "m", "mjs", "php", "png", "properties", "py",
     "rb", "rs", "scala", "sh", "svg", "swift", "toml", "ts", "tsx", "xml", "xsl", "yaml", "yml")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LicenceFile:
    """A licence file; ``ids`` are sorted SPDX identifiers, or only ``unknown``."""

    path: str
    ids: tuple[str, ...]


def is_licence(path: str) -> bool:
    """Return whether the path of a file is that of a licence file.

    >>> [is_licence(path) for path in ("COPYING.LESSER", "src/License.java", "debian/copyright")]
    [True, False, True]
    """
    folder, _, name = path.lower().rpartition("/")
    if name.rpartition(".")[2] in _OTHER and "." in name:
        return False
    if folder.rpartition("/")[2] == "debian" and name == "copyright":
        return True
    # REUSE specification: a folder LICENSES with one file per licence.
    return folder.rpartition("/")[2] == "licenses" or _NAME.fullmatch(name) is not None


def recognize_licences(path: str, data: bytes) -> tuple[str, ...]:
    """Return the SPDX identifiers of the licences in a file, or only ``unknown``."""
    source = read_source(path, data, LARGEST_LICENCE)
    if isinstance(source, Problem):
        return (UNKNOWN,)
    text = source.data.decode("utf-8")
    identifiers = set(_parse_debian_copyright(text)) or set(_match_texts(normalize_text(text)))
    return tuple(sorted(identifiers)) or (UNKNOWN,)


def normalize_text(text: str) -> str:
    """Return the words and numbers of a text in lower case, without punctuation and HTML tags."""
    without_tags = re.sub(r"</?[a-z]+(?:\s[^<>]*)?/?>|&\w+;", " ", text.lower())
    return " ".join(re.findall(r"[a-z0-9]+", without_tags))


# --------------------------------------------------------------------------------------
# Licence texts. The expressions match text that ``normalize_text`` returns.
# --------------------------------------------------------------------------------------

_PHRASES = {
    "Apache-2.0": r"apache (?:software )?license version 2 0|apache 2 0 license"
    r"|usr share common licenses apache 2 0",
    "Artistic-2.0": r"the artistic license 2 0",
    "BSL-1.0": r"boost software license version 1 0",
    "BlueOak-1.0.0": r"blue oak model license version 1 0 0",
    "CC-BY-3.0": r"creative commons attribution 3 0",
    "CC-BY-4.0": r"creative commons attribution 4 0",
    "CC0-1.0": r"cc0 1 0 universal|creativecommons org publicdomain zero 1 0"
    r"|usr share common licenses cc0 1 0",
    "CDDL-1.0": r"common development and distribution license (?:cddl )?version 1 0",
    "CDDL-1.1": r"common development and distribution license (?:cddl )?version 1 1",
    "EPL-1.0": r"eclipse public license (?:v|version) ?1 0",
    "EPL-2.0": r"eclipse public license (?:v|version) ?2 0",
    "MPL-1.1": r"mozilla public license (?:v|version) ?1 1|usr share common licenses mpl 1 1",
    "MPL-2.0": r"mozilla public license (?:v|version) ?2 0|usr share common licenses mpl 2 0",
    "PSF-2.0": r"psf license agreement for python|python software foundation license version 2",
    "Unlicense": r"this is free and unencumbered software released into the public domain",
    "WTFPL": r"do what the fuck you want to public license",
    "Zlib": r"altered source versions must be plainly marked as such",
}

# Licences of one family begin alike and differ in the text up to the disclaimer. A text that is cut
# off before the disclaimer may lack the distinguishing clause.
_MIT = re.compile(
    r"permission is hereby granted free of charge to any person obtaining a copy of this "
    r"(?:software|source code)(.{0,2000}?)(provided as is|$)"
)
_ISC = re.compile(
    r"permission to use copy modify and (?:or )?distribute this software for any purpose with or "
    r"without fee is hereby granted (provided|(?:the )?software is provided)"
)
_BSD = re.compile(
    r"redistribution and use (?:of this software )?in source and binary forms with or without "
    r"modification are permitted provided that(.{0,3000}?)((?:software|work) is provided|$)"
)

# The GNU licences mention each other, and other texts mention them. Only a title with its date or
# the usual licence notice counts.
_GNU = re.compile(
    r"gnu (?:(affero|lesser|library) )?general public license (?:a?l?gpl )?"
    r"(?:as published by the free software foundation (?:inc )?)?(?:either )?version (\d(?: 1)?) "
    r"(?:of the license|only|june 1991|february 1999|29 june 2007|19 november 2007)"
)
_GNU_OF_DEBIAN = re.compile(r"usr share common licenses (a|l)?gpl (\d(?: 1)?)\b")
# The letter before GPL, by the word of ``_GNU`` and the letter of the other expressions.
_GNU_LETTER = {"affero": "A", "lesser": "L", "library": "L", "a": "A", "l": "L"}
_CLASSPATH = (
    "linking this library statically or dynamically with other modules is making a combined work"
)


def _match_texts(text: str) -> Iterator[str]:
    """Yield the identifiers of licences whose texts or notices are in a normalized text.

    An identifier may occur more than once.
    """
    for name, expression in _PHRASES.items():
        if re.search(expression, text):
            yield name
    for terms, end in _MIT.findall(text):
        if "redistributions of source code must retain" in terms:
            yield "NCSA"
        elif "shall be included" in terms:
            yield "MIT"
        elif end:
            yield "MIT-0"
    for conditions in _ISC.findall(text):
        yield "ISC" if conditions == "provided" else "0BSD"
    for conditions, end in _BSD.findall(text):
        yield from _identify_bsd(conditions, is_complete=bool(end))
    exception = " WITH Classpath-exception-2.0" if _CLASSPATH in text else ""
    for kind, version in (*_GNU.findall(text), *_GNU_OF_DEBIAN.findall(text)):
        name = _format_gnu_identifier(_GNU_LETTER.get(kind, ""), version.replace(" ", "."))
        yield name + exception if name.startswith("GPL") else name


def _identify_bsd(conditions: str, *, is_complete: bool) -> Iterator[str]:
    """Yield the licence of the BSD family that has these conditions, if they identify it.

    ``is_complete`` is False for a text that ends before the disclaimer.
    """
    if "developed by the apache software foundation" in conditions:
        yield "Apache-1.1"
    elif "all advertising materials" in conditions:
        yield "BSD-4-Clause"
    elif re.search(r"neither the names?|used to endorse", conditions):
        yield "BSD-3-Clause"
    elif is_complete:
        yield "BSD-2-Clause"


def _format_gnu_identifier(letter: str, version: str) -> str:
    """Return the identifier of a GNU licence, without ``-only`` or ``-or-later``.

    The notices of the source files decide about later versions, not the licence text.
    """
    return f"{letter}GPL-{version if '.' in version else version + '.0'}"


# --------------------------------------------------------------------------------------
# debian/copyright in Debian's machine-readable format (DEP 5), with a short name per licence.
# --------------------------------------------------------------------------------------

_STANZA = re.compile(r"\n[ \t]*\n")
_FIELD = re.compile(r"^(Files|License):[ \t]*(.*)", re.MULTILINE)
_SHORT_GNU = re.compile(r"(a|l)?gpl[-v ]?(\d(?:\.\d)?)\+?(?: with (.+))?")
# Short names whose spelling differs from the SPDX identifier.
_SHORT = {
    "expat": "MIT",
    "apache-2": "Apache-2.0",
    "bsd-3": "BSD-3-Clause",
    "bsd-2": "BSD-2-Clause",
    "cc0": "CC0-1.0",
    "bsd-2-clause": "BSD-2-Clause",
    "bsd-3-clause": "BSD-3-Clause",
    "bsd-4-clause": "BSD-4-Clause",
    "mit": "MIT",
    "isc": "ISC",
    "apache-1.1": "Apache-1.1",
    "0bsd": "0BSD",
    "mit-0": "MIT-0",
} | {name.lower(): name for name in _PHRASES}


def _parse_debian_copyright(text: str) -> Iterator[str]:
    """Yield the identifiers in a machine-readable debian/copyright; nothing for other texts.

    A licence whose short name has no identifier is recognized by its text.
    """
    stanzas = _STANZA.split(text.replace("\r\n", "\n").lstrip())
    if not re.match(r"format(?:-specification)?:.*(?:copyright-format|dep5)", stanzas[0].lower()):
        return
    parsed_stanzas = [(stanza, dict(_FIELD.findall(stanza))) for stanza in stanzas[1:]]
    texts = {
        fields.get("License", "").lower().strip(): stanza
        for stanza, fields in parsed_stanzas
        if "Files" not in fields
    }
    for stanza, fields in parsed_stanzas:
        # The licence of Debian's packaging is not that of the project.
        if "Files" not in fields or fields["Files"].strip() == "debian/*":
            continue
        for short_name in re.split(r",|\band\b|\bor\b", fields.get("License", "").lower()):
            name = _short_name_to_spdx(short_name.strip())
            yield from (
                (name,)
                if name
                else _match_texts(normalize_text(stanza + texts.get(short_name.strip(), "")))
            )


def _short_name_to_spdx(short_name: str) -> str:
    """Return the SPDX identifier of a short name, or an empty text if there is none."""
    match = _SHORT_GNU.fullmatch(short_name)
    if match is None:
        return _SHORT.get(short_name) or _SHORT.get(f"{short_name}.0", "")
    exception = " WITH Classpath-exception-2.0" if "classpath" in (match[3] or "") else ""
    return _format_gnu_identifier(_GNU_LETTER.get(match[1] or "", ""), match[2]) + exception
