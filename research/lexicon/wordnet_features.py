"""WordNet features of word pairs, computed in bulk from flat arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import kernel
from research.lexicon.pair_tables import Indices, Keys, PairTable, make_keys, split_keys
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
    first: Indices
    part: Numbers
    ancestor: Numbers
    distance: Numbers
    ancestor_first: Indices
    similar: Numbers
    similar_first: Indices
    antonyms: PairTable
    derived_forms: PairTable

    def compute_features(self, keys: Keys) -> NDArray[np.float32]:
        """Return a row of ``FEATURES`` for each pair."""
        left, right = split_keys(keys)
        meaning_features = _compare_senses(
            left,
            right,
            self.meaning,
            self.rank,
            self.first,
            self.part,
            self.ancestor,
            self.distance,
            self.ancestor_first,
            self.similar,
            self.similar_first,
        )
        return np.column_stack(
            [meaning_features, self.antonyms.look_up(keys), self.derived_forms.look_up(keys)]
        )


def build_senses(wordnet: WordNet, words: list[str]) -> Senses:
    """Return the meanings and relations of the words as arrays."""
    meaning: list[int] = []
    rank: list[int] = []
    first = [0]
    words_of_base: dict[str, list[int]] = {}
    for index, word in enumerate(words):
        for base_form in wordnet.list_base_forms(word):
            words_of_base.setdefault(base_form, []).append(index)
            for synset, synset_rank in wordnet.list_senses(base_form, MEANINGS):
                meaning.append(synset)
                rank.append(synset_rank)
        first.append(len(meaning))
    ancestor: list[int] = []
    distance: list[int] = []
    ancestor_first = [0]
    for distances in wordnet.ancestors:
        for synset in sorted(distances):
            ancestor.append(synset)
            distance.append(distances[synset])
        ancestor_first.append(len(ancestor))
    same_stem = {
        (base_form, base_form) for base_form, indices in words_of_base.items() if len(indices) > 1
    }
    part_numbers = {part: i for i, part in enumerate(sorted(set(wordnet.part)))}
    return Senses(
        np.array(meaning, np.int32),
        np.array(rank, np.int32),
        np.array(first, np.int64),
        np.array([part_numbers[part] for part in wordnet.part], np.int32),
        np.array(ancestor, np.int32),
        np.array(distance, np.int32),
        np.array(ancestor_first, np.int64),
        np.array(
            [synset for similar in wordnet.similar_adjectives for synset in similar], np.int32
        ),
        np.cumsum([0] + [len(similar) for similar in wordnet.similar_adjectives]).astype(np.int64),
        _build_word_table(wordnet.antonyms, words_of_base),
        _build_word_table(wordnet.derived_forms | same_stem, words_of_base),
    )


def _build_word_table(
    word_pairs: frozenset[tuple[str, str]], words_of_base: dict[str, list[int]]
) -> PairTable:
    """Return a table with value 1 for all words whose base forms are one of the pairs."""
    index_pairs = sorted(
        {
            (min(left_index, right_index), max(left_index, right_index))
            for left, right in word_pairs
            for left_index in words_of_base.get(left, ())
            for right_index in words_of_base.get(right, ())
            if left_index != right_index
        }
    )
    rows = np.array(index_pairs, dtype=np.int64).reshape(-1, 2)
    return PairTable(make_keys(rows[:, 0], rows[:, 1]), np.ones(len(rows), dtype=np.float32))


@kernel
def _compare_senses(
    left: Indices,
    right: Indices,
    meaning: Numbers,
    rank: Numbers,
    first: Indices,
    part: Numbers,
    ancestor: Numbers,
    distance: Numbers,
    ancestor_first: Indices,
    similar: Numbers,
    similar_first: Indices,
) -> NDArray[np.float32]:
    """Return five features of each pair: synonym, path, above, sibling, like.

    A synonym has 1, less for rarer meanings. ``path`` is 1 / (1 + length of the shortest path over
    a common hypernym). ``above`` is 1 / path length if one word is a hypernym of the other,
    ``sibling`` is 1 if both have the same direct hypernym, ``like`` is 1 for similar adjectives.
    """
    features = np.zeros((len(left), 5), dtype=np.float32)
    for i in range(len(left)):
        for left_sense in range(first[left[i]], first[left[i] + 1]):
            for right_sense in range(first[right[i]], first[right[i] + 1]):
                left_meaning, right_meaning = meaning[left_sense], meaning[right_sense]
                if left_meaning == right_meaning:
                    value = 1.0 / (1.0 + 0.15 * (rank[left_sense] + rank[right_sense]))
                    features[i, 0] = max(features[i, 0], np.float32(value))
                    continue
                for k in range(similar_first[left_meaning], similar_first[left_meaning + 1]):
                    if similar[k] == right_meaning:
                        features[i, 4] = 1.0
                if (
                    part[left_meaning] != part[right_meaning]
                    or rank[left_sense] >= NEAR
                    or rank[right_sense] >= NEAR
                ):
                    continue
                shortest, is_vertical, is_sibling = 1 << 20, False, False
                left_position, right_position = (
                    ancestor_first[left_meaning],
                    ancestor_first[right_meaning],
                )
                while (
                    left_position < ancestor_first[left_meaning + 1]
                    and right_position < ancestor_first[right_meaning + 1]
                ):
                    if ancestor[left_position] < ancestor[right_position]:
                        left_position += 1
                    elif ancestor[left_position] > ancestor[right_position]:
                        right_position += 1
                    else:
                        path_length = distance[left_position] + distance[right_position]
                        is_vertical_path = (
                            distance[left_position] == 0 or distance[right_position] == 0
                        )
                        if path_length < shortest:
                            shortest, is_vertical, is_sibling = (
                                path_length,
                                is_vertical_path,
                                path_length == 2 and not is_vertical_path,
                            )
                        elif path_length == shortest and is_vertical_path:
                            is_vertical, is_sibling = True, False
                        left_position += 1
                        right_position += 1
                if shortest < 1 << 20:
                    features[i, 1] = max(features[i, 1], np.float32(1.0 / (1.0 + shortest)))
                    if is_vertical:
                        features[i, 2] = max(features[i, 2], np.float32(1.0 / shortest))
                    elif is_sibling:
                        features[i, 3] = 1.0
    return features
