"""Naming rules about effects: the name promises an action that the body does not perform.

``antipatterns`` lists the rules and cites their sources.
"""

from __future__ import annotations

import re

from codeacumen.models.method_naming.facts import SELF
from codeacumen.models.method_naming.name_words import (
    ADDS,
    CHANGES,
    CHECKS,
    CREATES,
    NOUNS,
    OPPOSITES,
    QUESTIONS,
    REMOVES,
    VERBS,
    WELL,
    Answer,
    Said,
    stem,
    words_of,
)

_FIRST_WORD = re.compile(r"/\*\*[\s*]*(?:<[^>]*>\s*)*([A-Za-z]+)\b")
# First words of methods that query an object without changing it.
_ASKS = QUESTIONS | {"get", "size", "length", "equals", "contains", "char", "name", "type", "index"}


def get_changes(said: Said) -> Answer:
    """A.1: a getter that changes a field that it does not return.

    A getter may create on demand what it returns; and it may cache a result, under a condition.
    """
    facts = said.facts
    if said.verb != "get" or said.void or facts.parameters or not said.rest:
        return None
    # Ignore the fields of nested classes.
    changed = {name for name, _ in facts.fields} & set(facts.fields_written)
    changed -= set(facts.returned_names)
    if not changed or facts.branches or facts.loops or facts.tries or CHANGES & set(said.rest):
        return WELL
    if not set(facts.returns_kinds) & {"field", "local", "call", "new"}:
        return WELL
    return f"a getter sets {_listed(changed)}, which it does not return"


def set_sets_nothing(said: Said) -> Answer:
    """Høst and Østvold's ``set``: a setter that writes nothing and calls nothing."""
    facts = said.facts
    if said.verb != "set" or not said.rest or not said.void or not facts.parameters:
        return None
    if said.writes or facts.calls or facts.thrown or facts.created or facts.asserts:
        return WELL
    return "a setter sets nothing and calls nothing"


def check_without_answer(said: Said) -> Answer:
    """B.2: a validation that neither returns, throws nor records its result."""
    facts = said.facts
    if said.verb not in CHECKS or not said.rest:
        return None
    if not said.void or facts.thrown or facts.throws or said.writes or facts.asserts:
        return WELL
    if facts.parameters_written or not set(said.call_verbs) <= _ASKS or facts.self_calls:
        return WELL
    if facts.overload_calls or facts.created:
        return WELL
    # Own methods that it calls may throw or record the result whatever their names.
    if any(receiver in ("", "this") and count for receiver, _, count in facts.calls):
        return WELL
    return f"a method called '{said.verb}' neither returns, throws nor records what it found"


def create_makes_nothing(said: Said) -> Answer:
    """Høst and Østvold's ``create``: a body that creates, returns, writes and calls nothing."""
    facts = said.facts
    if said.verb not in CREATES or not said.rest:
        return None
    if not said.void or facts.created or said.writes or "new" in facts.returns_kinds:
        return WELL
    if facts.calls:
        return WELL
    return f"a method called '{said.verb}' makes nothing"


def negated_field(said: Said) -> Answer:
    """C: ``isClosed`` returns ``!closed``: one of the two names is wrong."""
    facts = said.facts
    if said.verb not in QUESTIONS or facts.steps != 1 or len(facts.returned_names) != 1:
        return None
    if facts.returns_kinds != ("not field",):
        return WELL
    if _bare(facts.returned_names[0]) != said.rest:
        return WELL
    return f"the name says {''.join(said.rest)}, {facts.returned_names[0]} is negated"


def other_field(said: Said) -> Answer:
    """An accessor of one field with the name of another field, as after copying and pasting.

    JavaBeans: getX and setX access x; IntelliJ IDEA calls it "suspicious getter/setter".
    """
    facts = said.facts
    if said.verb not in ("get", "set", "is") or not said.rest or facts.steps != 1:
        return None
    if said.verb == "set":
        pair = facts.stored if len(facts.stored) == 1 and not facts.calls else ()
        used = pair[0][1] if pair and len(facts.parameters) == 1 else ""
    else:
        plain = facts.returns_kinds == ("field",) and not facts.parameters and not facts.calls
        used = facts.returned_names[0] if plain and len(facts.returned_names) == 1 else ""
    if not used:
        return None
    types = dict(facts.fields)
    fields = {_bare(name): name for name in types if not name.isupper()}
    if _bare(used) == said.rest or said.rest not in fields or used not in types:
        return WELL
    # The name cannot mean a field of another type.
    if types[used] != types[fields[said.rest]]:
        return WELL
    # The name may abbreviate the name of the field that the body uses.
    if set(said.rest) <= set(_bare(used)):
        return WELL
    return f"the name is about the field {fields[said.rest]}, the body about {used}"


