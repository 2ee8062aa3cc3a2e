"""Sections of the page about data: a corpus and its methods, a built data set and its warnings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeacumen.corpus import Corpus
from codeacumen.corpus.stats import stats
from codeacumen.datasets.built import Built
from codeacumen.report.plots import Plot, fitted_spec, inline_data, printable

# Upper ends of the bars; the last bar has no end.
LENGTHS = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89)
MOST_PROJECTS = 100


@dataclass(frozen=True, slots=True)
class CorpusView:
    """``projects`` are the first of them; ``problems`` the kinds of remarks about files."""

    name: str
    slug: str
    totals: dict[str, int]
    projects: list[dict[str, Any]]
    left: int
    lengths: dict[str, int]
    problems: list[dict[str, Any]]
    plot: Plot


def corpus_views(folders: Sequence[Path]) -> list[CorpusView]:
    return [_view(Corpus.open(folder), place) for place, folder in enumerate(folders)]


def _view(corpus: Corpus, place: int) -> CorpusView:
    found = stats(corpus)
    name = printable(corpus.folder.resolve().name)
    slug = f"corpus-{place + 1}"
    projects = found["projects"]
    return CorpusView(
        name=name,
        slug=slug,
        totals=found["totals"],
        projects=projects[:MOST_PROJECTS],
        left=max(0, len(projects) - MOST_PROJECTS),
        lengths=found["lines_of_a_method"],
        problems=found["problems"],
        plot=_lengths(corpus, slug, name),
    )


def _lengths(corpus: Corpus, slug: str, name: str) -> Plot:
    """How many methods have how many lines."""
    import altair as alt

    counted = corpus.query(
        "select end_line - line + 1 as lines, count(*) as methods from methods where body "
        "group by 1"
    ).to_pylist()
    rows = []
    for below, last in zip((0, *LENGTHS), (*LENGTHS, None), strict=True):
        inside = [
            row["methods"]
            for row in counted
            if row["lines"] > below and (last is None or row["lines"] <= last)
        ]
        rows.append({"lines": _label(below + 1, last), "methods": sum(inside)})
    order = [row["lines"] for row in rows]
    bars = alt.Chart(inline_data(rows)).mark_bar(cornerRadiusEnd=2)
    chart = alt.layer(
        bars.encode(
            x=alt.X(
                "lines:N",
                sort=order,
                title="lines of a method",
                axis=alt.Axis(labelAngle=0, labelOverlap="greedy"),
            ),
            y=alt.Y("methods:Q", title="methods", axis=alt.Axis(tickMinStep=1, format=",d")),
            tooltip=["lines:N", alt.Tooltip("methods:Q", format=",d")],
        )
    ).properties(height=220)
    return Plot(f"lengths-{slug}", f"How long the methods of {name} are", fitted_spec(chart))


def _label(first: int, last: int | None) -> str:
    if last is None:
        return f"{first}+"
    return str(first) if first == last else f"{first}–{last}"


# Families whose counts are those of tasks and splits.
FAMILIES = {"gluecode": "GLUECode"}


@dataclass(frozen=True, slots=True)
class Size:
    """A task's instances in each split, those wanted, and what is to be said of them."""

    task: str
    cells: list[tuple[int, int]]
    remarks: list[str]


@dataclass(frozen=True, slots=True)
class DataCard:
    """``warnings`` are methods that the null analysis has one, and several, warnings for;
    ``labels`` the most frequent ones of each task with open answers, in training."""

    name: str
    slug: str
    title: str
    splits: list[str]
    methods: list[int]
    sizes: list[Size]
    warnings: list[tuple[int, int]]
    labels: list[tuple[str, int, list[tuple[str, int]]]]
    settings: dict[str, Any]
    twins_unknown: str
    plot: Plot | None


def data_cards(built: Sequence[Built]) -> list[DataCard]:
    known = [one for one in built if one.family in FAMILIES]
    return [_card(one, place) for place, one in enumerate(known, 1)]


def _card(built: Built, place: int) -> DataCard:
    counts = built.about["counts"]
    splits = list(counts["methods"])
    name, slug = printable(built.folder.name), f"data-set-{place}"
    return DataCard(
        name=name,
        slug=slug,
        title=FAMILIES[built.family],
        splits=splits,
        methods=[counts["methods"][split] for split in splits],
        sizes=[_size(task, told, splits) for task, told in counts["tasks"].items()],
        warnings=[
            (one["methods_with_one"], one["methods_with_several"])
            for one in (counts["warnings"][split] for split in splits)
        ],
        labels=[
            (task, told["train"]["different"], list(told["train"]["most"].items()))
            for task, told in counts["labels"].items()
            if task in ("naming", "completion", "nulltoken")
        ],
        settings=built.about["settings"],
        twins_unknown=counts["twins_unknown"],
        plot=_origins(counts["origins"], splits, slug, name),
    )


def _size(task: str, told: Any, splits: Sequence[str]) -> Size:
    remarks = []
    for split in splits:
        one = told[split]
        if one["instances"] and "each" in one:
            remarks.append(f"{split}: {one['each']:,} of each class")
        if one["instances"] and one.get("missing"):
            remarks.append(f"{split}: no method with {', '.join(one['missing'])}")
        if one.get("without_warning"):
            remarks.append(f"{split}: {one['without_warning']:,} without a warning")
        if one["twins_in_train"]:
            remarks.append(f"{split}: {one['twins_in_train']:,} with a twin in training")
    return Size(task, [(told[one]["instances"], told[one]["wanted"]) for one in splits], remarks)


def _origins(counts: Any, splits: Sequence[str], slug: str, name: str) -> Plot | None:
    """Where called methods are declared, the share of each split's."""
    import altair as alt

    rows = []
    for split in splits:
        total = sum(counts[split].values())
        for place, (origin, count) in enumerate(counts[split].items() if total else ()):
            row = {"split": split, "origin": origin, "place": place, "count": count}
            rows.append({**row, "share": count / total})
    if not rows:
        return None
    order = list(counts[splits[0]])
    bars = alt.Chart(inline_data(rows)).mark_bar(cornerRadius=2)
    chart = alt.layer(
        bars.encode(
            x=alt.X("share:Q", title="share of the calls asked for", axis=alt.Axis(format="%")),
            y=alt.Y("split:N", sort=list(splits), title=None),
            # From near to far: one colour that fades, in either theme.
            opacity=alt.Opacity(
                "origin:N", title="declared in", sort=order,
                scale=alt.Scale(domain=order, range=[1.0, 0.7, 0.45, 0.2]),
            ),
            order=alt.Order("place:Q"),
            tooltip=["split:N", "origin:N", alt.Tooltip("count:Q", format=",d"),
                     alt.Tooltip("share:Q", format=".1%")],
        )
    ).properties(height=40 * len(splits))  # fmt: skip
    title = f"Where the called methods of {name} are declared"
    return Plot(f"origins-{slug}", title, fitted_spec(chart))
