"""Formats of a check's report: text, JSON, HTML and SARIF, and the help on each rule.

The HTML report is one page. Names, paths and reasons come from the checked code, which may be
hostile: the template escapes all of them, and the page's content security policy allows only our
script.

GitHub, Azure, GitLab and editors show SARIF 2.1.0 next to the code. A rename must change all uses
of a method, so a better name is part of the message and not a fix that a tool could apply to one
file.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TypeAlias
from urllib.parse import quote

from codeacumen import __version__
from codeacumen.api import Json
from codeacumen.checker.check import Report
from codeacumen.checker.findings import Finding, KnownFinding
from codeacumen.corpus.sources.paths import path_to_bytes, to_os_path
from codeacumen.models.method_naming.verdict import Evidence


@dataclass(frozen=True, slots=True)
class RuleHelp:
    """Title and explanation of a rule."""

    title: str
    text: str


# Title and explanation of the rules of each kind of evidence (``Evidence.kind``).
_KINDS = {
    "antipattern": (
        "The name contradicts the signature or the body.",
        "A linguistic antipattern: readers who trust the name will be wrong about what the method "
        "does or returns. Rename the method, or make it do what its name says.",
    ),
    "convention": (
        "The name does not follow the pattern of its siblings.",
        "Methods of the same shape, in the same class or project, are named in another way. "
        "Readers will look for the method under the other form.",
    ),
    "neighbours": (
        "Methods that do the same have other names.",
        "The methods with the most similar bodies have different names, and methods with similar "
        "names do something else.",
    ),
    "background": (
        "Other projects name such methods differently.",
        "In the code of the background model, names of methods with such parameters, bodies and "
        "results begin with another word.",
    ),
    "words": (
        "The words of the name do not occur in the body.",
        "The name uses words that occur neither in the signature nor in the body of the method.",
    ),
}
_OTHER_KIND = (
    "The name is probably wrong.",
    "A model judges that another name would fit the method.",
)


def describe_rule(rule: str, kind: str) -> RuleHelp:
    """Return the help on a rule; ``kind`` is that of its evidence (``Evidence.kind``)."""
    from codeacumen.models.method_naming.antipatterns import RULES

    title, text = _KINDS.get(kind, _OTHER_KIND)
    source = {antipattern.id: antipattern.source for antipattern in RULES}.get(rule)
    text += f" See {source}." if source else ""
    suppression = (
        f"If the name is right, write above the method: // codeacumen: ok({rule}) and the reason."
    )
    words = rule.replace("-", " ")
    return RuleHelp(f"{words[:1].upper()}{words[1:]}: {title}", f"{title} {text} {suppression}")


# Version of the JSON report. Increase it when the meaning or type of a key changes.
FORMAT_VERSION = 1
# Maximum number of examples in the line of a reason.
MAX_EXAMPLES = 4

# Function of a role (place, name, probability, rule, reason, suggestion, text) and a text that
# returns the text with the style of that role, such as a colour of the terminal.
Style: TypeAlias = Callable[[str, str], str]


def plain_style(role: str, text: str) -> str:
    """Return the text without any style."""
    return text


def format_lines(report: Report, style: Style = plain_style) -> Iterator[str]:
    """Yield a line for each finding, as compilers do, then its reasons and better names."""
    for finding in report.reported:
        place = f"{display_path(report, finding.path)}:{finding.place.line}:{finding.place.column}"
        yield (
            f"{style('place', place)}: {style('name', finding.method)} "
            f"{style('probability', f'{finding.probability:.2f}')} "
            f"{style('rule', f'[{finding.rule}]')}"
        )
        for reason in finding.reasons:
            yield f"    {style('reason', 'reason:')} {style('text', _format_reason(reason))}"
        if finding.suggestions:
            better = ", ".join(
                f"{suggestion.name} ({suggestion.confidence:.2f})"
                for suggestion in finding.suggestions
            )
            yield f"    {style('suggestion', 'suggestion:')} {style('text', better)}"


def _format_reason(reason: Evidence) -> str:
    examples = reason.examples[:MAX_EXAMPLES]
    more = len(reason.examples) - len(examples)
    if not examples:
        return reason.text
    return f"{reason.text} ({', '.join(examples)}{f' and {more} more' if more else ''})"


def display_path(report: Report, path: str) -> str:
    """Return a path relative to the current folder, so that it can be opened.

    With several roots, the paths of findings already have this form.
    """
    if len(report.roots) != 1:
        return path
    return os.path.relpath(report.roots[0] / Path(to_os_path(path))).replace(os.sep, "/")


def format_summary(report: Report) -> list[str]:
    """Return counts, suppressions, stale findings, skipped files and problems as lines."""
    reported = report.reported
    lines = [
        f"{_format_count(len(reported), 'finding')} in "
        f"{_format_count(report.methods, 'method')} of "
        f"{_format_count(report.files, 'file')}, at a threshold of {report.settings.threshold:g}"
    ]
    suppressions = [finding.suppressed for finding in report.findings if finding.suppressed]
    if suppressions:
        inline, baseline = suppressions.count("inline"), suppressions.count("baseline")
        lines.append(
            f"suppressed: {inline:,} by comments or annotations, {baseline:,} by the baseline"
        )
    if report.stale:
        lines.append(
            f"{_format_count(len(report.stale), 'known finding')} of the baseline no longer occur: "
            "update it with --write-baseline"
        )
        lines += [
            f"  {known_finding.path}: {known_finding.method}" for known_finding in report.stale
        ]
    for reason, count in sorted(report.skipped.items()):
        if count:
            lines.append(f"{_format_count(count, 'file')}: {reason}")
    lines += [f"{problem.path}: {problem.kind}: {problem.message}" for problem in report.problems]
    return lines


def _format_count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def report_to_json(report: Report) -> Json:
    """Return the report as JSON; docs/verbs/names-check.md explains the keys."""
    return {
        "format": FORMAT_VERSION,
        "version": __version__,
        "threshold": report.settings.threshold,
        "files": report.files,
        "methods": report.methods,
        "judged": report.judged,
        "findings": [_finding_to_json(finding) for finding in report.findings],
        "stale": [_known_finding_to_json(known_finding) for known_finding in report.stale],
        "skipped": {reason: count for reason, count in sorted(report.skipped.items()) if count},
        "problems": [
            {"path": problem.path, "kind": problem.kind, "message": problem.message}
            for problem in report.problems
        ],
    }


def format_json(report: Report) -> bytes:
    """Return the report as a JSON document."""
    return (json.dumps(report_to_json(report), indent=1, ensure_ascii=True) + "\n").encode()


def _finding_to_json(finding: Finding) -> Json:
    return {
        "path": finding.path,
        "line": finding.place.line,
        "column": finding.place.column,
        "end_column": finding.place.end,
        "owner": finding.owner,
        "name": finding.name,
        "parameters": list(finding.parameters),
        "probability": round(finding.probability, 6),
        "rule": finding.rule,
        "evidence": [
            {
                "kind": reason.kind,
                "rule": reason.rule,
                "text": reason.text,
                "weight": round(reason.weight, 6),
                "examples": list(reason.examples),
            }
            for reason in finding.evidence
        ],
        "suggestions": [
            {"name": suggestion.name, "confidence": round(suggestion.confidence, 6)}
            for suggestion in finding.suggestions
        ],
        "fingerprint": finding.fingerprint,
        "suppressed": finding.suppressed,
    }


def _known_finding_to_json(known_finding: KnownFinding) -> Json:
    return {
        "path": known_finding.path,
        "method": known_finding.method,
        "rules": list(known_finding.rules),
        "fingerprint": known_finding.fingerprint,
    }


PAGE_FOLDER = "page"


def render_page(report: Report) -> bytes:
    """Return the report as an HTML page; its title has the names of the roots."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("codeacumen.checker", PAGE_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # The policy allows only the script with this hash.
    script = _read_asset("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    text = environment.get_template("page.html").render(
        title=", ".join(root.name for root in report.roots),
        report=report,
        rules=sorted({finding.rule for finding in report.findings}),
        summary=format_summary(report),
        style=_read_asset("page.css"),
        script=script,
        policy=f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'",
        version=__version__,
    )
    return text.encode("utf-8", errors="backslashreplace")


