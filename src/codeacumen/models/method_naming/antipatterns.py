"""Linguistic antipatterns: method names that contradict what the method does.

This module contains the rules about return values and the table of all rules; ``effect_rules``
contains the rules about effects. A rule reports nothing where correct code commonly breaks it:
chained setters, a getter that fills a parameter, a name that a supertype or a framework prescribes.
docs/name-rules.md explains each rule.

Letters such as B.3 refer to the catalogue of linguistic antipatterns (Arnaoudova, Di Penta,
Antoniol: "Linguistic antipatterns: what they are and how developers perceive them", Empirical
Software Engineering 21, 2016). Høst and Østvold ("Debugging method names", ECOOP 2009) count what
methods with each verb do; Butler et al. ("Exploring the influence of identifier names on code
quality", CSMR 2010) analyse the structure of names.
"""

from __future__ import annotations

from codeacumen.models.method_naming import effect_rules as effects
from codeacumen.models.method_naming.facts import Facts
from codeacumen.models.method_naming.name_words import (
    COLLECTIONS,
    COLLECTIVE_WORDS,
    CONVERTED_TYPES,
    FIND_VERBS,
    NO_FINDING,
    NOUNS,
    POSITION_WORDS,
    PREDICATE_VERBS,
    PREPOSITIONS,
    PRIMITIVES,
    QUESTION_VERBS,
    JudgedMethod,
    Rule,
    RuleAnswer,
    is_name_chosen,
    is_plural,
    singularize,
    split_words,
)
from codeacumen.models.method_naming.verdict import Evidence

__all__ = ["KIND", "RULES", "find_antipatterns"]

# Last words of types that represent an answer to a question, or a question (query, filter).
_ANSWER_TYPES = frozenset(
    (
        "boolean",
        "predicate",
        "matcher",
        "condition",
        "constraint",
        "criterion",
        "criteria",
        "query",
        "filter",
        "bool",
        "specification",
        "expectation",
        "assert",
        "assertion",
        "expression",
        "check",
        "restriction",
        "tristate",
        "ternary",
        "optional",
        "future",
        "mono",
        "single",
        "object",
        "state",
        "status",
        "flag",
        "property",
        "binding",
        "value",
        "rule",
        "spec",
        "trilean",
        "result",
        "handle",
        "guard",
    )
)
# Words after an intransitive "get": "get ready" and "get started" promise no result.
_STATES = frozenset(("ready", "started", "going", "lost", "up", "down", "out", "rid"))
# For the last word of a name such as ``toString``: texts of which the return type contains one, in
# lower case, if it agrees with the name.
_RESULT_TYPES = {
    "string": ("string", "charsequence", "stringbuilder", "stringbuffer"),
    "int": ("int", "integer"),
    "integer": ("int", "integer", "biginteger", "long", "bigdecimal"),
    "long": ("long",),
    "double": ("double",),
    "float": ("float",),
    "boolean": ("boolean",),
    "list": ("list", "vector"),
    "map": ("map", "properties", "table", "hashtable", "dictionary"),
    "set": ("set",),
    "file": ("file", "path"),
    "date": ("date", "time", "calendar", "instant"),
    "url": ("url", "uri", "string"),
    "uri": ("uri", "url", "string"),
    "iterator": ("iterator",),
    "stream": ("stream", "supplier"),
}


def get_returns_void(method: JudgedMethod) -> RuleAnswer:
    """B.3: a ``get`` method that returns nothing and has no parameter to receive the result."""
    if method.verb != "get" or not method.rest:
        return None
    if (
        not method.is_void
        or method.can_take_result
        or method.notifies_listener
        or method.rest[0] in _STATES
    ):
        return NO_FINDING
    return "a method called 'get' returns nothing"


