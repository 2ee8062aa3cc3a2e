"""String similarities of two identifiers, as baselines.

Every measure is a similarity from 0 to 1. IdBench publishes ``levenshtein`` and
``needleman_wunsch`` rounded to two decimals (its columns LV and NW); ``decimals=2`` returns
exactly those numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from codeacumen.api import Pair
from codeacumen.registry import model
from codeacumen.text.subtokens import split_subtokens

Measure = Callable[[str, str], float]


class StringMeasure:
    """Model that scores pairs by a string similarity, rounded to ``decimals`` if given."""

    batch_size = 1024

    def __init__(self, measure: Measure, decimals: int | None = None) -> None:
        self.measure = measure
        self.decimals = decimals

    def similarity(self, pairs: Sequence[Pair]) -> list[float]:
        values = [self.measure(pair.left, pair.right) for pair in pairs]
        if self.decimals is None:
            return values
        import numpy as np

        # numpy rounds after scaling, so 0.525 becomes 0.52; Python's round gives 0.53.
        # The published columns were rounded by numpy.
        return [float(value) for value in np.round(values, self.decimals)]


def levenshtein(left: str, right: str) -> float:
    """Return 1 − edit distance / length of the longer text."""
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.normalized_similarity(left, right)


def needleman_wunsch(left: str, right: str) -> float:
    """Return the score of the best global alignment, scaled from [−M, M] to [0, 1].

    A match scores 1, a mismatch 0, a gap −1; M is the length of the longer text.

    rapidfuzz minimises weighted edits. With gap cost g, mismatch cost m and matches free, the
    best alignment of lengths a and b has score (a + b)/2 − cost when g = 3/2 and m = 1: a
    column pair contributes 1 to (a + b)/2, a gap 1/2. Doubling keeps the costs whole.
    """
    from rapidfuzz.distance import Levenshtein

    longest = max(len(left), len(right))
    if longest == 0:
        return 1.0
    # Costs of an insertion, a deletion and a substitution.
    doubled = Levenshtein.distance(left, right, weights=(3, 3, 2))
    score = (len(left) + len(right) - doubled) / 2
    return (score + longest) / (2 * longest)


def jaro_winkler(left: str, right: str) -> float:
    """Return the Jaro-Winkler similarity."""
    from rapidfuzz.distance import JaroWinkler

    return JaroWinkler.similarity(left, right)


def subtoken_overlap(left: str, right: str) -> float:
    """Return the Jaccard index of the subtokens, ignoring case; 1 if neither text has any."""
    left_subtokens = set(split_subtokens(left, lower=True))
    right_subtokens = set(split_subtokens(right, lower=True))
    return (
        len(left_subtokens & right_subtokens) / len(left_subtokens | right_subtokens)
        if left_subtokens | right_subtokens
        else 1.0
    )


@model("levenshtein", is_baseline=True)
def make_levenshtein(decimals: int | None = None) -> StringMeasure:
    """Edit distance, from 0 to 1"""
    return StringMeasure(levenshtein, decimals)


@model("needleman-wunsch", is_baseline=True)
def make_needleman_wunsch(decimals: int | None = None) -> StringMeasure:
    """Global alignment, from 0 to 1"""
    return StringMeasure(needleman_wunsch, decimals)


@model("jaro-winkler", is_baseline=True)
def make_jaro_winkler() -> StringMeasure:
    """Jaro's measure with a bonus for a common beginning"""
    return StringMeasure(jaro_winkler)


@model("subtoken-overlap", is_baseline=True)
def make_subtoken_overlap() -> StringMeasure:
    """Share of subtokens in common"""
    return StringMeasure(subtoken_overlap)
