"""A cleaned survey as files: IdBench's three tables, what was dropped and why, and a data set that
``acumen eval`` can ask."""

from __future__ import annotations

import csv
import io
import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from acumen.api import Json
from acumen.datasets.built import ABOUT, SCHEMA, must_be_ours
from acumen.files import sha256_of, write_atomically
from acumen.survey.clean import LABELS, Benchmark, Cleaned, Dropped, Rules
from acumen.survey.markdown import markdown
from acumen.survey.reading import BadRow, Votes

FAMILY = "identifiers"
REPORT, READABLE = "report.json", "report.md"
TABLE = "_pair_wise.csv"
# Rows that could not be read are all counted; so many are named.
NAMED = 1000
# As in the published files.
DIGITS = 4
MISSING = "NAN"


def write(
    cleaned: Cleaned, votes: Votes, rules: Rules, sources: Sequence[Path], out: Path
) -> dict[str, Json]:
    """Write all files, the description last; gives the report."""
    # A run that was ended early has left the report, which is written first.
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
    # Sizes of a cleaning before this one.
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
    """A size in IdBench's columns, without those of the techniques that it was tried with."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["id1", "id2", *LABELS])
    for pair, labels in zip(benchmark.pairs, benchmark.labels.tolist(), strict=True):
        writer.writerow([*pair, *(_cell(label) for label in labels)])
    return out.getvalue()


def report_of(
    cleaned: Cleaned, votes: Votes, rules: Rules, sources: Sequence[Path]
) -> dict[str, Json]:
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
    """How many pairs have each label."""
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
