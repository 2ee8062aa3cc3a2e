"""Findings in SARIF 2.1.0, which GitHub, Azure, GitLab and editors show beside the code.

A rename needs all places of use, so a better name is told in the message and is no fix that a tool
could apply to one file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from urllib.parse import quote

from acumen import __version__
from acumen.api import Json
from acumen.checker.check import Report
from acumen.checker.findings import Finding
from acumen.checker.rules import help_of
from acumen.corpus.sources.paths import as_bytes
from acumen.models.naming.verdict import Evidence

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "%SRCROOT%"
LEVELS = ((0.9, "error"), (0.7, "warning"), (0.0, "note"))
_EXAMPLE = re.compile(r"(?P<path>.+\.java):(?P<line>[1-9]\d{0,8})", re.DOTALL | re.IGNORECASE)
_CARRIED = {"inline": "inSource", "baseline": "external"}


def as_sarif(report: Report) -> bytes:
    rules = sorted({one.rule for one in report.findings})
    run = {
        "tool": {
            "driver": {
                "name": "acumen",
                "semanticVersion": __version__,
                "version": __version__,
                "rules": [_rule(one, report.findings) for one in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": "The root of what was checked."}}},
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    {
                        "level": "note",
                        "message": {"text": f"{one.path}: {one.kind}: {one.message}"},
                        "locations": [{"physicalLocation": {"artifactLocation": _file(one.path)}}],
                    }
                    for one in report.problems
                ],
            }
        ],
        "results": [_result(one, rules) for one in report.findings],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return (json.dumps(log, indent=1, ensure_ascii=True) + "\n").encode()


def level_of(probability: float) -> str:
    return next(level for least, level in LEVELS if probability >= least)


def _rule(rule: str, findings: Sequence[Finding]) -> Json:
    kind = next(
        (reason.kind for one in findings for reason in one.reasons if reason.rule == rule), ""
    )
    told = help_of(rule, kind)
    return {
        "id": rule,
        "shortDescription": {"text": told.title},
        "fullDescription": {"text": told.text},
        "help": {"text": told.text, "markdown": told.text},
        "defaultConfiguration": {"level": "warning"},
        "properties": {"tags": ["maintainability", "naming", *([kind] if kind else [])]},
    }


def _result(one: Finding, rules: list[str]) -> Json:
    reasons = " ".join(_sentence(reason.text) for reason in one.reasons)
    better = ", ".join(each.name for each in one.suggestions)
    text = f"The name of {one.method} is probably wrong ({one.probability:.2f})."
    text += f" {reasons}" if reasons else ""
    text += f" Better: {better}." if better else ""
    region = {
        "startLine": one.place.line,
        "startColumn": one.place.column,
        "endColumn": max(one.place.end, one.place.column),
    }
    result: Json = {
        "ruleId": one.rule,
        "ruleIndex": rules.index(one.rule),
        "level": level_of(one.probability),
        "rank": round(100 * one.probability, 2),
        "message": {"text": text},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": _file(one.path), "region": region},
                "logicalLocations": [
                    {
                        "name": one.name,
                        "fullyQualifiedName": f"{one.owner}.{one.name}",
                        "kind": "member",
                    }
                ],
            }
        ],
        "partialFingerprints": {"acumenMethod/v1": one.fingerprint},
        "properties": {
            "probability": round(one.probability, 6),
            "suggestions": [each.name for each in one.suggestions],
        },
    }
    related = [place for reason in one.reasons for place in _related(reason)]
    if related:
        result["relatedLocations"] = [{"id": i, **place} for i, place in enumerate(related, 1)]
    # An empty list says that somebody looked, and that it counts.
    carried = _CARRIED.get(one.suppressed)
    result["suppressions"] = [{"kind": carried}] if carried else []
    return result


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _related(reason: Evidence) -> list[Json]:
    """The methods that a reason stands on."""
    found: list[Json] = []
    for example in reason.examples:
        place: Json = {"message": {"text": f"{reason.rule}: {example}"}}
        match = _EXAMPLE.fullmatch(example)
        if match:
            place["physicalLocation"] = {
                "artifactLocation": _file(match["path"]),
                "region": {"startLine": int(match["line"])},
            }
        else:
            place["logicalLocations"] = [{"fullyQualifiedName": example, "kind": "member"}]
        found.append(place)
    return found


def _file(path: str) -> Json:
    uri = quote(as_bytes(path), safe="/-._~!$&'()*+,;=@")
    return {"uri": uri, "uriBaseId": ROOT}
