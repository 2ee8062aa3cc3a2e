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
from codeacumen.datasets.built import ABOUT, SCHEMA, require_dataset_folder
from codeacumen.survey.clean import LABELS, CleanedBenchmark, CleanedSurvey, CleaningRules, Dropped
from codeacumen.survey.votes import BadRow, Votes

# Family of the data set, which IdBench's tasks read.
FAMILY = "identifiers"
REPORT, READABLE = "report.json", "report.md"
TABLE = "_pair_wise.csv"
# Maximum number of unreadable rows that report.json lists; all are counted.
MAX_REPORTED_ROWS = 1000
# Number of decimals, and the sign for a missing label, as in the published files.
DIGITS = 4
MISSING = "NAN"
# Maximum number of rows of a table in report.md; report.json has more.
_MAX_SHOWN = 20

# Heading of the measured value in the table of each filter (``Dropped.filter_name``).
_UNITS = {
    "outlier rater": "mean difference",
    "downer": "increase of α",
    "too few votes": "votes",
    "outlier pair": "difference",
}


def format_stages(size_report: Mapping[str, Json]) -> list[list[str]]:
    """Return a row of cells for each stage of a size: name, raters, pairs, votes, and two α."""
    return [
        [
            stage["name"] if index == 0 else f"without {stage['name']}",
            *(f"{stage[name]:,}" for name in ("raters", "pairs", "votes")),
            *(format_alpha(stage["alpha"][name]) for name in ("relatedness", "similarity")),
        ]
        for index, stage in enumerate(size_report["stages"])
    ]


STAGE_COLUMNS = ("", "raters", "pairs", "votes", "α relatedness", "α similarity")


def format_markdown(report: Mapping[str, Json]) -> str:
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
            shown_rows = [
                [row["file"], str(row["line"]), row["reason"]] for row in rows["first"][:_MAX_SHOWN]
            ]
            lines += [
                "",
                f"## {heading}",
                "",
                *_format_table(["file", "line", "reason"], shown_rows, (1,)),
            ]
            lines += _format_rest(rows["count"])
    for name, size_report in report["sizes"].items():
        lines += ["", f"## {name}", "", f"τ {size_report['tau']}, θ {size_report['theta']}.", ""]
        lines += _format_table(STAGE_COLUMNS, format_stages(size_report), range(1, 6))
        labels = ", ".join(f"{count:,} {label}" for label, count in size_report["labels"].items())
        lines += ["", f"{size_report['pairs']:,} pairs; labels: {labels}."]
        for filter_name, count in size_report["dropped_by"].items():
            dropped = [entry for entry in size_report["dropped"] if entry["by"] == filter_name]
            columns = ["rater" if "rater" in dropped[0] else "pair", _UNITS[filter_name], "limit"]
            shown_rows = [
                [_format_subject(entry), f"{entry['value']:g}", f"{entry['limit']:g}"]
                for entry in dropped[:_MAX_SHOWN]
            ]
            lines += [
                "",
                f"### {filter_name}: {count:,}",
                "",
                *_format_table(columns, shown_rows, (1, 2)),
            ]
            lines += _format_rest(count)
    return "\n".join(lines) + "\n"


def format_alpha(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _format_subject(entry: Mapping[str, Json]) -> str:
    return str(entry["rater"]) if "rater" in entry else ", ".join(entry["pair"])


def _format_rest(count: int) -> list[str]:
    return ["", f"… and {count - _MAX_SHOWN:,} more, in report.json."] if count > _MAX_SHOWN else []


def _format_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]
) -> list[str]:
    rule = ["--:" if column in right else "---" for column in range(len(columns))]
    return [_format_row(columns), _format_row(rule), *(_format_row(row) for row in rows)]


