"""Build the report's section about a corpus and its methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeacumen.corpus import Corpus
from codeacumen.corpus.stats import compute_stats
from codeacumen.report.plots import Plot, escape_unprintable, fit_spec, inline_data

# Greatest number of lines of a method in each bar; one more bar has all longer methods.
LENGTH_BINS = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89)
MAX_PROJECTS = 100


@dataclass(frozen=True, slots=True)
class CorpusView:
    """Contents of a corpus section.

    ``slug`` is the anchor of the section. ``projects`` are the first ``MAX_PROJECTS``, ``left`` is
    the number of the others, ``lengths`` are statistics of the lines of a method, and ``problems``
    count remarks about files by kind.
    """

    name: str
    slug: str
    totals: dict[str, int]
    projects: list[dict[str, Any]]
    left: int
    lengths: dict[str, int]
    problems: list[dict[str, Any]]
    plot: Plot


def build_corpus_views(folders: Sequence[Path]) -> list[CorpusView]:
    """Return the sections about the corpora in these folders."""
    return [
        _build_corpus_view(Corpus.open(folder), number) for number, folder in enumerate(folders)
    ]


def _build_corpus_view(corpus: Corpus, number: int) -> CorpusView:
    statistics = compute_stats(corpus)
    name = escape_unprintable(corpus.folder.resolve().name)
    slug = f"corpus-{number + 1}"
    projects = statistics["projects"]
    return CorpusView(
        name=name,
        slug=slug,
        totals=statistics["totals"],
        projects=projects[:MAX_PROJECTS],
        left=max(0, len(projects) - MAX_PROJECTS),
        lengths=statistics["lines_of_a_method"],
        problems=statistics["problems"],
        plot=_plot_lengths(corpus, slug, name),
    )


def _plot_lengths(corpus: Corpus, slug: str, name: str) -> Plot:
    """Return a histogram of the lines of a method."""
    import altair as alt

    counts = corpus.query(
        "select end_line - line + 1 as lines, count(*) as methods from methods where body "
        "group by 1"
    ).to_pylist()
    rows = []
    for lower, last in zip((0, *LENGTH_BINS), (*LENGTH_BINS, None), strict=True):
        counts_in_bin = [
            row["methods"]
            for row in counts
            if row["lines"] > lower and (last is None or row["lines"] <= last)
        ]
        rows.append({"lines": _format_range(lower + 1, last), "methods": sum(counts_in_bin)})
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
    return Plot(f"lengths-{slug}", f"Lengths of the methods of {name}", fit_spec(chart))


def _format_range(first: int, last: int | None) -> str:
    if last is None:
        return f"{first}+"
    return str(first) if first == last else f"{first}–{last}"
