"""Split identifiers, comments and texts into words, and encode words as integers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import Words
from codeacumen.text.subtokens import split_subtokens

Codes = NDArray[np.int32]
# Code that ends a sentence.
END = -1
# Longer sentences, in words, are tables and lists.
LONGEST_SENTENCE = 200
# Longer words, in characters, are data.
LONGEST_WORD = 30

_PIECE = re.compile(r"[a-z]+|[0-9]+")
_TOKEN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*(?:'[a-z]+)?")
_SENTENCE = re.compile(r"[.;:!?]\s|\n\s*\n")
_MARGIN = re.compile(r"^[ \t]*(?:/\*+|\*+/?|//+)|\*/[ \t]*$", re.MULTILINE)
_MARKUP = re.compile(
    r"<[^<>]{0,200}>|\{@\w+|&\w+;|https?://\S+|@(?:author|since|version|see)\b.*|\$Id.*"
)
_TAG = re.compile(r"@(?:param|returns?|throws|exception)\b")


@lru_cache(maxsize=1 << 18)
def split_pieces(name: str) -> tuple[str, ...]:
    """Return the words and numbers of an identifier in lower case.

    Subtokens with letters outside ASCII are dropped: they are too rare to be learned.

    >>> pieces("getHTTPResponse_code2")
    ('get', 'http', 'response', 'code', '2')
    """
    return tuple(
        piece
        for part in split_subtokens(name)
        if part.isascii()
        for piece in _PIECE.findall(part.lower())
        if len(piece) <= LONGEST_WORD
    )


@lru_cache(maxsize=1 << 18)
def split_words(name: str) -> tuple[str, ...]:
    """Return the words of an identifier without numbers."""
    return tuple(piece for piece in split_pieces(name) if piece.isalpha())


def split_sentences(text: str) -> Iterator[list[str]]:
    """Yield the sentences of a text as words; an identifier yields each of its words.

    >>> list(sentences("Opens the file. Don't use readLine() here"))
    [['opens', 'the', 'file'], ['dont', 'use', 'read', 'line', 'here']]
    """
    for sentence in _SENTENCE.split(text):
        sentence_words = [
            word
            for token in _TOKEN.findall(sentence)
            for word in split_words(token.replace("'", ""))
        ]
        if 1 < len(sentence_words) <= LONGEST_SENTENCE:
            yield sentence_words


def split_comment_sentences(comment: str) -> Iterator[list[str]]:
    """Yield the sentences of a comment without markup, and nothing for a licence."""
    if "icens" in comment and "opyright" in comment:
        return
    yield from split_sentences(_TAG.sub("\n\n", _MARKUP.sub(" ", _MARGIN.sub(" ", comment))))


def encode_sentences(
    sentence_words: Iterable[Sequence[str]], code_of_word: dict[str, int]
) -> Codes:
    """Return sentences as word codes, with ``END`` after each; new words extend the dictionary."""
    codes: list[int] = []
    for sentence in sentence_words:
        codes += [code_of_word.setdefault(word, len(code_of_word)) for word in sentence]
        codes.append(END)
    return np.array(codes, dtype=np.int32)


def hash_texts(texts: Iterable[str]) -> Words:
    """Return a 64-bit hash of each text, which is the same in every process."""
    values = [
        int.from_bytes(
            hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little"
        )
        for text in texts
    ]
    return np.array(values, dtype=np.uint64)
