"""Similarity of JavaDoc as SeSaMe has it: trigrams of words, weighed by how telling they are.

What is telling stands on statistics of many comments: of those that the task has, or of all that
were mined from a corpus, which is what the published figures stand on. A method without JavaDoc, or
with one of which nothing is known, has no vector and gets no answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from acumen.api import AcumenError, Pair
from acumen.files import sha256_of
from acumen.lang.java.declarations import NONE
from acumen.lang.java.javadoc import words
from acumen.models.alike.bags import places_of
from acumen.models.alike.code import KEPT, ONLY, Code
from acumen.similar.spaces import Fitted, Space

METHODS = "methods.parquet"


def javadoc_of(text: str) -> str:
    """The words of the JavaDoc of the method that a text is about; none: nothing is said."""
    code = Code(text)
    if code.method == NONE:
        return ""
    comment = code.file.declarations.methods[code.method].javadoc
    return "" if comment == NONE else words(code.file.syntax.text(comment))


class CommentSimilarity:
    batch_size = 1024
    only = ONLY

    def __init__(self, space: str, mined: Path | None) -> None:
        self.space = Space.parse(space)
        self.mined = None if mined is None else mined / METHODS
        self.words = lru_cache(maxsize=KEPT)(javadoc_of)
        self._fitted: Fitted | None = None
        if self.mined is not None:
            if not self.mined.is_file():
                raise AcumenError(
                    f"{mined} holds no mined methods: there is no {METHODS}",
                    "`acumen similar mine` writes it",
                )
            self.fingerprint = sha256_of(self.mined)

    def read(self, texts: Sequence[str]) -> None:
        """Each different comment counts once: a method that is in many pairs was written once."""
        if self.mined is None:
            said = sorted({self.words(text) for text in texts} - {""})
            self._fitted = self.space.fit(said) if said else None

    @cached_property
    def _of_mined(self) -> Fitted:
        from pyarrow.parquet import read_table

        assert self.mined is not None
        return self.space.fit(read_table(self.mined, columns=["words"])["words"].to_pylist())

    def similarity(self, pairs: Sequence[Pair]) -> list[float | None]:
        fitted = self._of_mined if self.mined is not None else self._fitted
        if fitted is None or not pairs:
            return [None] * len(pairs)
        left, right, texts = places_of(pairs)
        vectors = fitted.of([self.words(text) for text in texts])
        if self.space.dense:
            found = (vectors[left] * vectors[right]).sum(axis=1)
            known = (vectors * vectors).sum(axis=1) > 0
        else:
            found = np.asarray(vectors[left].multiply(vectors[right]).sum(axis=1)).ravel()
            known = np.diff(vectors.indptr) > 0
        answered = known[left] & known[right]
        return [
            min(value, 1.0) if is_known else None
            for value, is_known in zip(found.tolist(), answered.tolist(), strict=True)
        ]
