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
        return tuple(dict.fromkeys(one.rule for one in self.reasons))

    @property
    def rule(self) -> str:
        """The strongest rule against the name."""
        return next(iter(self.rules), UNEXPLAINED)

    @property
    def reasons(self) -> tuple[Evidence, ...]:
        """Evidence against the name, the strongest first."""
        against = [one for one in self.evidence if one.weight > 0]
        return tuple(sorted(against, key=lambda one: (-one.weight, one.rule, one.text)))

    @property
    def method(self) -> str:
        """Short form of the method: ``Type.name(int, String)``."""
        return f"{self.owner.rsplit('.', 1)[-1]}.{self.name}({', '.join(self.parameters)})"


def finding(facts: Facts, place: Place, verdict: Verdict) -> Finding:
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


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings with unique fingerprints, the most probable first, then by position."""
    by_place = sorted(findings, key=lambda one: (one.path, one.place.line, one.place.column))
    seen: Counter[str] = Counter()
    told: list[Finding] = []
    for one in by_place:
        key = _key(one)
        seen[key] += 1
        told.append(replace(one, fingerprint=_hash(key, seen[key])))
    return sorted(told, key=lambda one: -one.probability)


def _key(one: Finding) -> str:
    """Return the text that identifies the method of a finding.

    It does not change when lines shift, a file moves, or an anonymous class is inserted.
    """
    return "\0".join([_NUMBER.sub("$", one.owner), one.name, *one.parameters])


def _hash(key: str, count: int) -> str:
    """Return the fingerprint of the ``count``-th finding with this key."""
    return hashlib.sha256(f"{key}\0{count}".encode("utf-8", "surrogatepass")).hexdigest()[:20]


VERSION = 1
HINT = "`codeacumen names check --write-baseline FILE` writes one"


@dataclass(frozen=True, slots=True)
class Known:
    """A finding of a baseline."""

    fingerprint: str
    path: str
    method: str
    rules: tuple[str, ...]


def read_baseline(path: Path) -> list[Known]:
    """Read the findings of a baseline."""
    try:
        told = json.loads(path.read_bytes())
    except OSError as error:
        raise CodeacumenError(f"{path}: {error.strerror or error}", HINT) from error
    except (ValueError, RecursionError) as error:
        raise CodeacumenError(f"{path} is not a baseline: {error}", HINT) from error
    if not isinstance(told, dict) or told.get("version") != VERSION:
        raise CodeacumenError(f"{path} is not a baseline of version {VERSION}", HINT)
    try:
        return [_known(one) for one in told["findings"]]
    except (KeyError, TypeError, ValueError) as error:
        raise CodeacumenError(f"{path}: a finding in it is damaged ({error})", HINT) from error


def _known(one: Any) -> Known:
    found = Known(one["fingerprint"], one["path"], one["method"], tuple(one["rules"]))
    texts = (found.fingerprint, found.path, found.method, *found.rules)
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("a value is not a text")
    return found


def write_baseline(path: Path, findings: Iterable[Finding]) -> int:
    """Write the findings that no comment suppresses, and return how many these are."""
    kept = [one for one in findings if one.suppressed != "inline"]
    kept.sort(key=lambda one: (one.path, one.owner, one.name, one.parameters, one.fingerprint))
    told = {
        "version": VERSION,
        "findings": [
            {
                "fingerprint": one.fingerprint,
                "path": one.path,
                "method": one.method,
                "rules": sorted(one.rules),
            }
            for one in kept
        ],
    }
    write_atomically(path, (json.dumps(told, indent=1, ensure_ascii=True) + "\n").encode())
    return len(kept)


def compared(
    findings: Sequence[Finding], known: Sequence[Known], looked_at: Iterable[str] | None
) -> tuple[list[Finding], list[Known]]:
    """Return the findings, with known ones marked as suppressed, and the stale known findings.

    A known finding is stale if it is in a checked file (``checked_paths`` None: in any file) and no
    longer occurs.
    """
    by_print = {one.fingerprint: one for one in known}
    told, met = [], set()
    for one in findings:
        match = by_print.get(one.fingerprint)
        if match is not None and (not match.rules or set(match.rules) & set(one.rules)):
            met.add(one.fingerprint)
            if not one.suppressed:
                one = replace(one, suppressed="baseline")
        told.append(one)
    paths = None if looked_at is None else set(looked_at)
    stale = [
        one for one in known if one.fingerprint not in met and (paths is None or one.path in paths)
    ]
    return told, stale
