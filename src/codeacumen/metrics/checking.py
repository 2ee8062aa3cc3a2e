"""Metrics of name checking: classify names as inconsistent or consistent.

Inconsistent is the positive class: a true positive is an inconsistent name that was flagged. A
truth is an object whose ``value`` is 1 (consistent) or 0 (inconsistent). Two kinds of answers are
scored:

* **Fitness**, from a model that judges: 0 (does not fit at all) to 1. A name is flagged if its
  fitness is below a threshold, by default 0.5.
* **A name**, from a model that recommends names (ReName4J, sections 3.4 and 5): a name is flagged
  if its similarity to the recommended name is below T. The truth then also has ``tested``, the
  name under test, and ``fixed``, the right name. ``Sim(o, p)`` is the Dice coefficient of the sets
  of subtokens, ignoring case: |o ∩ p| / ((|o| + |p|) / 2); it is 1 for two names without subtokens.

A name with a fitness equal to the threshold is consistent (``>=``). With ``>``, T = 1 would flag
every name, even the recommended one.

**Corrected true positive** (section 5.2): an inconsistent name that was flagged, and the
recommended name has the subtokens of the right name (Sim = 1). Any other inconsistent name counts
as missed. False positives do not change, as in Table 6.

A missing answer raises no alarm: the task replaces it by a fitness of 1 or by the name under test.
A model that never answers thus scores as a model that accepts every name.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from codeacumen.api import Json, Metric
from codeacumen.metrics.changes import Split
from codeacumen.metrics.naming import lowered

if TYPE_CHECKING:
    from codeacumen.api import Floats

CONSISTENT, INCONSISTENT = "consistent", "inconsistent"
# The default threshold for fitness, and that of ReName4J and Cognac for recommended names.
OWN, PUBLISHED = 0.5, 0.85
FALSE_ALARM, MISS = 1.0, 5.0
HALF_RECALL = 0.5

# Computes the fitness of the name under test from a truth and an answer.
Fitness = Callable[[Json, Json], float]
# Computes a figure from true positives, false negatives, false positives and true negatives, each
# of
# shape (b,).
OfCounts = Callable[["Floats", "Floats", "Floats", "Floats"], "Floats"]


def name_similarity(split: Split, one: str, other: str) -> float:
    """Return the Dice coefficient of the sets of subtokens, ignoring case.

    >>> compute_name_similarity(str.split, "create topic partition", "extract topic partition")
    0.6666666666666666
    """
    a, b = set(lowered(split, one)), set(lowered(split, other))
    return 2 * len(a & b) / (len(a) + len(b)) if a or b else 1.0


_name_similarity = lru_cache(maxsize=1 << 18)(name_similarity)


def judged(truth: Json, answer: Json) -> float:
    """Return the answer of a model that judges; raise an error unless it is a finite number."""
    if isinstance(answer, bool) or not isinstance(answer, int | float):
        raise TypeError(f"expected a number, found {answer!r}")
    if not math.isfinite(answer):
        raise ValueError(f"expected a finite number, found {answer!r}")
    return float(answer)


def _recommended(answer: Json) -> str:
    if not isinstance(answer, str):
        raise TypeError(f"expected a name, found {answer!r}")
    return answer


@dataclass(frozen=True, slots=True)
class ByName:
    """Fitness as the similarity of the name under test to the recommended name."""

    split: Split

    def __call__(self, truth: Json, answer: Json) -> float:
        return _name_similarity(self.split, truth["tested"], _recommended(answer))


def is_wrong(truth: Json) -> bool:
    """Return whether the name under test is inconsistent."""
    return bool(truth["label"] == INCONSISTENT) if "label" in truth else truth["value"] < OWN


@dataclass(frozen=True, slots=True)
class AtThreshold:
    """A figure of the confusion matrix at a threshold.

    With ``corrected_split``, a true positive also needs the right name as recommendation.
    """

    name: str
    title: str
    fitness: Fitness
    of: OfCounts
    threshold: float = OWN
    corrected: Split | None = None
    unanswered: tuple[float, ...] | None = None
    proportion: bool = False

    def observe(self, truth: Json, answer: Json) -> tuple[float, ...] | None:
        alarm = self.fitness(truth, answer) < self.threshold
        if not is_wrong(truth):
            return 0.0, 0.0, float(alarm), float(not alarm)
        found = alarm and (
            self.corrected is None
            or _name_similarity(self.corrected, truth["fixed"], _recommended(answer)) == 1.0
        )
        return float(found), float(not found), 0.0, 0.0

    def of_sums(self, sums: Floats, total: Floats) -> Floats:
        return self.of(sums[0], sums[1], sums[2], sums[3])

    def statistic(self, columns: Floats, weights: Floats) -> Floats:
        return self.of_sums(columns @ weights.T, weights.sum(axis=1))


@dataclass(frozen=True, slots=True)
class Right:
    """Accuracy: the share of names that are classified correctly."""

    name: str
    title: str
    fitness: Fitness
    threshold: float = OWN
    unanswered: tuple[float, ...] | None = None
    proportion: bool = True

    def observe(self, truth: Json, answer: Json) -> tuple[float, ...] | None:
        return (float((self.fitness(truth, answer) < self.threshold) == is_wrong(truth)),)

    def of_sums(self, sums: Floats, total: Floats) -> Floats:
        return _ratio(sums[0], total)

    def statistic(self, columns: Floats, weights: Floats) -> Floats:
        return self.of_sums(columns @ weights.T, weights.sum(axis=1))


@dataclass(frozen=True, slots=True)
class Ranked:
    """A figure of the ranking from the least fitting name to the most fitting, without threshold.

    ``compute_figure`` takes positives, values and weights.
    """

    name: str
    title: str
    fitness: Fitness
    of: Callable[[Floats, Floats, Floats], Floats]
    unanswered: tuple[float, ...] | None = None
    proportion: bool = False

    def observe(self, truth: Json, answer: Json) -> tuple[float, ...] | None:
        return float(is_wrong(truth)), -self.fitness(truth, answer)

    def statistic(self, columns: Floats, weights: Floats) -> Floats:
        return self.of(columns[0], columns[1], weights)


def _ratio(part: Floats, whole: Floats) -> Floats:
    """Return the quotients, 0 for 0/0, as scikit-learn does: without alarms precision is 0."""
    import numpy as np

    found: Floats = np.zeros(np.shape(whole))
    np.divide(part, whole, out=found, where=whole > 0)
    return found


def _precision(tp: Floats, fn: Floats, fp: Floats, tn: Floats) -> Floats:
    return _ratio(tp, tp + fp)


def _recall(tp: Floats, fn: Floats, fp: Floats, tn: Floats) -> Floats:
    return _ratio(tp, tp + fn)


def _f1(tp: Floats, fn: Floats, fp: Floats, tn: Floats) -> Floats:
    return _ratio(2 * tp, 2 * tp + fp + fn)


def _of_consistent(of: OfCounts) -> OfCounts:
    """Return the figure with consistent as the positive class."""
    return lambda tp, fn, fp, tn: of(tn, fp, fn, tp)


def _share(tp: Floats, fn: Floats, fp: Floats, tn: Floats) -> Floats:
    return _ratio(tp + fn, tp + fn + fp + tn)


def _all_f1(tp: Floats, fn: Floats, fp: Floats, tn: Floats) -> Floats:
    return _ratio(2 * (tp + fn), 2 * (tp + fn) + fp + tn)


@dataclass(frozen=True, slots=True)
class Cost:
    """The mean cost of a name, given the costs of a false alarm and of a miss.

    With ``is_trivial``, the cost of the cheaper of two trivial checkers: flag all names, or none.
    """

    false_alarm: float = FALSE_ALARM
    miss: float = MISS
    least: bool = False

    def __call__(self, tp: Floats, fn: Floats, fp: Floats, tn: Floats) -> Floats:
        import numpy as np

        wrong, good = tp + fn, fp + tn
        if self.least:
            cost: Floats = np.minimum(self.miss * wrong, self.false_alarm * good)
        else:
            cost = self.miss * fn + self.false_alarm * fp
        return _ratio(cost, wrong + good)


def _roc_auc(positive: Floats, values: Floats, weights: Floats) -> Floats:
    from codeacumen.metrics.ranks import weighted_roc_auc

    return weighted_roc_auc(positive, values, weights)


def _average_precision(positive: Floats, values: Floats, weights: Floats) -> Floats:
    from codeacumen.metrics.binary import weighted_average_precision

    return weighted_average_precision(positive, values, weights)


def _precision_at_half(positive: Floats, values: Floats, weights: Floats) -> Floats:
    from codeacumen.metrics.curves import weighted_precision_at_recall

    return weighted_precision_at_recall(positive, values, weights, HALF_RECALL)


_FIGURES: dict[str, tuple[str, OfCounts]] = {
    "precision_ic": ("Precision, inconsistent", _precision),
    "recall_ic": ("Recall, inconsistent", _recall),
    "f1_ic": ("F1, inconsistent", _f1),
    "precision_c": ("Precision, consistent", _of_consistent(_precision)),
    "recall_c": ("Recall, consistent", _of_consistent(_recall)),
    "f1_c": ("F1, consistent", _of_consistent(_f1)),
}
_RANKED = {
    "average_precision": ("Average precision, inconsistent", _average_precision),
    "roc_auc": ("Area under the ROC curve", _roc_auc),
    "precision_at_50": ("Precision at recall 50 %, inconsistent", _precision_at_half),
}


def at_threshold(
    fitness: Fitness, threshold: float = OWN, suffix: str = "", told: str = ""
) -> tuple[Metric, ...]:
    """Return accuracy, then precision, recall and F1 of both classes.

    ``suffix`` and ``title_suffix`` distinguish them from the metrics at another threshold.
    """
    return (
        Right(f"accuracy{suffix}", f"Accuracy{told}", fitness, threshold),
        *(
            AtThreshold(f"{name}{suffix}", f"{title}{told}", fitness, of, threshold)
            for name, (title, of) in _FIGURES.items()
        ),
    )


def corrected(
    split: Split, threshold: float = PUBLISHED, suffix: str = "", told: str = ""
) -> tuple[Metric, ...]:
    """Return precision, recall and F1 of the inconsistent class with corrected true positives."""
    return tuple(
        AtThreshold(
            f"{name}_corrected{suffix}",
            f"{_FIGURES[name][0]}, right name recommended{told}",
            ByName(split),
            _FIGURES[name][1],
            threshold,
            split,
        )
        for name in ("precision_ic", "recall_ic", "f1_ic")
    )


def ranked(fitness: Fitness) -> tuple[Metric, ...]:
    """Return average precision, area under the ROC curve and precision at recall 50 %."""
    return tuple(Ranked(name, title, fitness, of) for name, (title, of) in _RANKED.items())


def trivial(fitness: Fitness) -> tuple[Metric, ...]:
    """Return the scores of flagging every name.

    Its precision, average precision and accuracy are the share of inconsistent names; the second
    metric is its F1.
    """
    return (
        AtThreshold(
            "all_inconsistent", "Calling all inconsistent: precision and accuracy", fitness, _share
        ),
        AtThreshold("all_inconsistent_f1", "Calling all inconsistent: F1", fitness, _all_f1),
    )


def costs(
    fitness: Fitness, threshold: float = OWN, false_alarm: float = FALSE_ALARM, miss: float = MISS
) -> tuple[Metric, ...]:
    """Return the expected cost of a name, and that of the cheaper of two trivial checkers."""
    told = f"a false alarm costs {false_alarm:g}, a miss {miss:g}"
    return (
        AtThreshold("cost", f"Expected cost, {told}", fitness, Cost(false_alarm, miss), threshold),
        AtThreshold(
            "cost_trivial",
            "Expected cost of flagging all, or none",
            fitness,
            Cost(false_alarm, miss, least=True),
            threshold,
        ),
    )


def threshold_words(threshold: float) -> tuple[str, str]:
    """Return the suffixes of names and titles of the metrics at a threshold.

    >>> threshold_labels(0.85)
    ('_t85', ', T = 0.85')
    """
    return f"_t{round(100 * threshold):02d}", f", T = {threshold:g}"
