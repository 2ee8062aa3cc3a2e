"""What is said of a method's name: how likely it is wrong, why, and what would be better."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reason. ``kind`` names the model it comes from (``antipattern``, ``convention``,
    ``neighbours``, ``words``); ``rule`` the rule or trait, stable between versions, to suppress by;
    ``text`` says it in one sentence; ``weight`` is what it adds to the log-odds; ``examples`` are
    methods that it stands on, as ``Type.name`` or ``path:line``."""

    kind: str
    rule: str
    text: str
    weight: float
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Suggestion:
    name: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """``wrong`` is a calibrated probability."""

    wrong: float
    evidence: tuple[Evidence, ...]
    suggestions: tuple[Suggestion, ...] = ()
