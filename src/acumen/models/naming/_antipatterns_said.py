"""What rules about names ask of a method, answered once for all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from acumen.models.naming._antipatterns_words import VALUES, words_of
from acumen.models.naming.facts import SELF, Facts

# What a rule says: nothing (it is not about such a method), that all is well, or what is wrong.
WELL = ""
Answer = str | None

# Names that a well-known interface or class gives: nobody chose them here.
GIVEN = frozenset((
    "main", "run", "call", "accept", "apply", "test", "get", "set", "close", "next", "hasNext",
    "compare", "compareTo", "equals", "hashCode", "toString", "clone", "finalize", "iterator",
    "invoke", "execute", "handle", "visit", "actionPerformed", "add", "remove", "size", "contains",
    "put", "write", "read", "flush", "length", "of", "from", "start", "stop", "init", "destroy",
    "getContentPane", "addNotify", "removeNotify", "setUp", "tearDown", "readObject", "writeObject",
    "readResolve", "writeReplace", "readExternal", "writeExternal",
))  # fmt: skip
_TESTS = (
    "Test",
    "Before",
    "After",
    "ParameterizedTest",
    "RepeatedTest",
    "Benchmark",
    "DataProvider",
)
_SIGNALS = frozenset(
    (word,)
    for word in (
        "listener", "callback", "handler", "consumer", "visitor", "observer", "action", "runnable",
        "function", "receiver", "collector", "sink",
    )
)  # fmt: skip


_FILLS = frozenset((word,) for word in ("set", "add", "append", "put", "accept", "write"))


class Said:
    """A method with its name's words in lower case."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.words = words_of(facts.name)
        self.verb = self.words[0] if self.words else ""
        self.rest = self.words[1:]
        self.void = facts.returned == "void"

    @cached_property
    def type_words(self) -> tuple[str, ...]:
        """The words of the type that is returned."""
        return words_of(self.facts.returned.rstrip("[]"))

    @cached_property
    def own_type(self) -> bool:
        """Whether it returns what it is called on, or a type that a subclass of that chooses: the
        style in which calls are chained."""
        facts = self.facts
        variables = {one.split(" ", 1)[0] for one in facts.type_parameters}
        owner = facts.owner.rsplit(".", 1)[-1]
        returned = facts.returned
        return (
            "this" in facts.returns_kinds
            or returned == owner
            or returned in variables
            or (len(returned) <= 2 and returned.isupper())
            or returned in ("SELF", "Self", "THIS", "This")
            or returned.endswith("Builder")
            or any(words_of(one.split("<", 1)[0])[-1:] == words_of(returned)[-1:]
                   for one in facts.extends + facts.implements)
        )  # fmt: skip

    @cached_property
    def takes_result(self) -> bool:
        """Whether a parameter may take what would otherwise be returned: an object that the body
        does something with."""
        facts = self.facts
        names = {name for _, name in facts.parameters}
        if facts.filled or any(
            receiver in names and words_of(called)[:1] in _FILLS
            for receiver, called, _ in facts.calls
        ):
            return True
        used = frozenset(facts.identifiers)
        return any(
            name in used and (kind not in VALUES or kind.endswith("[]"))
            for kind, name in facts.parameters
        )

    @cached_property
    def signals(self) -> bool:
        """Whether the answer goes to a listener."""
        return any(words_of(kind)[-1:] in _SIGNALS for kind, _ in self.facts.parameters)

    @cached_property
    def writes(self) -> bool:
        facts = self.facts
        return bool(
            facts.fields_written or facts.elements_written or facts.others_written or facts.filled
        )

    @cached_property
    def call_verbs(self) -> tuple[str, ...]:
        """First words of what is called; what it calls itself by is left out."""
        return tuple(words[0] for words in self.call_words if words)

    @cached_property
    def call_words(self) -> tuple[tuple[str, ...], ...]:
        return tuple(words_of(name) for _, name, _ in self.facts.calls if name != SELF)


@dataclass(frozen=True, slots=True)
class Rule:
    """``source`` is where the rule comes from; ``weight`` what it adds to the log-odds."""

    id: str
    source: str
    weight: float
    asks: Callable[[Said], Answer]


def free(facts: Facts) -> bool:
    """Whether somebody chose the name for this body: not where a supertype gives it, where there is
    no body to speak of, nor in tests, whose names tell a story."""
    return not (
        facts.overrides
        or facts.anonymous
        or facts.super_calls
        or facts.empty
        or facts.throws_only
        or (facts.statements == 1 and facts.returns_count == 1 and facts.returns_kinds == ("void",))
        or facts.name in GIVEN
        or any(one.rsplit(".", 1)[-1] in _TESTS for one in facts.annotations)
        or facts.name.startswith("test")
    )
