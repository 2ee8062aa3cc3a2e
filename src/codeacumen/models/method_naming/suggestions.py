"""Ranked names for a method, each with its reasons; ``codeacumen names suggest`` prints them.

They come from the same sources as the checker's better names: the names of the method's siblings,
and the verbs with which such methods begin in other code.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from codeacumen.models.method_naming.conventions import Conventions
from codeacumen.models.method_naming.facts import Facts

if TYPE_CHECKING:
    from codeacumen.models.method_naming.background import Background

# Minimum share of the methods with the same traits that begin with a suggested verb.
_MIN_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class SuggestedName:
    """A name with its reasons.

    ``confidence`` is from 0 to 1: the share of methods with the same traits that begin with this
    verb, or the confidence of the convention that suggests the name.
    """

    name: str
    confidence: float
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NameSuggestions:
    """Suggested names, the best first, without the method's own name.

    ``own_confidence`` is the background's probability of the own name's verb; None without a
    background.
    """

    names: tuple[SuggestedName, ...]
    own_confidence: float | None = None


def suggest_names(
    facts: Facts, background: Background | None, conventions: Conventions, limit: int
) -> NameSuggestions:
    """Return at most ``limit`` names for a method.

    ``conventions`` should be learned from the method's project, ``background`` from other projects.
    """
    candidates = [
        SuggestedName(suggestion.name, suggestion.confidence, (reason,))
        for suggestion, reason in conventions.explain_suggestions(facts)
    ]
    own_confidence = None
    if background is not None:
        by_verb, own_confidence = _rank_verbs(facts, background, limit)
        candidates += by_verb
    merged: dict[str, SuggestedName] = {}
    for candidate in candidates:
        merged[candidate.name] = _merge_suggestions(
            merged.get(candidate.name, candidate), candidate
        )
    merged.pop(facts.name, None)
    ranked = sorted(merged.values(), key=lambda candidate: (-candidate.confidence, candidate.name))
    return NameSuggestions(tuple(ranked[:limit]), own_confidence)


def _merge_suggestions(first: SuggestedName, second: SuggestedName) -> SuggestedName:
    """Return one suggestion for a name suggested twice: all reasons, the higher confidence."""
    reasons = tuple(dict.fromkeys((*first.reasons, *second.reasons)))
    return SuggestedName(first.name, max(first.confidence, second.confidence), reasons)


def _rank_verbs(
    facts: Facts, background: Background, limit: int
) -> tuple[list[SuggestedName], float]:
    """Return names with other verbs, the likeliest first, and the probability of the own verb."""
    from codeacumen.models.method_naming.combined import change_verb

    log_shares = background.compute_log_probabilities([facts])[0]
    own_column = background.find_column(facts, facts.name)
    names: list[SuggestedName] = []
    for column in (-log_shares).argsort(kind="stable").tolist():
        share = math.exp(float(log_shares[column]))
        if share < _MIN_SHARE or len(names) >= limit:
            break
        name = change_verb(facts, column, background) if column != own_column else ""
        if name and name != facts.name:
            reason = _explain_verb(facts, column, own_column, share, background)
            names.append(SuggestedName(name, round(share, 3), (reason,)))
    return names, round(math.exp(float(log_shares[own_column])), 3)


def _explain_verb(
    facts: Facts, column: int, own_column: int, share: float, background: Background
) -> str:
    verb = background.get_title(column)
    is_verb = column < len(background.verbs)
    habit = f"begin with '{verb}'" if is_verb else "are named after what they return"
    traits = ", ".join(background.explain_column(facts, column, own_column))
    explanation = f": {traits}" if traits else ""
    return f"in other projects, {100 * share:.0f} % of such methods {habit}{explanation}"
