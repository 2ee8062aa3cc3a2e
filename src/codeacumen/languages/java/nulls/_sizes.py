"""Models of maps, sizes and classes in the null analysis.

Maps and system properties: a key that was put, or tested for, has a value. Sizes: a loop over a
collection known to be non-empty runs at least once; a counter is never negative. Classes as
values: the class of an object, and its superclasses.
"""

from __future__ import annotations

import re
from functools import cache

from codeacumen.languages.java.nulls import models
from codeacumen.languages.java.nulls._state import (
    EACH,
    FALSE,
    LIMIT,
    NONNULL,
    NOTHING,
    NUMBER,
    SOLID,
    TEXT,
    TRUE,
    TRUTH,
    State,
)
from codeacumen.languages.java.nulls._unit import Unit
from codeacumen.languages.java.nulls._values import Values
from codeacumen.languages.java.nulls.code import ROOT
from codeacumen.languages.java.nulls.models import name_of


class Maps(Values):
    def __init__(self, unit: Unit) -> None:
        super().__init__(unit)
        # True if the body tests for a key, which may equal an earlier key computed the same way.
        self.looks_up = any(
            models.kind_of(call.label, models.plain(call.label)) == models.CONTAINS
            for call in unit.calls.values()
        )

    def keyed(
        self,
        at: int,
        state: State,
        kind: str,
        receiver: int,
        given: list[int],
        d: int,
    ) -> list[State]:
        """Return the states after a call of a map's method."""
        for value in given:
            self.escape(state, value)
        key: tuple[object, ...] = (receiver, "get", *given[:1])
        if given and self.looks_up:
            key = (receiver, "get", *self._same_as(state, given[0]))
        value = at * EACH
        if kind == models.KEYS:
            self.make(at, state, d)
            state.facts[value] = NONNULL
            if receiver >= 0:
                state.heap[value, "keys"] = receiver
            return [state]
        if kind == models.PUT:
            self.make(at, state, d)
            state.heap[key] = SOLID
            return [state]
        if kind == models.CONTAINS:
            other = state.copy()
            self.make(at, state, d)
            self.make(at, other, d)
            state.facts[value], other.facts[value] = TRUE, FALSE
            state.heap[key] = SOLID
            return [state, other]
        if kind == models.PROPERTY:
            if self._is_set(state, given):
                state.facts[self.make(at, state, d)] = NONNULL
                return [state]
            key = (receiver, "get", *given)
        held = state.heap.pop(key, None) if kind == models.REMOVE else state.heap.get(key)
        if state.is_merged or (receiver, "table") in state.heap:
            self.make(at, state, d)
            return [state]
        iterated = bool(given) and state.heap.get((given[0], "key of"), -2) == receiver
        if (held is not None and state.fact(held) > 0) or iterated or len(given) != 1:
            self.make(at, state, d)
            state.facts[value] = NONNULL
            return [state]
        other = state.copy()
        self.make(at, state, d)
        self.make(at, other, d)
        state.facts[value] = NONNULL
        offset = self.unit.instructions[at][7]
        step = self.step(offset, "the map has no value for the key")
        source = f"{self.unit.facts.path} map" if kind == models.GET else ""
        what = "is what a map may not hold"
        other.facts[value] = self.origin(at, True, (step,), what, source)
        if kind != models.REMOVE:
            state.heap[key] = value
        return [state, other]

    def _same_as(self, state: State, value: int) -> tuple[object, ...]:
        """Return what identifies a key: the getter that returned it and its receiver, or itself."""
        for key in state.heap:
            if key[0] == value and key[1] == "from":
                return key[2:]
        return (value,)

    def keys(self, map_: int, name: str, after: list[State], d: int) -> None:
        """Mark iterators over a map's keys, and the elements that they return."""
        for state in after:
            if name == "iterator":
                state.heap[state.registers[d], "keys"] = map_
            elif name in ("next", "nextElement"):
                state.heap[state.registers[d], "key of"] = map_

    def _is_set(self, state: State, given: list[int]) -> bool:
        """Return whether a system property exists on every machine.

        A constant of the program is assumed to name such a property.
        """
        if not given:
            return True
        value = given[0]
        if value >= TEXT:
            text = self.unit.facts.texts[value - TEXT] if value < NUMBER else ""
            return text.strip('"') in models.PROPERTIES
        return any(held == value for held in state.heap.values())


ZERO = NUMBER + LIMIT
_SIZES = frozenset(("size", "length", "getSize", "getLength", "count"))
_MORE = frozenset(("hasNext", "hasMoreElements", "hasMoreTokens"))
STRING = "java.lang.String."
_EMPTIES = re.compile(r"(next|clear|remove|retain|poll|pop|drain|take)")


@cache
def tells(name: str) -> bool:
    """Return whether a method of this name reveals or changes whether its object is empty."""
    return name in _SIZES or name in _MORE or name == "isEmpty" or bool(_EMPTIES.match(name))


def _asks_twice(unit: Unit) -> bool:
    """Return whether the body tests strings for emptiness more than once."""
    asked = 0
    for call in unit.calls.values():
        label = call.label
        asked += label.startswith(STRING) and name_of(label) in ("length", "isEmpty", "equals")
    return asked > 1


