"""Plot figures 2 to 4 and Table 3 of Rabin et al. (IST 2021).

As in the paper, each plot shows one model, with the transformations side by side. The axis is the
same for all models.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from codeacumen.api import Score, Scores, TaskCard
from codeacumen.report.merged_runs import MergedRuns, find_score, make_slugs
from codeacumen.report.plots import (
    Plot,
    Scale,
    choose_scale,
    escape_unprintable,
    fit_spec,
    inline_data,
)

# Beginning of the tasks' names, and their main metric.
FAMILY = "robustness/"
METRIC = "pcp"
# Maximum number of models with plots.
MOST_MODELS = 12
# Pixels between dots of a plot with the transformations as the vertical axis.
DOT_SPACING = 18
# Modes: one place of a method is changed, or all places.
SINGLE, ALL = "single", "all"

# A dot: its ``part`` (see ``_Figure``), ``value``, bounds ``low`` and ``high``, ``interval`` as
# text, ``n``, and later the ``kind``, the transformation.
Row: TypeAlias = dict[str, Any]
# Returns the dots of one model in one task.
Rows: TypeAlias = Callable[[TaskCard, Scores], list[Row]]


@dataclass(frozen=True, slots=True)
class Figures:
    """Name of a model, and its plots, each with its heading and caption."""

    model: str
    plots: list[tuple[Plot, str, str]]


@dataclass(frozen=True, slots=True)
class _Figure:
    """Definition of a figure.

    ``name`` is part of the file's name, ``axis`` the title of the axis of values. ``rows`` returns
    the dots, each for a ``part``, such as a mode; ``order`` has the parts to draw in order. With
    ``across``, the transformations are the vertical axis and the parts are series; otherwise the
    parts are the horizontal axis and the transformations are series.
    """

    name: str
    title: str
    caption: str
    axis: str
    rows: Rows
    order: Sequence[str]
    across: bool


def list_robustness_tasks(merged: MergedRuns) -> list[TaskCard]:
    """Return the cards of the runs' robustness tasks."""
    return [
        card
        for name, card in merged.tasks.items()
        if name.startswith(FAMILY) and card.metric == METRIC
    ]


def get_kind(card: TaskCard) -> str:
    """Return the transformation of a task, in printable characters."""
    return escape_unprintable(card.name.removeprefix(FAMILY))


def build_figures(merged: MergedRuns, cards: Sequence[TaskCard]) -> list[Figures]:
    """Return the plots of the first models that are not baselines, or of all if there are none.

    The scale of a figure is the same for all models. Models without plots are left out.
    """
    scored_models = {cell.model for card in cards for cell in merged.cells_of_task(card.name)}
    non_baselines = [
        name
        for name in merged.models
        if name in scored_models and not merged.models[name].is_baseline
    ]
    models = (non_baselines or [name for name in merged.models if name in scored_models])[
        :MOST_MODELS
    ]
    file_names = make_slugs(models)
    plots_by_model: dict[str, list[tuple[Plot, str, str]]] = {model: [] for model in models}
    for figure in _define_figures(cards):
        rows_by_model = {model: _collect_rows(merged, cards, model, figure) for model in models}
        bounds = choose_scale(
            row[key]
            for rows in rows_by_model.values()
            for row in rows
            for key in ("value", "low", "high")
        )
        for model, rows in rows_by_model.items():
            if rows:
                name = f"robustness-{figure.name}-{file_names[model]}"
                title = escape_unprintable(f"{figure.title}: {model}")
                spec = _make_spec(figure, rows, [get_kind(card) for card in cards], bounds, title)
                plots_by_model[model].append(
                    (Plot(name, title, spec), figure.title, figure.caption)
                )
    return [Figures(model, plots) for model, plots in plots_by_model.items() if plots]


def _define_figures(cards: Sequence[TaskCard]) -> list[_Figure]:
    """Return the four figures, with the modes and slices of these tasks as parts."""
    modes = list(
        dict.fromkeys(
            evaluation_set.name for card in cards for evaluation_set in card.evaluation_sets
        )
    )
    shares = sorted((mode for mode in modes if mode.endswith("%")), key=_parse_percent)
    sizes = list(dict.fromkeys(_parse_size(slice_) for card in cards for slice_ in card.slices))
    return [
        _Figure(
            "places",
            "One place and all places",
            "Prediction change if one place is changed, and if all places of a method with two or "
            "more places are changed (figure 2 of the paper).",
            "pcp",
            _collect_place_rows,
            ("one place", "all places"),
            across=True,
        ),
        _Figure(
            "right",
            "Right and wrong names",
            "Percentage of names that change, among those that were right for the original and "
            "among those that were wrong (figure 3).",
            "changed, %",
            _collect_correctness_rows,
            ("right before", "wrong before"),
            across=True,
        ),
        _Figure(
            "shares",
            "By share of changed places",
            "Prediction change by the share of changed places, of methods with four or more "
            "places; all places: of methods with two or more (Table 3).",
            "pcp",
            _collect_mode_rows,
            [*shares, ALL] if shares else [],
            across=False,
        ),
        _Figure(
            "statements",
            "By the number of statements",
            "Prediction change by the number of statements of the original method (figure 4).",
            "pcp",
            _collect_size_rows,
            sizes,
            across=False,
        ),
    ]


def _collect_rows(
    merged: MergedRuns, cards: Sequence[TaskCard], model: str, figure: _Figure
) -> list[Row]:
    cells = [(card, merged.cells.get((card.name, model))) for card in cards]
    rows = [
        row | {"kind": get_kind(card)}
        for card, cell in cells
        if cell is not None
        for row in figure.rows(card, cell)
        if row["part"] in figure.order
    ]
    # A figure of shares needs more than the mode "all".
    return rows if figure.name != "shares" or any(row["part"] != ALL for row in rows) else []


