"""What a call may do, as far as its caller can see: which outcomes are possible here."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from codeacumen.languages.java.nulls import models
from codeacumen.languages.java.nulls._invocations import CREATES
from codeacumen.languages.java.nulls._sizes import Classes
from codeacumen.languages.java.nulls._state import (
    BOUND,
    FALSE,
    FRESH,
    NONNULL,
    NOTHING,
    NULL,
    PARAMETER,
    TEXT,
    THIS,
    TRUE,
    Asked,
    Outcome,
    State,
)
from codeacumen.languages.java.nulls._unit import CallSite, Unit
from codeacumen.languages.java.nulls.facts import CONSTRUCTOR

_MOST_NUMBERS = 3


class Found(NamedTuple):
    """What is known of a call's methods. ``writes``: fields that may change (None: any);
    ``outside``: the methods are not the project's, and know nothing of its fields; ``throws``:
    exceptions that may come (None: any); ``own`` and ``changes``: as in a summary."""

    outcomes: tuple[Outcome, ...]
    writes: frozenset[str] | None
    outside: bool
    throws: frozenset[str] | None = None
    own: frozenset[str] | None = frozenset()
    changes: frozenset[str] | None = frozenset()


class Choices(Classes):
    def __init__(self, unit: Unit, find: Callable[[CallSite], Found | None]) -> None:
        super().__init__(unit)
        self.find = find
        self._known_calls: dict[int, tuple[Found | None]] = {}
        self._reads: frozenset[str] | None = None

    def found_of(self, call: CallSite) -> Found | None:
        known = self._known_calls.get(id(call))
        if known is None:
            known = self._known_calls[id(call)] = (self.find(call),)
        return known[0]

    def may_give_null(self, call: CallSite) -> bool:
        plain = models.plain(call.label)
        if models.kind_of(call.label, plain):
            return True
        found = self.found_of(call)
        return found is not None and any(
            not one.fails and (one.gives == NULL or any(fact < 0 for _, fact in one.fields))
            for one in found.outcomes
        )

    def is_guarded(self, state: State, call: CallSite, receiver: int) -> bool:
        if receiver != THIS or (THIS, "guard") in state.heap:
            return (receiver, "guard") in state.heap
        name = call.label.partition("(")[0].rpartition(".")[2].lower()
        return any(
            key[0] == THIS and len(key) == 3 and key[1] == "guard" and str(key[2]) in name
            for key in state.heap
        )

    def holds(self, state: State, outcomes: tuple[Outcome, ...], receiver: int) -> bool:
        """Whether a method gives a field of which it is known that it is not null."""
        for one in outcomes:
            if isinstance(one.gives, tuple) and one.gives[0] == "f":
                held = state.heap.get((receiver, one.gives[1]))
                if held is not None and state.fact(held) > 0:
                    return True
        return False

    def fits(self, state: State, one: Outcome, receiver: int, given: list[int]) -> bool:
        for place, need in one.needs:
            if place > len(given):
                continue
            fact = state.fact(given[place - 1])
            if fact == NOTHING:
                continue
            if need < 0:
                if fact > 0:
                    return False
            elif fact < 0 or (need in (TRUE, FALSE) and fact in (TRUE, FALSE) and need != fact):
                return False
        return not one.asked or self._answers(state, one.asked, receiver, given)

    def _answers(
        self, state: State, asked: tuple[Asked, ...], receiver: int, given: list[int]
    ) -> bool:
        """Whether what is known here of the arguments does not speak against a way."""
        for place, what, answer in asked:
            if place == 0:
                held = state.heap.get((receiver, what))
                fact = NOTHING if held is None else state.fact(held)
                if fact and answer != (fact < 0):
                    return False
                continue
            if place > len(given) or what == BOUND:
                continue
            value = given[place - 1]
            known = state.asked.get((value, what))
            if (known is not None and known != answer) or (answer and state.fact(value) < 0):
                return False
        return True

    def within_bounds(self, outcomes: tuple[Outcome, ...], call: CallSite) -> tuple[Outcome, ...]:
        """Null that is given for what is out of bounds says too little, unless somebody asks for
        a certain place."""
        if not any(one.asked for one in outcomes):
            return outcomes
        return tuple(
            one._replace(gives=NOTHING, asked=())
            if one.gives == NULL
            and any(
                what == BOUND and 0 < place <= len(call.told) and call.told[place - 1] >= 0
                for place, what, _ in one.asked
            )
            else one
            for one in outcomes
        )

    def told_apart(
        self,
        at: int,
        state: State,
        call: CallSite,
        normal: list[Outcome],
        given: list[int],
        used: bool,
    ) -> list[Outcome]:
        """Outcomes as far as they differ in what the caller can see: each is a way to follow."""
        if len(normal) == 1 and not normal[0].fields and not normal[0].asked:
            return normal
        loose = any(one.gives == NOTHING for one in normal)
        numbers = {one.gives for one in normal if isinstance(one.gives, tuple)}
        many = len(numbers) > _MOST_NUMBERS
        held = {state.registers[one] for one in self.unit.live(at + 1)}
        names = self.reads()
        found: dict[tuple[object, ...], Outcome] = {}
        for one in normal:
            gives = one.gives if used or call.flags & CREATES else NOTHING
            if isinstance(gives, tuple):
                if gives[0] == "n" and many:
                    gives = NOTHING
            elif (gives == NONNULL and loose) or (
                gives == FRESH and not call.flags & CREATES and not _makes(one)
            ):
                gives = NOTHING if loose else NONNULL
            needs = one.needs
            if gives != NULL:
                needs = tuple(
                    (place, need)
                    for place, need in needs
                    if place <= len(given) and self._matters(state, given[place - 1], held)
                )
            fields = one.fields
            # A short body may return the new object, and who gets it may read its fields.
            if not (self.unit.short and call.flags & CREATES):
                fields = tuple(part for part in fields if _read_as(part[0]) in names)
            asked = one.asked
            if asked and gives != NULL:
                asked = tuple(
                    part
                    for part in asked
                    if used and 0 < part[0] <= len(given) and given[part[0] - 1] in held
                )
            told = one._replace(gives=gives, needs=needs, fields=fields, asked=asked)
            found.setdefault(told.key, told)
        return list(found.values())

    def _matters(self, state: State, value: int, held: set[int]) -> bool:
        """Whether it is worth to learn something of a value."""
        if value < 0 or value >= TEXT or state.fact(value) != NOTHING:
            return False
        return value >= PARAMETER or value in held or value in state.heap.values()

    def reads(self) -> frozenset[str]:
        """Names of fields that the body reads, itself or through methods that only give them;
        and calls that it makes again."""
        if self._reads is None:
            found = set(self.unit.loads)
            if self.unit.flags & CONSTRUCTOR:
                found.update(self.unit.fields)
            for call in self.unit.calls.values():
                found.add(f"(){call.label}")
                known = self.found_of(call)
                for one in known.outcomes if known is not None else ():
                    if isinstance(one.gives, tuple) and one.gives[0] == "f":
                        found.add(str(one.gives[1]))
            self._reads = frozenset(found)
        return self._reads


def _read_as(name: str) -> str:
    """How a body reads what an outcome tells of fields and calls, whoever's they are."""
    return f"(){name.partition(')')[2]}" if name[0] == "(" else name.lstrip(".")


def _makes(one: Outcome) -> bool:
    """Whether something is known of a new object that is returned."""
    return any(name[0] == "." for name, _ in one.fields)