def _format_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def write_benchmarks(
    cleaned: CleanedSurvey, votes: Votes, rules: CleaningRules, sources: Sequence[Path], out: Path
) -> dict[str, Json]:
    """Write all files of a cleaned survey to ``out``, ``dataset.json`` last; return the report."""
    # The report is written first: a folder with it is the rest of an interrupted run, and may be
    # overwritten although it has no ``dataset.json``.
    if not (out / REPORT).is_file():
        require_dataset_folder(out)
    report = build_report(cleaned, votes, rules, sources)
    files = {
        REPORT: _to_json(report),
        READABLE: format_markdown(report),
        **{
            f"{benchmark.size.name}{TABLE}": format_csv(benchmark)
            for benchmark in cleaned.benchmarks
        },
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
            benchmark.size.name: {
                "agreement": _round_alphas(benchmark.stages[-1].alpha),
                "labels": _count_labels(benchmark),
            }
            for benchmark in cleaned.benchmarks
        },
        "counts": {benchmark.size.name: len(benchmark.pairs) for benchmark in cleaned.benchmarks},
        "files": {name: sha256_of(out / name) for name in files},
    }
    write_atomically(out / ABOUT, _to_json(about).encode())
    return report


def format_csv(benchmark: CleanedBenchmark) -> str:
    """Return the table of a size as CSV, with IdBench's columns except those of its techniques."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["id1", "id2", *LABELS])
    for pair, labels in zip(benchmark.pairs, benchmark.labels.tolist(), strict=True):
        writer.writerow([*pair, *(_format_label(label) for label in labels)])
    return out.getvalue()


def build_report(
    cleaned: CleanedSurvey, votes: Votes, rules: CleaningRules, sources: Sequence[Path]
) -> dict[str, Json]:
    """Return the report as JSON."""
    return {
        "sources": [{"file": path.name, "sha256": sha256_of(path)} for path in sources],
        "rules": {
            "scale": rules.scale.value,
            "downer_increase": rules.increase,
            "least_votes": rules.least_votes,
            "sizes": {size.name: {"tau": size.tau, "theta": size.theta} for size in rules.sizes},
        },
        "votes": {
            "rows": votes.rows,
            "direct": len(votes.direct),
            "indirect": len(votes.indirect),
            "raters": len({*votes.direct.raters, *votes.indirect.raters}),
            "pairs": len({*votes.direct.pairs, *votes.indirect.pairs}),
            "bad": _report_rows(votes.bad),
            "repeated": votes.repeated,
            "contradicting": _report_rows(votes.contradicting),
        },
        "raters_without_comparison": list(cleaned.uncompared_raters),
        "pairs_with_contexts_of_one_name": [list(pair) for pair in cleaned.one_sided],
        "sizes": {benchmark.size.name: _report_size(benchmark) for benchmark in cleaned.benchmarks},
    }


def _report_size(benchmark: CleanedBenchmark) -> dict[str, Json]:
    return {
        "tau": benchmark.size.tau,
        "theta": benchmark.size.theta,
        "stages": [
            {**asdict(stage), "alpha": _round_alphas(stage.alpha)} for stage in benchmark.stages
        ],
        "labels": _count_labels(benchmark),
        "pairs": len(benchmark.pairs),
        "dropped_by": dict(Counter(entry.filter_name for entry in benchmark.dropped)),
        "dropped": [_report_dropped(entry) for entry in benchmark.dropped],
    }


def _report_dropped(dropped: Dropped) -> dict[str, Json]:
    name: dict[str, Json] = (
        {"rater": dropped.subject}
        if isinstance(dropped.subject, str)
        else {"pair": list(dropped.subject)}
    )
    return {
        **name,
        "by": dropped.filter_name,
        "value": round(dropped.value, DIGITS),
        "limit": dropped.limit,
    }


def _count_labels(benchmark: CleanedBenchmark) -> dict[str, int]:
    """Return the number of pairs that have each label."""
    return {
        label: sum(not math.isnan(value) for value in benchmark.labels[:, column].tolist())
        for column, label in enumerate(LABELS)
    }


def _round_alphas(alpha: dict[str, float]) -> dict[str, float | None]:
    return {
        name: None if math.isnan(value) else round(value, DIGITS) for name, value in alpha.items()
    }


def _report_rows(rows: Sequence[BadRow]) -> dict[str, Json]:
    """Return the number of rows, and the ``first`` ``MAX_REPORTED_ROWS`` of them."""
    return {"count": len(rows), "first": [asdict(row) for row in rows[:MAX_REPORTED_ROWS]]}


def _format_label(label: float) -> str:
    return MISSING if math.isnan(label) else repr(round(label, DIGITS))


def _to_json(value: Json) -> str:
    return json.dumps(value, indent=1, ensure_ascii=True, allow_nan=False) + "\n"
