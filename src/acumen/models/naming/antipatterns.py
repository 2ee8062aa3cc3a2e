"""Names that say one thing of methods that do another: linguistic antipatterns and rules of verbs.

A rule keeps silent where code that is right commonly breaks it: setters whose calls are chained, a
getter that fills an object it was given, a name that a supertype or a framework gives. What each
says, and where it comes from, is in docs/name-rules.md.
"""

from __future__ import annotations

from acumen.models.naming import _antipatterns_effects as effects
from acumen.models.naming import _antipatterns_returns as returns
from acumen.models.naming._antipatterns_said import Rule, Said, free
from acumen.models.naming.facts import Facts
from acumen.models.naming.verdict import Evidence

__all__ = ["KIND", "RULES", "findings", "silent"]

KIND = "antipattern"
_CATALOGUE = "Arnaoudova et al. 2016"
_VERBS = "Høst and Østvold 2009"
# How much less a name counts that a supertype in another file may give.
_INHERITED = 0.6

RULES: tuple[Rule, ...] = (
    Rule("get-returns-void", f"{_CATALOGUE}, B.3", 2.5, returns.get_returns_void),
    Rule("find-returns-void", f"{_CATALOGUE}, B.3", 1.5, returns.find_returns_void),
    Rule("get-changes-state", f"{_CATALOGUE}, A.1", 1.5, effects.get_changes),
    Rule("question-without-boolean", f"{_CATALOGUE}, A.2", 2.5, returns.question_without_boolean),
    Rule("question-without-answer", f"{_CATALOGUE}, B.4", 2.0, returns.question_without_answer),
    Rule("predicate-without-boolean", _VERBS, 1.5, returns.predicate_without_boolean),
    Rule("compare-without-order", _VERBS, 1.0, returns.compare_without_order),
    Rule("set-returns", f"{_CATALOGUE}, A.3", 1.5, returns.set_returns),
    Rule("set-sets-nothing", _VERBS, 2.0, effects.set_sets_nothing),
    Rule("one-expected", f"{_CATALOGUE}, A.4", 2.0, returns.one_expected),
    Rule("many-expected", f"{_CATALOGUE}, B.6", 2.0, returns.many_expected),
    Rule("check-without-answer", f"{_CATALOGUE}, B.2", 1.5, effects.check_without_answer),
    Rule("transform-returns-void", f"{_CATALOGUE}, B.5", 2.0, returns.transform_returns_void),
    Rule("transform-to-another", _VERBS, 2.0, returns.transform_to_another),
    Rule("create-makes-nothing", _VERBS, 1.5, effects.create_makes_nothing),
    Rule("negated-field", f"{_CATALOGUE}, C", 2.0, effects.negated_field),
    Rule("accessor-of-other-field", "JavaBeans 1.01, 8.3", 2.0, effects.other_field),
    Rule("body-does-opposite", f"{_CATALOGUE}, C", 2.0, effects.body_does_opposite),
    Rule("only-the-opposite", _VERBS, 1.5, effects.only_the_opposite),
    Rule("does-one-of-two", "Butler et al. 2010", 1.0, effects.does_one_of_two),
    Rule("comment-says-opposite", f"{_CATALOGUE}, C.2", 1.5, effects.comment_says_opposite),
    Rule("type-is-opposite", f"{_CATALOGUE}, C.1", 1.0, effects.type_is_opposite),
    Rule("no-verb", "Butler et al. 2010", 1.0, effects.no_verb),
)


def silent(facts: Facts) -> bool:
    """Whether the rules have nothing to say of such a method, whatever its name."""
    return not free(facts)


def findings(facts: Facts) -> list[Evidence]:
    """What is wrong with a method's name by rules that need nothing but the method."""
    if not facts.subtokens or silent(facts):
        return []
    said = Said(facts)
    found: list[Evidence] = []
    for rule in RULES:
        text = rule.asks(said)
        if text:
            weight = rule.weight * (_INHERITED if _may_be_inherited(facts) else 1.0)
            found.append(Evidence(KIND, rule.id, text, weight))
    return found


def _may_be_inherited(facts: Facts) -> bool:
    if facts.modifiers & {"private", "static"}:
        return False
    return bool(facts.extends or facts.implements)
