"""Findings for people at a terminal, and as JSON for programs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from acumen import __version__
from acumen.api import Json
from acumen.checker.baseline import Known
from acumen.checker.check import Report
from acumen.checker.findings import Finding
from acumen.corpus.sources.paths import on_disk
from acumen.models.naming.verdict import Evidence

# Another number when a reader of the old form would be misled.
FORMAT = 1
# So many examples of a reason are told in a line.
EXAMPLES = 4

# A text in a role: place, name, probability, rule, why, better, text.
Style: TypeAlias = Callable[[str, str], str]


def plain(role: str, text: str) -> str:
    return text


def text_lines(report: Report, style: Style = plain) -> Iterator[str]:
    """A line for each finding, as compilers write them; below it why, and what would be better."""
    for one in report.told:
        place = f"{shown_path(report, one.path)}:{one.place.line}:{one.place.column}"
        yield (
            f"{style('place', place)}: {style('name', one.method)} "
            f"{style('probability', f'{one.probability:.2f}')} {style('rule', f'[{one.rule}]')}"
        )
        for reason in one.reasons:
            yield f"    {style('why', 'why:')} {style('text', _reason(reason))}"
        if one.suggestions:
            better = ", ".join(f"{each.name} ({each.confidence:.2f})" for each in one.suggestions)
            yield f"    {style('better', 'better:')} {style('text', better)}"


def _reason(reason: Evidence) -> str:
    shown = reason.examples[:EXAMPLES]
    more = len(reason.examples) - len(shown)
    if not shown:
        return reason.text
    return f"{reason.text} ({', '.join(shown)}{f' and {more} more' if more else ''})"


def shown_path(report: Report, path: str) -> str:
    """A path that can be opened from here."""
    if len(report.roots) != 1:
        return path
    return os.path.relpath(report.roots[0] / Path(on_disk(path))).replace(os.sep, "/")


def summary(report: Report) -> list[str]:
    """What was looked at, in a few sentences."""
    told = report.told
    lines = [
        f"{_many(len(told), 'finding')} in {_many(report.methods, 'method')} of "
        f"{_many(report.files, 'file')}, at a threshold of {report.settings.threshold:g}"
    ]
    quiet = [one.suppressed for one in report.findings if one.suppressed]
    if quiet:
        inline, known = quiet.count("inline"), quiet.count("baseline")
        lines.append(
            f"suppressed: {inline:,} by comments or annotations, {known:,} by the baseline"
        )
    if report.stale:
        lines.append(
            f"{_many(len(report.stale), 'known finding')} of the baseline no longer there: "
            "write it again"
        )
        lines += [f"  {one.path}: {one.method}" for one in report.stale]
    for why, count in sorted(report.skipped.items()):
        if count:
            lines.append(f"{_many(count, 'file')}: {why}")
    lines += [f"{one.path}: {one.kind}: {one.message}" for one in report.problems]
    return lines


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def record(report: Report) -> Json:
    """The report as JSON; docs/verbs/names-check.md tells what each key is."""
    return {
        "format": FORMAT,
        "version": __version__,
        "threshold": report.settings.threshold,
        "files": report.files,
        "methods": report.methods,
        "judged": report.judged,
        "findings": [_finding(one) for one in report.findings],
        "stale": [_known(one) for one in report.stale],
        "skipped": {why: count for why, count in sorted(report.skipped.items()) if count},
        "problems": [
            {"path": one.path, "kind": one.kind, "message": one.message} for one in report.problems
        ],
    }


def as_json(report: Report) -> bytes:
    return (json.dumps(record(report), indent=1, ensure_ascii=True) + "\n").encode()


def _finding(one: Finding) -> Json:
    return {
        "path": one.path,
        "line": one.place.line,
        "column": one.place.column,
        "end_column": one.place.end,
        "owner": one.owner,
        "name": one.name,
        "parameters": list(one.parameters),
        "probability": round(one.probability, 6),
        "rule": one.rule,
        "evidence": [
            {
                "kind": reason.kind,
                "rule": reason.rule,
                "text": reason.text,
                "weight": round(reason.weight, 6),
                "examples": list(reason.examples),
            }
            for reason in one.evidence
        ],
        "suggestions": [
            {"name": each.name, "confidence": round(each.confidence, 6)} for each in one.suggestions
        ],
        "fingerprint": one.fingerprint,
        "suppressed": one.suppressed,
    }


def _known(one: Known) -> Json:
    return {
        "path": one.path,
        "method": one.method,
        "rules": list(one.rules),
        "fingerprint": one.fingerprint,
    }
