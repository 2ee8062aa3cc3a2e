"""Metrics of name checking: classify names as inconsistent or consistent.

Inconsistent is the positive class: a true positive is an inconsistent name that was flagged. A
truth is an object whose ``value`` is 1 (consistent) or 0 (inconsistent). Two kinds of answers are
scored:

* **Fitness**, from a model that judges: 0 (does not fit at all) to 1. A name is flagged if its
  fitness is below a threshold, by default 0.5.
* **A name**, from a model that recommends names (ReName4J, sections 3.4 and 5): a name is flagged
  if its similarity Sim to the recommended name is below a threshold T. The truth then also has
  ``tested``, the name under test, and ``fixed``, the right name. ``Sim(o, p)`` is the Dice
  coefficient of the sets of subtokens, ignoring case: |o ∩ p| / ((|o| + |p|) / 2); it is 1 for two
  names without subtokens. Below, this similarity is also called fitness.

A name with a fitness equal to the threshold is consistent (``>=``). With ``>``, T = 1 would flag
every name, even the recommended one.

**Corrected true positive** (section 5.2): an inconsistent name that was flagged, and the
recommended name has the subtokens of the right name (Sim = 1). Any other inconsistent name counts
as missed. False positives do not change, as in Table 6.

A missing answer raises no alarm: the task replaces it by a fitness of 1 or by the name under test.
A model that never answers thus scores as a model that accepts every name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from codeacumen.api import Json, Metric
from codeacumen.metrics.general import compute_statistic, read_number
from codeacumen.metrics.name_recommendation import lower_subtokens, read_name
from codeacumen.metrics.prediction_change import Split, divide

if TYPE_CHECKING:
    from codeacumen.api import Floats

CONSISTENT, INCONSISTENT = "consistent", "inconsistent"
# The default threshold for fitness, and that of ReName4J and Cognac for recommended names.
DEFAULT_THRESHOLD, PUBLISHED_THRESHOLD = 0.5, 0.85
# Default costs of a false alarm and of a missed inconsistent name.
FALSE_ALARM, MISS = 1.0, 5.0
# Recall of the metric "precision at recall 50 %".
HALF_RECALL = 0.5

# Computes the fitness of the name under test from a truth and an answer.
Fitness = Callable[[Json, Json], float]
# Computes a figure from true positives, false negatives, false positives and true negatives, each
# of shape (b,) for b weighted samples.
CountsFigure = Callable[["Floats", "Floats", "Floats", "Floats"], "Floats"]
# Computes a figure from positives, values and weights.
RankedFigure = Callable[["Floats", "Floats", "Floats"], "Floats"]


def compute_name_similarity(split: Split, first: str, second: str) -> float:
    """Return the Dice coefficient of the sets of subtokens, ignoring case.

    >>> compute_name_similarity(str.split, "create topic partition", "extract topic partition")
    0.6666666666666666
    """
    first_subtokens, second_subtokens = (
        set(lower_subtokens(split, first)),
        set(lower_subtokens(split, second)),
    )
    return (
        2 * len(first_subtokens & second_subtokens) / (len(first_subtokens) + len(second_subtokens))
        if first_subtokens or second_subtokens
        else 1.0
    )


_name_similarity = lru_cache(maxsize=1 << 18)(compute_name_similarity)


def read_fitness(truth: Json, answer: Json) -> float:
    """Return the fitness that a judging model answered; raise an error unless it is finite."""
    return read_number(answer)


@dataclass(frozen=True, slots=True)
class FitnessByName:
    """Fitness by recommendation: the similarity of the name under test to the recommended name."""

    split: Split

    def __call__(self, truth: Json, answer: Json) -> float:
        return _name_similarity(self.split, truth["tested"], read_name(answer))


def is_inconsistent(truth: Json) -> bool:
    """Return whether the name under test is inconsistent, by the truth's ``label`` or ``value``.

    The truths of ``JudgingByNameTask`` have a name as ``value``, so the label has precedence.
    """
    return (
        bool(truth["label"] == INCONSISTENT)
        if "label" in truth
        else truth["value"] < DEFAULT_THRESHOLD
    )


@dataclass(frozen=True, slots=True)
class ThresholdMetric:
    """A figure of the confusion matrix at a threshold.

    ``observe`` returns a row of the matrix: true positive, false negative, false positive, true
    negative. With ``corrected_split``, which splits names into subtokens, a true positive also
    needs the right name as recommendation.
    """

    name: str
    title: str
    fitness: Fitness
    compute_figure: CountsFigure
    threshold: float = DEFAULT_THRESHOLD
    corrected_split: Split | None = None
    unanswered: tuple[float, ...] | None = None
    proportion: bool = False

    def observe(self, truth: Json, answer: Json) -> tuple[float, ...] | None:
        is_alarm = self.fitness(truth, answer) < self.threshold
        if not is_inconsistent(truth):
            return 0.0, 0.0, float(is_alarm), float(not is_alarm)
        is_true_positive = is_alarm and (
            self.corrected_split is None
            or _name_similarity(self.corrected_split, truth["fixed"], read_name(answer)) == 1.0
        )
        return float(is_true_positive), float(not is_true_positive), 0.0, 0.0

    def of_sums(self, sums: Floats, total: Floats) -> Floats:
        return self.compute_figure(sums[0], sums[1], sums[2], sums[3])

    def statistic(self, columns: Floats, weights: Floats) -> Floats:
        return self.of_sums(columns @ weights.T, weights.sum(axis=1))


@dataclass(frozen=True, slots=True)
class AccuracyMetric:
    """Accuracy: the share of names that are classified correctly."""

    name: str
    title: str
    fitness: Fitness
    threshold: float = DEFAULT_THRESHOLD
    unanswered: tuple[float, ...] | None = None
    proportion: bool = True

    def observe(self, truth: Json, answer: Json) -> tuple[float, ...] | None:
        return (float((self.fitness(truth, answer) < self.threshold) == is_inconsistent(truth)),)

    def of_sums(self, sums: Floats, total: Floats) -> Floats:
        return divide(sums[0], total, undefined=0.0)

    def statistic(self, columns: Floats, weights: Floats) -> Floats:
        return self.of_sums(columns @ weights.T, weights.sum(axis=1))


@dataclass(frozen=True, slots=True)
class RankingMetric:
    """A figure of the ranking from the least fitting name to the most fitting, without threshold.

    ``compute_figure`` takes positives (1 for an inconsistent name), values (negated fitness) and
    weights, and returns a number for each weighted sample.
    """

    name: str
    title: str
    fitness: Fitness
    compute_figure: RankedFigure
    unanswered: tuple[float, ...] | None = None
    proportion: bool = False

    def observe(self, truth: Json, answer: Json) -> tuple[float, ...] | None:
        return float(is_inconsistent(truth)), -self.fitness(truth, answer)

    def statistic(self, columns: Floats, weights: Floats) -> Floats:
        return self.compute_figure(columns[0], columns[1], weights)


# As scikit-learn does, the figures are 0 for 0/0: without alarms precision is 0.
def _compute_precision(tp: Floats, fn: Floats, fp: Floats, tn: Floats) -> Floats:
    return divide(tp, tp + fp, undefined=0.0)


def _compute_recall(tp: Floats, fn: Floats, fp: Floats, tn: Floats) -> Floats:
    return divide(tp, tp + fn, undefined=0.0)


def _compute_f1(tp: Floats, fn: Floats, fp: Floats, tn: Floats) -> Floats:
    return divide(2 * tp, 2 * tp + fp + fn, undefined=0.0)


def _for_consistent(figure: CountsFigure) -> CountsFigure:
    """Return a function that computes the figure with consistent as the positive class."""
    return lambda tp, fn, fp, tn: figure(tn, fp, fn, tp)


def _compute_inconsistent_share(tp: Floats, fn: Floats, fp: Floats, tn: Floats) -> Floats:
    return divide(tp + fn, tp + fn + fp + tn, undefined=0.0)


def _compute_all_inconsistent_f1(tp: Floats, fn: Floats, fp: Floats, tn: Floats) -> Floats:
    return divide(2 * (tp + fn), 2 * (tp + fn) + fp + tn, undefined=0.0)


@dataclass(frozen=True, slots=True)
class MeanCost:
    """Figure: the mean cost per name, given the costs of a false alarm and of a miss.

    With ``is_trivial``, it is the cost of the cheaper of two trivial checkers, which flag all names
    or none.
    """

    false_alarm: float = FALSE_ALARM
    miss: float = MISS
    is_trivial: bool = False

    def __call__(self, tp: Floats, fn: Floats, fp: Floats, tn: Floats) -> Floats:
        import numpy as np

        wrong, good = tp + fn, fp + tn
        if self.is_trivial:
            cost: Floats = np.minimum(self.miss * wrong, self.false_alarm * good)
        else:
            cost = self.miss * fn + self.false_alarm * fp
        return divide(cost, wrong + good, undefined=0.0)


def _precision_at_half(positive: Floats, values: Floats, weights: Floats) -> Floats:
    from codeacumen.metrics.binary import weighted_precision_at_recall

    return weighted_precision_at_recall(positive, values, weights, HALF_RECALL)


# Metrics by name: "_ic" for the inconsistent class, "_c" for the consistent one.
_FIGURES: dict[str, tuple[str, CountsFigure]] = {
    "precision_ic": ("Precision, inconsistent", _compute_precision),
    "recall_ic": ("Recall, inconsistent", _compute_recall),
    "f1_ic": ("F1, inconsistent", _compute_f1),
    "precision_c": ("Precision, consistent", _for_consistent(_compute_precision)),
    "recall_c": ("Recall, consistent", _for_consistent(_compute_recall)),
    "f1_c": ("F1, consistent", _for_consistent(_compute_f1)),
}
_RANKED: dict[str, tuple[str, RankedFigure]] = {
    "average_precision": (
        "Average precision, inconsistent",
        partial(compute_statistic, "average_precision"),
    ),
    "roc_auc": ("Area under the ROC curve", partial(compute_statistic, "roc_auc")),
    "precision_at_50": ("Precision at recall 50 %, inconsistent", _precision_at_half),
}


def make_threshold_metrics(
    fitness: Fitness, threshold: float = DEFAULT_THRESHOLD, suffix: str = "", title_suffix: str = ""
) -> tuple[Metric, ...]:
    """Return accuracy, then precision, recall and F1 of both classes.

    ``suffix`` and ``title_suffix`` distinguish them from the metrics at another threshold.
    """
    return (
        AccuracyMetric(f"accuracy{suffix}", f"Accuracy{title_suffix}", fitness, threshold),
        *(
            ThresholdMetric(f"{name}{suffix}", f"{title}{title_suffix}", fitness, figure, threshold)
            for name, (title, figure) in _FIGURES.items()
        ),
    )


def make_corrected_metrics(
    split: Split, threshold: float = PUBLISHED_THRESHOLD, suffix: str = "", title_suffix: str = ""
) -> tuple[Metric, ...]:
    """Return precision, recall and F1 of the inconsistent class with corrected true positives."""
    return tuple(
        ThresholdMetric(
            f"{name}_corrected{suffix}",
            f"{_FIGURES[name][0]}, right name recommended{title_suffix}",
            FitnessByName(split),
            _FIGURES[name][1],
            threshold,
            split,
        )
        for name in ("precision_ic", "recall_ic", "f1_ic")
    )


def make_ranking_metrics(fitness: Fitness) -> tuple[Metric, ...]:
    """Return average precision, area under the ROC curve and precision at recall 50 %."""
    return tuple(
        RankingMetric(name, title, fitness, figure) for name, (title, figure) in _RANKED.items()
    )


def make_trivial_metrics(fitness: Fitness) -> tuple[Metric, ...]:
    """Return two metrics of a checker that flags every name.

    The first is its precision, average precision and accuracy, which are all the share of
    inconsistent names; the second is its F1 for the inconsistent class.
    """
    return (
        ThresholdMetric(
            "all_inconsistent",
            "Calling all inconsistent: precision and accuracy",
            fitness,
            _compute_inconsistent_share,
        ),
        ThresholdMetric(
            "all_inconsistent_f1",
            "Calling all inconsistent: F1",
            fitness,
            _compute_all_inconsistent_f1,
        ),
    )


def make_cost_metrics(
    fitness: Fitness,
    threshold: float = DEFAULT_THRESHOLD,
    false_alarm: float = FALSE_ALARM,
    miss: float = MISS,
) -> tuple[Metric, ...]:
    """Return the metrics of the mean cost per name: of the model, and of a trivial checker."""
    assumption = f"a false alarm costs {false_alarm:g}, a miss {miss:g}"
    return (
        ThresholdMetric(
            "cost", f"Expected cost, {assumption}", fitness, MeanCost(false_alarm, miss), threshold
        ),
        ThresholdMetric(
            "cost_trivial",
            "Expected cost of flagging all, or none",
            fitness,
            MeanCost(false_alarm, miss, is_trivial=True),
            threshold,
        ),
    )


def threshold_labels(threshold: float) -> tuple[str, str]:
    """Return the suffix of the names and that of the titles of the metrics at a threshold.

    >>> threshold_labels(0.85)
    ('_t85', ', T = 0.85')
    """
    return f"_t{round(100 * threshold):02d}", f", T = {threshold:g}"
