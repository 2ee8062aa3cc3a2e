"""The model ``codeacumen-names``: similarity and relatedness of two identifiers by their words.

One name can replace another only if *every* word has a partner that can replace it: ``minWidth``
and ``maxWidth`` share a word, and are opposites. So the weakest word determines the similarity, and
the mean of all words the relatedness.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from codeacumen.api import CodeacumenError, Pair
from codeacumen.registry import model

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from codeacumen.models.identifier_similarity.lexicon import Lexicon
    from codeacumen.models.identifier_similarity.split import Split, Splitter

# Relations of a pair in which one name would have to replace the other; all others are relatedness.
SIMILARITY_RELATIONS = frozenset({"similar", "similar in context"})
# Values of the setting ``answer``. ``relation`` is similarity or relatedness, by the pair's
# relation. The others serve as different members of an ensemble.
ANSWERS = ("relation", "similar", "related", "weakest", "mean", "cosine")
# Weight of the cosine, and of the spelling, in similarity: they break ties.
TIE_WEIGHT = 0.1
# A word with this share of all words has half the weight of a rare one.
HALF_WEIGHT_SHARE = 1e-3
# Maximum number of word pairs compared at a time, which bounds the memory.
_MAX_WORD_PAIRS = 1 << 20


class IdentifierSimilarity:
    """Similarity of identifiers, from 0 to 1 for every pair; equal names have 1.

    ``file`` is the lexicon's file, None for that of the package. Without ``shapes``,
    plurals and abbreviations are not recognised by their letters; without ``weakest``, the mean of
    the words replaces the weakest word in similarity. ``answer`` is one of ``ANSWERS``.
    """

    batch_size = 8192

    def __init__(
        self,
        file: Path | None = None,
        shapes: bool = True,
        weakest: bool = True,
        answer: str = ANSWERS[0],
    ) -> None:
        from codeacumen.core.files import sha256_of
        from codeacumen.models.identifier_similarity.lexicon import FILE

        self.file = FILE if file is None else file
        self.shapes, self.weakest, self.answer = shapes, weakest, answer
        if not self.file.is_file():
            raise CodeacumenError(
                f"{self.file}: there is no lexicon", "research/lexicon of the repository builds one"
            )
        self.fingerprint = sha256_of(self.file)

    @cached_property
    def lexicon(self) -> Lexicon:
        from codeacumen.models.identifier_similarity.lexicon import Lexicon

        return Lexicon.load(self.file)

    @cached_property
    def splitter(self) -> Splitter:
        from codeacumen.models.identifier_similarity.split import Splitter

        return Splitter(self.lexicon)

    def similarity(self, pairs: Sequence[Pair]) -> list[float]:
        """Return a similarity for each pair; symmetric, and independent of the other pairs."""
        import numpy as np
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cpdist

        if not pairs:
            return []
        lefts, rights = [pair.left for pair in pairs], [pair.right for pair in pairs]
        name_indices = {name: i for i, name in enumerate(dict.fromkeys(lefts + rights))}
        left = np.fromiter(map(name_indices.__getitem__, lefts), np.int64, len(pairs))
        right = np.fromiter(map(name_indices.__getitem__, rights), np.int64, len(pairs))
        weakest, mean, cosine = self.compare_names(
            self.splitter.split_names(name_indices), left, right
        )
        spelling = cpdist(lefts, rights, scorer=Levenshtein.normalized_similarity, dtype=np.float64)
        # The cosine may be -1: adding 1 keeps the sum in [0, 1] and changes no order.
        similar = ((weakest if self.weakest else mean) + TIE_WEIGHT * (cosine + 1 + spelling)) / (
            1 + 3 * TIE_WEIGHT
        )
        related = (mean + cosine + 1 + spelling) / 4
        wants_similarity = np.fromiter(
            (pair.relation in SIMILARITY_RELATIONS for pair in pairs), np.bool_, len(pairs)
        )
        answers = {
            "relation": np.where(wants_similarity, similar, related),
            "similar": similar,
            "related": related,
            "weakest": weakest,
            "mean": mean,
            "cosine": (cosine + 1) / 2,
        }
        scores = np.minimum(answers[self.answer], 1.0)
        similarities: list[float] = np.where(left == right, 1.0, scores).tolist()
        return similarities

    def compare_names(
        self, split: Split, left: NDArray[np.int64], right: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], ...]:
        """Return for each pair of names the weakest word, the mean of the words, and the cosine.

        ``left`` and ``right`` are indices of the names in ``split``. The first two values are from
        0 to 1, the cosine from -1 to 1.
        """
        import numpy as np

        from codeacumen.models.identifier_similarity.compare import (
            compare_letters,
            compute_closeness,
            compute_cosines,
            list_word_pairs,
            score_partners,
        )
        from codeacumen.models.identifier_similarity.lexicon import encode_letters

        lexicon = self.lexicon
        letters, starts = lexicon.letters
        unknown_letters, unknown_starts = encode_letters(split.unknown)
        letters = np.concatenate([letters, unknown_letters])
        starts = np.concatenate([starts, starts[-1] + unknown_starts[1:]])
        english = np.concatenate([lexicon.english, np.zeros(len(split.unknown), np.bool_)])
        weight = HALF_WEIGHT_SHARE / (HALF_WEIGHT_SHARE + lexicon.frequency)
        weight = np.concatenate([weight, np.ones(len(split.unknown))])
        floor = lexicon.floor
        numbers, offsets = split.numbers, split.offsets
        sizes = np.diff(offsets)
        # Number of word pairs up to each pair of names, which limits the size of a batch.
        cumulative_pairs = np.cumsum(sizes[left] * sizes[right])
        weakest, mean = np.empty(len(left)), np.empty(len(left))
        start = 0
        while start < len(left):
            before = cumulative_pairs[start - 1] if start else 0
            end = max(
                start + 1,
                int(np.searchsorted(cumulative_pairs, before + _MAX_WORD_PAIRS, side="right")),
            )
            batch_left, batch_right = left[start:end], right[start:end]
            first, second, blocks = list_word_pairs(numbers, offsets, batch_left, batch_right)
            by_letters = compare_letters(first, second, letters, starts, english, self.shapes)
            word_closeness = compute_closeness(
                first,
                second,
                by_letters,
                lexicon.row,
                lexicon.second,
                lexicon.value,
                lexicon.vectors,
                lexicon.scale,
                lexicon.fallback,
                floor,
                letters,
                starts,
            )
            weakest[start:end], mean[start:end] = score_partners(
                word_closeness, blocks, numbers, offsets, batch_left, batch_right, weight, floor
            )
            start = end
        cosine = compute_cosines(
            numbers, offsets, left, right, lexicon.vectors, lexicon.scale, weight
        )
        return weakest, mean, cosine


@model("codeacumen-names")
def make_names(
    lexicon: str = "", shapes: bool = True, weakest: bool = True, answer: str = ANSWERS[0]
) -> IdentifierSimilarity:
    """Closeness in meaning, word by word, learned from code and dictionaries, not from ratings"""
    if answer not in ANSWERS:
        raise CodeacumenError(
            f"there is no answer {answer!r}", f"choose one of {', '.join(ANSWERS)}"
        )
    file = Path(lexicon).expanduser().absolute() if lexicon else None
    return IdentifierSimilarity(file, bool(shapes), bool(weakest), answer)
