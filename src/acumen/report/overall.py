"""What the page says over all tasks of a benchmark: a table shaped as the paper's, and its rows.

Table 2 of GLUECode has a model a row and a task a column. The published rows stand below ours for
orientation only: they were measured on other methods of other projects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from acumen.api import ModelCard, Overall, Score
from acumen.published import read_table
from acumen.report.merge import Merged
from acumen.runs.overall import GROUPS, means

TITLES = {"gluecode": "GLUECode"}
# Groups of which the paper has scores.
PUBLISHED = frozenset(("gluecode",))


@dataclass(frozen=True, slots=True)
class OverallRow:
    """A model with its score on each task and their mean, if it has all of them."""

    model: str
    card: ModelCard
    scores: list[Score | None]
    overall: Overall | None


@dataclass(frozen=True, slots=True)
class OverallTable:
    """``tasks`` are titles and slugs, empty for one that is not in the runs; ``published`` are
    rows of the paper."""

    group: str
    title: str
    first: str
    tasks: list[tuple[str, str]]
    rows: list[OverallRow]
    published: list[tuple[str, list[float], float]]


def overall_tables(merged: Merged) -> list[OverallTable]:
    return [
        _table(merged, group, tasks)
        for group, tasks in GROUPS.items()
        if any(task in merged.tasks for task in tasks)
    ]


def _table(merged: Merged, group: str, tasks: tuple[str, ...]) -> OverallTable:
    known = _overall(merged, group)
    asked = [
        model for model in merged.models if any((task, model) in merged.cells for task in tasks)
    ]
    rows = []
    for model in asked:
        cells = [merged.cells.get((task, model)) for task in tasks]
        scores = [cell.scores[0] if cell else None for cell in cells]
        rows.append(OverallRow(model, merged.models[model], scores, known.get(model)))
    rows.sort(key=_place)
    return OverallTable(
        group=group,
        title=TITLES.get(group) or f"SeSaMe, {group.partition('/')[2]}",
        first=next(task for task in merged.tasks if task in tasks),
        tasks=[(_title(merged, task), merged.slugs.get(task, "")) for task in tasks],
        rows=rows,
        published=_published(group, tasks),
    )


def _title(merged: Merged, task: str) -> str:
    if task not in merged.tasks:
        return task.partition("/")[2]
    return merged.tasks[task].title.rpartition(": ")[2]


def _place(row: OverallRow) -> tuple[float, int, str]:
    """Best first; those without an overall score by how much they answered."""
    missing = sum(score is None for score in row.scores)
    return (-row.overall.value if row.overall else 1.0), missing, row.model


def _overall(merged: Merged, group: str) -> Mapping[str, Overall]:
    """The mean of the scores on the page. The interval is a run's own, where the run scored all of
    them; cells of several runs together have none."""
    told = {one.model: one for run in merged.runs for one in run.overall if one.group == group}
    found = {}
    for (of_group, model), value in means(list(merged.cells.values())).items():
        if of_group == group:
            own = told.get(model)
            same = own is not None and own.value == value
            found[model] = (
                own if own and same else Overall(group, model, GROUPS[group], value, None, None)
            )
    return found


def _published(group: str, tasks: tuple[str, ...]) -> list[tuple[str, list[float], float]]:
    if group not in PUBLISHED:
        return []
    by_model: dict[str, dict[str, float]] = {}
    for row in read_table(group):
        by_model.setdefault(row["model"], {})[f"{group}/{row['task']}"] = float(row["value"])
    return [
        (model, [scores[task] for task in tasks], fmean(scores[task] for task in tasks))
        for model, scores in by_model.items()
    ]
