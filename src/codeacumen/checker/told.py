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
from codeacumen.checker.findings import Finding, Known
from codeacumen.corpus.sources.paths import as_bytes, on_disk
from codeacumen.models.method_naming.verdict import Evidence


@dataclass(frozen=True, slots=True)
class Help:
    """Title and explanation of a rule."""

    title: str
    text: str


_KINDS = {
    "antipattern": (
        "The name promises something that the signature or the body does not keep.",
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
_OTHER = ("The name is probably wrong.", "A model judges that another name would fit the method.")


def help_of(rule: str, kind: str) -> Help:
    """Return the help on a rule, by its kind and its source in the literature."""
    from codeacumen.models.method_naming.antipatterns import RULES

    title, text = _KINDS.get(kind, _OTHER)
    literature = {one.id: one.source for one in RULES}.get(rule)
    text += f" See {literature}." if literature else ""
    silence = (
        f"If the name is right, write above the method: // codeacumen: ok({rule}) and the reason."
    )
    words = rule.replace("-", " ")
    return Help(f"{words[:1].upper()}{words[1:]}: {title}", f"{title} {text} {silence}")


# Increase this when the meaning or type of a key changes.
FORMAT = 1
# Examples in the line of a reason.
EXAMPLES = 4

# Formats a text by its role: place, name, probability, rule, why, better, text.
Style: TypeAlias = Callable[[str, str], str]


def plain(role: str, text: str) -> str:
    """Return the text without any style."""
    return text


def text_lines(report: Report, style: Style = plain) -> Iterator[str]:
    """Yield a line for each finding, as compilers do, then its reasons and better names."""
    for one in report.reported:
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
    """Return a path relative to the current folder, so that it can be opened."""
    if len(report.roots) != 1:
        return path
    return os.path.relpath(report.roots[0] / Path(on_disk(path))).replace(os.sep, "/")


def summary(report: Report) -> list[str]:
    """Return counts, suppressions, stale findings, skipped files and problems as lines."""
    told = report.reported
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
            f"{_many(len(report.stale), 'known finding')} of the baseline no longer occur: "
            "update it with --write-baseline"
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
    """Return the report as JSON; docs/verbs/names-check.md explains the keys."""
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
    """Return the report as a JSON document."""
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


FOLDER = "page"


def as_page(report: Report, title: str = "") -> bytes:
    """Return the report as an HTML page; its title defaults to the names of the roots."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("codeacumen.checker", FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script = _asset("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    title = title or ", ".join(root.name for root in report.roots)
    text = environment.get_template("page.html").render(
        title=title,
        report=report,
        rules=sorted({one.rule for one in report.findings}),
        summary=summary(report),
        style=_asset("page.css"),
        script=script,
        policy=f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'",
        version=__version__,
    )
    return text.encode("utf-8", errors="backslashreplace")


def _asset(name: str) -> str:
    return files("codeacumen.checker").joinpath(FOLDER, name).read_text(encoding="utf-8")


SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "%SRCROOT%"
LEVELS = ((0.9, "error"), (0.7, "warning"), (0.0, "note"))
_EXAMPLE = re.compile(r"(?P<path>.+\.java):(?P<line>[1-9]\d{0,8})", re.DOTALL | re.IGNORECASE)
_CARRIED = {"inline": "inSource", "baseline": "external"}


def as_sarif(report: Report) -> bytes:
    """Return the report as a SARIF 2.1.0 log."""
    rules = sorted({one.rule for one in report.findings})
    run = {
        "tool": {
            "driver": {
                "name": "codeacumen",
                "semanticVersion": __version__,
                "version": __version__,
                "rules": [_rule(one, report.findings) for one in rules],
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
    """Return the SARIF level for a probability."""
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
        "partialFingerprints": {"codeacumenMethod/v1": one.fingerprint},
        "properties": {
            "probability": round(one.probability, 6),
            "suggestions": [each.name for each in one.suggestions],
        },
    }
    related = [place for reason in one.reasons for place in _related(reason)]
    if related:
        result["relatedLocations"] = [{"id": i, **place} for i, place in enumerate(related, 1)]
    # In SARIF, an empty list means that the finding is known not to be suppressed.
    carried = _CARRIED.get(one.suppressed)
    result["suppressions"] = [{"kind": carried}] if carried else []
    return result


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _related(reason: Evidence) -> list[Json]:
    """Return SARIF locations of the methods that support a reason."""
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
