"""Classes as values: the class of an object, and those above it."""

from __future__ import annotations

from acumen.lang.java.nulls._sizes import STRING, Sizes
from acumen.lang.java.nulls._state import NUMBER, SOLID, TEXT, State
from acumen.lang.java.nulls.code import ROOT
from acumen.lang.java.nulls.summary import FALSE

WALKS = frozenset(("getClass", "getSuperclass"))


class Classes(Sizes):
    def has_superclass(self, state: State, label: str, receiver: int) -> bool:
        """Whether somebody asks for what is above the class of an object that is not Object: an
        interface has nothing above it, a class has."""
        return (
            label.startswith("java.lang.Class.getSuperclass")
            and (receiver, "of object") in state.heap
            and (receiver, "not root") in state.heap
        )

    def walked(self, after: list[State], name: str, of_object: bool, d: int) -> None:
        """What an object's class is, and the class above such a one, is no interface."""
        if d >= 0 and (name == "getClass" or of_object):
            for state in after:
                if state.registers[d] >= 0 and state.fact(state.registers[d]) > 0:
                    state.heap[state.registers[d], "of object"] = SOLID

    def equalled(self, state: State, label: str, value: int, one: int, other: int) -> bool:
        """After ``equals`` of one and another gave a value: whether that may be."""
        for constant, owner in ((one, other), (other, one)):
            if owner >= 0 and TEXT <= constant < NUMBER:
                text = self.unit.facts.texts[constant - TEXT]
                if text == '""' and label.startswith(STRING):
                    return self.is_blank(state, value, owner)
                if text in ROOT and state.fact(value) == FALSE:
                    self.not_root(state, constant, owner)
        return True

    def not_root(self, state: State, one: int, other: int) -> None:
        """Two differ: perhaps one of them is a class, and not the one above all."""
        for constant, owner in ((one, other), (other, one)):
            if not TEXT <= constant < NUMBER or (owner, "of object") not in state.heap:
                continue
            if self.unit.facts.texts[constant - TEXT] in ROOT:
                state.heap[owner, "not root"] = SOLID
