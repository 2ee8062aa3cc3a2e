"""Draw the plots: a forest plot for each task and evaluation set, and overviews.

A forest plot has a row for each model, with a dot for its score and a line for its interval. Plots
are Vega-Lite specifications, which altair builds. They contain no colours: those are in a separate
configuration, which the page swaps when the reader changes between light and dark. The ceiling of a
task is the upper bound of its score, usually how well people do. In this module ``people`` are the
rows of ceilings, even if a ceiling is not the score of people.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeacumen.api import CodeacumenError, EvaluationSet, Score, TaskCard
from codeacumen.report.merged_runs import MergedRuns, list_own_scores, rank_cells

if TYPE_CHECKING:
    import altair as alt

# Steps between ticks, times a power of ten.
AXIS_STEPS = (0.1, 0.2, 0.5)
MAX_TICKS = 8


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from ``low`` to ``high`` with a tick every ``step``."""

    low: float
    high: float
    step: float

    def percent(self, value: float) -> float:
        """Return the position on the axis in percent; rounding gives equal pages on all
        machines.
        """
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(1.0, max(0.0, share)), 2)

    @property
    def ticks(self) -> list[float]:
        """Values of the ticks."""
        # 1e-9 absorbs rounding errors, so that a tick at an end of the axis is kept.
        first = math.ceil(self.low / self.step - 1e-9)
        last = math.floor(self.high / self.step + 1e-9)
        return [round(i * self.step, 10) for i in range(first, last + 1)]


def choose_scale(values: Iterable[float | None]) -> Scale:
    """Return an axis from 0 to 1, extended by whole steps if values lie outside."""
    present = [value for value in values if value is not None and math.isfinite(value)]
    low, high = min([0.0, *present]), max([1.0, *present])
    step = _choose_step(high - low)
    return Scale(math.floor(low / step) * step, math.ceil(high / step) * step, step)


def _choose_step(span: float) -> float:
    """Return the smallest step that needs at most ``MAX_TICKS`` ticks on an axis of this length.

    Rounding the ends to whole steps may add a step at each end.
    """
    power = 1.0
    while True:
        for step in AXIS_STEPS:
            if span / (step * power) <= MAX_TICKS - 2:
                return step * power
        power *= 10.0


