"""Methods by the meaning of their identifiers' words, in the spaces of ``acumen-names``.

The identifiers are those of the method, and its type's name: what is called and done, on what. Each
different word counts once, a frequent one less (``HALF``, as in ``acumen-names``): what is repeated
in a body is loop variables rather than what the body is about.

``average``: the cosine of the words' weighted sums, in the space of code and in that of all text,
and the mean of the two. What the sums of all texts of the task have in common is taken away
first: code is code, and the mean of thirty words of it is near to any other such mean (Arora et
al., A simple but tough-to-beat baseline for sentence embeddings, 2017).

``partners``: the mean, by weight, of how close each word's best partner on the other side is. It
has no common part to be taken away, but a long method has a partner for everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from acumen.api import Pair
from acumen.models.alike.bags import Floats, places_of
from acumen.models.alike.code import KEPT, ONLY, Code, is_masked
from acumen.models.names.model import HALF, Names
from acumen.models.names.split import Split

ANSWERS = ("average", "partners")
# More different words are not compared: the time for partners grows with the square.
_MOST_WORDS = 256


def identifiers_of(text: str) -> tuple[str, ...]:
    """Different ones, in order, masked ones left out."""
    code = Code(text)
    first, stop = code.span
    names = code.file.names
    held = slice(*np.searchsorted(names.node, [first, stop]).tolist())
    words = [names.words[word] for word in names.word[held].tolist()]
    declared = code.file.declarations
    if code.method >= 0:
        owner = declared.methods[code.method].type
        words += [declared.types[owner].name] if owner >= 0 else []
    return tuple(dict.fromkeys(word for word in words if word and not is_masked(word)))


class NamesAverage:
    batch_size = 1024
    only = ONLY

    def __init__(self, answer: str, lexicon: Path | None = None) -> None:
        self.answer = answer
        self.names = Names(lexicon)
        self.fingerprint = self.names.fingerprint
        self.words = lru_cache(maxsize=KEPT)(self._words)
        self.sums = lru_cache(maxsize=KEPT)(self._sums)
        self.common: Floats | float = 0.0

    def read(self, texts: Sequence[str]) -> None:
        self.common = 0.0
        if self.answer == "average":
            known = [one for text in texts if (one := self.sums(text)) is not None]
            self.common = np.mean(known, axis=0) if known else 0.0

    def similarity(self, pairs: Sequence[Pair]) -> list[float | None]:
        return self._partners(pairs) if self.answer == "partners" else self._averages(pairs)

    @cached_property
    def weight(self) -> Floats:
        found: Floats = HALF / (HALF + self.names.lexicon.frequency)
        return found

    def _words(self, text: str) -> tuple[str, ...]:
        splitter = self.names.splitter
        found = dict.fromkeys(
            word for name in identifiers_of(text) for word in splitter.words(name)
        )
        return tuple(found)[:_MOST_WORDS]

    def _sums(self, text: str) -> Floats | None:
        """Two rows, one a space, each of length 1; None where no word has a vector."""
        lexicon = self.names.lexicon
        rows = np.array(
            [lexicon.place[word] for word in self.words(text) if word in lexicon.place], np.int64
        )
        size = lexicon.vectors.shape[1] // 2
        vectors = lexicon.vectors[rows].reshape(len(rows), 2, size).astype(np.float64)
        scale = lexicon.scale[rows].astype(np.float64) * self.weight[rows, None]
        return unit((vectors * scale[:, :, None]).sum(axis=0))

    def _averages(self, pairs: Sequence[Pair]) -> list[float | None]:
        left, right, texts = places_of(pairs)
        sums = [self.sums(text) for text in texts]
        rows = [None if one is None else unit(one - self.common) for one in sums]
        answers: list[float | None] = []
        for one, other in zip(left.tolist(), right.tolist(), strict=True):
            a, b = rows[one], rows[other]
            answers.append(None if a is None or b is None else float((a * b).sum() / 2))
        return answers

    def _partners(self, pairs: Sequence[Pair]) -> list[float | None]:
        """As ``acumen-names`` compares two names, with all words of a text as one name."""
        left, right, texts = places_of(pairs)
        words = [self.words(text) for text in texts]
        known = self.names.lexicon.place
        unknown: dict[str, int] = {}
        numbers = [
            known[word] if word in known else len(known) + unknown.setdefault(word, len(unknown))
            for one in words
            for word in one
        ]
        offsets = np.zeros(len(words) + 1, np.int64)
        np.cumsum([len(one) for one in words], out=offsets[1:])
        sizes = np.diff(offsets)
        asked = np.flatnonzero((sizes[left] > 0) & (sizes[right] > 0))
        split = Split(np.array(numbers, np.int32), offsets, list(unknown))
        answers: list[float | None] = [None] * len(pairs)
        if len(asked):
            _, mean, _ = self.names.compared(split, left[asked], right[asked])
            for place, value in zip(asked.tolist(), mean.tolist(), strict=True):
                answers[place] = value
        return answers


def unit(rows: Floats) -> Floats | None:
    """Each of length 1; None where one has none."""
    length = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    return None if np.any(length <= 0) else rows / length
