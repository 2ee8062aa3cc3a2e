"""Linguistic antipatterns: method names that contradict what the method does.

This module contains the rules about return values and the table of all rules; ``effect_rules``
contains the rules about effects. A rule reports nothing where correct code commonly breaks it:
chained setters, a getter that fills a parameter, a name that a supertype or a framework prescribes.
docs/name-rules.md explains each rule.

Letters such as B.3 refer to the catalogue of linguistic antipatterns (Arnaoudova, Di Penta,
Antoniol: "Linguistic antipatterns: what they are and how developers perceive them", Empirical
Software Engineering 21, 2016). Høst and Østvold ("Debugging method names", ECOOP 2009) count what
methods with each verb do; Butler et al. ("Mining Java class naming conventions", 2011, and the
INVocD corpus) analyse the structure of names.
"""

from __future__ import annotations

from codeacumen.models.method_naming import effect_rules as effects
from codeacumen.models.method_naming.facts import Facts
from codeacumen.models.method_naming.name_words import (
    COLLECTIONS,
    FINDS,
    MANY,
    NOUNS,
    PLACES,
    PREDICATES,
    PRIMITIVES,
    QUESTIONS,
    RELATIONS,
    TURNED,
    WELL,
    Answer,
    Rule,
    Said,
    free,
    is_plural,
    singular,
    words_of,
)
from codeacumen.models.method_naming.verdict import Evidence

__all__ = ["KIND", "RULES", "findings"]

