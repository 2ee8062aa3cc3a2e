"""The probability that a name is wrong, from all signals combined, and better names.

A logistic regression, trained on right and wrong names, weighs the signals. Its intercept is
corrected for the share of wrong names in the training data: in real code few names are wrong.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from codeacumen.api import CodeacumenError
from codeacumen.models.method_naming.antipatterns import findings
from codeacumen.models.method_naming.background import (
    ALWAYS,
    FAMILY_OF,
    OPPOSED,
    OTHERS,
    PROMISES,
    Background,
)
from codeacumen.models.method_naming.conventions import Conventions
from codeacumen.models.method_naming.facts import Facts, is_named_freely
from codeacumen.models.method_naming.shapes import joined
from codeacumen.models.method_naming.traits import COLLECTIONS, simple_owner, words
from codeacumen.models.method_naming.verdict import Evidence, Suggestion, Verdict

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Points of the hinge functions max(0, doubt - point), which make a small doubt count nothing.
BENDS = (1.0, 3.0, 5.0)
_MAX_DOUBT = 10.0
# The convention verb-of-shape counts only if the background doubts the verb at least this much: a
# project's habit alone is weak evidence.
_OF_SHAPE, _DOUBTED = "verb-of-shape", 1.0
# Minimum log-probability of the opposed family. If no other family is likely, the method does
# something else than any family promises, and its verb is not doubted.
_LIKELY = math.log(0.1)
_GIVING = frozenset(("get", "ask"))
# Maximum number of suggestions for a name, and the minimum probability of each.
_MAX_SUGGESTIONS, _MIN_PROBABILITY = 3, 0.05
# Share of wrong names among the names with evidence against them, from our reading of three
# libraries (docs/naming-models.md). Names without evidence get no verdict.
SHARE_WRONG = 0.235
# Signals of the background, which together form one reason.
_VERB = tuple(f"verb above {bend:g}" for bend in BENDS)
# Minimum weight of a reported reason, in log-odds.
_QUIET = 0.5


@dataclass(frozen=True, slots=True)
class Signals:
    """Signals for and against a method's name.

    ``values`` are the signals by name, ``evidence`` the findings of rules and conventions.
    ``log_probs`` are the log-probabilities of all columns of the background, ``own_column`` is the
    column of the name's verb. ``families`` are two families of verbs with their log-probabilities:
    the verb's own, then the likeliest opposed one; empty if the verb is not doubted.
    """

    values: Mapping[str, float]
    evidence: tuple[Evidence, ...]
    own: int
    odds: NDArray[np.float32]
    families: tuple[tuple[str, float], ...]


def signals(
    methods: Sequence[Facts], background: Background, conventions: Conventions
) -> list[Signals]:
    """Return the signals for and against each method's name.

    Rules and conventions contribute their weight if they have a finding. The background contributes
    its doubt of the verb's family in log-odds, the minimum of two differences: how much likelier an
    opposed family is for this method, and how much less likely this family is than on average.
    """
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
    # A method with parameters may do something with them and return whether it succeeded.
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
    doubt = min(here[best] - here[family], elsewhere - here[family], _MAX_DOUBT)
    return max(0.0, doubt), ((family, here[family]), (best, here[best]))


def far_words(facts: Facts) -> list[str]:
    """Return the words of the name, after the first, that occur neither in the method nor in its
    owner's name."""
    near = set(words(facts.returned)) | set(words(simple_owner(facts)))
    for type_, name in facts.parameters:
        near.update(words(type_), words(name))
    for name in (*facts.identifiers, *facts.created):
        near.update(words(name))
    return [one for one in words(facts.name)[1:] if one not in near]


def dense(facts: Facts, seen: Signals, background: Background) -> list[float]:
    """Return a row of features that every name has, for a non-linear regression."""
    odds = seen.odds
    share = np.exp(odds)
    own, many = words(facts.name), len(odds)
    body = {one for name in facts.identifiers for one in words(name)}
    returned = set(words(facts.returned))
    rest = own[1:]
    row = [
        odds[seen.own],
        odds.max() - odds[seen.own],
        odds.max(),
        float((odds > odds[seen.own]).sum()),
        -float((share * odds).sum()),
        float(background.shares[seen.own]),
        float(np.log1p(background.names.get(facts.name, 0))),
        float(len(far_words(facts))),
        float(len(own)),
        *(float(seen.own == many - place) for place in (4, 3, 2, 1)),
        float(own[:1] == ("get",)),
        float(own[:1] == ("is",)),
        float(own[:1] == ("set",)),
        float(bool(own) and own[0] in body),
        float(len(facts.name)),
        sum(one in body for one in rest) / max(1, len(rest)),
        sum(one in returned for one in rest) / max(1, len(rest)),
        float(len(returned - set(own))),
        float(np.log1p(facts.statements)),
        float(len(facts.parameters)),
        float(any(words(name) == own for _, name, _ in facts.calls)),
        float(sum(one.weight for one in seen.evidence)),
    ]
    return [float(one) for one in row]