FORMATS = ("png", "svg")
# Width of an exported plot and height of a row, in pixels.
EXPORT_WIDTH = 640
ROW_HEIGHT = 22
# Kinds of marks in the legend; ``people`` are the ceilings.
KINDS = ("model", "baseline", "people")
LOWER_IS_BETTER = " (lower is better)"


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot. ``name`` is its id on the page and its file name; ``spec`` is Vega-Lite, as wide as
    its container."""

    name: str
    title: str
    spec: Mapping[str, Any]


# The same colours as page.css, by name and for each theme.
COLOURS = {
    "light": {
        "ink": "#1d2226",
        "soft": "#5b656d",
        "line": "#e3e6e8",
        "accent": "#0a6b78",
        "baseline": "#87919a",
        "paper": "#ffffff",
    },
    "dark": {
        "ink": "#e7eaec",
        "soft": "#a3adb5",
        "line": "#2e363c",
        "accent": "#56c5d0",
        "baseline": "#7d8891",
        "paper": "#161b1f",
    },
}

# Colours of series, such as the models' curves in curves.py: distinguishable with colour blindness
# (after Okabe and Ito), and by lightness.
SERIES = {
    "light": ["#0a6b78", "#d55e00", "#3b4cc0", "#b8860b", "#a8327e", "#5b656d"],
    "dark": ["#56c5d0", "#f2a378", "#9aa8ff", "#e6c84f", "#e58bc4", "#a3adb5"],
}


def build_theme(name: str) -> dict[str, Any]:
    """Return the Vega-Lite configuration for ``light`` or ``dark``."""
    colour = COLOURS[name]
    font = "system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif"
    return {
        "background": colour["paper"],
        "font": font,
        "view": {"stroke": None},
        "bar": {"fill": colour["accent"]},
        "range": {
            "category": [colour["accent"], colour["baseline"], colour["ink"]],
            "ordinal": SERIES[name],
        },
        "axis": {
            "labelColor": colour["soft"],
            "titleColor": colour["soft"],
            "titleFontWeight": "normal",
            "gridColor": colour["line"],
            "domain": False,
            "ticks": False,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "labelPadding": 8,
        },
        "axisY": {"labelColor": colour["ink"], "grid": False},
        "legend": {
            "labelColor": colour["soft"],
            "orient": "top",
            # From the right end, a legend has room to the left, above the labels, also on a phone.
            "layout": {"top": {"anchor": "end"}},
            "title": None,
            "labelFontSize": 12,
            "symbolStrokeWidth": 2,
        },
        "style": {"note": {"fill": colour["ink"], "fontSize": 12}},
    }


def draw_page_plots(merged: MergedRuns) -> list[Plot]:
    """Return the overviews and forest plots, in the order of the page."""
    forests = [
        draw_forest_plot(merged, card, evaluation_set)
        for card in merged.tasks.values()
        for evaluation_set in card.evaluation_sets
    ]
    return [*draw_overviews(merged), *forests]


def name_forest_plot(merged: MergedRuns, card: TaskCard, evaluation_set: EvaluationSet) -> str:
    """Return the name of the forest plot of a task and an evaluation set."""
    number = card.evaluation_sets.index(evaluation_set)
    return f"intervals-{merged.slugs[card.name]}" + (f"-{number + 1}" if number else "")


def draw_forest_plot(merged: MergedRuns, card: TaskCard, evaluation_set: EvaluationSet) -> Plot:
    """Return a forest plot: each model's score and interval, the best on top, and the ceiling."""
    import altair as alt

    name = name_forest_plot(merged, card, evaluation_set)
    cells = merged.cells_of_task(card.name)
    rows = [
        _build_row(merged, cell.model, score)
        for cell, score in rank_cells(cells, card, evaluation_set.name)
        if score.value is not None
    ]
    order = [row["name"] for row in rows]
    scale = choose_task_scale(merged, card)
    x_scale = alt.Scale(domain=[scale.low, scale.high], nice=False)
    metric_title = escape_unprintable(card.metric) + (
        LOWER_IS_BETTER if card.lower_is_better else ""
    )
    x_axis = alt.Axis(title=metric_title, values=scale.ticks, format=".2~f")
    y = alt.Y("name:N", sort=order, title=None, axis=alt.Axis(labelLimit=170))
    tooltip = [alt.Tooltip("name:N", title="model"), *_build_number_tooltips()]
    people = _list_ceiling_rows(card)
    colour = _build_colour([*rows, *people])
    base = alt.Chart(inline_data(rows)).encode(y=y, color=colour)
    bars = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", scale=x_scale, axis=x_axis), x2="high:Q", tooltip=tooltip
    )
    dots = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=alt.X("value:Q", scale=x_scale, axis=x_axis), tooltip=tooltip
    )
    layers = [bars, dots, *_build_ceiling_layers(people, x_scale, colour)]
    description = escape_unprintable(
        f"{card.title}: {card.metric} of each model with its interval ({evaluation_set.name})"
    )
    chart = alt.layer(*layers).properties(
        name=_view_name(name), height=max(1, len(rows)) * ROW_HEIGHT, description=description
    )
    return Plot(name, description, fit_spec(chart))


def draw_overviews(merged: MergedRuns) -> list[Plot]:
    """Return a plot of all models on all tasks.

    Tasks whose scores are better if lower get a plot of their own, because they share neither the
    axis nor its better end with the others.
    """
    card_groups = [
        [card for card in merged.tasks.values() if card.lower_is_better is lower]
        for lower in (False, True)
    ]
    first_plot, *other_plots = [_draw_overview(merged, cards) for cards in card_groups if cards]
    return [
        replace(first_plot, name="overview"),
        *(replace(plot, name="overview-2") for plot in other_plots),
    ]


