"""Split identifiers into words. All code that needs subtokens uses this module.

``split_subtokens`` follows these rules, in this order:

1. ``_``, ``$``, ``-`` and all other characters that are neither letter nor digit separate subtokens
   and are dropped.
2. A capital after a small letter or a digit starts a subtoken: ``maxValue``, ``utf8Decode``.
3. The last of several capitals starts a subtoken if a small letter follows: ``XMLParser``
   is ``XML``, ``Parser``.
4. Digits stay with the letters before them: ``md5sum`` is one subtoken, ``tag_h4`` is two.

Case is kept as written. The functions below ``split_subtokens`` implement the rules of published
extractors and of our own networks, which differ from these rules; scores depend on them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby
from typing import Literal

# Characters that Java's ``String.trim`` removes.
_WHITE = "".join(map(chr, range(33)))
# code2vec deletes quotes, apostrophes, commas and ASCII control characters.
_SIGNS = bytes(range(32)) + b"\"',\x7f"
# The ASCII characters that are no letters.
_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalpha())
_CODE2SEQ_SPLIT = re.compile(
    r"(?<=[a-z])(?=[A-Z])|_|[0-9]|(?<=[A-Z])(?=[A-Z][a-z])|\s+", flags=re.ASCII
)
_CODE2SEQ_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
# Texts such as <none>, words, numbers, and every other character: the matches cover a whole name.
_LOSSLESS = re.compile(r"<\w+>|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|.", re.DOTALL)

# Returns the list of subtokens of an ASCII identifier, with digits apart, faster than
# ``split_subtokens``.
find_ascii_runs = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+").findall


@lru_cache(maxsize=1 << 16)
def split_subtokens(
    identifier: str, *, lower: bool = False, digits: Literal["keep", "apart", "drop"] = "keep"
) -> tuple[str, ...]:
    """Return the subtokens of an identifier.

    ``digits`` are kept in them, put apart as subtokens of their own, or dropped.

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
    """Split a name where words begin; joining the pieces gives the name.

    A text such as ``<none>`` is one piece.

    >>> split_lossless("toHTMLPage_2"), split_lossless("<none>")
    (('to', 'HTML', 'Page', '_', '2'), ('<none>',))
    """
    return tuple(_LOSSLESS.findall(name))


def spot_words(name: str) -> tuple[str, ...]:
    """Return the words of a name as the model Spot compares them: in lower case, without digits.

    >>> spot_words("toHTML4_page")
    ('to', 'html', 'page')
    """
    return split_subtokens(name, lower=True, digits="drop")


def context_words(name: str) -> tuple[str, ...]:
    """Return the words of a name as the models Cognac and GTNM read them.

    They are in lower case, without single characters and without words that begin with a digit.

    >>> context_words("toHTMLPage_2"), context_words("i")
    (('to', 'html', 'page'), ())
    """
    words = split_subtokens(name, lower=True)
    return tuple(word for word in words if len(word) > 1 and not word[0].isdigit())


def code2vec_name(text: str, default: str = "") -> str:
    """Return a text as code2vec's extractor normalizes it: its ASCII letters in lower case.

    A text without ASCII letters keeps its other printable ASCII characters, with underscores for
    blanks; if it has none, the result is ``default``.

    >>> code2vec_name("getName2"), code2vec_name("'4 2'"), code2vec_name("", "BLANK")
    ('getname', '4_2', 'BLANK')
    """
    if text.isascii() and text.isalpha():
        return text.lower()
    # The escape of a line break is removed first, because the characters around it may then form
    # ``//s``, which is removed too.
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
        # Most texts are identifiers, for which this expression has the same result and is faster.
        return [part.lower() for part in _CODE2SEQ_PARTS.findall(text)]
    pieces = _CODE2SEQ_SPLIT.split(text.strip(_WHITE))
    return [part for part in map(code2vec_name, pieces) if part]
