"""Declare GLUECode for runs, reports and data sets; its score is the mean over its five tasks
(Table 2).
"""

from __future__ import annotations

from collections.abc import Sequence

from codeacumen.api import Benchmark, DataFamily, TaskGroup
from codeacumen.api.benchmarks import PublishedRow

TASKS = ("npath", "operators", "naming", "completion", "nulltoken")


def _published_rows() -> Sequence[PublishedRow]:
    from codeacumen.tasks.published import read_published

    scores: dict[str, dict[str, float]] = {}
    for row in read_published("codeacumen.benchmarks.gluecode", "scores"):
        scores.setdefault(row["model"], {})[row["task"]] = float(row["value"])
    return [
        (model, [model_scores[task] for task in TASKS]) for model, model_scores in scores.items()
    ]


BENCHMARKS = (
    Benchmark(
        "gluecode",
        groups=(
            TaskGroup(
                name="gluecode",
                title="GLUECode",
                tasks=tuple(f"gluecode/{task}" for task in TASKS),
                caption=(
                    "The interval resamples the clusters of each task (projects, or files where "
                    "there are few projects) by themselves. The published models were trained "
                    "and tested on methods of other projects, with labels of other tools, so their "
                    "scores are not comparable with these."
                ),
                published_rows=_published_rows,
            ),
        ),
        families=(
            DataFamily(
                "gluecode",
                "codeacumen.benchmarks.gluecode.task",
                "codeacumen dataset build gluecode CORPUS --out gluecode",
                build="codeacumen.benchmarks.gluecode.build:build_from_corpus",
                methods_file="naming.jsonl",
                pretraining_task="gluecode/naming",
            ),
        ),
        report_module="codeacumen.benchmarks.gluecode.report",
    ),
)
