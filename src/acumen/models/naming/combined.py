"""The combination: a probability that a name is wrong, from all signals together.

Signals are weighed by a logistic regression that has seen right names and wrong ones (``weigh``),
and the share of wrong names it was shown is taken back out: in code that is kept, few are wrong.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from acumen.models.naming.background import OTHERS, Background
from acumen.models.naming.conventions import Conventions
from acumen.models.naming.facts import Facts
from acumen.models.naming.learn import is_named_freely
from acumen.models.naming.signals import BENDS, Signals, far_words, signals
from acumen.models.naming.suggest import suggested
from acumen.models.naming.verdict import Evidence, Verdict

# Of a hundred names in code that is kept, about three are changed one day (Kim et al. 2023 have one
# rename among 33 that stay).
SHARE_WRONG = 0.03
ALWAYS = "always"
# Signals of the background that are told as one reason.
_VERB = tuple(f"verb above {bend:g}" for bend in BENDS)
_QUIET = 0.05


class Combined:
    """It learns a project's ways first; the background is what is known of other code."""

    def __init__(self, background: Background, prior: float = SHARE_WRONG) -> None:
        self.background = background
        self.weights: Mapping[str, float] = background.combination
        self.prior = math.log(prior / (1 - prior))
        self.conventions = Conventions()

    def learn(self, facts: Sequence[Facts]) -> None:
        self.conventions.learn(list(facts))

    def assess(self, facts: Sequence[Facts]) -> list[Verdict | None]:
        """None of a method whose name was not its author's choice, or that nothing speaks
        against."""
        free = [one for one in facts if is_named_freely(one)]
        found = iter(signals(free, self.background, self.conventions))
        return [self._verdict(one, next(found)) if is_named_freely(one) else None for one in facts]

    def odds(self, seen: Signals) -> float:
        """Log-odds that the name is wrong."""
        weighed = (self.weights.get(name, 0.0) * value for name, value in seen.values.items())
        return self.prior + self.weights.get(ALWAYS, 0.0) + math.fsum(weighed)

    def fitness(self, seen: Signals) -> float:
        """How likely the name is right."""
        return 1 / (1 + math.exp(max(-30.0, min(30.0, self.odds(seen)))))

    def _verdict(self, facts: Facts, seen: Signals) -> Verdict | None:
        evidence = self._evidence(facts, seen)
        if not any(one.weight > 0 for one in evidence):
            return None
        better = suggested(facts, seen, self.background, self.conventions)
        return Verdict(1 - self.fitness(seen), tuple(evidence), better)

    def _evidence(self, facts: Facts, seen: Signals) -> list[Evidence]:
        found = [
            Evidence(one.kind, one.rule, one.text, weight, one.examples)
            for one in seen.evidence
            if (weight := self.weights.get(f"rule {one.rule}", 0.0)) > _QUIET
        ]
        weight = sum(self.weights.get(name, 0.0) * seen.values[name] for name in _VERB)
        if weight > _QUIET:
            found.append(Evidence("background", "verb", self._verb_text(facts, seen), weight))
        far = far_words(facts)
        weight = self.weights.get("words far", 0.0) * seen.values["words far"]
        if far and weight > _QUIET:
            several = "stand" if len(far) > 1 else "stands"
            said = ", ".join(f"“{one}”" for one in far[:3])
            found.append(
                Evidence("words", "far-words", f"{said} {several} nowhere in the method", weight)
            )
        return sorted(found, key=lambda one: -one.weight)

    def _verb_text(self, facts: Facts, seen: Signals) -> str:
        background = self.background
        share = 100 * math.exp(float(seen.odds[seen.best]))
        own = 100 * math.exp(float(seen.odds[seen.own]))
        why = "; ".join(background.reasons(facts, seen.best, seen.own))
        best = _said(background, seen.best)
        return (
            f"elsewhere, {share:.0f} % of such methods have {best}, "
            f"{own:.1f} % have {_said(background, seen.own)} ({why})"
        )


def _said(background: Background, place: int) -> str:
    title = background.title(place)
    if title not in OTHERS:
        return f"names that begin with “{title}”"
    return (
        "the name of what they return", "a word of the return type first",
        "a word of their body first", "some other word first",
    )[OTHERS.index(title)]  # fmt: skip
