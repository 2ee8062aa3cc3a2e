"""One number over a benchmark's tasks: the mean of a model's headline scores, as GLUECode has it.

Only of a model that has a score on every task of the group: the mean of some would flatter whoever
leaves out what is hard. Its interval is of the means of resamples, each task's clusters being drawn
by themselves; SeSaMe's three flavours are asked of the same pairs, and drawn together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from acumen.api import Overall, Scores

if TYPE_CHECKING:
    from acumen.api import Floats

GROUPS: Mapping[str, tuple[str, ...]] = {
    "gluecode": tuple(
        f"gluecode/{task}" for task in ("npath", "operators", "naming", "completion", "nulltoken")
    ),
    **{
        f"sesame/{sight}": tuple(
            f"sesame/{flavour}/{sight}" for flavour in ("goals", "operations", "effects")
        )
        for sight in ("whole", "uncommented", "unnamed", "bare")
    },
}


# Groups whose tasks have the same instances: what is hard in one is likely hard in the others.
TOGETHER = frozenset(group for group in GROUPS if group.startswith("sesame/"))


def in_group(task: str) -> bool:
    return any(task in tasks for tasks in GROUPS.values())


def task_seed(seed: int, task: str) -> int:
    """Another seed for each task: with the same one, equally many clusters would be drawn alike;
    which is right only where they are the same clusters."""
    drawn = next((group for group in TOGETHER if task in GROUPS[group]), task)
    digest = hashlib.sha256(f"{seed} {drawn}".encode()).digest()
    return int.from_bytes(digest[:8], "big")


def means(cells: Sequence[Scores]) -> dict[tuple[str, str], float]:
    """By group and model, where the model has a score on every task of the group."""
    value = {(cell.task, cell.model): cell.scores[0].value for cell in cells}
    models = dict.fromkeys(cell.model for cell in cells)
    found: dict[tuple[str, str], float] = {}
    for group, tasks in GROUPS.items():
        for model in models:
            scores = [one for task in tasks if (one := value.get((task, model))) is not None]
            if len(scores) == len(tasks):
                found[group, model] = fmean(scores)
    return found


def overall_scores(
    cells: Sequence[Scores],
    draws: Mapping[tuple[str, str], Floats | None],
    confidence: float,
) -> tuple[Overall, ...]:
    """``draws`` are the headline's values in the resamples, by task and model."""
    return tuple(
        Overall(
            group,
            model,
            GROUPS[group],
            value,
            *_bounds([draws.get((task, model)) for task in GROUPS[group]], confidence),
        )
        for (group, model), value in means(cells).items()
    )


def _bounds(
    draws: Sequence[Floats | None], confidence: float
) -> tuple[float, float] | tuple[None, None]:
    import numpy as np

    known = [one for one in draws if one is not None]
    if len(known) < len(draws):
        return None, None
    mean = np.mean(known, axis=0)
    if not np.isfinite(mean).all():
        return None, None
    low, high = np.quantile(mean, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)