def find_returns_void(method: JudgedMethod) -> RuleAnswer:
    """B.3 for other verbs that promise a result: the method neither returns nor stores it."""
    if method.verb not in FIND_VERBS:
        return None
    if (
        not method.is_void
        or method.can_take_result
        or method.notifies_listener
        or method.writes_state
    ):
        return NO_FINDING
    # An own method that it calls may store the result.
    if any(receiver in ("", "this") for receiver, _, _ in method.facts.calls):
        return NO_FINDING
    return f"a method called '{method.verb}' neither returns nor stores what it finds"


def question_without_boolean(method: JudgedMethod) -> RuleAnswer:
    """A.2: a name that asks a question, and a return type that is no boolean."""
    if method.verb not in QUESTION_VERBS or not method.rest:
        return None
    returned = method.facts.returned
    if (
        method.is_void
        or returned in ("boolean", "Boolean", "AtomicBoolean")
        or method.returns_own_type
    ):
        return NO_FINDING
    if _ANSWER_TYPES & set(method.type_words):
        return NO_FINDING
    return f"a method called '{method.verb}' returns {returned}, not a boolean"


def question_without_answer(method: JudgedMethod) -> RuleAnswer:
    """B.4: a name that asks a question, and no answer; an exception counts as an answer."""
    if method.verb not in QUESTION_VERBS or not method.rest:
        return None
    facts = method.facts
    if (
        not method.is_void
        or method.can_take_result
        or method.notifies_listener
        or facts.thrown
        or facts.throws
    ):
        return NO_FINDING
    if _may_report_failure(method) or _takes_answer(method):
        return NO_FINDING
    return f"the name '{method.verb}' asks a question, but the method returns nothing"


def predicate_without_boolean(method: JudgedMethod) -> RuleAnswer:
    """Høst and Østvold: methods called ``contains``, ``equals`` or ``exists`` return booleans."""
    if method.verb not in PREDICATE_VERBS:
        return None
    facts = method.facts
    # A number may answer how often or which, but not for these three verbs.
    is_strict = method.verb in ("equals", "contains", "exists")
    if not method.is_void and not (is_strict and facts.returned in PRIMITIVES):
        return NO_FINDING
    if (
        method.can_take_result
        or facts.thrown
        or facts.throws
        or _may_report_failure(method)
        or _takes_answer(method)
    ):
        return NO_FINDING
    # In parsers the name may be what the method reads, in options what it sets.
    if method.is_void and (facts.calls or method.writes_state):
        return NO_FINDING
    return f"a method called '{method.verb}' returns {facts.returned}, not a boolean"


def _may_report_failure(method: JudgedMethod) -> bool:
    """Return True if the method may answer by throwing or reporting an error."""
    reports = {"fail", "assert", "throw", "error", "report", "check", "raise", "require", "verify"}
    return bool(method.facts.asserts or reports & set(method.call_verbs))


def _takes_answer(method: JudgedMethod) -> bool:
    """Return True if the only parameter is a boolean, as in a setter ``isOpen(boolean)``."""
    kinds = [kind for kind, _ in method.facts.parameters]
    return kinds in (["boolean"], ["Boolean"])


def compare_without_order(method: JudgedMethod) -> RuleAnswer:
    """Høst and Østvold: methods called ``compare`` return an order, and not nothing."""
    if method.verb != "compare" or method.facts.returned == "int":
        return None if method.verb != "compare" else NO_FINDING
    # Any result passes: many programmers write "compare" where they mean "equals".
    if not method.is_void or method.can_take_result or method.writes_state or method.facts.calls:
        return NO_FINDING
    return "a method called 'compare' returns nothing"


def set_returns(method: JudgedMethod) -> RuleAnswer:
    """A.3: a setter that returns something unexpected.

    It may return itself (for chained calls), the old or the new value, or a boolean for success.
    """
    facts = method.facts
    if method.verb != "set" or not method.rest or not facts.parameters:
        return None
    if method.is_void or method.returns_own_type or facts.returned in ("boolean", "Boolean"):
        return NO_FINDING
    # In setOf and setUnion "set" is a noun.
    if "set" in method.type_words or facts.returned == "Object" or "static" in facts.modifiers:
        return NO_FINDING
    # It may return a changed copy.
    if "new" in facts.returns_kinds and not facts.fields_written:
        return NO_FINDING
    allowed_kinds = {"parameter", "local", "call", "field", "null", "assignment", "other"}
    if allowed_kinds & set(facts.returns_kinds):
        return NO_FINDING
    return f"a setter returns {facts.returned}, which is neither this nor the old or new value"


