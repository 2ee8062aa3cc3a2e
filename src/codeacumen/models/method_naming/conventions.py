"""Naming conventions of a class and of a project, and a method's deviations from them.

Conventions of a class: the style of accessors (``getX`` or ``x``, ``isX``, ``setX`` or ``withX``),
the two accessors of one field, overloads that delegate to the one with more parameters, and the
verb of methods with the same signature and shape. Convention of a project: the verb of methods with
the same shape. A deviation from a style, from the names of overloads or from a verb counts only if
several siblings follow the convention and hardly any breaks it. Names that a supertype may
prescribe are ignored. ``combined`` and ``suggestions`` call ``Conventions``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from codeacumen.models.method_naming.facts import SELF, Facts
from codeacumen.models.method_naming.name_words import (
    PREDICATE_VERBS,
    QUESTION_VERBS,
    is_name_chosen,
    split_words,
)
from codeacumen.models.method_naming.shapes import (
    GETTER,
    QUESTION,
    SETTER,
    Entry,
    Shape,
    Siblings,
    Votes,
    build_accessor_name,
    classify_delegate,
    is_trivial,
    join_camel_case,
    make_entry,
    make_group_key,
)
from codeacumen.models.method_naming.verdict import Evidence, Suggestion

__all__ = ["KIND", "RULES", "Conventions"]

KIND = "convention"
# Minimum number of siblings that follow a style, and that begin with a common verb; and the maximum
# number of exceptions, as a share of these siblings.
_MIN_VOTES, _MIN_ALIKE = 3, 5
_MAX_EXCEPTIONS = 0.1
# A verb is typical of a shape if at least this many methods have the shape, in this many classes,
# and at least this share of them has the verb; the method's own verb must be rarer than the last.
_MIN_METHODS, _MIN_OWNERS, _MIN_SHARE, _MAX_OTHER_SHARE = 20, 5, 0.9, 0.01
# A name that at least this many other classes have, with the same number of parameters, may be that
# of an interface.
_MIN_SPREAD = 5
# Maximum weight of a deviation, in log-odds that the name is wrong.
_MAX_WEIGHT = 2.5
# For each role of an accessor, the rule about its style and the styles (``shapes.Entry``) that the
# rule compares.
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
    """A deviation from a convention; ``better`` is the name that follows the convention.

    ``confidence`` in the better name is from 0 to 1.
    """

    evidence: Evidence
    better: str
    confidence: float


class _LearnedMethod(NamedTuple):
    """A learned method, whose own vote is left out when this method is judged.

    ``is_counted`` is True if its verb is a vote for its shape in the project.
    """

    name: str
    verb: str
    is_counted: bool


class Conventions:
    """Conventions learned from a project's methods; reports how a method deviates from them."""

    def __init__(self) -> None:
        # ``_classes`` are by path and name, ``_shapes`` are the votes for verbs by shape.
        # ``_owners`` are the classes with methods of a shape and verb, ``_names`` those with
        # methods of a name and number of parameters. ``_learned`` is by ``_get_method_key``.
        self._classes: dict[tuple[str, str], Siblings] = {}
        self._shapes: dict[Shape, Votes] = {}
        self._owners: dict[tuple[Shape, str], set[str]] = {}
        self._names: dict[tuple[str, int], set[str]] = {}
        self._learned: dict[tuple[str, str, int], _LearnedMethod] = {}

    def learn_methods(self, facts: Iterable[Facts]) -> None:
        """Learn from methods, possibly in several calls; a method is counted only once."""
        for method_facts in facts:
            if not method_facts.subtokens or _get_method_key(method_facts) in self._learned:
                continue
            own = make_entry(method_facts)
            self._classes.setdefault(
                (method_facts.path, method_facts.owner), Siblings()
            ).add_method(own, method_facts.owner)
            _add_owner(
                self._names.setdefault((method_facts.name, len(method_facts.parameters)), set()),
                method_facts.owner,
            )
            is_counted = not is_trivial(own.shape) and is_name_chosen(method_facts)
            self._learned[_get_method_key(method_facts)] = _LearnedMethod(
                method_facts.name, own.words[0], is_counted
            )
            if is_counted:
                self._shapes.setdefault(own.shape, Votes()).add_vote(
                    own.words[0], method_facts.owner, method_facts.name
                )
                _add_owner(
                    self._owners.setdefault((own.shape, own.words[0]), set()), method_facts.owner
                )

    def collect_evidence(self, facts: Facts) -> list[Evidence]:
        """Return the evidence against a method's name."""
        return [deviation.evidence for deviation in self._find_deviations(facts)]

    def suggest_names(self, facts: Facts) -> list[Suggestion]:
        """Return distinct better names, the most confident first."""
        best: dict[str, float] = {}
        for deviation in self._find_deviations(facts):
            if deviation.better and deviation.better != facts.name:
                best[deviation.better] = max(deviation.confidence, best.get(deviation.better, 0.0))
        ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))
        return [Suggestion(name, confidence) for name, confidence in ranked]

    def explain_suggestions(self, facts: Facts) -> list[tuple[Suggestion, str]]:
        """Return each better name with the reason for it, in the order of the rules."""
        return [
            (Suggestion(deviation.better, deviation.confidence), deviation.evidence.text)
            for deviation in self._find_deviations(facts)
            if deviation.better and deviation.better != facts.name
        ]

    def _find_deviations(self, facts: Facts) -> list[_Deviation]:
        if not facts.subtokens or not is_name_chosen(facts) or self._may_be_inherited(facts):
            return []
        own = make_entry(facts)
        siblings = self._classes.get((facts.path, facts.owner)) or Siblings()
        comparison = _SiblingComparison(
            facts, own, siblings, siblings.by_place.get(facts.method_index)
        )
        deviations = [
            *comparison.compare_style(),
            *comparison.compare_pair(),
            *comparison.compare_overload(),
        ] or list(comparison.compare_prefix())
        # A class whose accessors are called like their fields follows no verb of the project.
        if deviations or (own.role and (own.style == "bare" or comparison.has_bare_accessors())):
            return deviations
        return list(self._compare_verb(facts, own))

    def _may_be_inherited(self, facts: Facts) -> bool:
        """Return True if a supertype may prescribe the name, because many classes have it."""
        if facts.owner_kind in ("record", "annotation"):
            return True
        if facts.modifiers & {"private", "static"} or not (facts.extends or facts.implements):
            return False
        owners = self._names.get((facts.name, len(facts.parameters)), set())
        return len(owners - {facts.owner}) >= _MIN_SPREAD

    def _compare_verb(self, facts: Facts, own: Entry) -> Iterator[_Deviation]:
        """Yield the deviation from the verb of nearly all methods of this shape in the project."""
        votes = self._shapes.get(own.shape)
        if votes is None or len(own.words) < 2:
            return
        learned, verb = self._learned.get(_get_method_key(facts)), own.words[0]
        own_vote = learned.verb if learned and learned.is_counted else None
        leader = votes.find_leader(own_vote, facts.owner, learned.name if learned else "")
        if leader is None or leader.word == verb or leader.total < _MIN_METHODS:
            return
        own_count = votes.counts[verb] - (own_vote == verb)
        spread = len(self._owners[own.shape, leader.word])
        share = leader.votes / leader.total
        if (
            share < _MIN_SHARE
            or spread < _MIN_OWNERS
            or own_count / leader.total > _MAX_OTHER_SHARE
        ):
            return
        weight = min(_MAX_WEIGHT, 0.3 * math.log((leader.votes + 1) / (own_count + 1)))
        text = (
            f"{leader.votes} of {leader.total} methods of this shape begin with '{leader.word}',"
            f" not '{verb}'"
        )
        better = (
            build_accessor_name(leader.word, own.field)
            if own.role
            else _with_verb(leader.word, facts)
        )
        evidence = Evidence(KIND, "verb-of-shape", text, weight, leader.examples)
        yield _Deviation(evidence, better, 0.5 * share)


