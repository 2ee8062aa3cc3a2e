"""Naming rules about effects: the name promises an action that the body does not perform.

``antipatterns`` lists the rules and cites their sources.
"""

from __future__ import annotations

import re

from codeacumen.models.method_naming.facts import SELF
from codeacumen.models.method_naming.name_words import (
    ADD_VERBS,
    CHANGE_WORDS,
    CHECK_VERBS,
    CREATE_VERBS,
    NO_FINDING,
    NOUNS,
    OPPOSITES,
    QUESTION_VERBS,
    REMOVE_VERBS,
    VERBS,
    JudgedMethod,
    RuleAnswer,
    find_base_verb,
    split_words,
)

_FIRST_WORD = re.compile(r"/\*\*[\s*]*(?:<[^>]*>\s*)*([A-Za-z]+)\b")
# First words of methods that query an object without changing it.
_QUERY_VERBS = QUESTION_VERBS | {
    "get",
    "size",
    "length",
    "equals",
    "contains",
    "char",
    "name",
    "type",
    "index",
}


def get_changes(method: JudgedMethod) -> RuleAnswer:
    """A.1: a getter that changes a field that it does not return.

    A getter may create on demand what it returns, and it may cache a result under a condition; so
    fields that it returns and bodies with branches, loops or tries pass.
    """
    facts = method.facts
    if method.verb != "get" or method.is_void or facts.parameters or not method.rest:
        return None
    # Ignore the fields of nested classes.
    changed = {name for name, _ in facts.fields} & set(facts.fields_written)
    changed -= set(facts.returned_names)
    if (
        not changed
        or facts.branches
        or facts.loops
        or facts.tries
        or CHANGE_WORDS & set(method.rest)
    ):
        return NO_FINDING
    if not set(facts.returns_kinds) & {"field", "local", "call", "new"}:
        return NO_FINDING
    return f"a getter sets {_join_words(changed)}, which it does not return"


def set_sets_nothing(method: JudgedMethod) -> RuleAnswer:
    """Høst and Østvold's ``set``: a setter that writes nothing and calls nothing."""
    facts = method.facts
    if method.verb != "set" or not method.rest or not method.is_void or not facts.parameters:
        return None
    if method.writes_state or facts.calls or facts.thrown or facts.created or facts.asserts:
        return NO_FINDING
    return "a setter sets nothing and calls nothing"


def check_without_answer(method: JudgedMethod) -> RuleAnswer:
    """B.2: a validation that neither returns, throws nor records its result."""
    facts = method.facts
    if method.verb not in CHECK_VERBS or not method.rest:
        return None
    if not method.is_void or facts.thrown or facts.throws or method.writes_state or facts.asserts:
        return NO_FINDING
    if facts.parameters_written or not set(method.call_verbs) <= _QUERY_VERBS or facts.self_calls:
        return NO_FINDING
    if facts.overload_calls or facts.created:
        return NO_FINDING
    # An own method that gets arguments may throw or record the result, whatever its name.
    if any(receiver in ("", "this") and count for receiver, _, count in facts.calls):
        return NO_FINDING
    return f"a method called '{method.verb}' neither returns, throws nor stores what it finds"


def create_makes_nothing(method: JudgedMethod) -> RuleAnswer:
    """Høst and Østvold's ``create``: a body that creates, returns, writes and calls nothing."""
    facts = method.facts
    if method.verb not in CREATE_VERBS or not method.rest:
        return None
    if not method.is_void or facts.created or method.writes_state or "new" in facts.returns_kinds:
        return NO_FINDING
    if facts.calls:
        return NO_FINDING
    return f"a method called '{method.verb}' creates nothing"


def negated_field(method: JudgedMethod) -> RuleAnswer:
    """C: ``isClosed`` returns ``!closed``: one of the two names is wrong."""
    facts = method.facts
    if method.verb not in QUESTION_VERBS or facts.steps != 1 or len(facts.returned_names) != 1:
        return None
    if facts.returns_kinds != ("not field",):
        return NO_FINDING
    if _strip_prefix(facts.returned_names[0]) != method.rest:
        return NO_FINDING
    return f"the name contains '{''.join(method.rest)}', but {facts.returned_names[0]} is negated"


def other_field(method: JudgedMethod) -> RuleAnswer:
    """An accessor of one field with the name of another field, as after copying and pasting.

    JavaBeans: getX and setX access x; IntelliJ IDEA calls it "suspicious getter/setter".
    """
    facts = method.facts
    if method.verb not in ("get", "set", "is") or not method.rest or facts.steps != 1:
        return None
    if method.verb == "set":
        pair = facts.stored if len(facts.stored) == 1 and not facts.calls else ()
        used = pair[0][1] if pair and len(facts.parameters) == 1 else ""
    else:
        plain = facts.returns_kinds == ("field",) and not facts.parameters and not facts.calls
        used = facts.returned_names[0] if plain and len(facts.returned_names) == 1 else ""
    if not used:
        return None
    types = dict(facts.fields)
    fields = {_strip_prefix(name): name for name in types if not name.isupper()}
    if _strip_prefix(used) == method.rest or method.rest not in fields or used not in types:
        return NO_FINDING
    # The name cannot mean a field of another type.
    if types[used] != types[fields[method.rest]]:
        return NO_FINDING
    # The name may abbreviate the name of the field that the body uses.
    if set(method.rest) <= set(_strip_prefix(used)):
        return NO_FINDING
    return f"the name refers to the field {fields[method.rest]}, but the body uses {used}"


