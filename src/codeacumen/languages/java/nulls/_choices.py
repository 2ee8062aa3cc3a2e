"""Selection of the outcomes of a call that are possible in the caller's state."""

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
    """Effects of the methods that a call may run.

    ``writes`` names the fields that may change (None: any), ``throws`` the exceptions that may be
    thrown (None: any). ``outside``: the methods do not belong to the project and do not touch its
    fields. ``own`` and ``changes`` are as in a summary.
    """

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
            not one.failing_parameter
            and (one.result == NULL or any(fact < 0 for _, fact in one.fields))
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
        """Return whether a method returns a field that is known not to be null."""
        for one in outcomes:
            if isinstance(one.result, tuple) and one.result[0] == "f":
                held = state.heap.get((receiver, one.result[1]))
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
        return not one.parameter_tests or self._answers(state, one.parameter_tests, receiver, given)

    def _answers(
        self, state: State, asked: tuple[Asked, ...], receiver: int, given: list[int]
    ) -> bool:
        """Return whether an outcome's tests of parameters agree with the facts in the state."""
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
            known = state.answers.get((value, what))
            if (known is not None and known != answer) or (answer and state.fact(value) < 0):
                return False
        return True

    def within_bounds(self, outcomes: tuple[Outcome, ...], call: CallSite) -> tuple[Outcome, ...]:
        """Replace results that are null only out of bounds by unknown ones.

        They count where the caller passes something other than a fixed value.
        """
        if not any(one.parameter_tests for one in outcomes):
            return outcomes
        return tuple(
            one._replace(result=NOTHING, parameter_tests=())
            if one.result == NULL
            and any(
                what == BOUND
                and 0 < place <= len(call.argument_expressions)
                and call.argument_expressions[place - 1] >= 0
                for place, what, _ in one.parameter_tests
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
        """Return the outcomes that differ in what the caller can observe, one path for each."""
        if len(normal) == 1 and not normal[0].fields and not normal[0].parameter_tests:
            return normal
        loose = any(one.result == NOTHING for one in normal)
        numbers = {one.result for one in normal if isinstance(one.result, tuple)}
        many = len(numbers) > _MOST_NUMBERS
        held = {state.registers[one] for one in self.unit.live(at + 1)}
        names = self.reads()
        found: dict[tuple[object, ...], Outcome] = {}
        for one in normal:
            gives = one.result if used or call.flags & CREATES else NOTHING
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
            # A short body may return the new object, and its caller may read the fields.
            if not (self.unit.short and call.flags & CREATES):
                fields = tuple(part for part in fields if _read_as(part[0]) in names)
            asked = one.parameter_tests
            if asked and gives != NULL:
                asked = tuple(
                    part
                    for part in asked
                    if used and 0 < part[0] <= len(given) and given[part[0] - 1] in held
                )
            told = one._replace(result=gives, needs=needs, fields=fields, parameter_tests=asked)
            found.setdefault(told.key, told)
        return list(found.values())

    def _matters(self, state: State, value: int, held: set[int]) -> bool:
        """Return whether new facts about a value are worth recording."""
        if value < 0 or value >= TEXT or state.fact(value) != NOTHING:
            return False
        return value >= PARAMETER or value in held or value in state.heap.values()

    def reads(self) -> frozenset[str]:
        """Return the names of the fields that the body reads, and its calls.

        Fields read through methods that only return them count too.
        """
        if self._reads is None:
            found = set(self.unit.loads)
            if self.unit.flags & CONSTRUCTOR:
                found.update(self.unit.fields)
            for call in self.unit.calls.values():
                found.add(f"(){call.label}")
                known = self.found_of(call)
                for one in known.outcomes if known is not None else ():
                    if isinstance(one.result, tuple) and one.result[0] == "f":
                        found.add(str(one.result[1]))
            self._reads = frozenset(found)
        return self._reads


def _read_as(name: str) -> str:
    """Return the name under which a body reads a field or call of an outcome, for any owner."""
    return f"(){name.partition(')')[2]}" if name[0] == "(" else name.lstrip(".")


def _makes(one: Outcome) -> bool:
    """Return whether an outcome has facts about a new object that is returned."""
    return any(name[0] == "." for name, _ in one.fields)
