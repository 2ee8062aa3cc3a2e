"""The general metrics: joint statistics such as correlations, and means of gains."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from codeacumen.api import Json
from codeacumen.metrics.bleu import score_character_bleu

if TYPE_CHECKING:
    from codeacumen.api import Floats


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
        if isinstance(answer, bool) or not isinstance(answer, int | float):
            raise TypeError(f"expected a number, found {answer!r}")
        if not math.isfinite(answer):
            raise ValueError(f"expected a finite number, found {answer!r}")
        return float(truth), float(answer)

    def statistic(self, columns: Floats, weights: Floats) -> Floats:
        return self.compute(columns[0], columns[1], weights)


@dataclass(frozen=True, slots=True)
class MeanMetric:
    """The mean of the gains of the answers; a gain is a number from 0 to 1.

    An instance without an answer counts 0, so that it does not pay to skip hard instances.
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


def _compute_spearman(x: Floats, y: Floats, weights: Floats) -> Floats:
    from codeacumen.metrics.ranks import weighted_spearman

    return weighted_spearman(x, y, weights)


def _compute_roc_auc(truth: Floats, answers: Floats, weights: Floats) -> Floats:
    from codeacumen.metrics.ranks import weighted_roc_auc

    return weighted_roc_auc(truth, answers, weights)


def _score_exact_match(truth: Json, answer: Json) -> float:
    return float(truth == answer)


spearman = JointMetric("spearman", "Spearman's rank correlation", _compute_spearman)
roc_auc = JointMetric("roc_auc", "Area under the ROC curve", _compute_roc_auc)
accuracy = MeanMetric("accuracy", "Accuracy", _score_exact_match, proportion=True)
exact_match = MeanMetric("exact_match", "Exact match", _score_exact_match, proportion=True)
character_bleu = MeanMetric("character_bleu", "Character BLEU", score_character_bleu)
