"""Build the report's section about a corpus and its methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeacumen.corpus import Corpus
from codeacumen.corpus.stats import stats
from codeacumen.report.plots import Plot, fitted_spec, inline_data, printable

# Upper limits of the bars; the last bar has none.
LENGTHS = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89)
MOST_PROJECTS = 100


@dataclass(frozen=True, slots=True)
class CorpusView:
    """Contents of a corpus section.

    ``projects`` are the first ``MAX_PROJECTS``, ``left`` is the number of the others, ``lengths``
    are statistics of the lines of a method, and ``problems`` count the kinds of remarks about
    files.
    """

    name: str
    slug: str
    totals: dict[str, int]
    projects: list[dict[str, Any]]
    left: int
    lengths: dict[str, int]
    problems: list[dict[str, Any]]
    plot: Plot


def corpus_views(folders: Sequence[Path]) -> list[CorpusView]:
    """Return the sections about the corpora in these folders."""
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
    """Return a histogram of the lines of a method."""
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
    return Plot(f"lengths-{slug}", f"Lengths of the methods of {name}", fitted_spec(chart))


def _label(first: int, last: int | None) -> str:
    if last is None:
        return f"{first}+"
    return str(first) if first == last else f"{first}–{last}"
