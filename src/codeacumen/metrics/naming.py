"""Metrics of name recommendation: shared subtokens, and exact match.

Two ways of counting are in use, and they give different numbers for the same answers:

* **Per name** (ReName4J, section 3.4): a name is the set of its subtokens, ignoring case. Precision
  is the share of the recommended set that is right, recall the share of the right set that is
  recommended, F1 their harmonic mean; all three are averaged over the names. ReName4J's Table 2
  prints the harmonic mean of the two averages instead of the averaged F1: ``name_f1_of_means``.
* **Over the corpus** (code2seq): subtokens are counted over all names together, with repetition, so
  that long names weigh more. A name with the letters of the right one is right, however it is
  split.

A missing answer and a name without subtokens have precision, recall and F1 of 0, unless the right
name has no subtokens either and equals the answer.

All values are from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from codeacumen.api import Json, Metric
from codeacumen.metrics.changes import Split
from codeacumen.metrics.metric import MeanMetric
from codeacumen.metrics.readings import target

if TYPE_CHECKING:
    from codeacumen.api import Floats


def lowered(split: Split, name: str) -> tuple[str, ...]:
    return tuple(token.lower() for token in split(name))


def set_scores(split: Split, truth: str, name: str) -> tuple[float, float, float]:
    """Return precision, recall and F1 of one name, as a set of subtokens.

    >>> compute_set_scores(str.split, "create topic", "create topic partition")
    (0.6666666666666666, 1.0, 0.8)
    """
    wanted, given = set(lowered(split, truth)), set(lowered(split, name))
    if not wanted or not given:
        same = float(truth == name)
        return same, same, same
    shared = len(wanted & given)
    return (
        shared / len(given),
        shared / len(wanted),
        2 * shared / (len(given) + len(wanted)),
    )


def corpus_counts(split: Split, truth: str, name: str) -> tuple[int, int, int]:
    """Return the numbers of true positive, false positive and false negative subtokens.

    The counts are those of code2seq's evaluation.
    """
    wanted, given = lowered(split, truth), lowered(split, name)
    if "".join(wanted) == "".join(given):
        return len(wanted), 0, 0
    true = sum(token in wanted for token in given)
    missed = sum(token not in given for token in wanted)
    return true, len(given) - true, missed


# Cached, because every metric observes each answer, in every evaluation set.
_set_scores = lru_cache(maxsize=1 << 18)(set_scores)
_corpus_counts = lru_cache(maxsize=1 << 18)(corpus_counts)


def _name(answer: Json) -> str:
    if not isinstance(answer, str):
        raise TypeError(f"expected a name, found {answer!r}")
    return answer


@dataclass(frozen=True, slots=True)
class OfMeans:
    """The harmonic mean of the mean precision and the mean recall per name."""

    name: str
    title: str
    split: Split
    unanswered: tuple[float, ...] | None = (0.0, 0.0)
    proportion: bool = False

    def observe(self, truth: Json, answer: Json) -> tuple[float, ...] | None:
        precision, recall, _ = _set_scores(self.split, target(truth), _name(answer))
        return precision, recall

    def of_sums(self, sums: Floats, total: Floats) -> Floats:
        return _ratio(2 * sums[0] * sums[1], (sums[0] + sums[1]) * total)

    def statistic(self, columns: Floats, weights: Floats) -> Floats:
        return self.of_sums(columns @ weights.T, weights.sum(axis=1))


@dataclass(frozen=True, slots=True)
class OverCorpus:
    """Precision, recall or F1 of the subtokens of all names together.

    The false negatives of a missing answer depend on the right name, so ``unanswered`` cannot be a
    constant row: a task has to replace a missing answer by an empty name, or it is left out.
    """

    name: str
    title: str
    split: Split
    score: Callable[[Floats, Floats, Floats], Floats]
    unanswered: tuple[float, ...] | None = None
    proportion: bool = False

    def observe(self, truth: Json, answer: Json) -> tuple[float, ...] | None:
        true, false, missed = _corpus_counts(self.split, target(truth), _name(answer))
        return float(true), float(false), float(missed)

    def of_sums(self, sums: Floats, total: Floats) -> Floats:
        return self.score(sums[0], sums[1], sums[2])

    def statistic(self, columns: Floats, weights: Floats) -> Floats:
        return self.of_sums(columns @ weights.T, weights.sum(axis=1))


def _ratio(part: Floats, whole: Floats) -> Floats:
    """Return the quotients, 0 for 0/0: without answers precision is 0."""
    import numpy as np

    found: Floats = np.zeros(np.shape(whole))
    np.divide(part, whole, out=found, where=whole > 0)
    return found


def _precision(true: Floats, false: Floats, missed: Floats) -> Floats:
    return _ratio(true, true + false)


def _recall(true: Floats, false: Floats, missed: Floats) -> Floats:
    return _ratio(true, true + missed)


def _f1(true: Floats, false: Floats, missed: Floats) -> Floats:
    return _ratio(2 * true, 2 * true + false + missed)


_PLACES = {"precision": 0, "recall": 1, "f1": 2}
_CORPUS = {"precision": _precision, "recall": _recall, "f1": _f1}
_TITLES = {"precision": "precision", "recall": "recall", "f1": "F1"}


def _per_name(split: Split, place: int) -> Callable[[Json, Json], float]:
    def gain(truth: Json, answer: Json) -> float:
        return _set_scores(split, target(truth), _name(answer))[place]

    return gain


def _same_subtokens(split: Split) -> Callable[[Json, Json], float]:
    def gain(truth: Json, answer: Json) -> float:
        wanted, given = lowered(split, target(truth)), lowered(split, _name(answer))
        return float(wanted == given and (bool(wanted) or target(truth) == answer))

    return gain


def _same_letters(truth: Json, answer: Json) -> float:
    return float(target(truth) == _name(answer))


def name_f1(split: Split) -> Metric:
    """Return the main metric: F1 per name, averaged."""
    return MeanMetric("name_f1", "Subtoken F1, per name", _per_name(split, 2))


def corpus_metrics(split: Split) -> tuple[Metric, ...]:
    """Return precision, recall and F1 over the corpus."""
    return tuple(
        OverCorpus(f"corpus_{which}", f"Subtoken {_TITLES[which]}, over all names", split, of)
        for which, of in _CORPUS.items()
    )


def naming_metrics(split: Split) -> tuple[Metric, ...]:
    """Return the further metrics of name recommendation."""
    return (
        *(
            MeanMetric(
                f"name_{which}", f"Subtoken {which}, per name", _per_name(split, _PLACES[which])
            )
            for which in ("precision", "recall")
        ),
        OfMeans("name_f1_of_means", "Subtoken F1 of mean precision and recall, per name", split),
        *corpus_metrics(split),
        MeanMetric("exact_match", "Exact match", _same_letters, proportion=True),
        MeanMetric(
            "same_subtokens",
            "The same subtokens, case aside",
            _same_subtokens(split),
            proportion=True,
        ),
    )
