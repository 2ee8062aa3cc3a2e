"""What conventions are about: accessors of fields, overloads, the shape of a body."""

from __future__ import annotations

from typing import NamedTuple

from acumen.lang.subtokens import subtokens
from acumen.models.naming._antipatterns_words import COLLECTIONS, PRIMITIVES, QUESTIONS, words_of
from acumen.models.naming.facts import SELF, Facts

GETTER, QUESTION, SETTER = "getter", "question", "setter"
_MARKS = frozenset(("m", "f", "the", "my", "s", "i"))
_BOOLEANS = frozenset(("boolean", "Boolean"))
Shape = tuple[str, ...]


class Entry(NamedTuple):
    """A method as a convention sees it. ``field`` is the field that an accessor is about, ``style``
    how it is called after it: ``get``, ``is``, ``set``, ``with``, ``bare`` (like the field itself);
    empty where the name is not made of the field's words."""

    name: str
    words: tuple[str, ...]
    place: int
    line: int
    role: str
    field: str
    style: str
    parameters: tuple[str, ...]
    target: tuple[str, int]
    returned: str
    shape: Shape


def entry(facts: Facts) -> Entry:
    role, field = role_of(facts)
    words = words_of(facts.name)
    return Entry(
        facts.name,
        words,
        facts.place,
        facts.line,
        role,
        field,
        style_of(words, field) if role else "",
        tuple(kind for kind, _ in facts.parameters),
        target_of(facts),
        facts.returned,
        shape(facts),
    )


def role_of(facts: Facts) -> tuple[str, str]:
    """Whether a method only gives or only sets a field, and which."""
    gives = facts.steps == 1 and not facts.parameters and facts.returns_kinds == ("field",)
    if gives and not facts.calls and not facts.fields_written:
        return QUESTION if facts.returned in _BOOLEANS else GETTER, facts.returned_names[0]
    if len(facts.parameters) == 1 and len(facts.stored) == 1 and facts.steps <= 2:
        chained = facts.returned == "void" or facts.returns_kinds == ("this",)
        if chained and len(facts.fields_written) == 1 and not facts.calls:
            return SETTER, facts.stored[0][1]
    return "", ""


def field_words(field: str) -> tuple[str, ...]:
    """The words of a field as written, without what some projects put before it."""
    words = subtokens(field)
    return words[1:] if len(words) > 1 and words[0].lower() in _MARKS else words


def style_of(words: tuple[str, ...], field: str) -> str:
    """How a name is made of a field's; where words end is nobody's convention (``fileName`` and
    ``filename``)."""
    told = field_words(field)
    whole = "".join(told).lower()
    if "".join(words) == whole:
        return "is" if asks(told) else "bare"
    # A field isOpen has the accessor isOpen, or getIsOpen, or setOpen.
    names = (whole, "".join(told[1:]).lower()) if asks(told) else (whole,)
    if "".join(words[1:]) in names and words[0] in ("get", "set", "with", *QUESTIONS):
        return "is" if words[0] in QUESTIONS else words[0]
    return ""


def asks(told: tuple[str, ...]) -> bool:
    return len(told) > 1 and told[0].lower() in QUESTIONS


def styled(style: str, field: str) -> str:
    """The name of an accessor in a style.

    >>> styled("get", "mName"), styled("bare", "_size"), styled("is", "isOpen")
    ('getName', 'size', 'isOpen')
    """
    told = field_words(field)
    if style == "bare":
        return joined(told)
    return joined((style, *(told[1:] if asks(told) else told)))


def joined(words: tuple[str, ...]) -> str:
    """Words as a method's name; their capitals stay."""
    first = "".join(words[:1])
    if not first.isupper() or len(words) == 1:
        first = first[:1].lower() + first[1:]
    return first + "".join(word[:1].upper() + word[1:] for word in words[1:])


def target_of(facts: Facts) -> tuple[str, int]:
    """What a method that only calls another of its class with more arguments calls: name and how
    many; the name is ``SELF`` for an overload. Empty for any other method."""
    if facts.steps != 1 or len(facts.calls) != 1 or facts.fields_written or facts.lambdas:
        return ("", 0)
    receiver, name, count = facts.calls[0]
    if receiver not in ("", "this") or count <= len(facts.parameters) or not facts.parameters:
        return ("", 0)
    used = set(facts.identifiers)
    if not all(parameter in used for _, parameter in facts.parameters):
        return ("", 0)
    if facts.returned != "void" and facts.returns_kinds != ("call",):
        return ("", 0)
    return (name, count)


def shape(facts: Facts) -> Shape:
    """What can be said of a method in a few words without its name: two methods of one shape do
    the same kind of thing."""
    made = "made" if facts.returned in facts.created else ""
    if facts.stored:
        changes = "stores"
    else:
        changes = "writes" if facts.fields_written or facts.elements_written else ""
    alone = facts.calls[0][1] if facts.steps == 1 and len(facts.calls) == 1 else ""
    called = "" if alone == SELF else "".join(words_of(alone)[:1])
    return (
        _kind(facts),
        f"{min(len(facts.parameters), 3)} {min(facts.steps, 3)}",
        " ".join(sorted(facts.returns_kinds)),
        made,
        changes,
        "loop" if facts.loops else "branch" if facts.branches else "",
        "throws" if facts.thrown else "",
        "static" if "static" in facts.modifiers else "",
        called,
    )


def _kind(facts: Facts) -> str:
    returned = facts.returned
    if returned in ("void", "String"):
        return returned
    if returned in _BOOLEANS:
        return "boolean"
    if returned in PRIMITIVES:
        return "number"
    if returned.endswith("]") or returned in COLLECTIONS:
        return "collection"
    return "own" if returned == facts.owner.rsplit(".", 1)[-1] else "object"


def trivial(found: Shape) -> bool:
    """A shape that says next to nothing, which methods of all verbs have."""
    return not any(found[3:7]) and not found[8] and found[2] in ("void", "local", "call")
