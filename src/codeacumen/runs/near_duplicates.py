"""Measure the effect of near-duplicates between training and test instances on scores.

``codeacumen dataset audit`` calls this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codeacumen.api import Score
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.runs.evaluate import answer_cell
from codeacumen.runs.plan import Cell
from codeacumen.runs.scoring import ScoringSettings, compute_scores
from codeacumen.tasks.base import DISTINCT, NEAR_DUPLICATE


@dataclass(frozen=True, slots=True)
class NearDuplicateEffect:
    """Scores of a model with and without near-duplicates.

    ``whole`` is the headline score; ``distinct`` and ``near_duplicate`` are the same score on the
    instances without and with a near-duplicate in training, None if there are no such instances.
    """

    task: str
    model: str
    whole: Score
    distinct: Score | None
    near_duplicate: Score | None

    @property
    def difference(self) -> float | None:
        """Amount that the near-duplicates add to the headline score."""
        if self.distinct is None or self.distinct.value is None or self.whole.value is None:
            return None
        return self.whole.value - self.distinct.value


def measure_effects(
    cells: Sequence[Cell],
    settings: ScoringSettings,
    progress: Progress = ignore_progress,
) -> list[NearDuplicateEffect]:
    """Ask the models for missing answers, and return the effect for each cell."""
    effects = []
    for cell in cells:
        answers, _ = answer_cell(cell, progress)
        scores, _ = compute_scores(cell.task.task, cell.task.instances, answers, settings)
        headline = scores[0]
        by_slice = {
            score.slice: score
            for score in scores
            if (score.metric, score.evaluation_set) == (headline.metric, headline.evaluation_set)
        }
        effects.append(
            NearDuplicateEffect(
                cell.task.card.name,
                cell.loaded.reference,
                headline,
                by_slice.get(DISTINCT),
                by_slice.get(NEAR_DUPLICATE),
            )
        )
    return effects