def one_expected(method: JudgedMethod) -> RuleAnswer:
    """A.4: the name is singular, and the method returns a collection."""
    facts = method.facts
    if method.verb not in ("get", "find", "fetch") or not method.rest:
        return None
    is_array = facts.returned.endswith("[]") and facts.returned.count("[") == 1
    element = split_words(_find_element_type(facts.returns))
    if facts.returned not in COLLECTIONS and not is_array:
        return None
    # Report only a name that is the type of an element: then it must mean a single element.
    noun = _find_noun(method.rest)
    if (
        set(method.rest) & COLLECTIVE_WORDS
        or not noun
        or is_plural(noun)
        or any(map(is_plural, method.rest))
    ):
        return NO_FINDING
    if not element or element[-1] != noun or noun.endswith(("s", "x", "a")) or noun in PRIMITIVES:
        return NO_FINDING
    return f"the name is singular ('{noun}'), but {facts.returned} is returned"


def many_expected(method: JudgedMethod) -> RuleAnswer:
    """B.6: the name is plural, and the method returns one object: ``Node getNodes()``."""
    facts = method.facts
    if method.verb not in ("get", "find", "fetch", "list", "load", "read") or not method.rest:
        return None
    noun = _find_noun(method.rest)
    # Bits are flags in one number; java.sql returns the first of a chain of warnings.
    if not noun or not is_plural(noun) or noun in ("bits", "warnings"):
        return None
    if facts.returned.endswith("]") or facts.returned in COLLECTIONS or len(facts.returned) < 4:
        return NO_FINDING
    # A plural type (Options) and a type for many things (NodeList) do not end in the singular.
    if method.type_words[-1:] != (singularize(noun),) or facts.returned[:1].islower():
        return NO_FINDING
    # A generic type may be a collection; so may the type of a field with a plural name.
    last_words = [word for name in facts.returned_names for word in split_words(name)[-1:]]
    if "<" in facts.returns or any(map(is_plural, last_words)):
        return NO_FINDING
    return f"the name is plural ('{noun}'), but one {facts.returned} is returned"


def _find_element_type(type_text: str) -> str:
    """Return the element type of a collection or an array; empty if it is not a plain name."""
    inner = (
        type_text[:-2]
        if type_text.endswith("[]")
        else type_text.partition("<")[2].rpartition(">")[0]
    )
    inner = inner.removeprefix("?extends ").removeprefix("? extends ").rsplit(".", 1)[-1]
    return inner if inner.isidentifier() and len(inner) > 1 else ""


def _find_noun(rest: tuple[str, ...]) -> str:
    """Return the noun that the name is about: the last word before the first preposition."""
    for index, word in enumerate(rest):
        if word in PREPOSITIONS:
            return rest[index - 1] if index else ""
    return rest[-1] if rest else ""


def transform_returns_void(method: JudgedMethod) -> RuleAnswer:
    """B.5: a method ``toX``, ``asX`` or ``xToY`` that returns nothing and changes nothing."""
    converts = (
        len(method.words) >= 3
        and "to" in method.rest[:-1]
        and method.verb in CONVERTED_TYPES - {"set", "map", "list", "file"}
    )
    if (method.verb not in ("to", "as") or not method.rest) and not converts:
        return None
    if (
        not method.is_void
        or method.can_take_result
        or method.notifies_listener
        or POSITION_WORDS & set(method.rest)
    ):
        return NO_FINDING
    if method.writes_state:
        return NO_FINDING
    return "the name promises a conversion, but nothing is returned"


