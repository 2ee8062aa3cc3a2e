"""The general metrics: joint statistics such as correlations, and means of gains.

The classes implement ``codeacumen.api.Metric``: ``observe`` turns a truth and an answer into a row
of numbers, ``statistic`` computes the score of all rows in each of b weighted samples, which are
bootstrap resamples. The optional ``of_sums`` computes the same from the sums of the rows
(``api.hooks.SumMetric``). ``ReadingMetric`` is for truths with several readings, such as the mean
and the majority of votes. Such a truth is an object. Its ``value`` is the answer that a model
should return, and the one that training examples have; each metric names the reading with which it
compares the answers.
"""

from __future__ import annotations

import importlib
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from codeacumen.api import Json

if TYPE_CHECKING:
    from codeacumen.api import Floats


def read_number(answer: Json) -> float:
    """Return the number that a model answered; raise an error unless it is finite."""
    if isinstance(answer, bool) or not isinstance(answer, int | float):
        raise TypeError(f"expected a number, found {answer!r}")
    if not math.isfinite(answer):
        raise ValueError(f"expected a finite number, found {answer!r}")
    return float(answer)


@dataclass(frozen=True, slots=True)
class JointMetric:
    """A statistic of all truths and answers together, such as a correlation.

    ``compute`` takes truths and answers, both (n,), and weights, (b, n), and returns b numbers.
    """

    name: str
    title: str
    compute: Callable[[Floats, Floats, Floats], Floats]
    unanswered: tuple[float, ...] | None = None
    proportion: bool = False

    def observe(self, truth: Json, answer: Json) -> tuple[float, float]:
        return float(truth), read_number(answer)

    def statistic(self, columns: Floats, weights: Floats) -> Floats:
        return self.compute(columns[0], columns[1], weights)


@dataclass(frozen=True, slots=True)
class MeanMetric:
    """The mean of the gains of the answers; ``gain`` returns a number from 0 to 1.

    An instance without an answer has a gain of 0, so that it does not pay to skip hard instances.
    """

    name: str
    title: str
    gain: Callable[[Json, Json], float]
    unanswered: tuple[float, ...] | None = (0.0,)
    proportion: bool = False

    def observe(self, truth: Json, answer: Json) -> tuple[float]:
        return (self.gain(truth, answer),)

    def statistic(self, columns: Floats, weights: Floats) -> Floats:
        means: Floats = weights @ columns[0] / weights.sum(axis=1)
        return means

    def of_sums(self, sums: Floats, total: Floats) -> Floats:
        means: Floats = sums[0] / total
        return means


def _score_exact_match(truth: Json, answer: Json) -> float:
    return float(truth == answer)


# Lengths of the n-grams of characters in BLEU.
ORDERS = (1, 2, 3, 4)
# Number of matches of an order without a match: method 1 of Chen and Cherry.
EPSILON = 0.1


def compute_character_bleu(truth: str, answer: str) -> float:
    """Return the character BLEU of one name, from 0 to 1.

    GLUECode scores names with the character-level BLEU of Denoual and Lepage (2005) and the first
    smoothing of Chen and Cherry (2014): the geometric mean of the precisions of the n-grams of 1 to
    4 characters, where an order without a match counts as ``EPSILON`` matches, times a penalty for
    answers that are too short. The paper does not say whether n-grams are summed over all names
    first; here each name has its own score and the metric is their mean, so that it has an interval
    and two models can be compared name by name.

    A name of fewer than 4 characters has no n-grams of some orders, and these count as not matched:
    such a name scores less than 1 even where it is exactly right, as it does with nltk.

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
    """Return the character BLEU of an answer; raise ``TypeError`` unless it is a text."""
    if not isinstance(answer, str):
        raise TypeError(f"expected text, found {answer!r}")
    return compute_character_bleu(truth, answer)


# Title and module of each statistic. The module is imported, and numpy with it, on first use.
STATISTICS = {
    "spearman": ("Spearman's rank correlation", "ranks"),
    "kendall": ("Kendall's τ-b", "ranks"),
    "roc_auc": ("Area under the ROC curve", "ranks"),
    "average_precision": ("Average precision", "binary"),
    "best_f1": ("F1 at the best threshold", "binary"),
    "all_positive_f1": ("F1 of calling everything positive", "binary"),
}


def compute_statistic(name: str, truths: Floats, answers: Floats, weights: Floats) -> Floats:
    """Return a statistic of ``STATISTICS`` of truths and answers, (n,), in each sample, (b,)."""
    module = importlib.import_module(f"codeacumen.metrics.{STATISTICS[name][1]}")
    values: Floats = getattr(module, f"weighted_{name}")(truths, answers, weights)
    return values


spearman = JointMetric(
    "spearman", STATISTICS["spearman"][0], partial(compute_statistic, "spearman")
)
roc_auc = JointMetric("roc_auc", STATISTICS["roc_auc"][0], partial(compute_statistic, "roc_auc"))
accuracy = MeanMetric("accuracy", "Accuracy", _score_exact_match, proportion=True)
exact_match = MeanMetric("exact_match", "Exact match", _score_exact_match, proportion=True)
character_bleu = MeanMetric("character_bleu", "Character BLEU", score_character_bleu)


# Key of the default reading in a truth.
VALUE = "value"


def target_value(truth: Json) -> Json:
    """Return the right answer: the truth, or the reading ``value`` of a truth with readings."""
    return truth[VALUE] if isinstance(truth, dict) and VALUE in truth else truth


@dataclass(frozen=True, slots=True)
class ReadingMetric:
    """A joint statistic of the answers and one reading of the truths.

    ``statistic_name`` is a key of ``STATISTICS``, ``reading`` a key of the truths. With
    ``min_positive``, truths of at least that value are positive (1), others negative (0).
    """

    name: str
    title: str
    statistic_name: str
    reading: str = VALUE
    min_positive: float | None = None
    unanswered: tuple[float, ...] | None = None
    proportion: bool = False

    def observe(self, truth: Json, answer: Json) -> tuple[float, ...] | None:
        number = read_number(answer)
        value = float(target_value(truth) if self.reading == VALUE else truth[self.reading])
        return (value if self.min_positive is None else float(value >= self.min_positive)), number

    def statistic(self, columns: Floats, weights: Floats) -> Floats:
        return compute_statistic(self.statistic_name, columns[0], columns[1], weights)


def make_reading_metric(
    statistic: str,
    reading: str = VALUE,
    min_positive: float | None = None,
    *,
    suffix: str = "",
    title_suffix: str = "",
) -> ReadingMetric:
    """Return a ``ReadingMetric``; ``statistic`` is a key of ``STATISTICS``.

    ``suffix`` and ``title_suffix`` distinguish the metric from others of the same statistic.
    """
    title, _ = STATISTICS[statistic]
    return ReadingMetric(
        f"{statistic}_{suffix}" if suffix else statistic,
        f"{title}, {title_suffix}" if title_suffix else title,
        statistic,
        reading,
        min_positive,
    )
