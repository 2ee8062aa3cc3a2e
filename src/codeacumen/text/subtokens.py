"""Splitting identifiers into words: the one place where it is done.

``subtokens`` follows these rules, in this order:

1. ``_``, ``$``, ``-`` and anything else that is neither letter nor digit separates, and is dropped.
2. A capital after a small letter or a digit starts a subtoken: ``maxValue``, ``utf8Decode``.
3. The last of several capitals starts a subtoken if a small letter follows: ``XMLParser``
   is ``XML``, ``Parser``.
4. Digits stay with what stands before them: ``md5sum`` is one subtoken, ``tag_h4`` is two.

Case is kept as written. The functions below ``subtokens`` are the rules of published extractors and
of our own networks, which differ from these; scores depend on them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby
from typing import Literal

_WHITE = "".join(map(chr, range(33)))
# Quotes, apostrophes and commas are deleted, and what cannot be printed in ASCII.
_SIGNS = bytes(range(32)) + b"\"',\x7f"
_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalpha())
_CODE2SEQ_SPLIT = re.compile(
    r"(?<=[a-z])(?=[A-Z])|_|[0-9]|(?<=[A-Z])(?=[A-Z][a-z])|\s+", flags=re.ASCII
)
_CODE2SEQ_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_LOSSLESS = re.compile(r"<\w+>|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|.", re.DOTALL)

# The list of subtokens of an ASCII identifier, with digits apart, as fast as it can be had.
find_ascii_runs = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+").findall


@lru_cache(maxsize=1 << 16)
def split_subtokens(
    identifier: str, *, lower: bool = False, digits: Literal["keep", "apart", "drop"] = "keep"
) -> tuple[str, ...]:
    """Return the subtokens of an identifier, with digits kept, as subtokens of their own, or gone.

    >>> split_subtokens("getHTTPResponse_code2")
    ('get', 'HTTP', 'Response', 'code2')
    >>> split_subtokens("md5sum", digits="apart")
    ('md', '5', 'sum')
    >>> split_subtokens("md5Sum", lower=True, digits="drop")
    ('md', 'sum')
    """
    pieces: list[str] = []
    start = 0
    for i, char in enumerate(identifier):
        if not char.isalnum():
            pieces.append(identifier[start:i])
            start = i + 1
        elif i > start and char.isupper():
            before = identifier[i - 1]
            after = identifier[i + 1 : i + 2]
            if not before.isupper() or after.islower():
                pieces.append(identifier[start:i])
                start = i
    pieces.append(identifier[start:])
    if digits == "drop":
        pieces = ["".join(char for char in piece if not char.isdigit()) for piece in pieces]
    elif digits == "apart":
        pieces = ["".join(run) for piece in pieces for _, run in groupby(piece, str.isdigit)]
    return tuple(piece.lower() if lower else piece for piece in pieces if piece)


@lru_cache(maxsize=1 << 16)
def split_lossless(name: str) -> tuple[str, ...]:
    """Split a name where words begin; the pieces, joined, are the name again.

    >>> split_lossless("toHTMLPage_2"), split_lossless("<none>")
    (('to', 'HTML', 'Page', '_', '2'), ('<none>',))
    """
    return tuple(_LOSSLESS.findall(name))


def spot_words(name: str) -> tuple[str, ...]:
    """Return the words of a name as Spot compares them: in lower case, without digits.

    >>> spot_words("toHTML4_page")
    ('to', 'html', 'page')
    """
    return split_subtokens(name, lower=True, digits="drop")


def context_words(name: str) -> tuple[str, ...]:
    """Return the words of a name as Cognac and GTNM read them: without letters and numbers alone.

    >>> context_words("toHTMLPage_2"), context_words("i")
    (('to', 'html', 'page'), ())
    """
    words = split_subtokens(name, lower=True)
    return tuple(word for word in words if len(word) > 1 and not word[0].isdigit())


def code2vec_name(text: str, default: str = "") -> str:
    """Return a text as code2vec's extractor normalizes it: its ASCII letters in lower case; if it
    has none, what else can be printed, with blanks as underscores.

    >>> code2vec_name("getName2"), code2vec_name("'4 2'"), code2vec_name("", "BLANK")
    ('getname', '4_2', 'BLANK')
    """
    if text.isascii() and text.isalpha():
        return text.lower()
    # A line break's escape goes first: what then meets may be deleted with it.
    lowered = text.lower().replace("\\n", "")
    if "//s" in lowered:
        lowered = re.sub("//s+", "", lowered)
    printed = lowered.encode("ascii", errors="ignore").translate(None, _SIGNS)
    letters = printed.translate(None, _NO_LETTERS)
    return letters.decode() or printed.decode().replace(" ", "_") or default


def code2seq_parts(text: str) -> list[str]:
    """Return the parts of a text as code2seq's extractor splits it; digits and ``_`` separate.

    >>> code2seq_parts("toHTML4_page"), code2seq_parts("_1")
    (['to', 'html', 'page'], [])
    """
    if text.isascii() and text.isidentifier():
        # Most texts are identifiers, for which the rules come to the same with less work.
        return [part.lower() for part in _CODE2SEQ_PARTS.findall(text)]
    pieces = _CODE2SEQ_SPLIT.split(text.strip(_WHITE))
    return [part for part in map(code2vec_name, pieces) if part]