def _draw_overview(merged: MergedRuns, cards: Sequence[TaskCard]) -> Plot:
    """Return a plot with a row for each task, a dot for each model, and a tick for the ceiling."""
    import altair as alt

    titles_by_task = _build_titles(merged)
    titles = {card.name: titles_by_task[card.name] for card in cards}
    lower_is_better = cards[0].lower_is_better
    rows = [
        _build_row(merged, cell.model, score) | {"task": titles[card.name]}
        for card in cards
        for cell, score in rank_cells(
            merged.cells_of_task(card.name), card, card.evaluation_sets[0].name
        )
        if score.value is not None
    ]
    people = [
        row | {"task": titles[card.name]} for card in cards for row in _list_ceiling_rows(card)
    ]
    colour = _build_colour([*rows, *people])
    scale = choose_scale(row["value"] for row in [*rows, *people])
    x = alt.X(
        "value:Q",
        scale=alt.Scale(domain=[scale.low, scale.high], nice=False),
        axis=alt.Axis(
            title=f"score{LOWER_IS_BETTER if lower_is_better else ''}",
            values=scale.ticks,
            format=".2~f",
        ),
    )
    y = alt.Y(
        "task:N", sort=list(titles.values()), title=None, axis=alt.Axis(labelLimit=190, grid=True)
    )
    picked = alt.selection_point(
        name="picked", fields=["name"], on="pointerover", clear="pointerout", empty=True
    )
    tooltip = [alt.Tooltip("name:N", title="model"), "task:N", *_build_number_tooltips()]
    dots = (
        alt.Chart(inline_data(rows), name="overview_dots")
        .mark_point(filled=True, size=64)
        .encode(
            x=x,
            y=y,
            color=colour,
            opacity=alt.condition(picked, alt.value(0.85), alt.value(0.12)),
            tooltip=tooltip,
        )
        .add_params(picked)
    )
    ticks = (
        alt.Chart(inline_data(people), name="overview_people")
        .mark_tick(thickness=2, size=ROW_HEIGHT - 4)
        .encode(x=x, y=y, color=colour, tooltip=["name:N", alt.Tooltip("value:Q")])
    )
    chart = alt.layer(dots, ticks).properties(
        name="overview",
        height=max(1, len(titles)) * (ROW_HEIGHT + 6),
        description="Score of every model on every task",
    )
    title = f"Every model on every task{LOWER_IS_BETTER if lower_is_better else ''}"
    return Plot("overview", title, fit_spec(chart))


def write_plots(plots: Sequence[Plot], folder: Path, formats: Sequence[str]) -> list[Path]:
    """Write plots as images in the light theme, and return their paths."""
    import vl_convert

    from codeacumen.core.files import write_atomically

    unknown = [name for name in formats if name not in FORMATS]
    if unknown:
        raise CodeacumenError(
            f"unknown plot format: {', '.join(unknown)}", f"choose from {', '.join(FORMATS)}"
        )
    written: list[Path] = []
    for plot in plots:
        spec = {**plot.spec, "width": EXPORT_WIDTH, "config": build_theme("light")}
        for format_ in dict.fromkeys(formats):
            path = folder / f"{plot.name}.{format_}"
            if format_ == "png":
                data = vl_convert.vegalite_to_png(spec, vl_version=vega_lite_version(), scale=2)
            else:
                data = vl_convert.vegalite_to_svg(spec, vl_version=vega_lite_version()).encode()
            write_atomically(path, data)
            written.append(path)
    return written


def vega_lite_version() -> str:
    """Return the Vega-Lite version of altair's specifications, in vl-convert's form."""
    import altair as alt

    return ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])