def body_does_opposite(said: Said) -> Answer:
    """The body does the opposite of the name: ``enableMenu`` only calls ``disableMenu``.

    It applies the catalogue's C.1 and C.2, which are about types and comments, to bodies.
    """
    facts = said.facts
    opposites = OPPOSITES.get(said.verb)
    if not opposites or said.verb not in VERBS or facts.steps != 1 or facts.branches:
        return None
    # Some ciphers are their own inverse.
    if said.verb in ("encrypt", "decrypt"):
        return None
    if said.verb in said.call_verbs or facts.self_calls or facts.overload_calls:
        return WELL
    # A call in a lambda runs later; only a single direct call is what the method does.
    if len(facts.calls) != 1 or facts.lambdas or not said.call_words:
        return WELL
    called, receiver = said.call_words[0], facts.calls[0][0]
    if not called or called[0] not in opposites or called[1:] != said.rest:
        return WELL
    # Without an object in the name, the opposite action on another object is no contradiction.
    if not said.rest and receiver not in ("", "this"):
        return WELL
    return f"the name says '{said.verb}', the body only calls {facts.calls[0][1]}"


def only_the_opposite(said: Said) -> Answer:
    """A method called ``remove`` that only adds, or ``add`` that only removes."""
    facts = said.facts
    mine, theirs = (ADDS, REMOVES) if said.verb in ADDS else (REMOVES, ADDS)
    if said.verb not in mine or not said.rest:
        return None
    called = set(said.call_verbs)
    if not called or not called <= theirs | _ASKS or not called & theirs:
        return WELL
    if said.writes or facts.self_calls or facts.overload_calls or said.takes_result:
        return WELL
    if not said.void or facts.created or facts.lambdas:
        return WELL
    return f"a method called '{said.verb}' only calls {_listed(called & theirs)}"


def does_one_of_two(said: Said) -> Answer:
    """A name with two verbs joined by "and", and a body with a single effect.

    Butler: a name with several verbs promises several actions.
    """
    facts = said.facts
    if "and" not in said.rest[:-1]:
        return None
    place = said.words.index("and")
    before, after = said.words[:place], said.words[place + 1 :]
    if before[0] not in VERBS or after[0] not in VERBS:
        return None
    if facts.statements != 1 or facts.steps != 1 or facts.branches or facts.lambdas:
        return WELL
    # Setting a field and returning it are two effects.
    things = len(facts.calls) + 2 * len(facts.fields_written) + len(facts.created)
    # A call of a method that does both, or of an overload, is delegation.
    both = {"and", "or"} & {word for words in said.call_words for word in words}
    if things > 1 or both or facts.self_calls or facts.overload_calls:
        return WELL
    if any(name == SELF or receiver not in ("", "this") for receiver, name, _ in facts.calls):
        return WELL
    return f"the name says '{before[0]}' and '{after[0]}', the body does one thing"


def comment_says_opposite(said: Said) -> Answer:
    """C.2: the comment begins with the opposite of the name's verb."""
    opposites = OPPOSITES.get(said.verb)
    if not opposites or not said.facts.doc or said.verb not in VERBS:
        return None
    found = _FIRST_WORD.match(said.facts.doc)
    if not found or stem(found[1]) not in opposites:
        return WELL
    return f"the name says '{said.verb}', its comment begins with '{found[1]}'"


def type_is_opposite(said: Said) -> Answer:
    """C.1: the name of the return type contains the opposite of a word of the method's name."""
    if said.void or not said.type_words:
        return None
    # One method's output is another's input.
    words = [word for word in said.words if word in OPPOSITES and word not in ("input", "output")]
    opposites = [(word, OPPOSITES[word]) for word in words]
    if not opposites:
        return None
    types = set(said.type_words)
    for word, others in opposites:
        if types & others and not types & set(said.words):
            return f"the name says '{word}', the type it returns '{_listed(types & others)}'"
    return WELL


def no_verb(said: Said) -> Answer:
    """A void method whose name has no verb (Butler et al.; Høst and Østvold: methods are actions).

    Methods with parameters pass, because setters may be called like their field; so do names of
    events (``valueChanged``).
    """
    facts = said.facts
    if not said.void or not said.words:
        return None
    if said.verb not in NOUNS or facts.parameters or facts.annotations:
        return WELL
    # Parsers name methods after the rules of their grammar.
    if facts.name[0].isupper():
        return WELL
    if any(word.endswith(("ed", "ing")) or word in VERBS for word in said.rest):
        return WELL
    if len(said.words) > 1 and said.words[-1] not in NOUNS:
        return WELL
    return "the name has no verb, and nothing is returned"


def _bare(name: str) -> tuple[str, ...]:
    """Return the words of a field without a usual prefix: ``mName``, ``_name``, ``isOpen``."""
    words = words_of(name)
    if len(words) > 1 and words[0] in ("m", "f", "the", "my", "is", "has", "s"):
        return words[1:]
    return words


def _listed(words: set[str]) -> str:
    return ", ".join(sorted(words))
