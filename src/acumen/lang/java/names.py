"""Every identifier of a file, once: where it stands, and which word it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acumen.lang.java.grammar import among
from acumen.lang.syntax import Column, Syntax


@dataclass(frozen=True, slots=True)
class Names:
    """``node`` are the identifiers' nodes in source order, ``word`` the place of each one's text
    in ``words``; ``word_of`` tells the same for any node of the file (-1: no identifier)."""

    node: Column
    word: Column
    words: tuple[str, ...]
    word_of: Column

    def text(self, node: int) -> str:
        return self.words[int(self.word_of[node])]


def names(syntax: Syntax) -> Names:
    wanted = among("identifier", "type_identifier")[syntax.kind]
    node: NDArray[np.int32] = np.flatnonzero(wanted).astype(np.int32)
    places: dict[bytes, int] = {}
    source = syntax.source
    spans = zip(syntax.start[node].tolist(), syntax.end[node].tolist(), strict=True)
    word = np.fromiter(
        (places.setdefault(source[start:end], len(places)) for start, end in spans),
        dtype=np.int32,
        count=len(node),
    )
    word_of = np.full(len(syntax), -1, dtype=np.int32)
    word_of[node] = word
    words = tuple(text.decode("utf-8", errors="replace") for text in places)
    return Names(node, word, words, word_of)
