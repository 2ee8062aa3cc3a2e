"""Records of a verdict on a method's name: the probability that it is wrong, reasons, better names.

The models of this package create them; ``checker`` reports them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Evidence:
    """A reason for a verdict.

    ``kind`` is the source of the reason (``antipattern``, ``convention`` or ``background``).
    ``rule`` is the id by which users suppress the reason; it is stable between versions. ``text``
    explains the reason in one sentence. ``weight`` is added to the log-odds that the name is wrong.
    ``examples`` are methods that support the reason, as ``Type.name``.
    """

    kind: str
    rule: str
    text: str
    weight: float
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A better name and its confidence, from 0 to 1."""

    name: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict on a name; ``wrong`` is the calibrated probability that the name is wrong."""

    wrong: float
    evidence: tuple[Evidence, ...]
    suggestions: tuple[Suggestion, ...] = ()
