"""Naming conventions of a class and of a project, and a method's deviations from them.

Conventions of a class: the style of accessors (``getX`` or ``x``, ``isX``, ``setX`` or ``withX``),
the two accessors of one field, overloads that delegate to the one with more parameters, and the
verb of methods with the same signature and shape. Convention of a project: the verb of methods with
the same shape. A deviation counts only if at least three siblings follow the convention and hardly
any breaks it. Names that a supertype may prescribe are ignored.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from codeacumen.models.method_naming.facts import SELF, Facts
from codeacumen.models.method_naming.name_words import PREDICATES, QUESTIONS, free, words_of
from codeacumen.models.method_naming.shapes import (
    GETTER,
    QUESTION,
    SETTER,
    Entry,
    Shape,
    Siblings,
    Votes,
    alike,
    entry,
    handed,
    joined,
    styled,
    trivial,
)
from codeacumen.models.method_naming.verdict import Evidence, Suggestion

__all__ = ["KIND", "RULES", "Conventions"]

KIND = "convention"
# Minimum number of siblings for a style and for a common verb, and the maximum share of exceptions.
_FEWEST, _FEWEST_ALIKE = 3, 5
_STRAY = 0.1
# A verb is typical of a shape if at least this many methods have the shape, in this many classes,
# and at least this share of them has the verb; the method's own verb must be rarer than the last.
_METHODS, _OWNERS, _SHARE, _RARE = 20, 5, 0.9, 0.01
# Number of classes from which on a name with the same number of parameters may be an interface's.
_SPREAD = 5
_HEAVIEST = 2.5
_STYLES = {
    GETTER: ("getter-style", ("get", "bare")),
    QUESTION: ("question-style", ("is", "get", "bare")),
    SETTER: ("setter-style", ("set", "with", "bare")),
}
RULES = (
    *(rule for rule, _ in _STYLES.values()),
    "pair-of-field",
    "overload-name",
    "prefix-of-siblings",
    "verb-of-shape",
)


class _Deviation(NamedTuple):
    """A deviation from a convention, with the name that follows it."""

    evidence: Evidence
    better: str
    confidence: float


class _Known(NamedTuple):
    """What was learned from a method, which must be ignored when the method itself is judged."""

    name: str
    verb: str
    counted: bool


class Conventions:
    """Conventions learned from a project's methods; reports how a method deviates from them."""

    def __init__(self) -> None:
        self._classes: dict[tuple[str, str], Siblings] = {}
        self._shapes: dict[Shape, Votes] = {}
        self._owners: dict[tuple[Shape, str], set[str]] = {}
        self._names: dict[tuple[str, int], set[str]] = {}
        self._known: dict[tuple[str, str, int], _Known] = {}

    def learn(self, facts: Iterable[Facts]) -> None:
        """Learn from methods, possibly in several calls; a method is counted only once."""
        for one in facts:
            if not one.subtokens or _identity(one) in self._known:
                continue
            own = entry(one)
            self._classes.setdefault((one.path, one.owner), Siblings()).add(own, one.owner)
            _few(self._names.setdefault((one.name, len(one.parameters)), set()), one.owner)
            counted = not trivial(own.shape) and free(one)
            self._known[_identity(one)] = _Known(one.name, own.words[0], counted)
            if counted:
                self._shapes.setdefault(own.shape, Votes()).add(own.words[0], one.owner, one.name)
                _few(self._owners.setdefault((own.shape, own.words[0]), set()), one.owner)

    def evidence(self, facts: Facts) -> list[Evidence]:
        """Return the evidence against a method's name."""
        return [one.evidence for one in self._deviations(facts)]

    def suggest(self, facts: Facts) -> list[Suggestion]:
        """Return distinct better names, the most confident first."""
        best: dict[str, float] = {}
        for one in self._deviations(facts):
            if one.better and one.better != facts.name:
                best[one.better] = max(one.confidence, best.get(one.better, 0.0))
        ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))
        return [Suggestion(name, confidence) for name, confidence in ranked]

    def explain(self, facts: Facts) -> list[tuple[Suggestion, str]]:
        """Return each better name with the reason for it, in the order of the rules."""
        return [
            (Suggestion(one.better, one.confidence), one.evidence.text)
            for one in self._deviations(facts)
            if one.better and one.better != facts.name
        ]

    def _deviations(self, facts: Facts) -> list[_Deviation]:
        if not facts.subtokens or not free(facts) or self._given(facts):
            return []
        own = entry(facts)
        siblings = self._classes.get((facts.path, facts.owner)) or Siblings()
        asked = _Asked(facts, own, siblings, siblings.by_place.get(facts.place))
        found = [*asked.style(), *asked.pair(), *asked.overload()] or list(asked.prefix())
        # A class whose accessors are called like their fields follows no verb of the project.
        if found or (own.role and (own.style == "bare" or asked.bare())):
            return found
        return list(self._verb(facts, own))

    def _given(self, facts: Facts) -> bool:
        """Return True if a supertype may prescribe the name, because many classes have it."""
        if facts.owner_kind in ("record", "annotation"):
            return True
        if facts.modifiers & {"private", "static"} or not (facts.extends or facts.implements):
            return False
        owners = self._names.get((facts.name, len(facts.parameters)), set())
        return len(owners - {facts.owner}) >= _SPREAD

    def _verb(self, facts: Facts, own: Entry) -> Iterator[_Deviation]:
        """Compare with the verb of nearly all methods of this shape in the project."""
        votes = self._shapes.get(own.shape)
        if votes is None or len(own.words) < 2:
            return
        known, verb = self._known.get(_identity(facts)), own.words[0]
        mine = known.verb if known and known.counted else None
        found = votes.leader(mine, facts.owner, known.name if known else "")
        if found is None or found.word == verb or found.total < _METHODS:
            return
        times = votes.counts[verb] - (mine == verb)
        spread = len(self._owners[own.shape, found.word])
        share = found.most / found.total
        if share < _SHARE or spread < _OWNERS or times / found.total > _RARE:
            return
        weight = min(_HEAVIEST, 0.3 * math.log((found.most + 1) / (times + 1)))
        text = (
            f"{found.most} of {found.total} methods of this shape begin with '{found.word}',"
            f" not '{verb}'"
        )
        better = styled(found.word, own.field) if own.role else _with_verb(found.word, facts)
        evidence = Evidence(KIND, "verb-of-shape", text, weight, found.examples)
        yield _Deviation(evidence, better, 0.5 * share)


