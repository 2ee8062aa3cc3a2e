"""Build the records that the templates show. No HTML here, no computation in the templates.

``report.build_report`` calls ``build_page``; ``report.html`` renders its result.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codeacumen.api import (
    Ceiling,
    EvaluationSet,
    Loss,
    ModelCard,
    Overall,
    Run,
    Score,
    Scores,
    TaskCard,
)
from codeacumen.report.corpora import CorpusView
from codeacumen.report.curves import curve_names, curve_plots
from codeacumen.report.instances import build_task_data
from codeacumen.report.merged_runs import Evidence, MergedRuns, list_own_scores, rank_cells
from codeacumen.report.plots import (
    Plot,
    Scale,
    choose_task_scale,
    draw_page_plots,
    name_forest_plot,
)
from codeacumen.report.sections import Section
from codeacumen.report.tables import (
    LevelTable,
    OverallTable,
    build_level_tables,
    build_overall_tables,
)

MINUS = "\N{MINUS SIGN}"
ABSENT = "\N{EN DASH}"
# The best possible score of a task with a ceiling.
PERFECT_SCORE = 1.0


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a leaderboard.

    ``ties`` are the model's tie letters; None if it was not compared on this evaluation set, empty
    if no pair of models could be tested.
    """

    model: str
    card: ModelCard
    score: Score
    cell: Scores
    ties: str | None


@dataclass(frozen=True, slots=True)
class Board:
    """A leaderboard of a task on one evaluation set; ``plot`` is the name of its forest plot."""

    evaluation_set: EvaluationSet
    rows: list[Row]
    plot: str
    has_ties: bool


@dataclass(frozen=True, slots=True)
class SliceTable:
    """Scores of the models on the slices of a task.

    A row has a model, its card, and its score on each of ``names``. ``sizes`` are the numbers of
    instances of the slices, ``largest`` is their maximum. A size is the largest n of the models,
    because some metrics leave out instances without an answer.
    """

    names: tuple[str, ...]
    rows: list[tuple[str, ModelCard, list[Score | None]]]
    sizes: list[int]
    largest: int


@dataclass(frozen=True, slots=True)
class MetricTable:
    """Scores of the models by the task's other metrics, on the first evaluation set.

    A row has a model, its card, and its score by each of ``names``.
    """

    names: tuple[str, ...]
    rows: list[tuple[str, ModelCard, list[Score | None]]]


@dataclass(frozen=True, slots=True)
class TaskView:
    """The section about a task.

    ``metric`` is the title of its metric, ``further`` has the other metrics, ``compared`` is the
    number of instances in the tests (0: no tests), and ``data`` is for the scripts
    (``build_task_data``).
    """

    name: str
    slug: str
    card: TaskCard
    metric: str
    scale: Scale
    boards: list[Board]
    slices: SliceTable | None
    further: MetricTable | None
    notes: list[str]
    compared: int
    data: dict[str, Any]
    # Names of the precision-recall and ROC plots (``curve_names``); only some tasks have the plots.
    curves: tuple[str, str]
    # Digits of scores after the point.
    digits: int


@dataclass(frozen=True, slots=True)
class Best:
    """A line of the overview: the best model that is not a baseline, and the rows tied with it.

    ``row`` is None if there is no such model.
    """

    task: TaskView
    row: Row | None
    tied: list[Row]


@dataclass(frozen=True, slots=True)
class Page:
    """All contents of the report.

    ``failures`` are the cells with failed answers, ``failed`` is the number of these answers.
    ``plots`` are by name; ``overview_plots`` are names of plots. ``settings_notes`` say how the
    runs differ, ``interval`` is the heading of the columns with intervals, and ``levels`` are the
    tables of levels of input (``report.tables``).
    """

    runs: tuple[Run, ...]
    settings_notes: tuple[str, ...]
    interval: str
    failures: list[Scores]
    failed: int
    overview: list[Best]
    tasks: list[TaskView]
    models: Mapping[str, ModelCard]
    plots: dict[str, Plot]
    overview_plots: list[str]
    corpora: list[CorpusView]
    sections: Sequence[Section]
    overall: list[OverallTable]
    levels: list[LevelTable]
    # Lists of questions; a task's data refers to one by its position.
    questions: list[list[str]]


def build_page(
    merged: MergedRuns,
    evidence: Mapping[str, Evidence],
    corpora: Sequence[CorpusView] = (),
    sections: Sequence[Section] = (),
) -> Page:
    """Return the contents of the report."""
    summarized = {task for section in sections for task in section.summarized_tasks}
    tasks = [
        _build_task_view(merged, name, evidence[name], is_summarized=name in summarized)
        for name in merged.tasks
    ]
    failures = [cell for cell in merged.cells.values() if cell.counts.failed]
    plots = [*draw_page_plots(merged), *(corpus.plot for corpus in corpora)]
    plots += [plot for section in sections for plot in section.plots]
    plots += curve_plots(merged, evidence)
    # Confidence levels; the field ``levels`` below has the tables of levels of input instead.
    levels = {run.confidence for run in merged.runs}
    return Page(
        runs=merged.runs,
        settings_notes=merged.notes,
        interval=f"{100 * levels.pop():g} % interval" if len(levels) == 1 else "interval",
        failures=failures,
        failed=sum(cell.counts.failed for cell in failures),
        overview=[_find_best(task) for task in tasks],
        tasks=tasks,
        models=merged.models,
        plots={plot.name: plot for plot in plots},
        overview_plots=[plot.name for plot in plots if plot.name.startswith("overview")],
        corpora=list(corpora),
        sections=sections,
        overall=build_overall_tables(merged),
        levels=build_level_tables(merged),
        questions=_share_questions(tasks),
    )