def transform_to_another(method: JudgedMethod) -> RuleAnswer:
    """Høst and Østvold: a name with ``to`` ends in its return type, but ``toInt`` returns a String.

    The rule is a variant of B.5.
    """
    words = method.words
    # The last ``to`` or ``as`` must be the word before the last.
    index = max((i for i, word in enumerate(words[:-1]) if word in ("to", "as")), default=-1)
    if index != len(words) - 2 or index < 0:
        return None
    expected_types, facts = _RESULT_TYPES.get(words[-1]), method.facts
    # In writeToFile and saveAsString the verb, not the last word, determines the result.
    first_words = CONVERTED_TYPES | NOUNS | {"get"} if words[index] == "as" else CONVERTED_TYPES
    if expected_types is None or (index > 0 and words[0] not in first_words):
        return None
    if method.is_void or facts.returned in ("Object", "boolean") or len(facts.returned) <= 2:
        return NO_FINDING
    # An accessor of a field with this name, for instance the recipient of a message.
    if facts.name in facts.returned_names:
        return NO_FINDING
    if facts.returned.endswith("]") or method.returns_own_type:
        return (
            NO_FINDING
            if method.returns_own_type or words[-1] != "string"
            else _format_type_mismatch(method)
        )
    # A collector, function or future may create the result later; its type mentions it.
    lower = facts.returns.lower()
    if any(expected in lower for expected in expected_types):
        return NO_FINDING
    return _format_type_mismatch(method)


def _format_type_mismatch(method: JudgedMethod) -> str:
    return f"the name ends in '{method.words[-1]}', but {method.facts.returned} is returned"


KIND = "antipattern"
_CATALOGUE = "Arnaoudova et al. 2016"
_VERBS = "Høst and Østvold 2009"
# Factor of the weight of a finding if a supertype in another file may prescribe the name.
_INHERITED = 0.6

RULES: tuple[Rule, ...] = (
    Rule("get-returns-void", f"{_CATALOGUE}, B.3", 2.5, get_returns_void),
    Rule("find-returns-void", f"{_CATALOGUE}, B.3", 1.5, find_returns_void),
    Rule("get-changes-state", f"{_CATALOGUE}, A.1", 1.5, effects.get_changes),
    Rule("question-without-boolean", f"{_CATALOGUE}, A.2", 2.5, question_without_boolean),
    Rule("question-without-answer", f"{_CATALOGUE}, B.4", 2.0, question_without_answer),
    Rule("predicate-without-boolean", _VERBS, 1.5, predicate_without_boolean),
    Rule("compare-without-order", _VERBS, 1.0, compare_without_order),
    Rule("set-returns", f"{_CATALOGUE}, A.3", 1.5, set_returns),
    Rule("set-sets-nothing", _VERBS, 2.0, effects.set_sets_nothing),
    Rule("one-expected", f"{_CATALOGUE}, A.4", 2.0, one_expected),
    Rule("many-expected", f"{_CATALOGUE}, B.6", 2.0, many_expected),
    Rule("check-without-answer", f"{_CATALOGUE}, B.2", 1.5, effects.check_without_answer),
    Rule("transform-returns-void", f"{_CATALOGUE}, B.5", 2.0, transform_returns_void),
    Rule("transform-to-another", _VERBS, 2.0, transform_to_another),
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


def find_antipatterns(facts: Facts) -> list[Evidence]:
    """Return the findings of all rules on a method's name.

    They depend on the method alone, in contrast to those of ``conventions`` and ``background``.
    """
    if not facts.subtokens or not is_name_chosen(facts):
        return []
    method = JudgedMethod(facts)
    evidence: list[Evidence] = []
    for rule in RULES:
        text = rule.check(method)
        if text:
            weight = rule.weight * (_INHERITED if _may_be_inherited(facts) else 1.0)
            evidence.append(Evidence(KIND, rule.id, text, weight))
    return evidence


def _may_be_inherited(facts: Facts) -> bool:
    if facts.modifiers & {"private", "static"}:
        return False
    return bool(facts.extends or facts.implements)
