"""Cutting words that are written together: ``touchmove`` is ``touch`` and ``move``.

The likeliest parts win: each known one with the logarithm of its share of all words, and between
them stretches of letters that are no words. Known words are kept as a tree of their letters, so
that all of them that begin at a place are found in one walk.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from acumen.lang.kernel import kernel

Letters = NDArray[np.uint8]
Tree = NDArray[np.int32]
Offsets = NDArray[np.int64]
Shares = NDArray[np.float64]

# A stretch of letters that is no word costs as much as a rare word, and more for each letter, in
# logarithms: an unknown word is cut only where frequent words are found in it.
STRETCH, LETTER = -12.0, -3.5
_A, _ALPHABET = 97, 26


@kernel
def _grown(letters: Letters, starts: Offsets, shares: Shares) -> tuple[Tree, Shares]:
    """The tree of words: each node's nodes by letter, 0 where there is none, and its word's share,
    nan where it ends none."""
    nodes = np.zeros((len(letters) + 1, _ALPHABET), np.int32)
    share = np.full(len(letters) + 1, np.nan)
    count = 1
    for word in range(len(shares)):
        node = 0
        for at in range(starts[word], starts[word + 1]):
            letter = letters[at] - _A
            if nodes[node, letter] == 0:
                nodes[node, letter] = count
                count += 1
            node = nodes[node, letter]
        share[node] = shares[word]
    return nodes[:count].copy(), share[:count].copy()


@kernel
def _cut(letters: Letters, nodes: Tree, shares: Shares) -> Offsets:
    """Where the parts of a word end, last one first."""
    size = len(letters)
    # The best score up to each place, and where the last part begins: for a known part that ends
    # there, and for a stretch.
    known, stretch = np.full(size + 1, -np.inf), np.full(size + 1, -np.inf)
    known_from, stretch_from = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    known[0] = 0.0
    for start in range(size + 1):
        if start:
            longer, new = stretch[start - 1] + LETTER, known[start - 1] + STRETCH + LETTER
            stretch[start] = max(longer, new)
            stretch_from[start] = stretch_from[start - 1] if longer >= new else start - 1
        score, node = max(known[start], stretch[start]), 0
        for end in range(start + 1, size + 1):
            node = nodes[node, letters[end - 1] - _A]
            if node == 0:
                break
            if score + shares[node] > known[end]:
                known[end], known_from[end] = score + shares[node], start
    ends, count, end = np.empty(size, np.int64), 0, size
    while end:
        ends[count] = end
        count += 1
        end = stretch_from[end] if stretch[end] > known[end] else known_from[end]
    return ends[:count]


class Compounds:
    """``parts``: words of a to z that a compound may be made of, with their shares' logarithms.

    >>> Compounds({"touch": -9.0, "move": -8.0, "to": -3.0}).cut("touchmove")
    ['touch', 'move']
    """

    def __init__(self, parts: Mapping[str, float]) -> None:
        words = list(parts)
        starts = np.zeros(len(words) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, words), np.int64, len(words)), out=starts[1:])
        letters = np.frombuffer("".join(words).encode("ascii"), np.uint8)
        shares = np.fromiter(parts.values(), np.float64, len(words))
        self.nodes, self.shares = _grown(letters, starts, shares)

    def cut(self, word: str) -> list[str]:
        """The parts of a word of a to z."""
        ends = _cut(np.frombuffer(word.encode("ascii"), np.uint8), self.nodes, self.shares).tolist()
        ends.reverse()
        return [word[a:b] for a, b in zip([0, *ends], ends, strict=False)]
