"""Metrics of prediction change: how often a model names a variant unlike the original method.

From Rabin et al., "On the Generalizability of Neural Program Models with respect to
Semantic-Preserving Program Transformations" (IST 2021), section 4.3. An answer is the pair of names
that a model returned, ``{"before": name, "after": name}``; the truth is the method's own name.

* A name is **right** if its set of subtokens is that of the truth, ignoring case:
  ``result_compute`` is right for ``computeResult``. A name without subtokens is right only if it
  equals the truth.
* Two names are **the same** if their sequences of subtokens are equal, ignoring case:
  ``get_count`` and ``getCount``.
* Each pair is of one of five types: right before and after (CCP), right before only (CWP), the same
  wrong name (WWSP), right after only (WCP), two different wrong names (WWDP). C is a correct name,
  W a wrong one, S the same and D different. A **change** is a CWP, a WCP or a WWDP; two right names
  are never a change, however they are written. PCP is the percentage of changes. Hence
  CCP + CWP + WWSP + WCP + WWDP = 100 and PCP = CWP + WCP + WWDP.
* Precision, recall and F1 count subtokens over all pairs, as code2vec's evaluation does: a subtoken
  of the prediction is a true positive if the truth has it and a false positive otherwise; a
  subtoken of the truth that the prediction lacks is a false negative.

All values are percentages.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from codeacumen.api import Json, Metric

if TYPE_CHECKING:
    from codeacumen.api import Floats

# A function that splits a name into subtokens.
Split: TypeAlias = Callable[[str], Sequence[str]]

# The paper's types of pairs, explained above.
CCP, CWP, WWSP, WCP, WWDP = "ccp", "cwp", "wwsp", "wcp", "wwdp"
TYPES = (CCP, CWP, WWSP, WCP, WWDP)
CHANGED = frozenset((CWP, WCP, WWDP))
RIGHT_BEFORE = frozenset((CCP, CWP))
WRONG_BEFORE = frozenset((WWSP, WCP, WWDP))


def classify_change(split: Split, truth: str, before: str, after: str) -> str:
    """Return the type of a pair of names, one of ``TYPES``.

    >>> classify_change(str.split, "compute result", "result compute", "compute")
    'cwp'
    """
    names = [_lower_subtokens(split, name) for name in (before, after)]
    is_right = [
        name == truth or (bool(tokens) and set(tokens) == set(_lower_subtokens(split, truth)))
        for name, tokens in zip((before, after), names, strict=True)
    ]
    if is_right[0]:
        return CCP if is_right[1] else CWP
    if is_right[1]:
        return WCP
    return WWSP if names[0] == names[1] else WWDP


def count_subtokens(split: Split, truth: str, name: str) -> tuple[int, int, int]:
    """Return the numbers of true positive, false positive and false negative subtokens.

    ``name`` is the prediction; repeated subtokens count each time.
    """
    truth_subtokens, name_subtokens = _lower_subtokens(split, truth), _lower_subtokens(split, name)
    true = sum(token in truth_subtokens for token in name_subtokens)
    missed = sum(token not in name_subtokens for token in truth_subtokens)
    return true, len(name_subtokens) - true, missed


def _lower_subtokens(split: Split, name: str) -> list[str]:
    return [token.lower() for token in split(name)]


# Cached, because every metric observes each pair, in every evaluation set.
_change_type = lru_cache(maxsize=1 << 18)(classify_change)
_subtoken_counts = lru_cache(maxsize=1 << 18)(count_subtokens)


def _read_names(answer: Json) -> tuple[str, str]:
    """Return the names of an answer, before and after; raise an error if it has others."""
    if not isinstance(answer, dict):
        raise TypeError(f"expected the names before and after, found {answer!r}")
    before, after = answer["before"], answer["after"]
    if not isinstance(before, str) or not isinstance(after, str):
        raise TypeError(f"expected two names, found {before!r} and {after!r}")
    return before, after


@dataclass(frozen=True, slots=True)
class TypeShare:
    """Percentage of the pairs of ``counted_types`` among the pairs of ``among_types``.

    ``observe`` returns None for pairs of other types, which are left out.
    """

    name: str
    title: str
    split: Split
    counted_types: frozenset[str]
    among_types: frozenset[str] = frozenset(TYPES)
    # The task replaces missing names, so that every pair has an answer.
    unanswered: tuple[float, ...] | None = None
    # False, because the statistic is a percentage and not a mean of zeros and ones.
    proportion: bool = False
    percentage: bool = True

    def observe(self, truth: Json, answer: Json) -> tuple[float, ...] | None:
        pair_type = _change_type(self.split, truth, *_read_names(answer))
        return (float(pair_type in self.counted_types),) if pair_type in self.among_types else None

    def of_sums(self, sums: Floats, total: Floats) -> Floats:
        return divide(100.0 * sums[0], total)

    def statistic(self, columns: Floats, weights: Floats) -> Floats:
        return self.of_sums(columns @ weights.T, weights.sum(axis=1))


@dataclass(frozen=True, slots=True)
class SubtokenScore:
    """Subtoken precision, recall or F1 of the names before or after the transformation.

    ``when`` is "before" or "after"; ``score`` takes true positives, false positives and false
    negatives.
    """

    name: str
    title: str
    split: Split
    when: str
    score: Callable[[Floats, Floats, Floats], Floats]
    unanswered: tuple[float, ...] | None = None
    proportion: bool = False
    percentage: bool = False

    def observe(self, truth: Json, answer: Json) -> tuple[float, ...] | None:
        before, after = _read_names(answer)
        name = before if self.when == "before" else after
        true, false, missed = _subtoken_counts(self.split, truth, name)
        return float(true), float(false), float(missed)

    def of_sums(self, sums: Floats, total: Floats) -> Floats:
        return 100.0 * self.score(sums[0], sums[1], sums[2])

    def statistic(self, columns: Floats, weights: Floats) -> Floats:
        return self.of_sums(columns @ weights.T, weights.sum(axis=1))


def divide(numerators: Floats, denominators: Floats, undefined: float = math.nan) -> Floats:
    """Return the quotients, and ``undefined`` where the denominator is 0."""
    import numpy as np

    quotients: Floats = np.full(np.shape(denominators), undefined)
    np.divide(numerators, denominators, out=quotients, where=denominators > 0)
    return quotients


def compute_precision(
    true: Floats, false: Floats, missed: Floats, undefined: float = math.nan
) -> Floats:
    return divide(true, true + false, undefined)


def compute_recall(
    true: Floats, false: Floats, missed: Floats, undefined: float = math.nan
) -> Floats:
    return divide(true, true + missed, undefined)


def compute_f1(true: Floats, false: Floats, missed: Floats, undefined: float = math.nan) -> Floats:
    # The harmonic mean of precision and recall, defined also where one of them is not.
    return divide(2 * true, 2 * true + false + missed, undefined)


_TITLES = {
    CCP: "Right names that stay right (CCP, %)",
    CWP: "Right names that become wrong (CWP, %)",
    WWSP: "Wrong names that stay the same (WWSP, %)",
    WCP: "Wrong names that become right (WCP, %)",
    WWDP: "Wrong names that become other wrong ones (WWDP, %)",
}
SUBTOKEN_SCORES = {"precision": compute_precision, "recall": compute_recall, "f1": compute_f1}


def prediction_change(split: Split) -> Metric:
    """Return the metric PCP: the percentage of pairs whose names changed."""
    return TypeShare("pcp", "Prediction change (PCP, %)", split, CHANGED)


def change_metrics(split: Split) -> tuple[Metric, ...]:
    """Return the further metrics of prediction change.

    These are the percentages of the five types, the shares of right and of wrong names that change,
    and subtoken precision, recall and F1 before and after.
    """
    types = [
        TypeShare(pair_type, _TITLES[pair_type], split, frozenset((pair_type,)))
        for pair_type in TYPES
    ]
    shares = [
        TypeShare(
            "cwp_share",
            "Right names that change (CWP of CCP and CWP, %)",
            split,
            frozenset((CWP,)),
            RIGHT_BEFORE,
        ),
        TypeShare(
            "wcp_share",
            "Wrong names that become right (WCP of all wrong, %)",
            split,
            frozenset((WCP,)),
            WRONG_BEFORE,
        ),
        TypeShare(
            "wrong_change_share",
            "Wrong names that change (WCP and WWDP of all wrong, %)",
            split,
            frozenset((WCP, WWDP)),
            WRONG_BEFORE,
        ),
    ]
    subtokens = [
        SubtokenScore(f"{name}_{when}", f"Subtoken {name} {when} (%)", split, when, score)
        for when in ("before", "after")
        for name, score in SUBTOKEN_SCORES.items()
    ]
    return (*types, *shares, *subtokens)