def _collect_place_rows(card: TaskCard, cell: Scores) -> list[Row]:
    scores = [find_score(cell, mode) for mode in (SINGLE, ALL)]
    if not all(scores):
        return []
    return _make_dots(zip(("one place", "all places"), scores, strict=True))


def _collect_correctness_rows(card: TaskCard, cell: Scores) -> list[Row]:
    # The first mode is the headline's.
    mode = card.evaluation_sets[0].name
    metrics = ("cwp_share", "wrong_change_share")
    scores = [find_score(cell, mode, metric=metric) for metric in metrics]
    return _make_dots(zip(("right before", "wrong before"), scores, strict=True))


def _collect_mode_rows(card: TaskCard, cell: Scores) -> list[Row]:
    modes = [evaluation_set.name for evaluation_set in card.evaluation_sets]
    if not any(mode.endswith("%") for mode in modes):
        return []
    return _make_dots((mode, find_score(cell, mode)) for mode in modes)


def _collect_size_rows(card: TaskCard, cell: Scores) -> list[Row]:
    mode = card.evaluation_sets[0].name
    return _make_dots(
        (_parse_size(slice_), find_score(cell, mode, slice_)) for slice_ in card.slices
    )


def _make_dots(scores: Any) -> list[Row]:
    return [
        {"part": escape_unprintable(part)} | _make_dot(score)
        for part, score in scores
        if score is not None and score.value is not None
    ]


def _make_dot(score: Score) -> Row:
    has_interval = score.low is not None and score.high is not None
    return {
        "value": score.value,
        # Without an interval, the line has no length and is hidden by the dot.
        "low": score.low if has_interval else score.value,
        "high": score.high if has_interval else score.value,
        "interval": f"{score.low:.2f} to {score.high:.2f}" if has_interval else score.note,
        "n": score.n,
    }


def _parse_size(slice_: str) -> str:
    return escape_unprintable(slice_.removeprefix("statements:"))


def _parse_percent(mode: str) -> float:
    """Return the number of a mode such as 25%, to sort by; 0 if it is not a number."""
    try:
        return float(mode.removesuffix("%"))
    except ValueError:
        return 0.0


def _make_spec(
    figure: _Figure, rows: Sequence[Row], kinds: Sequence[str], bounds: Scale, title: str
) -> dict[str, Any]:
    """Return the Vega-Lite specification of dots with their intervals, in groups of series.

    ``kinds`` are all transformations, ``bounds`` the scale of the values.
    """
    import altair as alt

    present = {row["kind"] for row in rows}
    # The colour scale covers all transformations, so that each has the same colour in all plots.
    groups, series = ([kind for kind in kinds if kind in present], list(figure.order))
    group_field, series_field = ("kind", "part")
    if not figure.across:
        groups, series, group_field, series_field = list(figure.order), list(kinds), "part", "kind"
    visible_series = [name for name in series if any(row[series_field] == name for row in rows)]
    # The same legend for both, so that Vega-Lite merges colour and shape.
    legend = (
        alt.Legend(title=None, values=visible_series, columns=3)
        if len(visible_series) > 1
        else None
    )
    colour = alt.Color(
        f"{series_field}:N", scale=alt.Scale(domain=series, range="ordinal"), legend=legend
    )
    shape = alt.Shape(f"{series_field}:N", scale=alt.Scale(domain=series), legend=legend)
    scale = alt.Scale(domain=[bounds.low, bounds.high], nice=False)
    axis = alt.Axis(title=figure.axis, values=bounds.ticks, format=".2~f", grid=True)
    base = alt.Chart(inline_data(rows)).encode(color=colour)
    tooltip = [
        alt.Tooltip("kind:N", title="transformation"),
        alt.Tooltip("part:N", title="where" if figure.name != "statements" else "statements"),
        alt.Tooltip("value:Q", format=".2f"),
        "interval:N",
        alt.Tooltip("n:Q"),
    ]
    offset = alt.Scale(domain=visible_series, paddingOuter=0.3)
    if figure.across:
        base = base.encode(
            y=alt.Y(f"{group_field}:N", sort=groups, title=None),
            yOffset=alt.YOffset(f"{series_field}:N", scale=offset, sort=visible_series),
        )
        lines = base.encode(x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q")
        dots = base.encode(x=alt.X("value:Q", scale=scale, axis=axis))
        height = max(1, len(groups)) * (len(visible_series) + 1) * DOT_SPACING
    else:
        base = base.encode(
            x=alt.X(
                f"{group_field}:N",
                scale=alt.Scale(domain=groups, paddingInner=0.25),
                title="statements" if figure.name == "statements" else "places changed",
                axis=alt.Axis(labelAngle=0, labelOverlap="greedy", grid=False),
            ),
            xOffset=alt.XOffset(f"{series_field}:N", scale=offset, sort=visible_series),
        )
        lines = base.encode(y=alt.Y("low:Q", scale=scale, axis=axis), y2="high:Q")
        dots = base.encode(y=alt.Y("value:Q", scale=scale, axis=axis))
        height = 260
    chart = alt.layer(
        lines.mark_rule(strokeWidth=2, opacity=0.6).encode(tooltip=tooltip),
        dots.mark_point(filled=True, size=60, opacity=1).encode(shape=shape, tooltip=tooltip),
    ).properties(height=height, description=title)
    return fit_spec(chart)