class Sizes(Maps):
    def __init__(self, unit: Unit) -> None:
        super().__init__(unit)
        # It pays to track sizes if the body has loops, or tests emptiness again.
        self.sizes_matter = unit.loops or _asks_twice(unit)

    def sized(self, state: State, label: str, name: str, receiver: int, value: int) -> None:
        """Update the state after a call that may reveal or change whether its receiver is empty."""
        heap = state.heap
        if value >= 0:
            if name in _SIZES:
                heap[value, "size of"] = receiver
                if label.startswith(STRING):
                    heap[value, "of string"] = SOLID
            elif name == "isEmpty":
                if label.startswith(STRING):
                    self.is_blank(state, value, receiver)
                else:
                    heap[value, "void"] = receiver
            elif name in _MORE:
                heap[value, "more"] = receiver
                if (receiver, "full") in heap:
                    state.facts[value] = TRUE
        if (receiver, "full") in heap and _EMPTIES.match(name):
            del heap[receiver, "full"]

    def is_blank(self, state: State, value: int, owner: int) -> bool:
        """Link a value to the emptiness of a string; return whether the value is possible.

        Strings do not change, so empty ones are recorded too.
        """
        if not self.sizes_matter:
            return True
        heap = state.heap
        fact = FALSE if (owner, "full") in heap else TRUE if (owner, "blank") in heap else NOTHING
        known = state.fact(value)
        if fact and value >= 0:
            state.facts[value] = fact
        heap[value, "void"] = owner
        heap[value, "of string"] = SOLID
        return not fact or known not in (TRUE, FALSE) or known == fact

    def is_full(self, state: State, value: int) -> bool:
        return (value, "full") in state.heap

    def filled(self, state: State, value: int, answer: bool) -> None:
        """Record the answer of a condition that may have tested for emptiness."""
        owner = state.heap.get((value, "more" if answer else "void"))
        if owner is not None:
            state.heap[owner, "full"] = SOLID
            return
        owner = state.heap.get((value, "void"))
        if owner is not None and (value, "of string") in state.heap:
            state.heap[owner, "blank"] = SOLID

    def compared(self, state: State, less: bool, value: int, other: int, taken: bool) -> None:
        """Record what a comparison of a size with a number reveals about emptiness."""
        owner = state.heap.get((value, "size of"))
        if owner is not None and NUMBER <= other < TRUTH:
            number = other - ZERO
            # The size is not 0, or not below 1, or equal to 1.
            some = number > 0 if less is not taken else number == 0
            if some and not (less and taken):
                state.heap[owner, "full"] = SOLID
            elif taken and number == int(less) and (value, "of string") in state.heap:
                state.heap[owner, "blank"] = SOLID
            return
        owner = state.heap.get((other, "size of"))
        if owner is not None and less and ZERO <= value < TRUTH:
            if taken:
                state.heap[owner, "full"] = SOLID
            elif value == ZERO and (other, "of string") in state.heap:
                state.heap[owner, "blank"] = SOLID

    def below(self, state: State, value: int, other: int) -> bool | None:
        """Return whether one number is below another by what they count; None if unknown."""
        if value == ZERO and other < TEXT:
            some = self._has_some(state, other)
            if some is not None:
                return some
        if other == ZERO + 1 and value < TEXT:
            some = self._has_some(state, value)
            if some is not None:
                return not some
        if NUMBER <= other <= ZERO and ("counts", value) in state.facts:
            return False
        return None

    def _has_some(self, state: State, size: int) -> bool | None:
        """Return whether the object with this size is non-empty; None if unknown."""
        owner = state.heap.get((size, "size of"))
        if owner is None:
            return None
        if (owner, "full") in state.heap:
            return True
        return False if (owner, "blank") in state.heap else None

    def is_no_size(self, state: State, value: int, other: int) -> bool | None:
        """Return whether a size that is compared with zero is zero; None if unknown."""
        if other != ZERO or value >= TEXT:
            return None
        some = self._has_some(state, value)
        return None if some is None else not some

    def differs(self, state: State, value: int, other: int) -> bool:
        """Return whether one value counts and the other is negative."""
        return (NUMBER <= other < ZERO and ("counts", value) in state.facts) or (
            NUMBER <= value < ZERO and ("counts", other) in state.facts
        )


WALKS = frozenset(("getClass", "getSuperclass"))


class Classes(Sizes):
    def has_superclass(self, state: State, label: str, receiver: int) -> bool:
        """Return whether a call gets the superclass of the class of an object other than Object.

        Such a superclass exists; an interface has none.
        """
        return (
            label.startswith("java.lang.Class.getSuperclass")
            and (receiver, "of object") in state.heap
            and (receiver, "not root") in state.heap
        )

    def walked(self, after: list[State], name: str, of_object: bool, d: int) -> None:
        """Mark the class of an object, and its superclasses: they are no interfaces."""
        if d >= 0 and (name == "getClass" or of_object):
            for state in after:
                if state.registers[d] >= 0 and state.fact(state.registers[d]) > 0:
                    state.heap[state.registers[d], "of object"] = SOLID

    def equalled(self, state: State, label: str, value: int, one: int, other: int) -> bool:
        """Return whether the result of ``equals`` is possible, and record what it reveals."""
        for constant, owner in ((one, other), (other, one)):
            if owner >= 0 and TEXT <= constant < NUMBER:
                text = self.unit.facts.texts[constant - TEXT]
                if text == '""' and label.startswith(STRING):
                    return self.is_blank(state, value, owner)
                if text in ROOT and state.fact(value) == FALSE:
                    self.not_root(state, constant, owner)
        return True

    def not_root(self, state: State, one: int, other: int) -> None:
        """Record that two values differ: a class that differs from Object has a superclass."""
        for constant, owner in ((one, other), (other, one)):
            if not TEXT <= constant < NUMBER or (owner, "of object") not in state.heap:
                continue
            if self.unit.facts.texts[constant - TEXT] in ROOT:
                state.heap[owner, "not root"] = SOLID
