"""All that speaks for or against a name, as numbers with names.

Rules and conventions give 1 where they hold. The background gives how much likelier another verb is
than the name's own (``verb``), bent at two places so that a little is nothing and much is much; how
well known the whole name is; and how many of its words are found nowhere near the method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acumen.models.naming.antipatterns import findings
from acumen.models.naming.background import Background
from acumen.models.naming.conventions import Conventions
from acumen.models.naming.facts import Facts
from acumen.models.naming.traits import simple_owner, words
from acumen.models.naming.verdict import Evidence

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Where another verb is e^2, e^4, e^6 times as likely.
BENDS = (2.0, 4.0, 6.0)
MOST = 10.0


@dataclass(frozen=True, slots=True)
class Signals:
    """``values`` by name; ``evidence`` for those that rules and conventions gave; ``best`` is the
    likeliest verb's column, ``own`` the name's."""

    values: Mapping[str, float]
    evidence: tuple[Evidence, ...]
    best: int
    own: int
    odds: NDArray[np.float32]


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
    evidence = (*findings(facts), *conventions.evidence(facts))
    values = {f"rule {one.rule}": 1.0 for one in evidence}
    own, best = background.place(facts, facts.name), int(odds.argmax())
    gap = min(float(odds[best] - odds[own]), MOST)
    for bend in BENDS:
        values[f"verb above {bend:g}"] = max(0.0, gap - bend)
    values["verb common"] = max(-8.0, float(background.shares[own]))
    values["name known"] = float(np.log1p(background.names.get(facts.name, 0)))
    values["words far"] = min(3.0, float(len(far_words(facts))))
    values["words"] = min(6.0, float(len(facts.subtokens)))
    return Signals(values, evidence, best, own, odds)


def far_words(facts: Facts) -> list[str]:
    """Words of the name, after the first, that are nowhere in the method or its owner's name."""
    near = set(words(facts.returned)) | set(words(simple_owner(facts)))
    for type_, name in facts.parameters:
        near.update(words(type_), words(name))
    for name in (*facts.identifiers, *facts.created):
        near.update(words(name))
    return [one for one in words(facts.name)[1:] if one not in near]
