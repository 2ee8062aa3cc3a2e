"""Metrics of truths with several readings, such as the mean and the majority of votes.

Such a truth is an object. Its ``value`` is the answer that a model should return, and the one that
training examples have; each metric names the reading that it compares with.
"""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from codeacumen.api import Json

if TYPE_CHECKING:
    from codeacumen.api import Floats

VALUE = "value"

# Title and module of each statistic. The module is imported, and numpy with it, on first use.
STATISTICS = {
    "spearman": ("Spearman's rank correlation", "ranks"),
    "kendall": ("Kendall's τ-b", "ranks"),
    "roc_auc": ("Area under the ROC curve", "ranks"),
    "average_precision": ("Average precision", "binary"),
    "best_f1": ("F1 at the best threshold", "binary"),
    "all_positive_f1": ("F1 of calling everything positive", "binary"),
}


def target_value(truth: Json) -> Json:
    """Return the answer that a model should return: the truth, or ``value`` of its readings."""
    return truth[VALUE] if isinstance(truth, dict) and VALUE in truth else truth


@dataclass(frozen=True, slots=True)
class ReadingMetric:
    """A statistic of one reading of the truths and of the answers.

    With ``min_positive``, truths of at least that value are positive (1), others negative (0).
    """

    name: str
    title: str
    statistic_name: str
    reading: str = VALUE
    min_positive: float | None = None
    unanswered: tuple[float, ...] | None = None
    proportion: bool = False

    def observe(self, truth: Json, answer: Json) -> tuple[float, ...] | None:
        if isinstance(answer, bool) or not isinstance(answer, int | float):
            raise TypeError(f"expected a number, found {answer!r}")
        if not math.isfinite(answer):
            raise ValueError(f"expected a finite number, found {answer!r}")
        value = float(target_value(truth) if self.reading == VALUE else truth[self.reading])
        return (value if self.min_positive is None else float(value >= self.min_positive)), float(
            answer
        )

    def statistic(self, columns: Floats, weights: Floats) -> Floats:
        module = importlib.import_module(f"codeacumen.metrics.{STATISTICS[self.statistic_name][1]}")
        values: Floats = getattr(module, f"weighted_{self.statistic_name}")(
            columns[0], columns[1], weights
        )
        return values


def make_reading_metric(
    statistic: str,
    reading: str = VALUE,
    min_positive: float | None = None,
    *,
    suffix: str = "",
    title_suffix: str = "",
) -> ReadingMetric:
    """Return a metric by the name of its statistic.

    ``suffix`` and ``title_suffix`` distinguish it from other metrics of the same statistic.
    """
    title, _ = STATISTICS[statistic]
    return ReadingMetric(
        f"{statistic}_{suffix}" if suffix else statistic,
        f"{title}, {title_suffix}" if title_suffix else title,
        statistic,
        reading,
        min_positive,
    )
