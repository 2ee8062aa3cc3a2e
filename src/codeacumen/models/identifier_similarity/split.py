"""Splitting identifiers into words.

Words are subtokens, as everywhere in codeacumen, in lower case and with digits apart:
``utf8Decode`` is ``utf``, ``8``, ``decode``. Outside ASCII, accents are dropped; a sign becomes the
words of its Unicode name, and so does a single letter (``λ`` is ``lambda``), while several such
letters are a word as written. An identifier without any word (``_``, ``$``) is itself its word.

A **piece** of an identifier is a run of letters or of digits (``get``, ``HTTP``, ``2``): one word,
or a compound of several. A **part** is a word inside a compound; a **stretch** is a run of letters
in a compound that are no known word.

``Compounds`` splits words that are written together: ``touchmove`` is ``touch`` and ``move``. It
returns the most probable segmentation (Viterbi): each known word scores the logarithm of its share
of all words, and letters between them a penalty. Known words form a trie, so one walk finds all
words that begin at a position.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import kernel
from codeacumen.text.subtokens import find_ascii_runs, split_subtokens

if TYPE_CHECKING:
    from codeacumen.models.identifier_similarity.lexicon import Lexicon

# Maximum number of words of an identifier that count, and of letters of a word that is segmented:
# anything longer is data, and the time to compare two identifiers grows with the square.
MAX_WORDS = 64
MAX_SEGMENTED_LENGTH = 64

# A word with a larger share of all words is not segmented, even if no dictionary has it (``init``).
FREQUENT_SHARE = 6e-5
# Only these words of two letters may be parts of a compound: others match too easily.
SHORT_PARTS = frozenset({"id", "ok", "on", "is", "to", "up", "in", "of", "at", "no"})
# Minimum length of all other parts; words of at most this length are not segmented.
MIN_PART_LENGTH = 3

_find_runs = re.compile(r"[a-z]+|[0-9]+|[^a-z0-9]+").findall
_match_letters = re.compile(r"[a-z]+").fullmatch
# Words that Unicode misspells: it never corrects a character's name.
_MISSPELT = {"lamda": "lambda"}
# Number of characters of cached pieces after which the cache is cleared.
_MAX_CACHED_CHARS = 1 << 23


def split_pieces(name: str) -> list[str]:
    """Split a name into runs of letters and of digits, without segmenting compounds.

    >>> split_pieces("getHTTPResponse_code2")
    ['get', 'HTTP', 'Response', 'code', '2']
    """
    if name.isascii():
        return find_ascii_runs(name)
    return [
        word
        for token in split_subtokens(_spell_out(name))
        for run in _find_runs(token.casefold())
        for word in (run if run.isascii() or len(run) > 1 else _name_letter(run)).split()
    ]


def _spell_out(name: str) -> str:
    """Replace accented letters by their ASCII letter, and signs by the words of their name."""
    return "".join(map(_simplify_char, unicodedata.normalize("NFC", name)))


@lru_cache(maxsize=1 << 12)
def _simplify_char(char: str) -> str:
    """Return a character without accents, or the words of a sign's name.

    Return nothing for a combining mark or a control code.
    """
    decomposed = unicodedata.normalize("NFKD", char)
    if len(decomposed) > 1 and decomposed[0].isascii():
        return "".join(map(_simplify_char, decomposed))
    char = decomposed if decomposed.isascii() else char
    kind = unicodedata.category(char)
    if kind == "Nd":
        return str(unicodedata.decimal(char))
    if char.isascii() or char.isalnum():
        return char
    if kind == "Mn" or kind[0] == "C":
        return ""
    return f" {unicodedata.name(char, '')} "


def _name_letter(char: str) -> str:
    """Return the name of a letter: ``sigma`` for ``GREEK SMALL LETTER FINAL SIGMA``.

    A character without such a name is returned as it is.
    """
    _, letter, rest = unicodedata.name(char, "").partition(" LETTER ")
    if not letter:
        return char
    word = rest.partition(" WITH ")[0].split(" ")[-1].lower()
    return _MISSPELT.get(word, word)


def _guess_singulars(word: str) -> list[str]:
    """Return possible singulars of a word, because dictionaries leave out regular plurals."""
    endings = (("s", ""), ("es", ""), ("ies", "y"))
    return [
        word[: -len(plural)] + singular for plural, singular in endings if word.endswith(plural)
    ]


class Split(NamedTuple):
    """Word numbers of names, concatenated; those of name i begin at ``offsets[i]``.

    A number below the lexicon's size is a word of the lexicon; a higher one, less this size, is an
    index of ``unknown``.
    """

    numbers: NDArray[np.int32]
    offsets: NDArray[np.int64]
    unknown: list[str]


class Splitter:
    """Splitter of names into words, with a cache of pieces: most names are new, most pieces not."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._clear_cache()

    def _clear_cache(self) -> None:
        self._unknown_numbers: dict[str, int] = {}
        self._unknown: list[str] = []
        self._piece_numbers: dict[str, tuple[int, ...]] = {}
        self._cached_chars = 0

    def split_name(self, name: str) -> list[str]:
        """Return the words of one name, as they are compared."""
        split = self.split_names([name])
        lexicon_words = self.lexicon.words
        return [
            lexicon_words[number]
            if number < len(lexicon_words)
            else split.unknown[number - len(lexicon_words)]
            for number in split.numbers.tolist()
        ]

    def split_names(self, names: Iterable[str]) -> Split:
        """Return the words of names as numbers; at most ``MAX_WORDS`` words of a name count."""
        if self._cached_chars > _MAX_CACHED_CHARS:
            self._clear_cache()
        piece_numbers, find_runs = self._piece_numbers, find_ascii_runs
        numbers: list[int] = []
        offsets = [0]
        for name in names:
            for piece in find_runs(name) if name.isascii() else split_pieces(name):
                word_numbers = piece_numbers.get(piece)
                numbers += self._number_piece(piece) if word_numbers is None else word_numbers
            if len(numbers) == offsets[-1]:
                numbers += self._number_piece(name, as_one_word=True)
            elif len(numbers) - offsets[-1] > MAX_WORDS:
                del numbers[offsets[-1] + MAX_WORDS :]
            offsets.append(len(numbers))
        return self._renumber_unknown(np.array(numbers, np.int32), np.array(offsets, np.int64))

    def _number_piece(self, piece: str, as_one_word: bool = False) -> tuple[int, ...]:
        """Return the numbers of a piece's words, and cache them unless the piece is one word."""
        words = [piece] if as_one_word else self._split_piece(piece.lower())
        numbers = tuple(self._number_word(word) for word in words)
        if not as_one_word:
            self._piece_numbers[piece] = numbers
        self._cached_chars += len(piece) + 1
        return numbers

    def _split_piece(self, word: str) -> list[str]:
        if (
            len(word) <= MIN_PART_LENGTH
            or len(word) > MAX_SEGMENTED_LENGTH
            or not _match_letters(word)
        ):
            return [word]
        if any(map(self._is_word, (word, *_guess_singulars(word)))):
            return [word]
        return self.lexicon.compounds.segment(word)

    def _is_word(self, word: str) -> bool:
        """Return True if a word is English or frequent, and so is not segmented."""
        lexicon = self.lexicon
        row = lexicon.word_indices.get(word)
        return row is not None and bool(
            lexicon.english[row] or lexicon.frequency[row] > FREQUENT_SHARE
        )

    def _number_word(self, word: str) -> int:
        number = self.lexicon.word_indices.get(word, self._unknown_numbers.get(word))
        if number is not None:
            return number
        self._unknown_numbers[word] = len(self.lexicon.words) + len(self._unknown)
        self._unknown.append(word)
        return self._unknown_numbers[word]

    def _renumber_unknown(self, numbers: NDArray[np.int32], offsets: NDArray[np.int64]) -> Split:
        """Return a split whose ``unknown`` has only the unknown words of these names."""
        first = len(self.lexicon.words)
        is_unknown = numbers >= first
        used, new_numbers = np.unique(numbers[is_unknown], return_inverse=True)
        numbers[is_unknown] = first + new_numbers
        unknown = [self._unknown[number - first] for number in used.tolist()]
        return Split(numbers, offsets, unknown)


