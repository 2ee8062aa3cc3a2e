"""The combination: a probability that a name is wrong, from all signals together.

Signals are weighed by a logistic regression that has seen right names and wrong ones,
and the share of wrong names it was shown is taken back out: in code that is kept, few are wrong.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from acumen.api import AcumenError
from acumen.models.naming.background import ALWAYS, Background
from acumen.models.naming.conventions import Conventions
from acumen.models.naming.facts import Facts, is_named_freely
from acumen.models.naming.families import PROMISES
from acumen.models.naming.signals import BENDS, Signals, signals
from acumen.models.naming.suggest import suggested
from acumen.models.naming.verdict import Evidence, Verdict

# Of names that anything speaks against at all, about so many were wrong by our own reading of three
# libraries (docs/naming-models.md); the others get no verdict.
SHARE_WRONG = 0.235
# Signals of the background that are told as one reason.
_VERB = tuple(f"verb above {bend:g}" for bend in BENDS)
# What adds less to the log-odds is too thin to be told as a reason.
_QUIET = 0.5


class Combined:
    """It learns a project's ways first; the background is what is known of other code."""

    def __init__(self, background: Background, prior: float = SHARE_WRONG) -> None:
        if not background.combination:
            raise AcumenError(
                "this background does not say what signals are worth",
                "learn it from several projects: one in seven is held out to weigh signals on",
            )
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
            if (weight := self.weights.get(f"rule {one.rule}", 0.0) * one.weight) > _QUIET
        ]
        weight = sum(self.weights.get(name, 0.0) * seen.values[name] for name in _VERB)
        if weight > _QUIET:
            found.append(Evidence("background", "verb", self._verb_text(facts, seen), weight))
        return sorted(found, key=lambda one: -one.weight)

    def _verb_text(self, facts: Facts, seen: Signals) -> str:
        (own, here), (best, there) = seen.families
        because = ", ".join(self.background.reasons(facts, best, own))
        why = f": {because}" if because else ""
        return (
            f"elsewhere, {100 * math.exp(there):.0f} % of such methods {PROMISES[best]}, "
            f"{100 * math.exp(here):.1f} % {PROMISES[own]}{why}"
        )
