"""Findings (methods whose names are probably wrong, their positions and reasons) and baselines.

A baseline of known findings is one JSON file, meant to be committed: the same findings give the
same bytes. A finding matches a known one if it has the same fingerprint, which shifted lines do not
change, and shares a rule with it: the same method with another fault is reported again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from codeacumen.api import CodeacumenError
from codeacumen.core.files import write_atomically
from codeacumen.models.method_naming.facts import Facts
from codeacumen.models.method_naming.verdict import Evidence, Suggestion, Verdict

# Number of an anonymous class in the name of an owner.
_NUMBER = re.compile(r"\$\d+")
# Rule of a finding without reasons. The models here always give one; other models may not.
UNEXPLAINED = "unexplained"


@dataclass(frozen=True, slots=True)
class Place:
    """Position of a method's name, and first and last line of the method.

    Lines and columns count from 1, columns in characters; ``end`` is the column after the name.
    ``silenced`` are the rules that a comment or an annotation switches off here, ``*`` for all.
    """

    line: int
    column: int
    end: int
    first: int
    last: int
    silenced: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """A method whose name is probably wrong.

    ``path`` is relative to the project's root, with slashes. ``suppressed`` is ``inline`` or
    ``baseline``, or empty for a finding that counts.
    """

    path: str
    place: Place
    owner: str
    name: str
    parameters: tuple[str, ...]
    probability: float
    evidence: tuple[Evidence, ...]
    suggestions: tuple[Suggestion, ...]
    fingerprint: str = ""
    suppressed: str = ""

    @property
    def rules(self) -> tuple[str, ...]:
        """Rules that speak against the name, the strongest first."""
        return tuple(dict.fromkeys(reason.rule for reason in self.reasons))

    @property
    def rule(self) -> str:
        """The strongest rule against the name."""
        return next(iter(self.rules), UNEXPLAINED)

    @property
    def reasons(self) -> tuple[Evidence, ...]:
        """Evidence against the name, the strongest first."""
        against = [reason for reason in self.evidence if reason.weight > 0]
        return tuple(sorted(against, key=lambda reason: (-reason.weight, reason.rule, reason.text)))

    @property
    def method(self) -> str:
        """Short form of the method: ``Type.name(int, String)``."""
        return f"{self.owner.rsplit('.', 1)[-1]}.{self.name}({', '.join(self.parameters)})"


def build_finding(facts: Facts, place: Place, verdict: Verdict) -> Finding:
    """Return the finding of a method; ``sort_and_fingerprint`` adds the fingerprint."""
    parameters = tuple(kind for kind, _ in facts.parameters)
    return Finding(
        facts.path,
        place,
        facts.owner,
        facts.name,
        parameters,
        verdict.wrong,
        verdict.evidence,
        verdict.suggestions,
    )


def sort_and_fingerprint(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings with unique fingerprints, the most probable first, then by position."""
    by_place = sorted(
        findings, key=lambda finding: (finding.path, finding.place.line, finding.place.column)
    )
    key_counts: Counter[str] = Counter()
    fingerprinted: list[Finding] = []
    for finding in by_place:
        key = _format_key(finding)
        key_counts[key] += 1
        fingerprinted.append(replace(finding, fingerprint=_hash_key(key, key_counts[key])))
    return sorted(fingerprinted, key=lambda finding: -finding.probability)


def _format_key(finding: Finding) -> str:
    """Return the text that identifies the method of a finding.

    It does not change when lines shift, a file moves, or an anonymous class is inserted.
    """
    return "\0".join([_NUMBER.sub("$", finding.owner), finding.name, *finding.parameters])


def _hash_key(key: str, count: int) -> str:
    """Return the fingerprint of the ``count``-th finding with this key."""
    return hashlib.sha256(f"{key}\0{count}".encode("utf-8", "surrogatepass")).hexdigest()[:20]


# Version of the baseline's format.
VERSION = 1
HINT = "`codeacumen names check --write-baseline FILE` writes one"


@dataclass(frozen=True, slots=True)
class KnownFinding:
    """A finding of a baseline; one without ``rules`` matches a finding by any rule."""

    fingerprint: str
    path: str
    method: str
    rules: tuple[str, ...]


def read_baseline(path: Path) -> list[KnownFinding]:
    """Read the findings of a baseline."""
    try:
        document = json.loads(path.read_bytes())
    except OSError as error:
        raise CodeacumenError(f"{path}: {error.strerror or error}", HINT) from error
    except (ValueError, RecursionError) as error:
        raise CodeacumenError(f"{path} is not a baseline: {error}", HINT) from error
    if not isinstance(document, dict) or document.get("version") != VERSION:
        raise CodeacumenError(f"{path} is not a baseline of version {VERSION}", HINT)
    try:
        return [_parse_known_finding(record) for record in document["findings"]]
    except (KeyError, TypeError, ValueError) as error:
        raise CodeacumenError(f"{path}: a finding in it is damaged ({error})", HINT) from error


def _parse_known_finding(record: Any) -> KnownFinding:
    known_finding = KnownFinding(
        record["fingerprint"], record["path"], record["method"], tuple(record["rules"])
    )
    texts = (
        known_finding.fingerprint,
        known_finding.path,
        known_finding.method,
        *known_finding.rules,
    )
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("a value is not a text")
    return known_finding


def write_baseline(path: Path, findings: Iterable[Finding]) -> int:
    """Write the findings that no comment suppresses, and return how many these are."""
    saved = [finding for finding in findings if finding.suppressed != "inline"]
    saved.sort(
        key=lambda finding: (
            finding.path,
            finding.owner,
            finding.name,
            finding.parameters,
            finding.fingerprint,
        )
    )
    document = {
        "version": VERSION,
        "findings": [
            {
                "fingerprint": finding.fingerprint,
                "path": finding.path,
                "method": finding.method,
                "rules": sorted(finding.rules),
            }
            for finding in saved
        ],
    }
    write_atomically(path, (json.dumps(document, indent=1, ensure_ascii=True) + "\n").encode())
    return len(saved)


def apply_baseline(
    findings: Sequence[Finding],
    known_findings: Sequence[KnownFinding],
    checked_paths: Iterable[str] | None,
) -> tuple[list[Finding], list[KnownFinding]]:
    """Return the findings, with known ones marked as suppressed, and the stale known findings.

    A known finding is stale if it is in a checked file (``checked_paths`` None: in any file) and no
    longer occurs.
    """
    by_fingerprint = {known_finding.fingerprint: known_finding for known_finding in known_findings}
    marked, matched = [], set()
    for finding in findings:
        match = by_fingerprint.get(finding.fingerprint)
        if match is not None and (not match.rules or set(match.rules) & set(finding.rules)):
            matched.add(finding.fingerprint)
            if not finding.suppressed:
                finding = replace(finding, suppressed="baseline")
        marked.append(finding)
    paths = None if checked_paths is None else set(checked_paths)
    stale = [
        known_finding
        for known_finding in known_findings
        if known_finding.fingerprint not in matched
        and (paths is None or known_finding.path in paths)
    ]
    return marked, stale
