"""Draw precision-recall and ROC curves over all thresholds.

For tasks with the capability ``judge``, whose truths are 0 (wrong) or 1 (right): a model returns a
fitness from 0 to 1, and instances with a low fitness count as found. A curve has at most
``MAX_POINTS`` points; more would not be visible.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from codeacumen.api import Capability, TaskCard
from codeacumen.metrics import target
from codeacumen.report.evidence import Evidence, Merged
from codeacumen.report.plots import Plot, fitted_spec, inline_data, printable

if TYPE_CHECKING:
    from codeacumen.api import Floats

MOST = 200
# There are no more distinguishable colours; the best models are drawn.
LINES = 6
HEIGHT = 260
TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1]


def curve_names(merged: Merged, card: TaskCard) -> tuple[str, str]:
    """Return the names of a task's two plots."""
    slug = merged.slugs[card.name]
    return f"precision-recall-{slug}", f"roc-{slug}"


def curve_plots(merged: Merged, evidence: Mapping[str, Evidence]) -> list[Plot]:
    """Return two plots for each task that has curves."""
    return [
        plot
        for name, card in merged.tasks.items()
        if card.capability is Capability.JUDGE
        for plot in _of_task(merged, card, evidence[name])
    ]


def _of_task(merged: Merged, card: TaskCard, evidence: Evidence) -> list[Plot]:
    """Return a task's two plots; none if its truths are not 0 and 1, or unknown."""
    import numpy as np

    right = {one.id: target(one.truth) for one in evidence.instances}
    if not right or any(value not in (0.0, 1.0) for value in right.values()):
        return []
    wrong = np.array([value == 0.0 for value in right.values()], float)
    if wrong.all() or not wrong.any():
        return []
    rows = []
    for model in _best(merged, card):
        seen = evidence.read.get(model, {})
        fitness = [seen[id_].value if id_ in seen else 1.0 for id_ in right]
        if all(isinstance(one, int | float) for one in fitness):
            rows += _points(printable(model), wrong, np.array(fitness, float))
    if not rows:
        return []
    share = float(wrong.mean())
    first, second = curve_names(merged, card)
    return [
        _plot(
            first,
            f"{card.title}: precision against recall",
            rows,
            ("recall", "precision"),
            [{"x": 0.0, "y": share}, {"x": 1.0, "y": share}],
        ),
        _plot(
            second,
            f"{card.title}: hits against false alarms",
            rows,
            ("false alarms", "recall"),
            [{"x": 0.0, "y": 0.0}, {"x": 1.0, "y": 1.0}],
        ),
    ]


def _best(merged: Merged, card: TaskCard) -> list[str]:
    """Return the models with the highest headline scores."""
    cells = [one for one in merged.of_task(card.name) if one.scores[0].value is not None]
    ranked = sorted(cells, key=lambda one: (-(one.scores[0].value or 0.0), one.model))
    return [one.model for one in ranked[:LINES]]


def _points(model: str, wrong: Floats, fitness: Floats) -> list[dict[str, Any]]:
    """Return the points of a model's curves as rows of a plot."""
    import numpy as np

    from codeacumen.metrics.curves import curve_points

    _, precision, recall, false = curve_points(wrong, -fitness)
    chosen = np.unique(np.linspace(0, len(recall) - 1, min(MOST, len(recall))).astype(int))
    points = [
        {"model": model, "precision": precision[i], "recall": recall[i], "false alarms": false[i]}
        for i in chosen.tolist()
    ]
    begin = {"model": model, "precision": precision[0], "recall": 0.0, "false alarms": 0.0}
    return [
        {key: one if isinstance(one, str) else round(float(one), 4) for key, one in point.items()}
        for point in (begin, *points)
    ]


def _plot(
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
            x=_axis(alt.X, axes[0]),
            y=_axis(alt.Y, axes[1]),
            color=alt.Color("model:O", sort=order, scale=alt.Scale(domain=order)),
            order=alt.Order("recall:Q"),
            tooltip=["model:N", *(alt.Tooltip(f"{one}:Q", format=".3f") for one in axes)],
        )
    )
    guess = alt.Chart(inline_data(chance)).mark_line(strokeDash=[4, 3]).encode(x="x:Q", y="y:Q")
    described = printable(title)
    chart = alt.layer(guess, lines).properties(
        name=name.replace("-", "_"), height=HEIGHT, description=described
    )
    return Plot(name, described, fitted_spec(chart))


def _axis(channel: Any, title: str) -> Any:
    import altair as alt

    axis = alt.Axis(title=title, format=".1f", values=TICKS)
    return channel(f"{title}:Q", scale=alt.Scale(domain=[0, 1]), axis=axis)