def suggested(
    facts: Facts, seen: Signals, background: Background, conventions: Conventions
) -> tuple[Suggestion, ...]:
    """Return distinct better names, the likeliest first, without the method's own name."""
    best: dict[str, float] = {}
    for one in conventions.suggest(facts):
        best[one.name] = max(one.confidence, best.get(one.name, 0.0))
    for name, confidence in by_verbs(facts, seen, background):
        best[name] = max(confidence, best.get(name, 0.0))
    best.pop(facts.name, None)
    ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))
    return tuple(
        Suggestion(name, round(sure, 3))
        for name, sure in ranked[:_MAX_SUGGESTIONS]
        if sure >= _MIN_PROBABILITY
    )


def by_verbs(facts: Facts, seen: Signals, background: Background) -> list[tuple[str, float]]:
    """Return the name with likelier verbs in place of its first word, with their probabilities."""
    found = []
    for place in (-seen.odds).argsort()[: _MAX_SUGGESTIONS + 1].tolist():
        sure = math.exp(float(seen.odds[place]))
        if place == seen.own or sure < _MIN_PROBABILITY:
            continue
        name = change_verb(facts, place, background)
        if name:
            found.append((name, sure))
    return found


def change_verb(facts: Facts, column: int, background: Background) -> str:
    """Return the method's name with the verb of a column of the background in front.

    Return an empty string if the column is no verb and the method returns no variable.
    """
    title = background.title(column)
    if title == OTHERS[0] and facts.returned_names:
        return facts.returned_names[0]
    if title in OTHERS:
        return ""
    return joined((title, *_without(title, topic(facts, background))))


def _without(verb: str, about: list[str]) -> list[str]:
    """Return the words without a leading verb: ``x``, ``axis`` of ``getx``, ``axis``."""
    if about and about[0].startswith(verb):
        return [one for one in (about[0].removeprefix(verb), *about[1:]) if one]
    return about


def name_for(facts: Facts, odds: NDArray[np.float32], background: Background) -> str:
    """Return a name for a method without one: the likeliest verb, then the topic of the body."""
    title = background.title(int(odds.argmax()))
    about = _about(facts)
    if title in OTHERS:
        return joined(tuple(about) or ("run",))
    return joined((title, *(word for word in about if word != title)))


def _about(facts: Facts) -> list[str]:
    """Return the words of what the body stores, returns, creates or calls, in this order of
    preference."""
    for name in (
        *(field for _, field in facts.stored[:1]),
        *facts.returned_names[:1],
        *([facts.returned] if facts.returned in facts.created else []),
    ):
        return list(words(name))
    if len(facts.calls) == 1:
        return list(words(facts.calls[0][1]))[1:] or list(words(facts.calls[0][0]))
    returned = facts.returned
    is_telling = returned[:1].isupper() and returned not in COLLECTIONS and returned != "String"
    return list(words(returned)) if is_telling else []


def topic(facts: Facts, background: Background) -> list[str]:
    """Return the words of the name without a leading verb, or else of what the body stores or
    returns."""
    own = list(words(facts.name))
    if own and own[0] in background.verbs:
        own = own[1:]
    if own:
        return own
    if facts.stored:
        return list(words(facts.stored[0][1]))
    if len(facts.returned_names) == 1:
        return list(words(facts.returned_names[0]))
    return []


class Combined:
    """Judge of names that combines a project's conventions, the rules and a background.

    It first learns the conventions of the project (``learn_methods``).
    """

    def __init__(self, background: Background, prior: float = SHARE_WRONG) -> None:
        if not background.combination:
            raise CodeacumenError(
                "this background has no weights of the signals",
                "learn it from several projects: the weights come from one held-out project in "
                "seven",
            )
        self.background = background
        self.weights: Mapping[str, float] = background.combination
        self.prior = math.log(prior / (1 - prior))
        self.conventions = Conventions()

    def learn(self, facts: Sequence[Facts]) -> None:
        self.conventions.learn(list(facts))

    def assess(self, facts: Sequence[Facts]) -> list[Verdict | None]:
        """Return a verdict on each method.

        It is None if the author did not choose the name, or if there is no evidence against it.
        """
        free = [one for one in facts if is_named_freely(one)]
        found = iter(signals(free, self.background, self.conventions))
        return [self._verdict(one, next(found)) if is_named_freely(one) else None for one in facts]

    def odds(self, seen: Signals) -> float:
        """Return the log-odds that the name is wrong."""
        weighed = (self.weights.get(name, 0.0) * value for name, value in seen.values.items())
        return self.prior + self.weights.get(ALWAYS, 0.0) + math.fsum(weighed)

    def fitness(self, seen: Signals) -> float:
        """Return the probability that the name is right."""
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
