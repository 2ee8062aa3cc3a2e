"""Sizes: what is known not to be empty is walked at least once; a counter is never negative."""

from __future__ import annotations

import re
from functools import cache

from acumen.lang.java.nulls._maps import Maps
from acumen.lang.java.nulls._state import LIMIT, NUMBER, SOLID, TEXT, TRUTH, State
from acumen.lang.java.nulls._unit import Unit
from acumen.lang.java.nulls.models import name_of
from acumen.lang.java.nulls.summary import FALSE, NOTHING, TRUE

ZERO = NUMBER + LIMIT
_SIZES = frozenset(("size", "length", "getSize", "getLength", "count"))
_MORE = frozenset(("hasNext", "hasMoreElements", "hasMoreTokens"))
STRING = "java.lang.String."
_EMPTIES = re.compile(r"(next|clear|remove|retain|poll|pop|drain|take)")


@cache
def tells(name: str) -> bool:
    """Whether a method of that name tells, or changes, whether there is something."""
    return name in _SIZES or name in _MORE or name == "isEmpty" or bool(_EMPTIES.match(name))


def _asks_twice(unit: Unit) -> bool:
    """Whether strings are asked more than once whether they are empty."""
    asked = 0
    for call in unit.calls.values():
        label = call.label
        asked += label.startswith(STRING) and name_of(label) in ("length", "isEmpty", "equals")
    return asked > 1


class Sizes(Maps):
    def __init__(self, unit: Unit) -> None:
        super().__init__(unit)
        # Sizes are worth to be followed if something is walked, or asked for its size again.
        self.sizes_matter = unit.loops or _asks_twice(unit)

    def sized(self, state: State, label: str, name: str, receiver: int, value: int) -> None:
        """After a call that may tell, or change, whether there is something in its receiver."""
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
        """A value tells whether a string is empty: whether that may be. Strings do not change, so
        those that are empty are remembered too."""
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
        """A question was answered: perhaps the one whether there is anything."""
        owner = state.heap.get((value, "more" if answer else "void"))
        if owner is not None:
            state.heap[owner, "full"] = SOLID
            return
        owner = state.heap.get((value, "void"))
        if owner is not None and (value, "of string") in state.heap:
            state.heap[owner, "blank"] = SOLID

    def compared(self, state: State, less: bool, value: int, other: int, taken: bool) -> None:
        """A size was compared with a number, and is not zero."""
        owner = state.heap.get((value, "size of"))
        if owner is not None and NUMBER <= other < TRUTH:
            number = other - ZERO
            # It is not 0, or not below 1, or equal to 1.
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
        """Whether one number is known to be below another because of what they count."""
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
        """Whether that of which a value is the size has something in it."""
        owner = state.heap.get((size, "size of"))
        if owner is None:
            return None
        return (
            True
            if (owner, "full") in state.heap
            else (False if (owner, "blank") in state.heap else None)
        )

    def is_no_size(self, state: State, value: int, other: int) -> bool | None:
        """Whether a size that is compared with zero is zero."""
        if other != ZERO or value >= TEXT:
            return None
        some = self._has_some(state, value)
        return None if some is None else not some

    def differs(self, state: State, value: int, other: int) -> bool:
        """Whether one counts and the other is negative."""
        return (NUMBER <= other < ZERO and ("counts", value) in state.facts) or (
            NUMBER <= value < ZERO and ("counts", other) in state.facts
        )
