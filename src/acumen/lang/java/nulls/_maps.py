"""Maps and system properties: what was put, or asked for, can be got."""

from __future__ import annotations

from acumen.lang.java.nulls import models
from acumen.lang.java.nulls._state import EACH, NUMBER, SOLID, TEXT, State
from acumen.lang.java.nulls._unit import Unit
from acumen.lang.java.nulls._values import Values
from acumen.lang.java.nulls.summary import FALSE, NONNULL, TRUE


class Maps(Values):
    def __init__(self, unit: Unit) -> None:
        super().__init__(unit)
        # Whether somebody asks for a key, and may have made it from the same as before.
        self.looks_up = any(
            models.kind_of(call.label, models.plain(call.label)) == models.CONTAINS
            for call in unit.calls.values()
        )

    def keyed(
        self, at: int, state: State, kind: str, receiver: int, given: list[int],
        d: int,
    ) -> list[State]:  # fmt: skip
        """The states after a call of a map's method."""
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
        if state.weak or (receiver, "table") in state.heap:
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
        """What tells a key from others: if a getter gave it, whose and which."""
        for key in state.heap:
            if key[0] == value and key[1] == "from":
                return key[2:]
        return (value,)

    def keys(self, map_: int, name: str, after: list[State], d: int) -> None:
        """What iterates over a map's keys gives them."""
        for state in after:
            if name == "iterator":
                state.heap[state.registers[d], "keys"] = map_
            elif name in ("next", "nextElement"):
                state.heap[state.registers[d], "key of"] = map_

    def _is_set(self, state: State, given: list[int]) -> bool:
        """Whether a system property is one that every machine has; a constant of the program is
        taken to name one."""
        if not given:
            return True
        value = given[0]
        if value >= TEXT:
            text = self.unit.facts.texts[value - TEXT] if value < NUMBER else ""
            return text.strip('"') in models.PROPERTIES
        return any(held == value for held in state.heap.values())
