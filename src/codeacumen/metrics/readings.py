"""Truths with several readings, such as votes: their mean, their majority.

Such a truth is an object. Under ``value`` it has what a model should say, which is what a model
that learns is shown; each metric names the reading that it stands on.
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

# Each statistic's title, and where it is: numpy is loaded when one is computed.
STATISTICS = {
    "spearman": ("Spearman's rank correlation", "ranks"),
    "kendall": ("Kendall's τ-b", "ranks"),
    "roc_auc": ("Area under the ROC curve", "ranks"),
    "average_precision": ("Average precision", "binary"),
    "best_f1": ("F1 at the best threshold", "binary"),
    "all_positive_f1": ("F1 of calling everything positive", "binary"),
}


def target(truth: Json) -> Json:
    """What a model should say: the truth, or the ``value`` of one with several readings."""
    return truth[VALUE] if isinstance(truth, dict) and VALUE in truth else truth


@dataclass(frozen=True, slots=True)
class ReadMetric:
    """A statistic of one reading of the truths, and of the answers. With ``least``, a truth of
    that much or more is positive, any other negative."""

    name: str
    title: str
    of: str
    reading: str = VALUE
    least: float | None = None
    unanswered: tuple[float, ...] | None = None
    proportion: bool = False

    def observe(self, truth: Json, answer: Json) -> tuple[float, ...] | None:
        if isinstance(answer, bool) or not isinstance(answer, int | float):
            raise TypeError(f"expected a number, found {answer!r}")
        if not math.isfinite(answer):
            raise ValueError(f"expected a finite number, found {answer!r}")
        found = float(target(truth) if self.reading == VALUE else truth[self.reading])
        return (found if self.least is None else float(found >= self.least)), float(answer)

    def statistic(self, columns: Floats, weights: Floats) -> Floats:
        module = importlib.import_module(f"codeacumen.metrics.{STATISTICS[self.of][1]}")
        values: Floats = getattr(module, f"weighted_{self.of}")(columns[0], columns[1], weights)
        return values


def read_metric(
    statistic: str,
    reading: str = VALUE,
    least: float | None = None,
    *,
    suffix: str = "",
    told: str = "",
) -> ReadMetric:
    """A metric by its statistic; ``suffix`` and ``told`` tell it from others of the same."""
    title, _ = STATISTICS[statistic]
    return ReadMetric(
        f"{statistic}_{suffix}" if suffix else statistic,
        f"{title}, {told}" if told else title,
        statistic,
        reading,
        least,
    )
