"""WordNet features of word pairs, computed in bulk from flat arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import kernel
from research.lexicon._pairs import Keys, Places, Table, keys_of, parted
from research.lexicon.wordnet import WordNet

# Most frequent meanings of a word per part of speech that count, and how many of these are compared
# by their distance in the hierarchy.
MEANINGS, NEAR = 4, 3
FEATURES = ("synonym", "path", "above", "sibling", "like", "opposite", "derived")

Numbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Senses:
    """WordNet's meanings (synsets) and relations of a vocabulary, as flat arrays.

    Lists of different lengths lie one after the other: list i is ``[first[i], first[i + 1])``.
    """

    meaning: Numbers
    rank: Numbers
    first: Places
    part: Numbers
    ancestor: Numbers
    distance: Numbers
    ancestor_first: Places
    like: Numbers
    like_first: Places
    opposite: Table
    derived: Table

    def of(self, keys: Keys) -> NDArray[np.float32]:
        """Return a row of ``FEATURES`` for each pair."""
        left, right = parted(keys)
        found = _compared(
            left,
            right,
            self.meaning,
            self.rank,
            self.first,
            self.part,
            self.ancestor,
            self.distance,
            self.ancestor_first,
            self.like,
            self.like_first,
        )
        return np.column_stack([found, self.opposite.of(keys), self.derived.of(keys)])


def senses(wordnet: WordNet, words: list[str]) -> Senses:
    """Return the meanings and relations of the words as arrays."""
    meaning: list[int] = []
    rank: list[int] = []
    first = [0]
    stems: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        for base in wordnet.bases(word):
            stems.setdefault(base, []).append(place)
            for one, place_of_it in wordnet.senses(base, MEANINGS):
                meaning.append(one)
                rank.append(place_of_it)
        first.append(len(meaning))
    ancestor: list[int] = []
    distance: list[int] = []
    ancestor_first = [0]
    for far in wordnet.ancestors:
        for one in sorted(far):
            ancestor.append(one)
            distance.append(far[one])
        ancestor_first.append(len(ancestor))
    same_stem = {(base, base) for base, places in stems.items() if len(places) > 1}
    parts = {part: i for i, part in enumerate(sorted(set(wordnet.part)))}
    return Senses(
        np.array(meaning, np.int32),
        np.array(rank, np.int32),
        np.array(first, np.int64),
        np.array([parts[part] for part in wordnet.part], np.int32),
        np.array(ancestor, np.int32),
        np.array(distance, np.int32),
        np.array(ancestor_first, np.int64),
        np.array([one for like in wordnet.like for one in like], np.int32),
        np.cumsum([0] + [len(like) for like in wordnet.like]).astype(np.int64),
        _table(wordnet.opposite, stems),
        _table(wordnet.derived | same_stem, stems),
    )


def _table(pairs: frozenset[tuple[str, str]], stems: dict[str, list[int]]) -> Table:
    """Return a table with value 1 for all words whose base forms are one of the pairs."""
    found = sorted(
        {
            (min(one, other), max(one, other))
            for left, right in pairs
            for one in stems.get(left, ())
            for other in stems.get(right, ())
            if one != other
        }
    )
    rows = np.array(found, dtype=np.int64).reshape(-1, 2)
    return Table(keys_of(rows[:, 0], rows[:, 1]), np.ones(len(rows), dtype=np.float32))


@kernel
def _compared(
    left: Places,
    right: Places,
    meaning: Numbers,
    rank: Numbers,
    first: Places,
    part: Numbers,
    ancestor: Numbers,
    distance: Numbers,
    ancestor_first: Places,
    like: Numbers,
    like_first: Places,
) -> NDArray[np.float32]:
    """Return five features of each pair: synonym, path, above, sibling, like.

    A synonym has 1, less for rarer meanings. ``path`` is 1 / (1 + length of the shortest path over
    a common hypernym). ``above`` is 1 / path length if one word is a hypernym of the other,
    ``sibling`` is 1 if both have the same direct hypernym, ``like`` is 1 for similar adjectives.
    """
    found = np.zeros((len(left), 5), dtype=np.float32)
    for i in range(len(left)):
        for a in range(first[left[i]], first[left[i] + 1]):
            for b in range(first[right[i]], first[right[i] + 1]):
                one, other = meaning[a], meaning[b]
                if one == other:
                    value = 1.0 / (1.0 + 0.15 * (rank[a] + rank[b]))
                    found[i, 0] = max(found[i, 0], np.float32(value))
                    continue
                for k in range(like_first[one], like_first[one + 1]):
                    if like[k] == other:
                        found[i, 4] = 1.0
                if part[one] != part[other] or rank[a] >= NEAR or rank[b] >= NEAR:
                    continue
                best, vertical, sibling = 1 << 20, False, False
                p, q = ancestor_first[one], ancestor_first[other]
                while p < ancestor_first[one + 1] and q < ancestor_first[other + 1]:
                    if ancestor[p] < ancestor[q]:
                        p += 1
                    elif ancestor[p] > ancestor[q]:
                        q += 1
                    else:
                        far = distance[p] + distance[q]
                        upright = distance[p] == 0 or distance[q] == 0
                        if far < best:
                            best, vertical, sibling = far, upright, far == 2 and not upright
                        elif far == best and upright:
                            vertical, sibling = True, False
                        p += 1
                        q += 1
                if best < 1 << 20:
                    found[i, 1] = max(found[i, 1], np.float32(1.0 / (1.0 + best)))
                    if vertical:
                        found[i, 2] = max(found[i, 2], np.float32(1.0 / best))
                    elif sibling:
                        found[i, 3] = 1.0
    return found
