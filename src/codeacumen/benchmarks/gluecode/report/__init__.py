"""Build the report's card of a GLUECode data set: sizes, null warnings, frequent answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codeacumen.datasets.built import BuiltDataset
from codeacumen.report.merged_runs import Evidence, MergedRuns
from codeacumen.report.plots import Plot, escape_unprintable, fit_spec, inline_data
from codeacumen.report.sections import Section

FAMILY = "gluecode"
# Tasks without choices, whose frequent answers are shown.
OPEN_TASKS = ("naming", "completion", "nulltoken")


@dataclass(frozen=True, slots=True)
class TaskSize:
    """Size of a task: in ``cells`` the instances and their target number by split, and remarks."""

    task: str
    cells: list[tuple[int, int]]
    remarks: list[str]


@dataclass(frozen=True, slots=True)
class DataCard:
    """Content of a data set's card.

    ``methods`` and ``warnings`` are by split: the number of methods, and the numbers of methods
    with one and with several null-dereference warnings. ``labels`` describe the tasks with open
    answers: the task, the number of distinct answers in training, and the most frequent answers
    with their counts. ``near_duplicates_unknown`` is the reason why these are unknown, or empty.
    """

    name: str
    splits: list[str]
    methods: list[int]
    sizes: list[TaskSize]
    warnings: list[tuple[int, int]]
    labels: list[tuple[str, int, list[tuple[str, int]]]]
    settings: dict[str, Any]
    near_duplicates_unknown: str
    plot: Plot | None


def build_sections(
    merged: MergedRuns, evidence: Mapping[str, Evidence], data_sets: Sequence[BuiltDataset]
) -> list[Section]:
    """Return a card for each GLUECode data set."""
    own_sets = [built for built in data_sets if built.family == FAMILY]
    return [_build_card(built, f"data-set-{i}") for i, built in enumerate(own_sets, 1)]


def draw_plots(merged: MergedRuns) -> list[Plot]:
    """Return no plots, because the cards' plots need the data sets."""
    return []


def _build_card(built: BuiltDataset, slug: str) -> Section:
    counts = built.about["counts"]
    splits = list(counts["methods"])
    name = escape_unprintable(built.folder.name)
    card = DataCard(
        name=name,
        splits=splits,
        methods=[counts["methods"][split] for split in splits],
        sizes=[_describe_size(task, sizes, splits) for task, sizes in counts["tasks"].items()],
        warnings=[
            (warnings["methods_with_one"], warnings["methods_with_several"])
            for warnings in (counts["warnings"][split] for split in splits)
        ],
        labels=[
            (task, labels["train"]["different"], list(labels["train"]["most"].items()))
            for task, labels in counts["labels"].items()
            if task in OPEN_TASKS
        ],
        settings=built.about["settings"],
        near_duplicates_unknown=counts["near_duplicates_unknown"],
        plot=_draw_origins(counts["origins"], splits, slug, name),
    )
    return Section(
        anchor=slug,
        contents_title=f"Data set: {name}",
        package=__name__,
        template="data_card.html",
        content=card,
        plots=[card.plot] if card.plot else [],
    )


def _describe_size(task: str, sizes: Any, splits: Sequence[str]) -> TaskSize:
    remarks = []
    for split in splits:
        size = sizes[split]
        if size["instances"] and "each" in size:
            remarks.append(f"{split}: {size['each']:,} of each class")
        if size["instances"] and size.get("missing"):
            remarks.append(f"{split}: no method with {', '.join(size['missing'])}")
        if size.get("without_warning"):
            remarks.append(f"{split}: {size['without_warning']:,} without a warning")
        if size["near_duplicates_in_train"]:
            remarks.append(
                f"{split}: {size['near_duplicates_in_train']:,} with a near-duplicate in training"
            )
    cells = [(sizes[split]["instances"], sizes[split]["wanted"]) for split in splits]
    return TaskSize(task, cells, remarks)


def _draw_origins(counts: Any, splits: Sequence[str], slug: str, name: str) -> Plot | None:
    """Return a plot of the origins of called methods, as shares of each split's masked calls.

    It is None for a data set without masked calls.
    """
    import altair as alt

    rows = []
    for split in splits:
        total = sum(counts[split].values())
        for position, (origin, count) in enumerate(counts[split].items() if total else ()):
            row = {"split": split, "origin": origin, "position": position, "count": count}
            rows.append({**row, "share": count / total})
    if not rows:
        return None
    order = list(counts[splits[0]])
    bars = alt.Chart(inline_data(rows)).mark_bar(cornerRadius=2)
    chart = alt.layer(
        bars.encode(
            x=alt.X("share:Q", title="share of the calls", axis=alt.Axis(format="%")),
            y=alt.Y("split:N", sort=list(splits), title=None),
            # One colour that fades with the distance, for both themes.
            opacity=alt.Opacity(
                "origin:N",
                title="declared in",
                sort=order,
                scale=alt.Scale(domain=order, range=[1.0, 0.7, 0.45, 0.2]),
            ),
            order=alt.Order("position:Q"),
            tooltip=[
                "split:N",
                "origin:N",
                alt.Tooltip("count:Q", format=",d"),
                alt.Tooltip("share:Q", format=".1%"),
            ],
        )
    ).properties(height=40 * len(splits))
    title = f"Where the called methods of {name} are declared"
    return Plot(f"origins-{slug}", title, fit_spec(chart))
