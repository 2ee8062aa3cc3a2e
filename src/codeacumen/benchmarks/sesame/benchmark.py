"""Declare SeSaMe for runs, reports and ``reproduce``.

Reports show, for each level, the mean score over the flavours, and the loss of models at levels
with less source.
"""

from codeacumen.api import Benchmark, DataFamily, InputLevels, Recipe, TaskGroup
from codeacumen.benchmarks.sesame import FLAVOURS
from codeacumen.views.masking.levels import BARE, LEVELS, UNCOMMENTED, UNNAMED, WHOLE

# Meaning of each level, in words.
_MEANINGS = {
    WHOLE: "full text",
    UNCOMMENTED: "without comments",
    UNNAMED: "without names",
    BARE: "without comments and names",
}
_SESAME_TASKS = {
    level: tuple(f"sesame/{aspect}/{level}" for aspect in FLAVOURS) for level in LEVELS
}

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
        recipe=Recipe("sesame", "codeacumen.benchmarks.sesame.reproduce"),
    ),
    Benchmark(
        "similarity",
        families=(
            DataFamily(
                "similarity",
                "codeacumen.benchmarks.sesame",
                "codeacumen dataset build similarity CORPUS --out similarity",
                build="codeacumen.benchmarks.sesame.build:build_from_corpus",
            ),
        ),
        input_levels=(
            InputLevels(
                "similarity",
                "Similar methods",
                {level: (f"similarity/{level}",) for level in LEVELS},
                _MEANINGS,
            ),
        ),
    ),
)