Letters = NDArray[np.uint8]
Tree = NDArray[np.int32]
Offsets = NDArray[np.int64]
Shares = NDArray[np.float64]

# Logarithmic scores of a stretch of letters that are no word, and of each of its letters. A stretch
# costs as much as a rare word, so an unknown word is segmented only if it contains frequent words.
STRETCH, LETTER = -12.0, -3.5
# Code of the letter a, and the number of letters.
_A, _ALPHABET = 97, 26


@kernel
def _build_trie(letters: Letters, starts: Offsets, shares: Shares) -> tuple[Tree, Shares]:
    """Return the trie of the words: for each node its children and the share of its word.

    Children are (nodes, letters), 0 where there is no child. The share is that of the word that
    ends at the node, NaN if none does.
    """
    nodes = np.zeros((len(letters) + 1, _ALPHABET), np.int32)
    share = np.full(len(letters) + 1, np.nan)
    count = 1
    for word in range(len(shares)):
        node = 0
        for position in range(starts[word], starts[word + 1]):
            letter = letters[position] - _A
            if nodes[node, letter] == 0:
                nodes[node, letter] = count
                count += 1
            node = nodes[node, letter]
        share[node] = shares[word]
    return nodes[:count].copy(), share[:count].copy()


@kernel
def _segment_word(letters: Letters, nodes: Tree, shares: Shares) -> Offsets:
    """Return the end of each part of a word, the last part first (Viterbi segmentation)."""
    size = len(letters)
    # The best score of the letters up to each position, and the start of the last part: once with a
    # known word as the last part, once with a stretch of unknown letters.
    word_score, stretch_score = np.full(size + 1, -np.inf), np.full(size + 1, -np.inf)
    word_start, stretch_start = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    word_score[0] = 0.0
    for start in range(size + 1):
        if start:
            extended, begun = (
                stretch_score[start - 1] + LETTER,
                word_score[start - 1] + STRETCH + LETTER,
            )
            stretch_score[start] = max(extended, begun)
            stretch_start[start] = stretch_start[start - 1] if extended >= begun else start - 1
        score, node = max(word_score[start], stretch_score[start]), 0
        for end in range(start + 1, size + 1):
            node = nodes[node, letters[end - 1] - _A]
            if node == 0:
                break
            if score + shares[node] > word_score[end]:
                word_score[end], word_start[end] = score + shares[node], start
    ends, count, end = np.empty(size, np.int64), 0, size
    while end:
        ends[count] = end
        count += 1
        end = stretch_start[end] if stretch_score[end] > word_score[end] else word_start[end]
    return ends[:count]


class Compounds:
    """Splitter of compounds into ``parts``, words of a to z with the logarithms of their shares.

    >>> Compounds({"touch": -9.0, "move": -8.0, "to": -3.0}).segment("touchmove")
    ['touch', 'move']
    """

    def __init__(self, parts: Mapping[str, float]) -> None:
        words = list(parts)
        starts = np.zeros(len(words) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, words), np.int64, len(words)), out=starts[1:])
        letters = np.frombuffer("".join(words).encode("ascii"), np.uint8)
        shares = np.fromiter(parts.values(), np.float64, len(words))
        self.nodes, self.shares = _build_trie(letters, starts, shares)

    def segment(self, word: str) -> list[str]:
        """Split a word of a to z into its parts."""
        ends = _segment_word(
            np.frombuffer(word.encode("ascii"), np.uint8), self.nodes, self.shares
        ).tolist()
        ends.reverse()
        return [word[a:b] for a, b in zip([0, *ends], ends, strict=False)]
