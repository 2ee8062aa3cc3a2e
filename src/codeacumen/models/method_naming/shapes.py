"""Shapes of methods and of their names, and votes on the names in a class, for ``conventions``.

A shape is a coarse description of a method without its name (``compute_shape``). Each method of a
class or project votes for the style or verb of its own name; a convention is a word with nearly all
votes.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from codeacumen.models.method_naming.facts import SELF, Facts
from codeacumen.models.method_naming.name_words import (
    COLLECTIONS,
    PRIMITIVES,
    QUESTION_VERBS,
    split_words,
)
from codeacumen.text.subtokens import split_subtokens

GETTER, QUESTION, SETTER = "getter", "question", "setter"
# First words of a field's name that accessors leave out (``mName``).
_FIELD_PREFIXES = frozenset(("m", "f", "the", "my", "s", "i"))
_BOOLEANS = frozenset(("boolean", "Boolean"))
# The nine parts that ``compute_shape`` returns: class of the return type; number of parameters and
# of steps; kinds of returned values; creates its result; changes fields; loop or branch; throws;
# static; verb of the only call. A part that does not apply is empty.
Shape = tuple[str, ...]


class Entry(NamedTuple):
    """A method as the conventions compare it.

    ``role`` is GETTER, QUESTION, SETTER or empty, ``field`` is the field of an accessor, or empty.
    ``style`` is how its name derives from the field: ``get``, ``is``, ``set``, ``with``, ``bare``
    (the field's own name), or empty if it does not. ``parameters`` are their simple types.
    ``target`` is the method that it delegates to, as ``find_delegate`` returns it.
    """

    name: str
    words: tuple[str, ...]
    method_index: int
    line: int
    role: str
    field: str
    style: str
    parameters: tuple[str, ...]
    target: tuple[str, int]
    returned: str
    shape: Shape


def make_entry(facts: Facts) -> Entry:
    """Return the entry of a method under the name in its facts."""
    role, field = classify_accessor(facts)
    words = split_words(facts.name)
    return Entry(
        facts.name,
        words,
        facts.method_index,
        facts.line,
        role,
        field,
        classify_style(words, field) if role else "",
        tuple(kind for kind, _ in facts.parameters),
        find_delegate(facts),
        facts.returned,
        compute_shape(facts),
    )


def classify_accessor(facts: Facts) -> tuple[str, str]:
    """Return the role of an accessor and its field; two empty strings for other methods."""
    is_single_return = (
        facts.steps == 1 and not facts.parameters and facts.returns_kinds == ("field",)
    )
    if is_single_return and not facts.calls and not facts.fields_written:
        return QUESTION if facts.returned in _BOOLEANS else GETTER, facts.returned_names[0]
    if len(facts.parameters) == 1 and len(facts.stored) == 1 and facts.steps <= 2:
        returns_itself = facts.returned == "void" or facts.returns_kinds == ("this",)
        if returns_itself and len(facts.fields_written) == 1 and not facts.calls:
            return SETTER, facts.stored[0][1]
    return "", ""


def split_field_name(field: str) -> tuple[str, ...]:
    """Return the words of a field as written, without a conventional prefix such as ``m``."""
    words = split_subtokens(field)
    return words[1:] if len(words) > 1 and words[0].lower() in _FIELD_PREFIXES else words


def classify_style(words: tuple[str, ...], field: str) -> str:
    """Return ``Entry.style`` of an accessor; ``words`` are those of its name, in lower case.

    Word boundaries are ignored: ``fileName`` and ``filename`` are the same.
    """
    field_parts = split_field_name(field)
    field_name = "".join(field_parts).lower()
    if "".join(words) == field_name:
        return "is" if is_question(field_parts) else "bare"
    # The accessors of a field isOpen are isOpen, getIsOpen and setOpen.
    names = (
        (field_name, "".join(field_parts[1:]).lower())
        if is_question(field_parts)
        else (field_name,)
    )
    if "".join(words[1:]) in names and words[0] in ("get", "set", "with", *QUESTION_VERBS):
        return "is" if words[0] in QUESTION_VERBS else words[0]
    return ""


def is_question(words: tuple[str, ...]) -> bool:
    """Return True if the words of a field begin with a question (``isOpen``)."""
    return len(words) > 1 and words[0].lower() in QUESTION_VERBS


def build_accessor_name(style: str, field: str) -> str:
    """Return the name of a field's accessor in a style.

    >>> build_accessor_name("get", "mName"), build_accessor_name("bare", "_size")
    ('getName', 'size')
    >>> build_accessor_name("is", "isOpen")
    'isOpen'
    """
    field_parts = split_field_name(field)
    if style == "bare":
        return join_camel_case(field_parts)
    return join_camel_case((style, *(field_parts[1:] if is_question(field_parts) else field_parts)))


def join_camel_case(words: tuple[str, ...]) -> str:
    """Join words to a method's name in camel case; capitals inside the words stay."""
    first = "".join(words[:1])
    if not first.isupper() or len(words) == 1:
        first = first[:1].lower() + first[1:]
    return first + "".join(word[:1].upper() + word[1:] for word in words[1:])


def find_delegate(facts: Facts) -> tuple[str, int]:
    """Return name and argument count of the method that a delegating method calls.

    A method delegates if it only calls a method of its class with more arguments than it has
    parameters. The name is ``SELF`` if that method is an overload. A method that does not delegate
    has ("", 0).
    """
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


def compute_shape(facts: Facts) -> Shape:
    """Return a coarse description of a method that does not depend on its name.

    Two methods of the same shape do the same kind of thing.
    """
    created = "made" if facts.returned in facts.created else ""
    if facts.stored:
        changes = "stores"
    else:
        changes = "writes" if facts.fields_written or facts.elements_written else ""
    alone = facts.calls[0][1] if facts.steps == 1 and len(facts.calls) == 1 else ""
    called = "" if alone == SELF else "".join(split_words(alone)[:1])
    return (
        _classify_type(facts),
        f"{min(len(facts.parameters), 3)} {min(facts.steps, 3)}",
        " ".join(sorted(facts.returns_kinds)),
        created,
        changes,
        "loop" if facts.loops else "branch" if facts.branches else "",
        "throws" if facts.thrown else "",
        "static" if "static" in facts.modifiers else "",
        called,
    )


def _classify_type(facts: Facts) -> str:
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


def is_trivial(method_shape: Shape) -> bool:
    """Return True if the shape is too general: methods with any verb have it."""
    # No part from the fourth to the seventh: creates, changes, branches, throws. The last part is
    # the verb of the only call, the third the kinds of returned values.
    return (
        not any(method_shape[3:7])
        and not method_shape[8]
        and method_shape[2] in ("void", "local", "call")
    )


MAX_EXAMPLES = 3
# Maximum number of recorded accessors of a field.
_MAX_ACCESSORS = 20


class Leader(NamedTuple):
    """The word with the most votes, their number, the total, and some methods that use it.

    ``examples`` are names as ``Type.name``.
    """

    word: str
    votes: int
    total: int
    examples: tuple[str, ...]


class Votes:
    """Number of votes for each word, and the first methods that use it.

    A word is a style, a verb, or an answer of ``classify_delegate``. Examples are pairs (owner,
    name).
    """

    __slots__ = ("_leader", "counts", "examples", "total")

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.examples: dict[str, list[tuple[str, str]]] = {}
        self.total = 0
        # Pairs (minus the number of votes, word) of the two leading words; empty: not computed.
        self._leader: list[tuple[int, str]] = []

    def add_vote(self, word: str, owner: str, name: str) -> None:
        self.counts[word] += 1
        self.total += 1
        self._leader = []
        examples = self.examples.setdefault(word, [])
        # One more than is shown, because ``find_leader`` leaves out the method in question.
        if len(examples) <= MAX_EXAMPLES:
            examples.append((owner, name))

    def find_leader(self, own: str | None, owner: str, name: str) -> Leader | None:
        """Return the leading word without the vote of the method in question; None without votes.

        ``own`` is the word that the method voted for, or None if it has no vote; ``owner`` and
        ``name`` identify the method among the examples.
        """
        if not self._leader:
            # The two words with the most votes, in alphabetical order if they have equally many.
            self._leader = sorted((-count, word) for word, count in self.counts.items())[:2]
        # Counts are negative, so adding 1 removes the method's own vote.
        ranked = sorted((count + (word == own), word) for count, word in self._leader)
        total = self.total - (own is not None)
        if not ranked or not total or not ranked[0][0]:
            return None
        count, word = ranked[0]
        examples = self.examples[word].copy()
        # Remove the method once: an overload may have the same name.
        if word == own and (owner, name) in examples:
            examples.remove((owner, name))
        example_names = [
            f"{type_.rsplit('.', 1)[-1]}.{method_name}"
            for type_, method_name in examples[:MAX_EXAMPLES]
        ]
        return Leader(word, -count, total, tuple(example_names))


GroupKey = tuple[str, tuple[str, ...], Shape]


def make_group_key(entry: Entry) -> GroupKey:
    """Return the key of the methods of a class with the same signature and shape."""
    return (entry.returned, entry.parameters, entry.shape)


class Siblings:
    """The methods of one class, and votes on their names.

    ``by_place`` has the methods by ``method_index``, ``by_field`` the accessors of a field,
    ``names`` the parameter counts of the methods of a name. The votes are ``styles`` by role,
    ``prefixes`` (first words) by ``make_group_key``, and ``handing``: ``classify_delegate`` of the
    methods that delegate.
    """

    __slots__ = ("by_field", "by_place", "handing", "names", "prefixes", "styles")

    def __init__(self) -> None:
        self.by_place: dict[int, Entry] = {}
        self.by_field: dict[str, list[Entry]] = {}
        self.styles: dict[str, Votes] = {}
        self.prefixes: dict[GroupKey, Votes] = {}
        self.handing = Votes()
        self.names: dict[str, list[int]] = {}

    def add_method(self, entry: Entry, owner: str) -> None:
        self.by_place[entry.method_index] = entry
        self.names.setdefault(entry.name, []).append(len(entry.parameters))
        self.prefixes.setdefault(make_group_key(entry), Votes()).add_vote(
            entry.words[0], owner, entry.name
        )
        if entry.role:
            accessors = self.by_field.setdefault(entry.field, [])
            if len(accessors) < _MAX_ACCESSORS:
                accessors.append(entry)
            if entry.style:
                self.styles.setdefault(entry.role, Votes()).add_vote(entry.style, owner, entry.name)
        if entry.target[0]:
            self.handing.add_vote(classify_delegate(entry), owner, entry.name)

    def has_method(self, name: str, parameters: int | None = None) -> bool:
        parameter_counts = self.names.get(name, ())
        return bool(parameter_counts) if parameters is None else parameters in parameter_counts


def classify_delegate(entry: Entry) -> str:
    """Return ``same`` if a delegating method has the name of its target, otherwise ``other``."""
    return "same" if entry.target[0] == SELF else "other"
