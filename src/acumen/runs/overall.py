"""One number over a benchmark's tasks: the mean of a model's headline scores, as GLUECode has it.

Only of a model that has a score on every task of the group: the mean of some would flatter whoever
leaves out what is hard. Its interval is of the means of resamples, each task's clusters being drawn
by themselves; SeSaMe's tasks are asked of the same pairs, and drawn together. So the difference
between what a model says of all of the text and of less has an interval too, of the same resamples.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from acumen.api import Instance, Loss, Overall, Scores

if TYPE_CHECKING:
    from acumen.api import Floats

# How much of a text is seen; the first is all of it.
SIGHTS = ("whole", "uncommented", "unnamed", "bare")
FLAVOURS = ("goals", "operations", "effects")

# Benchmarks whose tasks are asked of the same instances, with less and less to see: what is hard in
# one task is likely hard in the others.
SEEN: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "sesame": {one: tuple(f"sesame/{flavour}/{one}" for flavour in FLAVOURS) for one in SIGHTS},
    "similar": {one: (f"similar/{one}",) for one in SIGHTS},
}

GROUPS: Mapping[str, tuple[str, ...]] = {
    "gluecode": tuple(
        f"gluecode/{task}" for task in ("npath", "operators", "naming", "completion", "nulltoken")
    ),
    **{f"sesame/{sight}": tasks for sight, tasks in SEEN["sesame"].items()},
}

_RESAMPLED = {
    *(task for sights in SEEN.values() for tasks in sights.values() for task in tasks),
    *(task for tasks in GROUPS.values() for task in tasks),
}


def is_drawn(task: str) -> bool:
    """Whether the resamples of its headline are wanted."""
    return task in _RESAMPLED


def task_seed(seed: int, instances: Sequence[Instance]) -> int:
    """Return the seed for the resamples of one task of a group.

    Tasks with the same instances share a seed, so that they are resampled together; other tasks
    must not, or equally many clusters would be resampled in the same way. The seed depends on the
    instances' ids and not on the task's name: renaming a task changes no interval.
    """
    digest = hashlib.sha256(f"{seed}\0".encode())
    for instance in instances:
        digest.update(instance.id.encode("utf-8", "surrogatepass") + b"\0")
    return int.from_bytes(digest.digest()[:8], "big")


def means(cells: Sequence[Scores]) -> dict[tuple[str, str], float]:
    """By group and model, where the model has a score on every task of the group."""
    return _means(cells, GROUPS)


def seen_means(cells: Sequence[Scores], benchmark: str) -> dict[tuple[str, str], float]:
    """By sight and model, where the model has a score on every task of the sight."""
    return _means(cells, SEEN[benchmark])


def _means(
    cells: Sequence[Scores], groups: Mapping[str, tuple[str, ...]]
) -> dict[tuple[str, str], float]:
    value = {(cell.task, cell.model): cell.scores[0].value for cell in cells}
    models = dict.fromkeys(cell.model for cell in cells)
    found: dict[tuple[str, str], float] = {}
    for group, tasks in groups.items():
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


def losses(
    cells: Sequence[Scores],
    draws: Mapping[tuple[str, str], Floats | None],
    confidence: float,
) -> tuple[Loss, ...]:
    """What each model's mean falls by where it sees less than all; below 0, where it rises."""
    found = []
    for benchmark, sights in SEEN.items():
        means = seen_means(cells, benchmark)
        for (sight, model), value in means.items():
            whole = means.get((SIGHTS[0], model))
            if sight == SIGHTS[0] or whole is None:
                continue
            pairs = zip(sights[SIGHTS[0]], sights[sight], strict=True)
            both = [(draws.get((all_, model)), draws.get((less, model))) for all_, less in pairs]
            fallen = [None if a is None or b is None else a - b for a, b in both]
            bounds = _bounds(fallen, confidence)
            found.append(Loss(benchmark, model, sight, whole - value, *bounds))
    return tuple(found)


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