class _Asked(NamedTuple):
    """A method and its siblings; ``learned`` is the method's entry among them, if it has one."""

    facts: Facts
    own: Entry
    siblings: Siblings
    before: Entry | None

    def bare(self) -> bool:
        """Return True if the class has accessors of this role that are called like their field."""
        votes = self.siblings.styles.get(self.own.role)
        return bool(votes and votes.counts["bare"])

    def style(self) -> Iterator[_Deviation]:
        """Compare with the style of the class's accessors."""
        own, before = self.own, self.before
        rule, styles = _STYLES.get(own.role, ("", ()))
        votes = self.siblings.styles.get(own.role)
        if own.style not in styles or votes is None:
            return
        mine = before.style if before and before.role == own.role and before.style else None
        found = votes.leader(mine, self.facts.owner, before.name if before else "")
        if found is None or found.word == own.style or found.word not in styles:
            return
        others = found.total - found.most
        if found.most < _FEWEST or others > _STRAY * found.most:
            return
        like = found.examples[0].rsplit(".", 1)[-1]
        text = f"{found.most} {own.role}s of this class are named like {like}"
        weight = _weight(found.most, others)
        evidence = Evidence(KIND, rule, text, weight, found.examples)
        yield _Deviation(evidence, styled(found.word, own.field), found.most / (found.total + 1))

    def pair(self) -> Iterator[_Deviation]:
        """Compare the getter and the setter of a field, of which only one is named after the field.

        A second getter or setter of the field under another name is an alias, and no deviation.
        """
        own = self.own
        if not own.role or own.style or own.words[0] not in ("get", "set", "is"):
            return
        same = self.siblings.by_field.get(own.field, ())
        others = [one for one in same if one.place != own.place]
        if len(others) != 1 or (others[0].role == SETTER) == (own.role == SETTER):
            return
        better, partner = styled(own.words[0], own.field), others[0]
        # Another method may already have the better name.
        if partner.style not in ("get", "set", "is") or self.siblings.has(better):
            return
        text = f"{partner.name} is about the same field, {own.field}"
        examples = (f"{self.facts.owner.rsplit('.', 1)[-1]}.{partner.name}",)
        yield _Deviation(Evidence(KIND, "pair-of-field", text, 1.5, examples), better, 0.7)

    def overload(self) -> Iterator[_Deviation]:
        """Compare a method that delegates with other delegating methods of the class.

        A method delegates if it only calls a method with more parameters; it deviates if the others
        have the name of their target.
        """
        name, count = self.own.target
        if not name or name == SELF or not self.siblings.has(name, count):
            return
        before = self.before
        mine = handed(before) if before and before.target[0] else None
        found = self.siblings.handing.leader(mine, self.facts.owner, before.name if before else "")
        if found is None or found.word != "same" or found.most < _FEWEST:
            return
        others = found.total - found.most
        # The name may say what the further argument is.
        if others > _STRAY * found.most or set(words_of(name)) & set(self.own.words):
            return
        text = f"it hands over to {name}; {found.most} others here are named like their target"
        weight = 0.3 * _weight(found.most, others)
        yield _Deviation(Evidence(KIND, "overload-name", text, weight, found.examples), name, 0.4)

    def prefix(self) -> Iterator[_Deviation]:
        """Compare with the verb of the methods with the same signature and shape in the class.

        Examples are ``visit`` in a visitor and ``parse`` in a parser.
        """
        own, before = self.own, self.before
        votes = self.siblings.prefixes.get(alike(own))
        if votes is None or own.role or len(own.words) < 2:
            return
        mine = before.words[0] if before and alike(before) == alike(own) else None
        found = votes.leader(mine, self.facts.owner, before.name if before else "")
        if found is None or found.word == own.words[0] or found.most < _FEWEST_ALIKE:
            return
        others = found.total - found.most
        # Questions and predicates have many verbs.
        if others > _STRAY * found.most or {found.word, own.words[0]} <= QUESTIONS | PREDICATES:
            return
        text = f"{found.most} methods of this class that look like it begin with '{found.word}'"
        weight = 0.4 * _weight(found.most, others)
        evidence = Evidence(KIND, "prefix-of-siblings", text, weight, found.examples)
        yield _Deviation(evidence, _with_verb(found.word, self.facts), 0.4)


def _with_verb(verb: str, facts: Facts) -> str:
    return joined((verb, *facts.subtokens[1:]))


def _weight(most: int, others: int) -> float:
    return min(_HEAVIEST, 0.8 * math.log((most + 1) / (others + 1)))


def _few(owners: set[str], owner: str) -> None:
    """Add to a set, up to one more than ``_MIN_SPREAD``: only small sizes matter."""
    if len(owners) <= _SPREAD:
        owners.add(owner)


def _identity(facts: Facts) -> tuple[str, str, int]:
    return (facts.path, facts.owner, facts.place)
