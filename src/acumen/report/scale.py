"""The axis that a task's interval bars share."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

STEPS = (0.1, 0.2, 0.5)
MOST_TICKS = 8


@dataclass(frozen=True, slots=True)
class Scale:
    low: float
    high: float
    step: float

    def percent(self, value: float) -> float:
        """Where on the axis, from 0 to 100; rounded, so that pages are equal everywhere."""
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(1.0, max(0.0, share)), 2)

    @property
    def ticks(self) -> list[float]:
        first = math.ceil(self.low / self.step - 1e-9)
        last = math.floor(self.high / self.step + 1e-9)
        return [round(i * self.step, 10) for i in range(first, last + 1)]


def scale_for(values: Iterable[float | None]) -> Scale:
    """From 0 to 1 where that holds all values; wider, in whole steps, where it does not."""
    present = [value for value in values if value is not None and math.isfinite(value)]
    low, high = min([0.0, *present]), max([1.0, *present])
    step = _step(high - low)
    return Scale(math.floor(low / step) * step, math.ceil(high / step) * step, step)


def _step(span: float) -> float:
    power = 1.0
    while True:
        for step in STEPS:
            if span / (step * power) <= MOST_TICKS - 2:
                return step * power
        power *= 10.0