# Last words of types that represent an answer to a question, or a question (query, filter).
_ANSWERS = frozenset(
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
_MADE = {
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


def get_returns_void(said: Said) -> Answer:
    """B.3: a ``get`` method that returns nothing and has no parameter to receive the result."""
    if said.verb != "get" or not said.rest:
        return None
    if not said.void or said.takes_result or said.signals or said.rest[0] in _STATES:
        return WELL
    return "a method called 'get' returns nothing"


def find_returns_void(said: Said) -> Answer:
    """B.3 for other verbs that promise a result: the method neither returns nor stores it."""
    if said.verb not in FINDS:
        return None
    if not said.void or said.takes_result or said.signals or said.writes:
        return WELL
    # An own method that it calls may store the result.
    if any(receiver in ("", "this") for receiver, _, _ in said.facts.calls):
        return WELL
    return f"a method called '{said.verb}' neither returns nor keeps what it finds"


def question_without_boolean(said: Said) -> Answer:
    """A.2: a name that asks a question, and a return type that is no boolean."""
    if said.verb not in QUESTIONS or not said.rest:
        return None
    returned = said.facts.returned
    if said.void or returned in ("boolean", "Boolean", "AtomicBoolean") or said.own_type:
        return WELL
    if _ANSWERS & set(said.type_words):
        return WELL
    return f"a method called '{said.verb}' returns {returned}, not a boolean"


def question_without_answer(said: Said) -> Answer:
    """B.4: a name that asks a question, and no answer; an exception counts as an answer."""
    if said.verb not in QUESTIONS or not said.rest:
        return None
    facts = said.facts
    if not said.void or said.takes_result or said.signals or facts.thrown or facts.throws:
        return WELL
    if _complains(said) or _tells(said):
        return WELL
    return f"a method called '{said.verb}' asks a question and returns nothing"


def predicate_without_boolean(said: Said) -> Answer:
    """Høst and Østvold: methods called ``contains``, ``equals`` or ``exists`` return booleans."""
    if said.verb not in PREDICATES:
        return None
    facts = said.facts
    # A number may answer how often or which, but not for these three verbs.
    sure = said.verb in ("equals", "contains", "exists")
    if not said.void and not (sure and facts.returned in PRIMITIVES):
        return WELL
    if said.takes_result or facts.thrown or facts.throws or _complains(said) or _tells(said):
        return WELL
    # In parsers the name may be what the method reads, in options what it sets.
    if said.void and (facts.calls or said.writes):
        return WELL
    return f"a method called '{said.verb}' returns {facts.returned}, not a boolean"


def _complains(said: Said) -> bool:
    """Return True if the method may answer by throwing or reporting an error."""
    reports = {"fail", "assert", "throw", "error", "report", "check", "raise", "require", "verify"}
    return bool(said.facts.asserts or reports & set(said.call_verbs))


def _tells(said: Said) -> bool:
    """Return True if the method takes the answer: a setter may be called ``isOpen(boolean)``."""
    kinds = [kind for kind, _ in said.facts.parameters]
    return kinds in (["boolean"], ["Boolean"])


def compare_without_order(said: Said) -> Answer:
    """Høst and Østvold: methods called ``compare`` or ``compareTo`` return an order."""
    if said.verb != "compare" or said.facts.returned == "int":
        return None if said.verb != "compare" else WELL
    # Any result passes: many programmers write "compare" where they mean "equals".
    if not said.void or said.takes_result or said.writes or said.facts.calls:
        return WELL
    return "a method called 'compare' returns nothing"


def set_returns(said: Said) -> Answer:
    """A.3: a setter that returns something unexpected.

    It may return itself (for chained calls), the old or the new value, or a boolean for success.
    """
    facts = said.facts
    if said.verb != "set" or not said.rest or not facts.parameters:
        return None
    if said.void or said.own_type or facts.returned in ("boolean", "Boolean"):
        return WELL
    # In setOf and setUnion "set" is a noun.
    if "set" in said.type_words or facts.returned == "Object" or "static" in facts.modifiers:
        return WELL
    # It may return a changed copy.
    if "new" in facts.returns_kinds and not facts.fields_written:
        return WELL
    kept = {"parameter", "local", "call", "field", "null", "assignment", "other"}
    if kept & set(facts.returns_kinds):
        return WELL
    return f"a setter returns {facts.returned}, and neither itself nor a value it had or has"


def one_expected(said: Said) -> Answer:
    """A.4: the name is singular, and the method returns a collection."""
    facts = said.facts
    if said.verb not in ("get", "find", "fetch") or not said.rest:
        return None
    array = facts.returned.endswith("[]") and facts.returned.count("[") == 1
    element = words_of(_element(facts.returns))
    if facts.returned not in COLLECTIONS and not array:
        return None
    # Report only a name that is the type of an element: then it must mean a single element.
    noun = _noun(said.rest)
    if set(said.rest) & MANY or not noun or is_plural(noun) or any(map(is_plural, said.rest)):
        return WELL
    if not element or element[-1] != noun or noun.endswith(("s", "x", "a")) or noun in PRIMITIVES:
        return WELL
    return f"the name says one {noun}, {facts.returned} is returned"


def many_expected(said: Said) -> Answer:
    """B.6: the name is plural, and the method returns one object: ``Node getNodes()``."""
    facts = said.facts
    if said.verb not in ("get", "find", "fetch", "list", "load", "read") or not said.rest:
        return None
    noun = _noun(said.rest)
    # Bits are flags in one number; java.sql returns the first of a chain of warnings.
    if not noun or not is_plural(noun) or noun in ("bits", "warnings"):
        return None
    if facts.returned.endswith("]") or facts.returned in COLLECTIONS or len(facts.returned) < 4:
        return WELL
    # A plural type (Options) and a type for many things (NodeList) do not end in the singular.
    if said.type_words[-1:] != (singular(noun),) or facts.returned[:1].islower():
        return WELL
    # A generic type may be a collection; so may the type of a field with a plural name.
    last = [word for one in facts.returned_names for word in words_of(one)[-1:]]
    if "<" in facts.returns or any(map(is_plural, last)):
        return WELL
    return f"the name says several {noun}, one {facts.returned} is returned"


def _element(written: str) -> str:
    """Return the element type of a collection or an array; empty if it is not a plain name."""
    inner = written[:-2] if written.endswith("[]") else written.partition("<")[2].rpartition(">")[0]
    inner = inner.removeprefix("?extends ").removeprefix("? extends ").rsplit(".", 1)[-1]
    return inner if inner.isidentifier() and len(inner) > 1 else ""


def _noun(rest: tuple[str, ...]) -> str:
    """Return the noun that the name is about: the last word before the first preposition."""
    for place, word in enumerate(rest):
        if word in RELATIONS:
            return rest[place - 1] if place else ""
    return rest[-1] if rest else ""


def transform_returns_void(said: Said) -> Answer:
    """B.5: a method ``toX``, ``asX`` or ``xToY`` that returns nothing and changes nothing."""
    turns = (
        len(said.words) >= 3
        and "to" in said.rest[:-1]
        and said.verb in TURNED - {"set", "map", "list", "file"}
    )
    if (said.verb not in ("to", "as") or not said.rest) and not turns:
        return None
    if not said.void or said.takes_result or said.signals or PLACES & set(said.rest):
        return WELL
    if said.writes:
        return WELL
    return "the name promises a conversion, nothing is returned"


def transform_to_another(said: Said) -> Answer:
    """Return type other than the one in the name: ``toInt`` returns a String.

    It is a variant of B.5; Høst and Østvold: names with ``to`` end in their return type.
    """
    words = said.words
    place = max((i for i, word in enumerate(words[:-1]) if word in ("to", "as")), default=-1)
    if place != len(words) - 2 or place < 0:
        return None
    made, facts = _MADE.get(words[-1]), said.facts
    # In writeToFile and saveAsString the verb, not the last word, determines the result.
    things = TURNED | NOUNS | {"get"} if words[place] == "as" else TURNED
    if made is None or (place > 0 and words[0] not in things):
        return None
    if said.void or facts.returned in ("Object", "boolean") or len(facts.returned) <= 2:
        return WELL
    # An accessor of a field with this name, for instance the recipient of a message.
    if facts.name in facts.returned_names:
        return WELL
    if facts.returned.endswith("]") or said.own_type:
        return WELL if said.own_type or words[-1] != "string" else _another(said)
    # A collector, function or future may create the result later; its type mentions it.
    lower = facts.returns.lower()
    if any(one in lower for one in made):
        return WELL
    return _another(said)


def _another(said: Said) -> str:
    return f"the name ends in '{said.words[-1]}', {said.facts.returned} is returned"


KIND = "antipattern"
_CATALOGUE = "Arnaoudova et al. 2016"
_VERBS = "Høst and Østvold 2009"
# Factor for names that a supertype in another file may prescribe.
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


def findings(facts: Facts) -> list[Evidence]:
    """Return the findings of all rules on a method's name; they need nothing but the method."""
    if not facts.subtokens or not free(facts):
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
