"""BLEU over characters, as a similarity of a name to the right one.

GLUECode scores names with the character-level BLEU of Denoual and Lepage (2005) and the first
smoothing of Chen and Cherry (2014): the geometric mean of the precisions of the n-grams of 1 to 4
characters, where an order without a match counts as ``EPSILON`` matches, times a penalty for
answers that are too short. The paper does not say whether n-grams are summed over all names first;
here each name has its own score and the metric is their mean, so that it has an interval and two
models can be compared name by name.

A name of fewer than 4 characters has no n-grams of some orders, and these count as not matched:
such a name scores less than 1 even where it is exactly right, as it does with nltk.
"""

from __future__ import annotations

import math
from collections import Counter

from codeacumen.api import Json

ORDERS = (1, 2, 3, 4)
EPSILON = 0.1


def compute_character_bleu(truth: str, answer: str) -> float:
    """Return the score of one name, from 0 to 1.

    >>> compute_character_bleu("getName", "getName")
    1.0
    >>> round(compute_character_bleu("getName", "getNames"), 3)
    0.841
    """
    logarithms = []
    for order in ORDERS:
        answer_ngrams, truth_ngrams = _count_ngrams(answer, order), _count_ngrams(truth, order)
        matches = sum(
            min(count, truth_ngrams[gram])
            for gram, count in answer_ngrams.items()
            if gram in truth_ngrams
        )
        if matches == 0 and order == 1:
            return 0.0
        logarithms.append(math.log((matches or EPSILON) / max(1, len(answer) - order + 1)))
    penalty = min(1.0, math.exp(1 - len(truth) / len(answer)))
    return penalty * math.exp(math.fsum(logarithms) / len(ORDERS))


def _count_ngrams(text: str, order: int) -> Counter[str]:
    return Counter(text[start : start + order] for start in range(len(text) - order + 1))


def score_character_bleu(truth: Json, answer: Json) -> float:
    """Return the score of an answer; raise ``TypeError`` unless it is a text."""
    if not isinstance(answer, str):
        raise TypeError(f"expected text, found {answer!r}")
    return compute_character_bleu(truth, answer)
