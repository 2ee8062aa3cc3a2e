"""All that speaks for or against a name, as numbers with names.

Rules and conventions give what they think they are worth, where they hold. The background gives how
much it doubts the verb's family: one that promises something else is likelier here, and this one
less likely than it is elsewhere, in log-odds, whichever is less.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acumen.models.naming.antipatterns import findings
from acumen.models.naming.background import Background
from acumen.models.naming.conventions import Conventions
from acumen.models.naming.facts import Facts
from acumen.models.naming.families import FAMILY_OF, OPPOSED
from acumen.models.naming.traits import simple_owner, words
from acumen.models.naming.verdict import Evidence

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Bent, so that a little is nothing and much is much.
BENDS = (1.0, 3.0, 5.0)
MOST = 10.0
# What a project does with such methods says little of a verb that the background does not doubt.
_OF_SHAPE, _DOUBTED = "verb-of-shape", 1.0
# Where no other family is likely, what the method does is none of these; unless it plainly breaks
# its promise.
_LIKELY = math.log(0.1)
_GIVING = frozenset(("get", "ask"))


@dataclass(frozen=True, slots=True)
class Signals:
    """``values`` by name; ``evidence`` for those that rules and conventions gave. ``odds`` are the
    log-probabilities of verbs, of which ``own`` is the name's; ``families`` those of families that
    are in question: the name's own, then the likeliest that promises something else."""

    values: Mapping[str, float]
    evidence: tuple[Evidence, ...]
    own: int
    odds: NDArray[np.float32]
    families: tuple[tuple[str, float], ...]


def signals(
    methods: Sequence[Facts], background: Background, conventions: Conventions
) -> list[Signals]:
    rows = background.log_probabilities(methods)
    return [
        _signals(facts, row, background, conventions)
        for facts, row in zip(methods, rows, strict=True)
    ]


def _signals(
    facts: Facts, odds: NDArray[np.float32], background: Background, conventions: Conventions
) -> Signals:
    own = background.place(facts, facts.name)
    doubt, families = _doubt(facts, own, odds, background)
    unknown = own == len(odds) - 1
    evidence = tuple(
        one
        for one in (*findings(facts), *conventions.evidence(facts))
        if one.rule != _OF_SHAPE or doubt > _DOUBTED or unknown
    )
    values = {f"rule {one.rule}": one.weight for one in evidence}
    values |= {f"verb above {bend:g}": max(0.0, doubt - bend) for bend in BENDS}
    return Signals(values, evidence, own, odds, families)


def _doubt(
    facts: Facts, own: int, odds: NDArray[np.float32], background: Background
) -> tuple[float, tuple[tuple[str, float], ...]]:
    family = FAMILY_OF.get(background.title(own), "")
    if not family:
        return 0.0, ()
    # What does something with what it is given may well say whether that worked.
    opposed = OPPOSED[family] - ({"ask"} if facts.parameters else set())
    here = {
        one: float(np.logaddexp.reduce(odds[background.columns(one)]))
        for one in (family, *sorted(opposed))
    }
    best = max((one for one in here if one != family), key=lambda one: here[one])
    elsewhere = float(np.logaddexp.reduce(background.shares[background.columns(family)]))
    broken = family in _GIVING and facts.returned == "void"
    if here[best] < _LIKELY and not broken:
        return 0.0, ()
    doubt = min(here[best] - here[family], elsewhere - here[family], MOST)
    return max(0.0, doubt), ((family, here[family]), (best, here[best]))


def far_words(facts: Facts) -> list[str]:
    """Words of the name, after the first, that are nowhere in the method or its owner's name."""
    near = set(words(facts.returned)) | set(words(simple_owner(facts)))
    for type_, name in facts.parameters:
        near.update(words(type_), words(name))
    for name in (*facts.identifiers, *facts.created):
        near.update(words(name))
    return [one for one in words(facts.name)[1:] if one not in near]


def dense(facts: Facts, seen: Signals, background: Background) -> list[float]:
    """The signals that every name has, as one row, for a learner that bends them itself."""
    odds = seen.odds
    share = np.exp(odds)
    own, many = words(facts.name), len(odds)
    body = {one for name in facts.identifiers for one in words(name)}
    returned = set(words(facts.returned))
    rest = own[1:]
    row = [
        odds[seen.own], odds.max() - odds[seen.own], odds.max(),
        float((odds > odds[seen.own]).sum()), -float((share * odds).sum()),
        float(background.shares[seen.own]), float(np.log1p(background.names.get(facts.name, 0))),
        float(len(far_words(facts))), float(len(own)),
        *(float(seen.own == many - place) for place in (4, 3, 2, 1)),
        float(own[:1] == ("get",)), float(own[:1] == ("is",)), float(own[:1] == ("set",)),
        float(bool(own) and own[0] in body), float(len(facts.name)),
        sum(one in body for one in rest) / max(1, len(rest)),
        sum(one in returned for one in rest) / max(1, len(rest)),
        float(len(returned - set(own))), float(np.log1p(facts.statements)),
        float(len(facts.parameters)), float(any(words(name) == own for _, name, _ in facts.calls)),
        float(sum(one.weight for one in seen.evidence)),
    ]  # fmt: skip
    return [float(one) for one in row]