def _read_asset(name: str) -> str:
    return files("codeacumen.checker").joinpath(PAGE_FOLDER, name).read_text(encoding="utf-8")


SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
# Base of all addresses in the log, which the reader of the log sets to the checked project.
ROOT = "%SRCROOT%"
# Minimum probability of each SARIF level, highest first.
LEVELS = ((0.9, "error"), (0.7, "warning"), (0.0, "note"))
# An example that is a place (``path:line``) and not a name (``Type.name``).
_EXAMPLE = re.compile(r"(?P<path>.+\.java):(?P<line>[1-9]\d{0,8})", re.DOTALL | re.IGNORECASE)
_SUPPRESSION_KINDS = {"inline": "inSource", "baseline": "external"}


def format_sarif(report: Report) -> bytes:
    """Return the report as a SARIF 2.1.0 log."""
    rules = sorted({finding.rule for finding in report.findings})
    run = {
        "tool": {
            "driver": {
                "name": "codeacumen",
                "semanticVersion": __version__,
                "version": __version__,
                "rules": [_rule_to_sarif(rule, report.findings) for rule in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the checked project."}}},
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    {
                        "level": "note",
                        "message": {"text": f"{problem.path}: {problem.kind}: {problem.message}"},
                        "locations": [
                            {
                                "physicalLocation": {
                                    "artifactLocation": _artifact_location(problem.path)
                                }
                            }
                        ],
                    }
                    for problem in report.problems
                ],
            }
        ],
        "results": [_finding_to_sarif(finding, rules) for finding in report.findings],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return (json.dumps(log, indent=1, ensure_ascii=True) + "\n").encode()


def find_level(probability: float) -> str:
    """Return the SARIF level for a probability."""
    return next(level for minimum, level in LEVELS if probability >= minimum)


def _rule_to_sarif(rule: str, findings: Sequence[Finding]) -> Json:
    kind = next(
        (reason.kind for finding in findings for reason in finding.reasons if reason.rule == rule),
        "",
    )
    rule_help = describe_rule(rule, kind)
    return {
        "id": rule,
        "shortDescription": {"text": rule_help.title},
        "fullDescription": {"text": rule_help.text},
        "help": {"text": rule_help.text, "markdown": rule_help.text},
        "defaultConfiguration": {"level": "warning"},
        "properties": {"tags": ["maintainability", "naming", *([kind] if kind else [])]},
    }


def _finding_to_sarif(finding: Finding, rules: list[str]) -> Json:
    reasons = " ".join(_format_sentence(reason.text) for reason in finding.reasons)
    better = ", ".join(suggestion.name for suggestion in finding.suggestions)
    text = f"The name of {finding.method} is probably wrong ({finding.probability:.2f})."
    text += f" {reasons}" if reasons else ""
    text += f" Better: {better}." if better else ""
    region = {
        "startLine": finding.place.line,
        "startColumn": finding.place.column,
        "endColumn": max(finding.place.end, finding.place.column),
    }
    result: Json = {
        "ruleId": finding.rule,
        "ruleIndex": rules.index(finding.rule),
        "level": find_level(finding.probability),
        "rank": round(100 * finding.probability, 2),
        "message": {"text": text},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": _artifact_location(finding.path),
                    "region": region,
                },
                "logicalLocations": [
                    {
                        "name": finding.name,
                        "fullyQualifiedName": f"{finding.owner}.{finding.name}",
                        "kind": "member",
                    }
                ],
            }
        ],
        "partialFingerprints": {"codeacumenMethod/v1": finding.fingerprint},
        "properties": {
            "probability": round(finding.probability, 6),
            "suggestions": [suggestion.name for suggestion in finding.suggestions],
        },
    }
    related = [place for reason in finding.reasons for place in _build_related_locations(reason)]
    if related:
        result["relatedLocations"] = [{"id": i, **place} for i, place in enumerate(related, 1)]
    # In SARIF, an empty list means that the finding is known not to be suppressed.
    suppression_kind = _SUPPRESSION_KINDS.get(finding.suppressed)
    result["suppressions"] = [{"kind": suppression_kind}] if suppression_kind else []
    return result


def _format_sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _build_related_locations(reason: Evidence) -> list[Json]:
    """Return SARIF locations of the methods that support a reason."""
    locations: list[Json] = []
    for example in reason.examples:
        location: Json = {"message": {"text": f"{reason.rule}: {example}"}}
        match = _EXAMPLE.fullmatch(example)
        if match:
            location["physicalLocation"] = {
                "artifactLocation": _artifact_location(match["path"]),
                "region": {"startLine": int(match["line"])},
            }
        else:
            location["logicalLocations"] = [{"fullyQualifiedName": example, "kind": "member"}]
        locations.append(location)
    return locations


def _artifact_location(path: str) -> Json:
    uri = quote(path_to_bytes(path), safe="/-._~!$&'()*+,;=@")
    return {"uri": uri, "uriBaseId": ROOT}