def body_does_opposite(method: JudgedMethod) -> RuleAnswer:
    """The body does the opposite of the name: ``enableMenu`` only calls ``disableMenu``.

    The rule extends the catalogue's C.1 and C.2, which are about types and comments, to bodies.
    """
    facts = method.facts
    opposites = OPPOSITES.get(method.verb)
    if not opposites or method.verb not in VERBS or facts.steps != 1 or facts.branches:
        return None
    # Some ciphers are their own inverse.
    if method.verb in ("encrypt", "decrypt"):
        return None
    if method.verb in method.call_verbs or facts.self_calls or facts.overload_calls:
        return NO_FINDING
    # A call in a lambda runs later; only a single direct call is what the method does.
    if len(facts.calls) != 1 or facts.lambdas or not method.call_words:
        return NO_FINDING
    called, receiver = method.call_words[0], facts.calls[0][0]
    if not called or called[0] not in opposites or called[1:] != method.rest:
        return NO_FINDING
    # Without an object in the name, the opposite action on another object is no contradiction.
    if not method.rest and receiver not in ("", "this"):
        return NO_FINDING
    return f"the verb is '{method.verb}', but the body only calls {facts.calls[0][1]}"


def only_the_opposite(method: JudgedMethod) -> RuleAnswer:
    """A method called ``remove`` that only calls methods that add, or the other way round."""
    facts = method.facts
    own_verbs, opposite_verbs = (
        (ADD_VERBS, REMOVE_VERBS) if method.verb in ADD_VERBS else (REMOVE_VERBS, ADD_VERBS)
    )
    if method.verb not in own_verbs or not method.rest:
        return None
    called = set(method.call_verbs)
    if not called or not called <= opposite_verbs | _QUERY_VERBS or not called & opposite_verbs:
        return NO_FINDING
    if method.writes_state or facts.self_calls or facts.overload_calls or method.can_take_result:
        return NO_FINDING
    if not method.is_void or facts.created or facts.lambdas:
        return NO_FINDING
    return f"a method called '{method.verb}' only calls {_join_words(called & opposite_verbs)}"


def does_one_of_two(method: JudgedMethod) -> RuleAnswer:
    """A name with two verbs joined by "and", and a body with a single effect.

    Butler: a name with several verbs promises several actions.
    """
    facts = method.facts
    if "and" not in method.rest[:-1]:
        return None
    index = method.words.index("and")
    before, after = method.words[:index], method.words[index + 1 :]
    if before[0] not in VERBS or after[0] not in VERBS:
        return None
    if facts.statements != 1 or facts.steps != 1 or facts.branches or facts.lambdas:
        return NO_FINDING
    # Setting a field and returning it are two effects.
    effects = len(facts.calls) + 2 * len(facts.fields_written) + len(facts.created)
    # A call of a method that does both, or of an overload, is delegation.
    conjunctions = {"and", "or"} & {word for words in method.call_words for word in words}
    if effects > 1 or conjunctions or facts.self_calls or facts.overload_calls:
        return NO_FINDING
    if any(name == SELF or receiver not in ("", "this") for receiver, name, _ in facts.calls):
        return NO_FINDING
    return f"the name contains '{before[0]}' and '{after[0]}', but the body does one thing"


def comment_says_opposite(method: JudgedMethod) -> RuleAnswer:
    """C.2: the comment begins with the opposite of the name's verb."""
    opposites = OPPOSITES.get(method.verb)
    if not opposites or not method.facts.doc or method.verb not in VERBS:
        return None
    match = _FIRST_WORD.match(method.facts.doc)
    if not match or find_base_verb(match[1]) not in opposites:
        return NO_FINDING
    return f"the verb is '{method.verb}', but the comment begins with '{match[1]}'"


def type_is_opposite(method: JudgedMethod) -> RuleAnswer:
    """C.1: the name of the return type contains the opposite of a word of the method's name."""
    if method.is_void or not method.type_words:
        return None
    # One method's output is another's input.
    words = [word for word in method.words if word in OPPOSITES and word not in ("input", "output")]
    opposites = [(word, OPPOSITES[word]) for word in words]
    if not opposites:
        return None
    types = set(method.type_words)
    for word, others in opposites:
        if types & others and not types & set(method.words):
            return (
                f"the name contains '{word}', but the returned type '{_join_words(types & others)}'"
            )
    return NO_FINDING


def no_verb(method: JudgedMethod) -> RuleAnswer:
    """A void method whose name has no verb (Butler et al.; Høst and Østvold: methods are actions).

    Methods with parameters pass, because setters may be called like their field; so do names of
    events (``valueChanged``).
    """
    facts = method.facts
    if not method.is_void or not method.words:
        return None
    if method.verb not in NOUNS or facts.parameters or facts.annotations:
        return NO_FINDING
    # Parsers name methods after the rules of their grammar.
    if facts.name[0].isupper():
        return NO_FINDING
    if any(word.endswith(("ed", "ing")) or word in VERBS for word in method.rest):
        return NO_FINDING
    if len(method.words) > 1 and method.words[-1] not in NOUNS:
        return NO_FINDING
    return "the name has no verb, and nothing is returned"


def _strip_prefix(name: str) -> tuple[str, ...]:
    """Return the words of a field without a usual prefix: ``mName``, ``_name``, ``isOpen``."""
    words = split_words(name)
    if len(words) > 1 and words[0] in ("m", "f", "the", "my", "is", "has", "s"):
        return words[1:]
    return words


def _join_words(words: set[str]) -> str:
    return ", ".join(sorted(words))
