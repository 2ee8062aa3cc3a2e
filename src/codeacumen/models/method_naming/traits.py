"""Traits of a method: texts such as ``returns int``, from which the background predicts verbs.

No trait depends on the declared name. The background drops traits that few methods have, so traits
may be as specific as they like.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from codeacumen.models.method_naming.facts import Facts
from codeacumen.text.subtokens import split_subtokens

COLLECTIONS = frozenset(
    (
        "ArrayList",
        "Collection",
        "Deque",
        "Enumeration",
        "HashMap",
        "HashSet",
        "Iterable",
        "Iterator",
        "LinkedList",
        "List",
        "Map",
        "Queue",
        "Set",
        "SortedMap",
        "SortedSet",
        "Stream",
        "Vector",
    )
)
NUMBERS = frozenset(
    (
        "Byte",
        "Double",
        "Float",
        "Integer",
        "Long",
        "Short",
        "byte",
        "double",
        "float",
        "int",
        "long",
        "short",
    )
)
# Maximum number of calls, of identifiers, and of parameters and the like that become traits: more
# add no information, and a generated method may have thousands.
_CALLS, _IDENTIFIERS, _FEW = 25, 60, 4


@lru_cache(maxsize=1 << 17)
def split_words(name: str) -> tuple[str, ...]:
    """Return a name's subtokens in lower case."""
    return split_subtokens(name, lower=True)


def classify_type(returned: str, owner: str = "") -> str:
    """Return a coarse class of a return type, such as ``number``; ``owner`` is the declaring type.

    Both names are simple names, as in ``Facts.returned``.
    """
    if returned == "void":
        return "void"
    if returned in ("boolean", "Boolean"):
        return "boolean"
    if returned in NUMBERS:
        return "number"
    if returned in ("String", "CharSequence"):
        return "string"
    if returned.endswith("[]"):
        return "array"
    if returned in COLLECTIONS:
        return "collection"
    if returned == owner:
        return "own"
    # By convention, T and K1 are type parameters.
    return "any" if len(returned) <= 2 and returned.isupper() else "type"


def simple_owner(facts: Facts) -> str:
    """Return the simple name of the declaring type."""
    return facts.owner.rpartition(".")[2]


def describe_shape(facts: Facts) -> str:
    """Return a short form of a method's signature: return class, parameter count, static."""
    sort = classify_type(facts.returned, simple_owner(facts))
    static = ", static" if "static" in facts.modifiers else ""
    return f"{sort} of {min(len(facts.parameters), _FEW)}{static}"


def list_traits(facts: Facts) -> list[str]:
    """Return the distinct traits of a method, in a fixed order."""
    return list(dict.fromkeys(_iterate_traits(facts)))


def _iterate_traits(facts: Facts) -> Iterator[str]:
    """Yield the traits.

    ``sort`` is the class of the return type (``classify_type``), ``outside`` the short form of the
    signature (``describe_shape``). Most traits are words for their kind and a value: ``sort void``.
    The texts of the traits are stored keys: the packaged background has a weight for each.
    """
    sort = classify_type(facts.returned, simple_owner(facts))
    outside = describe_shape(facts)
    yield "always"
    yield from _describe_signature(facts, sort, outside)
    yield from _describe_body(facts, sort, outside)
    yield from _describe_calls(facts, sort, outside)
    yield from _describe_owner(facts)


def _describe_signature(facts: Facts, sort: str, outside: str) -> Iterator[str]:
    yield f"returns {facts.returned}"
    yield f"sort {sort}"
    yield f"shape {outside}"
    for word in split_words(facts.returned):
        yield f"return word {word}"
    for type_, name in facts.parameters[:6]:
        yield f"parameter {type_}"
        for word in split_words(name):
            yield f"parameter word {word}"
    if len(facts.parameters) == 1:
        only = facts.parameters[0][0]
        yield f"only parameter {only}"
        yield f"from {only} to {facts.returned}"
    for modifier in sorted(facts.modifiers):
        yield f"modifier {modifier}"
    for annotation in facts.annotations[:_FEW]:
        yield f"annotation {annotation}"
    for type_ in facts.throws[:3]:
        yield f"declares {type_}"


