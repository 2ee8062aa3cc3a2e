"""The report of a cleaning, for people: Markdown from what ``report.json`` holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from acumen.api import Json

# Of each filter, so many are named; the others stand in report.json.
NAMED = 20

_UNITS = {
    "outlier rater": "mean difference",
    "downer": "increase of α",
    "too few votes": "votes",
    "outlier pair": "difference",
}


def stage_rows(told: Mapping[str, Json]) -> list[list[str]]:
    """Of each stage of a size: its name, raters, pairs, votes, and α of both questions."""
    return [
        [
            stage["name"] if place == 0 else f"without {stage['name']}",
            *(f"{stage[name]:,}" for name in ("raters", "pairs", "votes")),
            *(number(stage["alpha"][name]) for name in ("relatedness", "similarity")),
        ]
        for place, stage in enumerate(told["stages"])
    ]


STAGE_COLUMNS = ("", "raters", "pairs", "votes", "α relatedness", "α similarity")


def markdown(report: Mapping[str, Json]) -> str:
    votes, rules = report["votes"], report["rules"]
    lines = [
        "# Cleaned survey",
        "",
        f"{votes['rows']:,} rows: {votes['direct']:,} direct and {votes['indirect']:,} indirect "
        f"votes of {votes['raters']:,} raters on {votes['pairs']:,} pairs. Left out: "
        f"{votes['bad']['count']:,} rows that cannot be read, {votes['repeated']:,} that repeat "
        f"another, {votes['contradicting']['count']:,} that contradict one of the same rater.",
        "",
        f"α is Krippendorff's, {rules['scale']}. A downer raises it by "
        f"{rules['downer_increase']:.0%} or more by leaving. A direct score needs "
        f"{rules['least_votes']} votes.",
    ]
    for heading, rows in (
        ("Rows that cannot be read", votes["bad"]),
        ("Contradicting rows", votes["contradicting"]),
    ):
        if rows["count"]:
            shown = [[row["file"], str(row["line"]), row["why"]] for row in rows["first"][:NAMED]]
            lines += ["", f"## {heading}", "", *_table(["file", "line", "why"], shown, (1,))]
            lines += _more(rows["count"])
    for name, told in report["sizes"].items():
        lines += ["", f"## {name}", "", f"τ {told['tau']}, θ {told['theta']}.", ""]
        lines += _table(STAGE_COLUMNS, stage_rows(told), range(1, 6))
        labels = ", ".join(f"{count:,} {label}" for label, count in told["labels"].items())
        lines += ["", f"{told['pairs']:,} pairs; labels: {labels}."]
        for by, count in told["dropped_by"].items():
            mine = [one for one in told["dropped"] if one["by"] == by]
            columns = ["rater" if "rater" in mine[0] else "pair", _UNITS[by], "limit"]
            shown = [[_who(one), f"{one['value']:g}", f"{one['limit']:g}"] for one in mine[:NAMED]]
            lines += ["", f"### {by}: {count:,}", "", *_table(columns, shown, (1, 2))]
            lines += _more(count)
    return "\n".join(lines) + "\n"


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _who(one: Mapping[str, Json]) -> str:
    return str(one["rater"]) if "rater" in one else ", ".join(one["pair"])


def _more(count: int) -> list[str]:
    return ["", f"… and {count - NAMED:,} more, in report.json."] if count > NAMED else []


def _table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]
) -> list[str]:
    rule = ["--:" if place in right else "---" for place in range(len(columns))]
    return [_line(columns), _line(rule), *(_line(row) for row in rows)]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
