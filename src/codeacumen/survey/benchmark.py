"""Files of a cleaned survey: a data set for ``codeacumen eval``, and reports.

The data set has IdBench's three tables. The reports, in JSON and in Markdown, list the dropped
raters and pairs with the reasons.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from codeacumen.api import Json
from codeacumen.core.files import sha256_of, write_atomically
from codeacumen.datasets.built import ABOUT, SCHEMA, must_be_ours
from codeacumen.survey.clean import LABELS, Benchmark, Cleaned, Dropped, Rules
from codeacumen.survey.votes import BadRow, Votes

FAMILY = "identifiers"
REPORT, READABLE = "report.json", "report.md"
TABLE = "_pair_wise.csv"
# Maximum number of unreadable rows that report.json lists; all are counted.
NAMED = 1000
# Number of decimals, and the sign for a missing label, as in the published files.
DIGITS = 4
MISSING = "NAN"
# Maximum number of rows of a table in report.md; report.json has the others.
_SHOWN = 20

_UNITS = {
    "outlier rater": "mean difference",
    "downer": "increase of α",
    "too few votes": "votes",
    "outlier pair": "difference",
}


def stage_rows(told: Mapping[str, Json]) -> list[list[str]]:
    """Return a row of cells for each stage of a size: name, raters, pairs, votes, and two α."""
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
    """Return the report in Markdown."""
    votes, rules = report["votes"], report["rules"]
    lines = [
        "# Cleaned survey",
        "",
        f"{votes['rows']:,} rows: {votes['direct']:,} direct and {votes['indirect']:,} indirect "
        f"votes of {votes['raters']:,} raters on {votes['pairs']:,} pairs. Left out: "
        f"{votes['bad']['count']:,} rows that cannot be read, {votes['repeated']:,} that repeat "
        f"another, {votes['contradicting']['count']:,} that contradict one of the same rater.",
        "",
        f"α is Krippendorff's, {rules['scale']}. A downer is a rater without whom α is higher by "
        f"{rules['downer_increase']:.0%} or more. A direct score needs "
        f"{rules['least_votes']} votes.",
    ]
    for heading, rows in (
        ("Rows that cannot be read", votes["bad"]),
        ("Contradicting rows", votes["contradicting"]),
    ):
        if rows["count"]:
            shown = [[row["file"], str(row["line"]), row["why"]] for row in rows["first"][:_SHOWN]]
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
            shown = [[_who(one), f"{one['value']:g}", f"{one['limit']:g}"] for one in mine[:_SHOWN]]
            lines += ["", f"### {by}: {count:,}", "", *_table(columns, shown, (1, 2))]
            lines += _more(count)
    return "\n".join(lines) + "\n"


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _who(one: Mapping[str, Json]) -> str:
    return str(one["rater"]) if "rater" in one else ", ".join(one["pair"])


def _more(count: int) -> list[str]:
    return ["", f"… and {count - _SHOWN:,} more, in report.json."] if count > _SHOWN else []


def _table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]
) -> list[str]:
    rule = ["--:" if place in right else "---" for place in range(len(columns))]
    return [_line(columns), _line(rule), *(_line(row) for row in rows)]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def write(
    cleaned: Cleaned, votes: Votes, rules: Rules, sources: Sequence[Path], out: Path
) -> dict[str, Json]:
    """Write all files of a cleaned survey, the description last; return the report."""
    # The report is written first: an interrupted run leaves it without a description.
    if not (out / REPORT).is_file():
        must_be_ours(out)
    report = report_of(cleaned, votes, rules, sources)
    files = {
        REPORT: _json(report),
        READABLE: markdown(report),
        **{f"{one.size.name}{TABLE}": table(one) for one in cleaned.benchmarks},
    }
    for name, text in files.items():
        write_atomically(out / name, text.encode())
    # Delete the tables of sizes that only an earlier cleaning had.
    for path in out.glob(f"*{TABLE}"):
        if path.name not in files:
            path.unlink()
    about = {
        "family": FAMILY,
        "schema": SCHEMA,
        "kinds": {
            one.size.name: {
                "agreement": _alphas(one.stages[-1].alpha),
                "labels": _labelled(one),
            }
            for one in cleaned.benchmarks
        },
        "counts": {one.size.name: len(one.pairs) for one in cleaned.benchmarks},
        "files": {name: sha256_of(out / name) for name in files},
    }
    write_atomically(out / ABOUT, _json(about).encode())
    return report


def table(benchmark: Benchmark) -> str:
    """Return a size as CSV with IdBench's columns, except those of the evaluated techniques."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["id1", "id2", *LABELS])
    for pair, labels in zip(benchmark.pairs, benchmark.labels.tolist(), strict=True):
        writer.writerow([*pair, *(_cell(label) for label in labels)])
    return out.getvalue()


def report_of(
    cleaned: Cleaned, votes: Votes, rules: Rules, sources: Sequence[Path]
) -> dict[str, Json]:
    """Return the report as JSON."""
    return {
        "sources": [{"file": path.name, "sha256": sha256_of(path)} for path in sources],
        "rules": {
            "scale": rules.scale.value,
            "downer_increase": rules.increase,
            "least_votes": rules.least_votes,
            "sizes": {one.name: {"tau": one.tau, "theta": one.theta} for one in rules.sizes},
        },
        "votes": {
            "rows": votes.rows,
            "direct": len(votes.direct),
            "indirect": len(votes.indirect),
            "raters": len({*votes.direct.raters, *votes.indirect.raters}),
            "pairs": len({*votes.direct.pairs, *votes.indirect.pairs}),
            "bad": _listed(votes.bad),
            "repeated": votes.repeated,
            "contradicting": _listed(votes.contradicting),
        },
        "raters_without_comparison": list(cleaned.alone),
        "pairs_with_contexts_of_one_name": [list(pair) for pair in cleaned.one_sided],
        "sizes": {one.size.name: _told(one) for one in cleaned.benchmarks},
    }


def _told(benchmark: Benchmark) -> dict[str, Json]:
    return {
        "tau": benchmark.size.tau,
        "theta": benchmark.size.theta,
        "stages": [{**asdict(stage), "alpha": _alphas(stage.alpha)} for stage in benchmark.stages],
        "labels": _labelled(benchmark),
        "pairs": len(benchmark.pairs),
        "dropped_by": dict(Counter(one.by for one in benchmark.dropped)),
        "dropped": [_reason(one) for one in benchmark.dropped],
    }


def _reason(one: Dropped) -> dict[str, Json]:
    name: dict[str, Json] = (
        {"rater": one.what} if isinstance(one.what, str) else {"pair": list(one.what)}
    )
    return {**name, "by": one.by, "value": round(one.value, DIGITS), "limit": one.limit}


def _labelled(benchmark: Benchmark) -> dict[str, int]:
    """Return the number of pairs that have each label."""
    return {
        label: sum(not math.isnan(value) for value in benchmark.labels[:, place].tolist())
        for place, label in enumerate(LABELS)
    }


def _alphas(alpha: dict[str, float]) -> dict[str, float | None]:
    return {name: None if math.isnan(one) else round(one, DIGITS) for name, one in alpha.items()}


def _listed(rows: Sequence[BadRow]) -> dict[str, Json]:
    return {"count": len(rows), "first": [asdict(row) for row in rows[:NAMED]]}


def _cell(label: float) -> str:
    return MISSING if math.isnan(label) else repr(round(label, DIGITS))


def _json(value: Json) -> str:
    return json.dumps(value, indent=1, ensure_ascii=True, allow_nan=False) + "\n"