def _describe_body(facts: Facts, sort: str, outside: str) -> Iterator[str]:
    kinds = ", ".join(sorted(facts.returns_kinds))
    small = min(facts.statements, 3)
    yield f"gives {kinds}"
    yield f"gives {kinds} in {outside}"
    for kind in facts.returns_kinds:
        yield f"may give {kind}"
    yield f"size {_classify_size(facts.statements)}"
    yield f"statements {small} in {outside}"
    yield f"whole {small}, {outside}, {kinds}, {min(len(facts.calls), 3)}"
    for trait, count in (
        ("loops", facts.loops),
        ("branches", facts.branches),
        ("tries", facts.tries),
        ("instanceofs", facts.instanceofs),
        ("casts", facts.casts),
        ("lambdas", facts.lambdas),
    ):
        if count:
            yield f"{trait} {min(count, 2)}"
    yield f"writes {min(len(facts.fields_written), 3)} in {sort}"
    yield f"reads {min(len(facts.fields_read), 3)} in {sort}"
    if facts.stored:
        yield f"stores {min(len(facts.stored), 2)} in {sort}"
    for trait, applies in (
        ("derives", facts.derived),
        ("sets elements", facts.elements_written),
        ("sets others", facts.others_written),
        ("fills", facts.filled),
        ("throws only", facts.throws_only),
        ("empty", facts.empty),
        ("calls super", facts.super_calls),
        ("calls itself", facts.self_calls),
        (f"calls an overload in {sort}", facts.overload_calls),
    ):
        if applies:
            yield trait
    for type_ in facts.thrown[:3]:
        yield f"throws {type_}"
    for type_ in facts.created[:5]:
        yield f"creates {type_}"
    if facts.returned in facts.created:
        yield "creates what it returns"


def _describe_calls(facts: Facts, sort: str, outside: str) -> Iterator[str]:
    names = list(dict.fromkeys(name for _, name, _ in facts.calls[:_CALLS]))
    for name in names:
        yield f"calls {name}"
        first, *rest = split_words(name) or ("",)
        yield f"calls verb {first}"
        for word in rest:
            yield f"calls word {word}"
    if len(facts.calls) == 1:
        yield f"only calls {names[0]}"
        yield f"only calls verb {_get_first_word(names[0])} in {outside}"
    if facts.calls:
        yield f"first calls {_get_first_word(facts.calls[0][1])} in {sort}"
        yield f"last calls {_get_first_word(facts.calls[-1][1])} in {sort}"
    for name in facts.returned_names[:3]:
        for word in split_words(name):
            yield f"returned word {word}"
    for word in sorted(
        {part for name in facts.identifiers[:_IDENTIFIERS] for part in split_words(name)}
    ):
        yield f"word {word}"


def _describe_owner(facts: Facts) -> Iterator[str]:
    yield f"in {facts.owner_kind}"
    owner = split_words(simple_owner(facts))
    if owner:
        yield f"owner ends {owner[-1]}"
        yield f"owner begins {owner[0]}"
    for word in owner:
        yield f"owner word {word}"
    for type_ in (*facts.extends, *facts.implements)[:_FEW]:
        yield f"is a {type_.partition('<')[0]}"


def _get_first_word(name: str) -> str:
    return (split_words(name) or ("",))[0]


def _classify_size(statements: int) -> int:
    """Return a size class of a body, from 0 to 7; the classes are coarser for larger bodies."""
    return next(
        (index for index, most in enumerate((0, 1, 2, 3, 6, 14, 39)) if statements <= most), 7
    )


# Readable descriptions of traits by their prefix, with {} for the rest of the trait. The first
# prefix that fits counts; an empty description hides the trait.
_DESCRIPTIONS = (
    ("stores 1", "it stores its parameter"),
    ("stores 2", "it stores its parameters"),
    ("returns void", "it returns nothing"),
    ("returns ", "it returns {}"),
    ("only calls verb", ""),
    ("only calls ", "it only calls {}"),
    ("calls verb ", "it calls {}..."),
    ("creates what", "it creates what it returns"),
    ("creates ", "it creates {}"),
    ("only parameter ", "it takes only a {}"),
    ("throws ", "it throws {}"),
    ("may give null", "it may return null"),
    ("may give field", "it returns a field"),
    ("may give this", "it returns itself"),
    ("owner ends ", "its class is a {}"),
    ("fills", "it fills a parameter"),
)


def describe_trait(trait: str) -> str:
    """Return a readable description of a trait, or an empty string if it has none.

    >>> describe_trait("returns int"), describe_trait("calls verb set"), describe_trait("size 2")
    ('it returns int', 'it calls set...', '')
    """
    for begins, text in _DESCRIPTIONS:
        if trait.startswith(begins):
            return text.format(trait.removeprefix(begins))
    return ""
