"""Draw precision-recall and ROC curves over all thresholds.

Only tasks with the capability ``judge`` whose truths are 0 (wrong) or 1 (right) have curves: a
model returns a fitness from 0 to 1, and reports the names whose fitness is below a threshold. A
curve has at most ``MAX_POINTS`` points; more would not be visible. ``report.page_records`` calls
``curve_plots``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from codeacumen.api import Capability, TaskCard
from codeacumen.metrics import target_value
from codeacumen.report.merged_runs import Evidence, MergedRuns
from codeacumen.report.plots import Plot, escape_unprintable, fit_spec, inline_data

if TYPE_CHECKING:
    from codeacumen.api import Floats

MAX_POINTS = 200
# Maximum number of models in a plot, the best ones: there are no more distinguishable colours.
MAX_LINES = 6
# Height of a plot in pixels, and the ticks of both axes.
HEIGHT = 260
TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1]


def curve_names(merged: MergedRuns, card: TaskCard) -> tuple[str, str]:
    """Return the names of a task's plots: precision-recall and ROC."""
    slug = merged.slugs[card.name]
    return f"precision-recall-{slug}", f"roc-{slug}"


def curve_plots(merged: MergedRuns, evidence: Mapping[str, Evidence]) -> list[Plot]:
    """Return the two plots of each task that has curves."""
    return [
        plot
        for name, card in merged.tasks.items()
        if card.capability is Capability.JUDGE
        for plot in _draw_task_curves(merged, card, evidence[name])
    ]


def _draw_task_curves(merged: MergedRuns, card: TaskCard, evidence: Evidence) -> list[Plot]:
    """Return a task's two plots; none unless its truths are known, and are 0 and 1.

    A missing answer counts as fitness 1; a model with an answer that is no number has no curve.
    """
    import numpy as np

    truths = {instance.id: target_value(instance.truth) for instance in evidence.instances}
    if not truths or any(value not in (0.0, 1.0) for value in truths.values()):
        return []
    is_wrong = np.array([value == 0.0 for value in truths.values()], float)
    if is_wrong.all() or not is_wrong.any():
        return []
    rows = []
    for model in _select_best(merged, card):
        answers = evidence.postprocessed.get(model, {})
        fitness = [answers[id_].value if id_ in answers else 1.0 for id_ in truths]
        if all(isinstance(value, int | float) for value in fitness):
            rows += _list_points(escape_unprintable(model), is_wrong, np.array(fitness, float))
    if not rows:
        return []
    # The precision of guessing; the last argument of ``_draw_curves`` is the line of guessing.
    share_wrong = float(is_wrong.mean())
    first, second = curve_names(merged, card)
    return [
        _draw_curves(
            first,
            f"{card.title}: precision against recall",
            rows,
            ("recall", "precision"),
            [{"x": 0.0, "y": share_wrong}, {"x": 1.0, "y": share_wrong}],
        ),
        _draw_curves(
            second,
            f"{card.title}: hits against false alarms",
            rows,
            ("false alarms", "recall"),
            [{"x": 0.0, "y": 0.0}, {"x": 1.0, "y": 1.0}],
        ),
    ]


def _select_best(merged: MergedRuns, card: TaskCard) -> list[str]:
    """Return the models with the highest headline scores."""
    cells = [cell for cell in merged.cells_of_task(card.name) if cell.scores[0].value is not None]
    ranked_cells = sorted(cells, key=lambda cell: (-(cell.scores[0].value or 0.0), cell.model))
    return [cell.model for cell in ranked_cells[:MAX_LINES]]


def _list_points(model: str, is_wrong: Floats, fitness: Floats) -> list[dict[str, Any]]:
    """Return the points of a model's curves as rows of a plot."""
    import numpy as np

    from codeacumen.metrics.binary import curve_points

    # The positive class is the wrong names; the lowest fitness is reported first.
    _, precision, recall, false_alarms = curve_points(is_wrong, -fitness)
    indices = np.unique(np.linspace(0, len(recall) - 1, min(MAX_POINTS, len(recall))).astype(int))
    points = [
        {
            "model": model,
            "precision": precision[i],
            "recall": recall[i],
            "false alarms": false_alarms[i],
        }
        for i in indices.tolist()
    ]
    start = {"model": model, "precision": precision[0], "recall": 0.0, "false alarms": 0.0}
    return [
        {
            key: value if isinstance(value, str) else round(float(value), 4)
            for key, value in point.items()
        }
        for point in (start, *points)
    ]


def _draw_curves(
    name: str,
    title: str,
    rows: list[dict[str, Any]],
    axes: tuple[str, str],
    chance: list[dict[str, float]],
) -> Plot:
    import altair as alt

    order = list(dict.fromkeys(row["model"] for row in rows))
    lines = (
        alt.Chart(inline_data(rows))
        .mark_line()
        .encode(
            x=_build_axis(alt.X, axes[0]),
            y=_build_axis(alt.Y, axes[1]),
            color=alt.Color("model:O", sort=order, scale=alt.Scale(domain=order)),
            order=alt.Order("recall:Q"),
            tooltip=["model:N", *(alt.Tooltip(f"{axis}:Q", format=".3f") for axis in axes)],
        )
    )
    guess = alt.Chart(inline_data(chance)).mark_line(strokeDash=[4, 3]).encode(x="x:Q", y="y:Q")
    description = escape_unprintable(title)
    chart = alt.layer(guess, lines).properties(
        name=name.replace("-", "_"), height=HEIGHT, description=description
    )
    return Plot(name, description, fit_spec(chart))


def _build_axis(channel: Any, title: str) -> Any:
    import altair as alt

    axis = alt.Axis(title=title, format=".1f", values=TICKS)
    return channel(f"{title}:Q", scale=alt.Scale(domain=[0, 1]), axis=axis)