class _SiblingComparison(NamedTuple):
    """Comparison of a method with the other methods of its class.

    ``own`` describes the method under the judged name; ``learned`` is its entry among the siblings,
    or None if it was not learned. Each method yields at most one deviation.
    """

    facts: Facts
    own: Entry
    siblings: Siblings
    learned: Entry | None

    def has_bare_accessors(self) -> bool:
        """Return True if the class has accessors of this role that are called like their field."""
        votes = self.siblings.styles.get(self.own.role)
        return bool(votes and votes.counts["bare"])

    def compare_style(self) -> Iterator[_Deviation]:
        """Yield the deviation from the style of the class's accessors."""
        own, learned = self.own, self.learned
        rule, styles = _STYLES.get(own.role, ("", ()))
        votes = self.siblings.styles.get(own.role)
        if own.style not in styles or votes is None:
            return
        own_vote = learned.style if learned and learned.role == own.role and learned.style else None
        leader = votes.find_leader(own_vote, self.facts.owner, learned.name if learned else "")
        if leader is None or leader.word == own.style or leader.word not in styles:
            return
        others = leader.total - leader.votes
        if leader.votes < _MIN_VOTES or others > _MAX_EXCEPTIONS * leader.votes:
            return
        example = leader.examples[0].rsplit(".", 1)[-1]
        text = f"{leader.votes} {own.role}s of this class are named like {example}"
        weight = _compute_weight(leader.votes, others)
        evidence = Evidence(KIND, rule, text, weight, leader.examples)
        yield _Deviation(
            evidence, build_accessor_name(leader.word, own.field), leader.votes / (leader.total + 1)
        )

    def compare_pair(self) -> Iterator[_Deviation]:
        """Yield the deviation of an accessor that is not named after its field from its partner.

        The partner is the only other accessor of the field, a setter if this one is a getter and
        the other way round, and is named after the field.

        A second getter or setter of the field under another name is an alias, and no deviation.
        """
        own = self.own
        if not own.role or own.style or own.words[0] not in ("get", "set", "is"):
            return
        accessors = self.siblings.by_field.get(own.field, ())
        others = [accessor for accessor in accessors if accessor.method_index != own.method_index]
        if len(others) != 1 or (others[0].role == SETTER) == (own.role == SETTER):
            return
        better, partner = build_accessor_name(own.words[0], own.field), others[0]
        # Another method may already have the better name.
        if partner.style not in ("get", "set", "is") or self.siblings.has_method(better):
            return
        text = f"{partner.name} uses the same field, {own.field}"
        examples = (f"{self.facts.owner.rsplit('.', 1)[-1]}.{partner.name}",)
        yield _Deviation(Evidence(KIND, "pair-of-field", text, 1.5, examples), better, 0.7)

    def compare_overload(self) -> Iterator[_Deviation]:
        """Yield the deviation of a method that delegates from the others of the class that do.

        A method delegates if it only calls a method with more parameters. It deviates if it has
        another name than its target while the others have the name of theirs.
        """
        name, count = self.own.target
        if not name or name == SELF or not self.siblings.has_method(name, count):
            return
        learned = self.learned
        own_vote = classify_delegate(learned) if learned and learned.target[0] else None
        leader = self.siblings.handing.find_leader(
            own_vote, self.facts.owner, learned.name if learned else ""
        )
        # ``same`` and ``other`` are the answers of ``classify_delegate``.
        if leader is None or leader.word != "same" or leader.votes < _MIN_VOTES:
            return
        others = leader.total - leader.votes
        # The name may say what the further argument is.
        if others > _MAX_EXCEPTIONS * leader.votes or set(split_words(name)) & set(self.own.words):
            return
        text = (
            f"it delegates to {name}; {leader.votes} other delegates are named like their targets"
        )
        weight = 0.3 * _compute_weight(leader.votes, others)
        yield _Deviation(Evidence(KIND, "overload-name", text, weight, leader.examples), name, 0.4)

    def compare_prefix(self) -> Iterator[_Deviation]:
        """Yield the deviation from the verb of the class's methods of the same signature and shape.

        Examples are ``visit`` in a visitor and ``parse`` in a parser.
        """
        own, learned = self.own, self.learned
        votes = self.siblings.prefixes.get(make_group_key(own))
        if votes is None or own.role or len(own.words) < 2:
            return
        own_vote = (
            learned.words[0] if learned and make_group_key(learned) == make_group_key(own) else None
        )
        leader = votes.find_leader(own_vote, self.facts.owner, learned.name if learned else "")
        if leader is None or leader.word == own.words[0] or leader.votes < _MIN_ALIKE:
            return
        others = leader.total - leader.votes
        # Questions and predicates have many verbs.
        if (
            others > _MAX_EXCEPTIONS * leader.votes
            or {leader.word, own.words[0]} <= QUESTION_VERBS | PREDICATE_VERBS
        ):
            return
        text = f"{leader.votes} similar methods of this class begin with '{leader.word}'"
        weight = 0.4 * _compute_weight(leader.votes, others)
        evidence = Evidence(KIND, "prefix-of-siblings", text, weight, leader.examples)
        yield _Deviation(evidence, _with_verb(leader.word, self.facts), 0.4)


def _with_verb(verb: str, facts: Facts) -> str:
    return join_camel_case((verb, *facts.subtokens[1:]))


def _compute_weight(most: int, others: int) -> float:
    """Return the weight of a deviation from what ``most`` methods do and ``others`` do not."""
    return min(_MAX_WEIGHT, 0.8 * math.log((most + 1) / (others + 1)))


def _add_owner(owners: set[str], owner: str) -> None:
    """Add to a set, up to one more than ``_MIN_SPREAD``: only small sizes matter."""
    if len(owners) <= _MIN_SPREAD:
        owners.add(owner)


def _get_method_key(facts: Facts) -> tuple[str, str, int]:
    return (facts.path, facts.owner, facts.method_index)
