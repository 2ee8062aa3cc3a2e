"""Sizes: what is known not to be empty is walked at least once; a counter is never negative."""

from __future__ import annotations

import re
from functools import cache

from acumen.lang.java.nulls._maps import Maps
from acumen.lang.java.nulls._state import LIMIT, NUMBER, SOLID, TEXT, TRUTH, State
from acumen.lang.java.nulls.summary import TRUE

ZERO = NUMBER + LIMIT
_SIZES = frozenset(("size", "length", "getSize", "getLength", "count"))
_MORE = frozenset(("hasNext", "hasMoreElements", "hasMoreTokens"))
_EMPTIES = re.compile(r"(next|clear|remove|retain|poll|pop|drain|take)")


@cache
def tells(name: str) -> bool:
    """Whether a method of that name tells, or changes, whether there is something."""
    return name in _SIZES or name in _MORE or name == "isEmpty" or bool(_EMPTIES.match(name))


class Sizes(Maps):
    def sized(self, state: State, name: str, receiver: int, value: int) -> None:
        """After a call that may tell, or change, whether there is something in its receiver."""
        heap = state.heap
        if value >= 0:
            if name in _SIZES:
                heap[value, "size of"] = receiver
            elif name == "isEmpty":
                heap[value, "void"] = receiver
            elif name in _MORE:
                heap[value, "more"] = receiver
                if (receiver, "full") in heap:
                    state.facts[value] = TRUE
        if (receiver, "full") in heap and _EMPTIES.match(name):
            del heap[receiver, "full"]

    def is_full(self, state: State, value: int) -> bool:
        return (value, "full") in state.heap

    def filled(self, state: State, value: int, answer: bool) -> None:
        """A question was answered: perhaps the one whether there is anything."""
        owner = state.heap.get((value, "more" if answer else "void"))
        if owner is not None:
            state.heap[owner, "full"] = SOLID

    def compared(self, state: State, less: bool, value: int, other: int, taken: bool) -> None:
        """A size was compared with a number, and is not zero."""
        owner = state.heap.get((value, "size of"))
        if owner is not None and NUMBER <= other < TRUTH:
            number = other - ZERO
            # It is not 0, or not below 1, or equal to 1.
            some = number > 0 if less is not taken else number == 0
            if some and not (less and taken):
                state.heap[owner, "full"] = SOLID
            return
        owner = state.heap.get((other, "size of"))
        if owner is not None and less and taken and ZERO <= value < TRUTH:
            state.heap[owner, "full"] = SOLID

    def below(self, state: State, value: int, other: int) -> bool | None:
        """Whether one number is known to be below another because of what they count."""
        if value == ZERO and other < TEXT:
            owner = state.heap.get((other, "size of"))
            if owner is not None and (owner, "full") in state.heap:
                return True
        if NUMBER <= other <= ZERO and ("counts", value) in state.facts:
            return False
        return None

    def differs(self, state: State, value: int, other: int) -> bool:
        """Whether one counts and the other is negative."""
        return (NUMBER <= other < ZERO and ("counts", value) in state.facts) or (
            NUMBER <= value < ZERO and ("counts", other) in state.facts
        )