def _build_task_view(
    merged: MergedRuns, name: str, evidence: Evidence, *, is_summarized: bool
) -> TaskView:
    """Return the section about a task."""
    card = merged.tasks[name]
    comparison = evidence.comparison
    boards = []
    for number, evaluation_set in enumerate(card.evaluation_sets):
        # Tests use the first evaluation set only; their letters do not apply to another.
        groups = comparison.groups if comparison and number == 0 else {}
        rows = [
            Row(cell.model, merged.models[cell.model], score, cell, groups.get(cell.model))
            for cell, score in rank_cells(merged.cells_of_task(name), card, evaluation_set.name)
        ]
        boards.append(
            Board(
                evaluation_set, rows, name_forest_plot(merged, card, evaluation_set), bool(groups)
            )
        )
    scale = choose_task_scale(merged, card)
    return TaskView(
        name=name,
        slug=merged.slugs[name],
        card=card,
        metric=evidence.metric.title if evidence.metric else card.metric,
        scale=scale,
        boards=boards,
        slices=_build_slice_table(merged, card, boards[0]),
        further=None if is_summarized else _build_metric_table(boards[0]),
        notes=list(evidence.notes),
        compared=comparison.n if comparison else 0,
        data=build_task_data(merged, name, evidence),
        curves=curve_names(merged, card),
        digits=2 if is_summarized else 3,
    )


def _share_questions(tasks: Sequence[TaskView]) -> list[list[str]]:
    """Return each list of questions once, and replace it in the tasks' data by its position.

    Tasks with the same long questions would otherwise be most of the page.
    """
    position_of: dict[tuple[str, ...], int] = {}
    for task in tasks:
        questions = task.data.get("questions")
        if questions is not None:
            task.data["questions"] = position_of.setdefault(tuple(questions), len(position_of))
    return [list(texts) for texts in position_of]


def _build_slice_table(merged: MergedRuns, card: TaskCard, board: Board) -> SliceTable | None:
    """Return the scores on the slices of a task; None if it has no slices."""
    if not card.slices:
        return None
    rows = []
    for row in board.rows:
        by_slice = {score.slice: score for score in list_own_scores(row.cell) if score.slice}
        rows.append((row.model, row.card, [by_slice.get(slice_name) for slice_name in card.slices]))
    sizes = [
        max((score.n for _, _, scores in rows if (score := scores[i]) is not None), default=0)
        for i in range(len(card.slices))
    ]
    return SliceTable(card.slices, rows, sizes, max(sizes, default=0))


def _build_metric_table(board: Board) -> MetricTable | None:
    """Return the scores by the other metrics; None if there are none."""
    scores_by_metric: dict[str, dict[str, Score]] = {}
    for row in board.rows:
        for score in row.cell.scores:
            if not score.slice and score.evaluation_set == board.evaluation_set.name:
                scores_by_metric.setdefault(score.metric, {})[row.model] = score
    names = tuple(scores_by_metric)[1:]  # the first is the headline
    if not names:
        return None
    rows = [
        (row.model, row.card, [scores_by_metric[name].get(row.model) for name in names])
        for row in board.rows
    ]
    return MetricTable(names, rows)


def _find_best(task: TaskView) -> Best:
    """Return the best model of a task that is no baseline, and the models tied with it."""
    board = task.boards[0]
    candidates = [
        row for row in board.rows if not row.card.is_baseline and row.score.value is not None
    ]
    if not candidates:
        return Best(task, None, [])
    best = candidates[0]
    letters = _split_letters(best)
    return Best(
        task, best, [row for row in board.rows if row is not best and letters & _split_letters(row)]
    )


def _split_letters(row: Row) -> set[str]:
    """Return the tie letters of a row; a letter may have a number, as a1 after z."""
    return set(re.findall(r"[a-z]\d*", row.ties or ""))


# --------------------------------------------------------------------------------------
# Filters and functions of the templates.
# --------------------------------------------------------------------------------------


def format_number(value: float | None, digits: int = 3) -> str:
    """Return a rounded number with a minus sign, or a dash for None."""
    if value is None:
        return ABSENT
    text = f"{value:.{digits}f}"
    # Avoid -0.000 for small negative numbers.
    text = text.removeprefix("-") if float(text) == 0 else text
    return text.replace("-", MINUS)


def format_bounds(score: Score | Overall | Loss, digits: int = 3) -> str:
    """Return the interval of a score, or a dash if it has none."""
    if score.low is None or score.high is None:
        return ABSENT
    return f"{format_number(score.low, digits)} to {format_number(score.high, digits)}"


def describe_ceiling(ceiling: Ceiling, metric: str) -> str:
    """Return the caption that explains the line of a ceiling."""
    text = (
        f"The dashed line is the score of {ceiling.who}, {ceiling.value:g}: {ceiling.label}, "
        f"from {ceiling.source}."
    )
    if ceiling.value >= PERFECT_SCORE:
        return text
    return (
        f"{text} It is only a reference: a model can exceed it, since it may measure something "
        f"other than the score ({metric})."
    )
