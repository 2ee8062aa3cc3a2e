"""How much do twins help? What a model scores on instances that have a near-duplicate in training,
and on those that have none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codeacumen.api import Score
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.runs.evaluate import answer_cell
from codeacumen.runs.plan import Cell
from codeacumen.runs.scoring import Settings, score
from codeacumen.tasks.base import ALONE, TWIN


@dataclass(frozen=True, slots=True)
class Effect:
    """``whole`` is the headline; ``alone`` and ``twin`` the same of instances without a twin and
    with one, None where there are none."""

    task: str
    model: str
    whole: Score
    alone: Score | None
    twin: Score | None

    @property
    def difference(self) -> float | None:
        """What leaving the twins in does to the headline."""
        if self.alone is None or self.alone.value is None or self.whole.value is None:
            return None
        return self.whole.value - self.alone.value


def effects(
    cells: Sequence[Cell],
    settings: Settings,
    progress: Progress = ignore_progress,
) -> list[Effect]:
    """Ask what is not answered yet, and score."""
    found = []
    for cell in cells:
        answers, _ = answer_cell(cell, progress)
        scores, _ = score(cell.task.task, cell.task.instances, answers, settings)
        headline = scores[0]
        of = {
            one.slice: one
            for one in scores
            if (one.metric, one.convention) == (headline.metric, headline.convention)
        }
        found.append(
            Effect(cell.task.card.name, cell.made.reference, headline, of.get(ALONE), of.get(TWIN))
        )
    return found
