"""The words of an identifier.

Subtokens, as everywhere in acumen, in small letters, with digits apart: ``utf8Decode`` is ``utf``,
``8``, ``decode``. Outside ASCII an accent is dropped, a sign is the words of its Unicode name, and
so is a letter that stands alone (``λ`` is ``lambda``); several such letters are a word as written.
What is no word may be several without a capital between them (``touchmove``, see compounds.py).
An identifier without any word (``_``, ``$``) is its own one word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from acumen.lang.subtokens import find_ascii_runs, subtokens

if TYPE_CHECKING:
    from acumen.models.names.lexicon import Lexicon

# Of an identifier so many words count, and a longer stretch of letters is not cut: beyond that it
# is data, and the time to compare two would grow with the square.
MOST_WORDS = 64
LONGEST_CUT = 64

# Words of this share of all words are words, in a dictionary or not (``init``, ``str``).
FREQUENT = 6e-5
# Parts of two letters are mistaken for words too easily, but for these.
SHORT = frozenset({"id", "ok", "on", "is", "to", "up", "in", "of", "at", "no"})
WHOLE = 3

_RUNS = re.compile(r"[a-z]+|[0-9]+|[^a-z0-9]+").findall
_CUT = re.compile(r"[a-z]+").fullmatch
# Unicode spells it so for good.
_MISSPELT = {"lamda": "lambda"}
# The characters after which kept pieces are forgotten.
_KEPT = 1 << 23


def pieces(name: str) -> list[str]:
    """Stretches of letters and of digits as they are written; nothing is cut yet.

    >>> pieces("getHTTPResponse_code2")
    ['get', 'HTTP', 'Response', 'code', '2']
    """
    if name.isascii():
        return find_ascii_runs(name)
    return [
        word
        for token in subtokens(_spelled(name))
        for run in _RUNS(token.casefold())
        for word in (run if run.isascii() or len(run) > 1 else _letter(run)).split()
    ]


def _spelled(name: str) -> str:
    """With letters that have an ASCII one below the accent as that one, signs as words."""
    return "".join(map(_plain, unicodedata.normalize("NFC", name)))


@lru_cache(maxsize=1 << 12)
def _plain(char: str) -> str:
    apart = unicodedata.normalize("NFKD", char)
    if len(apart) > 1 and apart[0].isascii():
        return "".join(map(_plain, apart))
    char = apart if apart.isascii() else char
    kind = unicodedata.category(char)
    if kind == "Nd":
        return str(unicodedata.decimal(char))
    if char.isascii() or char.isalnum():
        return char
    if kind == "Mn" or kind[0] == "C":
        return ""
    return f" {unicodedata.name(char, '')} "


def _letter(char: str) -> str:
    """``GREEK SMALL LETTER FINAL SIGMA`` is ``sigma``; what has no such name is itself."""
    _, letter, rest = unicodedata.name(char, "").partition(" LETTER ")
    if not letter:
        return char
    word = rest.partition(" WITH ")[0].split(" ")[-1].lower()
    return _MISSPELT.get(word, word)


def _singulars(word: str) -> list[str]:
    """What a word may be the plural of, which dictionaries leave out."""
    ends = (("s", ""), ("es", ""), ("ies", "y"))
    return [word[: -len(end)] + one for end, one in ends if word.endswith(end)]


class Split(NamedTuple):
    """Words of names, by number, one list after the other; a number past the lexicon's is of
    ``unknown``."""

    numbers: NDArray[np.int32]
    offsets: NDArray[np.int64]
    unknown: list[str]


class Splitter:
    """Splits names, and remembers the pieces it has seen: most names are new, their pieces are
    not."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._forget()

    def _forget(self) -> None:
        self._numbers: dict[str, int] = {}
        self._unknown: list[str] = []
        self._seen: dict[str, tuple[int, ...]] = {}
        self._kept = 0

    def words(self, name: str) -> list[str]:
        """The words of one name, as they are compared."""
        split = self.split([name])
        known = self.lexicon.words
        return [
            known[number] if number < len(known) else split.unknown[number - len(known)]
            for number in split.numbers.tolist()
        ]

    def split(self, names: Iterable[str]) -> Split:
        if self._kept > _KEPT:
            self._forget()
        seen, find = self._seen, find_ascii_runs
        numbers: list[int] = []
        offsets = [0]
        for name in names:
            for piece in find(name) if name.isascii() else pieces(name):
                found = seen.get(piece)
                numbers += self._new(piece) if found is None else found
            if len(numbers) == offsets[-1]:
                numbers += self._new(name, whole=True)
            elif len(numbers) - offsets[-1] > MOST_WORDS:
                del numbers[offsets[-1] + MOST_WORDS :]
            offsets.append(len(numbers))
        return self._renumbered(np.array(numbers, np.int32), np.array(offsets, np.int64))

    def _new(self, piece: str, whole: bool = False) -> tuple[int, ...]:
        words = [piece] if whole else self._parts(piece.lower())
        found = tuple(self._number(word) for word in words)
        if not whole:
            self._seen[piece] = found
        self._kept += len(piece) + 1
        return found

    def _parts(self, word: str) -> list[str]:
        if len(word) <= WHOLE or len(word) > LONGEST_CUT or not _CUT(word):
            return [word]
        if any(map(self._is_word, (word, *_singulars(word)))):
            return [word]
        return self.lexicon.compounds.cut(word)

    def _is_word(self, word: str) -> bool:
        lexicon = self.lexicon
        row = lexicon.place.get(word)
        return row is not None and bool(lexicon.english[row] or lexicon.frequency[row] > FREQUENT)

    def _number(self, word: str) -> int:
        known = self.lexicon.place.get(word, self._numbers.get(word))
        if known is not None:
            return known
        self._numbers[word] = len(self.lexicon.words) + len(self._unknown)
        self._unknown.append(word)
        return self._numbers[word]

    def _renumbered(self, numbers: NDArray[np.int32], offsets: NDArray[np.int64]) -> Split:
        """With only those unknown words that are there."""
        first = len(self.lexicon.words)
        strange = numbers >= first
        used, places = np.unique(numbers[strange], return_inverse=True)
        numbers[strange] = first + places
        unknown = [self._unknown[number - first] for number in used.tolist()]
        return Split(numbers, offsets, unknown)
