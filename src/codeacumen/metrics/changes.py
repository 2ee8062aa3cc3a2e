"""Prediction change: how often a model names a variant otherwise than the original method.

From Rabin et al., "On the Generalizability of Neural Program Models with respect to
Semantic-Preserving Program Transformations" (IST 2021), section 4.3. An answer is the pair of names
that a model returned, ``{"before": name, "after": name}``; the truth is the method's own name.

* A name is **right** if its set of subtokens is that of the truth, ignoring case:
  ``result_compute`` is right for ``computeResult``. A name without subtokens is right only if it
  equals the truth.
* Two names are **the same** if their sequences of subtokens are equal, ignoring case:
  ``get_count`` and ``getCount``.
* Each pair is of one of five types: right before and after (CCP), right before only (CWP), the same
  wrong name (WWSP), right after only (WCP), two different wrong names (WWDP). A **change** is a
  CWP, a WCP or a WWDP; two right names are never a change, however they are written. Hence
  CCP + CWP + WWSP + WCP + WWDP = 100 and PCP = CWP + WCP + WWDP.
* Precision, recall and F1 count subtokens over all pairs, as code2vec's evaluation does: a subtoken
  of the prediction is a true positive if the truth has it and a false positive otherwise; a
  subtoken of the truth that the prediction lacks is a false negative.

All values are percentages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from codeacumen.api import Json, Metric

if TYPE_CHECKING:
    from codeacumen.api import Floats

# A function that splits a name into subtokens.
Split: TypeAlias = Callable[[str], Sequence[str]]

CCP, CWP, WWSP, WCP, WWDP = "ccp", "cwp", "wwsp", "wcp", "wwdp"
TYPES = (CCP, CWP, WWSP, WCP, WWDP)
CHANGED = frozenset((CWP, WCP, WWDP))
RIGHT_BEFORE = frozenset((CCP, CWP))
WRONG_BEFORE = frozenset((WWSP, WCP, WWDP))


def change_type(split: Split, truth: str, before: str, after: str) -> str:
    """Return the type of a pair of names, one of ``TYPES``.

    >>> classify_change(str.split, "compute result", "result compute", "compute")
    'cwp'
    """
    names = [_lower(split, name) for name in (before, after)]
    right = [
        name == truth or (bool(tokens) and set(tokens) == set(_lower(split, truth)))
        for name, tokens in zip((before, after), names, strict=True)
    ]
    if right[0]:
        return CCP if right[1] else CWP
    if right[1]:
        return WCP
    return WWSP if names[0] == names[1] else WWDP


def subtoken_counts(split: Split, truth: str, name: str) -> tuple[int, int, int]:
    """Return the numbers of true positive, false positive and false negative subtokens."""
    wanted, given = _lower(split, truth), _lower(split, name)
    true = sum(token in wanted for token in given)
    missed = sum(token not in given for token in wanted)
    return true, len(given) - true, missed


def _lower(split: Split, name: str) -> list[str]:
    return [token.lower() for token in split(name)]


# Cached, because every metric observes each pair, in every evaluation set.
_change_type = lru_cache(maxsize=1 << 18)(change_type)
_subtoken_counts = lru_cache(maxsize=1 << 18)(subtoken_counts)


def _names(answer: Json) -> tuple[str, str]:
    if not isinstance(answer, dict):
        raise TypeError(f"expected the names before and after, found {answer!r}")
    before, after = answer["before"], answer["after"]
    if not isinstance(before, str) or not isinstance(after, str):
        raise TypeError(f"expected two names, found {before!r} and {after!r}")
    return before, after


@dataclass(frozen=True, slots=True)
class TypeShare:
    """The percentage of pairs with ``counted_types`` among the pairs with ``among_types``.

    Pairs of other types do not count.
    """

    name: str
    title: str
    split: Split
    of: frozenset[str]
    among: frozenset[str] = frozenset(TYPES)
    # The task replaces missing names, so that every pair has an answer.
    unanswered: tuple[float, ...] | None = None
    # False, because the statistic is a percentage and not a mean of zeros and ones.
    proportion: bool = False
    percentage: bool = True

    def observe(self, truth: Json, answer: Json) -> tuple[float, ...] | None:
        found = _change_type(self.split, truth, *_names(answer))
        return (float(found in self.of),) if found in self.among else None

    def of_sums(self, sums: Floats, total: Floats) -> Floats:
        return _ratio(100.0 * sums[0], total)

    def statistic(self, columns: Floats, weights: Floats) -> Floats:
        return self.of_sums(columns @ weights.T, weights.sum(axis=1))


@dataclass(frozen=True, slots=True)
class SubtokenScore:
    """Precision, recall or F1 of the names of originals (before) or of variants (after)."""

    name: str
    title: str
    split: Split
    when: str
    score: Callable[[Floats, Floats, Floats], Floats]
    unanswered: tuple[float, ...] | None = None
    proportion: bool = False
    percentage: bool = False

    def observe(self, truth: Json, answer: Json) -> tuple[float, ...] | None:
        before, after = _names(answer)
        name = before if self.when == "before" else after
        true, false, missed = _subtoken_counts(self.split, truth, name)
        return float(true), float(false), float(missed)

    def of_sums(self, sums: Floats, total: Floats) -> Floats:
        return 100.0 * self.score(sums[0], sums[1], sums[2])

    def statistic(self, columns: Floats, weights: Floats) -> Floats:
        return self.of_sums(columns @ weights.T, weights.sum(axis=1))


def _ratio(part: Floats, whole: Floats) -> Floats:
    import numpy as np

    found: Floats = np.full(np.shape(whole), np.nan)
    np.divide(part, whole, out=found, where=whole > 0)
    return found


def _precision(true: Floats, false: Floats, missed: Floats) -> Floats:
    return _ratio(true, true + false)


def _recall(true: Floats, false: Floats, missed: Floats) -> Floats:
    return _ratio(true, true + missed)


def _f1(true: Floats, false: Floats, missed: Floats) -> Floats:
    # The harmonic mean of precision and recall, defined also where one of them is not.
    return _ratio(2 * true, 2 * true + false + missed)


_TITLES = {
    CCP: "Right names that stay right (CCP, %)",
    CWP: "Right names that become wrong (CWP, %)",
    WWSP: "Wrong names that stay the same (WWSP, %)",
    WCP: "Wrong names that become right (WCP, %)",
    WWDP: "Wrong names that become other wrong ones (WWDP, %)",
}
_SCORES = {"precision": _precision, "recall": _recall, "f1": _f1}


def prediction_change(split: Split) -> Metric:
    """Return the metric PCP: the percentage of pairs whose names changed."""
    return TypeShare("pcp", "Prediction change (PCP, %)", split, CHANGED)


def change_metrics(split: Split) -> tuple[Metric, ...]:
    """Return the further metrics of prediction change.

    These are the percentages of the five types, the shares of right and of wrong names that change,
    and subtoken precision, recall and F1 before and after.
    """
    types = [TypeShare(one, _TITLES[one], split, frozenset((one,))) for one in TYPES]
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
        for name, score in _SCORES.items()
    ]
    return (*types, *shares, *subtokens)
