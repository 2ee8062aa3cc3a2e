"""A finding: a method whose name is probably wrong, where it is, and why."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from acumen.models.naming.facts import Facts
from acumen.models.naming.verdict import Evidence, Suggestion, Verdict

_NUMBER = re.compile(r"\$\d+")
# What a finding is called whose model gives no reason: none of ours, but a model may be anybody's.
UNEXPLAINED = "unexplained"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a method's name stands, and which lines are the method's. Lines and columns count from
    1, columns in characters; ``end`` is the column after the name. ``silenced`` are the rules that
    a comment or an annotation switches off here, ``*`` for all."""

    line: int
    column: int
    end: int
    first: int
    last: int
    silenced: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """``path`` is from the project's root, with slashes. ``suppressed`` is ``inline`` or
    ``baseline``, empty for one that counts."""

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
        """The rules that speak against the name, the strongest first."""
        return tuple(dict.fromkeys(one.rule for one in self.reasons))

    @property
    def rule(self) -> str:
        return next(iter(self.rules), UNEXPLAINED)

    @property
    def reasons(self) -> tuple[Evidence, ...]:
        against = [one for one in self.evidence if one.weight > 0]
        return tuple(sorted(against, key=lambda one: (-one.weight, one.rule, one.text)))

    @property
    def method(self) -> str:
        """How a person would call the method: ``Type.name(int, String)``."""
        return f"{self.owner.rsplit('.', 1)[-1]}.{self.name}({', '.join(self.parameters)})"


def finding(facts: Facts, place: Place, verdict: Verdict) -> Finding:
    parameters = tuple(kind for kind, _ in facts.parameters)
    return Finding(
        facts.path, place, facts.owner, facts.name, parameters, verdict.wrong, verdict.evidence,
        verdict.suggestions,
    )  # fmt: skip


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """The most probable first, then by place; each with a fingerprint of its own."""
    by_place = sorted(findings, key=lambda one: (one.path, one.place.line, one.place.column))
    seen: Counter[str] = Counter()
    told: list[Finding] = []
    for one in by_place:
        key = _key(one)
        seen[key] += 1
        told.append(replace(one, fingerprint=_hash(key, seen[key])))
    return sorted(told, key=lambda one: -one.probability)


def _key(one: Finding) -> str:
    """What stays when lines shift, files move, or a class without a name is put before another."""
    return "\0".join([_NUMBER.sub("$", one.owner), one.name, *one.parameters])


def _hash(key: str, count: int) -> str:
    return hashlib.sha256(f"{key}\0{count}".encode("utf-8", "surrogatepass")).hexdigest()[:20]
