"""Means over SeSaMe's three questions, and what models lose when they see less of the source."""

from __future__ import annotations

from acumen.api import Benchmark, InputLevels, TaskGroup
from acumen.tasks.similarity.sights import BARE, SIGHTS, UNCOMMENTED, UNNAMED, WHOLE

ASPECTS = ("goals", "operations", "effects")
_MEANINGS = {
    WHOLE: "all of the text",
    UNCOMMENTED: "without comments",
    UNNAMED: "without names",
    BARE: "without either",
}
_SESAME_TASKS = {level: tuple(f"sesame/{aspect}/{level}" for aspect in ASPECTS) for level in SIGHTS}

BENCHMARKS = (
    Benchmark(
        "sesame",
        groups=tuple(
            TaskGroup(
                name=f"sesame/{level}",
                title=f"SeSaMe, {level}",
                tasks=tasks,
                caption=(
                    "The interval resamples the clusters of pairs, which the tasks share, for all "
                    "of them together."
                ),
            )
            for level, tasks in _SESAME_TASKS.items()
        ),
        input_levels=(InputLevels("sesame", "SeSaMe", _SESAME_TASKS, _MEANINGS),),
    ),
    Benchmark(
        "similar",
        input_levels=(
            InputLevels(
                "similar",
                "Similar methods",
                {level: (f"similar/{level}",) for level in SIGHTS},
                _MEANINGS,
            ),
        ),
    ),
)
