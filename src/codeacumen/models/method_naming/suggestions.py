"""Names for a method, ranked, each with its reasons: what ``codeacumen names suggest`` prints.

The sources are those of the checker's better names: how the siblings of the method are named, and
the verbs that methods of this kind begin with in other code.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from codeacumen.models.method_naming.conventions import Conventions
from codeacumen.models.method_naming.facts import Facts

if TYPE_CHECKING:
    from codeacumen.models.method_naming.background import Background

# A verb that fewer methods of this kind begin with is not suggested.
_MIN_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class SuggestedName:
    """``confidence`` is from 0 to 1: the share of such methods that begin with this verb, or of
    the siblings that are named in this way."""

    name: str
    confidence: float
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NameSuggestions:
    """``names`` come best first and never hold the method's own name. ``own_confidence`` is that of
    the own name; None without a background."""

    names: tuple[SuggestedName, ...]
    own_confidence: float | None = None


def suggest_names(
    facts: Facts, background: Background | None, conventions: Conventions, limit: int
) -> NameSuggestions:
    """Return at most ``limit`` names for a method.

    ``conventions`` should have learned from the project of the method, ``background`` from others.
    """
    candidates = [
        SuggestedName(suggestion.name, suggestion.confidence, (reason,))
        for suggestion, reason in conventions.explain(facts)
    ]
    own_confidence = None
    if background is not None:
        by_verb, own_confidence = _rank_verbs(facts, background, limit)
        candidates += by_verb
    merged: dict[str, SuggestedName] = {}
    for candidate in candidates:
        merged[candidate.name] = _merge(merged.get(candidate.name, candidate), candidate)
    merged.pop(facts.name, None)
    ranked = sorted(merged.values(), key=lambda candidate: (-candidate.confidence, candidate.name))
    return NameSuggestions(tuple(ranked[:limit]), own_confidence)


def _merge(first: SuggestedName, second: SuggestedName) -> SuggestedName:
    reasons = tuple(dict.fromkeys((*first.reasons, *second.reasons)))
    return SuggestedName(first.name, max(first.confidence, second.confidence), reasons)


def _rank_verbs(
    facts: Facts, background: Background, limit: int
) -> tuple[list[SuggestedName], float]:
    """Return the name with other verbs in front, the likeliest first, and the probability of the
    own verb."""
    from codeacumen.models.method_naming.combined import change_verb

    log_shares = background.log_probabilities([facts])[0]
    own = background.place(facts, facts.name)
    names: list[SuggestedName] = []
    for column in (-log_shares).argsort(kind="stable").tolist():
        share = math.exp(float(log_shares[column]))
        if share < _MIN_SHARE or len(names) >= limit:
            break
        name = change_verb(facts, column, background) if column != own else ""
        if name and name != facts.name:
            reason = _explain_verb(facts, column, own, share, background)
            names.append(SuggestedName(name, round(share, 3), (reason,)))
    return names, round(math.exp(float(log_shares[own])), 3)


def _explain_verb(facts: Facts, column: int, own: int, share: float, background: Background) -> str:
    verb = background.title(column)
    is_verb = column < len(background.verbs)
    habit = f"begin with '{verb}'" if is_verb else "are named after what they return"
    traits = ", ".join(background.explain_column(facts, column, own))
    return (
        f"elsewhere, {100 * share:.0f} % of such methods {habit}{f': {traits}' if traits else ''}"
    )