def escape_unprintable(text: str) -> str:
    """Return text with unprintable characters escaped.

    A model's name may contain any character. Vega rejects lone surrogates, and line separators in
    the expressions that Vega-Lite builds from names.
    """
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def choose_task_scale(merged: MergedRuns, card: TaskCard) -> Scale:
    """Return one axis for all evaluation sets of a task.

    When the reader of the page switches between the sets, only the scores move.
    """
    cells = merged.cells_of_task(card.name)
    # Own scores are those by the task's metric, in every evaluation set; "own" is no set here.
    scores = [score for cell in cells for score in list_own_scores(cell) if not score.slice]
    values = [value for score in scores for value in (score.value, score.low, score.high)]
    return choose_scale([*values, card.ceiling.value if card.ceiling else None])


def _build_titles(merged: MergedRuns) -> dict[str, str]:
    """Return the tasks' titles in the overview, with the name if two tasks share a title."""
    count = Counter(card.title for card in merged.tasks.values())
    return {
        name: escape_unprintable(card.title if count[card.title] == 1 else f"{card.title} ({name})")
        for name, card in merged.tasks.items()
    }


def _build_row(merged: MergedRuns, model: str, score: Score) -> dict[str, Any]:
    """Return a score as a row of a plot; ``low`` and ``high`` are None without an interval."""
    return {
        "name": escape_unprintable(model),
        "kind": KINDS[1] if merged.models[model].is_baseline else KINDS[0],
        "value": score.value,
        "low": score.low,
        "high": score.high,
        "n": score.n,
    }


def _build_colour(rows: Sequence[Mapping[str, Any]]) -> alt.Color:
    import altair as alt

    present = {row["kind"] for row in rows}
    legend = alt.Legend(title=None, values=[kind for kind in KINDS if kind in present])
    # All kinds are in the domain, so that a kind keeps its colour if another is absent.
    return alt.Color("kind:N", scale=alt.Scale(domain=list(KINDS)), legend=legend)


def _build_number_tooltips() -> list[alt.Tooltip]:
    import altair as alt

    numbers = [alt.Tooltip(f"{key}:Q", format=".3f") for key in ("value", "low", "high")]
    return [*numbers, alt.Tooltip("n:Q")]


def _list_ceiling_rows(card: TaskCard) -> list[dict[str, Any]]:
    if card.ceiling is None:
        return []
    return [
        {
            "kind": KINDS[2],
            "value": card.ceiling.value,
            "text": escape_unprintable(f"{card.ceiling.who} {card.ceiling.value:g}"),
            "name": escape_unprintable(f"{card.ceiling.label} ({card.ceiling.source})"),
        }
    ]


def _build_ceiling_layers(
    people: Sequence[Mapping[str, Any]], x_scale: alt.Scale, colour: alt.Color
) -> list[alt.Chart]:
    import altair as alt

    if not people:
        return []
    base = alt.Chart(inline_data(people)).encode(x=alt.X("value:Q", scale=x_scale), color=colour)
    rule = base.mark_rule(strokeDash=[4, 3]).encode(tooltip=["name:N", "value:Q"])
    text = base.mark_text(align="left", dx=5, y="height", dy=-6, style="note").encode(text="text:N")
    return [rule, text]


def _view_name(name: str) -> str:
    return name.replace("-", "_")


def inline_data(rows: Sequence[Mapping[str, Any]]) -> alt.Data:
    """Return rows as Vega-Lite data; altair rejects a plain list of more than 5000."""
    import altair as alt

    data: alt.Data = alt.Data.from_dict({"values": list(rows)})
    return data


def fit_spec(chart: alt.LayerChart | alt.FacetChart) -> dict[str, Any]:
    """Return a chart's specification, as wide as its container and without colours."""
    spec: dict[str, Any] = chart.to_dict()
    # The user's altair theme must not change the page. The schema's address would look like a
    # request to the network.
    for key in ("config", "$schema"):
        spec.pop(key, None)
    spec |= {
        "width": "container",
        "autosize": {"type": "fit-x", "contains": "padding"},
        # Room for half a dot at the end of the axis.
        "padding": {"left": 2, "right": 8, "top": 2, "bottom": 2},
    }
    return spec
